/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Next slots that depend on runs: governed schedules, and intervals that count from a start or
 * an end.
 */
#include "base/must.h"
#include "core/pick.h"
#include "engine/start_slots.h"
#include "engine/transitions.h"

static instant next_slot(const struct work_schedule *sched, instant after)
{
    struct slot slot;

    return spec_next(&sched->plan.spec, &sched->ctx, after, &slot) ? slot.at : INSTANT_NEVER;
}

static struct pick pick_of(const struct work_schedule *sched)
{
    return (struct pick){
        .plan = &sched->plan,
        .ctx = &sched->ctx,
        .mark = sched->cursor.mark,
        .governor = pick_governor(&sched->plan, &sched->cursor),
    };
}

static void set_pick(struct work_schedule *sched, struct governed chosen)
{
    struct cursor *c = &sched->cursor;

    must(chosen.at > c->mark);
    c->next_at = chosen.at;
    c->source = (int64_t)chosen.source;
    sched->next_due = c->next_at;
    sched->has_next_due = true;
    sched->is_touched = true;
}

static instant earlier(instant a, instant b)
{
    return a < b ? a : b;
}

void sched_account_passed(struct turn *turn, struct work_schedule *sched, instant until)
{
    const struct cursor *c = &sched->cursor;
    instant last = earlier(until, c->next_at - 1);

    must(sched->state == SCHED_HELD);
    if (!sched->has_plan || !sched->plan.is_governed || c->remaining == 0 || last <= c->mark ||
        (c->flags & (CURSOR_BARRED | CURSOR_CLOSED | CURSOR_DELETED)))
        return;
    if (c->flags & CURSOR_QUARANTINED)
        sched_account_until(turn, sched, until, OUTCOME_DROPPED, REASON_QUARANTINED);
    else
        sched_account_until(turn, sched, last, OUTCOME_SKIPPED, REASON_GOVERNOR);
}

void sched_pick_paused(struct work_schedule *sched, instant at)
{
    struct pick pick = pick_of(sched);

    must(sched->plan.is_governed && sched->cursor.next_at == INSTANT_NEVER);
    /* Rounded down, so that it is due now. */
    at = pick_allowed(&pick, at / SPAN_MS * SPAN_MS);
    set_pick(sched, (struct governed){at, SOURCE_PAUSED});
}

void sched_pick_again(struct work_schedule *sched)
{
    struct pick pick = pick_of(sched);
    struct cursor *c = &sched->cursor;

    if (c->next_at != INSTANT_NEVER)
        set_pick(sched,
                 (struct governed){pick_allowed(&pick, c->next_at), (enum source)c->source});
}

/* Sets the pick after a run from `started` to now; without a run, `started` is now. */
static void govern(struct turn *turn, struct work_schedule *sched, instant started)
{
    struct cursor *c = &sched->cursor;
    struct governor governor = pick_governor(&sched->plan, &sched->cursor);
    struct pick pick;

    must(sched->plan.is_governed && c->open == 0); /* else two runs could be open */
    governor_tidy(&governor, started, turn->now);
    c->hint_interval = governor.hint_interval;
    c->hint_at = governor.hint_at;
    c->hint_expires = governor.hint_expires;
    c->next_at = INSTANT_NEVER;
    if (c->remaining == 0)
        return;
    sched_account_passed(turn, sched, turn->now - 1);
    sched_update_context(sched);
    pick = pick_of(sched);
    set_pick(sched, pick_next(&pick, started, turn->now));
    sched_account_passed(turn, sched, turn->now);
}

void sched_set_next(struct turn *turn, struct work_schedule *sched, instant started)
{
    struct cursor *c = &sched->cursor;

    must(sched->state == SCHED_HELD && sched->plan.follows);
    if (c->open > 0)
        return;
    if (sched->plan.is_governed) {
        if (c->next_at == INSTANT_NEVER) /* a trigger or a backfill does not move the pick */
            govern(turn, sched, started == INSTANT_NONE ? turn->now : started);
        return;
    }
    sched_update_context(sched);
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
    advance_begin(&a);
    must(sched->is_new || a.mark >= c->mark);
    must(a.next_at > a.mark && a.account_count == 0 && a.slot_count == 0);
    c->mark = a.mark;
    c->next_at = a.next_at;
    sched->next_due = a.next_due;
    sched->has_next_due = true;
    if (sched->plan.is_governed && c->open == 0)
        govern(turn, sched, turn->now);
}

void sched_nudge(struct turn *turn, struct work_schedule *sched, instant wanted)
{
    struct cursor *c = &sched->cursor;
    struct pick pick = pick_of(sched);
    struct governed current = {c->next_at, (enum source)c->source};

    if (c->next_at == INSTANT_NEVER || (c->flags & CURSOR_PAUSED))
        return; /* the hint takes effect when the open run, or the next one, has ended */
    set_pick(sched, pick_earlier(&pick, turn->now, current, wanted));
    must(c->next_at <= current.at); /* a hint never delays */
}
