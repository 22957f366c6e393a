/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the governor's answer to the pick: overrun, whole milliseconds, what the spec allows,
 * and hints that would have expired.
 */
#include "core/pick.h"

#include "base/must.h"

#define OVERRUN_MIN SPAN_S /* minimum rest after a run that took longer than its interval */

/* Rounds towards the past, also before 1970. */
static instant whole_ms(instant t)
{
    instant ms = t / SPAN_MS;

    return (t % SPAN_MS < 0 ? ms - 1 : ms) * SPAN_MS;
}

static instant baseline_after(const struct pick *pick, instant after)
{
    struct slot slot;

    return spec_next(&pick->plan->spec, pick->ctx, after, &slot) ? slot.at : INSTANT_NEVER;
}

instant pick_allowed(const struct pick *pick, instant at)
{
    instant slot;

    if (at > INSTANT_MAX)
        return INSTANT_NEVER;
    slot = whole_ms(at - 1) + SPAN_MS;
    if (slot <= pick->mark)
        slot = whole_ms(pick->mark) + SPAN_MS;
    must(slot > pick->mark && slot >= at && slot % SPAN_MS == 0);
    return spec_allowed_from(&pick->plan->spec, pick->ctx, slot);
}

/* A run ended after the time at which the next one should have begun. */
static instant after_overrun(const struct pick *pick, struct governed chosen, instant started,
                             instant ended)
{
    span rest = chosen.at - started;

    if (chosen.source == SOURCE_BASELINE_CRON) /* a time of the spec, never between two */
        return baseline_after(pick, ended);
    return instant_after(ended, rest > OVERRUN_MIN ? rest : OVERRUN_MIN);
}

struct governor pick_governor(const struct plan *plan, const struct cursor *c)
{
    return (struct governor){
        .interval = plan->governor_interval,
        .baseline = INSTANT_NEVER,
        .min = plan->governor_min,
        .max = plan->governor_max,
        .has_backoff = plan->governor_backoff,
        .failures = (int32_t)(c->failures < INT32_MAX ? c->failures : INT32_MAX),
        .hint_interval = c->hint_interval,
        .hint_at = c->hint_at,
        .hint_expires = c->hint_expires,
        .paused_until = INSTANT_NONE, /* the cursor handles pauses */
    };
}

static struct governed choose(const struct pick *pick, const struct governor *governor,
                              instant started, instant ended)
{
    struct governor g = *governor;
    struct governed chosen;

    if (g.interval == 0) /* at its creation, a schedule has the one-off "now" */
        g.baseline = baseline_after(pick,
                                    started == pick->plan->created ? pick->mark : started);
    chosen = governor_next(&g, started);
    if (chosen.source == SOURCE_BASELINE_CRON)
        chosen.at = g.baseline;
    if (started < ended && chosen.at < ended)
        chosen.at = after_overrun(pick, chosen, started, ended);
    chosen.at = pick_allowed(pick, chosen.at);
    return chosen;
}

struct governed pick_next(const struct pick *pick, instant started, instant ended)
{
    struct governor g = pick->governor;
    struct governed chosen;

    must(pick->plan->is_governed && g.paused_until == INSTANT_NONE);
    chosen = choose(pick, &g, started, ended);
    if (chosen.at >= g.hint_expires && (g.hint_interval > 0 || g.hint_at != INSTANT_NEVER)) {
        g.hint_interval = 0;
        g.hint_at = INSTANT_NEVER;
        chosen = choose(pick, &g, started, ended);
    }
    must(chosen.at > pick->mark); /* or a slot would run twice */
    return chosen;
}

struct governed pick_earlier(const struct pick *pick, instant now, struct governed current,
                             instant wanted)
{
    const struct governor *g = &pick->governor;
    struct governed moved;
    instant clamped;

    must(pick->plan->is_governed);
    wanted = wanted < now ? now : wanted;
    clamped = governor_nudge(g, now, current.at, wanted);
    moved.at = pick_allowed(pick, clamped);
    if (moved.at >= current.at || moved.at >= g->hint_expires)
        return current;
    moved.source = wanted == g->hint_at ? SOURCE_AI_ONESHOT : SOURCE_AI_INTERVAL;
    if (clamped != wanted)
        moved.source = clamped > wanted ? SOURCE_CLAMPED_MIN : SOURCE_CLAMPED_MAX;
    return moved;
}
