/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ended work: tables history (attempts that ended), ledger (slots that were not started) and
 * results (last result and failure of schedules that pass them on to the next run).
 *
 * Statements are queued; see store/cursors.h.  Rows of history never change.
 */
#pragma once

#include "core/advance.h"
#include "core/run.h"
#include "db/db.h"

struct attempt_end {
    int64_t id; /* row key: made when the attempt ended, so that rows are in that order */
    const struct run *run;
    enum outcome outcome;
    enum reason reason;
    bool last; /* the run ended with this attempt */
    instant ended_at, expire_at;
    struct str error, result;        /* text, JSON; or empty */
    int64_t namespace, tokens, cost; /* cost in millionths of a dollar */
    int64_t day;                     /* of its slot, in the zone of the schedule */
};
void history_insert(struct db *db, const struct attempt_end *end);

/* Attempts of a schedule, newest first, with id below `before`. */
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
/* (input) of the run, NULL if it had none; `id` is its last attempt. */
void history_input(struct db *db, int64_t id, struct db_result *ret);

enum { HISTORY_LAST_KEYS_SCAN = 50 * 1000 }; /* attempts of some seconds; reads only keys */
/* (last key, count) per node, of the HISTORY_LAST_KEYS_SCAN attempts from key `from` on. */
void history_last_keys(struct db *db, int64_t from, struct db_result *ret);

/*
 * Deletes all but the newest `count` of a schedule, except rows that nodes other than `node`
 * have not yet counted.
 */
void history_keep(struct db *db, int64_t schedule, int count, int64_t node);
/* Rows of a node up to a key. */
struct counted_rows {
    int64_t node, until;
};

struct ledger_entry {
    int64_t id, schedule, pass;
    struct account account;
    instant written_at, expire_at;
    int64_t day;  /* of the first slot, in the zone of the schedule */
    int64_t days; /* that the slots are on, from the first to the last */
    enum run_kind kind;
};
void ledger_insert(struct db *db, const struct ledger_entry *entry);
/*
 * Extends the newest row of pass 0; the caller makes sure that it has the same outcome.
 * Inserts a row if that one is of another day or node, or has a key up to `after`.
 */
void ledger_extend(struct db *db, const struct ledger_entry *entry, int64_t after);
/* Ledger rows of a schedule with slots from `from` on, ascending. */
void ledger_of_schedule(struct db *db, int64_t schedule, instant from, int limit,
                        struct db_result *ret);
void ledger_read(const struct db_result *result, int row, struct ledger_entry *ret);

/* Storing a result clears the failure; storing a failure keeps the result. */
void results_put(struct db *db, int64_t schedule, struct str result);
void results_fail(struct db *db, int64_t schedule, struct str failure);
/* (result, failure), each NULL if there is none. */
void results_get(struct db *db, int64_t schedule, struct db_result *ret);
void results_delete(struct db *db, int64_t schedule);
