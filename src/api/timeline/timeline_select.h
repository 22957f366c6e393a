/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schedules that a request selects, in the order of their ids.
 *
 * The request may name some.  With a filter, the catalogue of the node finds them; without one,
 * or while there is no catalogue, they are read in order and matched.
 */
#pragma once

#include "api/catalogue/catalogue_list.h"
#include "api/schedules/schedule_filter.h"

enum { TIMELINE_BATCH_MAX = 32 }; /* schedules of one read: SCHEDULE_KEYS_MAX */

struct timeline_select {
    /* Set by timeline_select_begin(). */
    struct schedule_filter filter;
    struct catalogue_filter wanted;
    bool needs_catalogue; /* only the catalogue can decide about the filter */
    struct str *ids;      /* ascending                                      */
    int id_count;
    /* Set by the caller before timeline_select_open(). */
    struct db *db;
    struct str after; /* begin after this id               */
    int limit;        /* schedules that the caller wants   */
    /* The progress. */
    const struct call *call;
    struct arena *rows;
    int found;           /* schedules that were returned                         */
    bool is_done;        /* there are no more                                    */
    bool is_scanned_out; /* too many rows do not match: continue after `after`   */
    int scanned;
    bool wants_exact; /* the prefix of the filter may be an id itself */
    bool uses_catalogue;
    struct catalogue_page page;
    int next;               /* of ids, of keys, or of rows */
    struct db_result batch; /* rows in the order of ids    */
};

/* The names of the parameters, for request_query_check(). */
enum { TIMELINE_SELECT_NAMES = FILTER_NAMES + 4 };
extern const char *const timeline_select_names[TIMELINE_SELECT_NAMES];

MUST_USE enum rc timeline_select_begin(const struct call *call, struct timeline_select *ret,
                                       struct err *reterr);

/* Identifies the selection, for cursors. */
struct digest timeline_select_digest(const struct call *call);

/* CALL_READ, or the answer if the catalogue is needed but not there.  Then do not close it. */
enum call_step timeline_select_open(struct call *call, struct timeline_select *select);
/* How many schedules it has, after timeline_select_open(); -1: unknown without a catalogue. */
int64_t timeline_select_total(const struct timeline_select *select);
void timeline_select_close(struct timeline_select *select);

/*
 * The next schedules, at most TIMELINE_BATCH_MAX; their texts are valid until the next call.
 * None: is_done or is_scanned_out is set, or the caller has its limit.
 */
MUST_USE enum rc timeline_select_next(struct timeline_select *select,
                                      struct schedule_view views[static TIMELINE_BATCH_MAX],
                                      int *ret_count, struct err *reterr);
