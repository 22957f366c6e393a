/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The statements of `belfry check` that both databases understand.
 */
#include "store/check/check_rows.h"

#include "store/sql_numbers.h"
#include "store/view_columns.h"

#define RUN     SQL_NAMES(RUN_CHECK)
#define ATTEMPT SQL_NAMES(HISTORY_CHECK)

static const struct db_stmt schedules = {
    "SELECT " SCHEDULE SCHEDULE_FROM "s.id > $1 ORDER BY s.id LIMIT $2", "ii"};
static const struct db_stmt schedule_count = {"SELECT count(*) FROM schedules", NULL};
static const struct db_stmt runs = {"SELECT " RUN
                                    " FROM runs WHERE schedule = $1 AND (slot, pass) > ($2, $3)"
                                    " ORDER BY slot, pass LIMIT $4",
                                    "iiii"};
static const struct db_stmt history = {
    "SELECT " ATTEMPT " FROM history WHERE schedule = $1 AND id < $2 ORDER BY id DESC LIMIT $3",
    "iii"};
static const struct db_stmt ledger = {
    "SELECT first, last, count, outcome, reason, pass, id FROM ledger WHERE schedule = $1"
    " AND id > $2 ORDER BY id LIMIT $3",
    "iii"};
static const struct db_stmt backfills = {"SELECT count(*) FROM backfills WHERE schedule = $1"
                                         " AND stage < " SQL_BACKFILL_ENDED,
                                         "i"};
static const struct db_stmt gates = {
    "SELECT g.name, g.open, g.waiting, coalesce(r.claimed, 0), coalesce(r.gated, 0)"
    " FROM gates AS g LEFT JOIN (SELECT gate,"
    " count(CASE WHEN state IN (" SQL_RUN_CLAIMED ") THEN 1 END) AS claimed,"
    " count(CASE WHEN state = " SQL_RUN_GATED " THEN 1 END) AS gated"
    " FROM runs WHERE gate > 0 GROUP BY gate)"
    " AS r ON r.gate = g.id WHERE g.open <> coalesce(r.claimed, 0)"
    " OR g.waiting <> coalesce(r.gated, 0) ORDER BY g.id LIMIT 100",
    NULL};
static const struct db_stmt calendars = {
    "SELECT id, name, days FROM calendars WHERE id > $1 ORDER BY id LIMIT $2", "ii"};

#define END(table)                                                                          \
    "SELECT id FROM (SELECT id FROM " table " WHERE id > $1 ORDER BY id LIMIT $2) AS batch" \
    " ORDER BY id DESC LIMIT 1"
#define WITHOUT(table, what, missing)                                            \
    "SELECT id, " what " FROM " table " WHERE id > $1 AND id <= $2 AND " missing \
    " ORDER BY id LIMIT 20"
#define NO_SCHEDULE(column) \
    "NOT EXISTS (SELECT 1 FROM schedules WHERE schedules.id = " column ")"

static const struct {
    const char *text;
    struct db_stmt end, find;
} orphans[ORPHANS_COUNT] = {
    [ORPHANS_CURSORS] = {"a cursor has no schedule",
                         {END("cursors"), "ii"},
                         {WITHOUT("cursors", "id", NO_SCHEDULE("cursors.id")), "ii"}},
    [ORPHANS_SCHEDULES] = {"a schedule has no cursor",
                           {END("schedules"), "ii"},
                           {WITHOUT("schedules", "id",
                                    "deleted_at = 0 AND NOT EXISTS (SELECT 1 FROM cursors"
                                    " WHERE cursors.id = schedules.id)"),
                            "ii"}},
    [ORPHANS_RUNS] = {"an open run has no schedule",
                      {END("runs"), "ii"},
                      {WITHOUT("runs", "schedule", NO_SCHEDULE("runs.schedule")), "ii"}},
    [ORPHANS_HISTORY] = {"an attempt in history has no schedule",
                         {END("history"), "ii"},
                         {WITHOUT("history", "schedule", NO_SCHEDULE("history.schedule")),
                          "ii"}},
    [ORPHANS_LEDGER] = {"slots in the ledger have no schedule",
                        {END("ledger"), "ii"},
                        {WITHOUT("ledger", "schedule", NO_SCHEDULE("ledger.schedule")), "ii"}},
    [ORPHANS_LOGS] = {"a log has no schedule",
                      {END("logs"), "ii"},
                      {WITHOUT("logs", "schedule", NO_SCHEDULE("logs.schedule")), "ii"}},
    [ORPHANS_BACKFILLS] = {"a backfill has no schedule",
                           {END("backfills"), "ii"},
                           {WITHOUT("backfills", "schedule", NO_SCHEDULE("backfills.schedule")),
                            "ii"}},
    [ORPHANS_GATED] = {"an open run names a gate that does not exist",
                       {END("runs"), "ii"},
                       {WITHOUT("runs", "schedule",
                                "gate > 0 AND NOT EXISTS (SELECT 1 FROM gates WHERE"
                                " gates.id = runs.gate)"),
                        "ii"}},
};

void check_schedules(struct db *db, int64_t after, int limit, struct db_result *ret)
{
    db_send(db, &schedules, (struct db_value[]){db_int(after), db_int(limit)}, ret);
}

void check_schedule_count(struct db *db, struct db_result *ret)
{
    db_send(db, &schedule_count, NULL, ret);
}

void check_runs(struct db *db, int64_t schedule, const struct check_run *last, int limit,
                struct db_result *ret)
{
    db_send(db, &runs,
            (struct db_value[]){db_int(schedule), db_int(last ? last->slot : INSTANT_NONE),
                                db_int(last ? last->pass : 0), db_int(limit)},
            ret);
}

void check_runs_read(const struct db_result *result, int row, struct check_run *ret)
{
    *ret = (struct check_run){ROW_MEMBERS(RUN_CHECK)};
}

void check_history(struct db *db, int64_t schedule, int64_t before, int limit,
                   struct db_result *ret)
{
    db_send(db, &history, (struct db_value[]){db_int(schedule), db_int(before), db_int(limit)},
            ret);
}

void check_history_read(const struct db_result *result, int row, struct check_attempt *ret)
{
    *ret = (struct check_attempt){ROW_MEMBERS(HISTORY_CHECK)};
}

void check_ledger(struct db *db, int64_t schedule, int64_t after, int limit,
                  struct db_result *ret)
{
    db_send(db, &ledger, (struct db_value[]){db_int(schedule), db_int(after), db_int(limit)},
            ret);
}

void check_backfills(struct db *db, int64_t schedule, struct db_result *ret)
{
    db_send(db, &backfills, (struct db_value[]){db_int(schedule)}, ret);
}

const char *check_orphans_text(enum check_orphans kind)
{
    return orphans[kind].text;
}

void check_orphans_end(struct db *db, enum check_orphans kind, int64_t after, int limit,
                       struct db_result *ret)
{
    db_send(db, &orphans[kind].end, (struct db_value[]){db_int(after), db_int(limit)}, ret);
}

void check_orphans(struct db *db, enum check_orphans kind, int64_t after, int64_t until,
                   struct db_result *ret)
{
    db_send(db, &orphans[kind].find, (struct db_value[]){db_int(after), db_int(until)}, ret);
}

void check_gates(struct db *db, struct db_result *ret)
{
    db_send(db, &gates, NULL, ret);
}

void check_calendars(struct db *db, int64_t after, int limit, struct db_result *ret)
{
    db_send(db, &calendars, (struct db_value[]){db_int(after), db_int(limit)}, ret);
}
