/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files of workflow actions.  Other files do not include it.
 */
#pragma once

#include "server/dispatch/conductor_wire.h"
#include "server/dispatch/dispatch_parts.h"
#include "server/dispatch/dispatch_workflow.h"

/* By this prefix, a later attempt recognizes a workflow that Belfry ended. */
#define FLOW_OUR_END "ended by Belfry: "

enum { FLOW_SCRATCH_MAX = 64 << 20 }; /* a request, and a parsed DISPATCH_FOLLOW_MAX */

enum flow_step {
    STEP_START,  /* start the workflow                   */
    STEP_FIND,   /* look for it: did the start arrive?   */
    STEP_FOLLOW, /* poll it until it ends                */
    STEP_END,    /* end it                               */
    STEP_CHECK,  /* ending was rejected: has it ended?   */
};

enum flow_meaning {
    FLOW_GOOD,
    FLOW_TEMPORARY, /* a retry may succeed                     */
    FLOW_REFUSED,   /* a retry is useless                      */
    FLOW_TAKEN,     /* of a start: another workflow has the id */
    FLOW_GONE,      /* of an end: the workflow does not exist  */
    FLOW_MORE,      /* of a lookup: send the next request      */
    FLOW_ABSENT,    /* of a lookup: the workflow does not exist */
};

/* The meaning of an answer, for every kind of upstream.  Texts are in the scratch arena. */
struct flow_answer {
    enum flow_meaning meaning;
    bool is_doubtful;      /* the upstream may have carried out the request        */
    bool is_slow;          /* it may still be at work on the request               */
    bool is_too_late;      /* the node's lease expired before the request was sent */
    bool continue_now;     /* continue without a pause                             */
    bool has_waited;       /* the answer came after a wait in the upstream         */
    struct str id, run_id; /* of the workflow; empty: none found                   */
    struct flow_seen seen; /* after STEP_END: FLOW_OPEN if it will end later       */
};

struct flow;

/* A kind of upstream. */
struct flow_kind {
    /* Sends the request of the current step; returns the rc of webhook_start(). */
    enum rc (*send)(struct flow *flow, const struct upstream_settings *upstream,
                    webhook_done *done);
    /* Fills in *ret; sets flow->why unless the meaning is FLOW_GOOD. */
    void (*read)(struct flow *flow, const struct webhook_result *result,
                 struct flow_answer *ret);
    bool repeats;            /* the upstream recognizes a repeated start; no search needed */
    enum outcome terminated; /* outcome of a workflow that someone else terminated         */
};

extern const struct flow_kind flow_conductor, flow_temporal;

struct flow {
    struct dispatch *dispatch;
    const struct flow_limits *limits;
    const struct flow_kind *kind;
    void *state;                 /* of the kind of upstream           */
    struct webhook_pool *pool;   /* of the request in progress        */
    struct arena *scratch;       /* of the current request and answer */
    struct loop_timer *pause;    /* before the next request           */
    struct loop_timer *deadline; /* of the attempt                    */
    struct flow_progress progress;
    struct conductor_start start;
    enum flow_step step;
    struct follow_target *target; /* of the turn of a followed workflow; NULL: none        */
    enum follow_reason reason;    /* of that turn                                          */
    bool has_hint;       /* that turn is because of a list which shows the end               */
    uint8_t bad_hints;   /* as in struct follower                                            */
    int64_t deadline_us; /* clock_boot_us(); INT64_MAX: none                      */
    char run[FLOW_ID_MAX + 1]; /* the run that the workflow has continued as; "": none  */
    int starts;                /* start requests of this attempt                       */
    int64_t confirm_by_us;     /* clock_boot_us() until which a start must be answered */
    int64_t asked_us;          /* clock_boot_us() when the last start request ended    */
    int64_t looked_us;         /* clock_boot_us() when the last lookup began           */
    span settle;               /* from asked_us until the upstream has handled it      */
    bool is_looking;    /* a lookup of several requests is in progress                   */
    bool is_taken;      /* another workflow has the id, unless the lookup finds ours     */
    bool is_calling;    /* a request is in progress                                   */
    bool was_tried;     /* a request has ended, with or without an answer             */
    bool is_doubtful;   /* a start may have arrived                                   */
    bool is_inherited;  /* the workflow of an earlier attempt, not polled yet         */
    bool wants_end;     /* the workflow must end: stop, termination or deadline       */
    bool end_requested; /* the upstream accepted that; the workflow may take its time */
    bool is_late;       /* wants_end because of the deadline                          */
    bool is_over;       /* the attempt has ended: a workflow is only noted            */
    int looks;          /* since then                                                 */
    span wait;          /* the last pause; 0: none                                    */
    int64_t failing_us; /* clock_boot_us() of the first consecutive failure; 0: none  */
    struct err why;     /* of the last failure                                        */
};

struct flow *flow_new(struct dispatch *dispatch);
void flow_free(struct flow *flow); /* without its dispatch */
void flow_set_deadline(struct flow *flow, int64_t deadline_us);
void flow_continue(struct flow *flow); /* with its current step */

/* ---- following: dispatch_follow.c ---- */

/* The workflow runs: the dispatch gives its place back. */
void flow_follow(struct flow *flow);

/* Until the next request, which is due after `delay`.  Frees the flow and its dispatch. */
void flow_park(struct flow *flow, span delay);

/* Gives the turn back that followers_next() gave to the flow. */
void flow_leave_turn(struct flow *flow);

/* Reads the lists of upstreams that are due: dispatch_lists.c. */
void follow_read_lists(struct dispatcher *dispatcher, follow_limits_of *limits);

/* ---- ends of the dispatch; the flow is freed when these return ---- */

/* No workflow was started, for the reason in flow->why. */
void flow_finish_unstarted(struct flow *flow, const char *code, bool is_retryable);
void flow_finish_taken(struct flow *flow); /* another workflow has the id */
void flow_finish_unknown(struct flow *flow, const char *code, bool is_retryable);
/* As requested; `message` is empty if the workflow has ended too. */
void flow_finish_ended(struct flow *flow, struct str message);
void flow_finish_as_requested(struct flow *flow); /* the workflow has ended */
void flow_finish_closed(struct flow *flow);       /* the server stops */
void flow_finish_again(struct flow *flow);  /* Belfry ended the workflow: start another one */
void flow_finish_unsent(struct flow *flow); /* the node's lease expired */
void flow_finish_seen(struct flow *flow, const struct flow_seen *seen);

/* Reports the progress, and lines for the log of the run. */
void flow_report(struct flow *flow, struct str log);

/*
 * The input of the workflow as JSON, with the members that Belfry adds; in the arena of the
 * dispatch.
 */
struct str flow_input(struct dispatch *dispatch);

/* The common part of every request, for the upstream to complete. */
struct webhook_request upstream_request(const struct upstream_settings *upstream,
                                        const struct flow_limits *limits,
                                        const struct address_policy *policy,
                                        struct arena *arena);
struct webhook_request flow_request(const struct flow *flow,
                                    const struct upstream_settings *upstream,
                                    const struct address_policy *policy);
