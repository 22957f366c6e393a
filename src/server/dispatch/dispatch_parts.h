/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of calls share: an errand, which is a task under way, and the kinds of them.
 *
 * Nobody else includes it.  One thread, that of the loop.
 */
#pragma once

#include "model/action.h"
#include "model/payload.h"
#include "server/dispatch/dispatch.h"

enum {
    DISPATCH_BUCKETS = 1024,       /* errands are some hundreds, a few thousand at most      */
    DISPATCH_ARENA_MAX = 64 << 20, /* a task, the action that it holds as JSON and as texts, */
                                   /* templates filled in: each far below 16 MiB             */
    DISPATCH_FOLLOW_MAX = 4 << 20, /* of an answer with a workflow's result: what gRPC takes */
};

struct dispatch;

/*
 * How the errands of an action's type are carried out.  Each errand ends with exactly one
 * dispatch_end() or dispatch_release(), which may also be called from within these.
 */
struct dispatch_kind {
    void (*start)(struct dispatch *dispatch);
    void (*stop)(
        struct dispatch *dispatch); /* it should end soon, and well if it can; once    */
    void (*kill)(
        struct dispatch *dispatch); /* it should end now; once, perhaps after stop()   */
};

extern const struct dispatch_kind dispatch_http, dispatch_exec, dispatch_workflow;

struct dispatch {
    struct dispatcher *dispatcher;
    struct dispatch_order *order; /* until the errand ends               */
    struct arena *arena;          /* for whatever lives as long          */
    struct action action;         /* the task's, its texts in the arena  */
    int64_t id;                   /* of no other errand, as long as the process lives */
    const struct dispatch_kind *kind;
    enum lane lane;
    void *state;           /* the kind's                                              */
    bool is_begun;         /* set by the kind: someone else may know of it            */
    bool is_stopped;       /* someone asked for its end: stop() or kill() was called  */
    bool is_killed;        /* kill() was called                                       */
    bool is_terminated;    /* nothing is told of it any more                          */
    struct dispatch *next; /* in its bucket */
};

struct dispatcher {
    struct dispatcher_options options;
    struct webhook_pool *http;      /* of dispatch_http; that of upstreams is apart, so that */
    struct webhook_pool *upstream;  /* neither can hold up the other; nor can requests      */
    struct webhook_pool *follow;    /* that wait for the end of a workflow hold up starts   */
    struct exec_pool *exec;         /* NULL: programs are off                              */
    const struct flow_limits *flow; /* of dispatch_workflow; NULL: flow_usual */
    struct dispatch *buckets[DISPATCH_BUCKETS];
    int counts[LANE_COUNT];
    int count;
    int64_t last_id;
    struct loop_timer *timer; /* runs out at once: there is something to tell */
    struct dispatch_report_node *first, **last;
    bool is_closing;
    int open_pools;
    void (*on_closed)(void *arg);
    void *closed_arg;
};

/* How an errand ended.  Texts are copied. */
struct dispatch_end {
    enum outcome outcome;
    enum reason reason; /* REASON_NONE: by the outcome */
    const char *code;   /* of the error, such as "http_status"; NULL: there is none */
    struct str message; /* for people */
    bool is_retryable;
    bool is_own; /* OUTCOME_CANCELLED: by the target itself, not by us */
    span retry_after;
    struct str result; /* JSON, or empty */
    struct str log;
};

/* A sign of life.  Both may be empty. */
void dispatch_alive(struct dispatch *dispatch, struct str progress, struct str log);

/*
 * The errand is gone when these return.  An end as OUTCOME_CANCELLED for which nobody asked
 * but a closing daemon is told as lost, or as not begun.
 */
void dispatch_end(struct dispatch *dispatch, const struct dispatch_end *end);
void dispatch_release(struct dispatch *dispatch); /* nobody knows of it: another may have it */

/* FAILED with the error's sentence: what was asked for cannot be done, now or ever. */
void dispatch_refuse(struct dispatch *dispatch, const char *code, const struct err *err);

/* Microseconds that the attempt has left by the engine's reckoning, at least 0. */
span dispatch_left(const struct dispatch *dispatch);

/* The run as whoever carries it out is told of it; texts are the task's or in the arena. */
struct payload dispatch_payload(const struct dispatch *dispatch);

/* payload_print() of it, in the arena. */
struct str dispatch_payload_text(const struct dispatch *dispatch,
                                 const struct payload *payload);

/* What the namespace has set; never NULL. */
const struct namespace_settings *dispatch_settings(const struct dispatch *dispatch);

/* Whom the namespace may call; its lists are those of settings and options. */
struct address_policy dispatch_address_policy(const struct dispatch *dispatch);
