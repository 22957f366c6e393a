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
#include "store/sql_numbers.h"
#include "store/text.h"

enum {
    KIND_AT = 0,
    OVERLAP_AT = 8,
    SOURCE_AT = 16,
    LOSSES_AT = 24,
    FLAGS_AT = 32,
    PRIORITY_AT = 40,
    BYTE_MASK = 255
};

#define COLUMNS                                                                            \
    "id, schedule, slot, pass, state, lane, queue, gate, bits, due, rank, attempt, fence," \
    " node, lease_until, wake_at, created_at, started_at, attempt_at, worker, input,"      \
    " progress, last_run_at, trace_high, trace_low"
#define BRIEF                                                                              \
    "id, schedule, slot, pass, state, lane, queue, gate, bits, due, rank, attempt, fence," \
    " node, lease_until, wake_at, created_at, started_at, attempt_at, worker,"             \
    " CASE WHEN input IS NULL THEN NULL ELSE '' END, progress, last_run_at, trace_high,"   \
    " trace_low"
#define PARAMS "iiiiiiiiiiiiiiiiiiitttiii"

enum { COLUMN_COUNT = sizeof(PARAMS) - 1, INT_COUNT = 19 };

static const struct db_stmt insert = {
    "INSERT INTO runs (" COLUMNS ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,"
    " $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25)"
    " ON CONFLICT DO NOTHING",
    PARAMS};
static const struct db_stmt update = {
    "UPDATE runs SET state = $2, bits = $3, rank = $4, attempt = $5, fence = $6, node = $7,"
    " lease_until = $8, wake_at = $9, started_at = $10, attempt_at = $11, worker = $12,"
    " progress = $13, gate = $14, last_run_at = $15 WHERE id = $1",
    "iiiiiiiiiiittii"};
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
static const struct db_stmt out = {"SELECT count(*) FROM runs WHERE state >= " SQL_RUN_LEASED
                                   " AND state <= " SQL_RUN_RUNNING " AND lane = " SQL_LANE_PULL
                                   " AND queue = $1",
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

void runs_insert(struct db *db, const struct run *r, struct db_result *ret)
{
    struct db_value params[COLUMN_COUNT] = {
        db_int(r->id),
        db_int(r->schedule),
        db_int(r->slot),
        db_int(r->pass),
        db_int((int64_t)r->state),
        db_int(r->lane),
        db_int(r->queue),
        db_int(r->gate),
        db_int(pack_bits(r)),
        db_int(r->due),
        db_int(r->rank),
        db_int(r->attempt),
        db_int(r->fence),
        db_int(r->node),
        db_int(r->lease_until),
        db_int(r->wake_at),
        db_int(r->created_at),
        db_int(r->started_at),
        db_int(r->attempt_at),
        text_or_null(r->worker),
        text_or_null(r->input),
        text_or_null(r->progress),
        db_int(r->last_run_at),
        db_int((int64_t)r->trace.high),
        db_int((int64_t)r->trace.low),
    };

    db_send(db, &insert, params, ret);
}

void runs_update(struct db *db, const struct run *r)
{
    struct db_value params[] = {
        db_int(r->id),
        db_int((int64_t)r->state),
        db_int(pack_bits(r)),
        db_int(r->rank),
        db_int(r->attempt),
        db_int(r->fence),
        db_int(r->node),
        db_int(r->lease_until),
        db_int(r->wake_at),
        db_int(r->started_at),
        db_int(r->attempt_at),
        text_or_null(r->worker),
        text_or_null(r->progress),
        db_int(r->gate),
        db_int(r->last_run_at),
    };

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

void runs_out(struct db *db, int64_t queue, struct db_result *ret)
{
    db_send(db, &out, (struct db_value[]){db_int(queue)}, ret);
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
    int64_t v[INT_COUNT];
    int64_t bits;

    for (int i = 0; i < INT_COUNT; i++)
        v[i] = db_int_at(result, row, i);
    bits = v[8];
    *ret = (struct run){
        .id = v[0],
        .schedule = v[1],
        .slot = v[2],
        .pass = v[3],
        .state = (enum run_state)v[4],
        .lane = (uint8_t)v[5],
        .queue = v[6],
        .gate = v[7],
        .kind = (enum run_kind)(bits >> KIND_AT & BYTE_MASK),
        .overlap = (uint8_t)(bits >> OVERLAP_AT & BYTE_MASK),
        .source = bits >> SOURCE_AT & BYTE_MASK,
        .losses = (int32_t)(bits >> LOSSES_AT & BYTE_MASK),
        .flags = bits >> FLAGS_AT & BYTE_MASK,
        .priority = (int32_t)(bits >> PRIORITY_AT & BYTE_MASK),
        .due = v[9],
        .rank = v[10],
        .attempt = (int32_t)v[11],
        .fence = v[12],
        .node = v[13],
        .lease_until = v[14],
        .wake_at = v[15],
        .created_at = v[16],
        .started_at = v[17],
        .attempt_at = v[18],
        .worker = text_or_empty(result, row, 19),
        .input = text_or_empty(result, row, 20),
        .lacks_input = is_left_out(db_at(result, row, 20)),
        .progress = text_or_empty(result, row, 21),
        .last_run_at = db_int_at(result, row, 22),
        .trace = {(uint64_t)db_int_at(result, row, 23), (uint64_t)db_int_at(result, row, 24)},
    };
}
