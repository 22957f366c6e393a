/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table days: what became of the slots of each day, see core/day_sums.h.  A subject is a
 * schedule, a queue, or a namespace for its runs without a queue.  Days are those of the zone
 * that the schedule had when the row of history or ledger was written.
 *
 * Each node counts the rows of history and ledger that it made into rows of its own, up to
 * struct days_mark, so that no node waits for another.  Rows of the ledger count for their
 * schedule only; test runs are not counted.
 *
 * Statements are queued; see store/cursors.h.
 */
#pragma once

#include "core/day_sums.h"
#include "db/db.h"
#include "store/history.h"
#include "store/nodes.h"

enum {
    DAYS_KEPT = 800, /* per subject: two years, and some days of a third            */
    DAYS_SPREAD_MAX =
        DAYS_KEPT,     /* days over which one row of the ledger is spread             */
    DAYS_SUBJECTS = 2, /* of one row: the schedule, and the queue or namespace        */
    DAYS_SCAN = 5000,  /* uncounted rows of a schedule that a query reads, per table  */
};

/* Rows of history and ledger, of all nodes, with keys after `after` and up to `until`. */
struct days_range {
    int64_t after, until;
};
void days_history(struct db *db, const struct days_range *range, int limit,
                  struct db_result *ret);
void days_ledger(struct db *db, const struct days_range *range, int limit,
                 struct db_result *ret);

/* The key of a row of such an answer. */
int64_t days_key(const struct db_result *result, int row);
/* The samples of a row of history: as many as returned, at most DAYS_SUBJECTS. */
int days_history_read(const struct db_result *result, int row,
                      struct day_sample ret[static DAYS_SUBJECTS]);
/* The number of samples of a row of the ledger. */
int64_t days_ledger_count(const struct db_result *result, int row);
/*
 * The samples of a row of the ledger are those from 0 on: part `i` of its slots.  False: there
 * is none, or part `i` would be too old: with more days, only the newest are kept.
 */
bool days_ledger_read(const struct db_result *result, int row, int64_t i,
                      struct day_sample *ret);

/* (body) of a row of this node. */
struct day_key {
    int64_t subject, day, node;
};
void days_find(struct db *db, const struct day_key *key, struct db_result *ret);
/* Inserts or replaces it, provided that the marks of node `maker` are `mark`. */
void days_put(struct db *db, const struct day_key *key, struct str body, int64_t maker,
              const struct days_mark *mark);
/*
 * Copies the rows after the key done->until that history_keep() is about to delete, so that
 * they can still be counted.
 */
void days_leave(struct db *db, int64_t schedule, int count, const struct counted_rows *done);
/* Deletes the copies of rows of node `maker` in a range that is counted. */
void days_forget(struct db *db, int64_t maker, const struct days_range *range);
/* Deletes the days of a subject before `day`. */
void days_prune(struct db *db, int64_t subject, int64_t day);

/* ---- queries ---- */

/* Rows of table days from day `from` to day `until`, by subject and day. */
struct days_query {
    int64_t subject;   /* of days_of()                              */
    int64_t namespace; /* of the others                             */
    struct str label;  /* of days_of_schedules(): a part of the labels' JSON; or empty */
    int64_t from, until;
    int limit;
};
void days_of(struct db *db, const struct days_query *query, struct db_result *ret);
/* Of all queues of the namespace, and of its runs without a queue: their subject is its key. */
void days_of_queues(struct db *db, const struct days_query *query, struct db_result *ret);
void days_of_schedules(struct db *db, const struct days_query *query, struct db_result *ret);
struct day_row {
    int64_t subject, day;
    struct str body;
    struct str name; /* of the queue or schedule, or empty; days_of() has none */
};
void days_read(const struct db_result *result, int row, struct day_row *ret);
/* Rows of history and ledger of a schedule that are not counted yet, at most DAYS_SCAN each. */
void days_uncounted(struct db *db, int64_t schedule, struct db_result *ret_history,
                    struct db_result *ret_ledger);
/* (key) up to which the rows of all nodes that are not down are counted. */
void days_counted(struct db *db, struct db_result *ret);
