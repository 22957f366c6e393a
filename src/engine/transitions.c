/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/transitions.h"

#include <stdlib.h>

#include "base/must.h"
#include "engine/daily_stats.h"
#include "engine/engine_internal.h"
#include "engine/restricted_queues.h"

static const struct policies *policies_of(const struct work_schedule *sched)
{
    return &sched->plan.policies;
}

static instant expires(const struct turn *turn, const struct work_schedule *sched)
{
    span age = sched->has_plan ? policies_of(sched)->retention_age : 0;

    return age == 0 ? INSTANT_NEVER : turn->now + age;
}

/* Runs of tests, and runs whose schedule is gone, leave no trace on a cursor. */
static bool has_trace(const struct work_run *work)
{
    return work->run.kind != RUN_TEST && work->sched->state == SCHED_HELD;
}

void note(struct turn *turn, struct work_schedule *sched, const struct account *account)
{
    struct noted *noted = arena_take(turn->arena, sizeof(*noted));

    noted->account = *account;
    *sched->noted_end = noted;
    sched->noted_end = &noted->next;
    sched->is_touched = true;
}

void note_one(struct turn *turn, struct work_schedule *sched, instant slot,
              enum outcome outcome, enum reason reason)
{
    note(turn, sched,
         &(struct account){
             .first = slot, .last = slot, .count = 1, .outcome = outcome, .reason = reason});
}

/* Counts an account and says it. */
static void tell(struct turn *turn, struct work_schedule *sched, const struct account *a,
                 int64_t pass)
{
    struct cursor *c = &sched->cursor;
    enum event_type type;

    switch (a->outcome) {
    case OUTCOME_SKIPPED:
        c->skipped += a->count;
        type = EVENT_SLOT_SKIPPED;
        break;
    case OUTCOME_MISSED:
        c->missed += a->count;
        type = EVENT_SLOT_MISSED;
        break;
    case OUTCOME_DROPPED:
        c->dropped += a->count;
        type = EVENT_SLOT_DROPPED;
        break;
    default:
        must(a->outcome == OUTCOME_SLOT_CANCELLED);
        c->cancelled += a->count;
        type = EVENT_SLOT_CANCELLED;
        break;
    }
    *VEC_ADD(turn, &turn->events) = (struct event){
        .type = type,
        .schedule = sched->id,
        .slot = a->first,
        .pass = pass,
        .detail = (int64_t)a->outcome * 256 + (int64_t)a->reason,
        .count = a->count,
    };
}

static void ledger_write(struct turn *turn, struct work_schedule *sched,
                         const struct account *account, int64_t pass, bool extends)
{
    struct ledger_entry entry = {
        .id = turn_key(turn),
        .schedule = sched->id,
        .pass = pass,
        .account = *account,
        .written_at = turn->now,
        .expire_at = expires(turn, sched),
    };

    tell(turn, sched, account, pass);
    turn->memory.walks[PRUNE_LEDGER].written++;
    if (extends)
        ledger_extend(turn->db, &entry);
    else
        ledger_insert(turn->db, &entry);
}

static void gate_leave(struct turn *turn, struct run *run)
{
    struct work_gate *gate;

    if (run->gate == 0 || !run_is_claimed(run->state))
        return;
    gate = workset_gate(turn, run->gate);
    must(gate->is_held && gate->gate.open > 0);
    gate->gate.open--;
    gate->is_changed = true;
}

static void gate_forget(struct turn *turn, struct run *run)
{
    struct work_gate *gate;

    if (run->gate == 0 || run->state != RUN_GATED)
        return;
    gate = workset_gate(turn, run->gate);
    must(gate->is_held && gate->gate.waiting > 0);
    gate->gate.waiting--;
    gate->is_changed = true;
}

void run_stop(struct turn *turn, const struct run *run, bool is_terminated)
{
    if (run->node == 0 || !run_is_claimed(run->state))
        return; /* a worker learns it at its next heartbeat */
    if (run->node == turn->node)
        *VEC_ADD(turn, &turn->stops) = (struct stop){
            .run = {run->schedule, run->slot / SPAN_MS, (uint32_t)run->pass},
            .fence = run->fence,
            .is_terminated = is_terminated,
        };
    else if (is_terminated)
        stops_insert(turn->db, &(struct node_stop){.id = turn_key(turn),
                                                   .node = run->node,
                                                   .schedule = run->schedule,
                                                   .slot = run->slot,
                                                   .pass = run->pass,
                                                   .fence = run->fence});
}

static void land(struct turn *turn, const struct run *run)
{
    if (run->node == turn->node && run_is_claimed(run->state))
        *VEC_ADD(turn, &turn->landed) = run->id;
}

static void write_history(struct turn *turn, struct work_run *work, const struct ending *ending,
                          bool last)
{
    const struct run *run = &work->run;

    turn->memory.walks[PRUNE_HISTORY].written++;
    turn->memory.uncounted++;
    *VEC_ADD(turn, &turn->ended) = (struct ended){
        .outcome = ending->outcome,
        .lane = run->lane,
        .is_last = last,
        .took = run_is_claimed(run->state) ? turn->now - run->attempt_at : -1,
    };
    history_insert(turn->db, &(struct attempt_end){
                                 .id = turn_key(turn),
                                 .run = run,
                                 .outcome = ending->outcome,
                                 .reason = ending->reason,
                                 .last = last,
                                 .ended_at = turn->now,
                                 .expire_at = expires(turn, work->sched),
                                 .error = ending->error,
                                 .result = ending->result,
                                 .namespace = work->sched->namespace,
                                 .tokens = ending->tokens,
                                 .cost = ending->cost,
                             });
}

static void keep_result(struct turn *turn, const struct work_schedule *sched,
                        const struct ending *ending)
{
    if (!sched->has_plan || !policies_of(sched)->wants_last)
        return;
    if (ending->outcome == OUTCOME_SUCCEEDED)
        results_put(turn->db, sched->id, ending->result);
    else if (outcome_is_failure(ending->outcome))
        results_fail(turn->db, sched->id, ending->error);
}

/* Beyond twice as many as are kept the rest goes; by arithmetic, so that none is counted. */
static bool is_beyond(int64_t ended, int64_t kept)
{
    return kept > 0 && ended > 2 * kept && (ended - 2 * kept - 1) % (kept + 1) == 0;
}

/* What the end of a run means for its schedule. */
static void count_end(struct turn *turn, struct work_run *work, const struct ending *ending)
{
    struct work_schedule *sched = work->sched;
    struct cursor *c = &sched->cursor;
    const struct policies *p = policies_of(sched);
    int64_t ended;

    must(c->open > 0);
    c->open--;
    c->last_end = turn->now;
    c->last_outcome = (int64_t)ending->outcome;
    sched->is_touched = sched->open_changed = true;
    if (ending->outcome == OUTCOME_SUCCEEDED) {
        c->succeeded++;
        c->failures = 0;
    } else if (outcome_is_failure(ending->outcome)) {
        c->failed++;
        c->failures++;
    }
    keep_result(turn, sched, ending);
    ended = c->succeeded + c->failed;
    if (is_beyond(ended, p->retention_count))
        daily_stats_keep(turn, sched->id, p->retention_count);
    if (p->pause_on_failure && outcome_is_failure(ending->outcome) &&
        !(c->flags & CURSOR_PAUSED))
        sched_pause(turn, sched, INSTANT_NEVER, STR("paused because a run failed"),
                    STR("belfry"));
}

void run_end(struct turn *turn, struct work_run *work, const struct ending *ending)
{
    struct run *run = &work->run;
    bool is_cancel = ending->outcome == OUTCOME_CANCELLED;
    instant started = run->started_at;

    must(run->state != RUN_HELD && work->state != WORK_GONE);
    write_history(turn, work, ending, true);
    gate_leave(turn, run);
    gate_forget(turn, run);
    restricted_freed(turn, run);
    land(turn, run);
    turn_event(turn, is_cancel ? EVENT_RUN_CANCELLED : EVENT_RUN_ENDED, run,
               (int64_t)ending->outcome * 256 + (int64_t)ending->reason);
    if (work->state == WORK_READ)
        runs_delete(turn->db, run->id, run->fence, work->is_trusted ? &work->row : NULL);
    work->state = WORK_GONE;
    run->state = RUN_ENDED;
    if (!has_trace(work))
        return;
    count_end(turn, work, ending);
    if (work->sched->has_plan && work->sched->plan.follows)
        sched_set_next(turn, work->sched, started);
}

void held_end(struct turn *turn, struct work_run *work, enum outcome outcome,
              enum reason reason)
{
    struct work_schedule *sched = work->sched;
    struct account account = {.first = work->run.slot,
                              .last = work->run.slot,
                              .count = 1,
                              .outcome = outcome,
                              .reason = reason};

    must(work->run.state == RUN_HELD && sched->cursor.waiting > 0);
    ledger_write(turn, sched, &account, work->run.pass, false);
    if (work->state == WORK_READ)
        runs_delete(turn->db, work->run.id, work->run.fence, NULL);
    work->state = WORK_GONE;
    sched->cursor.waiting--;
    sched->is_touched = true;
}

/* Back among those that can be claimed, or that wait for a time. */
static void let_go(struct turn *turn, struct work_run *work, enum run_state state, instant wake)
{
    struct run *run = &work->run;

    must(run_may(run->state, state));
    gate_leave(turn, run);
    restricted_freed(turn, run);
    land(turn, run);
    run->state = state;
    run->node = 0;
    run->worker = (struct str){NULL, 0};
    run->lease_until = INSTANT_NEVER;
    run->wake_at = wake;
    work->is_changed = true;
    if (state == RUN_READY && !work->is_fresh) {
        work->is_fresh = true;
        *VEC_ADD(turn, &turn->fresh) = work;
    }
}

/* Until when it must have begun: policy startWithin. */
static instant begin_by(const struct work_schedule *sched, const struct run *run)
{
    span within = sched->has_plan ? policies_of(sched)->start_within : 0;

    return within > 0 && run->attempt == 0 ? run->due + within : INSTANT_NEVER;
}

/* From when on it is late: policy latenessBudget. */
static instant late_from(const struct work_schedule *sched, const struct run *run)
{
    span budget = sched->has_plan ? policies_of(sched)->lateness_budget : 0;

    return budget > 0 && !(run->flags & RUN_TOLD_LATE) ? run->due + budget + 1 : INSTANT_NEVER;
}

/* When something is to be done about one that waits: what holds it may take its time. */
static instant wait_until(const struct work_schedule *sched, const struct run *run)
{
    instant late = run->attempt == 0 ? late_from(sched, run) : INSTANT_NEVER;
    instant end = run->state == RUN_HELD ? INSTANT_NEVER : begin_by(sched, run);

    return late < end ? late : end;
}

/* Its schedule was deleted: nothing of it is begun again. */
static bool is_orphan(const struct work_run *work)
{
    return work->sched->state == SCHED_BARE && work->run.kind != RUN_DIRECT;
}

static void lose(struct turn *turn, struct work_run *work, struct ending *ending)
{
    struct run *run = &work->run;
    bool once = work->sched->has_plan && policies_of(work->sched)->at_most_once;

    ending->outcome = OUTCOME_UNKNOWN;
    run->losses++;
    if (once || run->losses >= LOSSES_MAX || is_orphan(work)) {
        if (!once && ending->reason == REASON_NODE && sched_is_held(work->sched)) {
            work->sched->cursor.flags |= CURSOR_QUARANTINED;
            work->sched->is_touched = true;
        }
        run_end(turn, work, ending);
        return;
    }
    write_history(turn, work, ending, false);
    let_go(turn, work, RUN_READY, INSTANT_NEVER);
    run->fence++;
    turn_event(turn, EVENT_RUN_RETRYING, run, (int64_t)ending->reason);
}

static instant next_try(const struct turn *turn, const struct work_run *work,
                        const struct ending *ending)
{
    const struct policies *p = policies_of(work->sched);
    const struct run *run = &work->run;
    char text[RUN_ID_TEXT_MAX];
    struct run_id id = {run->schedule, run->slot / SPAN_MS, (uint32_t)run->pass};
    instant at;

    if (!work->sched->has_plan || p->at_most_once || is_orphan(work) ||
        (run->flags & RUN_CANCELLING) || !outcome_is_failure(ending->outcome) ||
        ending->outcome == OUTCOME_UNKNOWN)
        return INSTANT_NEVER;
    run_id_format(&id, text);
    at = retry_at(&p->retry,
                  &(struct retry_failure){.attempt = run->attempt - run->losses,
                                          .is_retryable = ending->is_retryable,
                                          .retry_after = ending->retry_after,
                                          .run = str_of(text)},
                  turn->now);
    if (p->max_run_time > 0 && at != INSTANT_NEVER && at - run->started_at > p->max_run_time)
        return INSTANT_NEVER;
    return at;
}

static enum reason reason_of_cancel(const struct run *run)
{
    return run->flags & RUN_FOR_OTHER ? REASON_OTHER : REASON_USER;
}

void attempt_end(struct turn *turn, struct work_run *work, const struct ending *ending)
{
    struct ending end = *ending;
    instant at;

    must(run_is_claimed(work->run.state));
    if (end.is_lost && !(work->run.flags & RUN_CANCELLING)) {
        lose(turn, work, &end);
        return;
    }
    if ((work->run.flags & RUN_CANCELLING) && end.outcome != OUTCOME_SUCCEEDED) {
        end.outcome = OUTCOME_CANCELLED;
        end.reason = reason_of_cancel(&work->run);
    }
    at = next_try(turn, work, &end);
    if (at == INSTANT_NEVER) {
        run_end(turn, work, &end);
        return;
    }
    write_history(turn, work, &end, false);
    let_go(turn, work, RUN_BACKOFF, at);
    turn_event(turn, EVENT_RUN_RETRYING, &work->run, (int64_t)end.reason);
}

void run_ready(struct turn *turn, struct work_run *work)
{
    struct run *run = &work->run;
    bool approve = work->sched->has_plan && policies_of(work->sched)->approval &&
                   run->state != RUN_APPROVAL;

    run->state = approve && run->attempt == 0 ? RUN_APPROVAL : RUN_READY;
    run->wake_at = wait_until(work->sched, run);
    work->is_changed = true;
    if (run->state != RUN_READY || work->is_fresh)
        return;
    turn_event(turn, EVENT_RUN_READY, run, 0);
    work->is_fresh = true;
    *VEC_ADD(turn, &turn->fresh) = work;
}

void run_tell_late(struct turn *turn, struct work_run *work)
{
    struct run *run = &work->run;

    if (run->attempt > 1 || late_from(work->sched, run) > turn->now)
        return;
    run->flags |= RUN_TOLD_LATE;
    work->is_changed = true;
    turn_event(turn, EVENT_RUN_LATE, run, turn->now - run->due);
}

void run_wait_on(struct turn *turn, struct work_run *work)
{
    struct run *run = &work->run;

    run_tell_late(turn, work);
    run->wake_at = wait_until(work->sched, run);
    work->is_changed = true;
    if (run->wake_at <= turn->now)
        run_end(turn, work,
                &(struct ending){.outcome = OUTCOME_TIMED_OUT, .reason = REASON_START_WITHIN});
}

void run_hand_back(struct turn *turn, struct work_run *work)
{
    struct run *run = &work->run;
    enum reason over = is_orphan(work)                  ? REASON_DELETED
                       : !(run->flags & RUN_CANCELLING) ? REASON_NONE
                                                        : reason_of_cancel(run);

    if (over != REASON_NONE) { /* nobody holds it, and nobody is to have it again */
        run_end(turn, work, &(struct ending){.outcome = OUTCOME_CANCELLED, .reason = over});
        return;
    }
    let_go(turn, work, RUN_READY, INSTANT_NEVER);
    run->attempt--;
    if (run->attempt == 0)
        run->started_at = INSTANT_NONE;
    run->attempt_at = INSTANT_NONE;
    run->wake_at = wait_until(work->sched, run);
}

void run_ask_to_stop(struct turn *turn, struct work_run *work, bool for_other)
{
    struct run *run = &work->run;

    if (run->flags & RUN_CANCELLING)
        return;
    run->flags |= RUN_CANCELLING | (for_other ? RUN_FOR_OTHER : 0);
    work->is_changed = true;
    run_stop(turn, run, false);
    if (run->node != 0 && run->node != turn->node)
        run->wake_at = turn->now; /* its node finds it among the waking */
}

struct work_run *run_create(struct turn *turn, struct work_schedule *sched,
                            const struct start *start, bool held)
{
    const struct plan *plan = &sched->plan;
    int32_t default_priority = plan->policies.priority;
    int32_t priority = start->priority > default_priority ? start->priority : default_priority;
    struct run run = {
        .id = turn_key(turn),
        .schedule = sched->id,
        .slot = start->slot,
        .pass = start->pass,
        .kind = start->kind,
        .state = RUN_HELD,
        .overlap = start->overlap,
        .lane = (uint8_t)plan->lane,
        .queue = plan->queue,
        .gate = plan->gate,
        .priority = priority,
        .due = start->due,
        .rank = run_rank(start->due, priority),
        .lease_until = INSTANT_NEVER,
        .wake_at = INSTANT_NEVER,
        .created_at = turn->now,
        .started_at = INSTANT_NONE,
        .attempt_at = INSTANT_NONE,
        .last_run_at = sched->cursor.last_start,
        .source = start->source,
        .input = start->input,
        .flags = start->is_untraced ? RUN_UNTRACED : 0,
        .trace = start->trace,
    };
    struct work_run *work = workset_run(turn, sched, run.slot, run.pass);

    must(work->state == WORK_WANTED || work->state == WORK_NONE || work->state == WORK_GONE);
    work->run = run;
    work->state = WORK_NEW;
    if (held) {
        work->run.wake_at = wait_until(sched, &run);
        sched->cursor.waiting++;
        sched->is_touched = true;
    }
    return work;
}

void sched_pause(struct turn *turn, struct work_schedule *sched, instant until,
                 struct str reason, struct str by)
{
    struct cursor *c = &sched->cursor;

    c->flags |= CURSOR_PAUSED;
    c->paused_until = until;
    c->version++;
    sched->is_touched = true;
    schedules_set_reason(turn->db, sched->id, c->version, reason, turn->now, by);
    turn_schedule_event(turn, EVENT_SCHEDULE_PAUSED, sched->id, c->version);
}

static int by_first(const void *a, const void *b)
{
    const struct account *x = a, *y = b;

    return (x->first > y->first) - (x->first < y->first);
}

static int64_t code_of(const struct account *a)
{
    return a->outcome == OUTCOME_STARTED ? 0 : (int64_t)a->outcome * 256 + (int64_t)a->reason;
}

/* Stretches in order of time; equal neighbours become one row, the tail goes on. */
static void write_noted(struct turn *turn, struct work_schedule *sched)
{
    struct account *list;
    int count = 0;

    for (const struct noted *n = sched->noted; n; n = n->next)
        count++;
    list = arena_array(turn->arena, (size_t)count, sizeof(*list));
    count = 0;
    for (const struct noted *n = sched->noted; n; n = n->next)
        list[count++] = n->account;
    if (count > 1)
        qsort(list, (size_t)count, sizeof(*list), by_first);
    for (int i = 0; i < count; i++) {
        struct account a = list[i];

        for (; i + 1 < count && code_of(&list[i + 1]) == code_of(&a); i++) {
            a.last = list[i + 1].last;
            a.count += list[i + 1].count;
        }
        if (code_of(&a) != 0)
            ledger_write(turn, sched, &a, 0, code_of(&a) == sched->cursor.tail);
        sched->cursor.tail = code_of(&a);
    }
    sched->noted = NULL;
    sched->noted_end = &sched->noted;
}

void sched_write(struct turn *turn, struct work_schedule *sched)
{
    if (sched->state != SCHED_HELD || !sched->is_touched)
        return;
    write_noted(turn, sched);
    if (sched->is_new)
        cursors_insert(turn->db, &sched->cursor);
    else
        cursors_change(turn->db, &sched->was, &sched->cursor);
}
