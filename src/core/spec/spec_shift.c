/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves slots of excluded days to the nearest free day at the same wall-clock time.
 *
 * A free day (the target) has its own slots and those of the excluded days directly before it
 * (shift next) or after it (shift previous), its sources.  The search goes from free day to
 * free day and finds the nearest time of day among the sources.
 */
#include "base/must.h"
#include "core/spec/spec_search.h"

enum { DAY_STEPS = 8 }; /* what a step from day to day costs, in steps between candidates */

/* The nearest free day from `day` in steps of `by`; false if none is within the limit. */
static bool free_day(const struct search *search, int64_t day, int by, int64_t *ret)
{
    for (int i = 0; i <= SPEC_SHIFT_DAYS_MAX; i++, day += by) {
        if (day < DAY_MIN || day > DAY_MAX)
            return false;
        if (day_is_free(search, day)) {
            *ret = day;
            return true;
        }
    }
    return false;
}

/* The same without that limit: the first day that may have its own or moved slots. */
static bool far_free_day(const struct search *search, int64_t day, int by, int64_t *ret)
{
    int64_t first = floor_div(search->first, SPAN_DAY) - 2;
    int64_t last = floor_div(search->last, SPAN_DAY) + 2;

    first = first < DAY_MIN ? DAY_MIN : first;
    last = last > DAY_MAX ? DAY_MAX : last;
    if (by > 0 && day < first)
        day = first;
    if (by < 0 && day > last)
        day = last;
    while (day >= first && day <= last && !day_is_free(search, day))
        day += by;
    *ret = day;
    return day >= first && day <= last;
}

static const struct tz *main_zone(const struct search *search)
{
    return search->spec->zones[0].tz;
}

/* The wall-clock time of day of `t`, a slot on local day `day`. */
static span time_on(const struct search *search, instant t, int64_t day)
{
    return t + instant_of_seconds(tz_offset(main_zone(search), instant_seconds(t)) -
                                  day * DAY_SECONDS);
}

/* The instant at which `day` has this time; if it is in a gap, the first one after the gap. */
static instant on_day(const struct search *search, int64_t day, span time)
{
    const struct tz *tz = main_zone(search);
    int64_t s = floor_div(time, SPAN_S), local = day * DAY_SECONDS + s;
    int64_t utc = tz_utc_of_local(tz, local);
    bool is_shown = utc + tz_offset(tz, utc) == local;

    return instant_of_seconds(utc) + (is_shown ? time - instant_of_seconds(s) : 0);
}

struct moved {
    instant at;
    int entry;
};

/* The difference between the length of a day and 24 hours. */
static span unevenness(const struct search *search, int64_t day)
{
    const struct tz *tz = main_zone(search);
    span length = local_day_start(tz, day + 1) - local_day_start(tz, day);

    return length > SPAN_DAY ? length - SPAN_DAY : SPAN_DAY - length;
}

/*
 * Where on day `source` the search for slots that move to `target` beyond `limit` may begin: at
 * the same wall-clock time, with slack if the clock changes on either day.  `edge` is the end
 * of `source` from which the search comes.
 */
static instant begin_at(const struct search *search, int64_t source, int64_t target,
                        instant limit, instant edge)
{
    const struct tz *tz = main_zone(search);
    instant start = local_day_start(tz, source);
    span slack = unevenness(search, source) + unevenness(search, target);
    instant same = start + limit - local_day_start(tz, target);

    if (source == target)
        slack = 0;
    if (edge < start)
        return same - slack > edge ? same - slack : edge;
    return same + slack < edge ? same + slack : edge;
}

/* The raw slots of day `source`, moved to `target`: the first one after `after`. */
static struct moved first_moved(const struct search *search, int64_t source, int64_t target,
                                instant after)
{
    instant end = local_day_start(main_zone(search), source + 1);
    instant t = local_day_start(main_zone(search), source) - 1;
    instant start = search->spec->start;
    int entry = 0;

    t = begin_at(search, source, target, after, t);
    if (start != INSTANT_NONE && t < start - 1)
        t = start - 1;
    for (;;) {
        instant at;

        t = raw_next(search, t, &entry);
        if (t >= end)
            return (struct moved){INSTANT_NEVER, 0};
        at = target == source ? t : on_day(search, target, time_on(search, t, source));
        if (at > after)
            return (struct moved){at, entry};
    }
}

static struct moved last_moved(const struct search *search, int64_t source, int64_t target,
                               instant before)
{
    instant start = local_day_start(main_zone(search), source);
    instant t = local_day_start(main_zone(search), source + 1);
    int entry = 0;

    t = begin_at(search, source, target, before, t);
    if (start < search->spec->start)
        start = search->spec->start;
    for (;;) {
        instant at;

        t = raw_prev(search, t, &entry);
        if (t < start)
            return (struct moved){INSTANT_NONE, 0};
        at = target == source ? t : on_day(search, target, time_on(search, t, source));
        if (at < before)
            return (struct moved){at, entry};
    }
}

/* Calls first_moved() or last_moved() for each source day of `target`; keeps the nearest. */
static struct moved nearest(const struct search *search, int64_t target, instant from,
                            bool is_up)
{
    int by = search->spec->shift == SHIFT_NEXT ? -1 : 1;
    struct moved best = {is_up ? INSTANT_NEVER : INSTANT_NONE, 0};
    struct search other = *search; /* for days whose slots are moved */
    int64_t source = target;

    if (by > 0)
        other.back_to = local_day_start(main_zone(search), target);
    for (int i = 0; i <= SPEC_SHIFT_DAYS_MAX; i++, source += by) {
        struct moved m;

        if (source < DAY_MIN || source > DAY_MAX || (i > 0 && day_is_free(search, source)))
            break;
        m = is_up ? first_moved(i > 0 ? &other : search, source, target, from)
                  : last_moved(i > 0 ? &other : search, source, target, from);
        if (is_up ? m.at < best.at : m.at > best.at)
            best = m;
    }
    return best;
}

/* The next free day after `target` that can have slots. */
static bool next_target(const struct search *search, int64_t target, int64_t *ret)
{
    const struct tz *tz = main_zone(search);
    instant from = local_day_start(tz, target + 1) - 1;
    int64_t source;
    int entry;
    instant t;

    if (search->spec->shift == SHIFT_PREVIOUS) {
        /* The excluded days after `target` are its sources; continue after them. */
        if (!far_free_day(search, target + 1, 1, &source))
            return false;
        from = local_day_start(tz, source) - 1;
    }
    t = raw_next(search, from, &entry);
    if (t == INSTANT_NEVER)
        return false;
    source = local_day(tz, t);
    return (search->spec->shift == SHIFT_PREVIOUS && free_day(search, source, -1, ret)) ||
           far_free_day(search, source, 1, ret);
}

static bool prev_target(const struct search *search, int64_t target, int64_t *ret)
{
    const struct tz *tz = main_zone(search);
    instant from = local_day_start(tz, target);
    int64_t source;
    int entry;
    instant t;

    if (search->spec->shift == SHIFT_NEXT) {
        if (!far_free_day(search, target - 1, -1, &source))
            return false;
        from = local_day_start(tz, source + 1);
    }
    t = raw_prev(search, from, &entry);
    if (t == INSTANT_NONE)
        return false;
    source = local_day(tz, t);
    return (search->spec->shift == SHIFT_NEXT && free_day(search, source, 1, ret)) ||
           far_free_day(search, source, -1, ret);
}

instant shift_next(struct search *search, instant after, int *ret_entry)
{
    int64_t target, day;

    if (search->spec->start != INSTANT_NONE && after < search->spec->start)
        after = search->spec->start - 1;
    if (after < INSTANT_MIN)
        after = INSTANT_MIN - 1;
    if (after > INSTANT_MAX)
        after = INSTANT_MAX;
    if (!far_free_day(search, local_day(main_zone(search), after), 1, &target))
        return INSTANT_NEVER;
    while (search_continues(search)) {
        struct moved m = nearest(search, target, after, true);

        search->steps -= DAY_STEPS;
        if (m.at > search->spec->end && m.at != INSTANT_NEVER)
            return INSTANT_NEVER;
        if (m.at != INSTANT_NEVER) {
            *ret_entry = m.entry;
            return m.at;
        }
        if (!next_target(search, target, &day) || day <= target)
            return INSTANT_NEVER;
        target = day;
    }
    return INSTANT_NEVER;
}

instant shift_prev(struct search *search, instant before, int *ret_entry)
{
    int64_t target, day;

    if (before > INSTANT_MAX)
        before = INSTANT_MAX;
    if (before > search->spec->end)
        before = search->spec->end + 1;
    if (before < INSTANT_MIN)
        before = INSTANT_MIN;
    if (!far_free_day(search, local_day(main_zone(search), before - 1), -1, &target))
        return INSTANT_NONE;
    while (search_continues(search)) {
        struct moved m = nearest(search, target, before, false);

        search->steps -= DAY_STEPS;
        if (m.at < search->spec->start && m.at != INSTANT_NONE)
            return INSTANT_NONE;
        if (m.at != INSTANT_NONE) {
            *ret_entry = m.entry;
            return m.at;
        }
        if (!prev_target(search, target, &day) || day >= target)
            return INSTANT_NONE;
        target = day;
    }
    return INSTANT_NONE;
}
