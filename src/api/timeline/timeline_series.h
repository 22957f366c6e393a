/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slots at equal distances, as one value.
 */
#pragma once

#include "api/schedules/slot_plan.h"
#include "api/timeline/timeline_window.h"

struct timeline_series {
    instant first;
    span step; /* 0 if count is 1 */
    int64_t count;
    enum outcome outcome; /* as in struct slot_planned */
    enum reason reason;
};

typedef void timeline_series_fn(void *arg, const struct timeline_series *series);

/*
 * Calls `add` for the slots of the window that have no account, see slot_plan_visit(), in
 * series that are as long as possible.
 */
void timeline_series_plan(const struct schedule_times *p, instant now,
                          const struct timeline_window *window, timeline_series_fn *add,
                          void *arg);

/* The same for the slots of a range of the ledger that are in the window. */
void timeline_series_range(const struct schedule_times *p, const struct account *range,
                           const struct timeline_window *window, timeline_series_fn *add,
                           void *arg);

/* The same for the slots of the spec after range[0] until range[1], which is in the window. */
void timeline_series_spec(const struct schedule_times *p, const struct slot_planned *like,
                          const instant range[2], timeline_series_fn *add, void *arg);

/* Calls `add` with the number of slots of a series in each bucket. */
typedef void timeline_bucket_fn(void *arg, int bucket, int64_t count);
void timeline_series_spread(const struct timeline_series *series,
                            const struct timeline_window *window, timeline_bucket_fn *add,
                            void *arg);
