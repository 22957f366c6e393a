/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits and joins local seconds, and checks dates.  The calendar itself is inline in civil.h.
 */
#include "core/time/civil.h"

#include "base/must.h"
#include "core/limits.h"

bool date_is_valid(int year, int month, int day)
{
    return year >= YEAR_MIN && year <= YEAR_MAX && month >= 1 && month <= MONTHS && day >= 1 &&
           day <= month_days(year, month);
}

struct civil civil_of_local(int64_t local)
{
    int64_t day = floor_div(local, DAY_SECONDS);
    int tod = (int)(local - day * DAY_SECONDS);

    must(day >= DAY_MIN && day <= DAY_MAX);
    return (struct civil){.date = date_of_day(day),
                          .hour = tod / HOUR_SECONDS,
                          .minute = tod / 60 % 60,
                          .second = tod % 60};
}

int64_t local_of_civil(const struct civil *civil)
{
    int64_t day = day_of_date(civil->date.year, civil->date.month, civil->date.day);

    return day * DAY_SECONDS + civil->hour * HOUR_SECONDS + civil->minute * 60 + civil->second;
}
