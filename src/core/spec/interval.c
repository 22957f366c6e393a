/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slots of intervals: arithmetic on a grid, and for ANCHOR_MIDNIGHT a grid for each local day.
 */
#include "core/spec/interval.h"

#include "base/must.h"
#include "core/spec/local.h"
#include "core/time/civil.h"

/* An instant outside the supported years becomes INSTANT_NEVER or INSTANT_NONE. */
static instant limit_years(instant t)
{
    if (t > INSTANT_MAX)
        return INSTANT_NEVER;
    return t < INSTANT_MIN ? INSTANT_NONE : t;
}

/* The first of origin + k × every, k >= 0, that is after `after`. */
static instant grid_next(instant origin, span every, instant after)
{
    int64_t k = floor_div(after - origin, every) + 1;

    return origin + (k < 0 ? 0 : k) * every;
}

/* Rounds down to a millisecond: slots are whole milliseconds. */
static instant whole_ms(instant t)
{
    return floor_div(t, SPAN_MS) * SPAN_MS;
}

/*
 * A phase of 24 hours or more needs a longer day, and only a clock change makes a day longer.
 * Moves *day to shortly before the next clock change; false if there is none.
 */
static bool skip_to_change(const struct tz *tz, int64_t *day)
{
    int64_t at, near;
    int32_t before, after;

    if (!tz_next_change(tz, instant_seconds(local_day_start(tz, *day + 1)) - 1, &at, &before,
                        &after))
        return false;
    near = local_day(tz, instant_of_seconds(at)) - 2;
    *day = near > *day ? near : *day;
    return true;
}

static bool skip_back_to_change(const struct tz *tz, int64_t *day)
{
    int64_t s = instant_seconds(local_day_start(tz, *day)), wrap = tz_wrap(tz, s), near;
    int i = tz_find(tz, s - wrap);

    if (i == 0)
        return false;
    near = local_day(tz, instant_of_seconds(tz->seg[i].start + wrap)) + 2;
    *day = near < *day ? near : *day;
    return true;
}

/* Once the zone repeats, one year of each kind contains every length of day. */
static int64_t last_day_to_try(const struct tz *tz, int64_t day)
{
    int64_t cycle_day = tz->cycle_from / DAY_SECONDS;
    int64_t last = (cycle_day > day ? cycle_day : day) + (ALL_KINDS_YEARS + 2) * 366;

    return last > DAY_MAX ? DAY_MAX : last;
}

static instant midnight_next(const struct interval_def *interval, const struct tz *tz,
                             instant after)
{
    int64_t day = local_day(tz, after), last = last_day_to_try(tz, day);

    for (;; day++) {
        instant start = local_day_start(tz, day);
        instant slot = grid_next(start + interval->phase, interval->every, after);

        if (slot < local_day_start(tz, day + 1))
            return slot;
        if (interval->phase >= SPAN_DAY && !skip_to_change(tz, &day))
            return INSTANT_NEVER;
        if (day >= last)
            return INSTANT_NEVER;
    }
}

static instant midnight_prev(const struct interval_def *interval, const struct tz *tz,
                             instant before)
{
    int64_t day = local_day(tz, before - 1);

    for (; day >= DAY_MIN; day--) {
        instant start = local_day_start(tz, day) + interval->phase;
        instant end = local_day_start(tz, day + 1);
        instant last = (before < end ? before : end) - 1;

        if (last >= start)
            return start + (last - start) / interval->every * interval->every;
        if (interval->phase >= SPAN_DAY && !skip_back_to_change(tz, &day))
            return INSTANT_NONE;
    }
    return INSTANT_NONE;
}

/* The origin of the anchors that count from runs; INSTANT_NEVER while a run is open. */
static instant run_origin(const struct interval_def *interval,
                          const struct interval_origin *origin)
{
    if (interval->anchor == ANCHOR_START)
        return origin->last_start != INSTANT_NONE ? origin->last_start : origin->created;
    if (origin->last_start != INSTANT_NONE && origin->last_end < origin->last_start)
        return INSTANT_NEVER;
    return origin->last_end != INSTANT_NONE ? origin->last_end : origin->created;
}

bool interval_grid(const struct interval_def *interval, const struct interval_origin *origin,
                   instant *ret_origin, instant *ret_least)
{
    instant from = interval->phase;

    must(interval->anchor != ANCHOR_MIDNIGHT);
    *ret_least = INSTANT_MIN;
    if (interval->anchor != ANCHOR_EPOCH) {
        from = run_origin(interval, origin);
        if (from == INSTANT_NEVER)
            return false;
        from = whole_ms(from);
        *ret_least = from + interval->every;
    }
    *ret_origin = from;
    return true;
}

instant interval_next(const struct interval_def *interval, const struct interval_origin *origin,
                      instant after)
{
    instant from, least;
    int64_t k;

    must(interval->every > 0 && after >= INSTANT_MIN - 1 && after <= INSTANT_MAX);
    if (interval->anchor == ANCHOR_MIDNIGHT)
        return limit_years(midnight_next(interval, origin->tz, after));
    if (!interval_grid(interval, origin, &from, &least))
        return INSTANT_NEVER;
    k = floor_div(after - from, interval->every) + 1;
    from += k * interval->every;
    return limit_years(from < least ? least : from);
}

instant interval_prev(const struct interval_def *interval, const struct interval_origin *origin,
                      instant before)
{
    instant from, least;

    must(interval->every > 0 && before >= INSTANT_MIN && before <= INSTANT_MAX);
    if (interval->anchor == ANCHOR_MIDNIGHT)
        return limit_years(midnight_prev(interval, origin->tz, before));
    if (!interval_grid(interval, origin, &from, &least))
        return INSTANT_NONE;
    from += floor_div(before - 1 - from, interval->every) * interval->every;
    return from >= least ? limit_years(from) : INSTANT_NONE;
}
