/* SPDX-License-Identifier: Apache-2.0 */
/*
 * iCalendar recurrence rules (RFC 5545 RRULE with DTSTART): parse and search.
 *
 * Pure.  Input and output are local seconds, as in core/cron/cron.h.  The instances are those
 * that the rule yields from DTSTART on; a DTSTART that does not match its own rule is not an
 * instance.  The caller applies COUNT and an UNTIL written with Z, because they need a zone.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/instant.h"
#include "base/str.h"

enum rrule_freq {
    RRULE_YEARLY,
    RRULE_MONTHLY,
    RRULE_WEEKLY,
    RRULE_DAILY,
    RRULE_HOURLY,
    RRULE_MINUTELY,
    RRULE_SECONDLY,
};

enum {
    RRULE_DAYS_MAX = 64,   /* different items of BYDAY: 7 weekdays, 57 with a number */
    RRULE_SETPOS_MAX = 64, /* different items of BYSETPOS                  */
    RRULE_INTERVAL_MAX = 1000000000, /* 31 years of seconds; products fit in 64 bits */
    /* Periods that one search of a DAILY or faster rule tries, in at most about 15 ms: more
       than the days of 400 years. */
    RRULE_TRIES_MAX = 1 << 18,
};

struct rrule_day {
    int8_t nth;      /* 0: every one of this weekday; otherwise -53..53 */
    uint8_t weekday; /* 0 = Sunday                                      */
};

struct rrule {
    int64_t start;                 /* DTSTART as a local second; a date means 00:00:00      */
    int64_t until_local;           /* UNTIL without Z (a date: 23:59:59); LOCAL_NEVER: none */
    instant until;                 /* UNTIL with Z; INSTANT_NEVER: none                     */
    uint64_t by_second, by_minute; /* bit n; 0: not given.  BYSECOND=60 never matches       */
    uint32_t by_hour;
    uint32_t by_month_day, by_month_day_end;     /* bit n: day n; n-th from the end */
    uint64_t by_year_day[6], by_year_day_end[6]; /* bit n: 1..366                   */
    uint64_t by_week, by_week_end;               /* bit n: 1..53                    */
    uint16_t by_month;
    uint16_t days, positions; /* in use of `day` and `position` */
    uint32_t interval;
    uint32_t count;     /* 0: none                    */
    uint8_t freq;       /* enum rrule_freq            */
    uint8_t week_start; /* 0 = Sunday; default Monday */
    struct rrule_day day[RRULE_DAYS_MAX];
    int16_t position[RRULE_SETPOS_MAX];
};

/*
 * Parses two lines in any order, "DTSTART…" and "RRULE:…" (`RRULE:` may be missing).  A line
 * ends with LF, CRLF or the two characters `\n`; a line that begins with a blank continues the
 * line before.  *ret_zone is TZID, pointing into the text, or a constant "UTC" for a DTSTART
 * with Z; len 0: none, local.  The caller checks whether the zone exists.
 * On failure reterr has the offset in `at` and the part (BYDAY, DTSTART …) in `field`.
 */
MUST_USE enum rc rrule_parse(struct str text, struct rrule *ret, struct str *ret_zone,
                             struct err *reterr);

/*
 * The first instance at or after `local`, or LOCAL_NEVER; the last at or before it, or
 * LOCAL_NONE.  Never before DTSTART, never after until_local.
 */
int64_t rrule_next_local(const struct rrule *rule, int64_t local);
int64_t rrule_prev_local(const struct rrule *rule, int64_t local);

/* True for values that the parser could have made: checks stored bytes. */
bool rrule_is_valid(const struct rrule *rule);
