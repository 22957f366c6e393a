/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The outcome of a schedule's automatic slots in a time range, in three statements: open runs,
 * ended runs and slots that were not started.  Also the extra runs that users requested for a
 * slot.
 *
 * Nothing here locks; it is for read-only connections.  Statements are queued.
 */
#pragma once

#include "base/arena.h"
#include "core/advance.h"
#include "core/backfill.h"
#include "core/run.h"
#include "db/db.h"

enum { SLOTS_SCAN = 5000 }; /* maximum attempts that a query searches */

/* Nominal times in (after, until], the `limit` earliest. */
struct slot_range {
    int64_t schedule;
    instant after, until;
    int limit;
};

struct slot_run {
    instant slot, due, started_at, ended_at; /* INSTANT_NONE: not yet */
    int64_t attempt;
    enum run_state state;
    enum outcome outcome; /* OUTCOME_NONE: open */
    enum reason reason;
};

/* By slot, in index order. */
void slots_open(struct db *db, const struct slot_range *range, struct db_result *ret);
void slots_open_read(const struct db_result *result, int row, struct slot_run *ret);

/*
 * By slot, among the first SLOTS_SCAN attempts that ended after the range began; a run ends
 * after its slot.  If slots_scanned() returns SLOTS_SCAN, a run that took very long may be
 * missing.
 */
void slots_ended(struct db *db, const struct slot_range *range, struct db_result *ret);
void slots_ended_read(const struct db_result *result, int row, struct slot_run *ret);
void slots_scanned(struct db *db, const struct slot_range *range, struct db_result *ret);

/*
 * Extra runs of one slot, from backfills and repeated runs: open runs, ended runs and slots
 * that were not started.  Newest first, at most SLOTS_EXTRA_MAX of each; the last two kinds are
 * searched among about the newest SLOTS_SCAN rows of the schedule.
 */
enum { SLOTS_EXTRA_MAX = 3 };
struct slot_extra {
    int64_t pass;
    enum run_state state; /* RUN_ENDED: see outcome */
    enum outcome outcome;
    enum reason reason;
};
void slots_extra_open(struct db *db, int64_t schedule, instant slot, struct db_result *ret);
void slots_extra_ended(struct db *db, int64_t schedule, instant slot, struct db_result *ret);
void slots_extra_not_started(struct db *db, int64_t schedule, instant slot,
                             struct db_result *ret);
void slots_extra_open_read(const struct db_result *result, int row, struct slot_extra *ret);
/* For slots_extra_ended() and slots_extra_not_started(). */
void slots_extra_read(const struct db_result *result, int row, struct slot_extra *ret);

/*
 * What is known about the slots in (after, until], to find those that were not started: the
 * ledger, and the slots that triggers and backfills have started.  It may end earlier, at
 * backfill_known.until, which is after `after`.
 */
struct slot_evidence {
    struct db_result accounts, taken_open, taken_ended;
};
void slots_evidence(struct db *db, int64_t schedule, instant after, instant until,
                    struct slot_evidence *ret);
/* Sets the lists and `until` of *ret.  False: rows of the ledger overlap. */
bool slots_evidence_read(const struct slot_evidence *evidence, struct arena *arena,
                         struct backfill_known *ret);

/* (count) of slots of pass 0 with this outcome and reason that are still in the ledger. */
void slots_count(struct db *db, int64_t schedule, enum outcome outcome, enum reason reason,
                 struct db_result *ret);

/* Ranges, ascending; the first may end before the time range begins. */
void slots_not_started(struct db *db, const struct slot_range *range, struct db_result *ret);
void slots_not_started_read(const struct db_result *result, int row, struct account *ret);
