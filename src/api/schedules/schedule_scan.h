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
    /* An export lists other objects before the schedules, in parts from 1 to part_count. */
    int part_count;        /* set before schedule_scan_begin(); 0: only schedules          */
    int part;              /* in which the cursor is; 0: in the schedules, or no cursor    */
    struct str part_after; /* the position in that part                                    */
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
    bool has_before;     /* print `between` before the first entry too           */
    struct answer out;
    struct str cursor; /* of the next page; empty: this is the last one */
};

/* Reads limit, cursor, sort and the filter; `more` are the operation's other parameters. */
MUST_USE enum rc schedule_scan_begin(struct call *call, const char *const *more, int count,
                                     struct schedule_scan *ret, struct err *reterr);

/* The cursor of a page that ends in one of the parts before the schedules. */
struct str schedule_scan_part_cursor(const struct schedule_scan *scan, int part,
                                     struct str after, struct arena *arena);

/* Prints a page to scan->out and sets scan->cursor. */
MUST_USE enum rc schedule_scan_print(const struct call *call, struct db *db,
                                     struct schedule_scan *scan, struct err *reterr);

/* Schedules by key, in their order; `done` of them are printed. */
struct schedule_keys {
    const int64_t *at;
    int count, done;
};

/*
 * Prints these schedules instead of those that the filter selects; those that are deleted are
 * left out.  The page is full if keys->done is less than keys->count.
 */
MUST_USE enum rc schedule_scan_print_keys(const struct call *call, struct db *db,
                                          struct schedule_scan *scan,
                                          struct schedule_keys *keys, struct err *reterr);
