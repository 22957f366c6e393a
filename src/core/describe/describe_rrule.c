/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Describes a recurrence rule, including the defaults that it takes from DTSTART.
 */
#include "core/describe/describe.h"

#include "core/describe/describe_parts.h"
#include "core/describe/describe_words.h"
#include "core/time/text.h"

enum {
    SIXTY = 60,
    HOURS = 24,
    YEAR_DAYS_MAX = 366,
    WEEK = 7,
    MON_TO_FRI = 0x3e,
    NTH_WORD_MAX = 5, /* "fifth"; above that ordinals are written as numbers */
};

static const char *const units[] = {
    [RRULE_YEARLY] = "year",     [RRULE_MONTHLY] = "month", [RRULE_WEEKLY] = "week",
    [RRULE_DAILY] = "day",       [RRULE_HOURLY] = "hour",   [RRULE_MINUTELY] = "minute",
    [RRULE_SECONDLY] = "second",
};

struct rule {
    const struct rrule *rrule;
    struct buf *out;
    struct civil start;
};

static bool any_year_day(const uint64_t *bits)
{
    return (bits[0] | bits[1] | bits[2] | bits[3] | bits[4] | bits[5]) != 0;
}

static bool has_day_part(const struct rrule *r)
{
    return r->days > 0 || (r->by_month_day | r->by_month_day_end) != 0 ||
           any_year_day(r->by_year_day) || any_year_day(r->by_year_day_end);
}

/* A position from the end; 1 is the last. */
static void write_from_end(struct buf *out, int n)
{
    buf_text(out, "the ");
    if (n > 1) {
        words_ordinal(out, n);
        buf_char(out, ' ');
    }
    buf_text(out, "last");
}

static void write_ordinal(struct buf *out, int n)
{
    buf_text(out, "the ");
    words_ordinal(out, n);
}

/* Bits 1..366 in six words, as items of a list. */
static void add_year_days(struct words_list *list, const uint64_t *bits, words_value *value)
{
    for (int n = 1; n <= YEAR_DAYS_MAX; n++)
        if ((bits[n / 64] >> n % 64 & 1) && words_next(list))
            value(list->out, n);
}

static int count_year_days(const uint64_t *bits)
{
    int count = 0;

    for (int i = 0; i < 6; i++)
        count += __builtin_popcountll(bits[i]);
    return count;
}

static void write_year_days(const struct rule *r)
{
    struct words_list list = {.out = r->out,
                              .last = "and",
                              .total = count_year_days(r->rrule->by_year_day) +
                                       count_year_days(r->rrule->by_year_day_end)};

    if (list.total == 0)
        return;
    buf_text(r->out, " on ");
    add_year_days(&list, r->rrule->by_year_day, write_ordinal);
    add_year_days(&list, r->rrule->by_year_day_end, write_from_end);
    buf_text(r->out, list.total > 1 ? " days of the year" : " day of the year");
}

static void write_each_from_end(struct words_list *list, uint64_t bits)
{
    for (; bits && words_next(list); bits &= bits - 1)
        write_from_end(list->out, __builtin_ctzll(bits));
}

static void write_weeks(const struct rule *r)
{
    const struct rrule *rrule = r->rrule;
    struct words_list list = {.out = r->out, .last = "and"};

    list.total = words_range_count(rrule->by_week) + __builtin_popcountll(rrule->by_week_end);
    if (list.total == 0)
        return;
    buf_text(r->out, " in ");
    words_add_ranges(&list, rrule->by_week, write_ordinal);
    write_each_from_end(&list, rrule->by_week_end);
    buf_text(r->out, list.total > 1 ? " weeks of the year" : " week of the year");
}

static void write_month_days(const struct rule *r)
{
    const struct rrule *rrule = r->rrule;
    struct words_list list = {.out = r->out, .last = "and"};

    list.total = words_range_count(rrule->by_month_day) +
                 __builtin_popcount(rrule->by_month_day_end);
    if (list.total == 0)
        return;
    buf_text(r->out, " on ");
    words_add_ranges(&list, rrule->by_month_day, write_ordinal);
    write_each_from_end(&list, rrule->by_month_day_end);
    buf_text(r->out, rrule->by_month_day_end ? " day of the month" : " of the month");
}

static void write_nth(const struct rrule_day *day, struct buf *out)
{
    int n = day->nth < 0 ? -day->nth : day->nth;

    if (day->nth == 0) {
        buf_printf(out, "%ss", words_weekday(day->weekday));
        return;
    }
    if (day->nth < 0)
        write_from_end(out, n);
    else if (n <= NTH_WORD_MAX)
        buf_printf(out, "the %s", words_nth(n));
    else
        write_ordinal(out, n);
    buf_printf(out, " %s", words_weekday(day->weekday));
}

static bool is_workweek(const struct rrule *rrule)
{
    unsigned weekdays = 0;

    for (int i = 0; i < rrule->days; i++) {
        if (rrule->day[i].nth != 0)
            return false;
        weekdays |= 1u << rrule->day[i].weekday;
    }
    return weekdays == MON_TO_FRI;
}

static void write_weekdays(const struct rule *r)
{
    const struct rrule *rrule = r->rrule;
    struct words_list list = {.out = r->out, .last = "and", .total = rrule->days};
    bool has_nth = false;

    if (rrule->days == 0)
        return;
    if (is_workweek(rrule)) {
        buf_text(r->out, " on weekdays");
        return;
    }
    buf_text(r->out, " on ");
    for (int i = 0; i < rrule->days && words_next(&list); i++) {
        write_nth(&rrule->day[i], r->out);
        has_nth = has_nth || rrule->day[i].nth != 0;
    }
    if (has_nth)
        buf_text(r->out, rrule->freq == RRULE_MONTHLY || rrule->by_month ? " of the month"
                                                                         : " of the year");
}

/* If the rule names no day, RFC 5545 takes the day of DTSTART. */
static void write_default_day(const struct rule *r)
{
    const struct rrule *rrule = r->rrule;
    int64_t day = floor_div(rrule->start, DAY_SECONDS);

    if (has_day_part(rrule) || rrule->freq > RRULE_WEEKLY)
        return;
    if (rrule->freq == RRULE_WEEKLY || rrule->by_week || rrule->by_week_end) {
        buf_printf(r->out, " on %ss", words_weekday(day_weekday(day)));
    } else if (rrule->freq == RRULE_MONTHLY || rrule->by_month) {
        buf_text(r->out, " on ");
        write_ordinal(r->out, r->start.date.day);
        buf_text(r->out, " of the month");
    } else {
        buf_printf(r->out, " on %d ", r->start.date.day);
        words_month(r->out, r->start.date.month);
    }
}

/* The times of day of a rule whose period is a day or longer. */
static void write_time_of_day(const struct rule *r)
{
    const struct rrule *rrule = r->rrule;
    struct cron cron = cron_every_second();

    cron.hour = rrule->by_hour ? rrule->by_hour : UINT32_C(1) << r->start.hour;
    cron.minute = rrule->by_minute ? rrule->by_minute : UINT64_C(1) << r->start.minute;
    cron.second = rrule->by_second ? rrule->by_second : UINT64_C(1) << r->start.second;
    buf_char(r->out, ' ');
    describe_time(&cron, false, r->out);
}

static void write_limit(const struct rule *r, uint64_t bits, int size, const char *unit)
{
    if (bits == 0)
        return;
    buf_text(r->out, " in ");
    describe_field(bits, size, unit, r->out);
}

/* The smaller units of an hourly or faster rule: as given, or from DTSTART. */
static void write_clock_parts(const struct rule *r)
{
    const struct rrule *rrule = r->rrule;
    uint64_t minute = rrule->by_minute ? rrule->by_minute : UINT64_C(1) << r->start.minute;
    uint64_t second = rrule->by_second ? rrule->by_second : UINT64_C(1) << r->start.second;

    if (rrule->freq == RRULE_HOURLY) {
        buf_text(r->out, " at ");
        describe_field(minute, SIXTY, "minute", r->out);
    } else {
        write_limit(r, rrule->by_minute, SIXTY, "minute");
    }
    if (rrule->freq != RRULE_SECONDLY && second != 1) {
        buf_text(r->out, " at ");
        describe_field(second, SIXTY, "second", r->out);
    } else if (rrule->freq == RRULE_SECONDLY) {
        write_limit(r, rrule->by_second, SIXTY, "second");
    }
    write_limit(r, rrule->by_hour, HOURS, "hour");
}

static void write_positions(const struct rule *r)
{
    const struct rrule *rrule = r->rrule;
    struct words_list list = {.out = r->out, .last = "and", .total = rrule->positions};

    if (rrule->positions == 0)
        return;
    buf_text(r->out, ", of these only ");
    for (int i = 0; i < rrule->positions && words_next(&list); i++) {
        int n = rrule->position[i];

        if (n < 0)
            write_from_end(r->out, -n);
        else
            write_ordinal(r->out, n);
    }
    buf_printf(r->out, " of each %s", units[rrule->freq]);
}

static void write_ends(const struct rule *r)
{
    const struct rrule *rrule = r->rrule;

    buf_text(r->out, ", beginning at ");
    words_moment(r->out, rrule->start);
    if (rrule->until_local != LOCAL_NEVER) {
        buf_text(r->out, ", until ");
        words_moment(r->out, rrule->until_local);
    }
    if (rrule->until != INSTANT_NEVER) {
        buf_text(r->out, ", until ");
        words_moment(r->out, instant_seconds(rrule->until));
        buf_text(r->out, " UTC");
    }
    if (rrule->count == 1)
        buf_text(r->out, ", once");
    else if (rrule->count > 0)
        buf_printf(r->out, ", %u times in total", rrule->count);
}

void describe_rrule_phrase(const struct rrule *rrule, struct buf *out)
{
    struct rule r = {.rrule = rrule, .out = out, .start = civil_of_local(rrule->start)};

    words_every(out, rrule->interval, units[rrule->freq]);
    write_default_day(&r);
    write_weekdays(&r);
    write_month_days(&r);
    write_year_days(&r);
    write_weeks(&r);
    if (rrule->freq <= RRULE_DAILY)
        write_time_of_day(&r);
    else
        write_clock_parts(&r);
    if (rrule->by_month)
        describe_months(rrule->by_month, out);
    write_positions(&r);
    write_ends(&r);
}

void describe_rrule(const struct rrule *rule, struct buf *out)
{
    size_t at = out->len;

    describe_rrule_phrase(rule, out);
    describe_capitalise(out, at);
}
