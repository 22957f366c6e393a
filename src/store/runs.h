/* SPDX-License-Identifier: Apache-2.0 */
/* Table runs: every run that has not ended.  Statements are queued; see store/cursors.h. */
#pragma once

#include "core/run.h"
#include "db/db.h"

void runs_insert(struct db *db, const struct run *run, struct db_result *ret);
void runs_update(struct db *db, const struct run *run);
/* changed is 0 if the run is gone or has a higher fence: another node owns it. */
void runs_delete(struct db *db, int64_t id, int64_t fence, struct db_result *ret);

/*
 * Of the statements that return runs, only runs_ready() reads the inputs; after the others,
 * lacks_input says whether there is one.
 */

/* Locked; no row if another node holds it or it does not exist. */
void runs_lock(struct db *db, int64_t id, struct db_result *ret);
void runs_lock_slot(struct db *db, int64_t schedule, instant slot, int64_t pass,
                    struct db_result *ret);
/* (state), not locked: to find out whether the run exists. */
void runs_peek_slot(struct db *db, int64_t schedule, instant slot, int64_t pass,
                    struct db_result *ret);
/* In order of creation, locked; `held` true: only held runs, false: only the others. */
void runs_of_schedule(struct db *db, int64_t schedule, bool held, int limit,
                      struct db_result *ret);

/* (id, schedule, slot, pass) of runs with wake_at up to `now`; not locked. */
void runs_waking(struct db *db, instant now, int limit, struct db_result *ret);
void runs_next_wake(struct db *db, instant after, struct db_result *ret);
/* (id, schedule, slot, pass) of a node's runs with id after `after`; not locked. */
void runs_of_node(struct db *db, int64_t node, int64_t after, int limit, struct db_result *ret);

/* Locked, best rank first, with inputs. */
void runs_ready(struct db *db, int64_t lane, int64_t queue, int limit, struct db_result *ret);
/*
 * (count) of a queue's claimed runs; send it in a later statement than the lock of the queue's
 * row.
 */
void runs_count_claimed(struct db *db, int64_t queue, struct db_result *ret);
/* The first queue of a lane after `after` that has a ready run. */
void runs_ready_queue(struct db *db, int64_t lane, int64_t after, struct db_result *ret);
/* Runs that wait for a gate; locked, best rank first. */
void runs_gated(struct db *db, int64_t gate, int limit, struct db_result *ret);

/* The bytes of texts belong to the result. */
void runs_read(const struct db_result *result, int row, struct run *ret);
