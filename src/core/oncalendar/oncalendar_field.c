/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser of one OnCalendar field.
 */
#include "core/oncalendar/oncalendar_field.h"

#include "core/limits.h"

enum { SECOND_MS = 1000, MINUTE_MS = 60 * SECOND_MS };

/* The limit of systemd: the shortest month has 28 days. */
enum { LAST_MAX = 28 };

/* This file counts seconds in milliseconds. */
static const struct {
    const char *name;
    int32_t min, max;
} fields[] = {
    [ONCALENDAR_YEAR] = {"year", CRON_YEAR_MIN, CRON_YEAR_MAX},
    [ONCALENDAR_MONTH] = {"month", 1, 12},
    [ONCALENDAR_DAY] = {"day-of-month", 1, 31},
    [ONCALENDAR_LAST] = {"day-of-month", 1, LAST_MAX},
    [ONCALENDAR_HOUR] = {"hour", 0, 23},
    [ONCALENDAR_MINUTE] = {"minute", 0, 59},
    [ONCALENDAR_SECOND] = {"second", 0, MINUTE_MS - 1},
};

struct item {
    struct str text;        /* as written          */
    int32_t from, to, step; /* step 0: only `from` */
    bool is_range, has_step;
};

struct reader {
    const char *origin;
    struct str rest; /* not yet read */
    enum oncalendar_field field;
    struct err *reterr;
};

struct str oncalendar_until(struct str s, const char *stops)
{
    size_t n = 0, count = strlen(stops);

    while (n < s.len && !memchr(stops, s.ptr[n], count))
        n++;
    return (struct str){s.ptr, n};
}

static char peek(const struct reader *r, size_t i)
{
    return oncalendar_peek(r->rest, i);
}

static void skip(struct reader *r, size_t n)
{
    r->rest = str_from(r->rest, n);
}

static enum rc fail(const struct reader *r, struct str where, const char *why)
{
    return err_set(r->reterr, RC_INVALID, (int)(where.ptr - r->origin), (int)where.len, "%s",
                   why);
}

/* Digits after the point, as milliseconds. */
static enum rc take_fraction(struct reader *r, int32_t *ret)
{
    static const int32_t unit[] = {100, 10, 1};
    int32_t ms = 0;
    size_t n = 0;

    for (; char_is_digit(peek(r, n)); n++) {
        if (n < 3)
            ms += (peek(r, n) - '0') * unit[n];
        else if (peek(r, n) != '0')
            return fail(r, (struct str){r->rest.ptr + n, 1},
                        "seconds have at most three digits after the point; the resolution is "
                        "a millisecond");
    }
    if (n == 0)
        return fail(r, (struct str){r->rest.ptr, 0}, "digits are missing after the point");
    skip(r, n);
    *ret = ms;
    return RC_OK;
}

/* Reads a number in the unit of the field; a number that is too big stays out of range. */
static enum rc take_value(struct reader *r, int32_t *ret)
{
    bool is_second = r->field == ONCALENDAR_SECOND;
    struct str word = oncalendar_until(r->rest, ",/");
    int64_t number;
    int32_t ms = 0;
    enum rc rc = RC_OK;

    if (str_take_number(&r->rest, MINUTE_MS, &number) == 0)
        return fail(r, word,
                    word.len == 0
                        ? "a number is missing here"
                        : "expected a number; \"*\" is allowed only alone, without list, "
                          "range or step");
    if (is_second && peek(r, 0) == '.' && peek(r, 1) != '.') {
        skip(r, 1);
        rc = take_fraction(r, &ms);
    }
    *ret = (int32_t)number * (is_second ? SECOND_MS : 1) + ms;
    return rc;
}

/* A year of two digits means 1970 to 2069. */
static int32_t whole_year(int32_t year)
{
    return year < 70 ? year + 2000 : year < 100 ? year + 1900 : year;
}

/* value, value/step, value..value or value..value/step */
static enum rc take_item(struct reader *r, struct item *item)
{
    struct str begin = r->rest;
    enum rc rc = take_value(r, &item->from);

    item->to = item->from;
    if (rc == RC_OK && peek(r, 0) == '.' && peek(r, 1) == '.') {
        skip(r, 2);
        item->is_range = true;
        item->step = r->field == ONCALENDAR_SECOND ? SECOND_MS : 1;
        rc = take_value(r, &item->to);
    }
    if (rc == RC_OK && peek(r, 0) == '/') {
        skip(r, 1);
        item->has_step = true;
        rc = take_value(r, &item->step);
    }
    if (r->field == ONCALENDAR_YEAR) {
        item->from = whole_year(item->from);
        item->to = whole_year(item->to);
    }
    item->text = (struct str){begin.ptr, begin.len - r->rest.len};
    return rc;
}

static enum rc check_value(const struct reader *r, int32_t value, struct str where)
{
    int32_t min = fields[r->field].min, max = fields[r->field].max;

    if (value >= min && value <= max)
        return RC_OK;
    if (r->field == ONCALENDAR_LAST)
        return fail(r, where,
                    "after \"~\" write the distance from the end of the month, 1 to 28");
    if (r->field == ONCALENDAR_SECOND)
        return fail(r, where, "seconds are 0 to 59.999");
    return err_set(r->reterr, RC_INVALID, (int)(where.ptr - r->origin), (int)where.len,
                   "%s %d is out of range %d to %d", fields[r->field].name, (int)value,
                   (int)min, (int)max);
}

/* Checks the numbers, and sets `to` to the last value that a step reaches. */
static enum rc finish_item(const struct reader *r, struct item *item)
{
    bool is_last = r->field == ONCALENDAR_LAST;
    int32_t room;
    enum rc rc = check_value(r, item->from, item->text);

    if (rc == RC_OK)
        rc = check_value(r, item->to, item->text);
    if (rc != RC_OK || !(item->is_range || item->has_step))
        return rc;
    if (item->step == 0)
        return fail(r, item->text, "a step must be above 0");
    if (item->to < item->from)
        return fail(r, item->text, "a range goes from the smaller to the larger value");
    if (item->is_range && !item->has_step && item->to - item->from < item->step &&
        r->field == ONCALENDAR_SECOND)
        return fail(r, item->text, "a range below a second needs a step, as in 1..1.5/0.25");
    room = item->is_range ? item->to - item->from : fields[r->field].max - item->from;
    /* From the n-th last day, steps go down to the last day. */
    if (is_last && !item->is_range)
        room = item->from - 1;
    if (!item->is_range && item->step > room)
        return fail(r, item->text,
                    "the first step is already out of range; leave the step out");
    room -= room % item->step;
    if (is_last && !item->is_range)
        item->from -= room;
    item->to = item->from + room;
    if (room == 0)
        item->step = 0;
    return RC_OK;
}

static int bit_of(enum oncalendar_field field, int32_t value)
{
    if (field == ONCALENDAR_YEAR)
        return value - CRON_YEAR_MIN;
    return field == ONCALENDAR_SECOND ? value / SECOND_MS : value;
}

static void add_item(struct oncalendar_values *v, enum oncalendar_field field,
                     const struct item *item)
{
    int32_t step = item->step > 0 ? item->step : MINUTE_MS;

    for (int32_t value = item->from; value <= item->to; value += step) {
        int bit = bit_of(field, value);

        v->bits[bit / 64] |= UINT64_C(1) << bit % 64;
    }
    v->is_interval = v->is_interval || item->is_range || item->has_step;
    if (field != ONCALENDAR_SECOND)
        return;
    if (item->from % SECOND_MS != 0 || item->step % SECOND_MS != 0)
        v->has_fraction = true;
    if (v->parts < CRON_PARTS_MAX)
        v->part[v->parts] = (struct cron_part){item->from, item->to, item->step};
    v->parts++;
}

static enum rc parse_list(struct reader *r, struct oncalendar_values *v)
{
    struct str begin = r->rest;

    for (;;) {
        struct item item = {.step = 0};
        enum rc rc = take_item(r, &item);

        if (rc == RC_OK)
            rc = finish_item(r, &item);
        if (rc != RC_OK)
            return rc;
        add_item(v, r->field, &item);
        if (v->has_fraction && v->parts > CRON_PARTS_MAX)
            return err_set(r->reterr, RC_INVALID, (int)(begin.ptr - r->origin), (int)begin.len,
                           "with fractions, seconds have at most %d items; split the entry",
                           CRON_PARTS_MAX);
        if (r->rest.len == 0)
            return RC_OK;
        if (peek(r, 0) != ',')
            return fail(r, (struct str){r->rest.ptr, 1},
                        "cannot follow a number; write lists as 1,2, ranges as 1..5, steps as "
                        "1/2");
        skip(r, 1);
    }
}

enum rc oncalendar_field_parse(struct str text, enum oncalendar_field field, const char *origin,
                               struct oncalendar_values *ret, struct err *reterr)
{
    struct reader r = {.origin = origin, .rest = text, .field = field, .reterr = reterr};
    struct oncalendar_values v = {.parts = 0};
    enum rc rc;

    if (str_eq(text, STR("*"))) {
        v.is_any = v.is_interval = true;
    } else {
        rc = parse_list(&r, &v);
        if (rc != RC_OK)
            return err_in(reterr, "%s", fields[field].name);
    }
    *ret = v;
    return RC_OK;
}
