/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Describes times of day: as a list, as an even step, or field by field.
 */
#include "core/describe/describe_parts.h"
#include "core/describe/describe_words.h"

enum {
    SIXTY = 60,
    HOURS = 24,
    TIMES_FEW = 4,  /* up to this many times of day are always listed       */
    TIMES_MANY = 8, /* up to this many are listed if they have no even step */
    RANGES_MAX = 3, /* "from a to b and from c to d and from e to f"        */
};

/* The three fields of a time of day. */
struct clock {
    const struct cron *cron;
    struct buf *out;
    struct words_set second, minute, hour;
};

/* A range of consecutive hours; `last` is below `first` if it crosses midnight. */
struct hour_range {
    int first, last;
};

/* True for a step that divides the field, so that it continues evenly afterwards. */
static bool is_even(struct words_set set, int size)
{
    return set.step > 0 && size % set.step == 0 && set.count == size / set.step;
}

static int find_ranges(uint32_t hours, bool crosses_midnight, struct hour_range *ret)
{
    int n = 0;

    for (int h = 0; h < HOURS; h++) {
        if (!(hours >> h & 1))
            continue;
        if (h == 0 || !(hours >> (h - 1) & 1))
            ret[n++].first = h;
        ret[n - 1].last = h;
    }
    if (crosses_midnight && n > 1 && ret[0].first == 0 && ret[n - 1].last == HOURS - 1) {
        n--;
        ret[0].first = ret[n].first;
    }
    return n;
}

static int32_t make_tod(int hour, int minute, int second)
{
    return hour * HOUR_SECONDS + minute * SIXTY + second;
}

static void write_from_to(const struct clock *c, int32_t from, int32_t to)
{
    bool seconds = c->second.last != 0;

    buf_text(c->out, "from ");
    words_clock(c->out, from, seconds);
    buf_text(c->out, " to ");
    words_clock(c->out, to, seconds);
}

/* "every 15 minutes from 09:00 to 11:45 and from 14:00 to 16:45" */
static void write_every_in_ranges(const struct clock *c, int step, const char *unit,
                                  const struct hour_range *s, int n)
{
    words_every(c->out, step, unit);
    for (int i = 0; i < n; i++) {
        buf_text(c->out, i == 0 ? " " : " and ");
        write_from_to(c, make_tod(s[i].first, c->minute.first, c->second.first),
                      make_tod(s[i].last, c->minute.last, c->second.last));
    }
}

/* The seconds of one minute that match, as times of day. */
static void write_seconds(const struct clock *c, struct words_list *list, int32_t minute)
{
    for (uint64_t s = c->cron->second; s; s &= s - 1)
        if (words_next(list))
            words_clock(c->out, minute * SIXTY + __builtin_ctzll(s), c->second.last != 0);
}

static void write_times(const struct clock *c, int total)
{
    struct words_list list = {.out = c->out, .last = "and", .total = total};

    buf_text(c->out, "at ");
    for (uint32_t h = c->cron->hour; h; h &= h - 1)
        for (uint64_t m = c->cron->minute; m; m &= m - 1)
            write_seconds(c, &list, __builtin_ctz(h) * SIXTY + __builtin_ctzll(m));
}

/* Every hour of the day, at one minute. */
static bool try_every_hour(const struct clock *c)
{
    if (c->hour.count != HOURS || c->minute.count != 1 || c->cron->second != 1)
        return false;
    buf_text(c->out, "every hour");
    if (c->minute.first == 0)
        buf_text(c->out, ", on the hour");
    else
        buf_printf(c->out, " at minute %d", c->minute.first);
    return true;
}

/* An even step of seconds, minutes or hours that continues through ranges of hours. */
static bool try_every_step(const struct clock *c, bool daily)
{
    struct hour_range s[HOURS];
    int n = find_ranges(c->cron->hour, daily, s);
    bool by_second = is_even(c->second, SIXTY) && c->minute.count == SIXTY;
    bool by_minute = c->second.count == 1 && is_even(c->minute, SIXTY);
    int step = by_second ? c->second.step : c->minute.step;
    const char *unit = by_second ? "second" : "minute";

    if (c->second.count == 1 && c->minute.count == 1 && n == 1 && c->hour.count < HOURS &&
        c->hour.count >= WORDS_STEP_MIN) {
        write_every_in_ranges(c, 1, "hour", s, 1);
        return true;
    }
    if (!by_second && !by_minute)
        return false;
    if (c->hour.count == HOURS) {
        if (c->second.first != 0 || c->minute.first != 0)
            return false;
        words_every(c->out, step, unit);
        return true;
    }
    if (n > RANGES_MAX)
        return false;
    write_every_in_ranges(c, step, unit, s, n);
    return true;
}

/* A step within bounds: hours of a day, minutes of one hour, seconds of some minutes. */
static bool try_every_within(const struct clock *c)
{
    struct hour_range s = {c->hour.first, c->hour.last};
    bool one_hour = c->hour.count == 1, one_minute = c->minute.count == 1;
    bool one_range = one_minute || c->minute.step == 1;

    if (c->second.count == 1 && one_minute && c->hour.step > 1 &&
        c->hour.count >= WORDS_STEP_MIN) {
        write_every_in_ranges(c, c->hour.step, "hour", &s, 1);
        return true;
    }
    if (!one_hour)
        return false;
    if (c->second.count == 1 && c->minute.step > 0 && c->minute.count >= WORDS_STEP_MIN) {
        write_every_in_ranges(c, c->minute.step, "minute", &s, 1);
        return true;
    }
    if (one_range && c->second.count >= WORDS_STEP_MIN &&
        (is_even(c->second, SIXTY) || (one_minute && c->second.step > 0))) {
        write_every_in_ranges(c, c->second.step, "second", &s, 1);
        return true;
    }
    return false;
}

void describe_field(uint64_t bits, int size, const char *unit, struct buf *out)
{
    struct words_set set = words_set(bits);

    if (set.count == size) {
        buf_printf(out, "every %s", unit);
    } else if (set.count == 1) {
        buf_printf(out, "%s %d", unit, set.first);
    } else if (set.step > 1 && set.count >= WORDS_STEP_MIN) {
        buf_text(out, "every ");
        words_ordinal(out, set.step);
        buf_printf(out, " %s from %d to %d", unit, set.first, set.last);
    } else {
        buf_printf(out, "%ss ", unit);
        words_ranges(out, bits, words_number);
    }
}

/* The first field of the sentence: "every 10 seconds", "at minutes 0 and 35". */
static void write_first_field(uint64_t bits, const char *unit, struct buf *out)
{
    struct words_set set = words_set(bits);

    if (is_even(set, SIXTY) && set.first == 0) {
        words_every(out, set.step, unit);
    } else {
        buf_text(out, "at ");
        describe_field(bits, SIXTY, unit, out);
    }
}

/* Seconds with up to three digits after the point. */
static void write_decimal(struct buf *out, int32_t ms)
{
    int digits = 3;
    int32_t rest = ms % 1000;

    buf_printf(out, "%d", ms / 1000);
    if (rest == 0)
        return;
    for (; rest % 10 == 0; digits--)
        rest /= 10;
    buf_printf(out, ".%0*d", digits, rest);
}

static void write_fractions(const struct cron *cron, struct buf *out)
{
    struct words_list list = {.out = out, .last = "and", .total = cron->parts};

    buf_text(out, "at ");
    for (int i = 0; i < cron->parts && words_next(&list); i++) {
        const struct cron_part *part = &cron->part[i];

        if (part->step > 0) {
            buf_text(out, "every ");
            write_decimal(out, part->step);
            buf_text(out, " seconds from ");
        }
        buf_text(out, "second ");
        write_decimal(out, part->from);
        if (part->step > 0) {
            buf_text(out, " to ");
            write_decimal(out, part->to);
        }
    }
}

/* Without an idiom: "at seconds 5 and 7 of minutes 0 and 35 of hours 9 to 12 and 15". */
static void write_fields(const struct clock *c)
{
    bool has_seconds = c->cron->second != 1 || (c->cron->flags & CRON_FRACTION);

    if (c->cron->flags & CRON_FRACTION)
        write_fractions(c->cron, c->out);
    else if (has_seconds)
        write_first_field(c->cron->second, "second", c->out);
    if (has_seconds) {
        buf_text(c->out, " of ");
        describe_field(c->cron->minute, SIXTY, "minute", c->out);
    } else {
        write_first_field(c->cron->minute, "minute", c->out);
    }
    if (c->minute.count == SIXTY && c->hour.count == HOURS)
        return;
    buf_text(c->out, " of ");
    describe_field(c->cron->hour, HOURS, "hour", c->out);
}

bool describe_time(const struct cron *cron, bool daily, struct buf *out)
{
    struct clock c = {.cron = cron,
                      .out = out,
                      .second = words_set(cron->second),
                      .minute = words_set(cron->minute),
                      .hour = words_set(cron->hour)};
    int total = c.second.count * c.minute.count * c.hour.count;

    if (cron->flags & CRON_FRACTION) {
        write_fields(&c);
        return false;
    }
    if (total <= TIMES_FEW) {
        write_times(&c, total);
        return true;
    }
    if (try_every_hour(&c) || try_every_step(&c, daily) || try_every_within(&c))
        return false;
    if (total <= TIMES_MANY) {
        write_times(&c, total);
        return true;
    }
    write_fields(&c);
    return false;
}
