/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes the matching days of a month as bits, and walks from month to month.
 */
#include "core/rrule/rrule_days.h"

#include "base/bits.h"
#include "base/must.h"
#include "core/limits.h"
#include "core/time/civil.h"

#define ALL_MONTHS   0x1ffe
#define ALL_WEEKDAYS 0x7f

static bool year_day_is_given(const struct rrule *rule)
{
    uint64_t any = 0;

    for (int i = 0; i < 6; i++)
        any |= rule->by_year_day[i] | rule->by_year_day_end[i];
    return any != 0;
}

/* What the rule does not say comes from DTSTART (RFC 5545, 3.3.10, "Information, not …"). */
static void take_from_start(struct rrule_days *days)
{
    const struct rrule *rule = days->rule;
    int64_t start = floor_div(rule->start, DAY_SECONDS);
    struct date date = date_of_day(start);

    if (rule->freq == RRULE_WEEKLY || days->has_week) {
        days->has_weekday = true;
        days->weekdays = (uint8_t)(1 << day_weekday(start));
        return;
    }
    days->month_day = UINT32_C(1) << date.day;
    if (rule->freq == RRULE_YEARLY && rule->by_month == 0)
        days->months = (uint16_t)(1 << date.month);
}

struct rrule_days rrule_days(const struct rrule *rule)
{
    struct rrule_days days = {
        .rule = rule,
        .month_day = rule->by_month_day,
        .month_day_end = rule->by_month_day_end,
        .months = rule->by_month ? rule->by_month : ALL_MONTHS,
        .has_weekday = rule->days > 0,
        .has_year_day = year_day_is_given(rule),
        .has_week = (rule->by_week | rule->by_week_end) != 0,
        .is_nth_in_year = rule->freq == RRULE_YEARLY && rule->by_month == 0,
    };

    for (int i = 0; i < rule->days; i++) {
        if (rule->day[i].nth == 0)
            days.weekdays |= (uint8_t)(1 << rule->day[i].weekday);
        else
            days.has_nth = true;
    }
    if (rule->freq <= RRULE_WEEKLY && !days.has_weekday && !days.has_year_day &&
        !(days.month_day | days.month_day_end))
        take_from_start(&days);
    days.is_any = days.months == ALL_MONTHS && !days.has_weekday && !days.has_year_day &&
                  !days.has_week && !(days.month_day | days.month_day_end);
    return days;
}

/* Maps bit k of 1..31 to bit n + 1 - k. */
static uint32_t from_end(uint32_t bits, int n)
{
    uint32_t mirrored = 0;

    for (; bits; bits &= bits - 1)
        if (bits_lowest(bits) <= n)
            mirrored |= UINT32_C(1) << (n + 1 - bits_lowest(bits));
    return mirrored;
}

/* The n-th weekday in `length` days that begin with weekday `w`, 1-based; 0: none. */
static int nth_weekday(struct rrule_day day, int w, int length)
{
    int first = (day.weekday - w + 7) % 7 + 1;
    int at = day.nth > 0 ? first + 7 * (day.nth - 1)
                         : first + (length - first) / 7 * 7 + 7 * (day.nth + 1);

    return at >= 1 && at <= length ? at : 0;
}

struct month {
    int64_t first;   /* day number of the 1st   */
    int64_t january; /* day number of 1 January */
    int year, length;
};

static uint32_t nth_bits(const struct rrule_days *days, const struct month *m)
{
    const struct rrule *rule = days->rule;
    int64_t from = days->is_nth_in_year ? m->january : m->first;
    int length = days->is_nth_in_year ? 365 + year_is_leap(m->year) : m->length;
    uint32_t bits = 0;

    for (int i = 0; i < rule->days; i++) {
        int n = rule->day[i].nth ? nth_weekday(rule->day[i], day_weekday(from), length) : 0;
        int64_t day = from + n - m->first;

        if (n > 0 && day >= 1 && day <= m->length)
            bits |= UINT32_C(1) << day;
    }
    return bits;
}

static uint32_t weekday_bits(const struct rrule_days *days, const struct month *m)
{
    int w = day_weekday(m->first);
    uint32_t rotated = (uint32_t)(days->weekdays >> w | days->weekdays << (7 - w)) &
                       ALL_WEEKDAYS;
    /* One week's bits repeated five times, from day 1 on. */
    uint32_t bits = (uint32_t)(rotated * UINT64_C(0x20408102));

    return days->has_nth ? bits | nth_bits(days, m) : bits;
}

static bool bit_of(const uint64_t *bits, int n)
{
    return bits[n / 64] >> n % 64 & 1;
}

static uint32_t year_day_bits(const struct rrule *rule, const struct month *m)
{
    int before = (int)(m->first - m->january);
    int length = 365 + year_is_leap(m->year);
    uint32_t bits = 0;

    for (int day = 1; day <= m->length; day++) {
        int n = before + day;

        if (bit_of(rule->by_year_day, n) || bit_of(rule->by_year_day_end, length + 1 - n))
            bits |= UINT32_C(1) << day;
    }
    return bits;
}

int64_t rrule_week_of(const struct rrule *rule, int64_t day)
{
    return day - (day_weekday(day) - rule->week_start + 7) % 7;
}

int64_t rrule_first_week(const struct rrule *rule, int year)
{
    return rrule_week_of(rule, day_of_date(year, 1, 4));
}

static uint32_t week_bits(const struct rrule *rule, const struct month *m)
{
    int64_t week = rrule_week_of(rule, m->first), first, next;
    int year = date_of_day(week + 3).year;
    uint64_t bits = 0;

    if (year < YEAR_MIN) {
        week += 7;
        year = YEAR_MIN;
    }
    first = rrule_first_week(rule, year);
    next = rrule_first_week(rule, year + 1);
    for (; week < m->first + m->length; week += 7) {
        int n, count;

        if (week == next) {
            first = next;
            next = rrule_first_week(rule, ++year + 1);
        }
        n = (int)(week - first) / 7 + 1;
        count = (int)(next - first) / 7;
        /* Seven extra bits below day 1 are for the part of a week in the month before. */
        if ((rule->by_week >> n & 1) || (rule->by_week_end >> (count + 1 - n) & 1))
            bits |= (uint64_t)ALL_WEEKDAYS << (week - m->first + 8);
    }
    return (uint32_t)(bits >> 7);
}

static uint32_t month_bits(const struct rrule_days *days, const struct month *m)
{
    uint32_t bits = (uint32_t)((UINT64_C(2) << m->length) - 2);

    if (days->month_day | days->month_day_end)
        bits &= days->month_day | from_end(days->month_day_end, m->length);
    if (days->has_weekday)
        bits &= weekday_bits(days, m);
    if (days->has_year_day)
        bits &= year_day_bits(days->rule, m);
    if (days->has_week)
        bits &= week_bits(days->rule, m);
    return bits;
}

/* Days of a month that match, bit n: day n. */
static uint32_t rrule_days_of_month(const struct rrule_days *days, int year, int month)
{
    struct month m = {.year = year, .length = month_days(year, month)};

    if (!(days->months >> month & 1))
        return 0;
    m.first = day_of_date(year, month, 1);
    m.january = day_of_date(year, 1, 1);
    return month_bits(days, &m);
}

/* The part of [first, last] in one month, and its matching days. */
struct month_part {
    int64_t zero; /* day number of the day before the 1st: bit n is day zero + n */
    int year, month;
    uint32_t bits;
};

static void part_fill(struct month_part *p, const struct rrule_days *days, int64_t first,
                      int64_t last)
{
    p->zero = day_of_date(p->year, p->month, 1) - 1;
    p->bits = rrule_days_of_month(days, p->year, p->month);
    if (first > p->zero)
        p->bits &= (uint32_t)(~UINT64_C(0) << (first - p->zero));
    if (last - p->zero < 31)
        p->bits &= (uint32_t)((UINT64_C(2) << (last - p->zero)) - 1);
}

static struct month_part part_of(const struct rrule_days *days, int64_t day, int64_t first,
                                 int64_t last)
{
    struct date date = date_of_day(day);
    struct month_part p = {.year = date.year, .month = date.month};

    must(first >= DAY_MIN && last <= DAY_MAX && first <= day && day <= last);
    part_fill(&p, days, first, last);
    return p;
}

/* Moves to the next month; false if it begins after `last`. */
static bool part_up(struct month_part *p, const struct rrule_days *days, int64_t last)
{
    int64_t next = p->zero + month_days(p->year, p->month) + 1;

    if (next > last)
        return false;
    p->year += p->month == MONTHS;
    p->month = p->month == MONTHS ? 1 : p->month + 1;
    part_fill(p, days, next, last);
    return true;
}

/* Moves to the previous month; false if it ends before `first`. */
static bool part_down(struct month_part *p, const struct rrule_days *days, int64_t first)
{
    int64_t before = p->zero;

    if (before < first)
        return false;
    p->year -= p->month == 1;
    p->month = p->month == 1 ? MONTHS : p->month - 1;
    part_fill(p, days, first, before);
    return true;
}

bool rrule_days_next(const struct rrule_days *days, int64_t first, int64_t last,
                     int64_t *ret_day)
{
    struct month_part p;

    if (days->is_any) {
        *ret_day = first;
        return true;
    }
    p = part_of(days, first, first, last);
    while (p.bits == 0)
        if (!part_up(&p, days, last))
            return false;
    *ret_day = p.zero + bits_lowest(p.bits);
    return true;
}

bool rrule_days_prev(const struct rrule_days *days, int64_t first, int64_t last,
                     int64_t *ret_day)
{
    struct month_part p;

    if (days->is_any) {
        *ret_day = last;
        return true;
    }
    p = part_of(days, last, first, last);
    while (p.bits == 0)
        if (!part_down(&p, days, first))
            return false;
    *ret_day = p.zero + bits_highest(p.bits);
    return true;
}

int rrule_days_count(const struct rrule_days *days, int64_t first, int64_t last)
{
    struct month_part p = part_of(days, first, first, last);
    int count = 0;

    do
        count += __builtin_popcount(p.bits);
    while (part_up(&p, days, last));
    return count;
}

int64_t rrule_days_at(const struct rrule_days *days, int64_t first, int64_t last, int n)
{
    struct month_part p = part_of(days, first, first, last);

    while (n >= __builtin_popcount(p.bits)) {
        bool has_more;

        n -= __builtin_popcount(p.bits);
        has_more = part_up(&p, days, last);
        must(has_more);
    }
    for (; n > 0; n--)
        p.bits &= p.bits - 1;
    return p.zero + bits_lowest(p.bits);
}
