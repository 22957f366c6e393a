/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements of table stats.
 */
#include "store/stats.h"

#include "store/columns.h"
#include "store/sql_numbers.h"

#define MAKER SQL_KEY_NODE("history.id")
#define KEY   "day, namespace, schedule, queue, node"
#define KIND  SQL_RUN_KIND("bits")

#define COUNT_IF(condition)  "sum(CASE WHEN " condition " THEN 1 ELSE 0 END)"
#define SUM_IF(condition, x) "sum(CASE WHEN " condition " THEN " x " ELSE 0 END)"
#define MAX_IF(condition, x) "max(CASE WHEN " condition " THEN " x " ELSE 0 END)"

#define FAILURES  SQL_OUTCOME_FAILED ", " SQL_OUTCOME_TIMED_OUT ", " SQL_OUTCOME_UNKNOWN
#define SUCCEEDED "last = 1 AND outcome = " SQL_OUTCOME_SUCCEEDED
#define FAILED    "last = 1 AND outcome IN (" FAILURES ")"
#define TIMED     "last = 1 AND started_at > 0"
#define BEGUN     "attempt = 1 AND started_at > 0"
#define LATE      "attempt = 1 AND started_at > due"
#define DURATION  "ended_at - started_at"
#define LATENESS  "started_at - due"

/*
 * The totals: position in an answer, column, kind, and how it is computed from rows of history.
 * Two totals are combined by their sum (kind SUM) or their maximum (kind MAX).
 */
#define TOTALS(FIRST, NEXT)                            \
    FIRST(4, runs, SUM, "sum(last)")                   \
    NEXT(5, succeeded, SUM, COUNT_IF(SUCCEEDED))       \
    NEXT(6, failed, SUM, COUNT_IF(FAILED))             \
    NEXT(7, attempts, SUM, COUNT_IF("started_at > 0")) \
    NEXT(8, timed, SUM, COUNT_IF(TIMED))               \
    NEXT(9, duration, SUM, SUM_IF(TIMED, DURATION))    \
    NEXT(10, begun, SUM, COUNT_IF(BEGUN))              \
    NEXT(11, late, SUM, SUM_IF(LATE, LATENESS))        \
    NEXT(12, late_most, MAX, MAX_IF(LATE, LATENESS))   \
    NEXT(13, tokens, SUM, "sum(tokens)")               \
    NEXT(14, cost, SUM, "sum(cost)")

#define FIGURES                            SQL_NAMES(TOTALS)
#define COUNTS                             TOTALS(COUNT, NEXT_COUNT)
#define COUNT(n, column, kind, count)      count
#define NEXT_COUNT(n, column, kind, count) ", " count

#define IS_COUNTED KIND " <> " SQL_RUN_TEST
#define IS_DIRECT  KIND " = " SQL_RUN_DIRECT
#define SCHEDULE   "CASE WHEN " IS_DIRECT " THEN 0 ELSE schedule END"

/* Runs of agents without a schedule are stored separately, under schedule -1. */
#define DIALECT          "(SELECT dialect FROM schedules WHERE schedules.id = history.schedule)"
#define IS_AGENTS_DIRECT IS_DIRECT " AND " DIALECT " = " SQL_DIALECTS_AGENTS
#define STORED_SCHEDULE \
    "CASE WHEN " IS_AGENTS_DIRECT " THEN -1 WHEN " IS_DIRECT " THEN 0 ELSE schedule END"

#define MORE(n, column, kind, count)      MORE_##kind(#column)
#define NEXT_MORE(n, column, kind, count) ", " MORE_##kind(#column)
#define MORE_SUM(of)                      of " = stats." of " + excluded." of
#define MORE_MAX(of) \
    of " = CASE WHEN excluded." of " > stats." of " THEN excluded." of " ELSE stats." of " END"
#define ADD_TO " ON CONFLICT (" KEY ") DO UPDATE SET " TOTALS(MORE, NEXT_MORE)

#define ADD                                                                                  \
    "INSERT INTO stats (" KEY ", " FIGURES ") SELECT ended_at / " SQL_SPAN_DAY               \
    ", namespace, " STORED_SCHEDULE ", queue, $1, " COUNTS " FROM history WHERE " IS_COUNTED \
    " AND " MAKER " = $2"

static const struct db_stmt batch_end = {
    "SELECT id FROM (SELECT id FROM history WHERE id > $1 AND id <= $2 ORDER BY id LIMIT $3)"
    " AS batch ORDER BY id DESC LIMIT 1",
    "iii"};
static const struct db_stmt add = {
    ADD " AND id > $3 AND id <= $4 AND EXISTS (SELECT 1 FROM nodes WHERE nodes.id = $2"
        " AND nodes.stats = $4) GROUP BY 1, 2, 3, 4" ADD_TO,
    "iiii"};
static const struct db_stmt add_old = {
    ADD " AND history.schedule = $5 AND id > $3 AND id <= $4 AND id <= (SELECT id FROM history"
        " WHERE schedule = $5 ORDER BY id DESC LIMIT 1 OFFSET $6) GROUP BY 1, 2, 3, 4" ADD_TO,
    "iiiiii"};
static const struct db_stmt prune = {
    "DELETE FROM stats WHERE day < $1 AND (" KEY ") <= (SELECT " KEY " FROM (SELECT " KEY
    " FROM stats WHERE day < $1 ORDER BY " KEY " LIMIT $2) AS batch"
    " ORDER BY day DESC, namespace DESC, schedule DESC, queue DESC, node DESC LIMIT 1)",
    "ii"};

/* Rows already counted and rows not yet counted, of namespace $1 and days $2 to $3. */
#define COUNTED " FROM stats WHERE day >= $2 AND day <= $3 AND namespace = $1"
#define NOT_YET                                                                   \
    " FROM history WHERE id > coalesce((SELECT min(stats) FROM nodes"             \
    " WHERE state <> " SQL_NODE_DOWN "), 0)"                                      \
    " AND id > coalesce((SELECT stats FROM nodes WHERE nodes.id = " MAKER "), 0)" \
    " AND namespace = $1 AND " IS_COUNTED " AND ended_at >= $2 * " SQL_SPAN_DAY   \
    " AND ended_at < ($3 + 1) * " SQL_SPAN_DAY
#define ALL                                                                       \
    "(SELECT CASE WHEN schedule < 0 THEN 0 ELSE schedule END AS schedule, queue," \
    " " FIGURES COUNTED " UNION ALL SELECT " SCHEDULE ", queue, " COUNTS NOT_YET  \
    " GROUP BY 1, 2) AS figures"
#define AGENTS_DIRECT                                                        \
    "(SELECT queue, " FIGURES COUNTED " AND schedule = -1"                   \
    " UNION ALL SELECT queue, " COUNTS NOT_YET " AND (" IS_AGENTS_DIRECT ")" \
    " GROUP BY 1) AS figures"
#define TOTAL(n, column, kind, count) TOTAL_##kind(#column)
#define TOTAL_SUM(of)                 ", CAST(coalesce(sum(" of "), 0) AS bigint)"
#define TOTAL_MAX(of)                 ", CAST(coalesce(max(" of "), 0) AS bigint)"
#define ANSWER                        TOTALS(TOTAL, TOTAL)

static const struct db_stmt all_runs = {
    "SELECT CAST(0 AS bigint), NULL, NULL" ANSWER " FROM " ALL, "iii"};
static const struct db_stmt by_queue = {
    "SELECT queue, (SELECT name FROM queues WHERE queues.id = figures.queue), NULL" ANSWER
    " FROM " ALL " WHERE queue > $4 GROUP BY queue ORDER BY queue LIMIT $5",
    "iiiii"};
static const struct db_stmt agents_direct = {
    "SELECT queue, (SELECT name FROM queues WHERE queues.id = figures.queue), NULL" ANSWER
    " FROM " AGENTS_DIRECT " WHERE queue > $4 GROUP BY queue ORDER BY queue LIMIT $5",
    "iiiii"};
static const struct db_stmt by_schedule = {
    "SELECT schedule, (SELECT name FROM schedules WHERE schedules.id = figures.schedule),"
    " (SELECT extra FROM schedules WHERE schedules.id = figures.schedule)" ANSWER " FROM " ALL
    " WHERE schedule > $4 GROUP BY schedule ORDER BY schedule LIMIT $5",
    "iiiii"};

void stats_batch_end(struct db *db, const struct stats_range *range, int limit,
                     struct db_result *ret)
{
    db_send(db, &batch_end,
            (struct db_value[]){db_int(range->after), db_int(range->until), db_int(limit)},
            ret);
}

void stats_add(struct db *db, const struct stats_range *range, int64_t node)
{
    struct db_value params[] = {db_int(node), db_int(range->maker), db_int(range->after),
                                db_int(range->until)};

    db_send(db, &add, params, NULL);
}

void stats_add_old(struct db *db, const struct stats_range *range, int64_t schedule, int count)
{
    struct db_value params[] = {db_int(range->maker), db_int(range->maker),
                                db_int(range->after), db_int(range->until),
                                db_int(schedule),     db_int(count)};

    db_send(db, &add_old, params, NULL);
}

void stats_prune(struct db *db, int64_t day, int limit)
{
    db_send(db, &prune, (struct db_value[]){db_int(day), db_int(limit)}, NULL);
}

#define ADD_MEMBER(n, column, kind, count) to->column = ADD_##kind(to->column, more->column);
#define ADD_SUM(a, b)                      (a) + (b)
#define ADD_MAX(a, b)                      (a) > (b) ? (a) : (b)

void daily_stats_add(struct daily_stats *to, const struct daily_stats *more)
{
    TOTALS(ADD_MEMBER, ADD_MEMBER)
}

void stats_get(struct db *db, const struct stats_query *q, struct db_result *ret)
{
    const struct db_stmt *const statements[STATS_GROUPINGS] = {
        [STATS_ALL] = &all_runs,
        [STATS_BY_QUEUE] = &by_queue,
        [STATS_BY_SCHEDULE] = &by_schedule,
        [STATS_AGENTS_DIRECT] = &agents_direct,
    };
    struct db_value params[] = {db_int(q->namespace), db_int(q->from_day), db_int(q->until_day),
                                db_int(q->after), db_int(q->limit)};

    db_send(db, statements[q->by], params, ret);
}

#define READ_TOTAL(n, column, kind, count) .figures.column = db_int_at(result, row, n - 1),

void stats_read(const struct db_result *result, int row, struct stats_group *ret)
{
    *ret = (struct stats_group){.key = db_int_at(result, row, 0),
                                .name = text_or_empty(result, row, 1),
                                .extra = text_or_empty(result, row, 2),
                                TOTALS(READ_TOTAL, READ_TOTAL)};
}
