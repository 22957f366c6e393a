/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Optional rows of a schedule: exceptions (planned slots that were cancelled) and backfills.
 * Also stops: messages to another node, to end its dispatch of a run that has ended.
 * Statements are queued; the schedule's cursor is the lock of its exceptions and backfills.
 */
#pragma once

#include "base/instant.h"
#include "db/db.h"

/* changed is 0 if it already exists. */
void exceptions_insert(struct db *db, int64_t schedule, instant slot, instant now,
                       struct str by, struct db_result *ret);
void exceptions_delete(struct db *db, int64_t schedule, instant slot, struct db_result *ret);
/* (slot), ascending, after `after`. */
void exceptions_of(struct db *db, int64_t schedule, instant after, int limit,
                   struct db_result *ret);
/* Deletes exceptions at or before `until`: these slots are accounted for. */
void exceptions_forget(struct db *db, int64_t schedule, instant until);

struct backfill {
    int64_t id, schedule, pass;
    instant from, until; /* inclusive, nominal times */
    instant mark;        /* the last slot that was processed */
    int64_t overlap;     /* enum overlap */
    int64_t started;     /* slots processed so far */
    instant created_at;
    struct str created_by;
};
void backfills_insert(struct db *db, const struct backfill *backfill);
void backfills_update(struct db *db, const struct backfill *backfill);
void backfills_delete(struct db *db, int64_t id);
void backfills_of(struct db *db, int64_t schedule, int limit, struct db_result *ret);
void backfills_read(const struct db_result *result, int row, struct backfill *ret);
void backfills_delete_all(struct db *db, int64_t schedule);

/* A message to the node that carries out a run: the run has ended. */
struct node_stop {
    int64_t id, node, schedule, pass, fence;
    instant slot;
};
void stops_insert(struct db *db, const struct node_stop *stop);
/* Deletes and returns a node's stops, oldest first. */
void stops_take(struct db *db, int64_t node, int limit, struct db_result *ret);
void stops_read(const struct db_result *result, int row, struct node_stop *ret);
