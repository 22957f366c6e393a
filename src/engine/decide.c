/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Overlap: the runs that wait and the starts that are new, in order of arrival, against the
 * runs that are open.
 */
#include <stdlib.h>

#include "base/must.h"
#include "engine/engine_internal.h"
#include "engine/start_slots.h"
#include "engine/transitions.h"

enum { DECIDE_PASSES_MAX = 3 }; /* one, one after others were ended, one for what that frees */

/* One that asks to start: a run that is held, or a new start. */
struct asker {
    struct work_run *work;
    struct start *start;
};

/* Older than the catch-up window, or its schedule starts nothing by itself any more. */
static bool is_out_of_time(const struct turn *turn, struct work_schedule *sched,
                           const struct work_run *p, enum reason *ret)
{
    const struct policies *policies = &sched->plan.policies;

    if (p->run.kind != RUN_SLOT)
        return false;
    if ((sched->cursor.flags & CURSOR_BARRED) && !policies->catchup_paused) {
        *ret = REASON_PAUSED;
        return true;
    }
    if (policies->catchup_window != CATCHUP_WINDOW_NONE &&
        turn->now - p->run.due > policies->catchup_window) {
        *ret = REASON_WINDOW;
        return true;
    }
    return false;
}

static bool is_barred(const struct work_schedule *sched, const struct work_run *p)
{
    return p->run.kind == RUN_SLOT && (sched->cursor.flags & CURSOR_BARRED);
}

static int by_arrival(const void *a, const void *b)
{
    const struct work_run *x = ((const struct asker *)a)->work;
    const struct work_run *y = ((const struct asker *)b)->work;

    return (x->run.id > y->run.id) - (x->run.id < y->run.id);
}

static int gather(struct turn *turn, struct work_schedule *sched, struct asker **ret)
{
    struct asker *askers;
    int room = 0, count = 0;

    for (struct work_run *p = sched->runs; p; p = p->next)
        room++;
    for (struct start *s = sched->starts; s; s = s->next)
        room++;
    askers = arena_array(turn->arena, (size_t)room, sizeof(*askers));
    for (struct work_run *p = sched->runs; p; p = p->next) {
        enum reason reason;
        bool waits = (p->state == WORK_READ || p->state == WORK_NEW) &&
                     p->run.state == RUN_HELD;

        if (!waits)
            continue;
        if (is_out_of_time(turn, sched, p, &reason))
            held_end(turn, p, OUTCOME_MISSED, reason);
        else if (!is_barred(sched, p))
            askers[count++].work = p;
    }
    if (count > 1) /* a run that a command names is the first on the workset */
        qsort(askers, (size_t)count, sizeof(*askers), by_arrival);
    for (struct start *s = sched->starts; s; s = s->next)
        askers[count++].start = s;
    *ret = askers;
    return count;
}

/*
 * Where the spec counts from runs, one that is made or started moves what comes next.  That of
 * a new slot comes before all others; any other takes no slot away whose time has come.
 */
static void look_again(struct work_schedule *sched, bool is_of_slot)
{
    struct cursor *c = &sched->cursor;
    struct slot slot = {.at = INSTANT_NEVER, .due = INSTANT_NEVER};

    if (!sched->has_plan || !sched->plan.follows)
        return;
    if (is_of_slot)
        c->next_at = c->mark;
    sched_context(sched);
    if (!sched->plan.is_governed && c->remaining != 0)
        (void)spec_next(&sched->plan.spec, &sched->ctx, c->mark, &slot);
    c->next_at = slot.at;
    sched->next_due = slot.due;
    sched->moved = true;
}

static void count_start(struct turn *turn, struct work_schedule *sched, struct run *run,
                        bool is_new)
{
    struct cursor *c = &sched->cursor;

    run->last_run_at = c->last_start; /* others may have started while it was held */
    c->open++;
    c->started++;
    turn->started[run->kind]++;
    c->last_start = c->active_at = turn->now;
    if (run->kind == RUN_SLOT) {
        c->last_slot = run->slot;
        if (c->remaining > 0)
            c->remaining--;
        if (c->remaining == 0)
            c->next_at = INSTANT_NEVER;
    }
    sched->is_touched = true;
    look_again(sched, is_new && run->kind == RUN_SLOT);
}

/* A slot that is skipped, or a request; what nobody counts is told all the same. */
static void skip(struct turn *turn, struct work_schedule *sched, struct asker *asker)
{
    struct start *s = asker->start;

    if (asker->work) {
        held_end(turn, asker->work, OUTCOME_SKIPPED, REASON_OVERLAP);
        return;
    }
    if (s->pass == 0) {
        note_one(turn, sched, s->slot, OUTCOME_SKIPPED, REASON_OVERLAP);
        return;
    }
    /* A row of its own: passes have no stretches. */
    asker->work = run_create(turn, sched, s, true);
    held_end(turn, asker->work, OUTCOME_SKIPPED, REASON_OVERLAP);
    if (s->reply)
        s->reply->count = 0;
}

static void hold(struct turn *turn, struct work_schedule *sched, struct asker *asker)
{
    if (asker->work)
        return;
    asker->work = run_create(turn, sched, asker->start, true);
    if (asker->start->pass != 0)
        return;
    note_one(turn, sched, asker->start->slot, OUTCOME_STARTED, REASON_NONE);
    sched->cursor.last_held = asker->start->slot;
    look_again(sched, true);
}

static void begin(struct turn *turn, struct work_schedule *sched, struct asker *asker)
{
    bool is_new = !asker->work;

    if (is_new) {
        asker->work = run_create(turn, sched, asker->start, false);
        if (asker->start->pass == 0)
            note_one(turn, sched, asker->start->slot, OUTCOME_STARTED, REASON_NONE);
    } else {
        must(sched->cursor.waiting > 0);
        sched->cursor.waiting--;
    }
    count_start(turn, sched, &asker->work->run, is_new);
    run_ready(turn, asker->work);
}

/* Ends the open runs, or asks them to end; true when some ended at once. */
static bool end_others(struct turn *turn, struct work_schedule *sched,
                       const struct overlap_effects *effects)
{
    bool any = false;

    for (struct work_run *p = sched->runs; p; p = p->next) {
        bool open = (p->state == WORK_READ || p->state == WORK_NEW) &&
                    p->run.state != RUN_HELD && p->run.kind != RUN_TEST;

        if (!open)
            continue;
        if (effects->terminate) {
            run_stop(turn, &p->run, true);
            run_end(turn, p,
                    &(struct ending){.outcome = OUTCOME_TERMINATED, .reason = REASON_OTHER});
            any = true;
        } else if (run_is_claimed(p->run.state)) {
            run_ask_to_stop(turn, p, true);
        } else {
            run_end(turn, p,
                    &(struct ending){.outcome = OUTCOME_CANCELLED, .reason = REASON_OTHER});
            any = true;
        }
    }
    return any;
}

/* One pass; true when runs ended and another pass may start more. */
static bool decide_once(struct turn *turn, struct work_schedule *sched)
{
    struct asker *askers;
    int count = gather(turn, sched, &askers);
    uint8_t *policy = arena_take(turn->arena, (size_t)count);
    uint8_t *verdict = arena_take(turn->arena, (size_t)count);
    struct overlap_effects effects;

    sched->starts = NULL;
    sched->starts_end = &sched->starts;
    sched->open_changed = false;
    if (count == 0)
        return false;
    for (int i = 0; i < count; i++)
        policy[i] = askers[i].work ? askers[i].work->run.overlap : askers[i].start->overlap;
    effects = overlap_decide(policy, count, sched->plan.policies.overlap,
                             sched->cursor.open > 0, verdict);
    for (int i = 0; i < count; i++) {
        switch ((enum verdict)verdict[i]) {
        case VERDICT_START:
            begin(turn, sched, &askers[i]);
            break;
        case VERDICT_HOLD:
            hold(turn, sched, &askers[i]);
            break;
        case VERDICT_SKIP:
        case VERDICT_REPLACED:
            skip(turn, sched, &askers[i]);
            break;
        }
    }
    return (effects.cancel || effects.terminate) && end_others(turn, sched, &effects);
}

void sched_decide(struct turn *turn, struct work_schedule *sched)
{
    /* Where it is not barred it was looked at, and where it is governed its slot moves. */
    if ((sched->cursor.flags & CURSOR_BARRED) && !sched->plan.policies.catchup_paused &&
        !sched->plan.is_governed && sched_is_overtaken(turn, sched))
        sched_pass(turn, sched, turn->now, OUTCOME_MISSED, REASON_PAUSED);
    for (int i = 0; i < DECIDE_PASSES_MAX; i++)
        if (!decide_once(turn, sched))
            break;
}
