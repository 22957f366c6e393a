/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What became of the automatic slots of a schedule in a stretch of time: three statements, for
 * runs that are open, runs that are over and slots that were not started; and what people asked
 * for besides.
 *
 * Nothing here locks; it is for connections that only read.  Statements are queued.
 */
#pragma once

#include "core/advance.h"
#include "core/run.h"
#include "db/db.h"

enum { SLOTS_SCAN = 5000 }; /* attempts among which those of a stretch are looked for */

/* Nominal times in (after, until], the `limit` earliest. */
struct slot_stretch {
    int64_t schedule;
    instant after, until;
    int limit;
};

struct slot_run {
    instant slot, due, started_at, ended_at; /* INSTANT_NONE: not yet */
    int64_t attempt;
    enum run_state state;
    enum outcome outcome; /* OUTCOME_NONE: it is open */
    enum reason reason;
};

/* By slot; in order of an index. */
void slots_open(struct db *db, const struct slot_stretch *stretch, struct db_result *ret);
void slots_open_read(const struct db_result *result, int row, struct slot_run *ret);

/*
 * By slot, among the first SLOTS_SCAN attempts that ended after the stretch began: a run ends
 * after its slot.  When slots_scanned() says that there are as many, one that took very
 * long may be missing.
 */
void slots_ended(struct db *db, const struct slot_stretch *stretch, struct db_result *ret);
void slots_ended_read(const struct db_result *result, int row, struct slot_run *ret);
void slots_scanned(struct db *db, const struct slot_stretch *stretch, struct db_result *ret);

/*
 * What was asked for at one slot besides, by backfills and by runs that were started once more:
 * runs that are open, runs that are over and what was not started; the newest first, at most
 * SLOTS_BESIDE of each, of the last two among about the newest SLOTS_SCAN of the schedule.
 */
enum { SLOTS_BESIDE = 3 };
struct slot_beside {
    int64_t pass;
    enum run_state state; /* RUN_ENDED: see outcome */
    enum outcome outcome;
    enum reason reason;
};
void slots_beside_open(struct db *db, int64_t schedule, instant slot, struct db_result *ret);
void slots_beside_ended(struct db *db, int64_t schedule, instant slot, struct db_result *ret);
void slots_beside_not_started(struct db *db, int64_t schedule, instant slot,
                              struct db_result *ret);
void slots_beside_open_read(const struct db_result *result, int row, struct slot_beside *ret);
/* Of both others. */
void slots_beside_read(const struct db_result *result, int row, struct slot_beside *ret);

/* (count): slots of pass 0 that ended so for that reason, as far as the ledger has them. */
void slots_count(struct db *db, int64_t schedule, enum outcome outcome, enum reason reason,
                 struct db_result *ret);

/* Ranges, ascending; the first may lie before the stretch as a whole. */
void slots_not_started(struct db *db, const struct slot_stretch *stretch,
                       struct db_result *ret);
void slots_not_started_read(const struct db_result *result, int row, struct account *ret);
