/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table cursors: the lock of everything that hangs on a schedule.
 *
 * These functions queue statements; results are there after the next flush.  Whoever
 * changes a schedule's cursor, runs, backfills or exceptions has locked its cursor in the
 * same transaction, and reads the rest in a later statement.
 */
#pragma once

#include "core/cursor.h"
#include "db/db.h"

/* Due in [floor, now], in order of waking; locked, what others hold is left out. */
void cursors_due(struct db *db, instant floor, instant now, int limit, struct db_result *ret);

/* Locks one; no row when it does not exist or another node holds it. */
void cursors_lock(struct db *db, int64_t id, struct db_result *ret);

/* Reads one without locking: whether it exists at all. */
void cursors_peek(struct db *db, int64_t id, struct db_result *ret);

/* The first wake after `after`: one row, one number; no row: none. */
void cursors_next_wake(struct db *db, instant after, struct db_result *ret);

void cursors_read(const struct db_result *result, int row, struct cursor *ret);

void cursors_insert(struct db *db, const struct cursor *cursor);
void cursors_update(struct db *db, const struct cursor *cursor);
/* Writes what is not as it was; a plain start and a plain end touch the fewest columns. */
void cursors_change(struct db *db, const struct cursor *was, const struct cursor *now);
void cursors_delete(struct db *db, int64_t id);

/* Not locked, (id): a portion of those with key after `after`. */
void cursors_touch(struct db *db, int64_t after, int limit, struct db_result *ret);
