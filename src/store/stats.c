/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements of table stats.
 */
#include "store/stats.h"

#include "store/sql_numbers.h"
#include "store/text.h"

#define MAKER SQL_KEY_NODE("history.id")
#define KEY   "day, namespace, schedule, queue, node"
#define KIND  SQL_RUN_KIND("bits")

#define FIGURES                                                        \
    "runs, succeeded, failed, attempts, timed, duration, begun, late," \
    " late_most, tokens, cost"

#define ONE(condition)    " sum(CASE WHEN " condition " THEN 1 ELSE 0 END)"
#define SUM(condition, x) " sum(CASE WHEN " condition " THEN " x " ELSE 0 END)"
#define MAX(condition, x) " max(CASE WHEN " condition " THEN " x " ELSE 0 END)"

#define FAILURES  SQL_OUTCOME_FAILED ", " SQL_OUTCOME_TIMED_OUT ", " SQL_OUTCOME_UNKNOWN
#define SUCCEEDED "last = 1 AND outcome = " SQL_OUTCOME_SUCCEEDED
#define FAILED    "last = 1 AND outcome IN (" FAILURES ")"
#define TIMED     "last = 1 AND started_at > 0"
#define BEGUN     "attempt = 1 AND started_at > 0"
#define LATE      "attempt = 1 AND started_at > due"
#define DURATION  "ended_at - started_at"
#define LATENESS  "started_at - due"

/* The totals of some rows of history. */
#define ENDS     " sum(last)," ONE(SUCCEEDED) "," ONE(FAILED) "," ONE("started_at > 0")
#define LENGTHS  ONE(TIMED) "," SUM(TIMED, DURATION)
#define DELAYS   ONE(BEGUN) "," SUM(LATE, LATENESS) "," MAX(LATE, LATENESS)
#define COUNTS   ENDS "," LENGTHS "," DELAYS ", sum(tokens), sum(cost)"
#define SCHEDULE "CASE WHEN " IS_DIRECT " THEN 0 ELSE schedule END"

/* Runs of agents without a schedule are stored separately, under schedule -1. */
#define DIALECT    "(SELECT dialect FROM schedules WHERE schedules.id = history.schedule)"
#define IS_COUNTED KIND " <> " SQL_RUN_TEST
#define IS_DIRECT  KIND " = " SQL_RUN_DIRECT
#define IS_ALONE   IS_DIRECT " AND " DIALECT " = " SQL_DIALECTS_AGENTS
#define KEPT_AS    "CASE WHEN " IS_ALONE " THEN -1 WHEN " IS_DIRECT " THEN 0 ELSE schedule END"

#define MORE(of)  " " of " = stats." of " + excluded." of ","
#define MORE_ENDS MORE("runs") MORE("succeeded") MORE("failed") MORE("attempts")
#define MORE_TIME MORE("timed") MORE("duration") MORE("begun") MORE("late")
#define MORE_ALL  MORE_ENDS MORE_TIME MORE("tokens") MORE("cost")
#define ADD_TO                                                    \
    " ON CONFLICT (" KEY ") DO UPDATE SET" MORE_ALL               \
    " late_most = CASE WHEN excluded.late_most > stats.late_most" \
    " THEN excluded.late_most ELSE stats.late_most END"

#define ADD                                                                          \
    "INSERT INTO stats (" KEY ", " FIGURES ") SELECT ended_at / " SQL_SPAN_DAY       \
    ", namespace, " KEPT_AS ", queue, $1, " COUNTS " FROM history WHERE " IS_COUNTED \
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
#define ALONE                                                        \
    "(SELECT queue, " FIGURES COUNTED " AND schedule = -1"           \
    " UNION ALL SELECT queue, " COUNTS NOT_YET " AND (" IS_ALONE ")" \
    " GROUP BY 1) AS figures"
#define TOTAL(of) ", CAST(coalesce(sum(" of "), 0) AS bigint)"
#define MOST(of)  ", CAST(coalesce(max(" of "), 0) AS bigint)"
#define ENDED     TOTAL("runs") TOTAL("succeeded") TOTAL("failed") TOTAL("attempts")
#define TOOK      TOTAL("timed") TOTAL("duration") TOTAL("begun") TOTAL("late")
#define TOTALS    ENDED TOOK MOST("late_most") TOTAL("tokens") TOTAL("cost")

static const struct db_stmt together = {
    "SELECT CAST(0 AS bigint), NULL, NULL" TOTALS " FROM " ALL, "iii"};
static const struct db_stmt by_queue = {
    "SELECT queue, (SELECT name FROM queues WHERE queues.id = figures.queue), NULL" TOTALS
    " FROM " ALL " WHERE queue > $4 GROUP BY queue ORDER BY queue LIMIT $5",
    "iiiii"};
static const struct db_stmt alone = {
    "SELECT queue, (SELECT name FROM queues WHERE queues.id = figures.queue), NULL" TOTALS
    " FROM " ALONE " WHERE queue > $4 GROUP BY queue ORDER BY queue LIMIT $5",
    "iiiii"};
static const struct db_stmt by_schedule = {
    "SELECT schedule, (SELECT name FROM schedules WHERE schedules.id = figures.schedule),"
    " (SELECT extra FROM schedules WHERE schedules.id = figures.schedule)" TOTALS " FROM " ALL
    " WHERE schedule > $4 GROUP BY schedule ORDER BY schedule LIMIT $5",
    "iiiii"};

void stats_portion(struct db *db, const struct stats_range *range, int limit,
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

void daily_stats_add(struct daily_stats *to, const struct daily_stats *more)
{
    to->runs += more->runs;
    to->succeeded += more->succeeded;
    to->failed += more->failed;
    to->attempts += more->attempts;
    to->timed += more->timed;
    to->duration += more->duration;
    to->begun += more->begun;
    to->late += more->late;
    to->late_most = more->late_most > to->late_most ? more->late_most : to->late_most;
    to->tokens += more->tokens;
    to->cost += more->cost;
}

void stats_ask(struct db *db, const struct stats_query *q, struct db_result *ret)
{
    const struct db_stmt *const statements[STATS_BY_COUNT] = {
        [STATS_TOGETHER] = &together,
        [STATS_BY_QUEUE] = &by_queue,
        [STATS_BY_SCHEDULE] = &by_schedule,
        [STATS_ALONE] = &alone,
    };
    struct db_value params[] = {db_int(q->namespace), db_int(q->from_day), db_int(q->until_day),
                                db_int(q->after), db_int(q->limit)};

    db_send(db, statements[q->by], params, ret);
}

void stats_read(const struct db_result *result, int row, struct stats_group *ret)
{
    *ret = (struct stats_group){
        .key = db_int_at(result, row, 0),
        .name = text_or_empty(result, row, 1),
        .extra = text_or_empty(result, row, 2),
        .figures =
            {
                .runs = db_int_at(result, row, 3),
                .succeeded = db_int_at(result, row, 4),
                .failed = db_int_at(result, row, 5),
                .attempts = db_int_at(result, row, 6),
                .timed = db_int_at(result, row, 7),
                .duration = db_int_at(result, row, 8),
                .begun = db_int_at(result, row, 9),
                .late = db_int_at(result, row, 10),
                .late_most = db_int_at(result, row, 11),
                .tokens = db_int_at(result, row, 12),
                .cost = db_int_at(result, row, 13),
            },
    };
}
