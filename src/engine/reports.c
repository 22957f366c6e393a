/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applies reports, expires leases and deadlines, takes over runs of dead nodes: see reports.h.
 */
#include "engine/reports.h"

#include "base/must.h"
#include "core/limits.h"
#include "engine/claim.h"
#include "engine/daily_stats.h"
#include "engine/engine_internal.h"
#include "engine/replan.h"
#include "engine/transitions.h"

enum { ROW_ID, ROW_SCHEDULE, ROW_SLOT, ROW_PASS }; /* columns of runs_waking and runs_of_node */

static struct work_run *run_of_report(struct turn *turn, const struct run_id *id)
{
    return workset_run(turn, workset_schedule(turn, id->schedule), id->slot_ms * SPAN_MS,
                       (int64_t)id->pass);
}

static struct work_run *run_of_call(struct turn *turn, const struct run *run)
{
    return workset_run(turn, workset_schedule(turn, run->schedule), run->slot, run->pass);
}

/* Finds a call of this node, or a run that a worker holds, as it was committed. */
static bool find_cached(const struct turn *turn, const struct run_id *id, struct run *ret)
{
    const struct inflight_run *entry = inflight_find(turn->engine->inflight, id);

    if (!entry)
        return committed_run(&turn->engine->committed, id, ret);
    *ret = entry->run;
    return true;
}

/*
 * A report of success ends its run, which then need not be read; unless another node may have
 * ended it, or the run may have left its gate.
 */
static void use_cached_run(struct turn *turn, const struct report *report)
{
    struct work_run *work = run_of_report(turn, &report->run);
    struct run run;

    if (turn->memory.has_others || report->kind != REPORT_DONE ||
        report->outcome != OUTCOME_SUCCEEDED || work->state != WORK_WANTED ||
        !find_cached(turn, &report->run, &run) || run.fence != report->fence ||
        (run.lane == LANE_FLOW && run.gate != 0))
        return;
    must(run_is_claimed(run.state) && (run.node == 0 || run.node == turn->node));
    work->run = run;
    work->fence = run.fence;
    work->state = WORK_READ;
    work->is_cached = turn->uses_cache = true;
}

void reports_want(struct turn *turn)
{
    const struct inflight *inflight = turn->engine->inflight;

    for (int i = 0; i < turn->in->report_count; i++)
        use_cached_run(turn, &turn->in->reports[i]);
    if (!inflight_has_overdue(turn->engine->inflight, turn->now))
        return;
    for (int i = 0; i < inflight_count(inflight); i++) {
        const struct inflight_run *entry = inflight_at(inflight, i);

        if (entry->deadline <= turn->now)
            run_of_call(turn, &entry->run);
    }
}

static struct work_run *run_of_row(struct turn *turn, const struct db_result *rows, int i)
{
    struct work_schedule *sched = workset_schedule(turn, db_int_at(rows, i, ROW_SCHEDULE));

    return workset_run(turn, sched, db_int_at(rows, i, ROW_SLOT), db_int_at(rows, i, ROW_PASS));
}

void reclaim_send(struct turn *turn, instant lease_until)
{
    struct engine_memory *m = &turn->memory;

    turn->reclaim_queried = m->reclaim_node;
    if (m->reclaim_node == 0)
        return;
    if (m->reclaim_node != turn->node) {
        nodes_hold(turn->db, m->reclaim_node, m->reclaim_lease, lease_until,
                   &turn->reclaim_row);
        m->reclaim_lease = lease_until;
    }
    runs_of_node(turn->db, m->reclaim_node, m->reclaim_after, BATCH_ROWS, &turn->reclaim_rows);
}

/* A node that is back ends its old attempts itself: its new ones must not be ended here. */
void reclaim_read(struct turn *turn)
{
    struct engine_memory *m = &turn->memory;

    if (turn->reclaim_queried == 0 || turn->reclaim_queried == turn->node ||
        turn->reclaim_row.changed == 1)
        return;
    turn->has_count = turn->has_count && turn->count_range.maker != m->reclaim_node;
    turn->reclaim_queried = m->reclaim_node = 0;
    turn->reclaim_rows.rows = 0;
    m->is_reclaim_counting = false;
}

void waking_want(struct turn *turn)
{
    for (int i = 0; i < turn->waking_rows.rows; i++)
        run_of_row(turn, &turn->waking_rows, i);
    for (int i = 0; i < turn->reclaim_rows.rows; i++)
        run_of_row(turn, &turn->reclaim_rows, i);
}

/* When the engine must check a run that a worker holds. */
static instant wake_of(const struct work_schedule *sched, const struct run *run)
{
    const struct policies *p = &sched->plan.policies;
    instant wake = run->lease_until == INSTANT_NEVER ? INSTANT_NEVER
                                                     : run->lease_until + p->grace;

    if (p->timeout > 0 && run->attempt_at + p->timeout < wake)
        wake = run->attempt_at + p->timeout;
    if (p->max_run_time > 0 && run->started_at + p->max_run_time < wake)
        wake = run->started_at + p->max_run_time;
    return wake;
}

static void apply_alive(struct turn *turn, struct work_run *work, const struct report *report,
                        struct report_reply *reply)
{
    struct run *run = &work->run;
    struct work_schedule *sched = work->sched;
    instant lease_before = run->lease_until;

    must(run_is_claimed(run->state) && run->fence == report->fence);
    if (run->state == RUN_LEASED) {
        must(run->node == 0); /* calls of a node start at once */
        run_set_state(run, RUN_RUNNING);
        work->is_changed = true;
        turn_event(turn, EVENT_RUN_STARTED, run, 0);
    }
    if (report->progress.len > 0) {
        run->progress = report->progress;
        work->is_changed = true;
    }
    if (report->is_followed && run->lane == LANE_FLOW) {
        run->flags |= RUN_FOLLOWED;
        work->is_changed = true;
    }
    if (report->progress.len > 0 && run->lane == LANE_FLOW && run->gate != 0 &&
        sched->has_plan && sched->plan.policies.gate_until_started)
        run_leave_gate(turn, work);
    if (run->lease_until != INSTANT_NEVER && sched->has_plan) {
        span lease = report->extend > 0 ? report->extend : sched->plan.policies.lease;

        if (turn->now + lease > run->lease_until) {
            run->lease_until = turn->now + lease;
            run->wake_at = wake_of(sched, run);
            work->is_changed = true;
        }
    }
    must(run->lease_until >= lease_before);
    reply->lease_until = run->lease_until;
    reply->is_cancelled = (run->flags & RUN_CANCELLING) != 0;
}

static enum reason default_reason(enum outcome outcome)
{
    switch (outcome) {
    case OUTCOME_FAILED:
        return REASON_TARGET;
    case OUTCOME_TIMED_OUT:
        return REASON_TIMEOUT;
    case OUTCOME_CANCELLED:
    case OUTCOME_TERMINATED:
        return REASON_USER;
    default:
        return REASON_NONE;
    }
}

static void reject_stale(struct turn *turn, const struct report *report,
                         struct report_reply *reply)
{
    *VEC_ADD(turn, &turn->events) = (struct event){
        .type = EVENT_LEASE_STALE,
        .schedule = report->run.schedule,
        .slot = report->run.slot_ms * SPAN_MS,
        .pass = report->run.pass,
        .fence = report->fence,
        .count = 1,
    };
    reply->rc = RC_CONFLICT;
}

static void apply_done(struct turn *turn, struct work_run *work, const struct report *report)
{
    if (work->run.state == RUN_LEASED) /* its holder did not report the start */
        turn_event(turn, EVENT_RUN_STARTED, &work->run, 0);
    attempt_end(turn, work,
                &(struct ending){
                    .outcome = report->outcome,
                    .reason = report->reason != REASON_NONE ? report->reason
                                                            : default_reason(report->outcome),
                    .error = report->error,
                    .failure = report->failure,
                    .result = report->result,
                    .tokens = report->tokens,
                    .cost = report->cost,
                    .is_retryable = report->is_retryable,
                    .retry_after = report->retry_after,
                });
}

/* A log is kept as long as the history that it belongs to. */
static instant log_expires(const struct turn *turn, const struct work_schedule *sched)
{
    const struct policies *p = &sched->plan.policies;

    if (sched->has_plan && p->retention_age == 0 && p->retention_count == 0)
        return INSTANT_NEVER;
    return turn->now + (sched->has_plan && p->retention_age > 0 ? p->retention_age : LOGS_AGE);
}

static void append_log(struct turn *turn, const struct work_schedule *sched,
                       const struct run *run, struct str log)
{
    if (log.len == 0)
        return;
    turn->memory.walks[PRUNE_LOGS].written++;
    logs_insert(turn->db,
                &(struct log_part){
                    .id = turn_key(turn),
                    .schedule = run->schedule,
                    .slot = run->slot,
                    .pass = run->pass,
                    .attempt = run->attempt,
                    .at = turn->now,
                    .expire_at = log_expires(turn, sched),
                    .body = log,
                },
                NULL);
}

void reports_append_log(struct turn *turn, const struct work_run *work, struct str log)
{
    append_log(turn, work->sched, &work->run, log);
}

/* The run has no row any more; the lock of its schedule orders the parts of its log. */
static void apply_note(struct turn *turn, const struct work_schedule *sched,
                       const struct report *report)
{
    if (sched->has_plan)
        append_log(turn, sched,
                   &(struct run){.schedule = report->run.schedule,
                                 .slot = report->run.slot_ms * SPAN_MS,
                                 .pass = report->run.pass,
                                 .attempt = report->attempt},
                   report->log);
}

static bool is_foreign(const struct report *report, const struct work_schedule *sched)
{
    return report->namespace != 0 && report->namespace != sched->namespace;
}

static void apply_report(struct turn *turn, const struct report *report,
                         struct report_reply *reply)
{
    struct work_run *work = run_of_report(turn, &report->run);
    const struct run *run = &work->run;

    *reply = (struct report_reply){.tag = report->tag, .rc = RC_OK};
    if (work->sched->state == SCHED_BUSY || work->state == WORK_BUSY) {
        reply->rc = RC_BUSY;
        return;
    }
    if (report->kind == REPORT_NOTE) {
        apply_note(turn, work->sched, report);
        return;
    }
    if (work->state != WORK_READ || run->fence != report->fence ||
        !run_is_claimed(run->state) || is_foreign(report, work->sched)) {
        reject_stale(turn, report, reply);
        return;
    }
    reports_append_log(turn, work, report->log);
    switch (report->kind) {
    case REPORT_ALIVE:
        apply_alive(turn, work, report, reply);
        break;
    case REPORT_DONE:
        apply_done(turn, work, report);
        break;
    case REPORT_RELEASE:
        run_hand_back(turn, work);
        break;
    case REPORT_LOST:
        attempt_end(turn, work, &(struct ending){.reason = REASON_NODE, .is_lost = true});
        break;
    case REPORT_NOTE:
        break; /* above */
    }
}

/* True when the run has exceeded maxRunTime, even if its holder still reports. */
static bool exceeds_max_run_time(const struct turn *turn, const struct work_run *work)
{
    span most = work->sched->has_plan ? work->sched->plan.policies.max_run_time : 0;

    return most > 0 && work->run.started_at + most <= turn->now;
}

static void time_out(struct turn *turn, struct work_run *work)
{
    if (exceeds_max_run_time(turn, work))
        run_end(turn, work,
                &(struct ending){.outcome = OUTCOME_TIMED_OUT, .reason = REASON_MAX_RUN_TIME});
    else
        attempt_end(turn, work,
                    &(struct ending){.outcome = OUTCOME_TIMED_OUT,
                                     .reason = REASON_TIMEOUT,
                                     .is_retryable = true});
}

/* Ends runs of calls of this node that did not end by their deadline. */
static void end_overdue_calls(struct turn *turn)
{
    const struct inflight *inflight = turn->engine->inflight;

    if (!inflight_has_overdue(turn->engine->inflight, turn->now))
        return;
    for (int i = 0; i < inflight_count(inflight); i++) {
        const struct inflight_run *entry = inflight_at(inflight, i);
        struct work_run *work;

        if (entry->deadline > turn->now)
            continue;
        must(entry->run.node == turn->node);
        work = run_of_call(turn, &entry->run);
        if (work->state != WORK_READ || work->run.fence != entry->run.fence ||
            work->sched->state == SCHED_BUSY || !run_is_claimed(work->run.state))
            continue;
        run_stop(turn, &work->run, true);
        time_out(turn, work);
    }
}

void reports_apply(struct turn *turn)
{
    for (int i = 0; i < turn->in->report_count; i++)
        apply_report(turn, &turn->in->reports[i], &turn->report_replies[i]);
    end_overdue_calls(turn);
}

/* A node that was itself silent gives holders time for a heartbeat before it expires them. */
static bool may_expire(const struct turn *turn, const struct policies *p)
{
    return turn->now - turn->memory.turning_since >= p->heartbeat + p->grace;
}

/* The worker could have reached this node for at least the last lease. */
static bool was_heard(const struct turn *turn, const struct policies *p, const struct run *run)
{
    return run->lease_until - turn->memory.turning_since >= p->lease;
}

/* Ends the attempt of a worker that is overdue, or sets the time of the next check. */
static void check_worker_run(struct turn *turn, struct work_run *work)
{
    struct run *run = &work->run;
    const struct policies *p = &work->sched->plan.policies;

    must(run->node == 0 && work->sched->has_plan); /* nodes have leases of their own */
    if (exceeds_max_run_time(turn, work) ||
        (p->timeout > 0 && run->attempt_at + p->timeout <= turn->now)) {
        time_out(turn, work);
    } else if (run->lease_until != INSTANT_NEVER && run->lease_until + p->grace <= turn->now) {
        if (!may_expire(turn, p)) {
            run->wake_at = turn->memory.turning_since + p->heartbeat + p->grace;
            work->is_changed = true;
            return;
        }
        turn_event(turn, EVENT_LEASE_EXPIRED, run, 0);
        attempt_end(turn, work,
                    &(struct ending){.reason = REASON_LEASE,
                                     .is_lost = true,
                                     .is_blamed = was_heard(turn, p, run)});
    } else {
        run->wake_at = wake_of(work->sched, run);
        work->is_changed = true;
    }
}

static void wake_up(struct turn *turn, struct work_run *work)
{
    struct run *run = &work->run;

    switch (run->state) {
    case RUN_BACKOFF:
        run_ready(turn, work);
        run->wake_at = INSTANT_NEVER;
        break;
    case RUN_READY:
    case RUN_APPROVAL:
    case RUN_GATED:
    case RUN_HELD:
        run_check_waiting(turn, work);
        break;
    case RUN_LEASED:
    case RUN_RUNNING:
        if (run->node == 0) {
            check_worker_run(turn, work);
        } else if (run->node == turn->node && (run->flags & RUN_CANCELLING)) {
            run_stop(turn, run, false);
            run->wake_at = INSTANT_NEVER;
            work->is_changed = true;
        }
        break;
    case RUN_ENDED:
        break;
    }
}

static bool is_usable(const struct work_run *work)
{
    return work->state == WORK_READ && work->sched->state != SCHED_BUSY &&
           work->sched->has_plan;
}

/*
 * True if the dead node ran exactly one program: it may have taken the node down.  With more
 * than one program, or more runs than one batch, nobody knows which.
 */
static bool ran_one_program(struct turn *turn)
{
    const struct db_result *rows = &turn->reclaim_rows;
    int programs = 0;

    for (int i = 0; i < rows->rows; i++) {
        const struct work_run *work = run_of_row(turn, rows, i);

        programs += work->state != WORK_READ || work->run.lane == LANE_EXEC;
    }
    return programs == 1 && rows->rows < BATCH_ROWS && turn->memory.reclaim_after == 0;
}

/* A run that the dead node, or the earlier boot, still holds. */
static bool is_reclaimable(const struct turn *turn, const struct work_run *work, int64_t id)
{
    return is_usable(work) && work->run.node == turn->memory.reclaim_node &&
           run_is_claimed(work->run.state) && !inflight_by_key(turn->engine->inflight, id);
}

/* More would not fit into memory: the rest waits for a place, as if it were to be started. */
static bool is_adoptable(const struct turn *turn, const struct work_run *work)
{
    return (work->run.flags & RUN_FOLLOWED) && work->run.lane == LANE_FLOW &&
           inflight_count(turn->engine->inflight) < FOLLOWED_MAX;
}

static void end_reclaimed_run(struct turn *turn, struct work_run *work, bool is_alone)
{
    turn_event(turn, EVENT_LEASE_EXPIRED, &work->run, turn->memory.reclaim_node);
    attempt_end(turn, work,
                &(struct ending){.reason = REASON_NODE,
                                 .is_lost = true,
                                 .is_blamed = is_alone && work->run.lane == LANE_EXEC});
}

/*
 * Takes over a batch of the runs; false: the next turn continues here.  Adopted runs leave half
 * of the places to starts, and give their own back at once.
 */
static bool reclaim_batch(struct turn *turn)
{
    struct engine_memory *m = &turn->memory;
    bool is_alone = ran_one_program(turn);
    int room = turn->in->hold ? 0 : (turn->capacity[LANE_FLOW] + 1) / 2;

    for (int i = 0; i < turn->reclaim_rows.rows; i++) {
        struct work_run *work = run_of_row(turn, &turn->reclaim_rows, i);
        int64_t id = db_int_at(&turn->reclaim_rows, i, ROW_ID);
        bool adopts;

        if (work->state == WORK_BUSY || work->sched->state == SCHED_BUSY)
            return false;
        adopts = is_reclaimable(turn, work, id) && is_adoptable(turn, work);
        if (adopts && m->is_adopting && room-- <= 0)
            return false;
        m->reclaim_after = id;
        if (adopts && m->is_adopting)
            claim_adopt(turn, work);
        else if (adopts)
            m->has_followed = true;
        else if (is_reclaimable(turn, work, id))
            end_reclaimed_run(turn, work, is_alone);
    }
    return true;
}

/* The dead node may have died before it had planned all schedules again. */
static void finish_replan(struct turn *turn)
{
    if (turn->reclaim_queried == 0 || turn->reclaim_queried == turn->node ||
        !replan_is_open(turn))
        return;
    turn->memory.replan_after = 0;
    turn->turn_again = true;
}

/*
 * Ends attempts that a dead node, or an earlier boot of this one, held, and then adopts the
 * workflows that it followed.  Turns follow each other until all are done.
 */
static void reclaim_apply(struct turn *turn)
{
    struct engine_memory *m = &turn->memory;

    must(turn->reclaim_queried == 0 || turn->reclaim_queried == m->reclaim_node);
    finish_replan(turn);
    if (!reclaim_batch(turn))
        return;
    turn->turn_again |= turn->reclaim_queried != 0 && turn->in->rows > 0;
    if (turn->reclaim_queried == 0 || turn->reclaim_rows.rows == BATCH_ROWS)
        return;
    if (m->has_followed && !m->is_adopting) {
        m->is_adopting = true;
        m->reclaim_after = 0;
        return;
    }
    if (!daily_stats_taken_over(turn))
        return;
    if (turn->reclaim_queried != turn->node)
        nodes_declare(turn->db, m->reclaim_node, NODE_DOWN, turn->now);
    m->reclaim_node = 0;
    m->has_followed = m->is_adopting = false;
}

/* A run whose plan cannot be read waits: it must not fill the scans of all turns. */
static void wake_later(const struct turn *turn, struct work_run *work)
{
    work->run.wake_at = turn->now + UNKNOWN_ZONE_RETRY;
    work->is_changed = true;
}

void waking_apply(struct turn *turn)
{
    for (int i = 0; i < turn->waking_rows.rows; i++) {
        struct work_run *work = run_of_row(turn, &turn->waking_rows, i);

        if (work->run.wake_at > turn->now)
            continue;
        if (is_usable(work))
            wake_up(turn, work);
        else if (work->state == WORK_READ && work->sched->state != SCHED_BUSY)
            wake_later(turn, work);
    }
    reclaim_apply(turn);
}
