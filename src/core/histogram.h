/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A histogram of durations whose buckets grow with the value, so that every quantile is within
 * 10 % of the exact one, from a microsecond to the largest span.
 *
 * Pure.  Each power of two has eight buckets of equal width; values below 8 µs have a bucket
 * of their own, and so have zero and all negative values.  Histograms add up.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/instant.h"
#include "base/unpack.h"

enum {
    HISTOGRAM_STEP_BITS = 3, /* 8 buckets: half of one is at most 1/16 of its values */
    HISTOGRAM_STEPS = 1 << HISTOGRAM_STEP_BITS,
    HISTOGRAM_BUCKETS = 1 + (64 - HISTOGRAM_STEP_BITS) * HISTOGRAM_STEPS,
    /* Packed: at most ten bytes for a count, and two for its bucket. */
    HISTOGRAM_PACKED_MAX = HISTOGRAM_BUCKETS * 12 + 20,
};

struct histogram {
    int64_t total; /* of all counts                          */
    span most;     /* the largest value; INT64_MIN: no value */
    int64_t counts[HISTOGRAM_BUCKETS];
};

void histogram_clear(struct histogram *h);
void histogram_add(struct histogram *h, span value);
/* Adds all values of another histogram. */
void histogram_merge(struct histogram *to, const struct histogram *from);

/*
 * The value that `per_mille` thousandths of all values do not exceed (500: the median), within
 * 1/16 and never above h->most.  Negative values count as 0.  The histogram has a value.
 */
span histogram_quantile(const struct histogram *h, int per_mille);

/* Appends only the buckets that have values. */
void histogram_pack(const struct histogram *h, struct buf *to);
/* Adds the values of a packed histogram; sets in->is_bad if the bytes are none. */
void histogram_unpack(struct histogram *h, struct unpack *in);

/* Numbers of one to ten bytes, seven bits each, the lowest first. */
void pack_number(struct buf *to, uint64_t n);
uint64_t unpack_number(struct unpack *in);
