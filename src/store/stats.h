/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table stats: totals of a schedule's runs per UTC day of their end, kept longer than history.
 *
 * They are computed from history: each node counts the rows of history that it made, up to
 * nodes.stats, into its own rows, so that no node waits for another.  A query adds the rows
 * that are not yet counted.  Runs without a schedule have schedule 0; test runs are not
 * counted.
 *
 * Statements are queued; see store/cursors.h.
 */
#pragma once

#include "base/instant.h"
#include "db/db.h"

enum { STATS_ROWS_MAX = 10000 }; /* maximum groups per answer */

/* Rows of history made by node `maker` with keys after `after` and up to `until`. */
struct stats_range {
    int64_t maker, after, until;
};

/*
 * (id) of the last key of the next batch in the range: `limit` rows, of all makers.  No row if
 * there are no more.
 */
void stats_batch_end(struct db *db, const struct stats_range *range, int limit,
                     struct db_result *ret);
/* Counts them into rows of `node`, provided that nodes_count() succeeded just before. */
void stats_add(struct db *db, const struct stats_range *range, int64_t node);
/* The same for the rows up to range->until that history_keep() with `count` will delete. */
void stats_add_old(struct db *db, const struct stats_range *range, int64_t schedule, int count);
/* Deletes at most `limit` rows of days before `day`. */
void stats_prune(struct db *db, int64_t day, int limit);

/* Totals of runs. */
struct daily_stats {
    /* that ended; unknown and timed out ones count as failed */
    int64_t runs, succeeded, failed;
    int64_t attempts;     /* that were started */
    int64_t timed;        /* ended runs whose last attempt was started */
    span duration;        /* total duration of these last attempts */
    int64_t begun;        /* first attempts that were started */
    span late, late_most; /* total and maximum lateness of these first attempts */
    int64_t tokens, cost; /* cost in millionths of a dollar */
};
void daily_stats_add(struct daily_stats *to, const struct daily_stats *more);

enum stats_by {
    STATS_ALL,
    STATS_BY_QUEUE,
    STATS_BY_SCHEDULE,
    STATS_AGENTS_DIRECT, /* by queue; only runs of the agents dialect without a schedule */
    STATS_GROUPINGS
};

struct stats_query {
    enum stats_by by;
    int64_t namespace;
    int64_t from_day, until_day; /* inclusive */
    int64_t after;               /* only groups with keys after this; INT64_MIN: all */
    int limit;
};
/* Groups by key; STATS_ALL is one group, with or without runs. */
void stats_get(struct db *db, const struct stats_query *query, struct db_result *ret);
struct stats_group {
    int64_t key;      /* of the schedule or queue; 0: none */
    struct str name;  /* empty: it has none, or it was deleted */
    struct str extra; /* of a schedule: JSON or empty */
    struct daily_stats figures;
};
void stats_read(const struct db_result *result, int row, struct stats_group *ret);
