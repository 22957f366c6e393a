/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements of tables exceptions, backfills and stops.
 */
#include "store/exceptions_backfills.h"

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

static const struct db_stmt backfill_add = {
    "INSERT INTO backfills (id, schedule, pass, from_at, until_at, mark, overlap, started,"
    " created_at, created_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    "iiiiiiiiit"};
static const struct db_stmt backfill_move = {
    "UPDATE backfills SET mark = $2, started = $3 WHERE id = $1", "iii"};
static const struct db_stmt backfill_remove = {"DELETE FROM backfills WHERE id = $1", "i"};
static const struct db_stmt backfill_list = {
    "SELECT id, schedule, pass, from_at, until_at, mark, overlap, started, created_at,"
    " created_by FROM backfills WHERE schedule = $1 ORDER BY id LIMIT $2",
    "ii"};
static const struct db_stmt backfill_remove_all = {"DELETE FROM backfills WHERE schedule = $1",
                                                   "i"};

static const struct db_stmt stop_add = {
    "INSERT INTO stops (id, node, schedule, slot, pass, fence) VALUES ($1, $2, $3, $4, $5, $6)",
    "iiiiii"};
static const struct db_stmt stop_take = {
    "DELETE FROM stops WHERE id IN (SELECT id FROM stops WHERE node = $1 ORDER BY id LIMIT $2)"
    " RETURNING id, node, schedule, slot, pass, fence",
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

void backfills_insert(struct db *db, const struct backfill *b)
{
    struct db_value params[] = {
        db_int(b->id),         db_int(b->schedule),    db_int(b->pass),    db_int(b->from),
        db_int(b->until),      db_int(b->mark),        db_int(b->overlap), db_int(b->started),
        db_int(b->created_at), db_text(b->created_by),
    };

    db_send(db, &backfill_add, params, NULL);
}

void backfills_update(struct db *db, const struct backfill *b)
{
    db_send(db, &backfill_move,
            (struct db_value[]){db_int(b->id), db_int(b->mark), db_int(b->started)}, NULL);
}

void backfills_delete(struct db *db, int64_t id)
{
    db_send(db, &backfill_remove, (struct db_value[]){db_int(id)}, NULL);
}

void backfills_of(struct db *db, int64_t schedule, int limit, struct db_result *ret)
{
    db_send(db, &backfill_list, (struct db_value[]){db_int(schedule), db_int(limit)}, ret);
}

void backfills_read(const struct db_result *result, int row, struct backfill *ret)
{
    *ret = (struct backfill){
        .id = db_int_at(result, row, 0),
        .schedule = db_int_at(result, row, 1),
        .pass = db_int_at(result, row, 2),
        .from = db_int_at(result, row, 3),
        .until = db_int_at(result, row, 4),
        .mark = db_int_at(result, row, 5),
        .overlap = db_int_at(result, row, 6),
        .started = db_int_at(result, row, 7),
        .created_at = db_int_at(result, row, 8),
        .created_by = db_text_at(result, row, 9),
    };
}

void backfills_delete_all(struct db *db, int64_t schedule)
{
    db_send(db, &backfill_remove_all, (struct db_value[]){db_int(schedule)}, NULL);
}

void stops_insert(struct db *db, const struct node_stop *s)
{
    struct db_value params[] = {
        db_int(s->id),   db_int(s->node), db_int(s->schedule),
        db_int(s->slot), db_int(s->pass), db_int(s->fence),
    };

    db_send(db, &stop_add, params, NULL);
}

void stops_take(struct db *db, int64_t node, int limit, struct db_result *ret)
{
    db_send(db, &stop_take, (struct db_value[]){db_int(node), db_int(limit)}, ret);
}

void stops_read(const struct db_result *result, int row, struct node_stop *ret)
{
    *ret = (struct node_stop){
        .id = db_int_at(result, row, 0),
        .node = db_int_at(result, row, 1),
        .schedule = db_int_at(result, row, 2),
        .slot = db_int_at(result, row, 3),
        .pass = db_int_at(result, row, 4),
        .fence = db_int_at(result, row, 5),
    };
}
