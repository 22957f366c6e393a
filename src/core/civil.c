/* SPDX-License-Identifier: Apache-2.0 */
#include "core/civil.h"

#include "base/must.h"
#include "core/limits.h"

/* Days from 0000-03-01 to 1970-01-01: with March first, a leap day ends its year. */
#define MARCH_ZERO 719468

int64_t day_of_date(int year, int month, int day)
{
    unsigned y = (unsigned)(month <= 2 ? year - 1 : year);
    unsigned m = (unsigned)(month <= 2 ? month + 12 : month);
    unsigned year_days = 1461 * y / 4 - y / 100 + y / 400;

    /* (979 m - 2919) / 32 counts the days of the months from March (3) to before m. */
    return (int64_t)(year_days + (979 * m - 2919) / 32) + day - 1 - MARCH_ZERO;
}

/*
 * Splits by multiplication: 2939745 / 2^32 is 1 / 1461 and 2141 / 2^16 is 1 / 30.6, both
 * exact over a century and over a year.
 */
struct date date_of_day(int64_t day)
{
    uint32_t n = (uint32_t)(day + MARCH_ZERO) * 4 + 3;
    uint32_t century = n / 146097;
    uint32_t in_century = n % 146097 | 3;
    uint64_t product = (uint64_t)2939745 * in_century;
    uint32_t year = 100 * century + (uint32_t)(product >> 32);
    uint32_t in_year = (uint32_t)product / 2939745 / 4;
    uint32_t months = 2141 * in_year + 197913;
    uint32_t month = months >> 16;
    bool is_next = in_year >= 306;

    return (struct date){.year = (int)(year + is_next),
                         .month = (int)(is_next ? month - 12 : month),
                         .day = (int)((months & 0xffff) / 2141) + 1};
}

bool date_is_valid(int year, int month, int day)
{
    return year >= YEAR_MIN && year <= YEAR_MAX && month >= 1 && month <= MONTHS &&
           day >= 1 && day <= month_days(year, month);
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

    return day * DAY_SECONDS + civil->hour * HOUR_SECONDS + civil->minute * 60 +
           civil->second;
}
