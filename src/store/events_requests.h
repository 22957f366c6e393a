/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables events (one packed row per turn and node) and requests (stored answers, so that a
 * repeated request is executed once), and the pruning of all old rows.
 *
 * Statements are queued.
 */
#pragma once

#include "base/instant.h"
#include "db/db.h"

/* Events seq .. seq + count - 1 of a node. */
void events_insert(struct db *db, int64_t node, int64_t seq, int64_t count, instant at,
                   struct str body);
/* The number of a node's last event; no row if it has none. */
void events_last(struct db *db, struct str node, struct db_result *ret);
/* (seq, count, at, body) of a node, starting with the row that contains `seq`. */
void events_of(struct db *db, int64_t node, int64_t seq, int limit, struct db_result *ret);

struct request {
    int64_t namespace;
    struct str name;     /* idempotency key, chosen by the client */
    int64_t fingerprint; /* of the request */
    int64_t rc;          /* enum rc of the answer */
    struct str reply;
    instant expire_at;
};
/* Claims the key before the work is done; changed is 0 if the key is in use. */
void requests_insert(struct db *db, const struct request *request, struct db_result *ret);
void requests_find(struct db *db, int64_t namespace, struct str name, struct db_result *ret);
void requests_finish(struct db *db, const struct request *request);
void requests_delete(struct db *db, int64_t namespace, struct str name);
void requests_read(const struct db_result *result, int row, struct request *ret);

/* Deletes a batch of expired rows; changed is the number of deleted rows. */
void prune_history(struct db *db, int64_t after, int64_t until, instant now,
                   struct db_result *ret);
/* (id) of the last key of the next batch after `after`; no row if there are no more. */
void prune_history_batch_end(struct db *db, int64_t after, int limit, struct db_result *ret);
void prune_ledger(struct db *db, int64_t after, int64_t until, instant now,
                  struct db_result *ret);
void prune_ledger_batch_end(struct db *db, int64_t after, int limit, struct db_result *ret);
void prune_events(struct db *db, int64_t node, instant before, int limit);
/*
 * (id) of a node that is down and has older events; locks its row.  No row: there is none, or
 * another node holds the lock.
 */
void prune_events_down_node(struct db *db, instant before, struct db_result *ret);
void prune_requests(struct db *db, instant now, int limit);
/*
 * Deletes schedules that were marked as deleted at or before `before`, if no other row refers
 * to them.  The caller chooses a `before` so early that no stored event names them.
 */
void prune_schedules(struct db *db, int64_t after, int64_t until, instant before);
void prune_schedules_batch_end(struct db *db, int64_t after, int limit, struct db_result *ret);
