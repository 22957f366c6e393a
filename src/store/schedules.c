/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements of table schedules.
 */
#include "store/schedules.h"

#include "store/columns.h"
#include "store/tables.h"

#define EDIT SQL_UPDATE("schedules", SCHEDULE_EDIT)

static const struct db_stmt insert = {
    SQL_INSERT("schedules", SCHEDULE_CREATED) " ON CONFLICT DO NOTHING",
    SQL_TYPES(SCHEDULE_CREATED)};
static const struct db_stmt update = {
    EDIT ", edited_at = CASE WHEN action = $4 AND spec = $5 THEN edited_at ELSE $11 END"
         " WHERE id = $1 AND version = $13",
    "i" SQL_TYPES(SCHEDULE_EDIT) "i"};
static const struct db_stmt set_reason = {
    "UPDATE schedules SET version = $2, reason = $3, updated_at = $4, updated_by = $5"
    " WHERE id = $1",
    "iitit"};
static const struct db_stmt set_hint = {"UPDATE schedules SET hint_reason = $2 WHERE id = $1",
                                        "it"};
static const struct db_stmt mark_deleted = {
    "UPDATE schedules SET deleted_at = $2, updated_at = $2, updated_by = $3 WHERE id = $1",
    "iit"};
static const struct db_stmt find = {
    "SELECT id FROM schedules WHERE namespace = $1 AND name = $2 AND deleted_at = 0", "it"};
static const struct db_stmt find_deleted = {
    "SELECT id FROM schedules WHERE namespace = $1 AND name = $2 AND deleted_at > 0"
    " ORDER BY id DESC LIMIT 1",
    "it"};
static const struct db_stmt find_dialect = {
    "SELECT id, dialect FROM schedules WHERE namespace = $1 AND name = $2 AND deleted_at = 0",
    "it"};
static const struct db_stmt count = {
    "SELECT count(*) FROM (SELECT 1 AS one FROM schedules WHERE namespace = $1"
    " AND deleted_at = 0 LIMIT $2) AS batch",
    "ii"};
static const struct db_stmt plan = {
    "SELECT version, packed, action, namespace, name FROM schedules WHERE id = $1", "i"};
static const struct db_stmt get = {
    "SELECT " SQL_NAMES(SCHEDULE_COLUMNS) " FROM schedules WHERE id = $1", "i"};

void schedules_insert(struct db *db, const struct schedule_row *from, struct db_result *ret)
{
    struct db_value params[] = {ROW_VALUES(SCHEDULE_CREATED)};

    db_send(db, &insert, params, ret);
}

void schedules_update(struct db *db, const struct schedule_row *from, int64_t version,
                      struct db_result *ret)
{
    struct db_value params[] = {db_int(from->id), ROW_VALUES(SCHEDULE_EDIT), db_int(version)};

    db_send(db, &update, params, ret);
}

void schedules_set_reason(struct db *db, int64_t id, int64_t version, struct str reason,
                          instant now, struct str by)
{
    struct db_value params[] = {
        db_int(id), db_int(version), text_or_null(reason), db_int(now), db_text(by),
    };

    db_send(db, &set_reason, params, NULL);
}

void schedules_set_hint(struct db *db, int64_t id, struct str reason)
{
    db_send(db, &set_hint, (struct db_value[]){db_int(id), text_or_null(reason)}, NULL);
}

void schedules_mark_deleted(struct db *db, int64_t id, instant now, struct str by)
{
    db_send(db, &mark_deleted, (struct db_value[]){db_int(id), db_int(now), db_text(by)}, NULL);
}

void schedules_find(struct db *db, int64_t namespace, struct str name, struct db_result *ret)
{
    db_send(db, &find, (struct db_value[]){db_int(namespace), db_text(name)}, ret);
}

void schedules_find_deleted(struct db *db, int64_t namespace, struct str name,
                            struct db_result *ret)
{
    db_send(db, &find_deleted, (struct db_value[]){db_int(namespace), db_text(name)}, ret);
}

void schedules_find_dialect(struct db *db, int64_t namespace, struct str name,
                            struct db_result *ret)
{
    db_send(db, &find_dialect, (struct db_value[]){db_int(namespace), db_text(name)}, ret);
}

void schedules_count(struct db *db, int64_t namespace, int64_t most, struct db_result *ret)
{
    db_send(db, &count, (struct db_value[]){db_int(namespace), db_int(most)}, ret);
}

void schedules_plan(struct db *db, int64_t id, struct db_result *ret)
{
    db_send(db, &plan, (struct db_value[]){db_int(id)}, ret);
}

void schedules_get(struct db *db, int64_t id, struct db_result *ret)
{
    db_send(db, &get, (struct db_value[]){db_int(id)}, ret);
}

void schedules_read(const struct db_result *result, int row, struct schedule_row *ret)
{
    *ret = (struct schedule_row){ROW_MEMBERS(SCHEDULE_COLUMNS)};
}
