/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements of table nodes.
 */
#include "store/nodes.h"

#include "store/columns.h"
#include "store/sql_numbers.h"
#include "store/tables.h"

#define COLUMNS SQL_NAMES(NODE_COLUMNS)
#define BOOT    SQL_UPDATE("nodes", NODE_BOOT) ", state = " SQL_NODE_UP
#define TURN    SQL_UPDATE("nodes", NODE_TURN)

static const struct db_stmt find = {"SELECT " COLUMNS " FROM nodes WHERE name = $1", "t"};
static const struct db_stmt list = {"SELECT " COLUMNS " FROM nodes ORDER BY id", NULL};
static const struct db_stmt insert = {
    SQL_INSERT("nodes", NODE_COLUMNS) " ON CONFLICT DO NOTHING", SQL_TYPES(NODE_COLUMNS)};
static const struct db_stmt boot = {
    BOOT " WHERE id = $1 AND boot = $2 - 1 AND (state = " SQL_NODE_DOWN
         " OR (stats = $7 AND days = $12 AND days_until = $13 AND days_after = $14))",
    "i" SQL_TYPES(NODE_BOOT)};
static const struct db_stmt turn = {
    TURN " WHERE id = $1 AND boot = $2 AND turn = $3 - 1 AND state = " SQL_NODE_UP,
    "ii" SQL_TYPES(NODE_TURN)};
static const struct db_stmt others = {
    "SELECT count(CASE WHEN state = " SQL_NODE_UP " THEN 1 END),"
    " CAST(coalesce(sum(boot + turn), 0) AS bigint),"
    " coalesce(min(CASE WHEN state <> " SQL_NODE_DOWN " THEN"
    " CASE WHEN stats < days THEN stats ELSE days END END), " SQL_INSTANT_NEVER ")"
    " FROM nodes WHERE id <> $1",
    "i"};
static const struct db_stmt reserve = {"UPDATE nodes SET key_ms = $2 WHERE id = $1", "ii"};
static const struct db_stmt silent = {
    "SELECT " COLUMNS " FROM nodes WHERE state <> " SQL_NODE_DOWN " AND lease_until < $1"
    " ORDER BY id{skip}",
    "i"};
static const struct db_stmt count = {
    "UPDATE nodes SET stats = $4 WHERE id = $1 AND state = $2 AND stats = $3", "iiii"};
static const struct db_stmt count_days = {
    "UPDATE nodes SET days = $6, days_until = $7, days_after = $8 WHERE id = $1 AND state = $2"
    " AND days = $3 AND days_until = $4 AND days_after = $5",
    "iiiiiiii"};
static const struct db_stmt declare = {
    "UPDATE nodes SET state = $2, lease_until = $3 WHERE id = $1", "iii"};
static const struct db_stmt hold = {
    "UPDATE nodes SET lease_until = $3 WHERE id = $1 AND state = " SQL_NODE_LOST
    " AND lease_until = $2",
    "iii"};

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
    *ret = (struct node){ROW_MEMBERS(NODE_COLUMNS)};
}

void nodes_insert(struct db *db, const struct node *from, struct db_result *ret)
{
    struct db_value params[] = {ROW_VALUES(NODE_COLUMNS)};

    db_send(db, &insert, params, ret);
}

void nodes_boot(struct db *db, const struct node *from, struct db_result *ret)
{
    struct db_value params[] = {db_int(from->id), ROW_VALUES(NODE_BOOT)};

    db_send(db, &boot, params, ret);
}

void nodes_turn(struct db *db, const struct node *from, struct db_result *ret)
{
    struct db_value params[] = {db_int(from->id), db_int(from->boot), ROW_VALUES(NODE_TURN)};

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

void nodes_count_days(struct db *db, const struct node *n, const struct days_mark *days)
{
    struct db_value params[] = {db_int(n->id),           db_int(n->state),
                                db_int(n->days.counted), db_int(n->days.until),
                                db_int(n->days.after),   db_int(days->counted),
                                db_int(days->until),     db_int(days->after)};

    db_send(db, &count_days, params, NULL);
}

void nodes_declare(struct db *db, int64_t id, enum node_state state, instant lease_until)
{
    db_send(db, &declare,
            (struct db_value[]){db_int(id), db_int((int64_t)state), db_int(lease_until)}, NULL);
}

void nodes_hold(struct db *db, int64_t id, instant since, instant lease_until,
                struct db_result *ret)
{
    db_send(db, &hold, (struct db_value[]){db_int(id), db_int(since), db_int(lease_until)},
            ret);
}

void nodes_reserve(struct db *db, int64_t id, int64_t key_ms)
{
    db_send(db, &reserve, (struct db_value[]){db_int(id), db_int(key_ms)}, NULL);
}

void nodes_others(struct db *db, int64_t id, struct db_result *ret)
{
    db_send(db, &others, (struct db_value[]){db_int(id)}, ret);
}
