/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns raw candidates into slots: start and end, exclusions, window, jitter.
 */
#include "base/must.h"
#include "core/spec/spec_search.h"
#include "core/spec/window.h"
#include "core/time/jitter.h"

/* The zone of the spec itself, in which exclusions and the window apply. */
static const struct tz *main_zone(const struct search *search)
{
    return search->spec->zones[0].tz;
}

/* The next raw candidate, or one that a shift moved from an excluded day. */
static instant candidate_next(struct search *search, instant after, int *ret_entry)
{
    const struct spec *spec = search->spec;

    if (spec->shift != SHIFT_NONE)
        return shift_next(search, after, ret_entry);
    if (spec->start != INSTANT_NONE && after < spec->start)
        after = spec->start - 1;
    return raw_next(search, after, ret_entry);
}

static instant candidate_prev(struct search *search, instant before, int *ret_entry)
{
    const struct spec *spec = search->spec;

    if (spec->shift != SHIFT_NONE)
        return shift_prev(search, before, ret_entry);
    if (spec->end != INSTANT_NEVER && before > spec->end)
        before = spec->end + 1;
    return raw_prev(search, before, ret_entry);
}

instant survivor_next(struct search *search, instant after, int *ret_entry)
{
    do {
        instant t = candidate_next(search, after, ret_entry);
        instant free;

        if (t == INSTANT_NEVER || t > search->spec->end || t > search->last)
            return INSTANT_NEVER;
        free = free_next(search, t);
        if (free == t || free == INSTANT_NEVER)
            return free;
        after = free - 1;
    } while (search_continues(search));
    return INSTANT_NEVER;
}

instant survivor_prev(struct search *search, instant before, int *ret_entry)
{
    do {
        instant t = candidate_prev(search, before, ret_entry);
        instant free;

        if (t == INSTANT_NONE || t < search->spec->start || t < search->first)
            return INSTANT_NONE;
        free = free_prev(search, t);
        if (free == t || free == INSTANT_NONE)
            return free;
        before = free + 1;
    } while (search_continues(search));
    return INSTANT_NONE;
}

static instant filtered_next(struct search *search, instant after, int *ret_entry)
{
    do {
        instant t = survivor_next(search, after, ret_entry);
        instant inside;

        if (t == INSTANT_NEVER)
            return INSTANT_NEVER;
        inside = window_next(&search->spec->window, main_zone(search), t);
        if (inside == t || inside == INSTANT_NEVER)
            return inside;
        after = inside - 1;
    } while (search_continues(search));
    return INSTANT_NEVER;
}

static instant filtered_prev(struct search *search, instant before, int *ret_entry)
{
    do {
        instant t = survivor_prev(search, before, ret_entry);
        instant inside;

        if (t == INSTANT_NONE)
            return INSTANT_NONE;
        inside = window_prev(&search->spec->window, main_zone(search), t);
        if (inside == t || inside == INSTANT_NONE)
            return inside;
        before = inside + 1;
    } while (search_continues(search));
    return INSTANT_NONE;
}

/*
 * A survivor outside the window moves to its next opening, so a survivor before `after` may
 * give a slot after it: the search begins at the last time inside the window.
 */
static instant clamped_next(struct search *search, instant after, int *ret_entry)
{
    const struct window_def *window = &search->spec->window;
    const struct tz *tz = main_zone(search);

    do {
        instant t = survivor_next(search, window_prev(window, tz, after), ret_entry);
        instant inside;

        if (t == INSTANT_NEVER)
            return INSTANT_NEVER;
        inside = window_next(window, tz, t);
        if (inside > search->spec->end)
            return INSTANT_NEVER;
        if (inside == t || free_next(search, inside) == inside)
            return inside;
        after = inside;
    } while (search_continues(search));
    return INSTANT_NEVER;
}

static instant clamped_prev(struct search *search, instant before, int *ret_entry)
{
    const struct window_def *window = &search->spec->window;
    const struct tz *tz = main_zone(search);
    instant limit = before;

    do {
        instant t = survivor_prev(search, limit, ret_entry);
        instant inside;

        if (t == INSTANT_NONE)
            return INSTANT_NONE;
        inside = window_next(window, tz, t);
        if (inside < before && inside <= search->spec->end &&
            (inside == t || free_next(search, inside) == inside))
            return inside;
        limit = window_prev(window, tz, t) + 1;
    } while (search_continues(search));
    return INSTANT_NONE;
}

static instant window_rule_next(struct search *search, instant after, int *ret_entry)
{
    if (!search->spec->window.is_set)
        return survivor_next(search, after, ret_entry);
    if (search->spec->window.rule == WINDOW_FILTER)
        return filtered_next(search, after, ret_entry);
    return clamped_next(search, after, ret_entry);
}

static instant window_rule_prev(struct search *search, instant before, int *ret_entry)
{
    if (!search->spec->window.is_set)
        return survivor_prev(search, before, ret_entry);
    if (search->spec->window.rule == WINDOW_FILTER)
        return filtered_prev(search, before, ret_entry);
    return clamped_prev(search, before, ret_entry);
}

static bool has_irregular_times(const struct search *search)
{
    return search->spec->repeats && search->irregular_from <= search->irregular_until;
}

/*
 * If years of a kind are equal, a search that starts far from the irregular times first covers
 * one year of each kind.  If it finds no slot, it continues where the irregular times begin.
 */
instant shaped_next(struct search *search, instant after, int *ret_entry)
{
    instant edge = search_reach_down(search, INSTANT_MAX), t;

    if (after >= INSTANT_MAX)
        return INSTANT_NEVER;
    search_from(search, after);
    if (has_irregular_times(search) && search_proof_up(search, after) < edge) {
        search->last = search_proof_up(search, after);
        t = window_rule_next(search, after, ret_entry);
        if (t != INSTANT_NEVER)
            return t;
        after = edge;
        search_from(search, after);
        search->steps = SPEC_STEPS_MAX;
    }
    return window_rule_next(search, after, ret_entry);
}

instant shaped_prev(struct search *search, instant before, int *ret_entry)
{
    instant edge = search_reach_up(search, INSTANT_MIN), t;

    if (before <= INSTANT_MIN)
        return INSTANT_NONE;
    search_from(search, before);
    if (has_irregular_times(search) && search_proof_down(search, before) > edge) {
        search->first = search_proof_down(search, before);
        t = window_rule_prev(search, before, ret_entry);
        if (t != INSTANT_NONE)
            return t;
        before = edge;
        search_from(search, before);
        search->steps = SPEC_STEPS_MAX;
    }
    return window_rule_prev(search, before, ret_entry);
}

/*
 * While a run is open, the next slot of an interval that counts from its end is unknown; but it
 * is at least one interval after any slot before that end.  So the delay is limited to the
 * interval: the end of the run cannot shorten the delay of a slot whose time has come, which
 * would move its due time into the past [T-61].
 */
static span jitter_most(const struct spec *spec)
{
    span most = spec->jitter;

    for (int i = 0; i < spec->entry_count; i++) {
        const struct entry *entry = &spec->entries[i];

        if (entry->kind == ENTRY_INTERVAL && entry->interval.anchor == ANCHOR_COMPLETION &&
            entry->interval.every < most)
            most = entry->interval.every;
    }
    return most;
}

/* The delay is less than the distance to the next slot and does not leave the window. */
static instant delayed(struct search *search, instant at)
{
    const struct spec *spec = search->spec;
    span most = jitter_most(spec);
    bool is_moved = spec->shift != SHIFT_NONE || spec->window.is_set;
    instant next;
    int entry;

    if (most == 0)
        return at;
    next = is_moved ? shaped_next(search, at, &entry) : raw_next(search, at, &entry);
    if (next == INSTANT_NEVER)
        next = INSTANT_MAX + 1;
    most = next - at < most ? next - at : most;
    if (spec->window.is_set) {
        span room = window_end(&spec->window, main_zone(search), at) - at + SPAN_MS;

        most = room < most ? room : most;
    }
    return at + jitter_delay(search->ctx->seed, at, most);
}

static bool shaped_slot(const struct spec *spec, const struct spec_ctx *ctx, instant after,
                        struct slot *ret)
{
    struct search search = search_begin(spec, ctx);
    int entry = 0;
    instant at = shaped_next(&search, after, &entry);

    if (at == INSTANT_NEVER)
        return false;
    *ret = (struct slot){.at = at, .due = delayed(&search, at), .entry = entry};
    return true;
}

/* The path of most schedules: every match of the cron is a slot. */
static bool simple_next(const struct spec *spec, instant after, struct slot *ret)
{
    const struct entry *entry = &spec->entries[0];
    instant at;
    int64_t s;

    if (after < spec->start)
        after = spec->start - 1;
    if (after < INSTANT_MIN)
        after = INSTANT_MIN - 1;
    s = cron_next(&entry->cron, spec->zones[entry->zone].tz, entry->dst,
                  instant_seconds(after) + 1);
    if (s > INSTANT_MAX / SPAN_S)
        return false;
    at = instant_of_seconds(s);
    if (at > spec->end)
        return false;
    *ret = (struct slot){.at = at, .due = at, .entry = 0};
    return true;
}

bool spec_next(const struct spec *spec, const struct spec_ctx *ctx, instant after,
               struct slot *ret)
{
    if (spec->simple)
        return simple_next(spec, after, ret);
    return shaped_slot(spec, ctx, after, ret);
}

bool spec_prev(const struct spec *spec, const struct spec_ctx *ctx, instant before,
               struct slot *ret)
{
    struct search search = search_begin(spec, ctx);
    int entry = 0;
    instant at = shaped_prev(&search, before, &entry);

    if (at == INSTANT_NONE)
        return false;
    *ret = (struct slot){.at = at, .due = delayed(&search, at), .entry = entry};
    return true;
}

static instant whole_ms_up(instant t)
{
    return (floor_div(t - 1, SPAN_MS) + 1) * SPAN_MS;
}

instant spec_allowed_from(const struct spec *spec, const struct spec_ctx *ctx, instant at)
{
    struct search search = search_begin(spec, ctx);
    instant t = at < spec->start ? spec->start : at;

    if (t > INSTANT_MAX)
        return INSTANT_NEVER;
    t = whole_ms_up(instant_clamp(t));
    do {
        instant free = free_next(&search, t);

        if (free > spec->end || free > INSTANT_MAX)
            return INSTANT_NEVER;
        t = spec->window.is_set ? window_next(&spec->window, main_zone(&search), free) : free;
        if (t == free)
            return t;
    } while (t <= spec->end && search_continues(&search));
    return INSTANT_NEVER;
}
