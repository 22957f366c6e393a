/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements of table cursors.  Small numbers that are never searched share one column, `bits`,
 * to keep the row short: flags in the lowest 16 bits, then tail, source and last outcome.
 */
#include "store/cursors.h"

#include <string.h>

#include "base/must.h"

enum {
    BITS_FLAGS = 16,
    BITS_TAIL = 16,
    BITS_SOURCE = 8,
    TAIL_AT = BITS_FLAGS,
    SOURCE_AT = TAIL_AT + BITS_TAIL,
    OUTCOME_AT = SOURCE_AT + BITS_SOURCE,
};

#define COLUMNS                                                                            \
    "id, wake_at, mark, next_at, version, bits, paused_until, open, waiting, failures,"    \
    " remaining, pass, backfills, last_slot, last_start, last_end, active_at,"             \
    " hint_interval, hint_at, hint_expires, started, skipped, missed, dropped, cancelled," \
    " succeeded, failed, last_held"
#define PARAMS "iiiiiiiiiiiiiiiiiiiiiiiiiiii"

enum { COLUMN_COUNT = sizeof(PARAMS) - 1 };

static const struct db_stmt due = {"SELECT " COLUMNS
                                   " FROM cursors WHERE wake_at >= $1 AND wake_at <= $2"
                                   " ORDER BY wake_at, id LIMIT $3{skip}",
                                   "iii"};
static const struct db_stmt lock = {"SELECT " COLUMNS " FROM cursors WHERE id = $1{skip}", "i"};
static const struct db_stmt peek = {"SELECT " COLUMNS " FROM cursors WHERE id = $1", "i"};
static const struct db_stmt next_wake = {
    "SELECT wake_at FROM cursors WHERE wake_at > $1 ORDER BY wake_at, id LIMIT 1", "i"};
static const struct db_stmt insert = {
    "INSERT INTO cursors (" COLUMNS ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,"
    " $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28)",
    PARAMS};
static const struct db_stmt update = {
    "UPDATE cursors SET wake_at = $2, mark = $3, next_at = $4, version = $5, bits = $6,"
    " paused_until = $7, open = $8, waiting = $9, failures = $10, remaining = $11,"
    " pass = $12, backfills = $13, last_slot = $14, last_start = $15, last_end = $16,"
    " active_at = $17, hint_interval = $18, hint_at = $19, hint_expires = $20,"
    " started = $21, skipped = $22, missed = $23, dropped = $24, cancelled = $25,"
    " succeeded = $26, failed = $27, last_held = $28 WHERE id = $1",
    PARAMS};
static const struct db_stmt started = {
    "UPDATE cursors SET wake_at = $2, mark = $3, next_at = $4, bits = $5, open = $6,"
    " last_slot = $7, last_start = $8, active_at = $9, started = $10 WHERE id = $1",
    "iiiiiiiiii"};
static const struct db_stmt ended = {
    "UPDATE cursors SET bits = $2, open = $3, failures = $4, last_end = $5, succeeded = $6,"
    " failed = $7 WHERE id = $1",
    "iiiiiii"};
static const struct db_stmt delete = {"DELETE FROM cursors WHERE id = $1", "i"};
static const struct db_stmt touch = {
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
    int64_t v[COLUMN_COUNT];
    int64_t bits;

    for (int i = 0; i < COLUMN_COUNT; i++)
        v[i] = db_int_at(result, row, i);
    bits = v[5];
    *ret = (struct cursor){
        .id = v[0],
        .wake_at = v[1],
        .mark = v[2],
        .next_at = v[3],
        .version = v[4],
        .flags = bits & ((1 << BITS_FLAGS) - 1),
        .tail = bits >> TAIL_AT & ((1 << BITS_TAIL) - 1),
        .source = bits >> SOURCE_AT & ((1 << BITS_SOURCE) - 1),
        .last_outcome = bits >> OUTCOME_AT,
        .paused_until = v[6],
        .open = v[7],
        .waiting = v[8],
        .failures = v[9],
        .remaining = v[10],
        .pass = v[11],
        .backfills = v[12],
        .last_slot = v[13],
        .last_start = v[14],
        .last_end = v[15],
        .active_at = v[16],
        .hint_interval = v[17],
        .hint_at = v[18],
        .hint_expires = v[19],
        .started = v[20],
        .skipped = v[21],
        .missed = v[22],
        .dropped = v[23],
        .cancelled = v[24],
        .succeeded = v[25],
        .failed = v[26],
        .last_held = v[27],
    };
}

static void send_all(struct db *db, const struct db_stmt *stmt, const struct cursor *c)
{
    const int64_t v[COLUMN_COUNT] = {
        c->id,        c->wake_at,      c->mark,          c->next_at,   c->version,
        pack_bits(c), c->paused_until, c->open,          c->waiting,   c->failures,
        c->remaining, c->pass,         c->backfills,     c->last_slot, c->last_start,
        c->last_end,  c->active_at,    c->hint_interval, c->hint_at,   c->hint_expires,
        c->started,   c->skipped,      c->missed,        c->dropped,   c->cancelled,
        c->succeeded, c->failed,       c->last_held,
    };
    struct db_value params[COLUMN_COUNT];

    for (int i = 0; i < COLUMN_COUNT; i++)
        params[i] = db_int(v[i]);
    db_send(db, stmt, params, NULL);
}

static void send_started(struct db *db, const struct cursor *c)
{
    struct db_value params[] = {
        db_int(c->id),        db_int(c->wake_at), db_int(c->mark),      db_int(c->next_at),
        db_int(pack_bits(c)), db_int(c->open),    db_int(c->last_slot), db_int(c->last_start),
        db_int(c->active_at), db_int(c->started),
    };

    db_send(db, &started, params, NULL);
}

static void send_ended(struct db *db, const struct cursor *c)
{
    struct db_value params[] = {
        db_int(c->id),       db_int(pack_bits(c)), db_int(c->open),   db_int(c->failures),
        db_int(c->last_end), db_int(c->succeeded), db_int(c->failed),
    };

    db_send(db, &ended, params, NULL);
}

void cursors_change(struct db *db, const struct cursor *was, const struct cursor *now)
{
    struct cursor start = *now, end = *now;

    start.wake_at = was->wake_at;
    start.mark = was->mark;
    start.next_at = was->next_at;
    start.last_slot = was->last_slot;
    start.last_start = was->last_start;
    start.active_at = was->active_at;
    start.started = was->started;
    end.failures = was->failures;
    end.last_end = was->last_end;
    end.succeeded = was->succeeded;
    end.failed = was->failed;
    start.open = end.open = was->open;
    /* Both statements write `bits`. */
    start.flags = end.flags = was->flags;
    start.tail = end.tail = was->tail;
    start.source = end.source = was->source;
    start.last_outcome = end.last_outcome = was->last_outcome;
    if (memcmp(&end, was, sizeof(end)) == 0)
        send_ended(db, now);
    else if (memcmp(&start, was, sizeof(start)) == 0)
        send_started(db, now);
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

void cursors_touch(struct db *db, int64_t after, int limit, struct db_result *ret)
{
    db_send(db, &touch, (struct db_value[]){db_int(after), db_int(limit)}, ret);
}
