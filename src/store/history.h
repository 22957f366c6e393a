/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is over: tables history (attempts that ended), ledger (slots that were not started),
 * results (the last result and failure of schedules that hand them on).
 *
 * Statements are queued; see store/cursors.h.  Rows of history never change.
 */
#pragma once

#include "core/advance.h"
#include "core/run.h"
#include "db/db.h"

struct attempt_end {
    int64_t id; /* key of the row: made when it ended, so that keys are in that order */
    const struct run *run;
    enum outcome outcome;
    enum reason reason;
    bool last; /* the run has ended with it */
    instant ended_at, expire_at;
    struct str error, result;        /* text, JSON; or empty */
    int64_t namespace, tokens, cost; /* cost in millionths of a dollar */
};
void history_insert(struct db *db, const struct attempt_end *end);

/* Of a schedule, newest first, with id below `before`. */
void history_of_schedule(struct db *db, int64_t schedule, int64_t before, int limit,
                         struct db_result *ret);
struct history_row {
    int64_t id, schedule, pass, attempt, fence, kind, source, node, queue;
    instant slot, due, created_at, started_at, ended_at, expire_at;
    enum outcome outcome;
    enum reason reason;
    bool last;
    struct str worker, error, result;
};
void history_read(const struct db_result *result, int row, struct history_row *ret);
/* (input) that the run was asked with, NULL when there was none; of its last attempt. */
void history_input(struct db *db, int64_t id, struct db_result *ret);

/* Of the HISTORY_MARKS_SCAN attempts from key `from` on: (the last key, count) of each node. */
enum { HISTORY_MARKS_SCAN = 50 * 1000 }; /* ends of some seconds: only keys are read */
void history_marks(struct db *db, int64_t from, struct db_result *ret);

/* Keeps the newest `count` of a schedule, and what others than `node` have yet to count. */
void history_keep(struct db *db, int64_t schedule, int count, int64_t node);

struct ledger_entry {
    int64_t id, schedule, pass;
    struct account account;
    instant written_at, expire_at;
};
void ledger_insert(struct db *db, const struct ledger_entry *entry);
/* Continues the newest row of pass 0, which the caller knows to have the same outcome. */
void ledger_extend(struct db *db, const struct ledger_entry *entry);
/* Of a schedule, slots from `from` on, ascending. */
void ledger_of_schedule(struct db *db, int64_t schedule, instant from, int limit,
                        struct db_result *ret);
void ledger_read(const struct db_result *result, int row, struct ledger_entry *ret);

/* A result forgets the failure before it; a failure keeps the result. */
void results_put(struct db *db, int64_t schedule, struct str result);
void results_fail(struct db *db, int64_t schedule, struct str failure);
void results_get(struct db *db, int64_t schedule, struct db_result *ret); /* both or NULL */
void results_delete(struct db *db, int64_t schedule);
