/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows for display with all that belongs to them, in one statement each.
 *
 * Nothing here locks; it is for read-only connections.  Comments state what a statement costs
 * with a million schedules.  Statements are queued.
 */
#pragma once

#include "core/cursor.h"
#include "core/run.h"
#include "core/run_id.h"
#include "store/history.h"
#include "store/schedules.h"

enum {
    VIEW_SCAN_MAX = 5000,          /* rows that one page scans: about 10 ms */
    VIEW_ENDED_SCAN = 200 * 1000,  /* rows that attempt_views_ended_since() scans */
    VIEW_ATTEMPTS_SCAN = 5000,     /* attempts of a schedule that are searched for a run */
    VIEW_ATTEMPTS_MOST = 50000,    /* likewise, if it is not among those: about 100 ms */
    QUEUE_DEPTH_MAX = 10000,       /* ready runs are counted up to this */
    QUEUE_LISTED_DEPTH_MAX = 1000, /* likewise in lists: 1000 queues take a second */
};

/* A schedule that is not deleted, with its cursor.  Two index searches per row. */
struct schedule_view {
    struct schedule_row row;
    struct cursor cursor;
};
void schedule_views_find(struct db *db, int64_t namespace, struct str name,
                         struct db_result *ret);
void schedule_views_get(struct db *db, int64_t id, struct db_result *ret);
void schedule_views_read(const struct db_result *result, int row, struct schedule_view *ret);

/* The owner of an open or ended run.  A direct run's schedule has the name of the run. */
struct run_owner {
    int64_t namespace;
    struct str schedule, queue; /* names; queue is empty where it has none */
};

/*
 * A page of runs, newest first: the matching runs among the `scan` rows before key `before`, at
 * most `limit`.  If there are fewer, the next page begins before the key that run_views_end()
 * or attempt_views_end() returns, until it returns no row.  A namespace with few runs is thus
 * searched page by page, each at the same cost, without another index that every start and end
 * would have to write.
 */
struct view_page {
    int64_t namespace;
    int64_t schedule; /* 0: any; all its open runs are scanned, regardless of `scan` */
    int64_t queue;    /* 0: any */
    int64_t kind;     /* enum run_kind + 1; 0: any */
    int64_t states;   /* open runs: bits 1 << enum run_state; 0: all */
    int64_t outcome;  /* attempts: enum outcome; 0: any */
    int64_t before;   /* INT64_MAX: from the newest */
    int64_t since;    /* for attempt_views_ended_since() */
    int scan, limit;
    bool is_brief; /* not for attempt_views_ended_since() */
};

/*
 * A brief row omits the run's input and result, which may be large: a thousand brief rows are a
 * few hundred kilobytes.  It includes progress and result of the server's own dispatches,
 * because they may name a workflow.  A bare row omits these too.
 */

struct run_view {
    struct run run;
    struct run_owner owner;
};
/* One index search, and two for the owner. */
void run_views_get(struct db *db, const struct run_id *id, struct db_result *ret);
/* Bare, latest slot first, before the slot and pass of `before`; in index order. */
void run_views_of_schedule(struct db *db, const struct run_id *before, int limit,
                           struct db_result *ret);
void run_views_list(struct db *db, const struct view_page *page, struct db_result *ret);
void run_views_end(struct db *db, const struct view_page *page,
                   struct db_result *ret); /* (id) */
void run_views_read(const struct db_result *result, int row, struct run_view *ret);

/*
 * Without tests: the open runs of a schedule that have begun, brief, latest slot first, and the
 * last ends, with the start of a dispatch's result: enough for the ids of its workflow.
 */
void run_views_recent(struct db *db, int64_t schedule, int open_max, int ended_max,
                      struct db_result *ret_open, struct db_result *ret_ended);

/* An ended attempt. */
struct attempt_view {
    struct history_row row;
    struct run_owner owner;
};
/*
 * The attempts of a run, the first one first; only the last has its result.  Triggers and
 * backfills have an index.  For the run of a slot, the search covers the first `scan` attempts
 * of the schedule that ended at or after `from`: its slot, because it ends after that, or the
 * time of its creation.
 */
void attempt_views_of_run(struct db *db, const struct run_id *id, instant from, int scan,
                          struct db_result *ret);
/* Bare: the last attempts of triggers and backfills that did not succeed, latest end first. */
struct failed_page {
    int64_t schedule, least, before; /* the keys: before is exclusive  */
    instant from, until;             /* their slots: until is exclusive */
    int limit;
};
void attempt_views_failed(struct db *db, const struct failed_page *page, struct db_result *ret);
/* Bare, latest end first, with key below `before`; in index order. */
void attempt_views_of_schedule(struct db *db, int64_t schedule, int64_t before, int limit,
                               struct db_result *ret);
/*
 * (ended_at) of the first of the last `failures` failed runs, which must be at least 1.  No row
 * if it is not among the last VIEW_ATTEMPTS_SCAN attempts of the schedule or no longer kept.
 */
void attempt_views_failing_since(struct db *db, int64_t schedule, int64_t failures,
                                 struct db_result *ret);
void attempt_views_list(struct db *db, const struct view_page *page, struct db_result *ret);
void attempt_views_end(struct db *db, const struct view_page *page, struct db_result *ret);
/*
 * Runs that have ended since the first page was read: their row in history has a key from
 * `since` on, and the row that they had while open had a key below `before`.  Ordered by the
 * latter key, which attempt_views_run_key() returns.
 */
void attempt_views_ended_since(struct db *db, const struct view_page *page,
                               struct db_result *ret);
int64_t attempt_views_run_key(const struct db_result *result, int row);
/* By the key of its row. */
void attempt_views_get(struct db *db, int64_t id, struct db_result *ret);
void attempt_views_read(const struct db_result *result, int row, struct attempt_view *ret);

/* The ready runs of a queue, up to `most` in claim order, and their earliest due time. */
struct queue_depth {
    int64_t ready;
    instant oldest; /* INSTANT_NONE: no ready run */
};
void queue_depths_get(struct db *db, int64_t queue, int most, struct db_result *ret);
void queue_depths_read(const struct db_result *result, struct queue_depth *ret);

/* A few numbers of an attempt, for callers that scan very many. */
struct attempt_mark {
    int64_t id, schedule, kind;
    enum outcome outcome;
    instant started_at, ended_at;
};
/* Attempts of all namespaces with keys from `least` to below `before`, newest end first. */
void attempt_marks_list(struct db *db, int64_t before, int64_t least, int limit,
                        struct db_result *ret);
void attempt_marks_read(const struct db_result *result, int row, struct attempt_mark *ret);
