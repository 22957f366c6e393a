/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dates of a recurrence rule: which days of a month match all its day parts.
 *
 * Pure.  Applies BYMONTH, BYWEEKNO, BYYEARDAY, BYMONTHDAY and BYDAY, with the defaults that
 * DTSTART gives; ignores the periods of FREQ, INTERVAL, times of day and BYSETPOS.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/rrule/rrule.h"

/* The day conditions of a rule with the defaults filled in, for one search. */
struct rrule_days {
    const struct rrule *rule;
    uint32_t month_day, month_day_end; /* both 0: any          */
    uint16_t months;                   /* bit n: month n       */
    uint8_t weekdays;                  /* plain items of BYDAY */
    bool has_weekday, has_nth, has_year_day, has_week;
    bool is_any;         /* every day matches                         */
    bool is_nth_in_year; /* 20MO counts in the year, not in the month */
};

struct rrule_days rrule_days(const struct rrule *rule);

/* First and last matching day number in [first, last]; false if there is none. */
bool rrule_days_next(const struct rrule_days *days, int64_t first, int64_t last,
                     int64_t *ret_day);
bool rrule_days_prev(const struct rrule_days *days, int64_t first, int64_t last,
                     int64_t *ret_day);

/* Number of matching days in [first, last], and the one with index `n`, which must exist. */
int rrule_days_count(const struct rrule_days *days, int64_t first, int64_t last);
int64_t rrule_days_at(const struct rrule_days *days, int64_t first, int64_t last, int n);

/* First day of the week, by WKST, that contains `day`. */
int64_t rrule_week_of(const struct rrule *rule, int64_t day);

/* First day of week 1 of a year: the first week with four days in that year. */
int64_t rrule_first_week(const struct rrule *rule, int year);
