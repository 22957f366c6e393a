/* SPDX-License-Identifier: Apache-2.0 */
/* When the slots of a spec are due: the rules of jitter [T-61], by the oracle's hash. */
#include "oracle/oracle_civil.h"
#include "oracle/oracle_jitter.h"
#include "sim/judge_slots_parts.h"

/* The last instant of the open window that contains `at`. */
static instant window_end(const struct judge_spec *spec, instant at)
{
    const struct window_def *w = &spec->def->window;
    const struct oracle_tz *tz = spec->zone->tz;

    for (;;) {
        int64_t s = instant_seconds(at), offset = oracle_tz_offset(tz, s);
        int64_t day = oracle_floor_div(s + offset, ORACLE_DAY_SECONDS) * ORACLE_DAY_SECONDS;
        instant to = instant_of_seconds(day - offset + w->to);
        int64_t change = oracle_tz_change(tz, s);

        if (to < at)
            to += SPAN_DAY; /* the window contains midnight */
        if (change == ORACLE_NO_CHANGE || to < instant_of_seconds(change))
            return to;
        at = instant_of_seconds(change);
        if (judge_spec_window_open(spec, at) != at)
            return at - SPAN_MS;
    }
}

/* The next slot; without window and shift also an excluded time, as in Temporal. */
static instant next_of(struct judge_spec *spec, const struct judge_origin *origin, instant at,
                       span most)
{
    instant next = INSTANT_NEVER;

    if (spec->def->shift == SHIFT_NONE && !spec->def->window.is_set)
        return judge_spec_raw_next(spec, origin, at);
    (void)judge_spec_next(spec, origin, at, at + most, &next);
    return next;
}

instant judge_spec_due(struct judge_spec *spec, const struct judge_origin *origin,
                       struct str seed, instant at)
{
    const span limit = (span)UINT32_MAX * SPAN_MS;
    span most = spec->def->jitter < limit ? spec->def->jitter : limit;
    instant next;

    if (most == 0)
        return at;
    for (int i = 0; i < spec->count; i++) {
        const struct candidate *c = &spec->candidates[i];

        if (c->kind == KIND_INTERVAL && c->interval.anchor == ANCHOR_COMPLETION &&
            c->interval.every < most)
            most = c->interval.every;
    }
    next = next_of(spec, origin, at, most);
    if (next != INSTANT_NEVER && next - at < most)
        most = next - at;
    if (spec->def->window.is_set && window_end(spec, at) - at + SPAN_MS < most)
        most = window_end(spec, at) - at + SPAN_MS;
    return at + oracle_jitter(seed.ptr, seed.len, at, most / SPAN_MS) * SPAN_MS;
}
