/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes when cron(8) starts a line; deliberately uses nothing of core but time zones.
 */
#include "cli/import/crontab_clock.h"

enum {
    MINUTE = 60,
    HOUR = 3600,
    DAY = 86400,
    JUMP_MAX = 3 * HOUR, /* cron treats a larger jump as a corrected clock */
    NUMBER_MAX = 1000,
    MONTH_MIN = 28, /* days of the shortest month */
};

/* ---- reading ---- */

static const char *const month_names[] = {"",    "jan", "feb", "mar", "apr", "may", "jun",
                                          "jul", "aug", "sep", "oct", "nov", "dec"};
static const char *const day_names[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

struct field {
    int low, high;
    const char *const *names;
    int name_count;
};

static const struct field fields[] = {
    {0, 59, NULL, 0},         {0, 23, NULL, 0},     {1, 31, NULL, 0},
    {1, 12, month_names, 13}, {0, 7, day_names, 7},
};

static bool take_value(struct str *s, const struct field *f, int64_t *ret)
{
    if (str_take_number(s, NUMBER_MAX, ret) > 0)
        return *ret >= f->low && *ret <= f->high;
    for (int i = f->low; i < f->name_count; i++) {
        if (s->len >= 3 && str_eq_nocase((struct str){s->ptr, 3}, str_of(f->names[i]))) {
            *s = str_from(*s, 3);
            *ret = i;
            return true;
        }
    }
    return false;
}

static bool take_char(struct str *s, char c)
{
    if (s->len == 0 || s->ptr[0] != c)
        return false;
    *s = str_from(*s, 1);
    return true;
}

/* "*", "3" or "1-5"; "*" and "1-5" also with a step such as "/2". */
static bool read_range(struct str text, const struct field *f, uint64_t *bits)
{
    int64_t from = f->low, to = f->high, step = 1;
    bool is_range = take_char(&text, '*');

    if (!is_range) {
        if (!take_value(&text, f, &from))
            return false;
        to = from;
        is_range = take_char(&text, '-');
        if (is_range && !take_value(&text, f, &to))
            return false;
    }
    if (is_range && take_char(&text, '/') &&
        (str_take_number(&text, NUMBER_MAX, &step) == 0 || step == 0))
        return false;
    if (text.len > 0 || from > to)
        return false;
    for (int64_t i = from; i <= to; i += step)
        *bits |= UINT64_C(1) << i;
    return true;
}

static bool read_field(struct str text, const struct field *f, uint64_t *ret)
{
    struct str head, tail = text;

    *ret = 0;
    while (str_cut(tail, ',', &head, &tail))
        if (!read_range(head, f, ret))
            return false;
    return read_range(tail, f, ret);
}

static struct str expand_nickname(struct str when)
{
    static const struct {
        const char *name, *fields;
    } names[] = {
        {"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"},
        {"@weekly", "0 0 * * 0"}, {"@daily", "0 0 * * *"},    {"@midnight", "0 0 * * *"},
        {"@hourly", "0 * * * *"},
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (str_eq(when, str_of(names[i].name)))
            return str_of(names[i].fields);
    return when;
}

bool crontab_clock_read(struct str when, struct crontab_clock *ret)
{
    struct str rest = expand_nickname(when);
    uint64_t bits[5];
    bool starred[5];

    for (int i = 0; i < 5; i++) {
        struct str text = rest, tail = {NULL, 0};

        if (str_cut(rest, ' ', &text, &tail) != (i < 4) ||
            !read_field(text, &fields[i], &bits[i]))
            return false;
        starred[i] = text.ptr[0] == '*';
        rest = tail;
    }
    if (bits[4] & (1 << 7))
        bits[4] |= 1;
    *ret = (struct crontab_clock){
        .minute = bits[0],
        .hour = (uint32_t)bits[1],
        .day = (uint32_t)bits[2],
        .month = (uint32_t)bits[3],
        .weekday = (uint32_t)bits[4],
        .has_star = starred[0] || starred[1],
        .day_starred = starred[2],
        .weekday_starred = starred[4],
    };
    return true;
}

/* ---- computing times ---- */

/* What is left of t after whole units; also for times before 1970. */
static int64_t rest_of(int64_t t, int64_t unit)
{
    int64_t rest = t % unit;

    return rest < 0 ? rest + unit : rest;
}

static int64_t floor_to(int64_t t, int64_t unit)
{
    return t - rest_of(t, unit);
}

/* Days from 1970-01-01 to the first day of `year`, 1970 or later. */
static int64_t days_before(int64_t year)
{
    int64_t y = year - 1;

    return y * 365 + y / 4 - y / 100 + y / 400 - 719162;
}

struct date {
    int64_t days; /* since 1970-01-01 */
    int64_t year;
    int month, day;
};

static int month_length(int64_t year, int month)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    return lengths[month - 1] + (month == 2 && is_leap);
}

static struct date date_of(int64_t days)
{
    int64_t year = 1970 + (days > 2 ? days - 2 : 0) * 400 / 146097; /* or one less than it is */
    struct date date = {.days = days, .month = 1};

    while (days_before(year + 1) <= days)
        year++;
    date.year = year;
    days -= days_before(year);
    for (; days >= month_length(year, date.month); date.month++)
        days -= month_length(year, date.month);
    date.day = (int)days + 1;
    return date;
}

static void move_to_tomorrow(struct date *date)
{
    date->days++;
    if (++date->day <= MONTH_MIN || date->day <= month_length(date->year, date->month))
        return;
    date->day = 1;
    date->month = date->month % 12 + 1;
    date->year += date->month == 1;
}

static bool is_date(const struct crontab_clock *c, const struct date *date)
{
    bool by_day = c->day >> date->day & 1;
    bool by_weekday = c->weekday >> ((date->days + 4) % 7) & 1; /* 1970 began on a Thursday */

    if (!(c->month >> date->month & 1))
        return false;
    return c->day_starred || c->weekday_starred ? by_day && by_weekday : by_day || by_weekday;
}

static bool is_day(const struct crontab_clock *c, int64_t local)
{
    struct date date = date_of(floor_to(local, DAY) / DAY);

    return is_date(c, &date);
}

static bool is_hour(const struct crontab_clock *c, int64_t local)
{
    return c->hour >> rest_of(local, DAY) / HOUR & 1;
}

static bool is_time(const struct crontab_clock *c, int64_t local)
{
    return (c->minute >> rest_of(local, HOUR) / MINUTE & 1) && is_hour(c, local);
}

static bool matches(const struct crontab_clock *c, int64_t local)
{
    return is_time(c, local) && is_day(c, local);
}

/* The latest time that the local clock showed in the JUMP_MAX seconds before `t`. */
static int64_t latest_before(const struct tz *tz, int64_t t)
{
    int64_t latest = t - MINUTE + tz_offset(tz, t - MINUTE);

    for (int64_t b = t - JUMP_MAX; b < t - MINUTE; b += MINUTE)
        if (b + tz_offset(tz, b) > latest)
            latest = b + tz_offset(tz, b);
    return latest;
}

/* True if a local minute that the clock jumped over matches. */
static bool is_skipped(const struct crontab_clock *c, int64_t from, int64_t to)
{
    for (int64_t gone = from; gone < to; gone += MINUTE)
        if (matches(c, gone))
            return true;
    return false;
}

/* True if cron starts the line at this minute, near a clock change. */
static bool starts_near_change(const struct crontab_clock *c, const struct tz *tz, int64_t t)
{
    int64_t local = t + tz_offset(tz, t), before = t - MINUTE + tz_offset(tz, t - MINUTE);
    bool is_due = matches(c, local), is_jump = local - before > MINUTE;
    int64_t latest;

    if (c->has_star || (!is_due && !is_jump))
        return is_due;
    latest = latest_before(tz, t);
    if (is_due && (local > latest || latest - local >= JUMP_MAX))
        return true;
    if (!is_jump || local - before > JUMP_MAX)
        return false;
    return is_skipped(c, (before > latest ? before : latest) + MINUTE, local);
}

/* A line is started on few days: the others are passed over without looking at minutes. */
struct days {
    const struct crontab_clock *clock;
    int64_t day;                     /* a day of UTC, in seconds                         */
    bool yesterday, today, tomorrow; /* whether the line's dates include the local dates */
    struct date next;                /* the date of tomorrow                             */
};

static void set_day(struct days *days, int64_t day)
{
    days->day = day;
    days->yesterday = is_day(days->clock, day - DAY);
    days->today = is_day(days->clock, day);
    days->next = date_of(day / DAY + 1);
    days->tomorrow = is_date(days->clock, &days->next);
}

static bool has_day(const struct days *days)
{
    return days->yesterday || days->today || days->tomorrow;
}

/* Moves on to the next day on which the line may start; a local date may be one day off. */
static void next_day(struct days *days, int64_t until)
{
    struct date *next = &days->next;

    do {
        days->yesterday = days->today;
        days->today = days->tomorrow;
        move_to_tomorrow(next);
        days->tomorrow = is_date(days->clock, next);
        /* The days up to tomorrow's MONTH_MIN are in a month without starts. */
        if (!has_day(days) && !(days->clock->month >> next->month & 1) &&
            next->day < MONTH_MIN) {
            next->days += MONTH_MIN - next->day;
            next->day = MONTH_MIN;
        }
        days->day = (next->days - 1) * DAY;
    } while (days->day <= until && !has_day(days));
}

/* True if no minute of the hour that begins at `t` matches, with these offsets at its ends. */
static bool is_quiet_hour(const struct crontab_clock *c, int64_t t, int32_t first, int32_t last)
{
    return first == last && !is_hour(c, t + first) && !is_hour(c, t + HOUR - MINUTE + last);
}

/* A day of UTC with a clock change in or shortly before it. */
static int next_near_change(const struct crontab_clock *c, const struct tz *tz, int64_t from,
                            int64_t to, int64_t *ret, int max)
{
    int count = 0;

    for (int64_t t = from; t < to && count < max; t += MINUTE)
        if (t % HOUR == 0 &&
            is_quiet_hour(c, t, tz_offset(tz, t - MINUTE), tz_offset(tz, t + HOUR - MINUTE)))
            t += HOUR - MINUTE;
        else if (starts_near_change(c, tz, t))
            ret[count++] = t;
    return count;
}

/* Appends the minutes of one local hour that begins at `hour`. */
static int add_minutes(const struct crontab_clock *c, int64_t hour, int64_t from, int64_t to,
                       int64_t *ret, int max)
{
    int count = 0;

    for (int minute = 0; minute < HOUR / MINUTE && count < max; minute++) {
        int64_t t = hour + (int64_t)minute * MINUTE;

        if ((c->minute >> minute & 1) && t >= from && t < to)
            ret[count++] = t;
    }
    return count;
}

/* A day without one. */
static int next_with_offset(const struct crontab_clock *c, int32_t offset, int64_t from,
                            int64_t to, int64_t *ret, int max)
{
    int64_t local = floor_to(from + offset, HOUR);
    int64_t hour = rest_of(local, DAY) / HOUR;
    int count = 0;

    for (; local < to + offset && count < max; local += HOUR) {
        if ((c->hour >> hour & 1) && is_day(c, local))
            count += add_minutes(c, local - offset, from, to, ret + count, max - count);
        hour = hour == 23 ? 0 : hour + 1;
    }
    return count;
}

int crontab_clock_next(const struct crontab_clock *c, const struct tz *tz, int64_t after,
                       int64_t until, int64_t *ret, int max)
{
    struct days days = {.clock = c};
    int count = 0;

    for (set_day(&days, floor_to(after, DAY)); days.day <= until && count < max;
         next_day(&days, until)) {
        int64_t day = days.day, first = floor_to(after, MINUTE) + MINUTE;
        int64_t from = day > first ? day : first;
        int64_t to = until < day + DAY ? until + 1 : day + DAY;
        int32_t offset = tz_offset(tz, day - JUMP_MAX - HOUR);

        if (offset != tz_offset(tz, day + DAY) || offset != tz_offset(tz, day))
            count += next_near_change(c, tz, from, to, ret + count, max - count);
        else
            count += next_with_offset(c, offset, from, to, ret + count, max - count);
    }
    return count;
}
