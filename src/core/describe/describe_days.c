/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Describes the days of a cron: weekdays, days of the month, months and years.
 */
#include "base/bits.h"
#include "core/describe/describe_parts.h"
#include "core/describe/describe_words.h"

#define ALL_DAYS     UINT32_C(0xfffffffe)
#define ALL_MONTHS   0x1ffe
#define ALL_WEEKDAYS 0x7f
#define MON_TO_FRI   0x3e

enum {
    WEEK = 7,
    NTH_LAST = 0, /* index of the last week of a month in cron.nth */
    NTH_MAX = 5,
    YEARS = CRON_YEAR_MAX - CRON_YEAR_MIN + 1,
};

/* How days of the week are named. */
enum manner {
    AS_HABIT,     /* "Fridays": the only condition                   */
    AS_EACH,      /* "every Friday": together with days of the month */
    AS_CONDITION, /* "a Friday": after "if it is"                    */
};

struct days {
    const struct cron *cron;
    struct buf *out;
    bool has_month, has_year; /* already written; otherwise they follow at the end */
};

static bool is_single(uint64_t bits)
{
    return bits != 0 && (bits & (bits - 1)) == 0;
}

/* The only year; 0 if there are several or all. */
static int single_year(const struct cron *cron)
{
    int year = 0, count = 0;

    if (cron->flags & CRON_ANY_YEAR)
        return 0;
    for (int i = 0; i < 4; i++) {
        count += __builtin_popcountll(cron->year[i]);
        if (cron->year[i])
            year = CRON_YEAR_MIN + i * 64 + bits_lowest(cron->year[i]);
    }
    return count == 1 ? year : 0;
}

static void write_of_month(struct days *d)
{
    buf_text(d->out, " of ");
    if (is_single(d->cron->month)) {
        words_month(d->out, bits_lowest(d->cron->month));
        d->has_month = true;
    } else {
        buf_text(d->out, "the month");
    }
}

static void write_day(struct buf *out, int day)
{
    buf_text(out, "the ");
    words_ordinal(out, day);
}

/* Days counted from the end, 0 = the last. */
static void write_day_from_end(struct buf *out, int n)
{
    if (n > 0) {
        write_day(out, n);
        buf_text(out, " day before the last day");
    } else {
        buf_text(out, "the last day");
    }
}

static void write_near_end(struct buf *out, int n)
{
    if (n > 0) {
        buf_text(out, "the weekday nearest ");
        write_day_from_end(out, n);
    } else {
        buf_text(out, "the last weekday");
    }
}

static void write_near(struct buf *out, int day)
{
    buf_text(out, "the weekday nearest ");
    write_day(out, day);
}

static void write_each_bit(struct words_list *list, uint32_t bits, words_value *value)
{
    for (; bits && words_next(list); bits &= bits - 1)
        value(list->out, bits_lowest(bits));
}

/* "the 1st, the 15th and the last day" */
static void write_month_days(struct days *d)
{
    const struct cron *cron = d->cron;
    struct words_set set = words_set(cron->day);
    bool step = set.step > 1 && set.count >= WORDS_STEP_MIN;
    struct words_list list = {.out = d->out, .last = "and"};

    list.total = (step ? 1 : words_range_count(cron->day)) + __builtin_popcount(cron->near) +
                 __builtin_popcount(cron->last) + __builtin_popcount(cron->last_near);
    if (step && words_next(&list)) {
        buf_text(d->out, "every ");
        words_ordinal(d->out, set.step);
        buf_text(d->out, " day from ");
        write_day(d->out, set.first);
        buf_text(d->out, " to ");
        write_day(d->out, set.last);
    } else {
        words_add_ranges(&list, cron->day, write_day);
    }
    write_each_bit(&list, cron->near, write_near);
    write_each_bit(&list, cron->last, write_day_from_end);
    write_each_bit(&list, cron->last_near, write_near_end);
}

static bool has_month_specials(const struct cron *cron)
{
    return (cron->near | cron->last | cron->last_near) != 0;
}

/* Writes a single date, "25 December 2027"; false if there is not exactly one. */
static bool write_single_date(struct days *d)
{
    int year = single_year(d->cron);

    if (!is_single(d->cron->day) || !is_single(d->cron->month) || has_month_specials(d->cron))
        return false;
    buf_printf(d->out, "%d ", bits_lowest(d->cron->day));
    words_month(d->out, bits_lowest(d->cron->month));
    d->has_month = true;
    if (year > 0) {
        buf_printf(d->out, " %d", year);
        d->has_year = true;
    }
    return true;
}

/* The weeks of the month in which weekday `w` matches: bit n is the n-th, bit 6 the last. */
static unsigned nth_weeks(const struct cron *cron, int w)
{
    unsigned weeks = 0;

    for (int n = 1; n <= NTH_MAX; n++)
        weeks |= (unsigned)(cron->nth[n] >> w & 1) << n;
    return weeks | (unsigned)(cron->nth[NTH_LAST] >> w & 1) << (NTH_MAX + 1);
}

/* "the first and third Monday" */
static void write_nth_weekday(struct buf *out, unsigned weeks, int w)
{
    struct words_list list = {.out = out, .last = "and", .total = __builtin_popcount(weeks)};

    buf_text(out, "the ");
    for (; weeks && words_next(&list); weeks &= weeks - 1) {
        int n = bits_lowest(weeks);

        buf_text(out, words_nth(n > NTH_MAX ? NTH_LAST : n));
    }
    buf_printf(out, " %s", words_weekday(w));
}

static void write_weekday(struct buf *out, enum manner manner, const char *name)
{
    if (manner == AS_HABIT)
        buf_printf(out, "%ss", name);
    else
        buf_printf(out, "%s %s", manner == AS_EACH ? "every" : "a", name);
}

static int count_nth(const struct cron *cron)
{
    int count = 0;

    for (int w = 0; w < WEEK; w++)
        count += nth_weeks(cron, w) != 0;
    return count;
}

/* "Mondays, Fridays and the last Sunday of the month"; the week begins on Monday. */
static void write_weekday_list(struct days *d, enum manner manner)
{
    const struct cron *cron = d->cron;
    bool workdays = cron->weekday == MON_TO_FRI;
    int nths = count_nth(cron);
    struct words_list list = {
        .out = d->out, .last = manner == AS_CONDITION ? "or" : "and", .total = nths};

    list.total += workdays ? 1 : __builtin_popcount(cron->weekday);
    if (workdays && words_next(&list))
        write_weekday(d->out, manner, "weekday");
    for (int i = 1; i <= WEEK && !workdays; i++)
        if ((cron->weekday >> i % WEEK & 1) && words_next(&list))
            write_weekday(d->out, manner, words_weekday(i % WEEK));
    for (int i = 1; i <= WEEK; i++)
        if (nth_weeks(cron, i % WEEK) != 0 && words_next(&list))
            write_nth_weekday(d->out, nth_weeks(cron, i % WEEK), i % WEEK);
    if (nths > 0)
        write_of_month(d);
}

/* The only missing weekday; -1 if none or several are missing. */
static int missing_weekday(const struct cron *cron)
{
    unsigned missing = ALL_WEEKDAYS & ~(unsigned)cron->weekday;

    return is_single(missing) && count_nth(cron) == 0 ? bits_lowest(missing) : -1;
}

static void write_weekdays(struct days *d, enum manner manner)
{
    int missing = missing_weekday(d->cron);

    if (missing < 0) {
        buf_text(d->out, manner == AS_CONDITION ? "" : "on ");
        write_weekday_list(d, manner);
    } else if (manner == AS_CONDITION) {
        buf_printf(d->out, "not a %s", words_weekday(missing));
    } else {
        buf_printf(d->out, "every day except %s", words_weekday(missing));
    }
}

static void write_on_month_days(struct days *d, bool alone)
{
    buf_text(d->out, "on ");
    if (alone && write_single_date(d))
        return;
    write_month_days(d);
    if (alone || has_month_specials(d->cron))
        write_of_month(d);
}

static void write_both_conditions(struct days *d)
{
    buf_text(d->out, "on ");
    if (!write_single_date(d)) {
        write_month_days(d);
        if (has_month_specials(d->cron) || is_single(d->cron->month))
            write_of_month(d);
    }
    buf_text(d->out, " if it is ");
    write_weekdays(d, AS_CONDITION);
}

static void write_which_days(struct days *d, bool needs_daily)
{
    const struct cron *cron = d->cron;
    bool both = cron->flags & CRON_DAY_AND;
    bool days = cron->day == ALL_DAYS, weeks = cron->weekday == ALL_WEEKDAYS;
    bool no_days = cron->day == 0 && !has_month_specials(cron);
    bool no_weeks = cron->weekday == 0 && count_nth(cron) == 0;

    if ((days && weeks) || (!both && (days || weeks))) {
        buf_text(d->out, needs_daily ? " every day" : "");
        return;
    }
    buf_char(d->out, ' ');
    if (both ? no_days || no_weeks : no_days && no_weeks) {
        buf_text(d->out, "on no day");
    } else if (days || (!both && no_days)) {
        write_weekdays(d, AS_HABIT);
    } else if (weeks || (!both && no_weeks)) {
        write_on_month_days(d, true);
    } else if (both) {
        write_both_conditions(d);
    } else {
        write_on_month_days(d, false);
        buf_text(d->out, " and ");
        write_weekdays(d, AS_EACH);
    }
}

/* First and last month of a range of at least three, which may cross the new year. */
static bool find_month_range(unsigned months, int *ret_first, int *ret_last)
{
    unsigned twice = (months & ALL_MONTHS) | (months & ALL_MONTHS) << MONTHS;
    int count = __builtin_popcount(months & ALL_MONTHS);

    if (count < 3)
        return false;
    for (int first = 1; first <= MONTHS; first++) {
        unsigned run = ((1u << count) - 1) << first;

        if ((twice & run) == run) {
            *ret_first = first;
            *ret_last = (first + count - 2) % MONTHS + 1;
            return true;
        }
    }
    return false;
}

void describe_months(unsigned months, struct buf *out)
{
    int first, last;

    if (months == ALL_MONTHS)
        return;
    if (months == 0) {
        buf_text(out, ", in no month");
    } else if (find_month_range(months, &first, &last)) {
        buf_text(out, ", from ");
        words_month(out, first);
        buf_text(out, " to ");
        words_month(out, last);
    } else {
        buf_text(out, ", in ");
        words_ranges(out, months, words_month);
    }
}

static bool is_in_years(const struct cron *cron, int i)
{
    return i < YEARS && (cron->year[i / 64] >> i % 64 & 1);
}

/* The number of consecutive years from the i-th on; two count as two single ones. */
static int year_range(const struct cron *cron, int i)
{
    int n = 0;

    while (is_in_years(cron, i + n))
        n++;
    return n == 2 ? 1 : n;
}

/* The distance between neighbours if it is constant and there are many, otherwise 0. */
static int year_step(const struct cron *cron, int *ret_first, int *ret_last)
{
    int first = -1, last = -1, step = 0, count = 0;

    for (int i = 0; i < YEARS; i++) {
        if (!is_in_years(cron, i))
            continue;
        if (last >= 0 && step != 0 && i - last != step)
            return 0;
        step = last >= 0 ? i - last : 0;
        first = first < 0 ? i : first;
        last = i;
        count++;
    }
    *ret_first = CRON_YEAR_MIN + first;
    *ret_last = CRON_YEAR_MIN + last;
    return count >= WORDS_STEP_MIN && step > 1 ? step : 0;
}

static void write_year_list(const struct cron *cron, struct buf *out)
{
    struct words_list list = {.out = out, .last = "and"};
    int n, longest = 0;

    for (int i = 0; i < YEARS; i += n ? n : 1) {
        n = year_range(cron, i);
        list.total += n > 0;
        longest = n > longest ? n : longest;
    }
    buf_text(out, list.total == 1 && longest > 1 ? ", from " : ", in ");
    buf_text(out, list.total == 0 ? "no year" : "");
    for (int i = 0; i < YEARS; i += n ? n : 1) {
        n = year_range(cron, i);
        if (n == 0 || !words_next(&list))
            continue;
        words_number(out, CRON_YEAR_MIN + i);
        if (n > 1)
            buf_printf(out, " to %d", CRON_YEAR_MIN + i + n - 1);
    }
}

static void write_years(const struct cron *cron, struct buf *out)
{
    int first = 0, last = 0, step = year_step(cron, &first, &last);

    if (step > 0) {
        buf_text(out, ", every ");
        words_ordinal(out, step);
        buf_printf(out, " year from %d to %d", first, last);
    } else {
        write_year_list(cron, out);
    }
}

void describe_days(const struct cron *cron, bool needs_daily, struct buf *out)
{
    struct days d = {.cron = cron, .out = out};
    int year = single_year(cron);

    write_which_days(&d, needs_daily);
    if (!d.has_month)
        describe_months(cron->month, out);
    if (d.has_year || (cron->flags & CRON_ANY_YEAR))
        return;
    if (year > 0 && is_single(cron->month) && !d.has_month)
        buf_printf(out, " %d", year);
    else
        write_years(cron, out);
}
