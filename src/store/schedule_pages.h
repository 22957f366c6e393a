/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of schedules in several orders, to be read by schedule_views_read().
 *
 * Nothing here locks; it is for read-only connections.  Statements are queued.
 */
#pragma once

#include "base/instant.h"
#include "db/db.h"

enum schedule_order { ORDER_NAME, ORDER_CREATED, ORDER_UPDATED, ORDER_COUNT };

/* Where a page begins: after this position, in the order of the list. */
struct schedule_position {
    struct str name; /* ORDER_NAME */
    instant at;      /* ORDER_UPDATED: time of the change */
    int64_t id;      /* ORDER_UPDATED, ORDER_CREATED */
};

/* The position before the first schedule. */
struct schedule_position schedule_position_begin(bool is_descending);

struct schedule_batch {
    int64_t namespace;
    enum schedule_order order;
    bool is_descending;
    struct schedule_position after;
    int limit;
};

/*
 * By name and by last change, a page costs the rows that it returns.  By creation, a page is a
 * range of `limit` keys, of which those of the namespace are returned; it may be empty, and
 * schedule_pages_end() returns where the range ends.
 */
void schedule_pages_read(struct db *db, const struct schedule_batch *batch,
                         struct db_result *ret);
/* (count) of a dialect's schedules in the namespace whose cursor has none of the flags. */
void schedule_pages_count(struct db *db, int64_t namespace, int64_t dialect, int64_t flags,
                          struct db_result *ret);
/* ORDER_CREATED: (id) of the last key of the range; no row if it is empty. */
void schedule_pages_end(struct db *db, const struct schedule_batch *batch,
                        struct db_result *ret);

/* Schedules that are not deleted, by their keys, at most SCHEDULE_KEYS_MAX, in any order. */
enum { SCHEDULE_KEYS_MAX = 32 };
void schedule_pages_keys(struct db *db, const int64_t *keys, int count, struct db_result *ret);
