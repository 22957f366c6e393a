/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements of table tokens, and of the token key in table meta.
 */
#include "store/tokens.h"

#include <string.h>

#include "store/columns.h"
#include "store/tables_access.h"

#define KEY_NAME STR("token_key")

#define NAME_T(n, column, ...)      "t." #column
#define NEXT_NAME_T(n, column, ...) ", t." #column

#define COLUMNS   SQL_NAMES(TOKEN_COLUMNS)
#define COLUMNS_T TOKEN_COLUMNS(NAME_T, NEXT_NAME_T)
#define VALUES    SQL_PARAMS(TOKEN_COLUMNS)

enum { ROW_POSITIONS(TOKEN_COLUMNS) AT_namespace_name };

static const struct db_stmt token_add = {
    "INSERT INTO tokens (" COLUMNS ") SELECT " VALUES
    " WHERE (SELECT count(*) FROM tokens) < $10 ON CONFLICT DO NOTHING",
    SQL_TYPES(TOKEN_COLUMNS) "i"};
static const struct db_stmt token_find = {"SELECT id FROM tokens WHERE id = $1", "i"};
/*
 * The other admin token is locked, so that another node cannot delete it at the same time; one
 * that another node holds does not count.
 */
static const struct db_stmt token_delete = {
    "DELETE FROM tokens WHERE id = $1 AND ($2 = 0 OR namespace = $2) AND (role <> $3"
    " OR namespace <> 0 OR expires_at <> $4 OR NOT EXISTS (SELECT 1 FROM tokens WHERE id <> $1)"
    " OR EXISTS (SELECT 1 FROM (SELECT id FROM tokens WHERE role = $3 AND namespace = 0"
    " AND expires_at = $4 ORDER BY id{skip}) AS roots WHERE id <> $1))",
    "iiii"};
static const struct db_stmt token_use = {
    "UPDATE tokens SET used_at = $2 WHERE id = $1 AND used_at < $2", "ii"};
static const struct db_stmt token_list = {
    "SELECT " COLUMNS_T ", n.name FROM tokens t LEFT JOIN namespaces n ON n.id = t.namespace"
    " WHERE t.id > $2 AND ($1 = 0 OR t.namespace = $1) ORDER BY t.id LIMIT $3",
    "iii"};
static const struct db_stmt key_add = {
    "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING", "tb"};
static const struct db_stmt key_find = {"SELECT value FROM meta WHERE name = $1", "t"};

void tokens_insert(struct db *db, const struct token *from, struct db_result *ret)
{
    struct db_value params[] = {ROW_VALUES(TOKEN_COLUMNS), db_int(TOKENS_MAX)};

    db_send(db, &token_add, params, ret);
}

void tokens_find(struct db *db, int64_t id, struct db_result *ret)
{
    db_send(db, &token_find, (struct db_value[]){db_int(id)}, ret);
}

void tokens_delete(struct db *db, int64_t id, int64_t namespace, struct db_result *ret)
{
    struct db_value params[] = {db_int(id), db_int(namespace), db_int(ROLE_ADMIN),
                                db_int(INSTANT_NEVER)};

    db_send(db, &token_delete, params, ret);
}

void tokens_use(struct db *db, int64_t id, instant at)
{
    db_send(db, &token_use, (struct db_value[]){db_int(id), db_int(at)}, NULL);
}

void tokens_list(struct db *db, int64_t namespace, int64_t after, int limit,
                 struct db_result *ret)
{
    db_send(db, &token_list,
            (struct db_value[]){db_int(namespace), db_int(after), db_int(limit)}, ret);
}

void tokens_read(const struct db_result *result, int row, struct token *ret)
{
    struct str hash = db_blob_at(result, row, AT_hash);

    *ret = (struct token){.namespace_name = text_or_empty(result, row, AT_namespace_name),
                          ROW_MEMBERS(TOKEN_COLUMNS)};
    /* A hash of another length was not written by Belfry; such a token gives no rights. */
    if (hash.len == sizeof ret->hash)
        memcpy(ret->hash, hash.ptr, hash.len);
    else
        ret->role = ROLE_NONE;
}

void tokens_key_propose(struct db *db, struct str key)
{
    db_send(db, &key_add, (struct db_value[]){db_text(KEY_NAME), db_blob(key)}, NULL);
}

void tokens_key_find(struct db *db, struct db_result *ret)
{
    db_send(db, &key_find, (struct db_value[]){db_text(KEY_NAME)}, ret);
}
