/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compiled form of a cron expression, a calendar entry, a time of day or an OnCalendar
 * text: which seconds of the wall clock match; and the search for them.
 *
 * Pure.  A struct cron is a plain value.  It has no zone: input and output are local seconds,
 * which core/spec/local.h maps to instants.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/limits.h"
#include "core/time/civil.h"

#define LOCAL_NEVER INT64_MAX /* no match later  */
#define LOCAL_NONE  INT64_MIN /* no match before */

enum {
    CRON_DAY_AND = 1 << 0,       /* day of month and weekday must both match; else either    */
    CRON_INTERVAL = 1 << 1,      /* an interval entry [T-25]: matters for DST_VIXIE          */
    CRON_ANY_YEAR = 1 << 2,      /* `year` is ignored                                        */
    CRON_DAY_SPECIAL = 1 << 3,   /* set by cron_seal(): L, W or # is in use                  */
    CRON_EVERY_DAY = 1 << 4,     /* set by cron_seal(): each day matches                     */
    CRON_WEEKDAYS_ONLY = 1 << 5, /* set by cron_seal(): only the weekday decides             */
    CRON_FRACTION = 1 << 6,      /* seconds have a fraction: `part` decides, not `second`    */
    CRON_DAYS_ONLY = 1 << 7,     /* set by cron_seal(): weekdays and special days are unused */
};

enum { CRON_PARTS_MAX = 8 };

/* Milliseconds of a minute: from, from + step, … up to `to` (included); step 0: only `from`. */
struct cron_part {
    int32_t from, to, step;
};

struct cron {
    uint64_t second;    /* bit n: second n, 0..59                                          */
    uint64_t minute;    /* bit n: minute n, 0..59                                          */
    uint32_t hour;      /* bit n: hour n, 0..23                                            */
    uint32_t day;       /* bit n: day of month n, 1..31                                    */
    uint32_t last;      /* bit n: n days before the last day of the month (L, L-n), 0..30  */
    uint32_t last_near; /* bit n: the weekday nearest to L-n, in that month (LW, L-nW)     */
    uint32_t near;      /* bit n: the weekday nearest to day n, in that month (nW), 1..31  */
    uint16_t month;     /* bit n: month n, 1..12                                           */
    uint8_t weekday;    /* bit n: weekday n, 0 = Sunday .. 6                               */
    uint8_t nth[6];     /* [n]: weekdays that match in their n-th week of the month, 1..5; */
                        /* [0]: in their last week (dL, d#L)                                */
    uint8_t flags;
    uint64_t year[4];  /* bit n: year 1970 + n, to 2199                                   */
    int32_t first_tod; /* set by cron_seal(): first and last second of the day that match */
    int32_t last_tod;
    int32_t parts; /* CRON_FRACTION: how many of `part` are in use */
    struct cron_part part[CRON_PARTS_MAX];
};

/*
 * Day and weekday: a field that was `*` or `?` has all bits set.  With CRON_DAY_AND both must
 * match, without it either.  So a dialect whose OR rule applies only if both are restricted
 * sets CRON_DAY_AND if one of them is unrestricted.
 */

/* Checks a stored cron before cron_seal(): true if a parser could have made these values. */
bool cron_is_valid(const struct cron *cron);

/* Every second of every day. */
struct cron cron_every_second(void);

/* Computes the derived fields and flags; call it once after setting the others. */
void cron_seal(struct cron *cron);

/* Days of a month that match, bit n = day n. */
uint32_t cron_days(const struct cron *cron, int year, int month);

bool cron_matches_day(const struct cron *cron, int64_t day);
bool cron_matches(const struct cron *cron, int64_t local);

/* First matching local second at or after `local`; LOCAL_NEVER if there is none until 9999. */
int64_t cron_next_local(const struct cron *cron, int64_t local);

/* Last matching local second at or before `local`; LOCAL_NONE when there is none. */
int64_t cron_prev_local(const struct cron *cron, int64_t local);

/* First day at or after `day` that matches, DAY_MAX + 1 when there is none. */
int64_t cron_next_day(const struct cron *cron, int64_t day);
int64_t cron_prev_day(const struct cron *cron, int64_t day); /* DAY_MIN - 1 when none */

/* First local second at or after `local` that does not match; LOCAL_NEVER when all do. */
int64_t cron_next_unmatched(const struct cron *cron, int64_t local);

/* Last one at or before `local`; LOCAL_NONE when all match. */
int64_t cron_prev_unmatched(const struct cron *cron, int64_t local);

/* True if every day matches completely or not at all. */
bool cron_is_whole_day(const struct cron *cron);
