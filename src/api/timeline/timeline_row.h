/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One schedule in a window: its plan and its past, as a list of slots or, if there are too
 * many, as counts by bucket and series of planned slots.
 */
#pragma once

#include "api/schedules/slot_entries.h"
#include "api/timeline/timeline_buckets.h"

struct timeline_row {
    struct schedule_times times;
    struct budget budget; /* of the searches of this schedule */
    int64_t steps;        /* that it was given                */
    const char *cut;      /* why it is incomplete; NULL: it is complete */
};

/*
 * Reads calendars and exceptions of row->times.view.  A plan that cannot be used, because its
 * time zone was removed or it is damaged, does not fail: row->cut says so.
 */
MUST_USE enum rc timeline_row_begin(const struct call *call, struct db *db,
                                    struct timeline_row *row, struct err *reterr);

/* About how many attempts of the schedule ended in the window. */
int64_t timeline_row_expected(const struct timeline_row *row,
                              const struct timeline_window *window, instant now);

/* Counts in call->budget what the searches have spent; row->cut says if it was too much. */
void timeline_row_end(const struct call *call, struct timeline_row *row);

/* Calls `add` for the slots of the ledger in the window; a lump has an unknown distribution. */
struct timeline_ranges {
    const struct timeline_window *window;
    timeline_series_fn *add;
    void (*lump)(void *arg, const struct account *range);
    void *arg;
};
void timeline_row_ranges(struct timeline_row *row, const struct timeline_past *past,
                         const struct timeline_ranges *to);

/* Prints the object; `call->arena` is for temporary memory. */
void timeline_row_print(const struct call *call, struct timeline_row *row,
                        const struct timeline_past *past, struct timeline_buckets *buckets,
                        int64_t slots, struct answer *out);

/* The member `queue` of an action, as stored, in quotes; empty: it has none. */
struct str timeline_row_queue(struct str action);
