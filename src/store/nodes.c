/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements of table nodes.
 */
#include "store/nodes.h"

#include "store/sql_numbers.h"

#define COLUMNS                                                                   \
    "id, name, boot, turn, lease_until, key_ms, event, started_at, state, stats," \
    " turned_at, skew, version, address"

static const struct db_stmt find = {"SELECT " COLUMNS " FROM nodes WHERE name = $1", "t"};
static const struct db_stmt list = {"SELECT " COLUMNS " FROM nodes ORDER BY id", NULL};
static const struct db_stmt insert = {"INSERT INTO nodes (" COLUMNS
                                      ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10,"
                                      " $11, $12, $13, $14) ON CONFLICT DO NOTHING",
                                      "itiiiiiiiiiitt"};
static const struct db_stmt boot = {
    "UPDATE nodes SET boot = $2, turn = $3, lease_until = $4, key_ms = $5, started_at = $6,"
    " stats = $7, turned_at = $8, skew = $9, version = $10, address = $11, state = " SQL_NODE_UP
    " WHERE id = $1 AND boot = $2 - 1 AND (state = " SQL_NODE_DOWN " OR stats = $7)",
    "iiiiiiiiitt"};
static const struct db_stmt turn = {
    "UPDATE nodes SET turn = $3, lease_until = $4, key_ms = $5, event = $6, turned_at = $7,"
    " skew = $8 WHERE id = $1 AND boot = $2 AND turn = $3 - 1 AND state = " SQL_NODE_UP,
    "iiiiiiii"};
static const struct db_stmt others = {
    "SELECT count(CASE WHEN state = " SQL_NODE_UP " THEN 1 END),"
    " CAST(coalesce(sum(boot + turn), 0) AS bigint),"
    " coalesce(min(CASE WHEN state <> " SQL_NODE_DOWN " THEN stats END), " SQL_INSTANT_NEVER ")"
    " FROM nodes WHERE id <> $1",
    "i"};
static const struct db_stmt reserve = {"UPDATE nodes SET key_ms = $2 WHERE id = $1", "ii"};
static const struct db_stmt silent = {
    "SELECT " COLUMNS " FROM nodes WHERE state <> " SQL_NODE_DOWN " AND lease_until < $1"
    " ORDER BY id{skip}",
    "i"};
static const struct db_stmt count = {
    "UPDATE nodes SET stats = $4 WHERE id = $1 AND state = $2 AND stats = $3", "iiii"};
static const struct db_stmt declare = {
    "UPDATE nodes SET state = $2, lease_until = $3 WHERE id = $1", "iii"};

void nodes_find(struct db *db, struct str name, struct db_result *ret)
{
    db_send(db, &find, (struct db_value[]){db_text(name)}, ret);
}

void nodes_list(struct db *db, struct db_result *ret)
{
    db_send(db, &list, NULL, ret);
}

void nodes_read(const struct db_result *result, int row, struct node *ret)
{
    *ret = (struct node){
        .id = db_int_at(result, row, 0),
        .name = db_text_at(result, row, 1),
        .boot = db_int_at(result, row, 2),
        .turn = db_int_at(result, row, 3),
        .lease_until = db_int_at(result, row, 4),
        .key_ms = db_int_at(result, row, 5),
        .event = db_int_at(result, row, 6),
        .started_at = db_int_at(result, row, 7),
        .state = db_int_at(result, row, 8),
        .stats = db_int_at(result, row, 9),
        .turned_at = db_int_at(result, row, 10),
        .skew = db_int_at(result, row, 11),
        .version = db_text_at(result, row, 12),
        .address = db_text_at(result, row, 13),
    };
}

void nodes_insert(struct db *db, const struct node *n, struct db_result *ret)
{
    struct db_value params[] = {
        db_int(n->id),       db_text(n->name),       db_int(n->boot),
        db_int(n->turn),     db_int(n->lease_until), db_int(n->key_ms),
        db_int(n->event),    db_int(n->started_at),  db_int(n->state),
        db_int(n->stats),    db_int(n->turned_at),   db_int(n->skew),
        db_text(n->version), db_text(n->address),
    };

    db_send(db, &insert, params, ret);
}

void nodes_boot(struct db *db, const struct node *n, struct db_result *ret)
{
    struct db_value params[] = {
        db_int(n->id),     db_int(n->boot),       db_int(n->turn),     db_int(n->lease_until),
        db_int(n->key_ms), db_int(n->started_at), db_int(n->stats),    db_int(n->turned_at),
        db_int(n->skew),   db_text(n->version),   db_text(n->address),
    };

    db_send(db, &boot, params, ret);
}

void nodes_turn(struct db *db, const struct node *n, struct db_result *ret)
{
    struct db_value params[] = {
        db_int(n->id),     db_int(n->boot),  db_int(n->turn),      db_int(n->lease_until),
        db_int(n->key_ms), db_int(n->event), db_int(n->turned_at), db_int(n->skew),
    };

    db_send(db, &turn, params, ret);
}

void nodes_silent(struct db *db, instant now, struct db_result *ret)
{
    db_send(db, &silent, (struct db_value[]){db_int(now)}, ret);
}

void nodes_count(struct db *db, const struct node *n, int64_t stats)
{
    struct db_value params[] = {db_int(n->id), db_int(n->state), db_int(n->stats),
                                db_int(stats)};

    db_send(db, &count, params, NULL);
}

void nodes_declare(struct db *db, int64_t id, enum node_state state, instant lease_until)
{
    db_send(db, &declare,
            (struct db_value[]){db_int(id), db_int((int64_t)state), db_int(lease_until)}, NULL);
}

void nodes_reserve(struct db *db, int64_t id, int64_t key_ms)
{
    db_send(db, &reserve, (struct db_value[]){db_int(id), db_int(key_ms)}, NULL);
}

void nodes_others(struct db *db, int64_t id, struct db_result *ret)
{
    db_send(db, &others, (struct db_value[]){db_int(id)}, ret);
}
