/* SPDX-License-Identifier: Apache-2.0 */
/* Statements with a list of keys, see store/key_list.h. */
#include "store/catalogue_rows.h"

#include "store/columns.h"
#include "store/cursors.h"
#include "store/key_list.h"
#include "store/tables.h"
#include "store/text.h"
#include "store/view_columns.h"

enum { TEXT_COLUMNS = 7 }; /* before those of the cursor */

#define NAME_C(n, column, ...) "c." #column

#define TEXTS   "s.namespace, s.version, s.name, s.description, s.labels, s.action, s.spec, "
#define COLUMNS TEXTS CURSOR_COLUMNS(NAME_C, NEXT_NAME_C)

/* Not `= 0`: see schedule_get in store/views.c. */
#define LIVE " AND s.deleted_at < 1"

static const struct db_stmt rows_after = {
    "SELECT " COLUMNS SCHEDULE_FROM "s.id > $1" LIVE " ORDER BY s.id LIMIT $2", "ii"};
static const struct db_stmt rows_get = {
    "SELECT " COLUMNS SCHEDULE_FROM "s.id IN " SQL_KEYS_32 LIVE, SQL_KEYS_32_TYPES};
static const struct db_stmt plans_get = {
    "SELECT id, name, packed FROM schedules AS s WHERE s.id IN " SQL_KEYS_32 LIVE,
    SQL_KEYS_32_TYPES};
static const struct db_stmt cursors_after = {
    "SELECT " SQL_NAMES(CURSOR_COLUMNS) " FROM cursors WHERE id > $1 ORDER BY id LIMIT $2",
    "ii"};
static const struct db_stmt cursors_get = {
    "SELECT " SQL_NAMES(CURSOR_COLUMNS) " FROM cursors WHERE id IN " SQL_KEYS_32,
    SQL_KEYS_32_TYPES};

static void send_after(struct db *db, const struct db_stmt *stmt, int64_t after, int limit,
                       struct db_result *ret)
{
    db_send(db, stmt, (struct db_value[]){db_int(after), db_int(limit)}, ret);
}

static void send_keys(struct db *db, const struct db_stmt *stmt, const int64_t *keys, int count,
                      struct db_result *ret)
{
    struct db_value params[CATALOGUE_KEYS_MAX];

    key_list_set(params, CATALOGUE_KEYS_MAX, keys, count);
    db_send(db, stmt, params, ret);
}

void catalogue_rows_after(struct db *db, int64_t after, int limit, struct db_result *ret)
{
    send_after(db, &rows_after, after, limit, ret);
}

void catalogue_rows_get(struct db *db, const int64_t *keys, int count, struct db_result *ret)
{
    send_keys(db, &rows_get, keys, count, ret);
}

void catalogue_plans_get(struct db *db, const int64_t *keys, int count, struct db_result *ret)
{
    send_keys(db, &plans_get, keys, count, ret);
}

void catalogue_cursors_after(struct db *db, int64_t after, int limit, struct db_result *ret)
{
    send_after(db, &cursors_after, after, limit, ret);
}

void catalogue_cursors_get(struct db *db, const int64_t *keys, int count, struct db_result *ret)
{
    send_keys(db, &cursors_get, keys, count, ret);
}

void catalogue_rows_read(const struct db_result *result, int row, struct catalogue_stored *ret)
{
    struct db_result cursors = *result;

    *ret = (struct catalogue_stored){
        .namespace = db_int_at(result, row, 0),
        .version = db_int_at(result, row, 1),
        .name = db_text_at(result, row, 2),
        .description = db_text_at(result, row, 3),
        .labels = text_or_empty(result, row, 4),
        .action = db_text_at(result, row, 5),
        .spec = db_text_at(result, row, 6),
    };
    cursors.values += TEXT_COLUMNS;
    cursors_read(&cursors, row, &ret->cursor);
}
