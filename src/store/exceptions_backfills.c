/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements of tables exceptions, backfills and stops.
 */
#include "store/exceptions_backfills.h"

#include "store/backfill_columns.h"
#include "store/columns.h"
#include "store/sql_numbers.h"
#include "store/tables.h"

#define BACKFILL SQL_NAMES(BACKFILL_COLUMNS)
enum { BACKFILL_COLUMN_COUNT = sizeof SQL_TYPES(BACKFILL_COLUMNS) - 1 };

static const struct db_stmt exception_add = {
    "INSERT INTO exceptions (schedule, slot, created_at, created_by) VALUES ($1, $2, $3, $4)"
    " ON CONFLICT DO NOTHING",
    "iiit"};
static const struct db_stmt exception_remove = {
    "DELETE FROM exceptions WHERE schedule = $1 AND slot = $2", "ii"};
static const struct db_stmt exception_list = {
    "SELECT slot FROM exceptions WHERE schedule = $1 AND slot > $2 ORDER BY slot LIMIT $3",
    "iii"};
static const struct db_stmt exception_forget = {
    "DELETE FROM exceptions WHERE schedule = $1 AND slot <= $2", "ii"};

static const struct db_stmt backfill_add = {SQL_INSERT("backfills", BACKFILL_COLUMNS),
                                            SQL_TYPES(BACKFILL_COLUMNS)};
static const struct db_stmt backfill_move = {
    SQL_UPDATE("backfills", BACKFILL_PROGRESS) " WHERE id = $1",
    "i" SQL_TYPES(BACKFILL_PROGRESS)};
static const struct db_stmt backfill_get = {
    "SELECT " BACKFILL " FROM backfills WHERE schedule = $1 AND pass = $2", "ii"};
static const struct db_stmt backfill_prune = {
    "DELETE FROM backfills WHERE schedule = $1 AND stage = " SQL_BACKFILL_ENDED
    " AND id <= (SELECT id FROM backfills WHERE schedule = $1"
    " AND stage = " SQL_BACKFILL_ENDED " ORDER BY id DESC LIMIT 1 OFFSET $2)",
    "ii"};
static const struct db_stmt backfill_list = {
    "SELECT " BACKFILL " FROM backfills WHERE schedule = $1 ORDER BY id LIMIT $2", "ii"};
/* Finds the schedule by its key as decision 41 says. */
#define SCHEDULE_NAME                                                              \
    "coalesce((SELECT name FROM schedules WHERE schedules.id = backfills.schedule" \
    " AND deleted_at < 1), '')"
#define BACKFILL_LIST(stages)                                                    \
    "SELECT " BACKFILL ", " SCHEDULE_NAME " FROM backfills WHERE namespace = $1" \
    " AND namespace > 0 AND " stages " AND id < $2 ORDER BY id DESC LIMIT $3"
static const struct db_stmt backfill_list_running = {
    BACKFILL_LIST("stage < " SQL_BACKFILL_ENDED), "iii"};
static const struct db_stmt backfill_list_ended = {BACKFILL_LIST("stage = " SQL_BACKFILL_ENDED),
                                                   "iii"};
static const struct db_stmt backfill_remove_all = {"DELETE FROM backfills WHERE schedule = $1",
                                                   "i"};

static const struct db_stmt stop_add = {SQL_INSERT("stops", STOP_COLUMNS),
                                        SQL_TYPES(STOP_COLUMNS)};
static const struct db_stmt stop_take = {
    "DELETE FROM stops WHERE id IN (SELECT id FROM stops WHERE node = $1 ORDER BY id LIMIT $2)"
    " RETURNING " SQL_NAMES(STOP_COLUMNS),
    "ii"};

void exceptions_insert(struct db *db, int64_t schedule, instant slot, instant now,
                       struct str by, struct db_result *ret)
{
    struct db_value params[] = {db_int(schedule), db_int(slot), db_int(now), db_text(by)};

    db_send(db, &exception_add, params, ret);
}

void exceptions_delete(struct db *db, int64_t schedule, instant slot, struct db_result *ret)
{
    db_send(db, &exception_remove, (struct db_value[]){db_int(schedule), db_int(slot)}, ret);
}

void exceptions_of(struct db *db, int64_t schedule, instant after, int limit,
                   struct db_result *ret)
{
    db_send(db, &exception_list,
            (struct db_value[]){db_int(schedule), db_int(after), db_int(limit)}, ret);
}

void exceptions_forget(struct db *db, int64_t schedule, instant until)
{
    db_send(db, &exception_forget, (struct db_value[]){db_int(schedule), db_int(until)}, NULL);
}

void backfills_insert(struct db *db, const struct backfill *from)
{
    struct db_value params[] = {ROW_VALUES(BACKFILL_COLUMNS)};

    db_send(db, &backfill_add, params, NULL);
}

void backfills_update(struct db *db, const struct backfill *from)
{
    struct db_value params[] = {db_int(from->id), ROW_VALUES(BACKFILL_PROGRESS)};

    db_send(db, &backfill_move, params, NULL);
}

void backfills_find(struct db *db, int64_t schedule, int64_t pass, struct db_result *ret)
{
    db_send(db, &backfill_get, (struct db_value[]){db_int(schedule), db_int(pass)}, ret);
}

void backfills_forget(struct db *db, int64_t schedule, int count)
{
    db_send(db, &backfill_prune, (struct db_value[]){db_int(schedule), db_int(count)}, NULL);
}

void backfills_of(struct db *db, int64_t schedule, int limit, struct db_result *ret)
{
    db_send(db, &backfill_list, (struct db_value[]){db_int(schedule), db_int(limit)}, ret);
}

void backfills_read(const struct db_result *result, int row, struct backfill *ret)
{
    *ret = (struct backfill){ROW_MEMBERS(BACKFILL_COLUMNS)};
}

void backfills_list(struct db *db, const struct backfill_page *page, struct db_result *ret)
{
    db_send(
        db, page->is_ended ? &backfill_list_ended : &backfill_list_running,
        (struct db_value[]){db_int(page->namespace), db_int(page->before), db_int(page->limit)},
        ret);
}

struct str backfills_read_name(const struct db_result *result, int row)
{
    return db_text_at(result, row, BACKFILL_COLUMN_COUNT);
}

void backfills_delete_all(struct db *db, int64_t schedule)
{
    db_send(db, &backfill_remove_all, (struct db_value[]){db_int(schedule)}, NULL);
}

void stops_insert(struct db *db, const struct node_stop *from)
{
    struct db_value params[] = {ROW_VALUES(STOP_COLUMNS)};

    db_send(db, &stop_add, params, NULL);
}

void stops_take(struct db *db, int64_t node, int limit, struct db_result *ret)
{
    db_send(db, &stop_take, (struct db_value[]){db_int(node), db_int(limit)}, ret);
}

void stops_read(const struct db_result *result, int row, struct node_stop *ret)
{
    *ret = (struct node_stop){ROW_MEMBERS(STOP_COLUMNS)};
}
