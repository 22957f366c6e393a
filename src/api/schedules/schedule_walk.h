/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All schedules of a namespace in an order, a portion at a time: for APIs whose lists have no
 * cursors.
 */
#pragma once

#include "api/call/call.h"
#include "store/schedule_pages.h"
#include "store/views.h"

enum { WALK_SCHEDULES_MAX = 200 * 1000 }; /* rows that one walk looks at: about a second */

struct schedule_walk;

/* Looks at one schedule; `scratch` is emptied before each. */
typedef enum rc schedule_walk_fn(struct schedule_walk *walk, struct schedule_view *view,
                                 struct arena *scratch, struct err *reterr);

struct schedule_walk {
    const struct call *call;
    struct db *db;
    enum schedule_order order;
    bool is_descending;
    struct str after; /* ORDER_NAME: it begins behind this; empty: with the first */
    schedule_walk_fn *look;
    void *arg;
    bool is_enough; /* set by look(): the rest need not be seen */
    bool is_done;   /* there are no more                        */
};

/* `db` must be in a transaction, which may be another one at the end. */
MUST_USE enum rc schedule_walk(struct schedule_walk *walk, struct err *reterr);
