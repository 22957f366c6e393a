/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser of one field: lists of items; ranges, steps, L, W, # and H, as far as the
 * cron_grammar of the dialect allows them.
 */
#include "core/cron/cron_field.h"

#include "base/must.h"
#include "core/cron/cron_reader.h"

enum {
    HASH_DAY_MAX = 28, /* H picks a day that every month has           */
    HASH_WEEK_MAX = 6, /* not 7: Sunday, 0 and 7, would be twice as likely */
    NTH_MAX = 5,
    LAST_MAX = 30, /* L-30 is the first day of a month of 31 */
};

/* ---- steps and ranges ---- */

/* `to` may exceed the maximum: the range then continues at the minimum. */
static void add_range(struct cron_reader *r, int from, int to, int step)
{
    if (step == 1 && to <= r->max && r->unit != UNIT_YEAR) {
        r->bits[0] |= (~UINT64_C(0) >> (63 - (to - from))) << from;
        return;
    }
    for (int64_t v = from; v <= to; v += step) {
        int n = (int)(v > r->max ? v - r->count : v);

        if (r->unit == UNIT_YEAR)
            n -= CRON_YEAR_MIN;
        r->bits[n / 64] |= UINT64_C(1) << n % 64;
    }
}

/* The largest step that the dialect allows in this unit. */
static int step_limit(const struct cron_reader *r)
{
    switch ((enum cron_steps)r->ctx->grammar->steps) {
    case STEPS_FIELD:
        return r->count;
    case STEPS_BELOW:
        return r->unit <= UNIT_HOUR ? r->count - 1 : r->count;
    case STEPS_ANY:
        return INT32_MAX - 1;
    case STEPS_NONE:
        break;
    }
    return 0;
}

static enum rc step_too_large(const struct cron_reader *r, const char *p, int step)
{
    static const char suffix[] = {'s', 'm', 'h'};
    bool has_every = r->ctx->grammar->every == EVERY_WHOLE && r->unit <= UNIT_HOUR;
    const char *unit = cron_unit_text(r->unit);
    int len = reader_length_from(r, p);

    if (has_every && step < INT32_MAX)
        return err_set(r->reterr, RC_INVALID, reader_column(r, p), len,
                       "step %d exceeds the %s field (%d values); for every %d %ss use "
                       "\"@every %d%c\"",
                       step, unit, r->count, step, unit, step, suffix[r->unit]);
    return err_set(r->reterr, RC_INVALID, reader_column(r, p), len,
                   "step %.*s exceeds the %s field (%d values); use at most %d",
                   len > WORD_SHOWN_MAX ? WORD_SHOWN_MAX : len, p, unit, r->count,
                   step_limit(r));
}

/* The next character is `/`. */
static enum rc take_step(struct cron_reader *r, int *ret)
{
    const char *p = ++r->at;
    int step;

    if (r->ctx->grammar->steps == STEPS_NONE)
        return err_set(r->reterr, RC_INVALID, reader_column(r, p - 1), 1,
                       "dialect %s has no steps; list the values",
                       dialect_text(r->ctx->dialect));
    if (!reader_number(r, &step))
        return err_set(r->reterr, RC_INVALID, reader_column(r, p), reader_word_length(r, p),
                       "a number is missing after \"/\"");
    if (step == 0)
        return err_set(r->reterr, RC_INVALID, reader_column(r, p), reader_length_from(r, p),
                       "step must be at least 1");
    if (step > step_limit(r))
        return step_too_large(r, p, step);
    r->marks |= FIELD_INTERVAL;
    *ret = step;
    return RC_OK;
}

static enum rc take_optional_step(struct cron_reader *r, int *ret)
{
    *ret = 1;
    return reader_peek(r) == '/' ? take_step(r, ret) : RC_OK;
}

/* `*`, `?` or nothing has been read; a step may follow. */
static enum rc take_star(struct cron_reader *r)
{
    int from = r->min;
    int step;
    enum rc rc;

    if (reader_may(r, ONLY_LONE_STAR) && r->end - r->start != 1)
        return err_set(r->reterr, RC_INVALID, reader_column(r, r->item), 1,
                       "in dialect %s \"*\" is a whole field; list the values",
                       dialect_text(r->ctx->dialect));
    r->marks |= FIELD_INTERVAL;
    rc = take_optional_step(r, &step);
    if (rc != RC_OK)
        return rc;
    if (step == 1)
        r->marks |= FIELD_STAR;
    else if (r->item == r->start)
        r->marks |= FIELD_STAR_STEPS;
    if (r->unit == UNIT_WEEKDAY && reader_may(r, MONDAY_BEGINS))
        from = 1;
    add_range(r, from, from + r->count - 1, step);
    return RC_OK;
}

static enum rc take_query(struct cron_reader *r)
{
    bool is_day = r->unit == UNIT_DAY || r->unit == UNIT_WEEKDAY;
    bool is_alone = r->end - r->start == 1;

    r->at++;
    r->marks |= FIELD_QUERY;
    if (reader_may(r, MAY_QUERY_ANY) || (reader_may(r, MAY_QUERY) && is_day && is_alone))
        return take_star(r);
    if (!reader_may(r, MAY_QUERY))
        return err_set(r->reterr, RC_INVALID, reader_column(r, r->item), 1,
                       "dialect %s has no \"?\"; use \"*\"", dialect_text(r->ctx->dialect));
    if (is_day)
        return err_set(r->reterr, RC_INVALID, reader_column(r, r->item), 1,
                       "\"?\" is a whole field; leave out the rest, or use \"*\"");
    return err_set(r->reterr, RC_INVALID, reader_column(r, r->item), 1,
                   "\"?\" is allowed only in day-of-month or day-of-week; use \"*\"");
}

static bool may_wrap(const struct cron_reader *r)
{
    if (r->unit == UNIT_DAY)
        return reader_may(r, MAY_WRAP_DAY);
    return r->unit != UNIT_YEAR && reader_may(r, MAY_WRAP);
}

/* *from has been read, the next character is `-`. */
static enum rc take_range(struct cron_reader *r, struct cron_value *from, int *ret_to)
{
    bool is_week = r->unit == UNIT_WEEKDAY;
    struct cron_value to;
    enum rc rc;

    r->at++;
    if (reader_item_ends(r))
        return err_set(r->reterr, RC_INVALID, reader_column(r, r->at), 0,
                       "a number is missing after \"-\"");
    rc = reader_value(r, &to);
    if (rc != RC_OK)
        return rc;
    if (reader_may(r, ONLY_PURE_NAMES) && from->is_name != to.is_name)
        return err_set(r->reterr, RC_INVALID, reader_column(r, r->item),
                       reader_length_from(r, r->item),
                       "dialect %s takes two names or two numbers; write \"%d-%d\"",
                       dialect_text(r->ctx->dialect), from->number, to.number);
    if (is_week && reader_may(r, SUNDAY_ENDS) && to.number == 0 && from->number > 0)
        to.number = 7;
    if (is_week && reader_may(r, MONDAY_BEGINS) && from->number == 7)
        from->number = 0;
    if (from->number > to.number && !may_wrap(r))
        return reader_backwards(r, from->number, to.number);
    r->marks |= FIELD_INTERVAL;
    *ret_to = from->number > to.number ? to.number + r->count : to.number;
    return RC_OK;
}

/* ---- H and ~ ---- */

/* Adds one value of from..to, or every step-th from a start; the seed chooses. */
static enum rc add_hashed(struct cron_reader *r, int from, int to)
{
    const char *p = r->at;
    int step, start;
    enum rc rc;

    if (r->unit == UNIT_YEAR)
        return err_set(r->reterr, RC_INVALID, reader_column(r, r->item),
                       reader_length_from(r, r->item),
                       "H and ~ cannot choose a year; use \"*\" or list the years");
    if (from > to)
        return err_set(r->reterr, RC_INVALID, reader_column(r, r->item),
                       reader_length_from(r, r->item),
                       "the range of \"%s\" cannot wrap; write %d first, then %d",
                       *r->item == 'H' || *r->item == 'h' ? "H" : "~", to, from);
    rc = take_optional_step(r, &step);
    if (rc != RC_OK)
        return rc;
    if (step > to - from + 1)
        return err_set(
            r->reterr, RC_INVALID, reader_column(r, p + 1), reader_length_from(r, p + 1),
            "step %d exceeds the range %d–%d; use at most %d", step, from, to, to - from + 1);
    /* As in Jenkins, H/1 means H. */
    start = from + cron_hash_draw(r->ctx->hash, step > 1 ? step : to - from + 1);
    add_range(r, start, step > 1 ? to : start, step);
    return RC_OK;
}

static enum rc expect_char(struct cron_reader *r, char c)
{
    if (reader_peek(r) != c)
        return err_set(r->reterr, RC_INVALID, reader_column(r, r->at), 0,
                       "\"%c\" is missing; write a range such as \"H(%d-%d)\"", c, r->min,
                       r->max);
    r->at++;
    return RC_OK;
}

/* The next character is `(`. */
static enum rc take_hash_range(struct cron_reader *r, int *ret_from, int *ret_to)
{
    struct cron_value from, to;
    enum rc rc = expect_char(r, '(');

    if (rc == RC_OK)
        rc = reader_value(r, &from);
    if (rc == RC_OK)
        rc = expect_char(r, '-');
    if (rc == RC_OK)
        rc = reader_value(r, &to);
    if (rc == RC_OK)
        rc = expect_char(r, ')');
    if (rc != RC_OK)
        return rc;
    *ret_from = from.number;
    *ret_to = to.number;
    return RC_OK;
}

/* The next character is `H`. */
static enum rc take_hash(struct cron_reader *r)
{
    int from = r->min;
    int to = r->unit == UNIT_DAY       ? HASH_DAY_MAX
             : r->unit == UNIT_WEEKDAY ? HASH_WEEK_MAX
                                       : r->max;
    enum rc rc;

    r->at++;
    if (reader_peek(r) == '(') {
        rc = take_hash_range(r, &from, &to);
        if (rc != RC_OK)
            return rc;
    }
    return add_hashed(r, from, to);
}

/* The next character is `~`. */
static enum rc take_tilde(struct cron_reader *r, int from)
{
    struct cron_value to = {r->min + r->count - 1, false};
    enum rc rc;

    r->at++;
    if (!reader_may(r, MAY_OPEN_TILDE) || !(reader_item_ends(r) || reader_peek(r) == '/')) {
        rc = reader_value(r, &to);
        if (rc != RC_OK)
            return rc;
    }
    return add_hashed(r, from, to.number);
}

/* ---- L, W and # ---- */

static uint8_t weekday_bit(const struct cron_reader *r, int value)
{
    return (uint8_t)(1 << (value - r->min) % 7);
}

/* After L, W and #n only the next item may follow. */
static enum rc expect_special_end(const struct cron_reader *r)
{
    bool is_alone = r->item == r->start && r->at == r->end;

    if (r->unit == UNIT_WEEKDAY && reader_may(r, ONLY_LONE_NTH) && !is_alone)
        return err_set(r->reterr, RC_INVALID, reader_column(r, r->item),
                       reader_length_from(r, r->item),
                       "in dialect %s \"%.*s\" is a whole field; use a second schedule",
                       dialect_text(r->ctx->dialect), reader_length_from(r, r->item), r->item);
    if (reader_item_ends(r))
        return RC_OK;
    return err_set(r->reterr, RC_INVALID, reader_column(r, r->item),
                   reader_length_from(r, r->item) + 1,
                   "\"%.*s\" takes no range or step, and nothing after it",
                   reader_length_from(r, r->item), r->item);
}

/* The next character is the L of a day field. */
static enum rc take_last(struct cron_reader *r)
{
    int max = reader_may(r, MAY_VOID) ? INT32_MAX - 1 : LAST_MAX;
    bool has_offset, is_near;
    int offset = 0;
    const char *p;

    r->at++;
    has_offset = reader_peek(r) == '-';
    p = r->at += has_offset;
    if (has_offset && (!reader_number(r, &offset) || offset < 1 || offset > max))
        return err_set(r->reterr, RC_INVALID, reader_column(r, p), reader_word_length(r, p),
                       "\"L-\" counts days before the last one; use 1–%d", LAST_MAX);
    is_near = reader_is_letter(r, 'W') && (!has_offset || reader_may(r, MAY_LAST_NEAR));
    r->at += is_near;
    if (offset <= LAST_MAX && is_near)
        r->out->last_near |= UINT32_C(1) << offset;
    else if (offset <= LAST_MAX)
        r->out->last |= UINT32_C(1) << offset;
    return expect_special_end(r);
}

/* The next character is the W after a day. */
static enum rc take_near(struct cron_reader *r, int day)
{
    r->at++;
    r->out->near |= UINT32_C(1) << day;
    return expect_special_end(r);
}

/* The next character is the L of a weekday field, with no day before it. */
static enum rc take_week_last(struct cron_reader *r)
{
    r->at++;
    if (reader_may(r, MAY_WEEK_LAST)) {
        add_range(r, r->max, r->max, 1);
        return expect_special_end(r);
    }
    return err_set(r->reterr, RC_INVALID, reader_column(r, r->item), 1,
                   "which day? \"5L\" is the last Friday; for the last day of the month put "
                   "\"L\" in day-of-month");
}

/* The next character is the L after a weekday. */
static enum rc take_last_weekday(struct cron_reader *r, int weekday)
{
    r->at++;
    r->out->nth[0] |= weekday_bit(r, weekday);
    return expect_special_end(r);
}

/* The next character is the `#` after a weekday. */
static enum rc take_nth(struct cron_reader *r, int weekday)
{
    const char *p = ++r->at;
    int max = reader_may(r, MAY_VOID) ? INT32_MAX - 1 : NTH_MAX;
    int nth;

    if (reader_may(r, MAY_NTH_LAST) && reader_is_letter(r, 'L'))
        return take_last_weekday(r, weekday);
    if (!reader_number(r, &nth) || nth == 0)
        return err_set(r->reterr, RC_INVALID, reader_column(r, p), reader_word_length(r, p),
                       "which one? after \"#\" write 1–%d", NTH_MAX);
    if (nth > max)
        return err_set(r->reterr, RC_INVALID, reader_column(r, p), reader_length_from(r, p),
                       "a month has at most five of any weekday");
    if (nth <= NTH_MAX)
        r->out->nth[nth] |= weekday_bit(r, weekday);
    return expect_special_end(r);
}

/* ---- items and fields ---- */

/* True if the value just read is the start of nW, dL, d#n or a~b. */
static bool starts_special(const struct cron_reader *r)
{
    bool may_special = reader_may(r, MAY_SPECIAL);

    if (reader_item_ends(r))
        return false;
    if (reader_peek(r) == '~')
        return reader_may(r, MAY_TILDE);
    if (r->unit == UNIT_DAY)
        return may_special && reader_is_letter(r, 'W');
    return r->unit == UNIT_WEEKDAY && may_special &&
           (reader_is_letter(r, 'L') || reader_peek(r) == '#');
}

static enum rc take_special(struct cron_reader *r, int value)
{
    if (reader_peek(r) == '~')
        return take_tilde(r, value);
    if (reader_peek(r) == '#')
        return take_nth(r, value);
    return r->unit == UNIT_DAY ? take_near(r, value) : take_last_weekday(r, value);
}

/* A step after a value or range; the next character is `/`. */
static enum rc take_range_step(struct cron_reader *r, struct cron_value from, bool is_range,
                               int *ret)
{
    enum rc rc = take_step(r, ret);

    if (rc != RC_OK)
        return rc;
    if (!is_range && !reader_may(r, MAY_START_STEP))
        return err_set(r->reterr, RC_INVALID, reader_column(r, r->item),
                       reader_length_from(r, r->item),
                       "dialect %s takes a step after a range or \"*\"; write \"%d-%d/%d\"",
                       dialect_text(r->ctx->dialect), from.number, r->max, *ret);
    if (from.is_name && reader_may(r, ONLY_PURE_NAMES))
        return err_set(r->reterr, RC_INVALID, reader_column(r, r->item),
                       reader_length_from(r, r->item),
                       "dialect %s ignores a step after a name; write numbers",
                       dialect_text(r->ctx->dialect));
    return RC_OK;
}

/* A value or a range, either with a step, or one of the special forms. */
static enum rc take_values(struct cron_reader *r)
{
    struct cron_value from;
    bool is_range;
    int to, step = 1;
    enum rc rc = reader_value(r, &from);

    if (rc != RC_OK)
        return rc;
    if (starts_special(r))
        return take_special(r, from.number);
    to = from.number;
    is_range = reader_peek(r) == '-';
    if (is_range) {
        rc = take_range(r, &from, &to);
        if (rc != RC_OK)
            return rc;
    }
    if (reader_peek(r) == '/') {
        rc = take_range_step(r, from, is_range, &step);
        if (rc != RC_OK)
            return rc;
        to = is_range ? to : r->max;
    }
    add_range(r, from.number, to, step);
    return RC_OK;
}

/* True if this letter comes next and does not begin a word. */
static bool is_lone_letter(const struct cron_reader *r, char capital)
{
    return reader_is_letter(r, capital) &&
           !(r->at + 1 < r->end && char_is_alpha(r->at[1]) && char_lower(r->at[1]) != 'w');
}

static enum rc take_item(struct cron_reader *r)
{
    char c = reader_peek(r);

    if (char_is_digit(c))
        return take_values(r);
    if (c == '*') {
        r->at++;
        return take_star(r);
    }
    if (c == '?')
        return take_query(r);
    if (c == '/' && reader_may(r, MAY_BARE_STEP))
        return take_star(r);
    if (c == '~' && reader_may(r, MAY_OPEN_TILDE))
        return take_tilde(r, r->min);
    if (r->unit == UNIT_DAY && reader_may(r, MAY_SPECIAL) && is_lone_letter(r, 'L'))
        return take_last(r);
    if (r->unit == UNIT_WEEKDAY && reader_may(r, MAY_SPECIAL) && is_lone_letter(r, 'L'))
        return take_week_last(r);
    if (reader_may(r, MAY_HASH) && is_lone_letter(r, 'H'))
        return take_hash(r);
    return take_values(r);
}

static enum rc take_list(struct cron_reader *r)
{
    for (;;) {
        enum rc rc;

        r->item = r->at;
        if (reader_item_ends(r))
            return err_set(r->reterr, RC_INVALID, reader_column(r, r->at), 0,
                           "empty item in the %s list", cron_unit_text(r->unit));
        rc = take_item(r);
        if (rc != RC_OK)
            return rc;
        if (!reader_item_ends(r))
            return reader_unexpected(r);
        if (r->at == r->end)
            return RC_OK;
        r->marks |= FIELD_LIST;
        r->at++;
    }
}

static void store_bits(const struct cron_reader *r)
{
    struct cron *out = r->out;
    uint64_t bits = r->bits[0];

    switch (r->unit) {
    case UNIT_SECOND:
        out->second = bits;
        break;
    case UNIT_MINUTE:
        out->minute = bits;
        break;
    case UNIT_HOUR:
        out->hour = (uint32_t)bits;
        break;
    case UNIT_DAY:
        out->day = (uint32_t)bits;
        break;
    case UNIT_MONTH:
        out->month = (uint16_t)bits;
        break;
    case UNIT_WEEKDAY:
        bits >>= r->min;
        out->weekday = (uint8_t)((bits | bits >> 7) & 0x7f);
        break;
    case UNIT_YEAR:
        memcpy(out->year, r->bits, sizeof out->year);
        if (r->marks & FIELD_STAR)
            out->flags |= CRON_ANY_YEAR;
        break;
    case UNIT_COUNT:
        break;
    }
}

enum rc cron_field_parse(const struct cron_context *ctx, enum cron_unit unit, struct str text,
                         struct cron *out, unsigned *ret_marks, struct err *reterr)
{
    struct cron_reader r = cron_reader(ctx, unit, text, out, reterr);
    enum rc rc;

    must(text.len > 0);
    if (*r.at == '*')
        r.marks |= FIELD_STAR_FIRST;
    if (*r.at == '+' && unit == UNIT_WEEKDAY && reader_may(&r, MAY_AND)) {
        r.marks |= FIELD_AND;
        r.start = ++r.at;
    }
    rc = take_list(&r);
    if (rc != RC_OK)
        return err_in(reterr, "%s", cron_unit_text(unit));
    store_bits(&r);
    *ret_marks = r.marks;
    return RC_OK;
}
