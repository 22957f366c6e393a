/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which schedules of a namespace a list shows.
 *
 * What a filter asks is decided row by row, not by the database: how it compares letters
 * would hang on which one it is.
 */
#pragma once

#include "api/call/call.h"
#include "store/views.h"

struct schedule_filter {
    struct str prefix; /* of ids; empty: all, as each of them                       */
    struct str search; /* in id or description, whatever the case of ASCII letters  */
    struct str label, value;
    bool has_value; /* else any                                                  */
    struct str status, action, queue;
};

/* The names of the parameters, for request_query_check(). */
enum { FILTER_NAMES = 6 };
extern const char *const schedule_filter_names[FILTER_NAMES];

/* Reads the query. */
MUST_USE enum rc schedule_filter_read(const struct call *call, struct schedule_filter *ret,
                                      struct err *reterr);

/* It says no more than a prefix: every row that is read is shown. */
bool schedule_filter_is_plain(const struct schedule_filter *filter);

bool schedule_filter_fits(const struct schedule_filter *filter,
                          const struct schedule_view *view);
