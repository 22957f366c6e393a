/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calendar of the oracle: proleptic Gregorian, by counting days.
 *
 * The oracle checks src/core, so it may not include or resemble it: dates come from a plain
 * table of the first day of each year, computed by adding 365 or 366.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    ORACLE_YEAR_MIN = 1,
    ORACLE_YEAR_MAX = 9999,
    ORACLE_DAY_SECONDS = 86400,
};

struct oracle_date {
    int year;
    int month; /* 1-12 */
    int day;   /* 1-31 */
};

/* Ends the program if a condition that the oracle relies on does not hold. */
#define oracle_need(condition) \
    ((condition) ? (void)0 : oracle_broken(#condition, __FILE__, __LINE__))
_Noreturn void oracle_broken(const char *condition, const char *file, int line);

bool oracle_is_leap(int year);
int oracle_month_length(int year, int month);

/* Days since 1970-01-01.  The year may be up to two outside 1-9999, for neighbours. */
int64_t oracle_day_number(int year, int month, int day);
struct oracle_date oracle_date_of(int64_t day);

/* 0 = Sunday ... 6 = Saturday. */
int oracle_weekday(int64_t day);

/* Division that rounds towards minus infinity, for seconds before 1970. */
int64_t oracle_floor_div(int64_t a, int64_t b);
