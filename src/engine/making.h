/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A turn while it is being made, and what the engine remembers between turns.
 *
 * Internal to the engine.  The turn works on a copy of the memory, which replaces the
 * engine's once the commit is known.
 */
#pragma once

#include "base/arena.h"
#include "base/map.h"
#include "engine/engine.h"
#include "engine/seat.h"
#include "store/stats.h"

enum {
    HOT_MAX = 256,             /* queues that are known to have something ready        */
    WATCHED_QUEUES_MAX = 1024, /* remembered; of further ones the rows are asked      */
    OPEN_READ_MAX = 4096,      /* open runs of a schedule that one turn looks at       */
    ZONES_KNOWN = 64,          /* of namespaces: more are asked for again              */
    PORTION = 256,             /* rows of slow work in one turn                        */
    KEY_RESERVE_MS = 1000,     /* keys of a turn come from this span                   */
};
#define SWEEP_EVERY     SPAN_S
#define FULL_SCAN_EVERY (5 * SPAN_S)
#define QUEUE_RETRY     (20 * SPAN_MS)  /* about what a turn of another node takes */
#define LOGS_AGE        (90 * SPAN_DAY) /* where history is kept by count, not by age */

struct hot {
    int64_t lane, queue;
};

/* A queue that is paused or has a limit, see watch.h. */
struct watched {
    int64_t queue;
    bool is_paused;
};

/* Tables that are pruned by walking through them. */
enum prune_table { PRUNE_HISTORY, PRUNE_LEDGER, PRUNE_LOGS, PRUNE_SCHEDULES, PRUNE_TABLES };

struct walk {
    bool is_going;   /* a pass is on its way                                     */
    int64_t after;   /* then: up to this key it has come, and it ends with rows  */
    int64_t until;   /* from this one on                                         */
    int64_t seen;    /* rows that it has looked at, about                        */
    instant from;    /* else: when the next one begins, or earlier, when so many */
    int64_t enough;  /* rows were written                                        */
    int64_t written; /* since the last portion, or since the pass ended          */
};

/* What the engine remembers between turns; a turn works on a copy. */
struct memory {
    int64_t turn, event;
    int64_t key_ms, key_count; /* the last key made                                   */
    bool has_others;           /* other nodes are up: they may end what this one runs */
    int64_t others_sum;        /* of all that they did, see nodes_others()            */
    int64_t others_stats;      /* their history is counted up to here                 */
    bool is_announced;         /* others have been told that this node is up          */
    instant turning_since;     /* no lease is expired before this + heartbeat + grace */
    instant last_turn;
    instant swept_at, scanned_at;
    instant floor;      /* nothing due wakes before                            */
    instant clock_skip; /* slots due until then are missed(clock)              */
    int64_t reclaim_node, reclaim_after; /* 0: nothing to take back                   */
    bool reclaim_counts; /* there is history of that node to be counted:         */
    int64_t reclaim_stats, reclaim_until; /* from here to there                       */
    bool counts;                          /* own history is being counted,            */
    int64_t stats, stats_until;           /* from here to there                       */
    instant count_at;                     /* when that begins the next time           */
    int64_t uncounted;                    /* rows that were written since             */
    int64_t replan_after; /* INT64_MAX: nothing to plan anew                     */
    struct walk walks[PRUNE_TABLES];
    int64_t swept_turn; /* the turn of the last sweep                          */
    int requests;       /* keys of requests that were taken since              */
    int64_t queue_after[LANE_COUNT];
    uint64_t zones[ZONES_KNOWN]; /* prints of zones that table zones has */
    instant midnight_at;         /* when that table is asked; at the latest */
    int64_t audit;               /* the last entry's number, and the hash of its row */
    uint8_t audit_hash[SHA256_BYTES];
    int hot_count, watched_count;
    struct hot hot[HOT_MAX];
    struct watched watched[WATCHED_QUEUES_MAX]; /* by queue */
};

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
    struct memory memory;
    struct map *seat_map, *place_map, *gate_map, *queue_map; /* to indexes of the next four */
    VEC(struct seat *) seats;
    VEC(struct place *) places;
    VEC(struct gate_seat *) gates;
    VEC(struct poll_queue) queues;
    VEC(struct place *) fresh; /* became ready in this turn */
    VEC(struct event) events;
    VEC(struct work) calls;
    VEC(struct work) grants;
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
    struct due_slot *slots; /* room for ADVANCE_SLOTS_MAX, once it was needed */
    int64_t key_limit;      /* of key_ms, as the node's row has it    */
    int64_t reclaim_asked;  /* the node whose runs this turn has read */
    bool is_single;         /* nobody else writes during the transaction: cursors that this
                               node wrote last need not be read */
    bool trusts;            /* some run or cursor is as this node remembers it, unread */
    bool is_first;          /* of a boot: nothing is known of what is ready */
    bool made_ready, is_full, sweeps;
    instant retry_at; /* what another node held is asked for again */
    struct db_result node_row, due_rows, waking_rows, reclaim_rows, touch_rows, wake_row,
        run_wake_row, silent_rows, watched_rows, free_gates, stop_rows, others_row, zone_rows;
    struct db_result portions[PRUNE_TABLES];
    bool has_portion[PRUNE_TABLES]; /* was asked for in this turn */
    bool counts;                    /* likewise, rows of history that are to be counted, */
    struct stats_range count_range; /* of these                                          */
    struct db_result count_row;
};
