/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `belfry check` reads: everything, in portions, to compare it with itself.
 *
 * Nothing here locks or writes.  Statements are queued; what one portion needs of another is
 * read in one transaction, so that a server at work changes nothing in between.
 */
#pragma once

#include "core/run.h"
#include "db/db.h"

/* (number) of the last migration. */
void check_version(struct db *db, struct db_result *ret);

/* SQLite alone: (name) of the tables; (text) of what is wrong with one, its indexes: "ok". */
void check_tables(struct db *db, struct db_result *ret);
void check_table(struct db *db, struct str name, struct db_result *ret);

/* By key after `after`, with their cursors, for schedule_views_read(); deleted ones too. */
void check_schedules(struct db *db, int64_t after, int limit, struct db_result *ret);
/* (count) of them, for the progress. */
void check_schedule_count(struct db *db, struct db_result *ret);

struct check_run {
    int64_t id, pass, attempt, fence, node;
    instant slot;
    enum run_kind kind;
    enum run_state state;
};
/* Open runs of a schedule in the order of slot and pass, those behind the last. */
void check_runs(struct db *db, int64_t schedule, const struct check_run *last, int limit,
                struct db_result *ret);
void check_runs_read(const struct db_result *result, int row, struct check_run *ret);

struct check_attempt {
    int64_t id, pass, attempt, fence;
    instant slot, ended_at;
    enum run_kind kind;
    enum outcome outcome;
    enum reason reason;
    bool last;
};
/* Attempts of a schedule, the newest first, with keys below `before`. */
void check_history(struct db *db, int64_t schedule, int64_t before, int limit,
                   struct db_result *ret);
void check_history_read(const struct db_result *result, int row, struct check_attempt *ret);

/* (first, last, count, outcome, reason, pass, id) of all passes, by key after `after`. */
void check_ledger(struct db *db, int64_t schedule, int64_t after, int limit,
                  struct db_result *ret);

/* (count) of a schedule's backfills. */
void check_backfills(struct db *db, int64_t schedule, struct db_result *ret);

/*
 * Rows that hang on a schedule that is not there.  A portion ends at (id) of
 * check_orphans_end(); in it, (id, schedule) of some of them.
 */
enum check_orphans {
    ORPHANS_CURSORS,   /* without a schedule            */
    ORPHANS_SCHEDULES, /* that live, without a cursor   */
    ORPHANS_RUNS,
    ORPHANS_HISTORY,
    ORPHANS_LEDGER,
    ORPHANS_LOGS,
    ORPHANS_BACKFILLS,
    ORPHANS_GATED, /* runs whose gate is not there  */
    ORPHANS_COUNT
};
const char *check_orphans_text(enum check_orphans kind);
void check_orphans_end(struct db *db, enum check_orphans kind, int64_t after, int limit,
                       struct db_result *ret);
void check_orphans(struct db *db, enum check_orphans kind, int64_t after, int64_t until,
                   struct db_result *ret);

/* Gates that count wrongly: (name, open, waiting, claimed runs, runs that wait). */
void check_gates(struct db *db, struct db_result *ret);

/* (id, name, days), by key after `after`. */
void check_calendars(struct db *db, int64_t after, int limit, struct db_result *ret);
