/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables events (one packed row a turn and node) and requests (answers that are kept so
 * that a request that comes twice is done once), and the pruning of all old rows.
 *
 * Statements are queued.
 */
#pragma once

#include "base/instant.h"
#include "db/db.h"

/* Events seq .. seq + count - 1 of a node. */
void events_insert(struct db *db, int64_t node, int64_t seq, int64_t count, instant at,
                   struct str body);
/* The number of a node's last event: no row when there is none. */
void events_last(struct db *db, struct str node, struct db_result *ret);
/* (seq, count, at, body) of a node, from the row that holds `seq` on. */
void events_of(struct db *db, int64_t node, int64_t seq, int limit, struct db_result *ret);

struct request {
    int64_t namespace;
    struct str name;     /* the key that the client chose      */
    int64_t fingerprint; /* of what it asked for               */
    int64_t rc;          /* enum rc of the answer              */
    struct str reply;    /* the answer                         */
    instant expire_at;
};
/* Takes the key, before the work is done; changed is 0 when it was used. */
void requests_insert(struct db *db, const struct request *request, struct db_result *ret);
void requests_find(struct db *db, int64_t namespace, struct str name, struct db_result *ret);
void requests_finish(struct db *db, const struct request *request);
void requests_delete(struct db *db, int64_t namespace, struct str name);
void requests_read(const struct db_result *result, int row, struct request *ret);

/* A portion of rows that have outlived their use; changed says how many went. */
void prune_history(struct db *db, int64_t after, int64_t until, instant now,
                   struct db_result *ret);
/* The key that ends the next portion after `after`: (id), no row when there is none left. */
void prune_history_portion(struct db *db, int64_t after, int limit, struct db_result *ret);
void prune_ledger(struct db *db, int64_t after, int64_t until, instant now,
                  struct db_result *ret);
void prune_ledger_portion(struct db *db, int64_t after, int limit, struct db_result *ret);
void prune_events(struct db *db, int64_t node, instant before, int limit);
/* (id) of a node that is down and has older events; locked, no row: none, or another has it. */
void prune_events_left(struct db *db, instant before, struct db_result *ret);
void prune_requests(struct db *db, instant now, int limit);
/* Schedules of which nothing is left, deleted by `before`: events tell of them until then. */
void prune_schedules(struct db *db, int64_t after, int64_t until, instant before);
void prune_schedules_portion(struct db *db, int64_t after, int limit, struct db_result *ret);
