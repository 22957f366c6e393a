/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser of POSIX TZ rules, and when DST begins and ends in a year.
 */
#include "core/time/tz_posix.h"

#include "base/must.h"
#include "core/limits.h"
#include "core/time/civil.h"

enum {
    NAME_MIN = 3,          /* letters of an abbreviation; POSIX requires three    */
    OFFSET_HOURS_MAX = 24, /* hours from UTC                                      */
    CLOCK_HOURS_MAX = 167, /* hours from 00:00 of the day: a week, as in RFC 9636 */
    CLOCK_DEFAULT = 2 * HOUR_SECONDS,
    MARCH_FIRST_JULIAN = 60, /* J60 is 1 March in every year */
};

struct scan {
    struct str text; /* all of the rule       */
    struct str rest; /* the part not yet read */
};

/* Does not quote the rule: it comes from a file that may contain any bytes. */
static enum rc refuse(const struct scan *scan, const char *expected, struct err *reterr)
{
    int at = (int)(scan->text.len - scan->rest.len);

    return err_set(reterr, RC_INVALID, at, scan->rest.len > 0 ? 1 : 0,
                   "byte %d of the time zone rule: expected %s", at + 1, expected);
}

static bool take_char(struct scan *scan, char c)
{
    if (scan->rest.len == 0 || scan->rest.ptr[0] != c)
        return false;
    scan->rest = str_from(scan->rest, 1);
    return true;
}

/* Reads a number from `min` to `max`; reads nothing if there is none. */
static bool take_number(struct scan *scan, int min, int max, int *ret)
{
    struct str rest = scan->rest;
    int64_t value;

    if (str_take_number(&rest, max, &value) == 0 || value < min || value > max)
        return false;
    scan->rest = rest;
    *ret = (int)value;
    return true;
}

/* An abbreviation: letters, or <letters, digits and signs>. */
static bool take_name(struct scan *scan, struct str *ret)
{
    bool quoted = take_char(scan, '<');
    size_t n = 0;

    while (n < scan->rest.len) {
        char c = scan->rest.ptr[n];

        if (!char_is_alpha(c) && !(quoted && (char_is_digit(c) || c == '+' || c == '-')))
            break;
        n++;
    }
    if (n < NAME_MIN)
        return false;
    *ret = (struct str){scan->rest.ptr, n};
    scan->rest = str_from(scan->rest, n);
    return !quoted || take_char(scan, '>');
}

/* [+-]hh[:mm[:ss]] in seconds. */
static bool take_clock(struct scan *scan, int hours_max, int32_t *ret)
{
    int hours, minutes = 0, seconds = 0;
    bool minus = take_char(scan, '-');

    if (!minus)
        (void)take_char(scan, '+');
    if (!take_number(scan, 0, hours_max, &hours))
        return false;
    if (take_char(scan, ':')) {
        if (!take_number(scan, 0, 59, &minutes))
            return false;
        if (take_char(scan, ':') && !take_number(scan, 0, 59, &seconds))
            return false;
    }
    *ret = hours * HOUR_SECONDS + minutes * 60 + seconds;
    if (minus)
        *ret = -*ret;
    return true;
}

/* Mm.w.d */
static bool take_month_day(struct scan *scan, struct tz_posix_day *ret)
{
    ret->kind = TZ_DAY_MONTH;
    return take_number(scan, 1, MONTHS, &ret->month) && take_char(scan, '.') &&
           take_number(scan, 1, 5, &ret->week) && take_char(scan, '.') &&
           take_number(scan, 0, 6, &ret->day);
}

/* ,date[/time] */
static enum rc take_day(struct scan *scan, struct tz_posix_day *ret, struct err *reterr)
{
    struct tz_posix_day day = {.seconds = CLOCK_DEFAULT};
    bool is_day;

    if (!take_char(scan, ','))
        return refuse(scan, "\",\" and the day of a clock change", reterr);
    if (take_char(scan, 'M')) {
        is_day = take_month_day(scan, &day);
    } else if (take_char(scan, 'J')) {
        day.kind = TZ_DAY_JULIAN;
        is_day = take_number(scan, 1, 365, &day.day);
    } else {
        day.kind = TZ_DAY_FROM_ZERO;
        is_day = take_number(scan, 0, 365, &day.day);
    }
    if (!is_day)
        return refuse(scan, "a day: Mm.w.d, J1 to J365 or 0 to 365", reterr);
    if (take_char(scan, '/') && !take_clock(scan, CLOCK_HOURS_MAX, &day.seconds))
        return refuse(scan, "a time from -167 to 167 hours, such as 2 or 2:30", reterr);
    *ret = day;
    return RC_OK;
}

/* The part after the standard offset: name[offset],start,end */
static enum rc take_dst(struct scan *scan, struct tz_posix *ret, struct err *reterr)
{
    int32_t west;
    enum rc rc;

    if (!take_name(scan, &ret->dst_name))
        return refuse(scan, "the name of daylight saving time, or the end", reterr);
    ret->has_dst = true;
    ret->dst_offset = ret->std_offset + HOUR_SECONDS;
    if (scan->rest.len > 0 && scan->rest.ptr[0] != ',') {
        if (!take_clock(scan, OFFSET_HOURS_MAX, &west))
            return refuse(scan, "an offset of at most 24 hours, or \",\"", reterr);
        ret->dst_offset = -west;
    }
    rc = take_day(scan, &ret->start, reterr);
    if (rc == RC_OK)
        rc = take_day(scan, &ret->end, reterr);
    return rc;
}

enum rc tz_posix_parse(struct str text, struct tz_posix *ret, struct err *reterr)
{
    struct scan scan = {text, text};
    struct tz_posix rule = {0};
    int32_t west;
    enum rc rc;

    if (!take_name(&scan, &rule.std_name))
        return refuse(&scan, "the name of standard time, three letters or more", reterr);
    if (!take_clock(&scan, OFFSET_HOURS_MAX, &west))
        return refuse(&scan, "an offset of at most 24 hours", reterr);
    rule.std_offset = -west; /* POSIX counts west as positive */
    if (scan.rest.len > 0) {
        rc = take_dst(&scan, &rule, reterr);
        if (rc != RC_OK)
            return rc;
    }
    if (scan.rest.len > 0)
        return refuse(&scan, "the end of the rule", reterr);
    must(rule.std_offset >= -TZ_OFFSET_MAX && rule.std_offset <= TZ_OFFSET_MAX);
    must(rule.dst_offset >= -TZ_OFFSET_MAX && rule.dst_offset <= TZ_OFFSET_MAX);
    *ret = rule;
    return RC_OK;
}

static int64_t new_year_day(int year)
{
    int64_t past = (int64_t)year - 1;

    return DAY_MIN + past * 365 + floor_div(past, 4) - floor_div(past, 100) +
           floor_div(past, CYCLE_YEARS);
}

int64_t tz_year_start(int year)
{
    return new_year_day(year) * DAY_SECONDS;
}

static int64_t month_rule_day(const struct tz_posix_day *rule, int year)
{
    int64_t first = new_year_day(year);
    int past;

    for (int month = 1; month < rule->month; month++)
        first += month_days(year, month);
    past = (rule->day - day_weekday(first) + 7) % 7 + (rule->week - 1) * 7;
    if (past >= month_days(year, rule->month))
        past -= 7; /* week 5 means the last */
    return first + past;
}

/* Wall-clock seconds, since 1970 on that wall clock, of a change in `year`. */
static int64_t local_of_rule(const struct tz_posix_day *rule, int year)
{
    int64_t day = 0;

    switch (rule->kind) {
    case TZ_DAY_JULIAN: /* 29 February has no number */
        day = new_year_day(year) + rule->day - 1 +
              (rule->day >= MARCH_FIRST_JULIAN && year_is_leap(year));
        break;
    case TZ_DAY_FROM_ZERO:
        day = new_year_day(year) + rule->day;
        break;
    case TZ_DAY_MONTH:
        day = month_rule_day(rule, year);
        break;
    }
    return day * DAY_SECONDS + rule->seconds;
}

void tz_posix_year(const struct tz_posix *rule, int year, int64_t *ret_start, int64_t *ret_end)
{
    must(rule->has_dst);
    *ret_start = local_of_rule(&rule->start, year) - rule->std_offset;
    *ret_end = local_of_rule(&rule->end, year) - rule->dst_offset;
}
