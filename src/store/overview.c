/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements of the overview.  A part of a table is read in a subquery with a limit, so that
 * the namespace is looked up only for the few rows that matter.
 */
#include "store/overview.h"

#include "store/sql_numbers.h"
#include "store/text.h"

enum {
    FAILURE_SCAN = 100, /* attempts of a schedule that are searched for the last one */
};

/* A row is extended only with slots of the same local day: at most 26 hours. */
#define LEDGER_REACH (SPAN_DAY + 2 * SPAN_H)

#define NAMESPACE "(SELECT namespace FROM schedules WHERE schedules.id = batch.schedule)"

#define OPEN_RUNS(columns) "(SELECT " columns " FROM runs ORDER BY id LIMIT $2) AS batch"
#define COUNT_RUNS(states) \
    ", count(CASE WHEN state IN (" states ") AND " NAMESPACE " = $1 THEN 1 END)"
#define FAILURES SQL_OUTCOME_FAILED ", " SQL_OUTCOME_TIMED_OUT ", " SQL_OUTCOME_UNKNOWN

static const struct db_stmt runs = {"SELECT count(*)" COUNT_RUNS(SQL_RUN_CLAIMED) COUNT_RUNS(
                                        SQL_RUN_APPROVAL) " FROM " OPEN_RUNS("schedule, state"),
                                    "ii"};
static const struct db_stmt approvals = {
    "SELECT schedule, (SELECT name FROM schedules WHERE schedules.id = batch.schedule),"
    " count(*), min(created_at) FROM " OPEN_RUNS(
        "schedule, state, created_at") " WHERE state = " SQL_RUN_APPROVAL " AND " NAMESPACE
                                       " = $1 GROUP BY schedule ORDER BY 4, 1 LIMIT $3",
    "iii"};
static const struct db_stmt queues = {
    "SELECT queues.id, queues.name, queues.paused, queues.polled_at, waiting, oldest FROM"
    " (SELECT queue, count(*) AS waiting, min(due) AS oldest FROM"
    " (SELECT queue, due FROM runs WHERE state = " SQL_RUN_READY " AND lane = " SQL_LANE_PULL
    " ORDER BY lane, queue, rank, id LIMIT $4) AS ready GROUP BY queue) AS batch"
    " JOIN queues ON queues.id = batch.queue WHERE queues.namespace = $1 AND oldest <= $2"
    " ORDER BY oldest, queues.id LIMIT $3",
    "iiii"};
static const struct db_stmt failed = {
    "SELECT count(*), count(CASE WHEN namespace = $1 AND last = 1 AND outcome IN (" FAILURES
    ") AND " SQL_RUN_KIND("bits") " <> " SQL_RUN_TEST
                                  " AND ended_at >= $3 THEN 1 END) FROM (SELECT"
                                  " namespace, last, outcome, bits, ended_at FROM history"
                                  " WHERE id >= $2 ORDER BY id LIMIT $4) AS batch",
    "iiii"};
static const struct db_stmt missed = {
    "SELECT count(*), count(DISTINCT CASE WHEN outcome = " SQL_OUTCOME_MISSED
    " AND reason IN (" SQL_REASONS_MISSED ") AND last >= $3 AND " NAMESPACE
    " = $1 THEN schedule END) FROM (SELECT schedule, outcome, reason, last FROM ledger"
    " WHERE id >= $2 ORDER BY id LIMIT $4) AS batch",
    "iiii"};
static const struct db_stmt last_failure = {
    "SELECT outcome, reason, error FROM (SELECT id, last, outcome, reason, bits, error FROM"
    " history WHERE schedule = $1 ORDER BY id DESC LIMIT $2) AS batch WHERE last = 1"
    " AND outcome IN (" FAILURES ") AND " SQL_RUN_KIND("bits") " <> " SQL_RUN_TEST
                                                               " ORDER BY id DESC LIMIT 1",
    "ii"};
static const struct db_stmt last_slots = {
    "SELECT first, last, count, outcome, reason FROM ledger WHERE schedule = $1 AND pass = 0"
    " ORDER BY first DESC LIMIT 1",
    "i"};

void overview_runs(struct db *db, int64_t namespace, struct db_result *ret)
{
    db_send(db, &runs, (struct db_value[]){db_int(namespace), db_int(OVERVIEW_RUNS_MAX)}, ret);
}

void overview_approvals(struct db *db, int64_t namespace, int limit, struct db_result *ret)
{
    struct db_value params[] = {db_int(namespace), db_int(OVERVIEW_RUNS_MAX), db_int(limit)};

    db_send(db, &approvals, params, ret);
}

void overview_queues(struct db *db, int64_t namespace, instant since, int limit,
                     struct db_result *ret)
{
    struct db_value params[] = {db_int(namespace), db_int(since), db_int(limit),
                                db_int(OVERVIEW_RUNS_MAX)};

    db_send(db, &queues, params, ret);
}

void overview_failed(struct db *db, int64_t namespace, instant since, struct db_result *ret)
{
    struct db_value params[] = {db_int(namespace), db_int(key_of(since)), db_int(since),
                                db_int(OVERVIEW_ENDS_MAX)};

    db_send(db, &failed, params, ret);
}

void overview_missed(struct db *db, int64_t namespace, instant since, struct db_result *ret)
{
    struct db_value params[] = {db_int(namespace), db_int(key_of(since - LEDGER_REACH)),
                                db_int(since), db_int(OVERVIEW_LEDGER_MAX)};

    db_send(db, &missed, params, ret);
}

void overview_last_failure(struct db *db, int64_t schedule, struct db_result *ret)
{
    db_send(db, &last_failure, (struct db_value[]){db_int(schedule), db_int(FAILURE_SCAN)},
            ret);
}

void overview_last_failure_read(const struct db_result *result, struct overview_failure *ret)
{
    *ret = (struct overview_failure){
        .outcome = (enum outcome)db_int_at(result, 0, 0),
        .reason = (enum reason)db_int_at(result, 0, 1),
        .error = text_or_empty(result, 0, 2),
    };
}

void overview_last_slots(struct db *db, int64_t schedule, struct db_result *ret)
{
    db_send(db, &last_slots, (struct db_value[]){db_int(schedule)}, ret);
}
