/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The statements of `belfry check`: they read every table in batches, so that rows can be
 * compared with each other.
 *
 * Nothing here locks or writes.  Statements are queued; rows that are compared with each other
 * are read in one transaction, so that a running server changes nothing in between.
 */
#pragma once

#include "core/run.h"
#include "db/db.h"

/*
 * SQLite only: (name) of the tables; (text) of each problem of a table and its indexes, or
 * "ok".
 */
void check_tables(struct db *db, struct db_result *ret);
void check_table(struct db *db, struct str name, struct db_result *ret);

/* By key after `after`, with their cursors, for schedule_views_read(); also deleted ones. */
void check_schedules(struct db *db, int64_t after, int limit, struct db_result *ret);
/* (count) of all schedules, for the progress report. */
void check_schedule_count(struct db *db, struct db_result *ret);

struct check_run {
    int64_t id, pass, attempt, fence, node;
    instant slot;
    enum run_kind kind;
    enum run_state state;
};
/* Open runs of a schedule by slot and pass, those after `last`. */
void check_runs(struct db *db, int64_t schedule, const struct check_run *last, int limit,
                struct db_result *ret);
void check_runs_read(const struct db_result *result, int row, struct check_run *ret);

struct check_attempt {
    int64_t id, pass, attempt, fence;
    instant slot, due, started_at, ended_at;
    enum run_kind kind;
    enum outcome outcome;
    enum reason reason;
    bool last;
};
/* Attempts of a schedule, newest first, with keys below `before`. */
void check_history(struct db *db, int64_t schedule, int64_t before, int limit,
                   struct db_result *ret);
void check_history_read(const struct db_result *result, int row, struct check_attempt *ret);

/* (first, last, count, outcome, reason, pass, id) for all passes, by key after `after`. */
void check_ledger(struct db *db, int64_t schedule, int64_t after, int limit,
                  struct db_result *ret);

/* (count) of a schedule's backfills. */
void check_backfills(struct db *db, int64_t schedule, struct db_result *ret);

/*
 * Rows that name a schedule or a gate that does not exist.  A batch ends at the (id) that
 * check_orphans_end() returns; check_orphans() returns (id, schedule) of some orphans in it.
 */
enum check_orphans {
    ORPHANS_CURSORS,   /* without a schedule */
    ORPHANS_SCHEDULES, /* not deleted, without a cursor */
    ORPHANS_RUNS,
    ORPHANS_HISTORY,
    ORPHANS_LEDGER,
    ORPHANS_LOGS,
    ORPHANS_BACKFILLS,
    ORPHANS_GATED, /* runs whose gate does not exist */
    ORPHANS_COUNT
};
const char *check_orphans_text(enum check_orphans kind);
void check_orphans_end(struct db *db, enum check_orphans kind, int64_t after, int limit,
                       struct db_result *ret);
void check_orphans(struct db *db, enum check_orphans kind, int64_t after, int64_t until,
                   struct db_result *ret);

/* Gates with a wrong count: (name, open, waiting, claimed runs, waiting runs). */
void check_gates(struct db *db, struct db_result *ret);

/* (id, name, days), by key after `after`. */
void check_calendars(struct db *db, int64_t after, int limit, struct db_result *ret);
