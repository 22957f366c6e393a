/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parsers with error positions for times as text, and the matching writers.
 */
#include "core/time/text.h"

#include "base/must.h"
#include "core/limits.h"

#define LIKE_INSTANT "2027-01-01T00:00:00Z"
#define LIKE_DATE    "2027-12-25"
#define LIKE_TIME    "09:00 or 17:00:30"

#define DURATION_MAX (DURATION_DAYS_MAX * SPAN_DAY)

/* The text, the read position, and an example of correct text for error messages. */
struct scan {
    struct str text;
    size_t at;
    const char *like;
};

static bool scan_is_done(const struct scan *scan)
{
    return scan->at == scan->text.len;
}

static bool take_char(struct scan *scan, char c)
{
    if (scan_is_done(scan) || char_lower(scan->text.ptr[scan->at]) != char_lower(c))
        return false;
    scan->at++;
    return true;
}

static enum rc fail_at(const struct scan *scan, const char *what, struct err *reterr)
{
    return err_set(reterr, RC_INVALID, (int)scan->at, scan_is_done(scan) ? 0 : 1,
                   "%s; write it like %s", what, scan->like);
}

static enum rc expect_char(struct scan *scan, char c, struct err *reterr)
{
    char what[] = "'?' is missing";

    what[1] = c;
    return take_char(scan, c) ? RC_OK : fail_at(scan, what, reterr);
}

static enum rc expect_end(const struct scan *scan, struct err *reterr)
{
    return scan_is_done(scan) ? RC_OK : fail_at(scan, "nothing may follow here", reterr);
}

struct part {
    const char *name;
    int digits, min, max;
};

static const struct part year_part = {"year", 4, YEAR_MIN, YEAR_MAX};
static const struct part month_part = {"month", 2, 1, 12};
static const struct part day_part = {"day", 2, 1, 31};
static const struct part hour_part = {"hour", 2, 0, 23};
static const struct part minute_part = {"minute", 2, 0, 59};
static const struct part second_part = {"second", 2, 0, 59};
static const struct part offset_hour_part = {"hour of the offset", 2, 0, 23};
static const struct part offset_minute_part = {"minute of the offset", 2, 0, 59};

/* Exactly the digits of `part`, within its range. */
static enum rc take_part(struct scan *scan, const struct part *part, int *ret,
                         struct err *reterr)
{
    int value = 0;

    for (int i = 0; i < part->digits; i++) {
        size_t at = scan->at + (size_t)i;

        if (at >= scan->text.len || !char_is_digit(scan->text.ptr[at]))
            return err_set(reterr, RC_INVALID, (int)at, at < scan->text.len ? 1 : 0,
                           "the %s needs %d digits; write it like %s", part->name, part->digits,
                           scan->like);
        value = value * 10 + (scan->text.ptr[at] - '0');
    }
    if (value < part->min || value > part->max)
        return err_set(reterr, RC_INVALID, (int)scan->at, part->digits,
                       "%s %0*d is out of range %d-%d", part->name, part->digits, value,
                       part->min, part->max);
    scan->at += (size_t)part->digits;
    *ret = value;
    return RC_OK;
}

/* YYYY-MM-DD, a day that exists. */
static enum rc take_date(struct scan *scan, int64_t *ret_day, struct err *reterr)
{
    int year = 0, month = 0, day = 0;
    enum rc rc = take_part(scan, &year_part, &year, reterr);

    if (rc == RC_OK)
        rc = expect_char(scan, '-', reterr);
    if (rc == RC_OK)
        rc = take_part(scan, &month_part, &month, reterr);
    if (rc == RC_OK)
        rc = expect_char(scan, '-', reterr);
    if (rc == RC_OK)
        rc = take_part(scan, &day_part, &day, reterr);
    if (rc != RC_OK)
        return rc;
    if (day > month_days(year, month))
        return err_set(reterr, RC_INVALID, (int)scan->at - 2, 2,
                       "%04d-%02d has no day %d, only 1-%d", year, month, day,
                       month_days(year, month));
    *ret_day = day_of_date(year, month, day);
    return RC_OK;
}

/* HH:MM, then :SS, which may be missing if `short_form` is true. */
static enum rc take_time(struct scan *scan, bool short_form, int32_t *ret, struct err *reterr)
{
    int hour = 0, minute = 0, second = 0;
    enum rc rc = take_part(scan, &hour_part, &hour, reterr);

    if (rc == RC_OK)
        rc = expect_char(scan, ':', reterr);
    if (rc == RC_OK)
        rc = take_part(scan, &minute_part, &minute, reterr);
    if (rc == RC_OK && !(short_form && scan_is_done(scan))) {
        rc = expect_char(scan, ':', reterr);
        if (rc == RC_OK)
            rc = take_part(scan, &second_part, &second, reterr);
    }
    if (rc == RC_OK)
        *ret = hour * HOUR_SECONDS + minute * 60 + second;
    return rc;
}

enum { FRACTION_DIGITS_MAX = 9 }; /* nanoseconds: what Go and protobuf print */

/* After the point: 1 to 9 digits, as microseconds. */
static enum rc take_fraction(struct scan *scan, int64_t *ret, struct err *reterr)
{
    int64_t value = 0, weight = SPAN_S / 10;
    size_t from = scan->at;

    while (!scan_is_done(scan) && char_is_digit(scan->text.ptr[scan->at])) {
        if (scan->at - from == FRACTION_DIGITS_MAX)
            return fail_at(scan, "a fraction has at most 9 digits", reterr);
        value += weight * (scan->text.ptr[scan->at] - '0');
        weight /= 10;
        scan->at++;
    }
    if (scan->at == from)
        return fail_at(scan, "digits must follow the point", reterr);
    *ret = value;
    return RC_OK;
}

/* Z, or ±HH:MM as seconds. */
static enum rc take_offset(struct scan *scan, int64_t *ret, struct err *reterr)
{
    bool is_west = false;
    int hour = 0, minute = 0;
    enum rc rc;

    if (take_char(scan, 'Z')) {
        *ret = 0;
        return RC_OK;
    }
    if (!take_char(scan, '+')) {
        is_west = take_char(scan, '-');
        if (!is_west)
            return fail_at(scan, "Z or an offset such as +02:00 is missing", reterr);
    }
    rc = take_part(scan, &offset_hour_part, &hour, reterr);
    if (rc == RC_OK)
        rc = expect_char(scan, ':', reterr);
    if (rc == RC_OK)
        rc = take_part(scan, &offset_minute_part, &minute, reterr);
    if (rc == RC_OK)
        *ret = (is_west ? -1 : 1) * (hour * HOUR_SECONDS + minute * 60);
    return rc;
}

enum rc instant_parse(struct str text, instant *ret, struct err *reterr)
{
    struct scan scan = {.text = text, .like = LIKE_INSTANT};
    int64_t day = 0, fraction = 0, offset = 0;
    int32_t tod = 0;
    instant t;
    enum rc rc = take_date(&scan, &day, reterr);

    if (rc == RC_OK)
        rc = expect_char(&scan, 'T', reterr);
    if (rc == RC_OK)
        rc = take_time(&scan, false, &tod, reterr);
    if (rc == RC_OK && take_char(&scan, '.'))
        rc = take_fraction(&scan, &fraction, reterr);
    if (rc == RC_OK)
        rc = take_offset(&scan, &offset, reterr);
    if (rc == RC_OK)
        rc = expect_end(&scan, reterr);
    if (rc != RC_OK)
        return rc;
    t = instant_of_seconds(day * DAY_SECONDS + tod - offset) + fraction;
    if (t < INSTANT_MIN || t > INSTANT_MAX)
        return err_set(reterr, RC_INVALID, 0, (int)text.len,
                       "the offset moves this out of the years %d-%d", YEAR_MIN, YEAR_MAX);
    *ret = t;
    return RC_OK;
}

enum rc time_of_day_parse(struct str text, int32_t *ret, struct err *reterr)
{
    struct scan scan = {.text = text, .like = LIKE_TIME};
    int32_t tod = 0;
    enum rc rc = take_time(&scan, true, &tod, reterr);

    if (rc == RC_OK)
        rc = expect_end(&scan, reterr);
    if (rc == RC_OK)
        *ret = tod;
    return rc;
}

enum rc date_parse(struct str text, int64_t *ret_day, struct err *reterr)
{
    struct scan scan = {.text = text, .like = LIKE_DATE};
    int64_t day = 0;
    enum rc rc = take_date(&scan, &day, reterr);

    if (rc == RC_OK)
        rc = expect_end(&scan, reterr);
    if (rc == RC_OK)
        *ret_day = day;
    return rc;
}

/*
 * Writers.  They write the digits without printf(): batches print millions of instants, and
 * printf() would cost more than computing one.
 */

static char *put_two(char *p, int value)
{
    p[0] = (char)('0' + value / 10);
    p[1] = (char)('0' + value % 10);
    return p + 2;
}

static char *put_date(char *p, int64_t day)
{
    struct date date = date_of_day(day);

    p = put_two(p, date.year / 100 % 100); /* year 10000 as 0000: the caller adds the 1 */
    p = put_two(p, date.year % 100);
    *p++ = '-';
    p = put_two(p, date.month);
    *p++ = '-';
    return put_two(p, date.day);
}

static char *put_time(char *p, int32_t tod)
{
    p = put_two(p, tod / HOUR_SECONDS);
    *p++ = ':';
    p = put_two(p, tod / 60 % 60);
    *p++ = ':';
    return put_two(p, tod % 60);
}

enum fraction {
    FRACTION_SHORT, /* ".25", nothing for a whole second */
    FRACTION_FULL,  /* always three digits               */
};

static char *put_fraction(char *p, int ms, enum fraction fraction)
{
    if (ms == 0 && fraction == FRACTION_SHORT)
        return p;
    *p++ = '.';
    p = put_two(p, ms / 10);
    *p++ = (char)('0' + ms % 10);
    while (fraction == FRACTION_SHORT && p[-1] == '0')
        p--;
    return p;
}

/* Writes `t`, to which the caller has already added the offset. */
static char *put_moment(char *p, instant t, enum fraction fraction)
{
    int64_t seconds = instant_seconds(t);
    int64_t day = floor_div(seconds, DAY_SECONDS);

    p = put_date(p, day);
    *p++ = 'T';
    p = put_time(p, (int32_t)(seconds - day * DAY_SECONDS));
    return put_fraction(p, (int)((t - instant_of_seconds(seconds)) / SPAN_MS), fraction);
}

/* Limits `t` first: a lease granted on the last supported day ends after it. */
static void write_utc(instant t, enum fraction fraction, struct buf *out)
{
    char text[INSTANT_TEXT_MAX];
    char *p = put_moment(text, instant_clamp(t), fraction);

    *p++ = 'Z';
    buf_add(out, text, (size_t)(p - text));
}

void instant_format(instant t, struct buf *out)
{
    write_utc(t, FRACTION_SHORT, out);
}

void instant_format_ms(instant t, struct buf *out)
{
    write_utc(t, FRACTION_FULL, out);
}

/*
 * Two cases go beyond RFC 3339, because its form would be wrong: an offset with seconds (local
 * mean time, before zones existed), and a wall clock in year 0 or 10000, at the first or last
 * instants.
 */
void instant_format_local(instant t, int32_t offset, struct buf *out)
{
    char text[INSTANT_TEXT_MAX];
    int32_t size = offset < 0 ? -offset : offset;
    instant local = instant_clamp(t) + instant_of_seconds(offset);
    char *p = text;

    must(size <= TZ_OFFSET_MAX);
    if (local > INSTANT_MAX)
        *p++ = '1';
    p = put_moment(p, local, FRACTION_SHORT);
    *p++ = offset < 0 ? '-' : '+';
    p = put_time(p, size);
    if (size % 60 == 0)
        p -= 3;
    buf_add(out, text, (size_t)(p - text));
}

void time_of_day_format(int32_t tod, struct buf *out)
{
    char text[sizeof "HH:MM:SS"];
    char *p;

    must(tod >= 0 && tod < DAY_SECONDS);
    p = put_time(text, tod);
    if (tod % 60 == 0)
        p -= 3;
    buf_add(out, text, (size_t)(p - text));
}

void date_format(int64_t day, struct buf *out)
{
    char text[sizeof "YYYY-MM-DD"];
    char *p;

    must(day >= DAY_MIN && day <= DAY_MAX);
    p = put_date(text, day);
    buf_add(out, text, (size_t)(p - text));
}

/* Durations. */

struct unit {
    const char *name;
    int64_t ns;
};

static const struct unit units[] = {
    {"d", 1000 * SPAN_DAY}, {"h", 1000 * SPAN_H},  {"m", 1000 * SPAN_MIN}, {"s", 1000 * SPAN_S},
    {"ms", 1000 * SPAN_MS}, {"us", INT64_C(1000)}, {"ns", INT64_C(1)},
};

enum { UNITS = sizeof units / sizeof units[0] };

/* A sum in microseconds, plus a rest in nanoseconds. */
struct length {
    int64_t us, ns;
};

/* One "number unit": where its parts are in the text. */
struct quantity {
    struct str whole, fraction;
    size_t at, fraction_at;
    int unit;
};

static struct str take_digits(struct scan *scan)
{
    size_t from = scan->at;

    while (!scan_is_done(scan) && char_is_digit(scan->text.ptr[scan->at]))
        scan->at++;
    return (struct str){scan->text.ptr + from, scan->at - from};
}

static enum rc take_unit(struct scan *scan, int *ret, struct err *reterr)
{
    struct str name = {scan->text.ptr + scan->at, 0};

    while (name.len < scan->text.len - scan->at && char_is_alpha(name.ptr[name.len]))
        name.len++;
    if (name.len == 0)
        return fail_at(scan, "a number needs a unit", reterr);
    for (int i = 0; i < UNITS; i++) {
        if (str_eq(name, str_of(units[i].name))) {
            scan->at += name.len;
            *ret = i;
            return RC_OK;
        }
    }
    return err_set(reterr, RC_INVALID, (int)scan->at, (int)name.len,
                   "unknown unit; use d, h, m, s, ms, us or ns");
}

static enum rc take_quantity(struct scan *scan, struct quantity *q, struct err *reterr)
{
    *q = (struct quantity){.at = scan->at};
    q->whole = take_digits(scan);
    if (q->whole.len == 0)
        return fail_at(scan, "a number is missing", reterr);
    if (take_char(scan, '.')) {
        q->fraction_at = scan->at;
        q->fraction = take_digits(scan);
        if (q->fraction.len == 0)
            return fail_at(scan, "digits must follow the point", reterr);
    }
    return take_unit(scan, &q->unit, reterr);
}

/* Each digit must be whole nanoseconds, so that nothing is rounded. */
static enum rc add_fraction(struct length *sum, const struct quantity *q, struct err *reterr)
{
    int64_t weight = units[q->unit].ns;

    for (size_t i = 0; i < q->fraction.len; i++) {
        int digit = q->fraction.ptr[i] - '0';

        weight = weight % 10 == 0 ? weight / 10 : 0;
        if (digit != 0 && weight == 0)
            return err_set(reterr, RC_INVALID, (int)(q->fraction_at + i), 1,
                           "this digit is less than a nanosecond; leave it out");
        sum->ns += digit * weight;
    }
    return RC_OK;
}

static enum rc add_quantity(struct length *sum, const struct quantity *q, struct err *reterr)
{
    int64_t ns = units[q->unit].ns;
    int64_t most = ns >= 1000 ? DURATION_MAX / (ns / 1000) : INT64_MAX - 1;
    struct str digits = q->whole;
    int64_t number = 0;
    enum rc rc;

    str_take_number(&digits, most, &number);
    if (number <= most) {
        sum->us += ns >= 1000 ? number * (ns / 1000) : number / 1000;
        sum->ns += ns >= 1000 ? 0 : number % 1000;
    }
    rc = add_fraction(sum, q, reterr);
    if (rc != RC_OK)
        return rc;
    sum->us += sum->ns / 1000;
    sum->ns %= 1000;
    if (number > most || sum->us > DURATION_MAX)
        return err_set(reterr, RC_INVALID, (int)q->at, (int)q->whole.len,
                       "too long; a duration is at most 1000 years (%dd)", DURATION_DAYS_MAX);
    return RC_OK;
}

enum rc duration_parse(struct str text, span *ret, struct err *reterr)
{
    struct scan scan = {.text = text, .like = "250ms, 90s, 1h30m or 7d"};
    struct length sum = {0, 0};
    int last = -1;

    if (text.len == 0)
        return fail_at(&scan, "a duration is missing", reterr);
    if (text.ptr[0] == '-')
        return fail_at(&scan, "a duration cannot be negative", reterr);
    while (!scan_is_done(&scan)) {
        struct quantity q;
        enum rc rc = take_quantity(&scan, &q, reterr);

        if (rc != RC_OK)
            return rc;
        if (q.unit <= last)
            return err_set(reterr, RC_INVALID, (int)q.at, (int)(scan.at - q.at),
                           "units must be in the order d h m s ms us ns, each at most once");
        last = q.unit;
        rc = add_quantity(&sum, &q, reterr);
        if (rc != RC_OK)
            return rc;
    }
    if (sum.ns != 0)
        return err_set(reterr, RC_INVALID, 0, (int)text.len,
                       "a duration is a whole number of microseconds");
    *ret = sum.us;
    return RC_OK;
}

void duration_format(span d, struct buf *out)
{
    must(d >= 0);
    if (d == 0) {
        buf_text(out, "0s");
        return;
    }
    for (int i = 0; i < UNITS && d > 0; i++) {
        span unit = units[i].ns / 1000;

        if (d / unit > 0) {
            buf_int(out, d / unit);
            buf_text(out, units[i].name);
        }
        d %= unit;
    }
}
