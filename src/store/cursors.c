/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements of table cursors.  Small numbers that are never searched share one column, `bits`,
 * to keep the row short: flags in the lowest 16 bits, then tail, source and last outcome.
 */
#include "store/cursors.h"

#include <string.h>

#include "base/must.h"
#include "store/columns.h"
#include "store/tables.h"

enum {
    BITS_FLAGS = 16,
    BITS_TAIL = 16,
    BITS_SOURCE = 8,
    TAIL_AT = BITS_FLAGS,
    SOURCE_AT = TAIL_AT + BITS_TAIL,
    OUTCOME_AT = SOURCE_AT + BITS_SOURCE,
};

enum { ROW_POSITIONS(CURSOR_COLUMNS) };

#define COLUMNS SQL_NAMES(CURSOR_COLUMNS)

static const struct db_stmt due = {"SELECT " COLUMNS
                                   " FROM cursors WHERE wake_at >= $1 AND wake_at <= $2"
                                   " ORDER BY wake_at, id LIMIT $3{skip}",
                                   "iii"};
static const struct db_stmt lock = {"SELECT " COLUMNS " FROM cursors WHERE id = $1{skip}", "i"};
static const struct db_stmt peek = {"SELECT " COLUMNS " FROM cursors WHERE id = $1", "i"};
static const struct db_stmt next_wake = {
    "SELECT wake_at FROM cursors WHERE wake_at > $1 ORDER BY wake_at, id LIMIT 1", "i"};
static const struct db_stmt insert = {SQL_INSERT("cursors", CURSOR_COLUMNS),
                                      SQL_TYPES(CURSOR_COLUMNS)};
static const struct db_stmt update = {SQL_UPDATE("cursors", CURSOR_STATE) " WHERE id = $1",
                                      SQL_TYPES(CURSOR_COLUMNS)};
static const struct db_stmt start = {SQL_UPDATE("cursors", CURSOR_START) " WHERE id = $1",
                                     "i" SQL_TYPES(CURSOR_START)};
static const struct db_stmt end = {SQL_UPDATE("cursors", CURSOR_END) " WHERE id = $1",
                                   "i" SQL_TYPES(CURSOR_END)};
static const struct db_stmt delete = {"DELETE FROM cursors WHERE id = $1", "i"};
static const struct db_stmt list_keys = {
    "SELECT id FROM cursors WHERE id > $1 ORDER BY id LIMIT $2", "ii"};

void cursors_due(struct db *db, instant floor, instant now, int limit, struct db_result *ret)
{
    db_send(db, &due, (struct db_value[]){db_int(floor), db_int(now), db_int(limit)}, ret);
}

void cursors_lock(struct db *db, int64_t id, struct db_result *ret)
{
    db_send(db, &lock, (struct db_value[]){db_int(id)}, ret);
}

void cursors_peek(struct db *db, int64_t id, struct db_result *ret)
{
    db_send(db, &peek, (struct db_value[]){db_int(id)}, ret);
}

void cursors_next_wake(struct db *db, instant after, struct db_result *ret)
{
    db_send(db, &next_wake, (struct db_value[]){db_int(after)}, ret);
}

static int64_t pack_bits(const struct cursor *c)
{
    must(c->flags >= 0 && c->flags < 1 << BITS_FLAGS);
    must(c->tail >= 0 && c->tail < 1 << BITS_TAIL);
    must(c->source >= 0 && c->source < 1 << BITS_SOURCE);
    return c->flags | c->tail << TAIL_AT | c->source << SOURCE_AT |
           c->last_outcome << OUTCOME_AT;
}

void cursors_read(const struct db_result *result, int row, struct cursor *ret)
{
    int64_t bits = db_int_at(result, row, AT_bits);

    *ret = (struct cursor){.flags = bits & ((1 << BITS_FLAGS) - 1),
                           .tail = bits >> TAIL_AT & ((1 << BITS_TAIL) - 1),
                           .source = bits >> SOURCE_AT & ((1 << BITS_SOURCE) - 1),
                           .last_outcome = bits >> OUTCOME_AT,
                           ROW_MEMBERS(CURSOR_COLUMNS)};
}

static void send_all(struct db *db, const struct db_stmt *stmt, const struct cursor *from)
{
    struct db_value params[] = {ROW_VALUES(CURSOR_COLUMNS)};

    db_send(db, stmt, params, NULL);
}

static void send_start(struct db *db, const struct cursor *from)
{
    struct db_value params[] = {db_int(from->id), ROW_VALUES(CURSOR_START)};

    db_send(db, &start, params, NULL);
}

static void send_end(struct db *db, const struct cursor *from)
{
    struct db_value params[] = {db_int(from->id), ROW_VALUES(CURSOR_END)};

    db_send(db, &end, params, NULL);
}

/* Sets the members of a column to what they were. */
#define RESTORE(n, column, kind) RESTORE_##kind(column)
#define RESTORE_INT(member)      now.member = was->member;
#define RESTORE_BITS(member)  \
    now.flags = was->flags;   \
    now.tail = was->tail;     \
    now.source = was->source; \
    now.last_outcome = was->last_outcome;

static bool is_start(const struct cursor *was, struct cursor now)
{
    CURSOR_START(RESTORE, RESTORE)
    return memcmp(&now, was, sizeof now) == 0;
}

static bool is_end(const struct cursor *was, struct cursor now)
{
    CURSOR_END(RESTORE, RESTORE)
    return memcmp(&now, was, sizeof now) == 0;
}

void cursors_change(struct db *db, const struct cursor *was, const struct cursor *now)
{
    if (is_end(was, *now))
        send_end(db, now);
    else if (is_start(was, *now))
        send_start(db, now);
    else
        cursors_update(db, now);
}

void cursors_insert(struct db *db, const struct cursor *cursor)
{
    send_all(db, &insert, cursor);
}

void cursors_update(struct db *db, const struct cursor *cursor)
{
    send_all(db, &update, cursor);
}

void cursors_delete(struct db *db, int64_t id)
{
    db_send(db, &delete, (struct db_value[]){db_int(id)}, NULL);
}

void cursors_list_keys(struct db *db, int64_t after, int limit, struct db_result *ret)
{
    db_send(db, &list_keys, (struct db_value[]){db_int(after), db_int(limit)}, ret);
}
