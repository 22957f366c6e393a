/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search for matching days and seconds, with bit operations on the masks of a struct cron.
 */
#include "core/cron/cron.h"

#include "base/bits.h"
#include "base/must.h"

#define ALL_SIXTY    ((UINT64_C(1) << 60) - 1)
#define ALL_HOURS    ((UINT32_C(1) << 24) - 1)
#define ALL_DAYS     UINT32_C(0xfffffffe)
#define ALL_MONTHS   0x1ffe
#define ALL_WEEKDAYS 0x7f

/* The first and last local second of the calendar. */
#define LOCAL_FIRST (DAY_MIN * DAY_SECONDS)
#define LOCAL_LAST  (DAY_MAX * DAY_SECONDS + DAY_SECONDS - 1)

/* 2,000 years, a multiple of 400: makes day numbers positive and keeps weekdays. */
#define DAY_BIAS (5 * CYCLE_DAYS)

static inline int64_t split_day(int64_t local, int32_t *ret_tod)
{
    uint64_t biased = (uint64_t)(local + DAY_BIAS * DAY_SECONDS);
    uint64_t day = biased / DAY_SECONDS;

    *ret_tod = (int32_t)(biased - day * DAY_SECONDS);
    return (int64_t)day - DAY_BIAS;
}

static inline int weekday_of(int64_t day)
{
    return (int)((uint32_t)(day + DAY_BIAS + 4) % 7);
}

/* Weekday bits rotated so that bit 0 is weekday `w`. */
static inline uint32_t rotate_week(uint32_t weekdays, int w)
{
    return (weekdays >> w | weekdays << (7 - w)) & ALL_WEEKDAYS;
}

struct cron cron_every_second(void)
{
    struct cron cron = {.second = ALL_SIXTY,
                        .minute = ALL_SIXTY,
                        .hour = ALL_HOURS,
                        .day = ALL_DAYS,
                        .month = ALL_MONTHS,
                        .weekday = ALL_WEEKDAYS,
                        .flags = CRON_DAY_AND | CRON_INTERVAL | CRON_ANY_YEAR};

    cron_seal(&cron);
    return cron;
}

static bool has_special(const struct cron *cron)
{
    uint32_t any = cron->last | cron->last_near | cron->near;

    for (int i = 0; i < 6; i++)
        any |= cron->nth[i];
    return any != 0;
}

void cron_seal(struct cron *cron)
{
    bool whole_years = cron->month == ALL_MONTHS && (cron->flags & CRON_ANY_YEAR);
    bool both = cron->flags & CRON_DAY_AND;
    bool days = cron->day == ALL_DAYS;
    bool weekdays = cron->weekday == ALL_WEEKDAYS;

    must(cron->second != 0 && cron->minute != 0 && cron->hour != 0);
    cron->flags &= CRON_DAY_AND | CRON_INTERVAL | CRON_ANY_YEAR | CRON_FRACTION;
    if (has_special(cron))
        cron->flags |= CRON_DAY_SPECIAL;
    else if (both && weekdays)
        cron->flags |= CRON_DAYS_ONLY;
    if (whole_years && (both ? days && weekdays : days || weekdays))
        cron->flags |= CRON_EVERY_DAY;
    else if (whole_years && both && days && !(cron->flags & CRON_DAY_SPECIAL))
        cron->flags |= CRON_WEEKDAYS_ONLY;
    cron->first_tod = bits_lowest(cron->hour) * HOUR_SECONDS + bits_lowest(cron->minute) * 60 +
                      bits_lowest(cron->second);
    cron->last_tod = bits_highest(cron->hour) * HOUR_SECONDS + bits_highest(cron->minute) * 60 +
                     bits_highest(cron->second);
}

/* The weekday (Mon-Fri) nearest to `day` in a month of `n` days whose 1st is weekday `w`. */
static uint32_t nearest_weekday(int day, int n, int w)
{
    int weekday = (w + day - 1) % 7;

    if (weekday == 6)
        day += day > 1 ? -1 : 2;
    else if (weekday == 0)
        day += day < n ? 1 : -2;
    return UINT32_C(1) << day;
}

static uint32_t special_month_days(const struct cron *cron, int n, int w)
{
    uint32_t days = 0;

    for (uint32_t b = cron->last; b; b &= b - 1)
        if (n - bits_lowest(b) >= 1)
            days |= UINT32_C(1) << (n - bits_lowest(b));
    for (uint32_t b = cron->last_near; b; b &= b - 1)
        if (n - bits_lowest(b) >= 1)
            days |= nearest_weekday(n - bits_lowest(b), n, w);
    for (uint32_t b = cron->near; b; b &= b - 1)
        if (bits_lowest(b) <= n)
            days |= nearest_weekday(bits_lowest(b), n, w);
    return days;
}

static uint32_t special_week_days(const struct cron *cron, int n, int w)
{
    uint64_t days = (uint64_t)rotate_week(cron->nth[0], (w + n) % 7) << (n - 6);

    for (int i = 1; i <= 5; i++)
        days |= (uint64_t)rotate_week(cron->nth[i], w) << (7 * (i - 1) + 1);
    return (uint32_t)days;
}

/* Bits 1..n. */
static inline uint32_t valid_days(int n)
{
    return (uint32_t)((UINT64_C(2) << n) - 2);
}

/* Days of a month of `n` days whose 1st is day `first`. */
static inline uint32_t days_of_month(const struct cron *cron, int n, int64_t first)
{
    uint32_t days = cron->day, weekdays;
    int w;

    if (cron->flags & CRON_DAYS_ONLY)
        return days & valid_days(n);
    w = weekday_of(first);
    /* One week's bits repeated five times, from day 1 on. */
    weekdays = (uint32_t)(rotate_week(cron->weekday, w) * UINT64_C(0x20408102));
    if (cron->flags & CRON_DAY_SPECIAL) {
        days |= special_month_days(cron, n, w);
        weekdays |= special_week_days(cron, n, w);
    }
    return (cron->flags & CRON_DAY_AND ? days & weekdays : days | weekdays) & valid_days(n);
}

uint32_t cron_days(const struct cron *cron, int year, int month)
{
    return days_of_month(cron, month_days(year, month), day_of_date(year, month, 1));
}

static bool year_matches(const struct cron *cron, int year)
{
    unsigned bit = (unsigned)(year - CRON_YEAR_MIN);

    if (cron->flags & CRON_ANY_YEAR)
        return true;
    return year >= CRON_YEAR_MIN && year <= CRON_YEAR_MAX &&
           (cron->year[bit / 64] >> bit % 64 & 1);
}

bool cron_matches_day(const struct cron *cron, int64_t day)
{
    struct date date;

    if (day < DAY_MIN || day > DAY_MAX)
        return false;
    if (cron->flags & CRON_EVERY_DAY)
        return true;
    if (cron->flags & CRON_WEEKDAYS_ONLY)
        return cron->weekday >> weekday_of(day) & 1;
    date = date_of_day(day);
    if (!(cron->month >> date.month & 1) || !year_matches(cron, date.year))
        return false;
    return cron_days(cron, date.year, date.month) >> date.day & 1;
}

bool cron_matches(const struct cron *cron, int64_t local)
{
    int32_t tod;
    int64_t day = split_day(local, &tod);

    return (cron->hour >> tod / HOUR_SECONDS & 1) && (cron->minute >> tod / 60 % 60 & 1) &&
           (cron->second >> tod % 60 & 1) && cron_matches_day(cron, day);
}

/* First second of the day at or after `tod`, -1 when the day has no more. */
static inline int32_t next_tod(const struct cron *cron, int32_t tod)
{
    int32_t hour = tod / HOUR_SECONDS, minute = tod / 60 - hour * 60, second = tod % 60;
    uint64_t rest;

    if (cron->hour >> hour & 1) {
        rest = cron->second >> second;
        if ((cron->minute >> minute & 1) && rest)
            return tod + bits_lowest(rest);
        rest = cron->minute >> minute >> 1;
        if (rest)
            return tod - second + (bits_lowest(rest) + 1) * 60 + bits_lowest(cron->second);
    }
    rest = cron->hour >> hour >> 1;
    if (rest)
        return (hour + 1 + bits_lowest(rest)) * HOUR_SECONDS + cron->first_tod % HOUR_SECONDS;
    return -1;
}

/* Last second of the day at or before `tod`, -1 when there is none. */
static int32_t prev_tod(const struct cron *cron, int32_t tod)
{
    int32_t hour = tod / HOUR_SECONDS, minute = tod / 60 % 60, second = tod % 60;
    uint64_t rest;

    if (cron->hour >> hour & 1) {
        rest = cron->second & bits_upto(second);
        if ((cron->minute >> minute & 1) && rest)
            return tod - second + bits_highest(rest);
        rest = cron->minute & bits_upto(minute) >> 1;
        if (rest)
            return hour * HOUR_SECONDS + bits_highest(rest) * 60 + bits_highest(cron->second);
    }
    rest = cron->hour & bits_upto(hour) >> 1;
    if (rest)
        return bits_highest(rest) * HOUR_SECONDS + cron->last_tod % HOUR_SECONDS;
    return -1;
}

/* The next year after `year` that may match; YEAR_MAX + 1 when there is none. */
static int next_year(const struct cron *cron, int year)
{
    if (cron->flags & CRON_ANY_YEAR)
        return year + 1;
    for (year = year < CRON_YEAR_MIN ? CRON_YEAR_MIN : year + 1; year <= CRON_YEAR_MAX; year++)
        if (year_matches(cron, year))
            return year;
    return YEAR_MAX + 1;
}

static int prev_year(const struct cron *cron, int year)
{
    if (cron->flags & CRON_ANY_YEAR)
        return year - 1;
    for (year = year > CRON_YEAR_MAX ? CRON_YEAR_MAX : year - 1; year >= CRON_YEAR_MIN; year--)
        if (year_matches(cron, year))
            return year;
    return YEAR_MIN - 1;
}

/* The first day that matches in `months` of a year, DAY_MAX + 1 when there is none. */
static inline int64_t scan_months_up(const struct cron *cron, int year, uint32_t months)
{
    for (; months; months &= months - 1) {
        int month = bits_lowest(months), n = month_days(year, month);
        uint32_t days;

        /* Without weekdays and special days, the first weekday of the month is not needed. */
        if (cron->flags & CRON_DAYS_ONLY)
            days = cron->day & valid_days(n);
        else
            days = days_of_month(cron, n, day_of_date(year, month, 1));
        if (days)
            return day_of_date(year, month, bits_lowest(days));
    }
    return DAY_MAX + 1;
}

/* Without a list of years, ALL_KINDS_YEARS without a match prove that there is none. */
static int64_t scan_days_up(const struct cron *cron, int64_t day)
{
    struct date date = date_of_day(day);
    int last_year = date.year + ALL_KINDS_YEARS;
    int64_t first = day - date.day + 1, found = DAY_MAX + 1;

    if (year_matches(cron, date.year)) {
        if (cron->month >> date.month & 1) {
            uint32_t days = days_of_month(cron, month_days(date.year, date.month), first) &
                            (uint32_t)~bits_upto(date.day - 1);

            if (days)
                return first + bits_lowest(days) - 1;
        }
        found = scan_months_up(cron, date.year, cron->month & (uint32_t)~bits_upto(date.month));
    }
    if (last_year > YEAR_MAX || !(cron->flags & CRON_ANY_YEAR))
        last_year = YEAR_MAX;
    for (int year = next_year(cron, date.year); found > DAY_MAX && year <= last_year;
         year = next_year(cron, year))
        found = scan_months_up(cron, year, cron->month);
    return found;
}

static int64_t scan_days_down(const struct cron *cron, int64_t day)
{
    struct date date = date_of_day(day);
    int first_year = date.year - ALL_KINDS_YEARS;
    int year = date.year;
    uint32_t months = cron->month & (uint32_t)bits_upto(date.month);

    if (!year_matches(cron, year))
        months = 0;
    if (first_year < YEAR_MIN || !(cron->flags & CRON_ANY_YEAR))
        first_year = YEAR_MIN;
    for (;;) {
        for (; months; months &= (uint32_t)bits_upto(bits_highest(months)) >> 1) {
            int month = bits_highest(months);
            uint32_t days = cron_days(cron, year, month);

            if (month == date.month && year == date.year)
                days &= (uint32_t)bits_upto(date.day);
            if (days)
                return day_of_date(year, month, bits_highest(days));
        }
        year = prev_year(cron, year);
        if (year < first_year)
            return DAY_MIN - 1;
        months = cron->month;
    }
}

int64_t cron_next_day(const struct cron *cron, int64_t day)
{
    if (day < DAY_MIN)
        day = DAY_MIN;
    if (day > DAY_MAX)
        return DAY_MAX + 1;
    if (cron->flags & CRON_EVERY_DAY)
        return day;
    if (cron->flags & CRON_WEEKDAYS_ONLY) {
        if (cron->weekday == 0)
            return DAY_MAX + 1;
        day += bits_lowest(rotate_week(cron->weekday, weekday_of(day)));
        return day > DAY_MAX ? DAY_MAX + 1 : day;
    }
    return scan_days_up(cron, day);
}

int64_t cron_prev_day(const struct cron *cron, int64_t day)
{
    if (day > DAY_MAX)
        day = DAY_MAX;
    if (day < DAY_MIN)
        return DAY_MIN - 1;
    if (cron->flags & CRON_EVERY_DAY)
        return day;
    if (cron->flags & CRON_WEEKDAYS_ONLY) {
        if (cron->weekday == 0)
            return DAY_MIN - 1;
        day -= 6 - bits_highest(rotate_week(cron->weekday, (weekday_of(day) + 1) % 7));
        return day < DAY_MIN ? DAY_MIN - 1 : day;
    }
    return scan_days_down(cron, day);
}

int64_t cron_next_local(const struct cron *cron, int64_t local)
{
    int64_t day, match;
    int32_t tod;

    if (local < LOCAL_FIRST)
        local = LOCAL_FIRST;
    if (local > LOCAL_LAST)
        return LOCAL_NEVER;
    day = split_day(local, &tod);
    match = cron_next_day(cron, day);
    if (match == day) {
        tod = next_tod(cron, tod);
        if (tod >= 0)
            return day * DAY_SECONDS + tod;
        match = cron_next_day(cron, day + 1);
    }
    if (match > DAY_MAX)
        return LOCAL_NEVER;
    return match * DAY_SECONDS + cron->first_tod;
}

int64_t cron_prev_local(const struct cron *cron, int64_t local)
{
    int64_t day, match;
    int32_t tod;

    if (local > LOCAL_LAST)
        local = LOCAL_LAST;
    if (local < LOCAL_FIRST)
        return LOCAL_NONE;
    day = split_day(local, &tod);
    match = cron_prev_day(cron, day);
    if (match == day) {
        tod = prev_tod(cron, tod);
        if (tod >= 0)
            return day * DAY_SECONDS + tod;
        match = cron_prev_day(cron, day - 1);
    }
    if (match < DAY_MIN)
        return LOCAL_NONE;
    return match * DAY_SECONDS + cron->last_tod;
}
