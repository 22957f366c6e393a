/* SPDX-License-Identifier: Apache-2.0 */
#include "core/describe/describe_parts.h"
#include "core/describe/describe_words.h"

enum {
    SIXTY = 60,
    HOURS = 24,
    TIMES_FEW = 4,     /* so many times of day are always listed          */
    TIMES_MANY = 8,    /* so many are listed when they have no even step  */
    STRETCHES_MAX = 3, /* "from a to b and from c to d and from e to f" */
};

/* The three fields of a time of day, looked at once. */
struct clock {
    const struct cron *cron;
    struct buf *out;
    struct words_set second, minute, hour;
};

/* A stretch of consecutive hours; `last` below `first` when it runs over midnight. */
struct stretch {
    int first, last;
};

/* True for 0-based steps that divide the field: they go on evenly into the next round. */
static bool is_even(struct words_set set, int size)
{
    return set.step > 0 && size % set.step == 0 && set.count == size / set.step;
}

static int stretches(uint32_t hours, bool over_midnight, struct stretch *ret)
{
    int n = 0;

    for (int h = 0; h < HOURS; h++) {
        if (!(hours >> h & 1))
            continue;
        if (h == 0 || !(hours >> (h - 1) & 1))
            ret[n++].first = h;
        ret[n - 1].last = h;
    }
    if (over_midnight && n > 1 && ret[0].first == 0 && ret[n - 1].last == HOURS - 1) {
        n--;
        ret[0].first = ret[n].first;
    }
    return n;
}

static int32_t tod_of(int hour, int minute, int second)
{
    return hour * HOUR_SECONDS + minute * SIXTY + second;
}

static void from_to(const struct clock *c, int32_t from, int32_t to)
{
    bool seconds = c->second.last != 0;

    buf_text(c->out, "from ");
    words_clock(c->out, from, seconds);
    buf_text(c->out, " to ");
    words_clock(c->out, to, seconds);
}

/* "every 15 minutes from 09:00 to 11:45 and from 14:00 to 16:45" */
static void every_in_stretches(const struct clock *c, int step, const char *unit,
                               const struct stretch *s, int n)
{
    words_every(c->out, step, unit);
    for (int i = 0; i < n; i++) {
        buf_text(c->out, i == 0 ? " " : " and ");
        from_to(c, tod_of(s[i].first, c->minute.first, c->second.first),
                tod_of(s[i].last, c->minute.last, c->second.last));
    }
}

/* The seconds of one minute that match, as times of day. */
static void list_seconds(const struct clock *c, struct words_list *list, int32_t minute)
{
    for (uint64_t s = c->cron->second; s; s &= s - 1)
        if (words_next(list))
            words_clock(c->out, minute * SIXTY + __builtin_ctzll(s), c->second.last != 0);
}

static void list_times(const struct clock *c, int total)
{
    struct words_list list = {.out = c->out, .last = "and", .total = total};

    buf_text(c->out, "at ");
    for (uint32_t h = c->cron->hour; h; h &= h - 1)
        for (uint64_t m = c->cron->minute; m; m &= m - 1)
            list_seconds(c, &list, __builtin_ctz(h) * SIXTY + __builtin_ctzll(m));
}

/* Every hour, without a bound: the minute is what counts. */
static bool every_hour(const struct clock *c)
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

/* An even step in one of the fields that runs on through hours that follow each other. */
static bool every_step(const struct clock *c, bool daily)
{
    struct stretch s[HOURS];
    int n = stretches(c->cron->hour, daily, s);
    bool by_second = is_even(c->second, SIXTY) && c->minute.count == SIXTY;
    bool by_minute = c->second.count == 1 && is_even(c->minute, SIXTY);
    int step = by_second ? c->second.step : c->minute.step;
    const char *unit = by_second ? "second" : "minute";

    if (c->second.count == 1 && c->minute.count == 1 && n == 1 && c->hour.count < HOURS &&
        c->hour.count >= WORDS_STEP_MIN) {
        every_in_stretches(c, 1, "hour", s, 1);
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
    if (n > STRETCHES_MAX)
        return false;
    every_in_stretches(c, step, unit, s, n);
    return true;
}

/* A step within bounds: hours of a day, minutes of one hour, seconds of one stretch. */
static bool every_within(const struct clock *c)
{
    struct stretch s = {c->hour.first, c->hour.last};
    bool one_hour = c->hour.count == 1, one_minute = c->minute.count == 1;
    bool one_run = one_minute || c->minute.step == 1;

    if (c->second.count == 1 && one_minute && c->hour.step > 1 &&
        c->hour.count >= WORDS_STEP_MIN) {
        every_in_stretches(c, c->hour.step, "hour", &s, 1);
        return true;
    }
    if (!one_hour)
        return false;
    if (c->second.count == 1 && c->minute.step > 0 && c->minute.count >= WORDS_STEP_MIN) {
        every_in_stretches(c, c->minute.step, "minute", &s, 1);
        return true;
    }
    if (one_run && c->second.count >= WORDS_STEP_MIN &&
        (is_even(c->second, SIXTY) || (one_minute && c->second.step > 0))) {
        every_in_stretches(c, c->second.step, "second", &s, 1);
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
        words_runs(out, bits, words_number);
    }
}

/* A field that opens the sentence: "every 10 seconds", "at minutes 0 and 35". */
static void opening(uint64_t bits, const char *unit, struct buf *out)
{
    struct words_set set = words_set(bits);

    if (is_even(set, SIXTY) && set.first == 0) {
        words_every(out, set.step, unit);
    } else {
        buf_text(out, "at ");
        describe_field(bits, SIXTY, unit, out);
    }
}

/* Seconds with up to three digits behind the point. */
static void decimal(struct buf *out, int32_t ms)
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

static void fractions(const struct cron *cron, struct buf *out)
{
    struct words_list list = {.out = out, .last = "and", .total = cron->parts};

    buf_text(out, "at ");
    for (int i = 0; i < cron->parts && words_next(&list); i++) {
        const struct cron_part *part = &cron->part[i];

        if (part->step > 0) {
            buf_text(out, "every ");
            decimal(out, part->step);
            buf_text(out, " seconds from ");
        }
        buf_text(out, "second ");
        decimal(out, part->from);
        if (part->step > 0) {
            buf_text(out, " to ");
            decimal(out, part->to);
        }
    }
}

/* What has no idiom: "at seconds 5 and 7 of minutes 0 and 35 of hours 9 to 12 and 15". */
static void any_time(const struct clock *c)
{
    bool has_seconds = c->cron->second != 1 || (c->cron->flags & CRON_FRACTION);

    if (c->cron->flags & CRON_FRACTION)
        fractions(c->cron, c->out);
    else if (has_seconds)
        opening(c->cron->second, "second", c->out);
    if (has_seconds) {
        buf_text(c->out, " of ");
        describe_field(c->cron->minute, SIXTY, "minute", c->out);
    } else {
        opening(c->cron->minute, "minute", c->out);
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
        any_time(&c);
        return false;
    }
    if (total <= TIMES_FEW) {
        list_times(&c, total);
        return true;
    }
    if (every_hour(&c) || every_step(&c, daily) || every_within(&c))
        return false;
    if (total <= TIMES_MANY) {
        list_times(&c, total);
        return true;
    }
    any_time(&c);
    return false;
}
