/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Consecutive slots.  For a simple spec the walk keeps the bits of the current local day and
 * returns them one by one; on a day near a clock change it searches each slot.
 */
#include "base/must.h"
#include "core/spec/spec_search.h"

void spec_walk_begin(struct spec_walk *walk, const struct spec *spec,
                     const struct spec_ctx *ctx, instant after)
{
    *walk = (struct spec_walk){.spec = spec, .ctx = ctx, .after = after};
    if (spec->simple && spec->start != INSTANT_NONE && after < spec->start)
        walk->after = spec->start - 1;
}

/* Bits above n, n below 64. */
static uint64_t above(uint64_t bits, int n)
{
    return bits & (~UINT64_C(0) << n << 1);
}

/* Keeps the bits of the local day of `s`, as far as they are after `s`. */
static void fill_day(struct spec_walk *walk, int64_t s)
{
    const struct entry *entry = &walk->spec->entries[0];
    const struct tz *tz = walk->spec->zones[entry->zone].tz;
    int64_t wrap = tz_wrap(tz, s);
    const struct tz_seg *seg = &tz->seg[tz_find(tz, s - wrap)];
    int64_t local = s + seg->offset, day = floor_div(local, DAY_SECONDS);
    int tod = (int)(local - day * DAY_SECONDS);

    walk->day_base = day * DAY_SECONDS - seg->offset;
    if (wrap != 0 || s < seg->calm_from || walk->day_base + DAY_SECONDS > seg->calm_until ||
        walk->day_base + DAY_SECONDS > INSTANT_MAX / SPAN_S)
        return;
    walk->hour_base = walk->day_base + tod / HOUR_SECONDS * HOUR_SECONDS;
    walk->minute_base = s - tod % 60;
    walk->hours = (uint32_t)above(entry->cron.hour, tod / HOUR_SECONDS);
    walk->minutes = above(entry->cron.minute, tod / 60 % 60);
    walk->seconds = above(entry->cron.second, tod % 60);
}

static int64_t refill(struct spec_walk *walk)
{
    const struct entry *entry = &walk->spec->entries[0];
    instant after = walk->after < INSTANT_MIN ? INSTANT_MIN - 1 : walk->after;
    int64_t s = cron_next(&entry->cron, walk->spec->zones[entry->zone].tz, entry->dst,
                          instant_seconds(after) + 1);

    if (s == LOCAL_NEVER || s > INSTANT_MAX / SPAN_S)
        return LOCAL_NEVER;
    fill_day(walk, s);
    return s;
}

static inline int64_t simple_next(struct spec_walk *walk)
{
    const struct cron *cron = &walk->spec->entries[0].cron;

    if (walk->seconds == 0) {
        if (walk->minutes == 0) {
            if (walk->hours == 0)
                return refill(walk);
            walk->hour_base = walk->day_base + __builtin_ctz(walk->hours) * HOUR_SECONDS;
            walk->hours &= walk->hours - 1;
            walk->minutes = cron->minute;
        }
        walk->minute_base = walk->hour_base + __builtin_ctzll(walk->minutes) * 60;
        walk->minutes &= walk->minutes - 1;
        walk->seconds = cron->second;
    }
    int64_t s = walk->minute_base + __builtin_ctzll(walk->seconds);

    walk->seconds &= walk->seconds - 1;
    return s;
}

bool spec_walk_next(struct spec_walk *walk, struct slot *ret)
{
    int64_t s;
    instant at;

    if (!walk->spec->simple) {
        if (!spec_next(walk->spec, walk->ctx, walk->after, ret))
            return false;
        walk->after = ret->at;
        return true;
    }
    s = simple_next(walk);
    if (s == LOCAL_NEVER)
        return false;
    at = instant_of_seconds(s);
    if (at > walk->spec->end)
        return false;
    walk->after = at;
    *ret = (struct slot){.at = at, .due = at, .entry = 0};
    return true;
}
