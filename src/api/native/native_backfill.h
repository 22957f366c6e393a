/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts and lists the slots of a range that were not started, for backfills that run only
 * these.  The engine decides again, in each turn, which of them it starts.
 */
#pragma once

#include "api/schedules/schedule_times.h"
#include "store/exceptions_backfills.h"

struct missed_slots {
    const struct call *call;
    struct db *db;
    const struct schedule_times *schedule;
    instant *times; /* the first slots that were counted, in all ranges together */
    int time_count, time_max;
};

/* Prepares to count, and to list the `times` first slots. */
struct missed_slots missed_slots_new(const struct call *call, struct db *db,
                                     const struct schedule_times *schedule, int times);

/* Counts the slots of one more range.  The rows that it reads count in the call's budget. */
MUST_USE enum rc missed_slots_count(struct missed_slots *missed, const struct range *range,
                                    struct schedule_times_count *ret, struct err *reterr);
