/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What hangs on a schedule now and then: exceptions (planned slots that were cancelled) and
 * backfills; and stops, calls of other nodes whose runs were ended.  Statements are queued;
 * the schedule's cursor is the lock of all three.
 */
#pragma once

#include "base/instant.h"
#include "db/db.h"

/* changed is 0 when it was there already. */
void exceptions_insert(struct db *db, int64_t schedule, instant slot, instant now,
                       struct str by, struct db_result *ret);
void exceptions_delete(struct db *db, int64_t schedule, instant slot, struct db_result *ret);
/* (slot), ascending, after `after`. */
void exceptions_of(struct db *db, int64_t schedule, instant after, int limit,
                   struct db_result *ret);
/* Forgets those at or before `until`: they are accounted for. */
void exceptions_forget(struct db *db, int64_t schedule, instant until);

struct backfill {
    int64_t id, schedule, pass;
    instant from, until; /* inclusive, nominal times           */
    instant mark;        /* the last slot that was taken       */
    int64_t overlap;     /* enum overlap                       */
    int64_t started;     /* slots taken so far                 */
    instant created_at;
    struct str created_by;
};
void backfills_insert(struct db *db, const struct backfill *backfill);
void backfills_update(struct db *db, const struct backfill *backfill);
void backfills_delete(struct db *db, int64_t id);
void backfills_of(struct db *db, int64_t schedule, int limit, struct db_result *ret);
void backfills_read(const struct db_result *result, int row, struct backfill *ret);
void backfills_delete_all(struct db *db, int64_t schedule);

/* The node that makes the call is to hear that its run has ended. */
struct node_stop {
    int64_t id, node, schedule, pass, fence;
    instant slot;
};
void stops_insert(struct db *db, const struct node_stop *stop);
/* Takes a node's, oldest first: no row of them is left. */
void stops_take(struct db *db, int64_t node, int limit, struct db_result *ret);
void stops_read(const struct db_result *result, int row, struct node_stop *ret);
