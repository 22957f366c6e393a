/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A parser of Prometheus' text format, version 0.0.4, for tests: written from the description
 * of the format, stricter than Prometheus itself.
 *
 * It reports lines of a family that are not adjacent, a sample without TYPE or HELP, two
 * samples with the same labels, invalid names and labels, histograms whose buckets do not grow,
 * or whose _count is not that of the last bucket.
 */
#pragma once

/* NULL if the text is valid; otherwise the error.  `text` is terminated by a zero. */
const char *prometheus_wrong(const char *text);

/* The value of a series, name{labels} as written; -1 if it is missing. */
double prometheus_value(const char *text, const char *series);
