/* SPDX-License-Identifier: Apache-2.0 */
/* Bounded counting queries. */
#include "store/gauges.h"

#include "store/sql_numbers.h"

static const struct db_stmt schedules = {
    "SELECT count(*) FROM (SELECT id FROM cursors LIMIT $1) AS batch", "i"};
static const struct db_stmt bytes = {"SELECT {bytes}", NULL};
static const struct db_stmt due = {
    "SELECT count(*), min(wake_at) FROM (SELECT wake_at FROM cursors WHERE wake_at <= $1"
    " ORDER BY wake_at, id LIMIT $2) AS batch",
    "ii"};
static const struct db_stmt runs = {
    "SELECT state, lane, count(*), min(due) FROM (SELECT state, lane, due FROM runs ORDER BY id"
    " LIMIT $1) AS batch GROUP BY state, lane ORDER BY state, lane",
    "i"};
static const struct db_stmt calls = {
    "SELECT node, count(*) FROM (SELECT node, state FROM runs ORDER BY id LIMIT $1) AS batch"
    " WHERE node > 0 AND state IN (" SQL_RUN_CLAIMED ") GROUP BY node ORDER BY node",
    "i"};
static const struct db_stmt name = {
    "SELECT (SELECT name FROM namespaces WHERE namespaces.id = schedules.namespace), name"
    " FROM schedules WHERE id = $1",
    "i"};

void gauges_schedules(struct db *db, struct db_result *ret)
{
    db_send(db, &schedules, (struct db_value[]){db_int(GAUGE_SCHEDULES_MAX)}, ret);
}

void gauges_bytes(struct db *db, struct db_result *ret)
{
    db_send(db, &bytes, NULL, ret);
}

void gauges_due(struct db *db, instant now, struct db_result *ret)
{
    db_send(db, &due, (struct db_value[]){db_int(now), db_int(GAUGE_SCHEDULES_MAX)}, ret);
}

void gauges_runs(struct db *db, struct db_result *ret)
{
    db_send(db, &runs, (struct db_value[]){db_int(GAUGE_RUNS_MAX)}, ret);
}

void gauges_calls(struct db *db, struct db_result *ret)
{
    db_send(db, &calls, (struct db_value[]){db_int(GAUGE_RUNS_MAX)}, ret);
}

void gauges_name(struct db *db, int64_t schedule, struct db_result *ret)
{
    db_send(db, &name, (struct db_value[]){db_int(schedule)}, ret);
}
