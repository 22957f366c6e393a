/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The times of day of a recurrence rule: every combination of its hours, minutes, seconds.
 *
 * Pure.  A time is a second of the day, 0 to 86399.  Works on bits and builds no list.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct rrule_times {
    uint32_t hour;           /* bit n: hour n      */
    uint64_t minute, second; /* bit n: n, below 60 */
};

bool rrule_times_are_none(const struct rrule_times *t);

/* First time at or after `tod`, last time at or before it; -1 if there is none. */
int rrule_times_next(const struct rrule_times *t, int tod);
int rrule_times_prev(const struct rrule_times *t, int tod);

/* The number of times, and the one with index `n`, which must exist. */
int rrule_times_count(const struct rrule_times *t);
int rrule_times_at(const struct rrule_times *t, int n);
