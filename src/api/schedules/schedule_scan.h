/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schedules of a namespace in an order, from a cursor on, as far as a page goes: what lists
 * and exports have in common.
 *
 * A page looks at a bounded number of rows, so that it costs the same wherever it is and
 * whatever a filter leaves out; its cursor then says where to go on.
 */
#pragma once

#include "api/call/answer.h"
#include "api/schedules/page.h"
#include "api/schedules/schedule_filter.h"
#include "store/schedule_pages.h"

/* Prints one schedule; `scratch` is emptied before each. */
typedef enum rc schedule_scan_fn(const struct call *call, const struct schedule_view *view,
                                 struct arena *scratch, struct answer *out, struct err *reterr);

struct schedule_scan {
    struct page page;
    struct schedule_filter filter;
    enum schedule_order order;
    bool is_descending;
    struct digest of;            /* the order and the filter */
    struct schedule_place place; /* behind which it goes on */
    field_set fields;            /* of a schedule, that are printed: all unless set */
    /* For telling. */
    schedule_scan_fn *print;
    const char *between; /* before every entry but the first */
    bool has_before;     /* entries of another kind stand before: the first is not */
    struct answer out;
    struct str cursor; /* where the next page begins; empty at the end */
};

/* Reads limit, cursor, sort and the filter, with `more` parameters of the operation. */
MUST_USE enum rc schedule_scan_begin(struct call *call, const char *const *more, int count,
                                     struct schedule_scan *ret, struct err *reterr);

/* Prints a page to scan->out, and tells scan->cursor. */
MUST_USE enum rc schedule_scan_tell(const struct call *call, struct db *db,
                                    struct schedule_scan *scan, struct err *reterr);
