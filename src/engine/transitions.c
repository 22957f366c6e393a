/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps of a run: see transitions.h.
 */
#include "engine/transitions.h"

#include "base/hash.h"
#include "base/must.h"
#include "core/recent.h"
#include "engine/count/schedule_days.h"
#include "engine/engine_internal.h"
#include "engine/ledger_write.h"
#include "engine/restricted_queues.h"
#include "engine/start_slots.h"

/* Between 0 and this, for each loss after the first, a program waits after its node died. */
#define SUSPECT_DELAY     (10 * SPAN_S)
#define SUSPECT_DELAY_MAX (5 * SPAN_MIN)

static const struct policies *policies_of(const struct work_schedule *sched)
{
    return &sched->plan.policies;
}

/* Test runs, and runs whose schedule is deleted, do not count in a cursor. */
static bool counts_in_cursor(const struct work_run *work)
{
    return work->run.kind != RUN_TEST && work->sched->state == SCHED_HELD;
}

static void gate_leave(struct turn *turn, struct run *run)
{
    struct work_gate *gate;

    if (run->gate == 0 || !run_is_claimed(run->state))
        return;
    gate = workset_gate(turn, run->gate);
    must(gate->is_held);
    turn_count_down(turn, &gate->gate.open, gate->gate.id,
                    "a gate counts fewer claimed runs than it has");
    gate->is_changed = true;
}

void run_leave_gate(struct turn *turn, struct work_run *work)
{
    must(work->state == WORK_READ && !work->is_cached && run_is_claimed(work->run.state));
    gate_leave(turn, &work->run);
    work->run.gate = 0;
    work->is_changed = true;
}

static void gate_forget(struct turn *turn, struct run *run)
{
    struct work_gate *gate;

    if (run->gate == 0 || run->state != RUN_GATED)
        return;
    gate = workset_gate(turn, run->gate);
    must(gate->is_held);
    turn_count_down(turn, &gate->gate.waiting, gate->gate.id,
                    "a gate counts fewer waiting runs than it has");
    gate->is_changed = true;
}

void run_stop(struct turn *turn, const struct run *run, bool is_terminated)
{
    if (run->node == 0 || !run_is_claimed(run->state))
        return;           /* a worker is informed at its next heartbeat */
    must(run->fence > 0); /* else the stop would match no call */
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

static void note_call_ended(struct turn *turn, const struct run *run)
{
    if (run->node == turn->node && run_is_claimed(run->state))
        *VEC_ADD(turn, &turn->ended_calls) = run->id;
}

static void write_history(struct turn *turn, struct work_run *work, const struct ending *ending,
                          bool last)
{
    const struct run *run = &work->run;

    must(ending->outcome >= OUTCOME_SUCCEEDED);
    must(last || (run_is_claimed(run->state) && outcome_is_failure(ending->outcome)));
    must(!run_is_claimed(run->state) || (run->attempt >= 1 && run->fence >= 1));
    turn->memory.walks[PRUNE_HISTORY].written++;
    turn->memory.uncounted++;
    turn->memory.days_written++;
    turn->memory.days_recent++;
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
                                 .expire_at = ledger_expires_at(turn, work->sched),
                                 .error = ending->error,
                                 .result = ending->result.len == 0 && run->lane == LANE_FLOW
                                               ? run->progress /* names its workflow */
                                               : ending->result,
                                 .namespace = work->sched->namespace,
                                 .tokens = ending->tokens,
                                 .cost = ending->cost,
                                 .day = sched_day(work->sched, run->slot),
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
        results_fail(turn->db, sched->id,
                     ending->failure.len > 0 ? ending->failure : ending->error);
}

/*
 * True at the first end after there are more than twice as many rows as are kept, and then at
 * every (kept + 1)-th end.  The count of ends stands for the number of rows.
 */
static bool exceeds_retention(int64_t ended, int64_t kept)
{
    return kept > 0 && ended > 2 * kept && (ended - 2 * kept - 1) % (kept + 1) == 0;
}

static void pause_after_failure(struct turn *turn, struct work_run *work,
                                const struct ending *ending)
{
    const struct engine_options *options = &turn->engine->options;
    char text[PAUSE_NOTE_MAX];
    struct buf note = BUF(text);

    if (options->pause_note)
        options->pause_note(&(struct pause_cause){.action = work->sched->action,
                                                  .slot = work->run.slot,
                                                  .outcome = ending->outcome,
                                                  .error = ending->error,
                                                  .failure = ending->failure},
                            &note);
    if (note.len == 0)
        buf_text(&note, "paused because a run failed");
    must(!note.cut);
    sched_pause(turn, work->sched, INSTANT_NEVER, buf_as_str(&note), STR("belfry"));
}

/* When its first attempt began is known only now: a claim does not write the cursor. */
static void note_end(struct turn *turn, struct cursor *c, const struct run *run,
                     enum outcome outcome)
{
    c->last_end = turn->now;
    c->last_outcome = (int64_t)outcome;
    c->recent = recent_push(c->recent, recent_of(outcome));
    if (outcome == OUTCOME_SUCCEEDED)
        c->last_ok = turn->now;
    if (run->kind == RUN_SLOT && run->started_at != INSTANT_NONE)
        c->last_late = run->started_at > run->due ? run->started_at - run->due : 0;
}

/* Counts the end of a run in the cursor of its schedule. */
static void count_end(struct turn *turn, struct work_run *work, const struct ending *ending)
{
    struct work_schedule *sched = work->sched;
    struct cursor *c = &sched->cursor;
    const struct policies *p = policies_of(sched);
    int64_t ended;

    must(sched->state == SCHED_HELD && work->state == WORK_ENDED);
    turn_count_down(turn, &c->open, sched->id,
                    "a cursor counts fewer open runs than there are");
    sched->ended++;
    note_end(turn, c, &work->run, ending->outcome);
    sched->is_touched = sched->open_changed = true;
    sched_count_backfill(sched, &work->run,
                         ending->outcome == OUTCOME_SUCCEEDED  ? BACKFILL_RUN_SUCCEEDED
                         : outcome_is_failure(ending->outcome) ? BACKFILL_RUN_FAILED
                                                               : BACKFILL_RUN_CANCELLED);
    if (ending->outcome == OUTCOME_SUCCEEDED) {
        c->succeeded++;
        c->failures = 0;
    } else if (outcome_is_failure(ending->outcome)) {
        c->failed++;
        c->failures++;
    }
    c->flags &= ~(int64_t)CURSOR_UNSTARTED;
    if (ending->reason == REASON_NOT_STARTED) {
        must(ending->outcome == OUTCOME_FAILED);
        c->flags |= CURSOR_UNSTARTED;
        c->unstarted++;
    } else {
        keep_result(turn, sched, ending);
    }
    ended = c->succeeded + c->failed;
    if (exceeds_retention(ended, p->retention_count))
        schedule_days_keep(turn, sched->id, p->retention_count);
    if (p->pause_on_failure && outcome_is_failure(ending->outcome) &&
        ending->reason != REASON_NOT_STARTED && !(c->flags & CURSOR_PAUSED))
        pause_after_failure(turn, work, ending);
}

void run_end(struct turn *turn, struct work_run *work, const struct ending *ending)
{
    struct run *run = &work->run;
    bool is_cancel = ending->outcome == OUTCOME_CANCELLED;
    instant started = run->started_at;

    must(work->state == WORK_READ || work->state == WORK_NEW);
    must(run->state != RUN_HELD && work->sched->state != SCHED_BUSY);
    write_history(turn, work, ending, true);
    gate_leave(turn, run);
    gate_forget(turn, run);
    restricted_freed(turn, run);
    note_call_ended(turn, run);
    turn_event(turn, is_cancel ? EVENT_RUN_CANCELLED : EVENT_RUN_ENDED, run,
               (int64_t)ending->outcome * 256 + (int64_t)ending->reason);
    if (work->state == WORK_READ)
        runs_delete(turn->db, run->id, run->fence, work->is_cached ? &work->row : NULL);
    work->state = WORK_ENDED;
    run_set_state(run, RUN_ENDED);
    if (!counts_in_cursor(work))
        return;
    count_end(turn, work, ending);
    if (work->sched->has_plan && work->sched->plan.follows)
        sched_set_next(turn, work->sched, started);
}

void run_leave_held(struct turn *turn, struct work_schedule *sched)
{
    turn_count_down(turn, &sched->cursor.waiting, sched->id,
                    "a cursor counts fewer waiting runs than there are");
    sched->waiting_change--;
    sched->is_touched = true;
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

    must(work->state == WORK_READ || work->state == WORK_NEW);
    must(work->run.state == RUN_HELD && work->run.attempt == 0);
    if (work->run.kind == RUN_SLOT && work->run.slot > sched->cursor.mark)
        turn_damage(turn, work->run.id, "a run waits whose slot is after the mark");
    ledger_write_held(turn, work, &account);
    if (work->state == WORK_READ)
        runs_delete(turn->db, work->run.id, work->run.fence, NULL);
    work->state = WORK_ENDED;
    run_set_state(&work->run, RUN_ENDED);
    run_leave_held(turn, sched);
    sched_count_backfill(sched, &work->run,
                         outcome == OUTCOME_SKIPPED ? BACKFILL_START_SKIPPED
                                                    : BACKFILL_START_WITHDRAWN);
    sched->is_touched = true;
}

/* Takes a claimed run from its holder: it becomes ready, or waits in RUN_BACKOFF. */
static void release_run(struct turn *turn, struct work_run *work, enum run_state state,
                        instant wake)
{
    struct run *run = &work->run;

    must(work->state == WORK_READ && work->sched->state != SCHED_BUSY);
    must(run_is_claimed(run->state) && !work->is_fresh);
    must(state == RUN_READY || (state == RUN_BACKOFF && wake != INSTANT_NEVER));
    gate_leave(turn, run);
    restricted_freed(turn, run);
    note_call_ended(turn, run);
    run_set_state(run, state);
    run->flags &= ~(int64_t)RUN_FOLLOWED;
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

/* A released run whose workflow goes on has no attempt, but it has begun. */
static bool has_begun(const struct run *run)
{
    return run->attempt > 0 || run->started_at != INSTANT_NONE;
}

/* Until when it must have started: policy startWithin. */
static instant begin_by(const struct work_schedule *sched, const struct run *run)
{
    span within = sched->has_plan ? policies_of(sched)->start_within : 0;

    return within > 0 && !has_begun(run) ? run->due + within : INSTANT_NEVER;
}

/* From when it is late: policy latenessBudget. */
static instant late_from(const struct work_schedule *sched, const struct run *run)
{
    span budget = sched->has_plan ? policies_of(sched)->lateness_budget : 0;

    return budget > 0 && !(run->flags & RUN_TOLD_LATE) ? run->due + budget + 1 : INSTANT_NEVER;
}

/* When to check a waiting run; a held run has no limit to start. */
static instant wake_while_waiting(const struct work_schedule *sched, const struct run *run)
{
    instant late = has_begun(run) ? INSTANT_NEVER : late_from(sched, run);
    instant end = run->state == RUN_HELD ? INSTANT_NEVER : begin_by(sched, run);

    return late < end ? late : end;
}

/* Its schedule was deleted: no attempt of the run starts again. */
static bool is_orphan(const struct work_run *work)
{
    return work->sched->state == SCHED_NO_CURSOR && work->run.kind != RUN_DIRECT;
}

static void quarantine(struct turn *turn, struct work_schedule *sched)
{
    if (!sched_is_held(sched) || (sched->cursor.flags & CURSOR_QUARANTINED))
        return;
    sched_account_passed(turn, sched, turn->now);
    sched->cursor.flags |= CURSOR_QUARANTINED;
    sched->is_touched = true;
    turn_schedule_event(turn, EVENT_SCHEDULE_QUARANTINED, sched->id, sched->cursor.version);
}

/*
 * Programs that ran when a node died start again at different times, so that the next time only
 * the one that caused it runs.  INSTANT_NEVER: at once.
 */
static instant lost_retry_time(const struct turn *turn, const struct run *run)
{
    span most = (run->losses - 1) * SUSPECT_DELAY;

    if (run->lane != LANE_EXEC || run->losses < 2)
        return INSTANT_NEVER;
    most = most < SUSPECT_DELAY_MAX ? most : SUSPECT_DELAY_MAX;
    return turn->now + (span)(hash_u64((uint64_t)run->id) % (uint64_t)most) + SPAN_MS;
}

static void end_lost(struct turn *turn, struct work_run *work, struct ending *ending)
{
    struct run *run = &work->run;
    bool once = work->sched->has_plan && policies_of(work->sched)->at_most_once;
    instant wake;

    must(ending->reason == REASON_NODE || ending->reason == REASON_LEASE);
    ending->outcome = OUTCOME_UNKNOWN;
    run->losses += run->losses < RUN_LOSSES_MAX;
    must(run->losses <= run->attempt);
    if (ending->is_blamed)
        run_add_blame(run);
    if (once || is_orphan(work) || run_blames(run) == BLAMES_MAX ||
        run->losses == RUN_LOSSES_MAX) {
        if (!once && run_blames(run) == BLAMES_MAX && run->lane == LANE_EXEC)
            quarantine(turn, work->sched);
        run_end(turn, work, ending);
        return;
    }
    write_history(turn, work, ending, false);
    wake = lost_retry_time(turn, run);
    release_run(turn, work, wake == INSTANT_NEVER ? RUN_READY : RUN_BACKOFF, wake);
    run->fence++;
    turn_event(turn, EVENT_RUN_RETRYING, run, (int64_t)ending->reason);
}

static instant retry_time(const struct turn *turn, const struct work_run *work,
                          const struct ending *ending)
{
    const struct policies *p = policies_of(work->sched);
    const struct run *run = &work->run;
    char text[RUN_ID_TEXT_MAX];
    struct run_id id = {run->schedule, run->slot / SPAN_MS, (uint32_t)run->pass};
    instant at;

    if (!work->sched->has_plan || p->at_most_once || is_orphan(work) ||
        (run->flags & RUN_CANCELLING) || !outcome_is_failure(ending->outcome) ||
        (ending->outcome == OUTCOME_UNKNOWN && !ending->is_retryable))
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
    must(end.is_lost || end.outcome >= OUTCOME_SUCCEEDED);
    if (end.is_lost && !(work->run.flags & RUN_CANCELLING)) {
        end_lost(turn, work, &end);
        return;
    }
    if ((work->run.flags & RUN_CANCELLING) && end.outcome != OUTCOME_SUCCEEDED) {
        end.outcome = OUTCOME_CANCELLED;
        end.reason = reason_of_cancel(&work->run);
    }
    at = retry_time(turn, work, &end);
    if (at == INSTANT_NEVER) {
        run_end(turn, work, &end);
        return;
    }
    must(at >= turn->now);
    write_history(turn, work, &end, false);
    release_run(turn, work, RUN_BACKOFF, at);
    turn_event(turn, EVENT_RUN_RETRYING, &work->run, (int64_t)end.reason);
}

void run_ready(struct turn *turn, struct work_run *work)
{
    struct run *run = &work->run;
    bool approve = work->sched->has_plan && policies_of(work->sched)->approval &&
                   run->state != RUN_APPROVAL;

    must(work->state == WORK_READ || work->state == WORK_NEW);
    must(run->node == 0 && run->lease_until == INSTANT_NEVER); /* it has no holder */
    run_set_state(run, approve && run->attempt == 0 ? RUN_APPROVAL : RUN_READY);
    run->wake_at = wake_while_waiting(work->sched, run);
    work->is_changed = true;
    if (run->state != RUN_READY || work->is_fresh)
        return;
    turn_event(turn, EVENT_RUN_READY, run, 0);
    work->is_fresh = true;
    *VEC_ADD(turn, &turn->fresh) = work;
}

void run_emit_late(struct turn *turn, struct work_run *work)
{
    struct run *run = &work->run;

    if (run->attempt > 1 || late_from(work->sched, run) > turn->now)
        return;
    run->flags |= RUN_TOLD_LATE;
    work->is_changed = true;
    turn_event(turn, EVENT_RUN_LATE, run, turn->now - run->due);
}

void run_check_waiting(struct turn *turn, struct work_run *work)
{
    struct run *run = &work->run;

    must(!run_is_claimed(run->state) && run->state != RUN_BACKOFF);
    run_emit_late(turn, work);
    run->wake_at = wake_while_waiting(work->sched, run);
    work->is_changed = true;
    if (run->wake_at <= turn->now)
        run_end(turn, work,
                &(struct ending){.outcome = OUTCOME_TIMED_OUT, .reason = REASON_START_WITHIN});
}

/* Its workflow goes on without a node; the limits of the run count from its first start. */
static bool has_workflow(const struct run *run)
{
    return run->lane == LANE_FLOW && run->progress.len > 0;
}

void run_hand_back(struct turn *turn, struct work_run *work)
{
    struct run *run = &work->run;
    enum reason end_reason = is_orphan(work)                  ? REASON_DELETED
                             : !(run->flags & RUN_CANCELLING) ? REASON_NONE
                                                              : reason_of_cancel(run);

    if (end_reason != REASON_NONE) { /* it has no holder now, and must not get another */
        run_end(turn, work,
                &(struct ending){.outcome = OUTCOME_CANCELLED, .reason = end_reason});
        return;
    }
    release_run(turn, work, RUN_READY, INSTANT_NEVER);
    must(run->attempt > run->losses);
    run->attempt--;
    if (run->attempt == 0 && !has_workflow(run))
        run->started_at = INSTANT_NONE;
    run->attempt_at = INSTANT_NONE;
    run->wake_at = wake_while_waiting(work->sched, run);
}

void run_request_stop(struct turn *turn, struct work_run *work, bool for_other)
{
    struct run *run = &work->run;

    must(run_is_claimed(run->state));
    if (run->flags & RUN_CANCELLING)
        return;
    run->flags |= RUN_CANCELLING | (for_other ? RUN_FOR_OTHER : 0);
    work->is_changed = true;
    run_stop(turn, run, false);
    if (run->node != 0 && run->node != turn->node)
        run->wake_at = turn->now; /* its node finds it in the scan of waking runs */
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

    must(sched->state == (run.kind == RUN_DIRECT ? SCHED_NO_CURSOR : SCHED_HELD));
    must(!(sched->cursor.flags & CURSOR_DELETED));
    must(run.slot % SPAN_MS == 0 && run.pass >= 0 && run.pass <= UINT32_MAX); /* has an id */
    must((run.pass == 0) == (run.kind == RUN_SLOT || run.kind == RUN_DIRECT));
    must(run.due <= turn->now);
    if (work->state == WORK_READ || work->state == WORK_BUSY)
        turn_damage(turn, sched->id, "a run exists that its schedule has not created yet");
    work->run = run;
    work->state = WORK_NEW;
    if (held) {
        work->run.wake_at = wake_while_waiting(sched, &run);
        sched->cursor.waiting++;
        sched->waiting_change++;
        sched->is_touched = true;
    }
    return work;
}

void sched_pause(struct turn *turn, struct work_schedule *sched, instant until,
                 struct str reason, struct str by)
{
    struct cursor *c = &sched->cursor;

    must(sched->state == SCHED_HELD);
    sched_account_passed(turn, sched, turn->now);
    c->flags |= CURSOR_PAUSED;
    c->paused_until = until;
    c->version++;
    sched->is_touched = true;
    schedules_set_reason(turn->db, sched->id, c->version, reason, turn->now, by);
    turn_schedule_event(turn, EVENT_SCHEDULE_PAUSED, sched->id, c->version);
}
