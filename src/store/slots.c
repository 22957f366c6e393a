/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements for the outcomes of slots.
 */
#include "store/slots.h"

#include <stdlib.h>

#include "store/key.h"
#include "store/sql_numbers.h"

enum {
    EVIDENCE_ACCOUNTS = 64, /* rows of the ledger in one batch of evidence          */
    EVIDENCE_TAKEN = 1000,  /* slots that users have started, of each of two tables */
};

#define HISTORY_BATCH                                                            \
    "SELECT id FROM history WHERE schedule = $1 AND id >= $2 ORDER BY id LIMIT " \
    "$3"

static const struct db_stmt open_runs = {
    "SELECT slot, due, started_at, attempt, state FROM runs WHERE schedule = $1 AND slot > $2"
    " AND slot <= $3 AND pass = 0 ORDER BY slot LIMIT $4",
    "iiii"};
static const struct db_stmt ended_runs = {
    "SELECT slot, due, started_at, ended_at, attempt, outcome, reason FROM history"
    " WHERE schedule = $1 AND id >= $2 AND id <= (SELECT id FROM (" HISTORY_BATCH
    ") AS batch ORDER BY id DESC LIMIT 1) AND slot > $4 AND slot <= $5 AND pass = 0"
    " AND last = 1 ORDER BY slot LIMIT $6",
    "iiiiii"};
static const struct db_stmt scanned = {"SELECT count(*) FROM (" HISTORY_BATCH ") AS batch",
                                       "iii"};
static const struct db_stmt ranges = {
    "SELECT first, last, count, outcome, reason FROM ledger WHERE schedule = $1 AND pass = 0"
    " AND first >= coalesce((SELECT max(first) FROM ledger WHERE schedule = $1 AND pass = 0"
    " AND first <= $2), $2) AND first <= $3 ORDER BY first LIMIT $4",
    "iiii"};

static const struct db_stmt counted = {
    "SELECT CAST(coalesce(sum(count), 0) AS BIGINT) FROM ledger WHERE schedule = $1"
    " AND pass = 0 AND outcome = $2 AND reason = $3",
    "iii"};

static const struct db_stmt extra_open = {
    "SELECT pass, state FROM runs WHERE schedule = $1 AND slot = $2 AND pass > 0"
    " ORDER BY pass DESC LIMIT $3",
    "iii"};
static const struct db_stmt extra_ended = {
    "SELECT pass, outcome, reason FROM history WHERE schedule = $1 AND id >= (SELECT id FROM"
    " (SELECT id FROM history WHERE schedule = $1 ORDER BY id DESC LIMIT $4) AS batch"
    " ORDER BY id LIMIT 1) AND slot = $2 AND pass > 0 AND last = 1 ORDER BY id DESC LIMIT $3",
    "iiii"};
static const struct db_stmt extra_not_started = {
    "SELECT pass, outcome, reason FROM ledger WHERE schedule = $1 AND pass > 0"
    " AND pass >= (SELECT pass FROM (SELECT pass FROM ledger WHERE schedule = $1 AND pass > 0"
    " ORDER BY pass DESC LIMIT $4) AS batch ORDER BY pass LIMIT 1)"
    " AND first <= $2 AND last >= $2 ORDER BY pass DESC LIMIT $3",
    "iiii"};

#define TAKEN(table)                                                                       \
    "SELECT DISTINCT slot FROM " table " WHERE schedule = $1 AND slot > $2 AND slot <= $3" \
    " AND pass > 0 AND " SQL_RUN_KIND("bits") " <> " SQL_RUN_TEST " ORDER BY slot LIMIT $4"
static const struct db_stmt taken_open = {TAKEN("runs"), "iiii"};
static const struct db_stmt taken_ended = {TAKEN("history"), "iiii"};

static void send_range(struct db *db, const struct db_stmt *stmt, const struct slot_range *s,
                       struct db_result *ret)
{
    db_send(db, stmt,
            (struct db_value[]){db_int(s->schedule), db_int(s->after), db_int(s->until),
                                db_int(s->limit)},
            ret);
}

void slots_evidence(struct db *db, int64_t schedule, instant after, instant until,
                    struct slot_evidence *ret)
{
    struct slot_range range = {schedule, after, until, EVIDENCE_ACCOUNTS};

    *ret = (struct slot_evidence){0};
    slots_not_started(db, &range, &ret->accounts);
    range.limit = EVIDENCE_TAKEN;
    send_range(db, &taken_open, &range, &ret->taken_open);
    send_range(db, &taken_ended, &range, &ret->taken_ended);
}

static int by_time(const void *a, const void *b)
{
    instant x = *(const instant *)a, y = *(const instant *)b;

    return (x > y) - (x < y);
}

/* Appends the slots of a result; if there may be more of them, *until is the last. */
static int add_taken(const struct db_result *rows, instant *to, int count, instant *until)
{
    for (int i = 0; i < rows->rows; i++)
        to[count + i] = db_int_at(rows, i, 0);
    if (rows->rows == EVIDENCE_TAKEN && to[count + rows->rows - 1] < *until)
        *until = to[count + rows->rows - 1];
    return count + rows->rows;
}

bool slots_evidence_read(const struct slot_evidence *evidence, struct arena *arena,
                         struct backfill_known *ret)
{
    int rows = evidence->accounts.rows;
    int taken_rows = evidence->taken_open.rows + evidence->taken_ended.rows;
    struct account *accounts = arena_array(arena, (size_t)rows, sizeof(*accounts));
    instant *taken = arena_array(arena, (size_t)taken_rows, sizeof(*taken));
    int count;

    ret->until = INSTANT_NEVER;
    for (int i = 0; i < rows; i++) {
        slots_not_started_read(&evidence->accounts, i, &accounts[i]);
        if (i > 0 && accounts[i].first <= accounts[i - 1].last)
            return false;
    }
    if (rows == EVIDENCE_ACCOUNTS)
        ret->until = accounts[rows - 1].last;
    count = add_taken(&evidence->taken_open, taken, 0, &ret->until);
    count = add_taken(&evidence->taken_ended, taken, count, &ret->until);
    if (count > 1)
        qsort(taken, (size_t)count, sizeof(*taken), by_time);
    ret->accounts = accounts;
    ret->account_count = rows;
    ret->taken = taken;
    ret->taken_count = count;
    return true;
}

void slots_count(struct db *db, int64_t schedule, enum outcome outcome, enum reason reason,
                 struct db_result *ret)
{
    db_send(db, &counted,
            (struct db_value[]){db_int(schedule), db_int((int64_t)outcome),
                                db_int((int64_t)reason)},
            ret);
}

void slots_open(struct db *db, const struct slot_range *s, struct db_result *ret)
{
    send_range(db, &open_runs, s, ret);
}

void slots_open_read(const struct db_result *result, int row, struct slot_run *ret)
{
    *ret = (struct slot_run){
        .slot = db_int_at(result, row, 0),
        .due = db_int_at(result, row, 1),
        .started_at = db_int_at(result, row, 2),
        .ended_at = INSTANT_NONE,
        .attempt = db_int_at(result, row, 3),
        .state = (enum run_state)db_int_at(result, row, 4),
    };
}

void slots_ended(struct db *db, const struct slot_range *s, struct db_result *ret)
{
    db_send(db, &ended_runs,
            (struct db_value[]){db_int(s->schedule), db_int(key_of(s->after)),
                                db_int(SLOTS_SCAN), db_int(s->after), db_int(s->until),
                                db_int(s->limit)},
            ret);
}

void slots_ended_read(const struct db_result *result, int row, struct slot_run *ret)
{
    *ret = (struct slot_run){
        .slot = db_int_at(result, row, 0),
        .due = db_int_at(result, row, 1),
        .started_at = db_int_at(result, row, 2),
        .ended_at = db_int_at(result, row, 3),
        .attempt = db_int_at(result, row, 4),
        .state = RUN_ENDED,
        .outcome = (enum outcome)db_int_at(result, row, 5),
        .reason = (enum reason)db_int_at(result, row, 6),
    };
}

void slots_scanned(struct db *db, const struct slot_range *s, struct db_result *ret)
{
    db_send(
        db, &scanned,
        (struct db_value[]){db_int(s->schedule), db_int(key_of(s->after)), db_int(SLOTS_SCAN)},
        ret);
}

void slots_not_started(struct db *db, const struct slot_range *s, struct db_result *ret)
{
    send_range(db, &ranges, s, ret);
}

void slots_not_started_read(const struct db_result *result, int row, struct account *ret)
{
    *ret = (struct account){
        .first = db_int_at(result, row, 0),
        .last = db_int_at(result, row, 1),
        .count = db_int_at(result, row, 2),
        .outcome = (enum outcome)db_int_at(result, row, 3),
        .reason = (enum reason)db_int_at(result, row, 4),
    };
}

void slots_extra_open(struct db *db, int64_t schedule, instant slot, struct db_result *ret)
{
    db_send(db, &extra_open,
            (struct db_value[]){db_int(schedule), db_int(slot), db_int(SLOTS_EXTRA_MAX)}, ret);
}

void slots_extra_ended(struct db *db, int64_t schedule, instant slot, struct db_result *ret)
{
    db_send(db, &extra_ended,
            (struct db_value[]){db_int(schedule), db_int(slot), db_int(SLOTS_EXTRA_MAX),
                                db_int(SLOTS_SCAN)},
            ret);
}

void slots_extra_not_started(struct db *db, int64_t schedule, instant slot,
                             struct db_result *ret)
{
    db_send(db, &extra_not_started,
            (struct db_value[]){db_int(schedule), db_int(slot), db_int(SLOTS_EXTRA_MAX),
                                db_int(SLOTS_SCAN)},
            ret);
}

void slots_extra_open_read(const struct db_result *result, int row, struct slot_extra *ret)
{
    *ret = (struct slot_extra){
        .pass = db_int_at(result, row, 0),
        .state = (enum run_state)db_int_at(result, row, 1),
    };
}

void slots_extra_read(const struct db_result *result, int row, struct slot_extra *ret)
{
    *ret = (struct slot_extra){
        .pass = db_int_at(result, row, 0),
        .state = RUN_ENDED,
        .outcome = (enum outcome)db_int_at(result, row, 1),
        .reason = (enum reason)db_int_at(result, row, 2),
    };
}
