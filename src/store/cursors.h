/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table cursors: one row per schedule; it is the lock of all rows of that schedule.
 *
 * These functions queue statements; results are available after the next flush.  A transaction
 * that changes a schedule's cursor, runs, backfills or exceptions must first lock the cursor
 * and read the other rows in a later statement.
 */
#pragma once

#include "core/cursor.h"
#include "db/db.h"

/* Cursors with wake_at in [floor, now], by wake_at; locked, without those that others lock. */
void cursors_due(struct db *db, instant floor, instant now, int limit, struct db_result *ret);

/* Locks one; no row if it does not exist or another node holds it. */
void cursors_lock(struct db *db, int64_t id, struct db_result *ret);

/* Reads one without a lock, to find out whether it exists. */
void cursors_peek(struct db *db, int64_t id, struct db_result *ret);

/* The first wake_at after `after`: one row with one number, or no row. */
void cursors_next_wake(struct db *db, instant after, struct db_result *ret);

void cursors_read(const struct db_result *result, int row, struct cursor *ret);

void cursors_insert(struct db *db, const struct cursor *cursor);
void cursors_update(struct db *db, const struct cursor *cursor);
/* Writes the changed columns: few after a plain start or a plain end, all otherwise. */
void cursors_change(struct db *db, const struct cursor *was, const struct cursor *now);
void cursors_delete(struct db *db, int64_t id);

/* (id) of up to `limit` cursors with keys after `after`; does not lock. */
void cursors_list_keys(struct db *db, int64_t after, int limit, struct db_result *ret);
