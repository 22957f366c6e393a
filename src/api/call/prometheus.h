/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writer for Prometheus' text format, version 0.0.4.
 *
 * The caller writes a family first, then its samples.  Labels are texts such as `lane="http"`;
 * prometheus_label() makes those whose values come from users.
 */
#pragma once

#include "api/call/answer.h"

#define PROMETHEUS_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* Upper bounds of the histogram buckets, in microseconds. */
enum { PROMETHEUS_BOUNDS = 20 };
extern const span prometheus_bounds[PROMETHEUS_BOUNDS];

/* counts[i]: values up to bound i and above bound i - 1; the last: above all bounds. */
struct prometheus_histogram {
    int64_t counts[PROMETHEUS_BOUNDS + 1];
    span sum;
};

/* The index of a duration in those counts. */
int prometheus_bucket(span length);

/* `type` is counter, gauge or histogram. */
void prometheus_family(struct answer *out, const char *name, const char *type,
                       const char *help);
/* Labels may be empty. */
void prometheus_int(struct answer *out, const char *name, const char *labels, int64_t value);
void prometheus_seconds(struct answer *out, const char *name, const char *labels, span value);
void prometheus_print(struct answer *out, const char *name, const char *labels,
                      const struct prometheus_histogram *histogram);

/* A family with one sample. */
void prometheus_one(struct answer *out, const char *name, const char *type, const char *help,
                    int64_t value);

/* name="value", escaped. */
void prometheus_label(struct buf *out, const char *name, struct str value);
