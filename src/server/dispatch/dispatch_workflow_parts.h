/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of workflow actions share.  Nobody else includes it.
 */
#pragma once

#include "server/dispatch/conductor_wire.h"
#include "server/dispatch/dispatch_parts.h"
#include "server/dispatch/dispatch_workflow.h"

/* By it a later attempt knows a workflow that Belfry itself ended. */
#define FLOW_OUR_END "ended by Belfry: "

enum flow_step {
    STEP_START,  /* has the upstream start it                              */
    STEP_FIND,   /* did the start arrive?                                  */
    STEP_FOLLOW, /* looks at it until it has ended                         */
    STEP_END,    /* has it ended                                           */
    STEP_CHECK,  /* that was refused: how is the workflow?                 */
};

enum flow_meaning {
    FLOW_GOOD,
    FLOW_PASSING, /* another try may go better                                   */
    FLOW_REFUSED, /* it will not                                                 */
    FLOW_TAKEN,   /* of a start: a workflow that is not ours has the id          */
    FLOW_GONE,    /* of an end: there is no such workflow, so nothing to be ended */
};

/* What an answer means, whatever the upstream speaks.  Texts are in the scratch. */
struct flow_answer {
    enum flow_meaning meaning;
    bool is_doubtful;      /* what was asked for may have been done all the same        */
    bool is_too_late;      /* the node's lease has run out before it could be sent      */
    bool asks_on;          /* nothing has happened yet: ask again without a pause       */
    struct str id, run_id; /* of what was started or found; empty: nothing was found    */
    struct flow_seen seen; /* of STEP_END: FLOW_OPEN when its end is still to come      */
};

struct flow;

/* A kind of upstream. */
struct flow_engine {
    /* Sends the request of the step that is to be taken; RC as of webhook_start(). */
    enum rc (*ask)(struct flow *flow, const struct upstream_settings *upstream,
                   webhook_done *done);
    /* Fills in *ret; where the meaning is not good, why is in flow->why. */
    void (*read)(struct flow *flow, const struct webhook_result *result,
                 struct flow_answer *ret);
    bool repeats; /* a start that is sent again is the same start: no need to look for it */
    enum outcome terminated; /* of a workflow that somebody else terminated */
};

extern const struct flow_engine flow_conductor, flow_temporal;

struct flow {
    struct dispatch *dispatch;
    const struct flow_limits *limits;
    const struct flow_engine *engine;
    void *state;                 /* the engine's                              */
    struct webhook_pool *pool;   /* of the request that is under way          */
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
    bool is_asked;      /* and it has been asked to, and ends when it likes           */
    bool is_late;       /* and that since the attempt's time is over                  */
    span wait;          /* the last pause, 0: none                                    */
    int64_t failing_us; /* clock_boot_us() of the first failure in a row; 0: none     */
    struct err why;     /* the last one */
};

/* The workflow's input as JSON, with what every workflow is told; in the errand's arena. */
struct str flow_input(struct dispatch *dispatch);

/* A request as all of them are, for the engine to complete. */
struct webhook_request flow_request(const struct flow *flow,
                                    const struct upstream_settings *upstream,
                                    const struct address_policy *policy);
