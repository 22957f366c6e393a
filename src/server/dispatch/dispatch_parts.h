/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files of the dispatcher: struct dispatch, which is a run in progress, and its
 * kinds.
 *
 * Other files do not include it.  Only the io thread uses it.
 */
#pragma once

#include "model/action.h"
#include "model/payload.h"
#include "server/dispatch/dispatch.h"
#include "server/dispatch/followers.h"

enum {
    DISPATCH_BUCKETS = 1024, /* usually some hundred dispatches, at most a few thousand */
    /* An order, its action as JSON and as texts, filled-in templates: each far below 16 MiB. */
    DISPATCH_ARENA_MAX = 64 << 20,
    DISPATCH_FOLLOW_MAX = 4 << 20, /* answer with a workflow's result: gRPC's limit */
    DISPATCH_FOLLOW_CALLS = 2000,  /* requests about workflows at a time, of all upstreams */
};

struct dispatch;

/*
 * How to carry out one type of action.  Each dispatch ends with exactly one dispatch_end() or
 * dispatch_release(), which these functions may also call directly.
 */
struct dispatch_kind {
    void (*start)(struct dispatch *dispatch);
    void (*stop)(struct dispatch *dispatch); /* end soon, gracefully if possible; called once */
    void (*kill)(struct dispatch *dispatch); /* end now; called once, perhaps after stop()    */
    /* Release it if another node can continue; called at most once.  NULL: none can. */
    void (*drain)(struct dispatch *dispatch);
};

extern const struct dispatch_kind dispatch_http, dispatch_exec, dispatch_workflow;

struct dispatch {
    struct dispatcher *dispatcher;
    struct dispatch_order *order; /* until the dispatch ends               */
    struct arena *arena;          /* for data of the dispatch              */
    struct action action;         /* of the order, with texts in the arena */
    int64_t id;                   /* unique in this process                */
    const struct dispatch_kind *kind;
    enum lane lane;
    void *state;           /* of the kind                                */
    bool has_place;        /* counts in its lane                         */
    bool is_followed;      /* only waits for its workflow; any node can  */
    bool is_aborted;       /* another node owns the run                  */
    bool is_begun;         /* set by the kind: the target may know of it */
    bool is_stopped;       /* stop() or kill() was called by request     */
    bool is_killed;        /* kill() was called                          */
    bool is_terminated;    /* send no more reports                       */
    struct dispatch *next; /* in its bucket                              */
};

struct dispatcher {
    struct dispatcher_options options;
    /*
     * Separate pools, so that http actions, requests to upstreams, and requests that wait for
     * the end of a workflow cannot block each other.
     */
    struct webhook_pool *http, *upstream, *follow;
    struct exec_pool *exec;         /* NULL: exec actions are disabled */
    const struct flow_limits *flow; /* NULL: flow_limits_default       */
    struct dispatch *buckets[DISPATCH_BUCKETS];
    int counts[LANE_COUNT];
    struct followers *followers; /* followed workflows between their requests */
    struct loop_timer *follow_timer;
    int followed; /* workflows: records, and dispatches that are followed */
    int looking;  /* ended dispatches: see flow_end_doubtful()              */
    int count;
    int64_t last_id;
    struct loop_timer *timer; /* expires at once when reports are queued */
    struct dispatch_report_node *first, **last;
    bool is_draining, is_closing;
    int open_pools;
    void (*on_closed)(void *arg);
    void *closed_arg;
};

/* How a dispatch ended.  Texts are copied. */
struct dispatch_end {
    enum outcome outcome;
    enum reason reason; /* REASON_NONE: follows from the outcome           */
    const char *code;   /* of the error, such as "http_status"; NULL: none */
    struct str message; /* for people                                      */
    struct str failure; /* for the next start, in base64; may be empty     */
    bool is_retryable;
    bool by_target; /* OUTCOME_CANCELLED: by the target itself, not by Belfry */
    span retry_after;
    struct str result; /* JSON, or empty */
    struct str log;
};

/* Sends a heartbeat.  Both texts may be empty. */
void dispatch_alive(struct dispatch *dispatch, struct str progress, struct str log);

/*
 * The dispatch is freed when these return.  If the outcome is OUTCOME_CANCELLED only because
 * the server stops, the report is REPORT_LOST, or REPORT_RELEASE if nothing had begun.
 */
void dispatch_end(struct dispatch *dispatch, const struct dispatch_end *end);
void dispatch_release(struct dispatch *dispatch); /* another node may take it */
void dispatch_leave(struct dispatch *dispatch);   /* without a report */

/* Sends the report of dispatch_end() and gives the place back; later dispatch_leave(). */
void dispatch_end_first(struct dispatch *dispatch, const struct dispatch_end *end);
void dispatch_note(struct dispatch *dispatch, struct str log); /* after the end */

/* Adds a dispatch for an order; its kind and its action are still to be set. */
struct dispatch *dispatch_new(struct dispatcher *dispatcher, struct dispatch_order *order);

/* The dispatch no longer counts in its lane. */
void dispatch_free_place(struct dispatch *dispatch);

struct run_id dispatch_run_id(const struct dispatch *dispatch);

/* Ends with OUTCOME_FAILED and this error: the action cannot be carried out, now or later. */
void dispatch_fail(struct dispatch *dispatch, const char *code, const struct err *err);

/* The time that the attempt has left by the engine's clock, at least 0. */
span dispatch_time_left(const struct dispatch *dispatch);

/* The run as its receiver sees it; texts belong to the order or are in the arena. */
struct payload dispatch_payload(const struct dispatch *dispatch);

/* payload_print(), in the arena. */
struct str dispatch_payload_text(const struct dispatch *dispatch,
                                 const struct payload *payload);

/* Never NULL. */
const struct dispatch_settings *dispatch_settings(const struct dispatch *dispatch);
const struct dispatch_settings *dispatcher_settings(const struct dispatcher *dispatcher,
                                                    int64_t namespace);

/* ---- followed workflows: dispatch_follow.c ---- */

void follow_open(struct dispatcher *dispatcher);
void follow_close(struct dispatcher *dispatcher);
void follow_stop(struct dispatcher *dispatcher, const struct stop *stop);
void follow_drain(struct dispatcher *dispatcher); /* keeps those that this node must end */
void follow_drop_all(struct dispatcher *dispatcher);
void follow_set_timer(struct dispatcher *dispatcher); /* after a change of the table */

/* The addresses that the namespace may call; refers to lists of settings and options. */
struct address_policy dispatch_address_policy(const struct dispatch *dispatch);
struct address_policy dispatcher_address_policy(const struct dispatcher *dispatcher,
                                                int64_t namespace);
