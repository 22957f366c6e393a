/* SPDX-License-Identifier: Apache-2.0 */
/*
 * iCalendar recurrence rules (RFC 5545 RRULE with DTSTART): parse and search.
 *
 * Pure; local seconds in, local seconds out, as core/cron/cron.h.  The instances are those that
 * the rule yields from DTSTART on; a DTSTART that does not fit its own rule is not one of
 * them.  COUNT and an UNTIL written with Z are bounds that the caller applies, for they
 * need a zone.
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
    RRULE_DAYS_MAX = 64,   /* different items of BYDAY: 7 plain and more than any month has */
    RRULE_SETPOS_MAX = 64, /* different items of BYSETPOS                                   */
    RRULE_INTERVAL_MAX = 1000000000, /* 31 years of seconds, and products fit in 64 bits    */
    RRULE_TRIES_MAX = 1 << 18, /* periods of DAILY and below that one search looks at:      */
                               /* more than 400 years have days; some 15 ms at most         */
};

struct rrule_day {
    int8_t nth;      /* 0: every such weekday; -53..53 otherwise */
    uint8_t weekday; /* 0 = Sunday */
};

struct rrule {
    int64_t start;       /* DTSTART as local second; a date is its 00:00:00              */
    int64_t until_local; /* UNTIL without Z (a date: 23:59:59); LOCAL_NEVER: none        */
    instant until;       /* UNTIL with Z; INSTANT_NEVER: none                            */
    uint64_t by_second, by_minute; /* bit n; 0: not given.  BYSECOND=60 never matches    */
    uint32_t by_hour;
    uint32_t by_month_day, by_month_day_end;     /* bit n: day n; bit n: n-th from the end   */
    uint64_t by_year_day[6], by_year_day_end[6]; /* bit n: 1..366                        */
    uint64_t by_week, by_week_end; /* bit n: 1..53                                       */
    uint16_t by_month;
    uint16_t days, positions;
    uint32_t interval;
    uint32_t count;     /* 0: none */
    uint8_t freq;       /* enum rrule_freq */
    uint8_t week_start; /* 0 = Sunday; default Monday */
    struct rrule_day day[RRULE_DAYS_MAX];
    int16_t position[RRULE_SETPOS_MAX];
};

/*
 * Two lines in any order, "DTSTART…" and "RRULE:…" (`RRULE:` may be missing).  A line ends
 * with LF, CRLF or the two characters `\n`; one that begins with a blank continues the line
 * before.  *ret_zone is TZID, pointing into the text, or a constant "UTC" for a DTSTART
 * with Z; len 0: none, local.  Whether the zone exists is the caller's question.
 * On failure reterr has the offset in `at` and the part (BYDAY, DTSTART …) in `field`.
 */
MUST_USE enum rc rrule_parse(struct str text, struct rrule *ret, struct str *ret_zone,
                             struct err *reterr);

/*
 * As cron_next_local()/cron_prev_local(): at or after, at or before; never before DTSTART,
 * never after until_local.
 */
int64_t rrule_next_local(const struct rrule *rule, int64_t local);
int64_t rrule_prev_local(const struct rrule *rule, int64_t local);

/* Values that the parser could have made: for bytes from outside. */
bool rrule_is_valid(const struct rrule *rule);
