/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Visits all schedules of a namespace in an order, in batches: for APIs whose lists have no
 * cursors.
 */
#pragma once

#include "api/call/call.h"
#include "store/schedule_pages.h"
#include "store/views.h"

enum { WALK_SCHEDULES_MAX = 200 * 1000 }; /* rows that one walk reads: about a second */

struct schedule_walk;

/* Visits one schedule; `scratch` is reset before each. */
typedef enum rc schedule_walk_fn(struct schedule_walk *walk, struct schedule_view *view,
                                 struct arena *scratch, struct err *reterr);

struct schedule_walk {
    const struct call *call;
    struct db *db;
    enum schedule_order order;
    bool is_descending;
    struct str after; /* ORDER_NAME: start after this name; empty: with the first */
    schedule_walk_fn *look;
    void *arg;
    bool is_enough; /* set by look() to stop the walk   */
    bool is_done;   /* all schedules have been visited  */
};

/* `db` must be in a transaction; the walk may end it and begin another one. */
MUST_USE enum rc schedule_walk(struct schedule_walk *walk, struct err *reterr);
