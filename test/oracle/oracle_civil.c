/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calendar of the oracle.  See oracle_civil.h.
 */
#include "oracle_civil.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    MARGIN = 3, /* years before and after 1-9999 in the table */
    FIRST_YEAR = ORACLE_YEAR_MIN - MARGIN,
    LAST_YEAR = ORACLE_YEAR_MAX + MARGIN,
};

/* year_start[y - FIRST_YEAR] is the day number of January 1st of year y. */
static int32_t year_start[LAST_YEAR - FIRST_YEAR + 1];

_Noreturn void oracle_broken(const char *condition, const char *file, int line)
{
    fprintf(stderr, "oracle: %s:%d: does not hold: %s\n", file, line, condition);
    abort();
}

bool oracle_is_leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

int oracle_month_length(int year, int month)
{
    static const int length[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    oracle_need(month >= 1 && month <= 12);
    return length[month - 1] + (month == 2 && oracle_is_leap(year));
}

static int32_t year_length(int year)
{
    return oracle_is_leap(year) ? 366 : 365;
}

static int32_t start_of(int year)
{
    static bool filled;

    if (!filled) {
        year_start[1970 - FIRST_YEAR] = 0;
        for (int y = 1971; y <= LAST_YEAR; y++)
            year_start[y - FIRST_YEAR] = year_start[y - 1 - FIRST_YEAR] + year_length(y - 1);
        for (int y = 1969; y >= FIRST_YEAR; y--)
            year_start[y - FIRST_YEAR] = year_start[y + 1 - FIRST_YEAR] - year_length(y);
        filled = true;
    }
    oracle_need(year >= FIRST_YEAR && year <= LAST_YEAR);
    return year_start[year - FIRST_YEAR];
}

int64_t oracle_day_number(int year, int month, int day)
{
    int64_t number = start_of(year);

    for (int m = 1; m < month; m++)
        number += oracle_month_length(year, m);
    return number + day - 1;
}

struct oracle_date oracle_date_of(int64_t day)
{
    oracle_need(day >= start_of(FIRST_YEAR) && day < start_of(LAST_YEAR));

    /* Years of average length, minus one: never too late; the loop corrects it. */
    int year = FIRST_YEAR + (int)((day - start_of(FIRST_YEAR)) * 400 / 146097);
    if (year > FIRST_YEAR)
        year--;
    while (start_of(year + 1) <= day)
        year++;

    struct oracle_date date = {year, 1, (int)(day - start_of(year)) + 1};
    while (date.day > oracle_month_length(year, date.month)) {
        date.day -= oracle_month_length(year, date.month);
        date.month++;
    }
    return date;
}

int oracle_weekday(int64_t day)
{
    int64_t since_sunday = (day + 4) % 7; /* 1970-01-01 was a Thursday */

    return (int)(since_sunday < 0 ? since_sunday + 7 : since_sunday);
}

int64_t oracle_floor_div(int64_t a, int64_t b)
{
    int64_t quotient = a / b;

    return a % b < 0 ? quotient - 1 : quotient;
}
