/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search for seconds that a pattern does not match.  Pure.
 *
 * Only exclusions need it: what they do not match is not excluded.
 */
#include "core/cron/cron.h"

#include "base/bits.h"

#define ALL_SIXTY ((UINT64_C(1) << 60) - 1)
#define ALL_HOURS ((UINT32_C(1) << 24) - 1)

bool cron_is_whole_day(const struct cron *cron)
{
    return cron->second == ALL_SIXTY && cron->minute == ALL_SIXTY && cron->hour == ALL_HOURS &&
           !(cron->flags & CRON_FRACTION);
}

/* A pattern that matches this many consecutive days matches all, unless years are listed. */
static int64_t enough_days(const struct cron *cron)
{
    return cron->flags & CRON_ANY_YEAR ? (ALL_KINDS_YEARS + 1) * 366 : DAY_MAX - DAY_MIN;
}

/* First day from `day` on that does not match. */
static int64_t next_unmatched_day(const struct cron *cron, int64_t day)
{
    int64_t last = day + enough_days(cron);

    if (cron->flags & CRON_EVERY_DAY)
        return DAY_MAX + 1;
    while (day <= DAY_MAX && cron_matches_day(cron, day))
        day = day < last ? day + 1 : DAY_MAX + 1;
    return day;
}

static int64_t prev_unmatched_day(const struct cron *cron, int64_t day)
{
    int64_t first = day - enough_days(cron);

    if (cron->flags & CRON_EVERY_DAY)
        return DAY_MIN - 1;
    while (day >= DAY_MIN && cron_matches_day(cron, day))
        day = day > first ? day - 1 : DAY_MIN - 1;
    return day;
}

/*
 * One step towards the end of the series of matches that contains `local`: the start of the
 * next second, minute, hour or day that may not match, in the coarsest possible unit.
 */
static int64_t step_up(const struct cron *cron, int64_t local)
{
    int64_t day = floor_div(local, DAY_SECONDS);
    int tod = (int)(local - day * DAY_SECONDS);
    uint64_t seconds = ~cron->second & ALL_SIXTY, minutes = ~cron->minute & ALL_SIXTY;
    uint32_t hours = ~cron->hour & ALL_HOURS;

    if (seconds >> tod % 60)
        return local + __builtin_ctzll(seconds >> tod % 60);
    if (seconds)
        return local - tod % 60 + 60;
    if (minutes >> tod / 60 % 60)
        return local - tod % 60 + 60 * __builtin_ctzll(minutes >> tod / 60 % 60);
    if (minutes)
        return local - tod % HOUR_SECONDS + HOUR_SECONDS;
    if (hours >> tod / HOUR_SECONDS)
        return local - tod % HOUR_SECONDS +
               (int64_t)HOUR_SECONDS * __builtin_ctz(hours >> tod / HOUR_SECONDS);
    if (hours)
        return (day + 1) * DAY_SECONDS;
    day = next_unmatched_day(cron, day + 1);
    return day > DAY_MAX ? LOCAL_NEVER : day * DAY_SECONDS;
}

int64_t cron_next_unmatched(const struct cron *cron, int64_t local)
{
    while (local != LOCAL_NEVER && cron_matches(cron, local))
        local = step_up(cron, local);
    return local;
}

static int64_t step_down(const struct cron *cron, int64_t local)
{
    int64_t day = floor_div(local, DAY_SECONDS);
    int tod = (int)(local - day * DAY_SECONDS);
    uint64_t seconds = ~cron->second & ALL_SIXTY, minutes = ~cron->minute & ALL_SIXTY;

    if (seconds & bits_upto(tod % 60))
        return local - tod % 60 + bits_highest(seconds & bits_upto(tod % 60));
    if (seconds)
        return local - tod % 60 - 1;
    if (minutes & bits_upto(tod / 60 % 60))
        return local - tod % HOUR_SECONDS +
               60 * bits_highest(minutes & bits_upto(tod / 60 % 60)) + 59;
    if (minutes || cron->hour != ALL_HOURS)
        return local - tod % HOUR_SECONDS - 1;
    day = prev_unmatched_day(cron, day - 1);
    return day < DAY_MIN ? LOCAL_NONE : day * DAY_SECONDS + DAY_SECONDS - 1;
}

int64_t cron_prev_unmatched(const struct cron *cron, int64_t local)
{
    while (local != LOCAL_NONE && cron_matches(cron, local))
        local = step_down(cron, local);
    return local;
}
