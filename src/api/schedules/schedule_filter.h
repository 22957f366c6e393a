/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filter of a list of schedules.
 *
 * The filter is applied row by row and not by the database, because SQLite and PostgreSQL
 * compare letters differently.
 */
#pragma once

#include "api/call/call.h"
#include "store/views.h"

struct schedule_filter {
    struct str prefix; /* of ids                                           */
    struct str search; /* in id or description, ignoring case in ASCII     */
    struct str label, value;
    bool has_value;                   /* false: the label may have any value    */
    struct str status, action, queue; /* each text: empty matches all schedules */
};

/* The names of the parameters, for request_query_check(). */
enum { FILTER_NAMES = 6 };
extern const char *const schedule_filter_names[FILTER_NAMES];

MUST_USE enum rc schedule_filter_read(const struct call *call, struct schedule_filter *ret,
                                      struct err *reterr);

/* Sets label and value from `name`, `name=value` or `name:value`; empty: any labels. */
void schedule_filter_set_label(struct schedule_filter *filter, struct str label);

/* The filter has at most a prefix: every row that is read is shown. */
bool schedule_filter_is_plain(const struct schedule_filter *filter);

bool schedule_filter_fits(const struct schedule_filter *filter,
                          const struct schedule_view *view);
