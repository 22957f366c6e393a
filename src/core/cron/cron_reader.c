/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of a cron field: numbers and names, their ranges, and the errors for wrong ones.
 */
#include "core/cron/cron_reader.h"

#include <string.h>

#include "base/buf.h"
#include "base/must.h"

static const struct {
    const char *text; /* as in "minute 61 is out of range" */
    const char *noun; /* as in "FOO is not a month"        */
    int16_t min, max, count;
} units[UNIT_COUNT] = {
    [UNIT_SECOND] = {"second", "a second", 0, 59, 60},
    [UNIT_MINUTE] = {"minute", "a minute", 0, 59, 60},
    [UNIT_HOUR] = {"hour", "an hour", 0, 23, 24},
    [UNIT_DAY] = {"day-of-month", "a day of the month", 1, 31, 31},
    [UNIT_MONTH] = {"month", "a month", 1, 12, 12},
    [UNIT_WEEKDAY] = {"day-of-week", "a weekday", 0, 7, 7},
    [UNIT_YEAR] = {"year", "a year", CRON_YEAR_MIN, CRON_YEAR_MAX,
                   CRON_YEAR_MAX - CRON_YEAR_MIN + 1},
};

static const char *const month_names[] = {"january",   "february", "march",    "april",
                                          "may",       "june",     "july",     "august",
                                          "september", "october",  "november", "december"};
static const char *const weekday_names[] = {"sunday",   "monday", "tuesday", "wednesday",
                                            "thursday", "friday", "saturday"};

enum {
    NAME_LEN = 3,
    MONTH_PREFIX_MIN = 3, /* ju is June or July */
    WEEKDAY_PREFIX_MIN = 2,
};

const char *cron_unit_text(enum cron_unit unit)
{
    must((unsigned)unit < UNIT_COUNT);
    return units[unit].text;
}

struct cron_reader cron_reader(const struct cron_context *ctx, enum cron_unit unit,
                               struct str text, struct cron *out, struct err *reterr)
{
    const struct cron_grammar *grammar = ctx->grammar;
    struct cron_reader r = {
        .ctx = ctx,
        .unit = unit,
        .min = units[unit].min,
        .max = units[unit].max,
        .count = units[unit].count,
        .start = text.ptr,
        .at = text.ptr,
        .end = text.ptr + text.len,
        .item = text.ptr,
        .out = out,
        .reterr = reterr,
    };

    if (unit == UNIT_WEEKDAY) {
        r.min = grammar->week_min;
        r.max = grammar->week_max;
    }
    if (unit == UNIT_YEAR) {
        r.min = grammar->year_min;
        r.max = grammar->year_max;
        r.count = r.max - r.min + 1;
    }
    return r;
}

bool reader_is_letter(const struct cron_reader *r, char capital)
{
    char c = reader_peek(r);
    bool only_upper = reader_may(r, ONLY_UPPER) && r->unit != UNIT_WEEKDAY;

    return c == capital || (!only_upper && c == char_lower(capital));
}

/* The unit with its article, as in "FOO is not a month". */
static const char *reader_noun(const struct cron_reader *r)
{
    return units[r->unit].noun;
}

static int shown(int len)
{
    return len > WORD_SHOWN_MAX ? WORD_SHOWN_MAX : len;
}

int reader_word_length(const struct cron_reader *r, const char *p)
{
    static const char separators[] = ",-/#~()";
    const char *q = p;

    while (q < r->end && !memchr(separators, *q, sizeof separators - 1))
        q++;
    if (q == p && q < r->end && *q != ',')
        q++;
    return (int)(q - p);
}

/* ---- errors ---- */

static const char *name_range(const struct cron_reader *r)
{
    if (r->ctx->grammar->names == NAMES_NONE)
        return "";
    if (r->unit == UNIT_MONTH)
        return " or JAN–DEC";
    return r->unit == UNIT_WEEKDAY ? " or SUN–SAT" : "";
}

static enum rc reader_not_a_value(const struct cron_reader *r, const char *p)
{
    int len = reader_word_length(r, p);

    if (len == 0)
        return err_set(r->reterr, RC_INVALID, reader_column(r, p), 0,
                       "%s is missing; use %d–%d%s", reader_noun(r), r->min, r->max,
                       name_range(r));
    return err_set(r->reterr, RC_INVALID, reader_column(r, p), len,
                   "\"%.*s\" is not %s; use %d–%d%s", shown(len), p, reader_noun(r), r->min,
                   r->max, name_range(r));
}

static enum rc out_of_range(const struct cron_reader *r, const char *p)
{
    int len = reader_length_from(r, p);
    bool is_week = r->unit == UNIT_WEEKDAY && r->min == 0;

    return err_set(r->reterr, RC_INVALID, reader_column(r, p), len,
                   "%s %.*s is out of range %d–%d%s", units[r->unit].text, shown(len), p,
                   r->min, r->max, is_week ? " (in quartz and aws 1=Sunday)" : "");
}

enum rc reader_unexpected(const struct cron_reader *r)
{
    int len = reader_length_from(r, r->item);
    bool is_near = r->unit == UNIT_DAY && reader_may(r, MAY_SPECIAL) &&
                   reader_is_letter(r, 'W');

    if (is_near)
        return err_set(r->reterr, RC_INVALID, reader_column(r, r->item), len + 1,
                       "\"W\" takes a single day");
    return err_set(r->reterr, RC_INVALID, reader_column(r, r->at), 1,
                   "unexpected \"%c\" after \"%.*s\"; separate items with \",\"", *r->at,
                   shown(len), r->item);
}

/* "a" or "a-b" */
static void add_range_text(struct buf *buf, int a, int b)
{
    if (a == b)
        buf_printf(buf, "%d", a);
    else
        buf_printf(buf, "%d-%d", a, b);
}

enum rc reader_backwards(const struct cron_reader *r, int from, int to)
{
    char array[48];
    struct buf text = BUF(array);

    if (r->unit == UNIT_YEAR) {
        add_range_text(&text, to, from);
    } else if (r->unit == UNIT_WEEKDAY && to == 0 && r->max == 7) {
        add_range_text(&text, from, 7);
    } else {
        add_range_text(&text, from, r->min + r->count - 1);
        buf_char(&text, ',');
        add_range_text(&text, r->min, to);
    }
    return err_set(r->reterr, RC_INVALID, reader_column(r, r->item),
                   reader_length_from(r, r->item), "%s ranges cannot wrap; write \"%s\"",
                   units[r->unit].text, array);
}

/* ---- values ---- */

bool reader_number(struct cron_reader *r, int *ret)
{
    const char *p = r->at;
    int64_t n = 0;

    if (reader_may(r, MAY_SIGN) && p + 1 < r->end && *p == '+')
        p++;
    if (p == r->end || !char_is_digit(*p))
        return false;
    for (; p < r->end && char_is_digit(*p); p++)
        n = n > INT32_MAX ? n : n * 10 + (*p - '0');
    *ret = n > INT32_MAX ? INT32_MAX : (int)n;
    r->at = p;
    return true;
}

/* True if the text at `p` begins with the first `len` letters of `name`. */
static bool is_prefix(const char *p, const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (char_lower(p[i]) != name[i])
            return false;
    return true;
}

/* Index of the first name that starts with these letters; -1 if there is none. */
static int find_name(const struct cron_reader *r, const char *p, size_t len)
{
    const char *const *names = r->unit == UNIT_MONTH ? month_names : weekday_names;

    for (int i = 0; i < r->count; i++)
        if (is_prefix(p, names[i], len)) /* stops at the end of a shorter name */
            return i;
    return -1;
}

static int name_value(const struct cron_reader *r, int index)
{
    if (r->unit == UNIT_MONTH)
        return index + 1;
    return index == 0 && reader_may(r, MONDAY_BEGINS) ? 7 : index + r->min;
}

static enum rc take_name(struct cron_reader *r, struct cron_value *ret)
{
    bool exact = r->ctx->grammar->names == NAMES_THREE;
    size_t min = exact                   ? NAME_LEN
                 : r->unit == UNIT_MONTH ? MONTH_PREFIX_MIN
                                         : WEEKDAY_PREFIX_MIN;
    const char *p = r->at;
    size_t len = 0;
    int index;

    while (p + len < r->end && char_is_alpha(p[len]))
        len++;
    /* FRIL means FRI followed by L. */
    if (len == NAME_LEN + 1 && r->unit == UNIT_WEEKDAY && reader_may(r, MAY_SPECIAL) &&
        char_lower(p[NAME_LEN]) == 'l')
        len = NAME_LEN;
    index = len >= min ? find_name(r, p, exact ? NAME_LEN : len) : -1;
    if (index < 0)
        return reader_not_a_value(r, p);
    if (exact && len != NAME_LEN) {
        int word = reader_word_length(r, p);

        return err_set(r->reterr, RC_INVALID, reader_column(r, p), word,
                       "\"%.*s\" is not %s; use \"%c%c%c\"", shown(word), p, reader_noun(r),
                       p[0] & ~0x20, p[1] & ~0x20, p[2] & ~0x20);
    }
    r->at = p + len;
    *ret = (struct cron_value){name_value(r, index), true};
    return RC_OK;
}

enum rc reader_value(struct cron_reader *r, struct cron_value *ret)
{
    const char *p = r->at;
    bool has_names = r->ctx->grammar->names != NAMES_NONE &&
                     (r->unit == UNIT_MONTH || r->unit == UNIT_WEEKDAY);

    if (reader_number(r, &ret->number)) {
        ret->is_name = false;
        return ret->number < r->min || ret->number > r->max ? out_of_range(r, p) : RC_OK;
    }
    if (has_names && char_is_alpha(reader_peek(r)))
        return take_name(r, ret);
    return reader_not_a_value(r, p);
}
