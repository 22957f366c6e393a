/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What people are shown: rows with all that belongs to them, in one statement each.
 *
 * Nothing here locks; it is for connections that only read.  Each comment says what a
 * statement costs where there are a million schedules.  Statements are queued.
 */
#pragma once

#include "core/cursor.h"
#include "core/run.h"
#include "core/run_id.h"
#include "store/history.h"
#include "store/schedules.h"

enum {
    VIEW_SCAN_MAX = 5000, /* rows that one page looks at: some 10 ms                   */
    VIEW_MOVED_SCAN = 200 * 1000, /* ends since the first page that a later one looks at    */
    VIEW_ATTEMPTS_SCAN = 5000, /* attempts of a schedule among which those of a run are     */
    QUEUE_DEPTH_MAX = 10000,   /* ready runs that are counted: beyond it is "many"          */
    QUEUE_LISTED_DEPTH_MAX = 1000, /* likewise for each queue of a list: 1000 take a second  */
};

/* A schedule that is not deleted, with its cursor.  Two searches for each row. */
struct schedule_view {
    struct schedule_row row;
    struct cursor cursor;
};
void schedule_views_find(struct db *db, int64_t namespace, struct str name,
                         struct db_result *ret);
void schedule_views_get(struct db *db, int64_t id, struct db_result *ret);
void schedule_views_read(const struct db_result *result, int row, struct schedule_view *ret);

/* Beside a run, open or over: whose it is.  A direct run's schedule is named as the run. */
struct run_owner {
    int64_t namespace;
    struct str schedule, queue; /* names; queue is empty where it has none */
};

/*
 * A page of runs, newest first: of the `scan` rows before key `before` those that are wanted,
 * at most `limit`.  When there are fewer the next page begins before the key that views_end
 * tells, until it tells none: a namespace that does little is searched for page by page, each
 * at the same cost, with no further index that every start and end would have to write.
 */
struct view_page {
    int64_t namespace;
    int64_t schedule; /* 0: any; its open runs are all looked at, whatever `scan` is */
    int64_t queue;    /* 0: any                                                      */
    int64_t kind;     /* enum run_kind + 1; 0: any                                   */
    int64_t states;   /* bits 1 << enum run_state; 0: all; open ones                 */
    int64_t outcome;  /* enum outcome; 0: any; attempts                              */
    int64_t before;   /* INT64_MAX: from the newest                                  */
    int64_t since;    /* attempt_views_moved()                                       */
    int scan, limit;
    bool is_brief; /* of the others, not of attempt_views_moved()                     */
};

/*
 * A row that is brief is without the input of its run and its result, which may be large: a
 * thousand of them are some hundred kilobytes.  What the server has called itself is there,
 * for it may name a workflow; in a row that is bare there is nothing of the kind.
 */

struct run_view {
    struct run run;
    struct run_owner owner;
};
/* One search and two for its owner. */
void run_views_get(struct db *db, const struct run_id *id, struct db_result *ret);
/* Bare, the latest slot first, before the slot and pass of `before`: in order of an index. */
void run_views_of_schedule(struct db *db, const struct run_id *before, int limit,
                           struct db_result *ret);
void run_views_list(struct db *db, const struct view_page *page, struct db_result *ret);
void run_views_end(struct db *db, const struct view_page *page,
                   struct db_result *ret); /* (id) */
void run_views_read(const struct db_result *result, int row, struct run_view *ret);

/* An attempt that is over. */
struct attempt_view {
    struct history_row row;
    struct run_owner owner;
};
/*
 * The attempts of a run, the first first; the result of the last one alone.  Keys of history
 * are times of ends, and a run ends after its slot: they are looked for from there on, among
 * VIEW_ATTEMPTS_SCAN attempts of its schedule.  A trigger for a time to come ends before it:
 * `from` is then when it was made.
 */
void attempt_views_of_run(struct db *db, const struct run_id *id, instant from,
                          struct db_result *ret);
/* Bare, the latest end first, with key below `before`: in order of an index. */
void attempt_views_of_schedule(struct db *db, int64_t schedule, int64_t before, int limit,
                               struct db_result *ret);
void attempt_views_list(struct db *db, const struct view_page *page, struct db_result *ret);
void attempt_views_end(struct db *db, const struct view_page *page, struct db_result *ret);
/*
 * Of the runs that ended with key `since` or later those that had, while they were open, a key
 * below `before`; in the order of that key, which attempt_views_made() tells.
 */
void attempt_views_moved(struct db *db, const struct view_page *page, struct db_result *ret);
int64_t attempt_views_made(const struct db_result *result, int row);
/* By the key of its row. */
void attempt_views_get(struct db *db, int64_t id, struct db_result *ret);
void attempt_views_read(const struct db_result *result, int row, struct attempt_view *ret);

/*
 * How much is ready in a queue, counted up to `most`, and the earliest due of those:
 * what is claimed next, so that it is the oldest but for priorities.
 */
struct queue_depth {
    int64_t ready;
    instant oldest; /* INSTANT_NONE: nothing is */
};
void queue_depths_get(struct db *db, int64_t queue, int most, struct db_result *ret);
void queue_depths_read(const struct db_result *result, struct queue_depth *ret);

/* A few numbers of an attempt, for who looks at very many. */
struct attempt_mark {
    int64_t id, schedule, kind;
    enum outcome outcome;
    instant started_at, ended_at;
};
/* Those of all namespaces with keys from `least` to below `before`, newest end first. */
void attempt_marks_list(struct db *db, int64_t before, int64_t least, int limit,
                        struct db_result *ret);
void attempt_marks_read(const struct db_result *result, int row, struct attempt_mark *ret);
