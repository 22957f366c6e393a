/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of the turn in progress.  Internal to the engine.
 */
#pragma once

#include "base/arena.h"
#include "base/map.h"
#include "engine/engine.h"
#include "engine/engine_memory.h"
#include "engine/work_schedule.h"
#include "store/days.h"
#include "store/stats.h"

#define VEC(type)        \
    struct {             \
        type *at;        \
        int count, room; \
    }

struct waiter;    /* waiting_workers.c */
struct day_group; /* schedule_days.c */

/* Counts the schedules of a namespace; `created` are those of this turn, which `row` lacks. */
struct quota {
    int64_t namespace, created;
    struct db_result row;
};

/* A queue that polls of this turn want, with its polls in the order of service. */
struct poll_queue {
    int64_t queue;
    bool has_new; /* one of its polls is new, see struct poll */
    struct waiter *first, *last;
};

/* A batch of rows that this turn reads, or of days that it writes. */
struct day_count_turn {
    struct day_count_pass *pass; /* NULL: neither */
    bool is_writing;
    struct days_range range;
    int limit;
    struct db_result history, ledger;
    VEC(struct day_group) groups; /* of schedule_days.c */
    VEC(struct day_sample *) samples;
};

struct turn {
    struct engine *engine;
    struct db *db;
    struct arena *arena;
    const struct turn_in *in;
    instant now;
    int64_t node;
    struct map *sched_map, *work_map, *gate_map,
        *queue_map; /* key to index in the next four lists */
    VEC(struct work_schedule *) scheds;
    VEC(struct work_run *) runs;
    VEC(struct work_gate *) gates;
    VEC(struct poll_queue) queues;
    VEC(struct work_run *) fresh; /* runs that became ready in this turn */
    VEC(struct event) events;
    VEC(struct assignment) dispatches;
    VEC(struct assignment) grants;
    VEC(struct stop) stops;
    VEC(struct quota *) quotas;
    VEC(struct ended) ended;
    int64_t started[RUN_KINDS];
    VEC(int64_t) ended_calls; /* keys of runs whose call by this node has ended */
    struct reply *replies;
    struct report_reply *report_replies;
    struct command_state *commands; /* of apply.c */
    int capacity[LANE_COUNT];
    int *poll_room;
    int due_batch;           /* limit of the scan for due schedules                          */
    struct due_slot *slots;  /* ADVANCE_SLOTS_MAX entries, allocated on first use            */
    int64_t key_limit;       /* keys up to this millisecond are reserved in the node's row   */
    int64_t reclaim_queried; /* the reclaim_node whose runs this turn has queried, 0: none   */
    bool is_single;          /* SQLite: no one else can write during the transaction, so     */
                             /* cursors that this node wrote last need not be read           */
    const char *damage;      /* see turn_damage(); NULL: none                                */
    int64_t damaged_key;     /* of the row that shows it                                     */
    bool uses_cache;         /* some run or cursor came from the cache and was not read      */
    bool is_first;           /* after a boot, or a pause of a queue: older runs may be ready */
    bool made_ready;         /* see turn_out                                                 */
    bool turn_again;         /* more work is waiting: the next turn must follow at once      */
    bool is_periodic;        /* this turn does the work of periodic.h                        */
    instant retry_at;        /* when to try again to lock rows that another node held        */
    struct db_result node_row, due_rows, waking_rows, reclaim_row, reclaim_rows, replan_rows,
        wake_row, run_wake_row, silent_rows, restricted_rows, free_gates, stop_rows, others_row,
        zone_rows, orphan_events, orphan_audit, planned_row;
    struct db_result batches[PRUNE_TABLES];
    bool has_batch[PRUNE_TABLES];   /* this turn has queried that batch   */
    bool has_count;                 /* this turn has queried count_row    */
    struct stats_range count_range; /* the rows of history that it counts */
    struct db_result count_row;
    struct day_count_turn days;  /* what schedule_days.c does in this turn */
    struct engine_memory memory; /* last: prepare_turn() clears everything before it */
};
