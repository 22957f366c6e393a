/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the engine remembers between turns.
 *
 * Internal to the engine.  A turn works on a copy of it, which replaces the engine's once the
 * commit is known.
 */
#pragma once

#include <stddef.h>
#include <string.h>

#include "base/instant.h"
#include "base/sha256.h"
#include "core/plan.h"

enum {
    HOT_MAX = 256,                /* queues that are known to have something ready        */
    RESTRICTED_QUEUES_MAX = 1024, /* remembered; of further ones the rows are asked      */
    OPEN_READ_MAX = 4096,         /* open runs of a schedule that one turn looks at       */
    ZONES_KNOWN = 64,             /* of namespaces: more are asked for again              */
    BATCH_ROWS = 256,             /* rows of slow work in one turn                        */
};
#define PERIODIC_EVERY  SPAN_S
#define FULL_SCAN_EVERY (5 * SPAN_S)
#define LEFT_EVERY      SPAN_H /* what nodes left behind that do not return is in no hurry */
#define BACK_SOON       (100 * SPAN_MS) /* a worker with short runs, with the next question */
#define DUE_PAUSE       (20 * SPAN_MS)  /* until it is looked whether they are              */
#define DUE_PATIENCE    (500 * SPAN_MS) /* that what is due waits for them, at most         */
#define QUEUE_RETRY     (20 * SPAN_MS)  /* about what a turn of another node takes */
#define LOGS_AGE        (90 * SPAN_DAY) /* where history is kept by count, not by age */

struct hot {
    int64_t lane, queue;
};

/* A queue that is paused or has a limit, see watch.h. */
struct restricted_queue {
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

struct engine_memory {
    int64_t turn, event;
    int64_t key_ms, key_count; /* the last key made                                   */
    bool has_others;           /* other nodes are up: they may end what this one runs */
    int64_t others_sum;        /* of all that they did, see nodes_others()            */
    int64_t others_stats;      /* their history is counted up to here                 */
    bool is_more;              /* due than the last scan was to find                  */
    bool is_taken;             /* all that it found, at once, by workers: see due.c   */
    instant granted_at;        /* something was last given to a worker                */
    bool is_announced;         /* others have been told that this node is up          */
    instant turning_since;     /* no lease is expired before this + heartbeat + grace */
    instant last_turn;
    instant periodic_at, scanned_at;
    instant left_at;    /* what nodes have left behind was looked for          */
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
    int64_t periodic_turn; /* the turn of the last sweep                          */
    int requests;          /* keys of requests that were taken since              */
    int64_t queue_after[LANE_COUNT];
    uint64_t zones[ZONES_KNOWN]; /* prints of zones that table zones has */
    instant midnight_at;         /* when that table is asked; at the latest */
    int64_t audit;               /* the last entry's number, and the hash of its row */
    uint8_t audit_hash[SHA256_BYTES];
    instant audit_pruned_at; /* old rows of the audit were last deleted, */
    int audit_rows;          /* and so many have come since             */
    int hot_count, restricted_count;
    struct hot hot[HOT_MAX]; /* here and behind it are lists, see engine_memory_copy() */
    struct restricted_queue restricted[RESTRICTED_QUEUES_MAX]; /* by queue */
};

/* Of the lists only what is in them: mostly that is little. */
static inline void engine_memory_copy(struct engine_memory *to,
                                      const struct engine_memory *from)
{
    memcpy(to, from, offsetof(struct engine_memory, hot));
    memcpy(to->hot, from->hot, (size_t)from->hot_count * sizeof from->hot[0]);
    memcpy(to->restricted, from->restricted,
           (size_t)from->restricted_count * sizeof from->restricted[0]);
}
