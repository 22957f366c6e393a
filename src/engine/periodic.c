/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work of a periodic turn: sends the queries, and acts on their answers.
 */
#include "engine/periodic.h"

#include "base/must.h"
#include "engine/claim.h"
#include "engine/count/daily_stats.h"
#include "engine/count/schedule_days.h"
#include "engine/day_events.h"
#include "engine/engine_internal.h"
#include "engine/restricted_queues.h"

enum { QUEUE_STEPS = 8 }; /* queues of a lane that one periodic turn finds */

void periodic_send(struct turn *turn)
{
    struct engine_memory *m = &turn->memory;
    const struct engine_options *o = &turn->engine->options;

    nodes_silent(turn->db, turn->now, &turn->silent_rows);
    stops_take(turn->db, turn->node, BATCH_ROWS, &turn->stop_rows);
    queues_list_restricted(turn->db, RESTRICTED_QUEUES_MAX, &turn->restricted_rows);
    gates_with_room(turn->db, BATCH_ROWS, &turn->free_gates);
    day_events_send(turn);
    /* Up to twice the rows inserted since: each turn has at most one row of events. */
    prune_events(turn->db, turn->node, turn->now - o->events_age,
                 BATCH_ROWS + 2 * (int)(m->turn - m->periodic_turn));
    if (m->orphans_at == INSTANT_NONE || turn->now < m->orphans_at ||
        turn->now - m->orphans_at >= ORPHANS_EVERY) {
        prune_events_down_node(turn->db, turn->now - o->events_age, &turn->orphan_events);
        prune_audit_down_node(turn->db, turn->now - AUDIT_AGE, &turn->orphan_audit);
        m->orphans_at = turn->now;
    }
    prune_requests(turn->db, turn->now, BATCH_ROWS + 2 * m->requests);
    m->requests = 0;
    m->periodic_turn = m->turn;
}

/* Takes over one dead node at a time, once this node has been up long enough to judge. */
static void take_over_node(struct turn *turn)
{
    struct engine_memory *m = &turn->memory;
    span lease = turn->engine->options.node_lease;

    if (m->reclaim_node != 0 || turn->now - m->turning_since < lease)
        return;
    for (int i = 0; i < turn->silent_rows.rows; i++) {
        struct node node;

        nodes_read(&turn->silent_rows, i, &node);
        if (node.id == turn->node)
            continue;
        must(!m->is_reclaim_counting); /* the history of the last one is counted to its end */
        m->reclaim_lease = turn->now + lease;
        nodes_declare(turn->db, node.id, NODE_LOST, m->reclaim_lease);
        m->reclaim_node = node.id;
        m->reclaim_after = 0;
        m->has_followed = m->is_adopting = false;
        daily_stats_take_over(turn, &node);
        schedule_days_take_over(turn, &node);
        turn->turn_again = true; /* continue at once */
        if (node.state == NODE_UP)
            *VEC_ADD(turn, &turn->events) = (struct event){
                .type = EVENT_NODE_DOWN, .detail = node.id, .count = 1};
        return;
    }
}

/* Another node has ended a run whose call this node makes. */
static void read_stop(struct turn *turn, int row)
{
    const struct inflight_run *entry;
    struct node_stop stop;
    struct run_id run;

    stops_read(&turn->stop_rows, row, &stop);
    run = (struct run_id){stop.schedule, stop.slot / SPAN_MS, (uint32_t)stop.pass};
    *VEC_ADD(turn, &turn->stops) = (struct stop){
        .run = run, .fence = stop.fence, .is_terminated = true};
    entry = inflight_find(turn->engine->inflight, &run);
    if (entry && entry->run.fence == stop.fence)
        *VEC_ADD(turn, &turn->ended_calls) = entry->run.id;
}

/* Prunes a batch of rows of nodes that never return; if there were any, there may be more. */
static void prune_orphans(struct turn *turn)
{
    const struct db_result *events = &turn->orphan_events, *audit = &turn->orphan_audit;

    if (events->rows > 0)
        prune_events(turn->db, db_int_at(events, 0, 0),
                     turn->now - turn->engine->options.events_age, BATCH_ROWS);
    if (audit->rows > 0)
        prune_audit(turn->db, db_int_at(audit, 0, 0), turn->now - AUDIT_AGE, BATCH_ROWS);
    if (events->rows > 0 || audit->rows > 0)
        turn->memory.orphans_at = INSTANT_NONE;
}

void periodic_read(struct turn *turn)
{
    struct engine_memory *m = &turn->memory;

    restricted_read(turn);
    for (int i = 0; i < turn->free_gates.rows; i++)
        workset_gate(turn, db_int_at(&turn->free_gates, i, 0));
    for (int i = 0; i < turn->stop_rows.rows; i++)
        read_stop(turn, i);
    prune_orphans(turn);
    day_events_read(turn);
    take_over_node(turn);
    m->periodic_at = turn->now;
}

enum rc periodic_queues(struct turn *turn, struct err *reterr)
{
    struct engine_memory *m = &turn->memory;

    for (int lane = LANE_HTTP; lane < LANE_COUNT; lane++) {
        for (int i = 0; turn->capacity[lane] > 0 && i < QUEUE_STEPS; i++) {
            struct db_result row = {0};
            enum rc rc;

            runs_ready_queue(turn->db, lane, m->queue_after[lane], &row);
            rc = db_flush(turn->db, turn->arena, reterr);
            if (rc != RC_OK)
                return rc;
            m->queue_after[lane] = row.rows == 0 ? 0 : db_int_at(&row, 0, 0);
            if (row.rows == 0)
                break;
            claim_add_queue(m, lane, m->queue_after[lane]);
        }
    }
    return RC_OK;
}
