/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements of table sessions.
 */
#include "store/sessions.h"

#include <string.h>

#include "store/columns.h"
#include "store/tables_access.h"

#define COLUMNS SQL_NAMES(SESSION_COLUMNS)
#define VALUES  SQL_PARAMS(SESSION_COLUMNS)

enum { ROW_POSITIONS(SESSION_COLUMNS) };

static const struct db_stmt session_expire = {"DELETE FROM sessions WHERE expires_at <= $1",
                                              "i"};
static const struct db_stmt session_trim = {
    "DELETE FROM sessions WHERE token = $1 AND id NOT IN (SELECT id FROM sessions"
    " WHERE token = $1 ORDER BY created_at DESC, id LIMIT $2)",
    "ii"};
static const struct db_stmt session_add = {
    "INSERT INTO sessions (" COLUMNS ") SELECT " VALUES
    " WHERE EXISTS (SELECT 1 FROM tokens WHERE id = $2)"
    " AND (SELECT count(*) FROM sessions) < $6 ON CONFLICT DO NOTHING",
    SQL_TYPES(SESSION_COLUMNS) "i"};
static const struct db_stmt session_delete = {"DELETE FROM sessions WHERE id = $1", "i"};
static const struct db_stmt session_delete_of = {
    "DELETE FROM sessions WHERE token = $1"
    " AND NOT EXISTS (SELECT 1 FROM tokens WHERE id = $1)",
    "i"};
static const struct db_stmt session_list = {
    "SELECT " COLUMNS " FROM sessions WHERE expires_at > $1 ORDER BY id LIMIT $2", "ii"};

void sessions_insert(struct db *db, const struct session *from, struct db_result *ret)
{
    struct db_value params[] = {ROW_VALUES(SESSION_COLUMNS), db_int(SESSIONS_MAX)};

    db_send(db, &session_expire, (struct db_value[]){db_int(from->created_at)}, NULL);
    db_send(db, &session_trim,
            (struct db_value[]){db_int(from->token), db_int(SESSIONS_PER_TOKEN - 1)}, NULL);
    db_send(db, &session_add, params, ret);
}

void sessions_delete(struct db *db, int64_t id, struct db_result *ret)
{
    db_send(db, &session_delete, (struct db_value[]){db_int(id)}, ret);
}

void sessions_delete_of(struct db *db, int64_t token)
{
    db_send(db, &session_delete_of, (struct db_value[]){db_int(token)}, NULL);
}

void sessions_list(struct db *db, instant now, struct db_result *ret)
{
    db_send(db, &session_list, (struct db_value[]){db_int(now), db_int(SESSIONS_MAX)}, ret);
}

void sessions_read(const struct db_result *result, int row, struct session *ret)
{
    struct str hash = db_blob_at(result, row, AT_hash);

    *ret = (struct session){ROW_MEMBERS(SESSION_COLUMNS)};
    /* As for tokens: no token has the id 0, so that such a session gives no rights. */
    if (hash.len == sizeof ret->hash)
        memcpy(ret->hash, hash.ptr, hash.len);
    else
        ret->token = 0;
}
