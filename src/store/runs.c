/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements of table runs.  Values that are never searched share one column, `bits`: kind,
 * overlap, source, losses, flags, priority, one byte each.
 *
 * An input may be large, and only the executor of the run needs it: it is read when the run is
 * claimed, so that a thousand waiting runs are a thousand short rows.
 */
#include "store/runs.h"

#include "base/must.h"
#include "store/columns.h"
#include "store/sql_numbers.h"
#include "store/tables.h"

enum {
    KIND_AT = 0,
    OVERLAP_AT = 8,
    SOURCE_AT = 16,
    LOSSES_AT = 24,
    FLAGS_AT = 32,
    PRIORITY_AT = 40,
    BYTE_MASK = 255
};

enum { ROW_POSITIONS(RUN_COLUMNS) };

#define COLUMNS SQL_NAMES(RUN_COLUMNS)
#define BRIEF           \
    SQL_NAMES(RUN_HEAD) \
    ", CASE WHEN input IS NULL THEN NULL ELSE '' END, progress, " SQL_NAMES(RUN_TAIL)

static const struct db_stmt insert = {SQL_INSERT("runs", RUN_COLUMNS) " ON CONFLICT DO NOTHING",
                                      SQL_TYPES(RUN_COLUMNS)};
static const struct db_stmt update = {SQL_UPDATE("runs", RUN_CHANGES) " WHERE id = $1",
                                      "i" SQL_TYPES(RUN_CHANGES)};
static const struct db_stmt delete = {"DELETE FROM runs WHERE id = $1 AND fence <= $2", "ii"};
static const struct db_stmt lock = {"SELECT " BRIEF " FROM runs WHERE id = $1{skip}", "i"};
static const struct db_stmt lock_slot = {
    "SELECT " BRIEF " FROM runs WHERE schedule = $1 AND slot = $2 AND pass = $3{skip}", "iii"};
static const struct db_stmt peek_slot = {
    "SELECT state FROM runs WHERE schedule = $1 AND slot = $2 AND pass = $3", "iii"};
static const struct db_stmt held_of = {
    "SELECT " BRIEF " FROM runs WHERE schedule = $1 AND state = " SQL_RUN_HELD
    " ORDER BY id LIMIT $2{skip}",
    "ii"};
static const struct db_stmt others_of = {
    "SELECT " BRIEF " FROM runs WHERE schedule = $1 AND state > " SQL_RUN_HELD
    " ORDER BY id LIMIT $2{skip}",
    "ii"};
static const struct db_stmt waking = {
    "SELECT id, schedule, slot, pass FROM runs WHERE wake_at <= $1"
    " AND wake_at < " SQL_INSTANT_NEVER " ORDER BY wake_at, id LIMIT $2",
    "ii"};
static const struct db_stmt next_wake = {
    "SELECT wake_at FROM runs WHERE wake_at > $1 AND wake_at < " SQL_INSTANT_NEVER
    " ORDER BY wake_at, id LIMIT 1",
    "i"};
static const struct db_stmt of_node = {
    "SELECT id, schedule, slot, pass FROM runs WHERE node = $1 AND id > $2 ORDER BY id"
    " LIMIT $3",
    "iii"};
static const struct db_stmt ready = {
    "SELECT " COLUMNS " FROM runs WHERE state = " SQL_RUN_READY
    " AND lane = $1 AND queue = $2 ORDER BY rank, id LIMIT $3{skip}",
    "iii"};
static const struct db_stmt ready_queue = {
    "SELECT queue FROM runs WHERE state = " SQL_RUN_READY
    " AND lane = $1 AND queue > $2 ORDER BY queue LIMIT 1",
    "ii"};
static const struct db_stmt count_claimed = {
    "SELECT count(*) FROM runs WHERE state >= " SQL_RUN_LEASED " AND state <= " SQL_RUN_RUNNING
    " AND lane = " SQL_LANE_PULL " AND queue = $1",
    "i"};
static const struct db_stmt gated = {"SELECT " BRIEF " FROM runs WHERE state = " SQL_RUN_GATED
                                     " AND gate = $1 ORDER BY rank, id LIMIT $2{skip}",
                                     "ii"};

static int64_t pack_bits(const struct run *r)
{
    must(r->flags >= 0 && r->flags <= BYTE_MASK && r->source >= 0 && r->source <= BYTE_MASK);
    must(r->losses >= 0 && r->losses <= BYTE_MASK && r->priority >= 0 &&
         r->priority <= BYTE_MASK);
    return (int64_t)r->kind << KIND_AT | (int64_t)r->overlap << OVERLAP_AT |
           r->source << SOURCE_AT | (int64_t)r->losses << LOSSES_AT | r->flags << FLAGS_AT |
           (int64_t)r->priority << PRIORITY_AT;
}

void runs_insert(struct db *db, const struct run *from, struct db_result *ret)
{
    struct db_value params[] = {ROW_VALUES(RUN_COLUMNS)};

    db_send(db, &insert, params, ret);
}

void runs_update(struct db *db, const struct run *from)
{
    struct db_value params[] = {db_int(from->id), ROW_VALUES(RUN_CHANGES)};

    db_send(db, &update, params, NULL);
}

void runs_delete(struct db *db, int64_t id, int64_t fence, struct db_result *ret)
{
    db_send(db, &delete, (struct db_value[]){db_int(id), db_int(fence)}, ret);
}

void runs_lock(struct db *db, int64_t id, struct db_result *ret)
{
    db_send(db, &lock, (struct db_value[]){db_int(id)}, ret);
}

void runs_lock_slot(struct db *db, int64_t schedule, instant slot, int64_t pass,
                    struct db_result *ret)
{
    db_send(db, &lock_slot, (struct db_value[]){db_int(schedule), db_int(slot), db_int(pass)},
            ret);
}

void runs_peek_slot(struct db *db, int64_t schedule, instant slot, int64_t pass,
                    struct db_result *ret)
{
    db_send(db, &peek_slot, (struct db_value[]){db_int(schedule), db_int(slot), db_int(pass)},
            ret);
}

void runs_of_schedule(struct db *db, int64_t schedule, bool held, int limit,
                      struct db_result *ret)
{
    db_send(db, held ? &held_of : &others_of,
            (struct db_value[]){db_int(schedule), db_int(limit)}, ret);
}

void runs_waking(struct db *db, instant now, int limit, struct db_result *ret)
{
    db_send(db, &waking, (struct db_value[]){db_int(now), db_int(limit)}, ret);
}

void runs_next_wake(struct db *db, instant after, struct db_result *ret)
{
    db_send(db, &next_wake, (struct db_value[]){db_int(after)}, ret);
}

void runs_of_node(struct db *db, int64_t node, int64_t after, int limit, struct db_result *ret)
{
    db_send(db, &of_node, (struct db_value[]){db_int(node), db_int(after), db_int(limit)}, ret);
}

void runs_ready(struct db *db, int64_t lane, int64_t queue, int limit, struct db_result *ret)
{
    db_send(db, &ready, (struct db_value[]){db_int(lane), db_int(queue), db_int(limit)}, ret);
}

void runs_count_claimed(struct db *db, int64_t queue, struct db_result *ret)
{
    db_send(db, &count_claimed, (struct db_value[]){db_int(queue)}, ret);
}

void runs_ready_queue(struct db *db, int64_t lane, int64_t after, struct db_result *ret)
{
    db_send(db, &ready_queue, (struct db_value[]){db_int(lane), db_int(after)}, ret);
}

void runs_gated(struct db *db, int64_t gate, int limit, struct db_result *ret)
{
    db_send(db, &gated, (struct db_value[]){db_int(gate), db_int(limit)}, ret);
}

/* An empty input is stored as NULL; so an empty text means that BRIEF left it out. */
static bool is_left_out(const struct db_value *input)
{
    return input->type == DB_TEXT && input->bytes.len == 0;
}

void runs_read(const struct db_result *result, int row, struct run *ret)
{
    int64_t bits = db_int_at(result, row, AT_bits);

    *ret = (struct run){.kind = (enum run_kind)(bits >> KIND_AT & BYTE_MASK),
                        .overlap = (uint8_t)(bits >> OVERLAP_AT & BYTE_MASK),
                        .source = bits >> SOURCE_AT & BYTE_MASK,
                        .losses = (int32_t)(bits >> LOSSES_AT & BYTE_MASK),
                        .flags = bits >> FLAGS_AT & BYTE_MASK,
                        .priority = (int32_t)(bits >> PRIORITY_AT & BYTE_MASK),
                        .lacks_input = is_left_out(db_at(result, row, AT_input)),
                        ROW_MEMBERS(RUN_COLUMNS)};
}
