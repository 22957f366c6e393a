/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Next slots that depend on runs: governed schedules, and intervals that count from a start or
 * an end.
 */
#include "base/must.h"
#include "core/policy/governor.h"
#include "engine/start_slots.h"
#include "engine/transitions.h"

#define OVERRUN_MIN \
    SPAN_S /* minimum rest of a governed schedule after a run that took too long */

static struct governor governor_of(const struct work_schedule *sched)
{
    const struct plan *plan = &sched->plan;
    const struct cursor *c = &sched->cursor;

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

static instant next_slot(const struct work_schedule *sched, instant after)
{
    struct slot slot;

    return spec_next(&sched->plan.spec, &sched->ctx, after, &slot) ? slot.at : INSTANT_NEVER;
}

/* Rounds up to a valid slot: whole milliseconds, after the mark, not after INSTANT_MAX. */
static instant as_slot(const struct cursor *cursor, instant at)
{
    instant slot;

    if (at > INSTANT_MAX)
        return INSTANT_NEVER;
    slot = (at + SPAN_MS - 1) / SPAN_MS * SPAN_MS;
    if (slot <= cursor->mark)
        slot = (cursor->mark / SPAN_MS + 1) * SPAN_MS;
    must(slot > cursor->mark && slot % SPAN_MS == 0);
    return slot > INSTANT_MAX ? INSTANT_NEVER : slot;
}

/* Sets the next slot after a run from `started` to now; without a run, `started` is now. */
static void govern(struct turn *turn, struct work_schedule *sched, instant started)
{
    struct cursor *c = &sched->cursor;
    struct governor governor = governor_of(sched);
    struct governed chosen;
    instant next;

    must(sched->plan.is_governed && c->open == 0); /* else two runs could be open */
    governor_tidy(&governor, started, turn->now);
    governor.baseline = next_slot(sched, started);
    chosen = governor_next(&governor, started);
    next = chosen.at;
    if (next < turn->now && chosen.source == SOURCE_BASELINE_CRON) {
        /* a time of the cron expression, never between two */
        next = next_slot(sched, turn->now);
    } else if (next < turn->now) {
        span rest = next - started;

        next = turn->now + (rest > OVERRUN_MIN ? rest : OVERRUN_MIN);
    }
    c->hint_interval = governor.hint_interval;
    c->hint_at = governor.hint_at;
    c->hint_expires = governor.hint_expires;
    c->next_at = as_slot(c, next);
    must(c->next_at > c->mark);
    c->source = (int64_t)chosen.source;
    sched->next_due = c->next_at;
    sched->has_next_due = true;
    sched->is_touched = true;
}

void sched_set_next(struct turn *turn, struct work_schedule *sched, instant started)
{
    struct cursor *c = &sched->cursor;

    must(sched->state == SCHED_HELD && sched->plan.follows);
    if (c->open > 0)
        return;
    if (sched->plan.is_governed) {
        govern(turn, sched, started == INSTANT_NONE ? turn->now : started);
        return;
    }
    sched_context(sched);
    c->next_at = c->remaining == 0 ? INSTANT_NEVER : next_slot(sched, c->mark);
    sched->has_next_due = false; /* next_due was of another slot */
    sched->is_touched = true;
}

void sched_begin(struct turn *turn, struct work_schedule *sched)
{
    struct cursor *c = &sched->cursor;
    struct advance a = {.plan = &sched->plan, .ctx = sched->ctx, .cursor = c, .now = turn->now};

    must(sched->state == SCHED_HELD && sched->has_plan);
    must(!sched->noted || !sched->is_new);
    sched->is_touched = true;
    if (sched->plan.is_governed) {
        c->mark = c->mark > turn->now ? c->mark : turn->now;
        c->next_at = INSTANT_NEVER;
        if (c->open == 0)
            govern(turn, sched, turn->now);
        return;
    }
    advance_begin(&a);
    must(sched->is_new || a.mark >= c->mark);
    must(a.next_at > a.mark && a.account_count == 0 && a.slot_count == 0);
    c->mark = a.mark;
    c->next_at = a.next_at;
    sched->next_due = a.next_due;
    sched->has_next_due = true;
}

void sched_nudge(struct turn *turn, struct work_schedule *sched, instant wanted)
{
    struct cursor *c = &sched->cursor;
    struct governor governor = governor_of(sched);
    instant at;

    if (c->next_at == INSTANT_NEVER || (c->flags & CURSOR_PAUSED))
        return; /* a run is open: the hint takes effect when it has ended */
    at = governor_nudge(&governor, turn->now, c->next_at, wanted);
    if (at == c->next_at)
        return;
    must(at <= c->next_at); /* a hint never delays */
    c->next_at = as_slot(c, at);
    c->source = c->hint_interval > 0 ? SOURCE_AI_INTERVAL : SOURCE_AI_ONESHOT;
    if (at == c->hint_at)
        c->source = SOURCE_AI_ONESHOT;
    if (at != wanted)
        c->source = at > wanted ? SOURCE_CLAMPED_MIN : SOURCE_CLAMPED_MAX;
    sched->next_due = c->next_at;
    sched->has_next_due = true;
    sched->is_touched = true;
}
