/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applies the overlap policy: decides on waiting runs and new starts, in order of arrival,
 * given the open runs.  Also counts what becomes of the starts of backfills.
 */
#include <stdlib.h>

#include "base/must.h"
#include "engine/engine_internal.h"
#include "engine/ledger_write.h"
#include "engine/start_slots.h"
#include "engine/transitions.h"

/* The first may end open runs, the second starts what waited for these; one is in reserve. */
enum { DECIDE_PASSES_MAX = 3 };

/* A candidate to start: a held run or a new start; exactly one of the two is set at first. */
struct candidate {
    struct work_run *work;
    struct start *start;
};

static bool is_waiting(const struct work_run *p)
{
    return (p->state == WORK_READ || p->state == WORK_NEW) && p->run.state == RUN_HELD;
}

static bool is_too_late(const struct turn *turn, const struct work_schedule *sched,
                        const struct work_run *p)
{
    return p->run.kind == RUN_SLOT &&
           policies_is_too_late(&sched->plan.policies, p->run.due, turn->now);
}

/* Schedules whose slots depend on runs start in order. */
static bool expires_at_start(const struct work_schedule *sched)
{
    const struct policies *p = &sched->plan.policies;

    return sched->has_plan && p->expires_at_start && p->catchup_window != CATCHUP_WINDOW_NONE &&
           !sched->plan.follows;
}

/*
 * True when a new slot will start soon, so that what waits need not start now.  If that slot is
 * further away than the window, a start that is not too late does not wait for it.
 */
static bool awaits_slot(const struct turn *turn, const struct work_schedule *sched)
{
    bool is_near = sched_next_due(sched) - turn->now <= sched->plan.policies.catchup_window;

    if (!sched_can_start_slot(sched))
        return false;
    for (const struct work_run *p = sched->runs; p && !is_near; p = p->next)
        if (is_waiting(p) && !is_too_late(turn, sched, p))
            return false;
    return true;
}

/* True when a waiting slot must not start: catch-up window, or a pause without catch-up. */
static bool has_expired(const struct turn *turn, const struct work_schedule *sched,
                        const struct work_run *p, bool is_early, enum reason *ret)
{
    const struct policies *policies = &sched->plan.policies;

    if (p->run.kind != RUN_SLOT)
        return false;
    if ((sched->cursor.flags & CURSOR_BARRED) && !policies->catchup_paused) {
        *ret = REASON_PAUSED;
        return true;
    }
    *ret = REASON_WINDOW;
    return !is_early && is_too_late(turn, sched, p);
}

static bool is_barred(const struct work_schedule *sched, const struct work_run *p)
{
    return p->run.kind == RUN_SLOT && (sched->cursor.flags & CURSOR_BARRED);
}

bool sched_is_stranded(const struct turn *turn, const struct work_schedule *sched)
{
    return expires_at_start(sched) && sched->cursor.waiting > 0 && sched->cursor.open == 0 &&
           !(sched->cursor.flags & (CURSOR_BARRED | CURSOR_CLOSED | CURSOR_DELETED)) &&
           !turn->in->hold && !awaits_slot(turn, sched);
}

static int by_arrival(const void *a, const void *b)
{
    const struct work_run *x = ((const struct candidate *)a)->work;
    const struct work_run *y = ((const struct candidate *)b)->work;

    return (x->run.id > y->run.id) - (x->run.id < y->run.id);
}

static int collect(struct turn *turn, struct work_schedule *sched, struct candidate **ret)
{
    struct candidate *candidates;
    bool is_open = sched->cursor.open > 0, at_start = expires_at_start(sched);
    /* A new start begins before those that did not when the last run ended. */
    bool is_passed_over = at_start && !is_open && sched->starts && !sched->open_changed;
    bool is_early = at_start && (is_open || is_passed_over || awaits_slot(turn, sched));
    int room = 0, count = 0;

    for (struct work_run *p = sched->runs; p; p = p->next)
        room++;
    for (struct start *s = sched->starts; s; s = s->next)
        room++;
    candidates = arena_array(turn->arena, (size_t)room, sizeof(*candidates));
    for (struct work_run *p = sched->runs; p; p = p->next) {
        enum reason reason;

        if (!is_waiting(p))
            continue;
        if (p->run.kind == RUN_SLOT && p->run.slot > sched->cursor.mark)
            turn_damage(turn, p->run.id, "a run waits whose slot is after the mark");
        else if (has_expired(turn, sched, p, is_early, &reason))
            held_end(turn, p, OUTCOME_MISSED, reason);
        else if (!is_passed_over && !is_barred(sched, p))
            candidates[count++].work = p;
    }
    if (count > 1) /* runs that commands name come first in the list */
        qsort(candidates, (size_t)count, sizeof(*candidates), by_arrival);
    for (struct start *s = sched->starts; s; s = s->next)
        candidates[count++].start = s;
    must(count <= room);
    *ret = candidates;
    return count;
}

/* A governed schedule has no pick while one of its own runs is open or waits. */
static void forget_pick(struct work_schedule *sched)
{
    sched->cursor.next_at = sched->next_due = INSTANT_NEVER;
    sched->has_next_due = true;
}

/*
 * If slots depend on runs, a run that is created or started moves the next slot.  The run of a
 * new slot always does; any other must not remove a slot whose time has come.
 */
static void recompute_next(struct work_schedule *sched, bool is_slot, bool is_new)
{
    struct cursor *c = &sched->cursor;
    struct slot slot = {.at = INSTANT_NEVER, .due = INSTANT_NEVER};

    if (!sched->has_plan || !sched->plan.follows)
        return;
    if (sched->plan.is_governed) {
        if (is_slot)
            forget_pick(sched);
        return;
    }
    if (is_slot && is_new)
        c->next_at = c->mark;
    sched_update_context(sched);
    if (c->remaining != 0)
        (void)spec_next(&sched->plan.spec, &sched->ctx, c->mark, &slot);
    must(slot.at > c->mark && slot.due >= slot.at);
    c->next_at = slot.at;
    sched->next_due = slot.due;
    sched->has_next_due = true;
}

static void count_start(struct turn *turn, struct work_schedule *sched, struct run *run,
                        bool is_new)
{
    struct cursor *c = &sched->cursor;

    must(run->state == RUN_HELD && run->attempt == 0);
    must(run->kind != RUN_TEST && run->kind != RUN_DIRECT); /* they count in no cursor */
    must(run->kind != RUN_SLOT || run->slot <= c->mark);
    run->last_run_at = c->last_start; /* other runs may have started while it was held */
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
    sched_count_backfill(sched, run, BACKFILL_RUN_BEGAN);
    recompute_next(sched, run->kind == RUN_SLOT, is_new);
}

/* Skips a slot or a requested start; each gets an entry in the ledger. */
static void skip_start(struct turn *turn, struct work_schedule *sched,
                       struct candidate *candidate)
{
    struct start *s = candidate->start;

    if (candidate->work) {
        held_end(turn, candidate->work, OUTCOME_SKIPPED, REASON_OVERLAP);
        return;
    }
    if (s->pass == 0) {
        ledger_note_one(turn, sched, s->slot, OUTCOME_SKIPPED, REASON_OVERLAP);
        return;
    }
    /* Its own ledger row: other passes are not merged into ranges. */
    candidate->work = run_create(turn, sched, s, true);
    held_end(turn, candidate->work, OUTCOME_SKIPPED, REASON_OVERLAP);
    if (s->reply)
        s->reply->count = 0;
}

static void hold_start(struct turn *turn, struct work_schedule *sched,
                       struct candidate *candidate)
{
    if (candidate->work)
        return;
    candidate->work = run_create(turn, sched, candidate->start, true);
    if (candidate->start->pass != 0)
        return;
    ledger_note_one(turn, sched, candidate->start->slot, OUTCOME_STARTED, REASON_NONE);
    sched->cursor.last_held = candidate->start->slot;
    recompute_next(sched, true, true);
}

static void begin_run(struct turn *turn, struct work_schedule *sched,
                      struct candidate *candidate)
{
    bool is_new = !candidate->work;

    if (!is_new && is_too_late(turn, sched, candidate->work)) {
        held_end(turn, candidate->work, OUTCOME_MISSED, REASON_WINDOW);
        return; /* it was its turn: no other starts in this decision */
    }
    if (is_new) {
        candidate->work = run_create(turn, sched, candidate->start, false);
        if (candidate->start->pass == 0)
            ledger_note_one(turn, sched, candidate->start->slot, OUTCOME_STARTED, REASON_NONE);
    } else {
        run_leave_held(turn, sched);
    }
    count_start(turn, sched, &candidate->work->run, is_new);
    run_ready(turn, candidate->work);
}

/* Ends the open runs, or asks their holders to stop; true when some ended at once. */
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
            run_request_stop(turn, p, true);
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
    struct candidate *candidates;
    int count = collect(turn, sched, &candidates);
    uint8_t *policy = arena_take(turn->arena, (size_t)count);
    uint8_t *verdict = arena_take(turn->arena, (size_t)count);
    struct overlap_effects effects;

    sched->starts = NULL;
    sched->starts_end = &sched->starts;
    sched->open_changed = false;
    if (count == 0)
        return false;
    for (int i = 0; i < count; i++)
        policy[i] = candidates[i].work ? candidates[i].work->run.overlap
                                       : candidates[i].start->overlap;
    effects = overlap_decide(policy, count, sched->plan.policies.overlap,
                             sched->cursor.open > 0, verdict);
    for (int i = 0; i < count; i++) {
        switch ((enum verdict)verdict[i]) {
        case VERDICT_START:
            begin_run(turn, sched, &candidates[i]);
            break;
        case VERDICT_HOLD:
            hold_start(turn, sched, &candidates[i]);
            break;
        case VERDICT_SKIP:
        case VERDICT_REPLACED:
            skip_start(turn, sched, &candidates[i]);
            break;
        }
    }
    return (effects.cancel || effects.terminate) && end_others(turn, sched, &effects);
}

static bool counts_from_ends(const struct spec *spec)
{
    for (int i = 0; i < spec->entry_count; i++)
        if (spec->entries[i].kind == ENTRY_INTERVAL &&
            spec->entries[i].interval.anchor == ANCHOR_COMPLETION)
            return true;
    return false;
}

/* Whether a requested run begins first, so that a slot whose policy is to skip is skipped. */
static bool is_preceded(const struct work_schedule *sched)
{
    enum overlap usual = sched->plan.policies.overlap;

    for (const struct start *s = sched->starts; s; s = s->next)
        if (s->kind != RUN_SLOT &&
            (s->overlap == OVERLAP_DEFAULT ? usual : s->overlap) != OVERLAP_ALLOW_ALL)
            return true;
    return false;
}

/*
 * A requested run opens, and the end from which slots count is forgotten.  Of those whose time
 * has come, the cursor can keep only the next one.
 */
static void decide_passed(struct turn *turn, struct work_schedule *sched)
{
    const struct policies *p = &sched->plan.policies;
    bool is_barred = (sched->cursor.flags & CURSOR_BARRED) != 0;
    struct slot last;

    if (is_barred && !p->catchup_paused)
        sched_account_until(turn, sched, turn->now, OUTCOME_MISSED, REASON_PAUSED);
    else if (!counts_from_ends(&sched->plan.spec))
        return;
    else if (is_barred && spec_prev(&sched->plan.spec, &sched->ctx, turn->now + 1, &last))
        sched_account_until(turn, sched, last.at - 1, OUTCOME_MISSED, REASON_PAUSED);
    else if (!is_barred && p->catchup == CATCHUP_ALL && p->overlap == OVERLAP_SKIP &&
             is_preceded(sched))
        sched_account_until(turn, sched, turn->now, OUTCOME_SKIPPED, REASON_OVERLAP);
}

void sched_decide(struct turn *turn, struct work_schedule *sched)
{
    must(sched->state == SCHED_HELD);
    /* A schedule that is not barred was advanced before; no run moves a pick. */
    if (!sched->plan.is_governed && sched_must_advance_first(turn, sched))
        decide_passed(turn, sched);
    for (int i = 0; i < DECIDE_PASSES_MAX; i++)
        if (!decide_once(turn, sched))
            break;
}

/* ---- backfills ---- */

void sched_count_backfill(struct work_schedule *sched, const struct run *run,
                          enum backfill_count what)
{
    for (int i = 0; run->kind == RUN_BACKFILL && i < sched->backfill_count; i++) {
        struct work_backfill *w = &sched->backfills[i];
        int64_t *const counters[] = {
            [BACKFILL_RUN_BEGAN] = &w->row.begun,
            [BACKFILL_RUN_SUCCEEDED] = &w->row.succeeded,
            [BACKFILL_RUN_FAILED] = &w->row.failed,
            [BACKFILL_RUN_CANCELLED] = &w->row.cancelled,
            [BACKFILL_START_SKIPPED] = &w->row.skipped,
            [BACKFILL_START_WITHDRAWN] = &w->row.withdrawn,
        };

        if (w->row.pass != run->pass)
            continue;
        ++*counters[what];
        w->is_changed = true;
    }
}

void turn_backfill_event(struct turn *turn, enum event_type type, const struct backfill *b)
{
    bool is_end = type == EVENT_BACKFILL_ENDED;

    *VEC_ADD(turn, &turn->events) = (struct event){
        .type = type,
        .schedule = b->schedule,
        .pass = b->pass,
        .count = b->begun,
        .detail = b->skipped,
        .attempt = is_end ? b->succeeded : backfill_buffered(b),
        .fence = is_end ? b->failed : 0,
        .slot = is_end ? b->cancelled + b->withdrawn : 0,
    };
}

void sched_settle_backfills(struct turn *turn, struct work_schedule *sched)
{
    struct cursor *c = &sched->cursor;

    for (int i = 0; i < sched->backfill_count; i++) {
        struct work_backfill *w = &sched->backfills[i];
        struct backfill *b = &w->row;
        bool is_over = (backfill_open(b) == 0 && backfill_buffered(b) == 0) ||
                       (c->open == 0 && c->waiting == 0);

        if (w->is_new)
            turn_backfill_event(turn, EVENT_BACKFILL_STARTED, b);
        w->is_new = false;
        if (b->stage == BACKFILL_FILLED && is_over) {
            b->stage = BACKFILL_ENDED;
            b->ended_at = c->active_at = turn->now;
            turn_count_down(turn, &c->backfills, sched->id,
                            "a cursor counts fewer backfills than there are");
            turn_backfill_event(turn, EVENT_BACKFILL_ENDED, b);
            w->is_changed = true;
        }
        if (w->is_changed)
            backfills_update(turn->db, b);
        w->is_changed = false;
    }
}
