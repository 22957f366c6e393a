/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements of table schedules.
 */
#include "store/schedules.h"

#include "store/text.h"

#define COLUMNS                                                                           \
    "id, namespace, version, deleted_at, packed, action, name, spec, policies, governor," \
    " labels, extra, description, dialect, reason, created_at, created_by, updated_at,"   \
    " updated_by"

static const struct db_stmt insert = {
    "INSERT INTO schedules (" COLUMNS ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10,"
    " $11, $12, $13, $14, $15, $16, $17, $18, $19) ON CONFLICT DO NOTHING",
    "iiiibttttttttititit"};
static const struct db_stmt update = {
    "UPDATE schedules SET version = $2, packed = $3, action = $4, spec = $5, policies = $6,"
    " governor = $7, labels = $8, extra = $9, description = $10,"
    " updated_at = $11, updated_by = $12, edited_at = CASE WHEN action = $4 AND spec = $5"
    " THEN edited_at ELSE $11 END WHERE id = $1 AND version = $13",
    "iibtttttttiti"};
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
static const struct db_stmt find_made = {
    "SELECT id, dialect FROM schedules WHERE namespace = $1 AND name = $2 AND deleted_at = 0",
    "it"};
static const struct db_stmt count = {
    "SELECT count(*) FROM (SELECT 1 AS one FROM schedules WHERE namespace = $1"
    " AND deleted_at = 0 LIMIT $2) AS batch",
    "ii"};
static const struct db_stmt plan = {
    "SELECT version, packed, action, namespace, name FROM schedules WHERE id = $1", "i"};
static const struct db_stmt get = {
    "SELECT " COLUMNS ", hint_reason, edited_at FROM schedules WHERE id = $1", "i"};

void schedules_insert(struct db *db, const struct schedule_row *row, struct db_result *ret)
{
    struct db_value params[] = {
        db_int(row->id),           db_int(row->namespace),
        db_int(row->version),      db_int(row->deleted_at),
        db_blob(row->packed),      db_text(row->action),
        db_text(row->name),        db_text(row->spec),
        db_text(row->policies),    text_or_null(row->governor),
        text_or_null(row->labels), text_or_null(row->extra),
        db_text(row->description), db_int(row->dialect),
        text_or_null(row->reason), db_int(row->created_at),
        db_text(row->created_by),  db_int(row->updated_at),
        db_text(row->updated_by),
    };

    db_send(db, &insert, params, ret);
}

void schedules_update(struct db *db, const struct schedule_row *row, int64_t version,
                      struct db_result *ret)
{
    struct db_value params[] = {
        db_int(row->id),
        db_int(row->version),
        db_blob(row->packed),
        db_text(row->action),
        db_text(row->spec),
        db_text(row->policies),
        text_or_null(row->governor),
        text_or_null(row->labels),
        text_or_null(row->extra),
        db_text(row->description),
        db_int(row->updated_at),
        db_text(row->updated_by),
        db_int(version),
    };

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

void schedules_find_made(struct db *db, int64_t namespace, struct str name,
                         struct db_result *ret)
{
    db_send(db, &find_made, (struct db_value[]){db_int(namespace), db_text(name)}, ret);
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
    *ret = (struct schedule_row){
        .id = db_int_at(result, row, 0),
        .namespace = db_int_at(result, row, 1),
        .version = db_int_at(result, row, 2),
        .deleted_at = db_int_at(result, row, 3),
        .packed = db_blob_at(result, row, 4),
        .action = db_text_at(result, row, 5),
        .name = db_text_at(result, row, 6),
        .spec = db_text_at(result, row, 7),
        .policies = db_text_at(result, row, 8),
        .governor = text_or_empty(result, row, 9),
        .labels = text_or_empty(result, row, 10),
        .extra = text_or_empty(result, row, 11),
        .description = db_text_at(result, row, 12),
        .dialect = db_int_at(result, row, 13),
        .reason = text_or_empty(result, row, 14),
        .created_at = db_int_at(result, row, 15),
        .created_by = db_text_at(result, row, 16),
        .updated_at = db_int_at(result, row, 17),
        .updated_by = db_text_at(result, row, 18),
        .hint_reason = text_or_empty(result, row, 19),
        .edited_at = db_int_at(result, row, 20),
    };
}
