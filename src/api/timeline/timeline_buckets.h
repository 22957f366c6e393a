/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts what became of the slots of one schedule in each bucket of a window.
 */
#pragma once

#include "api/timeline/timeline_past.h"
#include "api/timeline/timeline_series.h"

enum timeline_count {
    TIMELINE_PLANNED,
    TIMELINE_OPEN,
    TIMELINE_SUCCEEDED,
    TIMELINE_FAILED,
    TIMELINE_TIMED_OUT,
    TIMELINE_CANCELLED,
    TIMELINE_SKIPPED,
    TIMELINE_MISSED,
    TIMELINE_DROPPED,
    TIMELINE_LATE,
    TIMELINE_COUNTS
};

struct timeline_bucket {
    int64_t counts[TIMELINE_COUNTS];
    span busy; /* all attempts together */
};

struct timeline_buckets {
    const struct timeline_window *window;
    instant now;
    struct timeline_bucket *at;
    int low, high; /* only buckets from `low` to before `high` are not empty */
};

struct timeline_buckets timeline_buckets_new(const struct timeline_window *window, instant now,
                                             struct arena *arena);
void timeline_buckets_clear(struct timeline_buckets *buckets);
bool timeline_buckets_are_empty(const struct timeline_buckets *buckets);

/* Counts a run, by its slot, when it is open or has ended; other attempts only as busy. */
void timeline_buckets_attempt(struct timeline_buckets *buckets,
                              const struct slot_attempt *attempt);
/* Counts slots by their outcome. */
void timeline_buckets_series(struct timeline_buckets *buckets,
                             const struct timeline_series *series);
/* Counts all slots of a range in the bucket of its first slot in the window. */
void timeline_buckets_lump(struct timeline_buckets *buckets, const struct account *range);

/* The list of those that are not empty. */
void timeline_buckets_print(const struct timeline_buckets *buckets, struct answer *out);

/* When a run began, if this is its first attempt; INSTANT_NONE otherwise, or if it waits. */
instant timeline_start_of(const struct slot_attempt *attempt);
/* The run began, or still waits, more than CATALOGUE_LATE_AFTER after it was due. */
bool timeline_is_late(const struct slot_attempt *attempt, instant now);
