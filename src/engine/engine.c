/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The turn: node row, reports, commands, advance, claim, periodic work, commit.
 *
 * When the database rejects a turn because of its data, the engine runs it again with each
 * command in a transaction of its own, so that one command cannot fail the others.  When the
 * reply to a commit is lost, the next turn reads the turn number in the node row: if it is
 * still that of the turn before, nothing was committed.
 */
#include "engine/engine.h"

#include <string.h>

#include "base/must.h"
#include "engine/apply.h"
#include "engine/claim.h"
#include "engine/count/daily_stats.h"
#include "engine/count/schedule_days.h"
#include "engine/day_events.h"
#include "engine/due.h"
#include "engine/engine_internal.h"
#include "engine/ledger_write.h"
#include "engine/periodic.h"
#include "engine/prune.h"
#include "engine/replan.h"
#include "engine/reports.h"
#include "engine/start_slots.h"
#include "engine/transitions.h"
#include "engine/waiting_workers.h"
#include "store/key.h"

#define CACHE_WITHIN (5 * SPAN_MIN) /* a new schedule that is due later is not cached */

enum { ROWS_DIVISOR = 8 }; /* of a turn that is too large: 4096 rows become 1 in four steps */

/* The first statements of the turn, in one flush. */
static void send_first(struct turn *turn)
{
    struct engine_memory *m = &turn->memory;
    struct node node = turn->engine->node;

    node.turn = m->turn;
    node.lease_until = turn->now + turn->engine->options.node_lease;
    node.key_ms = turn->key_limit = m->key_ms + KEY_RESERVE_MS;
    node.event = m->event;
    node.turned_at = turn->now;
    node.skew = turn->in->skew;
    db_begin(turn->db);
    nodes_turn(turn->db, &node, &turn->node_row);
    due_send(turn);
    if (turn->in->rows > 0)
        runs_waking(turn->db, turn->now, turn->in->rows, &turn->waking_rows);
    reclaim_send(turn, node.lease_until);
    replan_send(turn);
    reports_want(turn);
    workset_send_early(turn);
    apply_send(turn);
    if (turn->is_periodic)
        periodic_send(turn);
    prune_send(turn);
    daily_stats_send(turn);
    schedule_days_send(turn);
    /* After the locks: a node that ended a run before them must be visible. */
    if (turn->is_periodic || turn->uses_cache || turn->is_single)
        nodes_others(turn->db, turn->node, &turn->others_row);
}

static void advance_schedules(struct turn *turn)
{
    for (int i = 0; i < turn->scheds.count; i++) {
        struct work_schedule *sched = turn->scheds.at[i];

        if (sched->state != SCHED_HELD)
            continue;
        if (!sched->has_plan && !(sched->cursor.flags & CURSOR_DELETED)) {
            sched->cursor.wake_at = turn->now + UNKNOWN_ZONE_RETRY;
            sched->is_touched = true;
            continue;
        }
        if (sched->needs_replan && sched->has_plan)
            replan_schedule(turn, sched);
        if (!turn->in->hold &&
            (sched->is_due || (sched->cursor.flags & CURSOR_FULL && sched->is_touched) ||
             sched_must_advance_first(turn, sched)))
            sched_advance(turn, sched);
        if (sched->state == SCHED_HELD &&
            (sched->starts || sched->open_changed || sched_is_stranded(turn, sched)))
            sched_decide(turn, sched);
        if (sched->state != SCHED_HELD || !sched->is_touched)
            continue;
        sched_wake(turn, sched);
        day_events_plan(turn, sched);
    }
}

/* A run that is written has a consistent holder, and its fence was not lowered. */
static void check_run(const struct work_run *p)
{
    const struct run *run = &p->run;
    bool is_claimed = run_is_claimed(run->state);

    must(run->id != 0 && run->schedule == p->sched->id && run->state != RUN_ENDED);
    must(run->fence >= p->fence && run->losses <= run->attempt);
    must(is_claimed || (run->node == 0 && run->worker.len == 0));
    must(is_claimed || run->lease_until == INSTANT_NEVER);
    must(run->node == 0 || run->state == RUN_RUNNING);
    must(!is_claimed || (run->attempt >= 1 && run->started_at != INSTANT_NONE));
    must(run->state != RUN_BACKOFF || run->wake_at != INSTANT_NEVER);
    must(!is_claimed || run->node != 0 || run->wake_at != INSTANT_NEVER);
}

static void write_runs(struct turn *turn)
{
    for (int i = 0; i < turn->runs.count; i++) {
        struct work_run *p = turn->runs.at[i];

        if (p->state == WORK_NEW || (p->state == WORK_READ && p->is_changed))
            turn->turn_again |= p->run.wake_at <= turn->now;
        if (p->state == WORK_NEW || (p->state == WORK_READ && p->is_changed))
            check_run(p);
        if (p->state == WORK_NEW)
            runs_insert(turn->db, &p->run, &p->row);
        else if (p->state == WORK_READ && p->is_changed)
            runs_update(turn->db, &p->run);
        if (p->state == WORK_NEW) {
            p->state = WORK_READ;
            p->is_new = true;
        }
        p->is_changed = false;
    }
}

/* Fails the turn; when it is repeated, it reads the rows instead of using the caches. */
static enum rc fail_with_stale_cache(struct turn *turn, struct err *reterr)
{
    turn->engine->memory.has_others = true;
    committed_drop_rows(&turn->engine->committed);
    return err_set(reterr, RC_BUSY, -1, 0, "another node may have ended a run of this node");
}

/* Verifies the affected-row counts. */
static enum rc check_row_counts(struct turn *turn, struct err *reterr)
{
    for (int i = 0; i < turn->runs.count; i++) {
        const struct work_run *p = turn->runs.at[i];

        if (p->is_new && p->row.changed != 1)
            return err_set(reterr, RC_CORRUPT, -1, 0,
                           "a run exists that its schedule has not created yet");
        if (!p->is_cached || p->state != WORK_ENDED || p->row.changed == 1)
            continue;
        return fail_with_stale_cache(turn, reterr);
    }
    return RC_OK;
}

static void write_gates(struct turn *turn)
{
    for (int i = 0; i < turn->gates.count; i++) {
        struct work_gate *g = turn->gates.at[i];

        must(!g->is_changed || g->is_held);
        must(!g->is_changed || (g->gate.open >= 0 && g->gate.waiting >= 0));
        if (g->is_changed)
            gates_update(turn->db, &g->gate);
        g->is_changed = false;
    }
}

/* False, and the caches are empty, when other nodes are up or were since the last check. */
static bool read_others(struct turn *turn)
{
    struct engine_memory *m = &turn->memory;
    int64_t before = m->others_activity;

    if (turn->others_row.rows == 0)
        return !m->has_others;
    m->has_others = db_int_at(&turn->others_row, 0, 0) > 0;
    m->others_activity = db_int_at(&turn->others_row, 0, 1);
    m->others_counted_to = db_int_at(&turn->others_row, 0, 2);
    if (!m->has_others && m->others_activity == before)
        return true;
    committed_drop_rows(&turn->engine->committed);
    return false;
}

/* If the turn used a cache, that may be stale rather than the database damaged. */
static enum rc check_damage(struct turn *turn, struct err *reterr)
{
    if (!turn->damage)
        return RC_OK;
    if (turn->uses_cache)
        return fail_with_stale_cache(turn, reterr);
    return err_set(reterr, RC_CORRUPT, -1, 0, "%s: key %lld; run belfry check", turn->damage,
                   (long long)turn->damaged_key);
}

/* Everything between the first answers and the commit. */
static enum rc make_decisions(struct turn *turn, struct err *reterr)
{
    enum rc rc;

    if (!read_others(turn) && turn->uses_cache)
        return fail_with_stale_cache(turn, reterr);
    event_node_up(turn);
    due_read(turn);
    replan_want(turn);
    reclaim_read(turn);
    waking_want(turn);
    apply_want(turn);
    if (turn->is_periodic)
        periodic_read(turn);
    prune_read(turn);
    daily_stats_read(turn);
    schedule_days_read(turn);
    claim_add_polled(turn);
    rc = workset_lock(turn, reterr);
    if (rc == RC_OK)
        rc = workset_load(turn, reterr);
    if (rc == RC_OK)
        rc = workset_load_gates(turn, reterr);
    if (rc != RC_OK)
        return rc;
    replan_advance(turn);
    reports_apply(turn);
    waking_apply(turn);
    rc = apply_commands(turn, reterr);
    if (rc != RC_OK)
        return rc;
    advance_schedules(turn);
    rc = claim_fresh(turn, reterr);
    if (rc == RC_OK)
        rc = check_damage(turn, reterr);
    if (rc != RC_OK)
        return rc;
    write_runs(turn);
    for (int i = 0; i < turn->scheds.count; i++)
        sched_write(turn, turn->scheds.at[i]);
    rc = turn->is_periodic && !turn->in->hold ? periodic_queues(turn, reterr) : RC_OK;
    if (rc == RC_OK)
        rc = claim_open_gates(turn, reterr);
    if (rc == RC_OK)
        rc = claim_ready(turn, reterr);
    if (rc == RC_OK)
        rc = check_damage(turn, reterr);
    if (rc != RC_OK)
        return rc;
    write_runs(turn);
    write_gates(turn);
    waiting_workers_record(turn);
    apply_store_replies(turn);
    audit_write(turn);
    event_write(turn);
    if (turn->memory.key_ms > turn->key_limit)
        nodes_reserve(turn->db, turn->node, turn->memory.key_ms);
    cursors_next_wake(turn->db, turn->now, &turn->wake_row);
    runs_next_wake(turn->db, turn->now, &turn->run_wake_row);
    return RC_OK;
}

/*
 * Copies only the used part of the lists, which is usually small.  Not inlined: gcc would take
 * the first member for the whole of what is copied, and warn.
 */
static __attribute__((noinline)) void copy_memory(struct engine_memory *to,
                                                  const struct engine_memory *from)
{
    memcpy(to, from, offsetof(struct engine_memory, search_queues));
    memcpy(to->search_queues, from->search_queues,
           (size_t)from->search_count * sizeof from->search_queues[0]);
    memcpy(to->restricted, from->restricted,
           (size_t)from->restricted_count * sizeof from->restricted[0]);
}

static void prepare_turn(struct engine *engine, struct turn *turn, const struct turn_in *in)
{
    struct engine_memory *m;
    instant since_last_turn;

    must(!engine->in_doubt || engine->arena != engine->doubt_arena);
    memset(turn, 0, offsetof(struct turn, memory));
    turn->engine = engine;
    turn->db = engine->db;
    turn->arena = engine->arenas[engine->arena];
    turn->in = in;
    turn->now = in->now;
    turn->node = engine->node.id;
    turn->is_single = db_kind(engine->db) == DB_SQLITE;
    copy_memory(&turn->memory, &engine->memory);
    turn->sched_map = engine->sched_map;
    turn->work_map = engine->work_map;
    turn->gate_map = engine->gate_map;
    turn->queue_map = engine->queue_map;
    map_clear(turn->sched_map);
    map_clear(turn->work_map);
    map_clear(turn->gate_map);
    map_clear(turn->queue_map);
    memcpy(turn->capacity, in->capacity, sizeof(turn->capacity));
    waiting_workers_init(turn);
    turn->replies = arena_array(turn->arena, (size_t)in->command_count, sizeof(struct reply));
    turn->report_replies = arena_array(turn->arena, (size_t)in->report_count,
                                       sizeof(struct report_reply));
    m = &turn->memory;
    since_last_turn = in->now - m->last_turn;
    if (since_last_turn > engine->options.node_lease / 2 ||
        since_last_turn < -engine->options.node_lease / 2)
        m->turning_since = in->now;
    m->last_turn = in->now;
    m->turn++;
    turn_set_key_time(turn, in->now);
    turn->retry_at = INSTANT_NEVER;
    turn->is_first = m->periodic_at == INSTANT_NONE;
    turn->is_periodic = in->rows > 0 &&
                        (m->periodic_at == INSTANT_NONE || in->now < m->periodic_at ||
                         in->now - m->periodic_at >= PERIODIC_EVERY);
}

static instant earliest(const struct db_result *row, instant at)
{
    instant other = row->rows == 1 ? db_int_at(row, 0, 0) : INSTANT_NEVER;

    return other < at ? other : at;
}

static void fill_out(const struct turn *turn, struct turn_out *out)
{
    instant wake = earliest(&turn->wake_row, INSTANT_NEVER);

    must(turn->fresh.count == 0); /* each was claimed or written */
    must(!turn->in->hold || turn->dispatches.count + turn->grants.count == 0);
    wake = earliest(&turn->run_wake_row, wake);
    wake = turn->retry_at < wake ? turn->retry_at : wake;
    wake = due_again(turn) < wake ? due_again(turn) : wake;
    if (turn->turn_again || (turn->in->rows > 0 && turn->waking_rows.rows == turn->in->rows))
        wake = turn->now;
    *out = (struct turn_out){
        .replies = turn->replies,
        .reply_count = turn->in->command_count,
        .report_replies = turn->report_replies,
        .report_count = turn->in->report_count,
        .dispatches = turn->dispatches.at,
        .dispatch_count = turn->dispatches.count,
        .grants = turn->grants.at,
        .grant_count = turn->grants.count,
        .stops = turn->stops.at,
        .stop_count = turn->stops.count,
        .events = turn->events.at,
        .event_count = turn->events.count,
        .ended = turn->ended.at,
        .ended_count = turn->ended.count,
        .first_event = turn->memory.event - turn->events.count + 1,
        .wake_at = wake,
        .made_ready = turn->made_ready,
        .row_count = turn->due_rows.rows + turn->waking_rows.rows,
        .node = turn->node,
        .turn = turn->memory.turn,
    };
    memcpy(out->started, turn->started, sizeof(out->started));
}

/* A call ends itself at its deadline; CALL_GRACE is the time that this may take. */
static instant overdue_at(instant deadline)
{
    return deadline == INSTANT_NEVER ? INSTANT_NEVER : deadline + CALL_GRACE;
}

/* A new schedule that is due later: many of them would evict those that run all the time. */
static bool is_for_later(const struct turn *turn, const struct work_schedule *sched)
{
    return sched->is_new && sched->state == SCHED_HELD && sched->cursor.open == 0 &&
           sched->cursor.wake_at > turn->now + CACHE_WITHIN;
}

/* Caches runs that workers hold, and cursors; not if other nodes may change them. */
static void cache_rows(struct committed_cache *committed, const struct turn *turn)
{
    if (turn->memory.has_others)
        return;
    for (int i = 0; i < turn->runs.count; i++) {
        const struct work_run *p = turn->runs.at[i];

        if (p->state == WORK_READ)
            committed_put_run(committed, &p->run);
        else
            committed_drop_run(committed, &p->run);
    }
    for (int i = 0; turn->is_single && i < turn->scheds.count; i++) {
        const struct work_schedule *sched = turn->scheds.at[i];

        if (is_for_later(turn, sched))
            continue;
        if (sched->state == SCHED_HELD)
            committed_put_cursor(committed,
                                 sched->is_touched ? &sched->cursor : &sched->stored);
        else if (sched->state != SCHED_PLAN)
            committed_drop_cursor(committed, sched->id);
    }
}

/* The commit has succeeded: the engine's memory becomes that of the turn. */
static void adopt_turn(struct engine *engine, const struct turn *turn)
{
    must(turn->memory.turn == engine->memory.turn + 1);
    must(turn->memory.event == engine->memory.event + turn->events.count);
    must(turn->memory.key_ms >= engine->memory.key_ms);
    must(turn->memory.audit >= engine->memory.audit);
    copy_memory(&engine->memory, &turn->memory);
    cache_rows(&engine->committed, turn);
    for (int i = 0; i < turn->scheds.count; i++) {
        const struct work_schedule *sched = turn->scheds.at[i];

        if (sched->has_new_text && sched->state == SCHED_HELD && !is_for_later(turn, sched))
            plan_cache_put(engine->plan_cache, sched->id, sched->cursor.version, &sched->text);
    }
    for (int i = 0; i < turn->ended_calls.count; i++)
        inflight_remove(engine->inflight, turn->ended_calls.at[i]);
    for (int i = 0; i < turn->dispatches.count; i++)
        inflight_add(engine->inflight, &turn->dispatches.at[i].run,
                     overdue_at(turn->dispatches.at[i].deadline));
}

/* Reads this node's row after nodes_turn() has changed nothing. */
static enum rc read_self(struct engine *engine, struct node *ret, struct err *reterr)
{
    struct db_result row = {0};
    enum rc rc;

    db_rollback(engine->db);
    nodes_find(engine->db, engine->options.node, &row);
    rc = db_flush(engine->db, engine->arenas[engine->arena], reterr);
    if (rc == RC_OK && row.rows == 0)
        return err_set(reterr, RC_CORRUPT, -1, 0, "the row of this node is missing");
    if (rc == RC_OK)
        nodes_read(&row, 0, ret);
    return rc;
}

/* RC_OK: the turn in doubt was committed, and *out is its output. */
static enum rc resolve_doubt(struct engine *engine, struct turn_out *out, struct err *reterr)
{
    struct node self;
    enum rc rc = read_self(engine, &self, reterr);

    if (rc != RC_OK)
        return rc;
    if (engine->in_doubt && self.boot == engine->node.boot &&
        self.turn == engine->doubt.memory.turn) {
        engine->in_doubt = false;
        adopt_turn(engine, &engine->doubt);
        *out = engine->doubt_out;
        return RC_OK;
    }
    engine->booted = false;
    return err_set(reterr, RC_CONFLICT, -1, 0,
                   "other nodes have declared this node dead; it must boot again");
}

enum rc engine_transaction(struct engine *engine, const struct turn_in *in,
                           struct turn_out *out, struct err *reterr)
{
    struct turn *turn = &engine->turn;
    enum rc rc;

    prepare_turn(engine, turn, in);
    send_first(turn);
    rc = db_flush(turn->db, turn->arena, reterr);
    if (rc == RC_OK && turn->node_row.changed != 1)
        return resolve_doubt(engine, out, reterr);
    if (rc == RC_OK)
        engine->in_doubt = false;
    if (rc == RC_OK)
        rc = make_decisions(turn, reterr);
    if (rc == RC_OK)
        rc = db_flush(turn->db, turn->arena, reterr);
    if (rc == RC_OK)
        rc = check_row_counts(turn, reterr);
    if (rc != RC_OK) {
        db_rollback(turn->db);
        return rc;
    }
    fill_out(turn, out);
    if (engine->options.committing)
        engine->options.committing(engine->options.arg);
    rc = db_commit(turn->db, turn->arena, reterr);
    if (rc == RC_OK) {
        adopt_turn(engine, turn);
        apply_cache_queues(turn);
    } else if (rc == RC_UNKNOWN) {
        engine->in_doubt = true;
        engine->doubt = *turn;
        engine->doubt_out = *out;
        engine->doubt_arena = engine->arena;
    }
    return rc;
}

/* The output of the last turn, or of the one in doubt, stays valid in the other arena. */
static void change_arena(struct engine *engine)
{
    engine->arena = 1 - (engine->in_doubt ? engine->doubt_arena : engine->arena);
    arena_reset(engine->arenas[engine->arena]);
}

/* One report or command may have caused it.  A node that was declared dead is not booted. */
static bool is_data_failure(const struct engine *engine, enum rc rc)
{
    return engine->booted && (rc == RC_INVALID || rc == RC_CONFLICT || rc == RC_LIMIT);
}

/*
 * The turn in doubt was committed, but it may not have had the commands and reports of `in`,
 * see engine_retry_alone(): the caller hands them in again.
 */
static void reply_busy(struct engine *engine, const struct turn_in *in, struct turn_out *out)
{
    struct arena *arena = engine->arenas[engine->arena];
    struct reply *replies = arena_array(arena, (size_t)in->command_count, sizeof(*replies));
    struct report_reply *answers = arena_array(arena, (size_t)in->report_count,
                                               sizeof(*answers));

    for (int i = 0; i < in->command_count; i++)
        replies[i] = (struct reply){.tag = in->commands[i].tag, .rc = RC_BUSY};
    for (int i = 0; i < in->report_count; i++)
        answers[i] = (struct report_reply){.tag = in->reports[i].tag, .rc = RC_BUSY};
    out->replies = replies;
    out->reply_count = in->command_count;
    out->report_replies = answers;
    out->report_count = in->report_count;
}

/*
 * Large plans and inputs may exceed the size limit of a database answer: then the transaction
 * is repeated with fewer rows.  Each success doubles the limit for later turns.
 */
static enum rc try_with_fewer_rows(struct engine *engine, const struct turn_in *in,
                                   struct turn_out *out, struct err *reterr)
{
    enum rc rc;

    engine->limited_in = *in;
    if (engine->limited_in.rows > engine->rows_limit)
        engine->limited_in.rows = engine->rows_limit;
    rc = engine_transaction(engine, &engine->limited_in, out, reterr);
    must(engine->rows_limit >= 1);
    while (rc == RC_LIMIT && engine->limited_in.rows > 1) {
        engine->rows_limit = engine->limited_in.rows = (engine->limited_in.rows + ROWS_DIVISOR -
                                                        1) /
                                                       ROWS_DIVISOR;
        arena_reset(engine->arenas[engine->arena]);
        rc = engine_transaction(engine, &engine->limited_in, out, reterr);
    }
    if (rc == RC_OK && engine->rows_limit < TURN_ROWS_MAX)
        engine->rows_limit *= 2;
    return rc;
}

enum rc engine_turn(struct engine *engine, const struct turn_in *in, struct turn_out *out,
                    struct err *reterr)
{
    enum rc rc;

    must(in->command_count <= TURN_COMMANDS_MAX && in->report_count <= TURN_REPORTS_MAX &&
         in->poll_count <= TURN_POLLS_MAX && in->rows <= TURN_ROWS_MAX);
    if (!engine->booted)
        return err_set(reterr, RC_CONFLICT, -1, 0, "the engine has not booted");
    change_arena(engine);
    rc = try_with_fewer_rows(engine, in, out, reterr);
    if (rc == RC_BUSY && engine->turn.uses_cache)
        rc = try_with_fewer_rows(engine, in, out, reterr);
    if (rc != RC_OK && in->command_count + in->report_count > 0 &&
        is_data_failure(engine, rc)) {
        arena_reset(engine->arenas[engine->arena]);
        rc = engine_retry_alone(engine, in, out, reterr);
    }
    if (rc == RC_OK &&
        (out->reply_count < in->command_count || out->report_count < in->report_count))
        reply_busy(engine, in, out);
    must(rc != RC_OK || (out->reply_count == in->command_count &&
                         out->report_count == in->report_count)); /* one for each */
    return rc;
}
