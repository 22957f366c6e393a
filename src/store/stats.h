/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table stats: what came of the runs of a schedule on a day (of UTC, by their ends), kept for
 * longer than history.  Made from it: each node counts the rows of history that it made, up to
 * nodes.stats, into rows of its own, so that nobody waits for anybody.  Whoever asks is told
 * what is counted and what is not yet.  Runs without a schedule are those of schedule 0; tests
 * are not counted.
 *
 * Statements are queued; see store/cursors.h.
 */
#pragma once

#include "base/instant.h"
#include "db/db.h"

enum { STATS_ROWS_MAX = 10000 }; /* groups of one answer */

/* Rows of history with keys after `after` up to `until` that node `maker` made. */
struct stats_range {
    int64_t maker, after, until;
};

/* The key that ends the next portion of `limit` rows: (id), no row when there is none left. */
void stats_portion(struct db *db, const struct stats_range *range, int limit,
                   struct db_result *ret);
/* Counts them into rows of `node`, if nodes_count() was successful just before. */
void stats_add(struct db *db, const struct stats_range *range, int64_t node);
/* The same for what history_keep() of `count` is going to delete. */
void stats_add_old(struct db *db, const struct stats_range *range, int64_t schedule, int count);
/* At most `limit` rows of days before `day`. */
void stats_prune(struct db *db, int64_t day, int limit);

/* What came of runs. */
struct daily_stats {
    int64_t runs, succeeded, failed; /* that ended; unknown and timed out ones have failed    */
    int64_t attempts;                /* that were begun                                       */
    int64_t timed;        /* runs that were begun, and how long their last attempts */
    span duration;        /* took together                                         */
    int64_t begun;        /* first attempts, how late they were together, and the  */
    span late, late_most; /* latest of them                                        */
    int64_t tokens, cost; /* cost in millionths of a dollar                        */
};
void daily_stats_add(struct daily_stats *to, const struct daily_stats *more);

enum stats_by {
    STATS_TOGETHER,
    STATS_BY_QUEUE,
    STATS_BY_SCHEDULE,
    STATS_ALONE, /* by queue, of the agents' API: runs without a schedule */
    STATS_BY_COUNT
};

struct stats_query {
    enum stats_by by;
    int64_t namespace;
    int64_t from_day, until_day; /* inclusive */
    int64_t after;               /* groups with keys after it, INT64_MIN: all */
    int limit;
};
/* Groups in order of their keys; together there is one, with or without runs. */
void stats_ask(struct db *db, const struct stats_query *question, struct db_result *ret);
struct stats_group {
    int64_t key;      /* of the schedule or queue; 0: none            */
    struct str name;  /* empty: it has none, or its name is forgotten */
    struct str extra; /* of a schedule: JSON, or empty                */
    struct daily_stats figures;
};
void stats_read(const struct db_result *result, int row, struct stats_group *ret);
