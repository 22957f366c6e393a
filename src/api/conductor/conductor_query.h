/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The query of Conductor's search for executions, in both of its forms:
 *
 *     scheduleName IN (a,b) AND state IN (FAILED) AND workflowName=part AND scheduledTime>ms
 *     status IN (EXECUTED) AND workflowType IN (a,b) AND startTime<ms AND executionId='x'
 *
 * Pure.  As in Conductor, a clause on an unknown field is ignored, and one bare word is the
 * name of a schedule.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/instant.h"
#include "base/str.h"

enum { QUERY_LIST_MAX = 100 }; /* names of one list */

enum execution_state { EXECUTION_POLLED, EXECUTION_EXECUTED, EXECUTION_FAILED };
const char *execution_state_text(enum execution_state state);

struct query_list {
    struct str names[QUERY_LIST_MAX];
    int count;
    bool is_set; /* false: any */
};

struct conductor_query {
    struct query_list schedules, states, workflows;
    struct str workflow_part, id, text; /* empty: any                              */
    instant slot_after, slot_before;    /* both exclusive                          */
    instant run_after, run_before;      /* exclusive; time of the execution        */
};

/* The fields of an execution that a search uses; empty texts: none. */
struct conductor_found {
    struct str id, schedule, workflow, workflow_id;
    enum execution_state state;
    instant slot, executed;
};

extern const struct conductor_query conductor_query_all; /* finds every execution */

/* The texts point into `query` and `text`; the text "*" matches all. */
enum rc conductor_query_read(struct str query, struct str text, struct conductor_query *ret,
                             struct err *reterr);

bool conductor_query_fits(const struct conductor_query *query,
                          const struct conductor_found *found);

enum execution_order { BY_SLOT, BY_EXECUTED, BY_SCHEDULE, BY_WORKFLOW, BY_STATE };
struct conductor_sort {
    enum execution_order by;
    bool is_ascending;
};

/* "startTime:ASC,…": the first counts; the default direction is descending. */
struct conductor_sort conductor_sort_read(struct str text);

/* As for qsort(); equal executions are in order of their ids. */
int conductor_sort_compare(const struct conductor_sort *sort, const struct conductor_found *a,
                           const struct conductor_found *b);
