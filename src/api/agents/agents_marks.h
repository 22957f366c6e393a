/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which executions of agents that are over fit a question, in order of their begin.
 *
 * No index is in that order, and a page tells how many there are in all: the attempts of the
 * database are walked through by a few numbers of each, from the newest end on, to a bound.
 */
#pragma once

#include "api/agents/agents.h"
#include "api/agents/agents_range.h"
#include "store/views.h"

struct agents_query {
    struct agents_filter filter;
    struct str status; /* empty: any */
    struct agents_range range;
};

struct agents_mark {
    instant begin;
    int64_t id; /* of the row */
};

struct agents_marks {
    struct agents_mark *list; /* the latest begin first */
    int64_t count;
};

/* "SUCCESS", "FAIL" or "CANCELLED". */
const char *agents_result(enum outcome outcome);

/* When an attempt began; one that never did, when it ended. */
instant agents_begin(instant started_at, instant ended_at);

MUST_USE enum rc agents_marks_find(struct call *call, struct db *db,
                                   const struct agents_query *question,
                                   struct agents_marks *ret, struct err *reterr);
