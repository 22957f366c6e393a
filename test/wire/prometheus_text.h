/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reader of Prometheus' text format, version 0.0.4, for tests: written from the description
 * of the format, stricter than Prometheus itself.
 *
 * Says what is wrong with a text: lines of a family that are apart, a sample without TYPE or
 * HELP, two samples with the same labels, names and labels that are none, histograms whose
 * buckets do not grow, or whose _count is not that of the last.
 */
#pragma once

/* NULL: it is well; else what is wrong.  `text` ends with a zero. */
const char *prometheus_wrong(const char *text);

/* The value of a series, name{labels} as it is written; -1 when there is none. */
double prometheus_value(const char *text, const char *series);
