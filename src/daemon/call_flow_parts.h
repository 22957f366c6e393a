/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of workflow actions share.  Nobody else includes it.
 */
#pragma once

#include "daemon/call_flow.h"
#include "daemon/call_flow_wire.h"
#include "daemon/calls_parts.h"

/* By it a later attempt knows a workflow that Belfry itself ended. */
#define FLOW_OUR_END "ended by Belfry: "

enum flow_step {
    STEP_START,  /* POST …/workflow                                        */
    STEP_FIND,   /* did the start arrive?                                  */
    STEP_FOLLOW, /* GET …/workflow/{id} until it has ended                 */
    STEP_END,    /* DELETE …/workflow/{id}                                 */
    STEP_CHECK,  /* that was refused: how is the workflow?                 */
};

struct flow {
    struct errand *errand;
    const struct flow_limits *limits;
    struct arena *scratch;       /* of the request and the answer at hand     */
    struct loop_timer *pause;    /* to the next request                       */
    struct loop_timer *deadline; /* of the attempt                            */
    struct flow_progress progress;
    struct flow_start start;
    enum flow_step step;
    bool is_calling;    /* a request is under way                                     */
    bool is_answered;   /* one has been answered, well or not                         */
    bool is_doubtful;   /* a start may have arrived                                   */
    bool is_inherited;  /* an earlier attempt's workflow, not looked at yet           */
    bool wants_end;     /* the workflow should not go on: stop, termination, deadline */
    bool is_late;       /* and that since the attempt's time is over                  */
    span wait;          /* the last pause, 0: none                                    */
    int64_t failing_us; /* clock_boot_us() of the first failure in a row; 0: none     */
    struct err why;     /* the last one */
};

/* The start as it is sent; its key goes by what is known of the run's workflows. */
void flow_make_start(struct flow *flow);

/* Sends the request of the step that is to be taken; RC as of webhook_start(). */
MUST_USE enum rc flow_ask(struct flow *flow, const struct settings_upstream *upstream,
                          webhook_done *done);
