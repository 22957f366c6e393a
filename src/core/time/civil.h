/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The proleptic Gregorian calendar: day numbers and dates.
 *
 * Pure arithmetic.  A day number counts days from 1970-01-01 (0), which was a Thursday.
 * A local second is the number of seconds from 1970-01-01T00:00:00 on the wall clock of
 * some zone; it is not an instant.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    DAY_SECONDS = 86400,
    HOUR_SECONDS = 3600,
    MONTHS = 12,
};

/* Day numbers of 0001-01-01 and 9999-12-31. */
#define DAY_MIN INT64_C(-719162)
#define DAY_MAX INT64_C(2932896)

/* The calendar repeats exactly after 400 years, which are whole weeks. */
#define CYCLE_DAYS  INT64_C(146097)
#define CYCLE_YEARS 400

/*
 * A cron expression depends on a year only through two properties: whether it is a leap year,
 * and on which weekday it begins.  Any 40 consecutive years contain all 14 kinds of year, even
 * around a century year that is not a leap year.
 */
#define ALL_KINDS_YEARS 40

struct date {
    int year;  /* 1..9999 */
    int month; /* 1..12   */
    int day;   /* 1..31   */
};

struct civil {
    struct date date;
    int hour, minute, second;
};

static inline int64_t floor_div(int64_t a, int64_t b)
{
    int64_t q = a / b;

    return a % b != 0 && (a % b < 0) != (b < 0) ? q - 1 : q;
}

static inline bool year_is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static inline int month_days(int year, int month)
{
    /* 31 and 30 alternate, but July and August both have 31; February is special. */
    return month == 2 ? 28 + year_is_leap(year) : 30 + ((month ^ (month >> 3)) & 1);
}

/* 0 = Sunday .. 6 = Saturday. */
static inline int day_weekday(int64_t day)
{
    int64_t w = (day + 4) % 7;

    return (int)(w < 0 ? w + 7 : w);
}

/* Days from 0000-03-01 to 1970-01-01: with March first, a leap day ends its year. */
#define MARCH_ZERO 719468

/* The date must be valid; month and day are not normalised. */
static inline int64_t day_of_date(int year, int month, int day)
{
    unsigned y = (unsigned)(month <= 2 ? year - 1 : year);
    unsigned m = (unsigned)(month <= 2 ? month + 12 : month);
    unsigned year_days = 1461 * y / 4 - y / 100 + y / 400;

    /* (979 m - 2919) / 32 counts the days of the months from March (3) to before m. */
    return (int64_t)(year_days + (979 * m - 2919) / 32) + day - 1 - MARCH_ZERO;
}

/*
 * Splits by multiplication: 2939745 / 2^32 is 1 / 1461, exact for all days of a century, and
 * 2141 / 2^16 is 1 / 30.6, exact for all days of a year.
 */
static inline struct date date_of_day(int64_t day)
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

/* True for a date that exists, in the years YEAR_MIN to YEAR_MAX. */
bool date_is_valid(int year, int month, int day);

struct civil civil_of_local(int64_t local);
int64_t local_of_civil(const struct civil *civil);
