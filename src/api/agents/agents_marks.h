/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the past executions of agents that match a query, in order of their start.
 *
 * No index has that order, and a page shows the total count.  Therefore the server reads a few
 * columns of all attempts in the database, newest end first, up to a limit.
 */
#pragma once

#include "api/agents/agents.h"
#include "store/views.h"

struct agents_query {
    struct agents_filter filter;
    struct str status; /* empty: any */
    struct agents_range range;
};

/* One matching attempt. */
struct agents_mark {
    instant start;
    int64_t id; /* of the row */
};

struct agents_marks {
    struct agents_mark *list; /* newest start first */
    int64_t count;
};

/* "SUCCESS", "FAIL" or "CANCELLED". */
const char *agents_result_status(enum outcome outcome);

/* The start of an attempt; if it never started, its end. */
instant agents_start_time(instant started_at, instant ended_at);

MUST_USE enum rc agents_marks_find(struct call *call, struct db *db,
                                   const struct agents_query *query, struct agents_marks *ret,
                                   struct err *reterr);
