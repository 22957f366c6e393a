/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One page of the schedules of a namespace, in an order and from a cursor on: for lists and
 * exports.
 *
 * A page reads a bounded number of rows, so that its cost does not depend on its position or on
 * how many rows the filter drops; its cursor is the position that it has reached.
 */
#pragma once

#include "api/call/answer.h"
#include "api/schedules/page.h"
#include "api/schedules/schedule_filter.h"
#include "store/schedule_pages.h"

/* Prints one schedule; `scratch` is reset before each. */
typedef enum rc schedule_scan_fn(const struct call *call, const struct schedule_view *view,
                                 struct arena *scratch, struct answer *out, struct err *reterr);

struct schedule_scan {
    struct page page;
    struct schedule_filter filter;
    enum schedule_order order;
    bool is_descending;
    struct digest context;          /* of the order and the filter            */
    struct schedule_position place; /* the page continues after it            */
    field_set fields;               /* of a schedule to print; all by default */
    /* Set by the caller before schedule_scan_print(). */
    schedule_scan_fn *print;
    const char *between; /* text between two entries                             */
    bool has_before;     /* other entries precede: also print `between` at first */
    struct answer out;
    struct str cursor; /* of the next page; empty: this is the last one */
};

/* Reads limit, cursor, sort and the filter; `more` are the operation's other parameters. */
MUST_USE enum rc schedule_scan_begin(struct call *call, const char *const *more, int count,
                                     struct schedule_scan *ret, struct err *reterr);

/* Prints a page to scan->out and sets scan->cursor. */
MUST_USE enum rc schedule_scan_print(const struct call *call, struct db *db,
                                     struct schedule_scan *scan, struct err *reterr);
