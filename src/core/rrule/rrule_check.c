/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks whether a stored struct rrule is one that the parser could have made.  Pure.
 */
#include "core/cron/cron.h"
#include "core/limits.h"
#include "core/rrule/rrule.h"
#include "core/time/civil.h"

#define BITS(n) ((UINT64_C(1) << (n)) - 1)

static bool has_only(uint64_t bits, uint64_t allowed)
{
    return (bits & ~allowed) == 0;
}

static bool year_days_are_valid(const uint64_t days[static 6])
{
    return !(days[0] & 1) && has_only(days[5], BITS(366 - 5 * 64 + 1));
}

static bool masks_are_valid(const struct rrule *rule)
{
    return has_only(rule->by_second, BITS(61)) && has_only(rule->by_minute, BITS(60)) &&
           has_only(rule->by_hour, BITS(24)) && has_only(rule->by_month_day, BITS(32) - 1) &&
           has_only(rule->by_month_day_end, BITS(32) - 1) &&
           has_only(rule->by_week, BITS(54) - 1) && has_only(rule->by_week_end, BITS(54) - 1) &&
           has_only(rule->by_month, BITS(13) - 1) && year_days_are_valid(rule->by_year_day) &&
           year_days_are_valid(rule->by_year_day_end);
}

static bool lists_are_valid(const struct rrule *rule)
{
    if (rule->days > RRULE_DAYS_MAX || rule->positions > RRULE_SETPOS_MAX)
        return false;
    for (int i = 0; i < rule->days; i++)
        if (rule->day[i].weekday > 6 || rule->day[i].nth < -53 || rule->day[i].nth > 53)
            return false;
    for (int i = 0; i < rule->positions; i++)
        if (rule->position[i] == 0 || rule->position[i] < -366 || rule->position[i] > 366)
            return false;
    return true;
}

bool rrule_is_valid(const struct rrule *rule)
{
    int64_t first = DAY_MIN * DAY_SECONDS;
    int64_t last = DAY_MAX * DAY_SECONDS + DAY_SECONDS - 1;

    return rule->freq <= RRULE_SECONDLY && rule->week_start <= 6 && rule->interval >= 1 &&
           rule->interval <= RRULE_INTERVAL_MAX && rule->count <= RRULE_COUNT_MAX &&
           rule->start >= first && rule->start <= last &&
           (rule->until_local == LOCAL_NEVER ||
            (rule->until_local >= first && rule->until_local <= last)) &&
           (rule->until == INSTANT_NEVER ||
            (rule->until >= INSTANT_MIN && rule->until <= INSTANT_MAX)) &&
           masks_are_valid(rule) && lists_are_valid(rule);
}
