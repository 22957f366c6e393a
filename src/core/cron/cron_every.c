/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Durations in the syntax of Go, (number unit)+, and rates in the syntax of AWS.
 */
#include "core/cron/cron_every.h"

#define NS_US  INT64_C(1000)
#define NS_MS  (1000 * NS_US)
#define NS_S   (1000 * NS_MS)
#define NS_MIN (60 * NS_S)
#define NS_H   (60 * NS_MIN)
#define NS_DAY (24 * NS_H)

/* Digits after the point that count; further ones are ignored. */
enum { FRACTION_DIGITS = 9, FRACTION_SCALE = 1000000000 };

/* A unit comes before its own prefix: "ms" before "m". */
static const struct {
    const char *text;
    int64_t ns;
} duration_units[] = {
    {"ns", 1},     {"us", NS_US}, {"ms", NS_MS}, {"s", NS_S},
    {"m", NS_MIN}, {"h", NS_H},   {"d", NS_DAY}, /* last: only where days are allowed */
};

enum { DURATION_UNITS = sizeof duration_units / sizeof duration_units[0] };

static int column(const char *origin, struct str s)
{
    return (int)(s.ptr - origin);
}

/* Nanoseconds of the unit at the start of *s; 0 if there is none. */
static int64_t take_unit(struct str *s, bool has_days)
{
    for (int i = 0; i < DURATION_UNITS - !has_days; i++) {
        struct str unit = str_of(duration_units[i].text);

        if (str_starts(*s, unit)) {
            *s = str_from(*s, unit.len);
            return duration_units[i].ns;
        }
    }
    return 0;
}

/* Digits after the point, as billionths. */
static int64_t take_fraction(struct str *s, size_t *ret_digits)
{
    int64_t value = 0;
    size_t n = 0;

    for (; n < s->len && char_is_digit(s->ptr[n]); n++)
        if (n < FRACTION_DIGITS)
            value = value * 10 + (s->ptr[n] - '0');
    for (size_t i = n; i < FRACTION_DIGITS; i++)
        value *= 10;
    *ret_digits = n;
    *s = str_from(*s, n);
    return value;
}

/* Adds whole and fraction (in billionths) of a unit; false if the sum exceeds 292 years. */
static bool add_scaled(int64_t *sum, int64_t whole, int64_t fraction, int64_t unit)
{
    int64_t part = fraction * (unit / FRACTION_SCALE) +
                   fraction * (unit % FRACTION_SCALE) / FRACTION_SCALE;
    int64_t ns;

    return !__builtin_mul_overflow(whole, unit, &ns) &&
           !__builtin_add_overflow(ns, part, &ns) && !__builtin_add_overflow(*sum, ns, sum);
}

/* One number with its unit. */
static enum rc take_part(struct str *s, const char *origin, bool has_days, int64_t *sum,
                         struct err *reterr)
{
    struct str part = *s;
    int64_t whole = 0, fraction = 0, unit;
    size_t digits = str_take_number(s, INT64_MAX - 1, &whole);
    size_t more = 0;

    if (s->len > 0 && s->ptr[0] == '.') {
        *s = str_from(*s, 1);
        fraction = take_fraction(s, &more);
    }
    if (digits + more == 0)
        return err_set(
            reterr, RC_INVALID, column(origin, part), (int)part.len,
            "\"%.*s\" is not a duration; write numbers with units, such as \"1h30m\"",
            STR_ARG(part));
    unit = take_unit(s, has_days);
    if (unit == 0)
        return err_set(reterr, RC_INVALID, column(origin, *s), 0,
                       "a unit is missing; use ns, us, ms, s, m%s",
                       has_days ? ", h or d" : " or h");
    if (!add_scaled(sum, whole, fraction, unit))
        return err_set(reterr, RC_INVALID, column(origin, part), (int)part.len,
                       "the duration is too long; use at most 292 years");
    return RC_OK;
}

static enum rc take_duration(struct str text, const char *origin, bool has_days, int64_t *ret,
                             struct err *reterr)
{
    struct str s = text;
    int64_t sum = 0;

    if (s.len == 0)
        return err_set(reterr, RC_INVALID, column(origin, s), 0,
                       "a duration is missing; write \"@every 90s\" or \"@every 1h30m\"");
    while (s.len > 0) {
        if (take_part(&s, origin, has_days, &sum, reterr) != RC_OK)
            return reterr->rc;
    }
    *ret = sum;
    return RC_OK;
}

/* The phase P of D/P. */
static enum rc take_phase(struct str text, const char *origin, int64_t every, int64_t *ret,
                          struct err *reterr)
{
    if (take_duration(text, origin, true, ret, reterr) != RC_OK)
        return reterr->rc;
    if (*ret >= every)
        return err_set(reterr, RC_INVALID, column(origin, text), (int)text.len,
                       "the phase \"%.*s\" must be shorter than the interval", STR_ARG(text));
    return RC_OK;
}

enum rc cron_every_parse(struct str text, const char *origin, enum cron_every rule,
                         span *ret_every, span *ret_phase, struct err *reterr)
{
    bool is_epoch = rule == EVERY_EPOCH;
    struct str head = text, tail = {0};
    bool has_phase = is_epoch && str_cut(text, '/', &head, &tail);
    int64_t every = 0, phase = 0;
    enum rc rc = take_duration(head, origin, is_epoch, &every, reterr);

    if (rc != RC_OK)
        return rc;
    if (every == 0 || (every < NS_S && rule != EVERY_ROUNDED))
        return err_set(reterr, RC_INVALID, column(origin, head), (int)head.len,
                       "the interval is too short; use at least \"1s\"");
    if (rule == EVERY_WHOLE && every % NS_S != 0)
        return err_set(reterr, RC_INVALID, column(origin, head), (int)head.len,
                       "\"@every\" counts whole seconds; write \"%llds\" or \"%llds\"",
                       (long long)(every / NS_S), (long long)(every / NS_S + 1));
    if (has_phase) {
        rc = take_phase(tail, origin, every, &phase, reterr);
        if (rc != RC_OK)
            return rc;
    }
    every = every < NS_S ? 1 : every / NS_S;
    *ret_every = every * SPAN_S;
    *ret_phase = phase / NS_S % every * SPAN_S;
    return RC_OK;
}

static const struct {
    const char *text;
    span length;
} rate_units[] = {{"minute", SPAN_MIN}, {"hour", SPAN_H}, {"day", SPAN_DAY}};

#define RATE_MAX (INT64_MAX / 1000) /* µs: as long as the longest @every */

/* The span of a unit, in the singular or plural that its number requires; 0: not a unit. */
static span rate_unit(struct str word, bool is_plural)
{
    if (is_plural && (word.len == 0 || word.ptr[--word.len] != 's'))
        return 0;
    for (size_t i = 0; i < sizeof rate_units / sizeof rate_units[0]; i++)
        if (str_eq(word, str_of(rate_units[i].text)))
            return rate_units[i].length;
    return 0;
}

enum rc cron_rate_parse(struct str text, const char *origin, span *ret, struct err *reterr)
{
    struct str s = str_trim(text), word;
    int64_t n = 0;
    size_t digits = str_take_number(&s, RATE_MAX / SPAN_MIN, &n);
    span unit;

    word = str_trim(s);
    if (digits == 0 || n == 0 || word.len == s.len)
        return err_set(reterr, RC_INVALID, column(origin, text), (int)text.len,
                       "a rate is a positive number, a space and a unit; write "
                       "\"rate(5 minutes)\"");
    unit = rate_unit(word, n != 1);
    if (unit == 0)
        return err_set(reterr, RC_INVALID, column(origin, word), (int)word.len,
                       "\"%.*s\" is not a unit of this rate; use %s", STR_ARG(word),
                       n == 1 ? "minute, hour or day" : "minutes, hours or days");
    if (n > RATE_MAX / unit)
        return err_set(reterr, RC_INVALID, column(origin, text), (int)text.len,
                       "the rate is too long; use at most 292 years");
    *ret = n * unit;
    return RC_OK;
}
