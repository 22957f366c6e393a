/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What became of the slots and runs of one day: counts by kind and outcome, and histograms of
 * lateness and duration.
 *
 * Pure.  The order of kinds and counts is stored: only append.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/histogram.h"
#include "core/outcome.h"
#include "core/run.h"

enum day_kind { DAY_SLOT, DAY_TRIGGER, DAY_BACKFILL, DAY_KINDS };

enum day_count {
    DAY_SUCCEEDED,
    DAY_FAILED, /* also runs whose outcome is unknown */
    DAY_TIMED_OUT,
    DAY_CANCELLED, /* runs; also terminated ones */
    /* slots and requests without a run */
    DAY_SKIPPED,
    DAY_MISSED,
    DAY_DROPPED,
    DAY_WITHDRAWN, /* cancelled before they had a run */
    DAY_COUNTS
};

struct day_sums {
    int64_t counts[DAY_KINDS][DAY_COUNTS];
    struct histogram late; /* of runs that began: from when they were due to their start */
    struct histogram took; /* of runs that ended: their last attempt                     */
};

enum { DAY_PACKED_MAX = 2 * HISTOGRAM_PACKED_MAX + DAY_KINDS * (DAY_COUNTS * 10 + 2) };

#define DAY_NO_TIME INT64_MIN
/* Of a row that was written before rows had a day. */
#define DAY_NONE INT64_MIN

/* One row of history or ledger, as it counts on one day. */
struct day_sample {
    int64_t subject, day;
    enum day_kind kind;
    int what;        /* enum day_count; -1: an attempt that another one followed */
    int64_t count;   /* of `what`                                                */
    span late, took; /* DAY_NO_TIME: none */
};

/* The kind under which a run counts; direct runs are requests, as triggers are. */
enum day_kind day_kind_of(enum run_kind kind);
/* How an outcome counts. */
enum day_count day_count_of(enum outcome outcome);

void day_sums_clear(struct day_sums *f);
void day_sums_add(struct day_sums *f, const struct day_sample *sample);
void day_sums_pack(const struct day_sums *f, struct buf *to);
/* Adds packed sums; false: the bytes are damaged, and part of them may have been added. */
bool day_sums_unpack(struct day_sums *f, struct str packed);

/* The day of an instant in UTC. */
int64_t day_in_utc(instant at);

/* The share of part `i` (from 0) of `count` slots on `parts` days; all shares add up. */
int64_t day_share(int64_t count, int64_t parts, int64_t i);
