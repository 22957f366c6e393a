/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/reports.h"

#include "engine/daily_stats.h"
#include "engine/engine_internal.h"
#include "engine/transitions.h"

enum { ROW_ID, ROW_SCHEDULE, ROW_SLOT, ROW_PASS }; /* of runs_waking and runs_of_node */

static struct place *place_of_report(struct turn *turn, const struct run_id *id)
{
    return desk_place(turn, desk_seat(turn, id->schedule), id->slot_ms * SPAN_MS,
                      (int64_t)id->pass);
}

static struct place *place_of_run(struct turn *turn, const struct run *run)
{
    return desk_place(turn, desk_seat(turn, run->schedule), run->slot, run->pass);
}

/* A call of this node, or what a worker holds, as it was committed. */
static bool find_known(const struct turn *turn, const struct run_id *id, struct run *ret)
{
    const struct flight *flight = flights_find(turn->engine->flights, id);

    if (!flight)
        return known_run(&turn->engine->known, id, ret);
    *ret = flight->run;
    return true;
}

/*
 * What went well ends a run that need not be read again, unless there are others who may have
 * ended it.
 */
static void trust(struct turn *turn, const struct report *report)
{
    struct place *place = place_of_report(turn, &report->run);
    struct run run;

    if (turn->memory.has_others || report->kind != REPORT_DONE ||
        report->outcome != OUTCOME_SUCCEEDED || place->state != PLACE_WANTED ||
        !find_known(turn, &report->run, &run) || run.fence != report->fence)
        return;
    place->run = run;
    place->state = PLACE_READ;
    place->is_trusted = turn->trusts = true;
}

void settle_want(struct turn *turn)
{
    const struct flights *flights = turn->engine->flights;

    for (int i = 0; i < turn->in->report_count; i++)
        trust(turn, &turn->in->reports[i]);
    for (int i = 0; i < flights_count(flights); i++) {
        const struct flight *flight = flights_at(flights, i);

        if (flight->deadline <= turn->now)
            place_of_run(turn, &flight->run);
    }
}

static void want_row(struct turn *turn, const struct db_result *rows, int i)
{
    struct seat *seat = desk_seat(turn, db_int_at(rows, i, ROW_SCHEDULE));

    desk_place(turn, seat, db_int_at(rows, i, ROW_SLOT), db_int_at(rows, i, ROW_PASS));
}

void settle_want_waking(struct turn *turn)
{
    for (int i = 0; i < turn->waking_rows.rows; i++)
        want_row(turn, &turn->waking_rows, i);
    for (int i = 0; i < turn->reclaim_rows.rows; i++)
        want_row(turn, &turn->reclaim_rows, i);
}

/* When the engine must look at a run that a worker holds. */
static instant wake_of(const struct seat *seat, const struct run *run)
{
    const struct policies *p = &seat->plan.policies;
    instant wake = run->lease_until == INSTANT_NEVER ? INSTANT_NEVER
                                                     : run->lease_until + p->grace;

    if (p->timeout > 0 && run->attempt_at + p->timeout < wake)
        wake = run->attempt_at + p->timeout;
    if (p->max_run_time > 0 && run->started_at + p->max_run_time < wake)
        wake = run->started_at + p->max_run_time;
    return wake;
}

static void hear(struct turn *turn, struct place *place, const struct report *report,
                 struct report_reply *reply)
{
    struct run *run = &place->run;
    struct seat *seat = place->seat;

    if (run->state == RUN_LEASED) {
        run->state = RUN_RUNNING;
        place->is_changed = true;
        desk_event(turn, EVENT_RUN_STARTED, run, 0);
    }
    if (report->progress.len > 0) {
        run->progress = report->progress;
        place->is_changed = true;
    }
    if (run->lease_until != INSTANT_NEVER && seat->has_plan) {
        span lease = report->extend > 0 ? report->extend : seat->plan.policies.lease;

        if (turn->now + lease > run->lease_until) {
            run->lease_until = turn->now + lease;
            run->wake_at = wake_of(seat, run);
            place->is_changed = true;
        }
    }
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

static void stale(struct turn *turn, const struct report *report, struct report_reply *reply)
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

static void done(struct turn *turn, struct place *place, const struct report *report)
{
    if (place->run.state == RUN_LEASED) /* its end is its first sign of life */
        desk_event(turn, EVENT_RUN_STARTED, &place->run, 0);
    attempt_end(turn, place,
                &(struct ending){
                    .outcome = report->outcome,
                    .reason = report->reason != REASON_NONE ? report->reason
                                                            : default_reason(report->outcome),
                    .error = report->error,
                    .result = report->result,
                    .tokens = report->tokens,
                    .cost = report->cost,
                    .is_retryable = report->is_retryable,
                    .retry_after = report->retry_after,
                });
}

/* A log is of use as long as the history that it belongs to. */
static instant log_expires(const struct turn *turn, const struct seat *seat)
{
    const struct policies *p = &seat->plan.policies;

    if (seat->has_plan && p->retention_age == 0 && p->retention_count == 0)
        return INSTANT_NEVER;
    return turn->now + (seat->has_plan && p->retention_age > 0 ? p->retention_age : LOGS_AGE);
}

void settle_keep_log(struct turn *turn, const struct place *place, struct str log)
{
    const struct run *run = &place->run;

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
                    .expire_at = log_expires(turn, place->seat),
                    .body = log,
                },
                NULL);
}

static bool is_foreign(const struct report *report, const struct seat *seat)
{
    return report->namespace != 0 && report->namespace != seat->namespace;
}

static void settle_one(struct turn *turn, const struct report *report,
                       struct report_reply *reply)
{
    struct place *place = place_of_report(turn, &report->run);
    const struct run *run = &place->run;

    *reply = (struct report_reply){.tag = report->tag, .rc = RC_OK};
    if (place->seat->state == SEAT_AWAY || place->state == PLACE_AWAY) {
        reply->rc = RC_BUSY;
        return;
    }
    if (place->state != PLACE_READ || run->fence != report->fence ||
        !run_is_claimed(run->state) || is_foreign(report, place->seat)) {
        stale(turn, report, reply);
        return;
    }
    settle_keep_log(turn, place, report->log);
    switch (report->kind) {
    case REPORT_ALIVE:
        hear(turn, place, report, reply);
        break;
    case REPORT_DONE:
        done(turn, place, report);
        break;
    case REPORT_RELEASE:
        run_hand_back(turn, place);
        break;
    case REPORT_LOST:
        attempt_end(turn, place, &(struct ending){.reason = REASON_NODE, .is_lost = true});
        break;
    }
}

/* The run as a whole has taken too long, however lively it is. */
static bool is_past_end(const struct turn *turn, const struct place *place)
{
    span most = place->seat->has_plan ? place->seat->plan.policies.max_run_time : 0;

    return most > 0 && place->run.started_at + most <= turn->now;
}

static void time_out(struct turn *turn, struct place *place)
{
    if (is_past_end(turn, place))
        run_end(turn, place,
                &(struct ending){.outcome = OUTCOME_TIMED_OUT, .reason = REASON_MAX_RUN_TIME});
    else
        attempt_end(turn, place,
                    &(struct ending){.outcome = OUTCOME_TIMED_OUT,
                                     .reason = REASON_TIMEOUT,
                                     .is_retryable = true});
}

/* Calls of this node whose io has let their deadline pass. */
static void settle_flights(struct turn *turn)
{
    const struct flights *flights = turn->engine->flights;

    for (int i = 0; i < flights_count(flights); i++) {
        const struct flight *flight = flights_at(flights, i);
        struct place *place;

        if (flight->deadline > turn->now)
            continue;
        place = place_of_run(turn, &flight->run);
        if (place->state != PLACE_READ || place->run.fence != flight->run.fence ||
            place->seat->state == SEAT_AWAY || !run_is_claimed(place->run.state))
            continue;
        run_stop(turn, &place->run, true);
        time_out(turn, place);
    }
}

void settle_reports(struct turn *turn)
{
    for (int i = 0; i < turn->in->report_count; i++)
        settle_one(turn, &turn->in->reports[i], &turn->report_replies[i]);
    settle_flights(turn);
}

/* A node that was itself away does not judge others before they had time to speak. */
static bool may_expire(const struct turn *turn, const struct policies *p)
{
    return turn->now - turn->memory.turning_since >= p->heartbeat + p->grace;
}

static void expire(struct turn *turn, struct place *place)
{
    struct run *run = &place->run;
    const struct policies *p = &place->seat->plan.policies;

    if (is_past_end(turn, place) ||
        (p->timeout > 0 && run->attempt_at + p->timeout <= turn->now)) {
        time_out(turn, place);
    } else if (run->lease_until != INSTANT_NEVER && run->lease_until + p->grace <= turn->now) {
        if (!may_expire(turn, p)) {
            run->wake_at = turn->memory.turning_since + p->heartbeat + p->grace;
            place->is_changed = true;
            return;
        }
        desk_event(turn, EVENT_LEASE_EXPIRED, run, 0);
        attempt_end(turn, place, &(struct ending){.reason = REASON_LEASE, .is_lost = true});
    } else {
        run->wake_at = wake_of(place->seat, run);
        place->is_changed = true;
    }
}

static void wake_up(struct turn *turn, struct place *place)
{
    struct run *run = &place->run;

    switch (run->state) {
    case RUN_BACKOFF:
        run_ready(turn, place);
        run->wake_at = INSTANT_NEVER;
        break;
    case RUN_READY:
    case RUN_APPROVAL:
    case RUN_GATED:
    case RUN_HELD:
        run_wait_on(turn, place);
        break;
    case RUN_LEASED:
    case RUN_RUNNING:
        if (run->node == 0) {
            expire(turn, place);
        } else if (run->node == turn->node && (run->flags & RUN_CANCELLING)) {
            run_stop(turn, run, false);
            run->wake_at = INSTANT_NEVER;
            place->is_changed = true;
        }
        break;
    case RUN_ENDED:
        break;
    }
}

static struct place *row_place(struct turn *turn, const struct db_result *rows, int i)
{
    struct seat *seat = desk_seat(turn, db_int_at(rows, i, ROW_SCHEDULE));

    return desk_place(turn, seat, db_int_at(rows, i, ROW_SLOT), db_int_at(rows, i, ROW_PASS));
}

static bool is_usable(const struct place *place)
{
    return place->state == PLACE_READ && place->seat->state != SEAT_AWAY &&
           place->seat->has_plan;
}

/* What a node held that is dead, or an earlier boot of this one. */
static void settle_reclaimed(struct turn *turn)
{
    struct memory *m = &turn->memory;

    for (int i = 0; i < turn->reclaim_rows.rows; i++) {
        struct place *place = row_place(turn, &turn->reclaim_rows, i);
        int64_t id = db_int_at(&turn->reclaim_rows, i, ROW_ID);

        if (place->state == PLACE_AWAY || place->seat->state == SEAT_AWAY)
            return; /* from here again in the next turn */
        m->reclaim_after = id;
        if (!is_usable(place) || place->run.node != m->reclaim_node ||
            !run_is_claimed(place->run.state) || flights_by_key(turn->engine->flights, id))
            continue;
        desk_event(turn, EVENT_LEASE_EXPIRED, &place->run, m->reclaim_node);
        attempt_end(turn, place, &(struct ending){.reason = REASON_NODE, .is_lost = true});
    }
    if (turn->reclaim_asked == 0 || turn->reclaim_rows.rows == PORTION ||
        !figures_are_taken_over(turn))
        return;
    if (turn->reclaim_asked != turn->node)
        nodes_declare(turn->db, m->reclaim_node, NODE_DOWN, turn->now);
    m->reclaim_node = 0;
}

void settle_waking(struct turn *turn)
{
    for (int i = 0; i < turn->waking_rows.rows; i++) {
        struct place *place = row_place(turn, &turn->waking_rows, i);

        if (is_usable(place) && place->run.wake_at <= turn->now)
            wake_up(turn, place);
    }
    settle_reclaimed(turn);
}
