/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A turn while it is being made.  Internal to the engine.
 */
#pragma once

#include "base/arena.h"
#include "base/map.h"
#include "engine/engine.h"
#include "engine/engine_memory.h"
#include "engine/work_schedule.h"
#include "store/stats.h"

#define VEC(type)        \
    struct {             \
        type *at;        \
        int count, room; \
    }

struct waiter; /* polls.c */

/* How many schedules a namespace has, and how many of them this turn has made. */
struct quota {
    int64_t namespace, made;
    struct db_result row;
};

/* A queue that polls of this turn want, and they in the order in which they are served. */
struct poll_queue {
    int64_t queue;
    bool has_new; /* a poll that no turn has seen yet */
    struct waiter *first, *last;
};

struct turn {
    struct engine *engine;
    struct db *db;
    struct arena *arena;
    const struct turn_in *in;
    instant now;
    int64_t node;
    struct map *sched_map, *work_map, *gate_map, *queue_map; /* to indexes of the next four */
    VEC(struct work_schedule *) scheds;
    VEC(struct work_run *) runs;
    VEC(struct work_gate *) gates;
    VEC(struct poll_queue) queues;
    VEC(struct work_run *) fresh; /* became ready in this turn */
    VEC(struct event) events;
    VEC(struct assignment) dispatches;
    VEC(struct assignment) grants;
    VEC(struct stop) stops;
    VEC(struct quota *) quotas;
    VEC(struct ended) ended;
    int64_t started[RUN_KINDS];
    VEC(int64_t) landed; /* runs of this node's calls that are over: keys */
    struct reply *replies;
    struct report_reply *report_replies;
    struct command_state *commands; /* of apply.c */
    int capacity[LANE_COUNT];
    int *poll_room;
    int due_batch;          /* schedules that are due, at most        */
    struct due_slot *slots; /* room for ADVANCE_SLOTS_MAX, once it was needed */
    int64_t key_limit;      /* of key_ms, as the node's row has it    */
    int64_t reclaim_asked;  /* the node whose runs this turn has read */
    bool is_single;         /* nobody else writes during the transaction: cursors that this
                               node wrote last need not be read */
    bool trusts;            /* some run or cursor is as this node remembers it, unread */
    bool is_first;          /* of a boot: nothing is known of what is ready */
    bool made_ready, is_full, is_periodic;
    instant retry_at; /* what another node held is asked for again */
    struct db_result node_row, due_rows, waking_rows, reclaim_rows, touch_rows, wake_row,
        run_wake_row, silent_rows, restricted_rows, free_gates, stop_rows, others_row,
        zone_rows, left_rows, left_audit;
    struct db_result batches[PRUNE_TABLES];
    bool has_batch[PRUNE_TABLES];   /* was asked for in this turn */
    bool counts;                    /* likewise, rows of history that are to be counted, */
    struct stats_range count_range; /* of these                                          */
    struct db_result count_row;
    struct engine_memory memory; /* last: prepare() clears all before it */
};
