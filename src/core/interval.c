/* SPDX-License-Identifier: Apache-2.0 */
#include "core/interval.h"

#include "base/must.h"
#include "core/civil.h"

static instant clip(instant t)
{
    if (t > INSTANT_MAX)
        return INSTANT_NEVER;
    return t < INSTANT_MIN ? INSTANT_NONE : t;
}

/* Slots origin + k × every with k >= least; the first one after `after`. */
static instant grid_next(instant origin, span every, int64_t least, instant after)
{
    int64_t k = floor_div(after - origin, every) + 1;

    return origin + (k < least ? least : k) * every;
}

/* Whole milliseconds, so that slots are. */
static instant whole_ms(instant t)
{
    return floor_div(t, SPAN_MS) * SPAN_MS;
}

instant local_day_start(const struct tz *tz, int64_t day)
{
    return instant_of_seconds(tz_utc_of_local(tz, day * DAY_SECONDS));
}

int64_t local_day(const struct tz *tz, instant t)
{
    int64_t s = instant_seconds(t);
    int64_t day = floor_div(s + tz_offset(tz, s), DAY_SECONDS);

    /* After a fold over midnight the clock shows a date that has ended already. */
    while (t >= local_day_start(tz, day + 1))
        day++;
    return day;
}

static instant midnight_next(const struct interval_def *interval, const struct tz *tz,
                             instant after)
{
    int64_t day = local_day(tz, after);

    for (;; day++) {
        instant start = local_day_start(tz, day);
        instant slot = grid_next(start + interval->phase, interval->every, 0, after);

        if (slot < local_day_start(tz, day + 1))
            return slot;
        if (day >= DAY_MAX)
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
    }
    return INSTANT_NONE;
}

/* The origin of the anchors that follow the runs; INSTANT_NEVER while a run is open. */
static instant follow(const struct interval_def *interval, const struct interval_origin *origin)
{
    if (interval->anchor == ANCHOR_START)
        return origin->last_start != INSTANT_NONE ? origin->last_start : origin->created;
    if (origin->last_start != INSTANT_NONE && origin->last_end < origin->last_start)
        return INSTANT_NEVER;
    return origin->last_end != INSTANT_NONE ? origin->last_end : origin->created;
}

instant interval_next(const struct interval_def *interval, const struct interval_origin *origin,
                      instant after)
{
    instant from;

    must(interval->every > 0 && after >= INSTANT_MIN && after <= INSTANT_MAX);
    if (interval->anchor == ANCHOR_EPOCH)
        return clip(floor_div(after - interval->phase, interval->every) * interval->every +
                    interval->every + interval->phase);
    if (interval->anchor == ANCHOR_MIDNIGHT)
        return clip(midnight_next(interval, origin->tz, after));
    from = follow(interval, origin);
    if (from == INSTANT_NEVER)
        return INSTANT_NEVER;
    return clip(grid_next(whole_ms(from), interval->every, 1, after));
}

instant interval_prev(const struct interval_def *interval, const struct interval_origin *origin,
                      instant before)
{
    instant from, slot;

    must(interval->every > 0 && before >= INSTANT_MIN && before <= INSTANT_MAX);
    if (interval->anchor == ANCHOR_EPOCH)
        return clip(floor_div(before - 1 - interval->phase, interval->every) *
                        interval->every +
                    interval->phase);
    if (interval->anchor == ANCHOR_MIDNIGHT)
        return clip(midnight_prev(interval, origin->tz, before));
    from = follow(interval, origin);
    if (from == INSTANT_NEVER)
        return INSTANT_NONE;
    from = whole_ms(from);
    slot = from + floor_div(before - 1 - from, interval->every) * interval->every;
    return slot > from ? clip(slot) : INSTANT_NONE;
}
