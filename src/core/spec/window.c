/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search for the next opening and the last closing of a window, offset by offset.
 */
#include "core/spec/window.h"

#include "base/must.h"
#include "core/time/civil.h"

/* The wall clock at one instant, and how long its offset is in force. */
struct reading {
    int64_t midnight; /* local second of 00:00 of the day */
    span tod;         /* time of day on the clock         */
    int32_t offset;
    instant from, to; /* [from, to): the offset is in force */
};

static struct reading read_clock(const struct tz *tz, instant t)
{
    int64_t s = instant_seconds(t), wrap = tz_wrap(tz, s);
    int i = tz_find(tz, s - wrap);
    const struct tz_seg *seg = &tz->seg[i];
    int64_t day = floor_div(s + seg->offset, DAY_SECONDS);
    struct reading r = {
        .midnight = day * DAY_SECONDS,
        .offset = seg->offset,
        .from = i > 0 ? instant_of_seconds(seg->start + wrap) : INSTANT_NONE,
        .to = i + 1 < tz->count ? instant_of_seconds(seg[1].start + wrap) : INSTANT_NEVER,
    };

    r.tod = t + instant_of_seconds(seg->offset - r.midnight);
    must(r.tod >= 0 && r.tod < SPAN_DAY);
    must(t >= r.from && t < r.to);
    return r;
}

static bool is_inside(const struct window_def *window, span tod)
{
    span from = instant_of_seconds(window->from), to = instant_of_seconds(window->to);

    must(from >= 0 && from < SPAN_DAY && to >= 0 && to < SPAN_DAY);
    return from <= to ? tod >= from && tod <= to : tod >= from || tod <= to;
}

/* The instant at which the clock of `r` shows `tod` seconds, `days` days later. */
static instant at_clock(const struct reading *r, int days, int32_t tod)
{
    return instant_of_seconds(r->midnight + (int64_t)days * DAY_SECONDS + tod - r->offset);
}

instant window_next(const struct window_def *window, const struct tz *tz, instant t)
{
    while (t <= INSTANT_MAX) {
        struct reading r = read_clock(tz, t);
        instant open;

        if (is_inside(window, r.tod))
            return t;
        open = at_clock(&r, r.tod > instant_of_seconds(window->from), window->from);
        must(open > t);
        if (open < r.to)
            return open <= INSTANT_MAX ? open : INSTANT_NEVER;
        t = r.to;
    }
    return INSTANT_NEVER;
}

instant window_prev(const struct window_def *window, const struct tz *tz, instant t)
{
    while (t >= INSTANT_MIN) {
        struct reading r = read_clock(tz, t);
        instant close;

        if (is_inside(window, r.tod))
            return t;
        close = at_clock(&r, r.tod < instant_of_seconds(window->to) ? -1 : 0, window->to);
        must(close < t);
        if (close >= r.from)
            return close >= INSTANT_MIN ? close : INSTANT_NONE;
        t = r.from - 1;
    }
    return INSTANT_NONE;
}

instant window_end(const struct window_def *window, const struct tz *tz, instant t)
{
    for (;;) {
        struct reading r = read_clock(tz, t);
        instant close;

        must(is_inside(window, r.tod));
        close = at_clock(&r, r.tod > instant_of_seconds(window->to), window->to);
        must(close >= t);
        if (close < r.to)
            return close;
        if (r.to > INSTANT_MAX || !is_inside(window, read_clock(tz, r.to).tod))
            return r.to - 1;
        t = r.to;
    }
}
