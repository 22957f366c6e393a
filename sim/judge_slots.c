/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slots by brute force.  See judge_slots.h.
 *
 * Candidates pass through the written rules one by one, in their order: start, exclusions,
 * window, end.  An entry caches its last answer, so that a walk computes each slot once.
 */
#include "base/must.h"
#include "oracle/oracle_civil.h"
#include "sim/judge_slots_parts.h"

enum {
    LOOK_BACK_DAYS = 3,    /* a window opens at least this often, also around clock changes */
    DAY_REACH = 2 * 86400, /* seconds; more than a local day differs from the day in UTC */
    EMPTY_DAYS_MAX = 3000, /* consecutive days that an interval from midnight may miss */
};

static bool follows(const struct candidate *c)
{
    return c->kind == KIND_INTERVAL &&
           (c->interval.anchor == ANCHOR_START || c->interval.anchor == ANCHOR_COMPLETION);
}

bool judge_spec_counts_from(const struct judge_spec *spec, enum anchor anchor)
{
    for (int i = 0; i < spec->count; i++)
        if (follows(&spec->candidates[i]) && spec->candidates[i].interval.anchor == anchor)
            return true;
    return false;
}

bool judge_spec_is_grid(const struct judge_spec *spec)
{
    return spec->count == 1 && spec->candidates[0].interval.anchor == ANCHOR_START &&
           !(spec->def->window.is_set && spec->def->window.rule == WINDOW_CLAMP) &&
           spec->def->shift == SHIFT_NONE;
}

/* ---- entries ---- */

static instant whole_ms(instant t)
{
    return oracle_floor_div(t, SPAN_MS) * SPAN_MS;
}

/* The first of origin, origin + every, … after `after`. */
static instant grid_next(instant origin, span every, instant after)
{
    if (after < origin)
        return origin;
    return origin + ((after - origin) / every + 1) * every;
}

/* The first instant, in seconds, that shows a local date; false if the date was skipped. */
static bool day_begin(const struct oracle_tz *tz, int64_t day, int64_t *ret)
{
    int64_t midnight = day * ORACLE_DAY_SECONDS, at = midnight - DAY_REACH;

    while (at < midnight + DAY_REACH) {
        int64_t end = oracle_tz_change(tz, at), offset = oracle_tz_offset(tz, at);
        int64_t first = midnight - offset > at ? midnight - offset : at;

        if (first < end && first < midnight + ORACLE_DAY_SECONDS - offset) {
            *ret = first;
            return true;
        }
        at = end;
    }
    return false;
}

static instant midnight_next(const struct candidate *c, instant after)
{
    const struct oracle_tz *tz = c->zone->tz;
    int64_t day = oracle_floor_div(instant_seconds(after), ORACLE_DAY_SECONDS) - 2;
    int64_t begin = 0, end = 0;

    while (!day_begin(tz, day, &begin))
        day++;
    for (int i = 0; i < EMPTY_DAYS_MAX; i++) {
        instant slot = grid_next(instant_of_seconds(begin) + c->interval.phase,
                                 c->interval.every, after);

        do
            day++;
        while (!day_begin(tz, day, &end));
        if (slot < instant_of_seconds(end))
            return slot;
        begin = end;
    }
    return INSTANT_NEVER;
}

static instant follow_next(const struct candidate *c, const struct judge_origin *o,
                           instant after)
{
    instant from = c->interval.anchor == ANCHOR_START ? o->last_start : o->last_end;

    if (from == INSTANT_NEVER)
        return INSTANT_NEVER;
    if (from == INSTANT_NONE)
        from = o->created;
    from = c->in_seconds ? instant_of_seconds(instant_seconds(from)) : whole_ms(from);
    return grid_next(from + c->interval.every, c->interval.every, after);
}

static instant epoch_next(const struct interval_def *interval, instant after)
{
    int64_t k = oracle_floor_div(after - interval->phase, interval->every) + 1;

    return interval->phase + k * interval->every;
}

static instant interval_next_of(const struct candidate *c, const struct judge_origin *origin,
                                instant after)
{
    if (follows(c))
        return follow_next(c, origin, after);
    if (c->interval.anchor == ANCHOR_MIDNIGHT)
        return midnight_next(c, after);
    return epoch_next(&c->interval, after);
}

static instant ask(struct candidate *c, const struct judge_origin *origin, instant after)
{
    int64_t second;

    if (c->kind == KIND_INTERVAL)
        return interval_next_of(c, origin, after);
    if (c->kind == KIND_AT) {
        instant at = c->at == INSTANT_NONE ? whole_ms(origin->created) : c->at;

        return at > after ? at : INSTANT_NEVER;
    }
    if (!oracle_next(&c->zone->clock, c->rule, c->policy, instant_seconds(after), &second))
        return INSTANT_NEVER;
    return instant_of_seconds(second);
}

static instant candidate_next(struct candidate *c, const struct judge_origin *origin,
                              instant after)
{
    bool is_fixed = c->kind == KIND_RULE || (c->kind == KIND_INTERVAL && !follows(c));

    if (is_fixed && after >= c->asked && after < c->answer)
        return c->answer;
    c->answer = ask(c, origin, after);
    c->asked = after;
    return c->answer;
}

/* ---- the rules ---- */

instant judge_spec_raw_next(struct judge_spec *spec, const struct judge_origin *origin,
                            instant after)
{
    instant best = INSTANT_NEVER;

    for (int i = 0; i < spec->count; i++) {
        instant t = candidate_next(&spec->candidates[i], origin, after);

        best = t < best ? t : best;
    }
    return best;
}

static int64_t local_second(const struct judge_spec *spec, instant t)
{
    int64_t s = instant_seconds(t);

    return s + oracle_tz_offset(spec->zone->tz, s);
}

static bool is_excluded(const struct judge_spec *spec, instant t)
{
    int64_t local, day;

    if (spec->def->not_date_count + spec->def->not_calendar_count == 0)
        return false;
    local = local_second(spec, t);
    day = oracle_floor_div(local, ORACLE_DAY_SECONDS);
    for (int i = 0; i < spec->def->not_date_count; i++)
        if (spec->def->not_dates[i] == day)
            return true;
    for (int i = 0; i < spec->def->not_calendar_count; i++)
        if (oracle_matches(spec->not_rules[i], local))
            return true;
    return false;
}

static bool is_free(const struct judge_spec *spec, int64_t day)
{
    for (int i = 0; i < spec->def->not_date_count; i++)
        if (spec->def->not_dates[i] == day)
            return false;
    return true;
}

/* When a local day first shows the wall-clock time of `t`, or the first instant after it. */
static instant shown_on(const struct judge_spec *spec, int64_t day, instant t)
{
    const struct oracle_tz *tz = spec->zone->tz;
    int64_t local = local_second(spec, t), s = 0, at = 0;

    local += (day - oracle_floor_div(local, ORACLE_DAY_SECONDS)) * ORACLE_DAY_SECONDS;
    must(day_begin(tz, day, &at));
    while ((s = local - oracle_tz_offset(tz, at)) >= oracle_tz_change(tz, at))
        at = oracle_tz_change(tz, at);
    return s < at ? instant_of_seconds(at)
                  : instant_of_seconds(s) + t - instant_of_seconds(instant_seconds(t));
}

/*
 * Where shift moves a time of an entry; INSTANT_NEVER: nowhere.  What counts from a run is
 * moved back only to a day after the one that it counts from.
 */
static instant shifted(const struct judge_spec *spec, const struct candidate *c, instant t)
{
    bool is_back = spec->def->shift == SHIFT_PREVIOUS;
    int64_t day = oracle_floor_div(local_second(spec, t), ORACLE_DAY_SECONDS), target = day;

    while (!is_free(spec, target))
        target += is_back ? -1 : 1;
    if (target == day)
        return t;
    if (is_back && follows(c) &&
        oracle_floor_div(local_second(spec, t - c->interval.every), ORACLE_DAY_SECONDS) >=
            target)
        return INSTANT_NEVER;
    return shown_on(spec, target, t);
}

/* The first of all shifted times after `after`, up to `until`. */
static instant shifted_next(struct judge_spec *spec, const struct judge_origin *origin,
                            instant after, instant until)
{
    span reach = (spec->def->not_date_count + 2) * SPAN_DAY;
    instant best = INSTANT_NEVER;

    for (int i = 0; i < spec->count; i++) {
        struct candidate *c = &spec->candidates[i];
        instant t = after - reach;

        while ((t = candidate_next(c, origin, t)) != INSTANT_NEVER &&
               t - reach <= (best < until ? best : until)) {
            instant moved = t < spec->def->start ? INSTANT_NEVER : shifted(spec, c, t);

            if (moved > after && moved < best && moved >= spec->def->start)
                best = moved;
        }
    }
    return best <= until ? best : INSTANT_NEVER;
}

/* Candidates that are neither before the start nor excluded, up to `until`. */
static instant survivor_next(struct judge_spec *spec, const struct judge_origin *origin,
                             instant after, instant until)
{
    instant t = after;

    if (spec->def->shift != SHIFT_NONE)
        return shifted_next(spec, origin, after, until);
    if (spec->def->start != INSTANT_NONE && t < spec->def->start)
        t = spec->def->start - 1;
    do
        t = judge_spec_raw_next(spec, origin, t);
    while (t <= until && t != INSTANT_NEVER && is_excluded(spec, t));
    return t <= until ? t : INSTANT_NEVER;
}

instant judge_spec_window_open(const struct judge_spec *spec, instant t)
{
    const struct window_def *w = &spec->def->window;
    const struct oracle_tz *tz = spec->zone->tz;

    for (;;) {
        int64_t s = instant_seconds(t), offset = oracle_tz_offset(tz, s);
        int64_t day = oracle_floor_div(s + offset, ORACLE_DAY_SECONDS) * ORACLE_DAY_SECONDS;
        span tod = t + instant_of_seconds(offset - day);
        span from = instant_of_seconds(w->from), to = instant_of_seconds(w->to);
        int64_t change = oracle_tz_change(tz, s);
        instant open = instant_of_seconds(day - offset) + from + (tod > from ? SPAN_DAY : 0);

        if (from <= to ? tod >= from && tod <= to : tod >= from || tod <= to)
            return t;
        if (change == ORACLE_NO_CHANGE || open < instant_of_seconds(change))
            return open;
        t = instant_of_seconds(change);
    }
}

static instant shaped_next(struct judge_spec *spec, const struct judge_origin *origin,
                           instant after, instant until)
{
    const struct window_def *w = &spec->def->window;
    bool is_clamped = w->is_set && w->rule == WINDOW_CLAMP;
    /* An earlier time in the same gap outside the window may be moved to after it. */
    instant t = is_clamped && judge_spec_window_open(spec, after) != after
                    ? after - LOOK_BACK_DAYS * SPAN_DAY
                    : after;

    for (;;) {
        instant moved;

        t = survivor_next(spec, origin, t, until);
        if (t == INSTANT_NEVER || !w->is_set)
            return t;
        moved = judge_spec_window_open(spec, t);
        if (moved > after && (moved == t || (is_clamped && !is_excluded(spec, moved))))
            return moved;
    }
}

bool judge_spec_next(struct judge_spec *spec, const struct judge_origin *origin, instant after,
                     instant until, instant *ret)
{
    instant t;

    if (until > spec->def->end)
        until = spec->def->end;
    if (until <= after)
        return false;
    t = shaped_next(spec, origin, after, until);
    if (t == INSTANT_NEVER || t > until)
        return false;
    *ret = t;
    return true;
}
