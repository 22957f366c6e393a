/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the engine remembers between turns.
 *
 * Internal to the engine.  A turn works on a copy; the copy replaces the engine's own once the
 * commit has succeeded.
 */
#pragma once

#include <stddef.h>
#include <string.h>

#include "base/instant.h"
#include "base/sha256.h"
#include "core/plan.h"
#include "store/nodes.h"

enum {
    SEARCH_QUEUES_MAX = 256,      /* queues that a turn searches for ready runs             */
    RESTRICTED_QUEUES_MAX = 1024, /* in memory; the rows of further ones are read each time */
    OPEN_READ_MAX = 4096,         /* open runs of a schedule that one turn reads            */
    ZONES_KNOWN = 64,             /* zones in memory; further ones are inserted again       */
    BATCH_ROWS = 256,             /* rows of slow work per turn                             */
};
#define PERIODIC_EVERY  SPAN_S
#define FULL_SCAN_EVERY (5 * SPAN_S)
#define ORPHANS_EVERY   SPAN_H          /* rows of nodes that never return can wait          */
#define POLL_AGAIN_MAX  (100 * SPAN_MS) /* a worker with short runs polls again in this time */
#define DUE_RECHECK     (20 * SPAN_MS)  /* between two checks whether workers have polled    */
#define DUE_WAIT_MAX    (500 * SPAN_MS) /* maximum time that due slots wait for such workers */
#define QUEUE_RETRY     (20 * SPAN_MS)  /* about the length of another node's turn           */
#define LOGS_AGE        (90 * SPAN_DAY) /* where history is kept by count, not by age        */

#define UNKNOWN_ZONE_RETRY SPAN_MIN /* until a schedule with such a zone is read again */

/* A queue that may have ready runs: claim.c searches it in each turn. */
struct search_queue {
    int64_t lane, queue;
};

/* A queue that is paused or has a limit, see restricted_queues.h. */
struct restricted_queue {
    int64_t queue;
    bool is_paused;
};

/* Tables that prune.c walks in order of keys. */
enum prune_table { PRUNE_HISTORY, PRUNE_LEDGER, PRUNE_LOGS, PRUNE_SCHEDULES, PRUNE_TABLES };

struct walk {
    bool is_running;          /* a pass is in progress                                      */
    int64_t after, until;     /* of a pass: the key that it has reached, and its last key   */
    int64_t examined;         /* of a pass: about how many rows it has examined             */
    instant start_at;         /* between passes: the next pass begins at this time, or when */
    int64_t start_after_rows; /* this many rows were written                                */
    int64_t written;          /* rows written since the last batch, or since the last pass  */
};

/* Counts rows of history and ledger into table days, see schedule_days.h. */
struct day_count_pass {
    int64_t maker;         /* the node that made the rows  */
    struct days_mark mark; /* as in the row of this node   */
    int64_t end;           /* the key at which it ends     */
    bool is_running;
};

struct engine_memory {
    int64_t turn, event;
    int64_t key_ms, key_count; /* the last key made                                        */
    bool has_others;           /* other nodes are up: they may end runs of this node       */
    int64_t others_activity;   /* changes with every turn of theirs, see nodes_others()    */
    int64_t others_counted_to; /* the history of all other nodes is counted up to this key */
    bool has_more_due;         /* the last scan found as many due schedules as it could    */
    bool all_claimed;     /* workers claimed all runs of that scan at once, see due.c         */
    instant granted_at;   /* when a worker was last given a run                               */
    bool is_node_up_sent; /* the event that this node is up was written                       */
    instant turning_since; /* turns have come without a long gap since then; no lease */
                           /* expires before this + heartbeat + grace                 */
    instant last_turn;
    instant periodic_at, scanned_at;
    instant orphans_at;       /* when rows of nodes that never return were last searched */
    instant floor;            /* no due cursor has an earlier wake_at                    */
    instant clock_skip;       /* slots due up to this time are missed(clock)             */
    int64_t reclaim_node;     /* the node whose runs this node takes over, 0: none       */
    instant reclaim_lease;    /* until then it is for this node alone; renewed each turn */
    int64_t reclaim_after;    /* the key of the last run that was taken over             */
    bool has_followed;        /* some of them only follow workflows: after all others,   */
    bool is_adopting;         /* a second pass adopts these                              */
    bool is_reclaim_counting; /* some history of reclaim_node is not counted yet:        */
    int64_t reclaim_counted_to, reclaim_until; /* the rows between these two keys  */
    bool is_counting;                /* a pass counts this node's own history:       */
    int64_t counted_to, count_until; /* the rows between these two keys              */
    instant count_at;                /* when the next pass begins                    */
    int64_t uncounted;               /* rows of history written since the last batch */
    struct day_count_pass days,
        other_days;       /* of this node's rows, and of those of reclaim_node */
    int64_t days_frozen;  /* rows of the ledger up to this key may be counted: never changed */
    instant days_at;      /* when the next pass of `days` begins                             */
    int64_t days_written; /* rows of history and ledger written since the last one began     */
    int64_t days_recent;  /* since the last batch                                            */
    int64_t replan_after; /* schedules after this key must be planned again; INT64_MAX: none */
    int64_t replan_pass;  /* the key of this pass, which no other pass of any node has       */
    struct walk walks[PRUNE_TABLES];
    int64_t periodic_turn;           /* the turn of the last periodic work            */
    int requests;                    /* idempotency keys inserted since that turn     */
    int64_t queue_after[LANE_COUNT]; /* where periodic_queues() continues             */
    uint64_t zones[ZONES_KNOWN];     /* fingerprints of rows that table zones has     */
    instant midnight_at;             /* when that table is read next, at the latest   */
    int64_t audit;                   /* number of the last entry, and hash of its row */
    uint8_t audit_hash[SHA256_BYTES];
    instant audit_pruned_at; /* when old rows of the audit were last deleted */
    int audit_rows;          /* rows inserted after that                     */
    int search_count, restricted_count;
    struct search_queue search_queues[SEARCH_QUEUES_MAX]; /* lists from here: copy_memory() */
    struct restricted_queue restricted[RESTRICTED_QUEUES_MAX]; /* by queue */
};
