/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of schedules in the orders that people ask for, read by schedule_views_read().
 *
 * Nothing here locks; it is for connections that only read.  Statements are queued.
 */
#pragma once

#include "base/instant.h"
#include "db/db.h"

enum schedule_order { ORDER_NAME, ORDER_CREATED, ORDER_UPDATED, ORDER_COUNT };

/* Where a page begins: behind this, in the order of the list. */
struct schedule_place {
    struct str name; /* ORDER_NAME                        */
    instant at;      /* ORDER_UPDATED: time of the change */
    int64_t id;      /* ORDER_UPDATED, ORDER_CREATED      */
};

/* Before the first of them. */
struct schedule_place schedule_place_begin(bool is_descending);

struct schedule_batch {
    int64_t namespace;
    enum schedule_order order;
    bool is_descending;
    struct schedule_place after;
    int limit;
};

/*
 * By name and by the last change a page costs the rows that it returns.  By creation it is a
 * stretch of `limit` keys, of which those of the namespace are returned: there may be none
 * of them, and schedule_pages_end() tells where the stretch ends.
 */
void schedule_pages_read(struct db *db, const struct schedule_batch *portion,
                         struct db_result *ret);
/* (count): those of a dialect in the namespace whose cursor has none of the flags. */
void schedule_pages_count(struct db *db, int64_t namespace, int64_t dialect, int64_t flags,
                          struct db_result *ret);
/* ORDER_CREATED: (id) of the last key of the stretch; no row when it is empty. */
void schedule_pages_end(struct db *db, const struct schedule_batch *portion,
                        struct db_result *ret);
