/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements of table tokens, and of the token key in table meta.
 */
#include "store/tokens.h"

#include <string.h>

#include "store/text.h"

#define KEY_NAME STR("token_key")

static const struct db_stmt token_add = {
    "INSERT INTO tokens (id, namespace, role, name, hash, created_at, created_by, expires_at,"
    " used_at) SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9"
    " WHERE (SELECT count(*) FROM tokens) < $10 ON CONFLICT DO NOTHING",
    "iiitbitiii"};
static const struct db_stmt token_delete = {
    "DELETE FROM tokens WHERE id = $1 AND ($2 = 0 OR namespace = $2) AND (role <> $3"
    " OR namespace <> 0 OR expires_at <> $4 OR NOT EXISTS (SELECT 1 FROM tokens WHERE id <> $1)"
    " OR EXISTS (SELECT 1 FROM tokens WHERE id <> $1 AND role = $3 AND namespace = 0"
    " AND expires_at = $4))",
    "iiii"};
static const struct db_stmt token_use = {
    "UPDATE tokens SET used_at = $2 WHERE id = $1 AND used_at < $2", "ii"};
static const struct db_stmt token_list = {
    "SELECT t.id, t.namespace, n.name, t.role, t.name, t.hash, t.created_at, t.created_by,"
    " t.expires_at, t.used_at FROM tokens t LEFT JOIN namespaces n ON n.id = t.namespace"
    " WHERE t.id > $2 AND ($1 = 0 OR t.namespace = $1) ORDER BY t.id LIMIT $3",
    "iii"};
static const struct db_stmt key_add = {
    "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING", "tb"};
static const struct db_stmt key_find = {"SELECT value FROM meta WHERE name = $1", "t"};

void tokens_insert(struct db *db, const struct token *t, struct db_result *ret)
{
    struct db_value params[] = {
        db_int(t->id),
        db_int(t->namespace),
        db_int(t->role),
        db_text(t->name),
        db_blob((struct str){(const char *)t->hash, sizeof t->hash}),
        db_int(t->created_at),
        db_text(t->created_by),
        db_int(t->expires_at),
        db_int(t->used_at),
        db_int(TOKENS_MAX),
    };

    db_send(db, &token_add, params, ret);
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
    struct str hash = db_blob_at(result, row, 5);

    *ret = (struct token){
        .id = db_int_at(result, row, 0),
        .namespace = db_int_at(result, row, 1),
        .namespace_name = text_or_empty(result, row, 2),
        .role = (enum role)db_int_at(result, row, 3),
        .name = db_text_at(result, row, 4),
        .created_at = db_int_at(result, row, 6),
        .created_by = db_text_at(result, row, 7),
        .expires_at = db_int_at(result, row, 8),
        .used_at = db_int_at(result, row, 9),
    };
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
