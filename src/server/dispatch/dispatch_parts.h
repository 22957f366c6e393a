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
    CALLS_BUCKETS = 1024,        /* errands are some hundreds, a few thousand at most      */
    ERRAND_ARENA_MAX = 64 << 20, /* a task, the action that it holds as JSON and as texts, */
                                 /* templates filled in: each far below 16 MiB             */
    CALLS_FOLLOW_MAX = 4 << 20,  /* of an answer with a workflow's result: what gRPC takes */
};

struct errand;

/*
 * How the errands of an action's type are carried out.  Each errand ends with exactly one
 * errand_end() or errand_release(), which may also be called from within these.
 */
struct errand_kind {
    void (*start)(struct errand *errand);
    void (*stop)(struct errand *errand); /* it should end soon, and well if it can; once    */
    void (*kill)(struct errand *errand); /* it should end now; once, perhaps after stop()   */
};

extern const struct errand_kind errand_http, errand_exec, errand_flow;

struct errand {
    struct calls *calls;
    struct task *task;    /* until the errand ends               */
    struct arena *arena;  /* for whatever lives as long          */
    struct action action; /* the task's, its texts in the arena  */
    int64_t id;           /* of no other errand, as long as the process lives */
    const struct errand_kind *kind;
    enum lane lane;
    void *own;           /* the kind's                                              */
    bool is_begun;       /* set by the kind: someone else may know of it            */
    bool is_stopped;     /* someone asked for its end: stop() or kill() was called  */
    bool is_killed;      /* kill() was called                                       */
    bool is_terminated;  /* nothing is told of it any more                          */
    struct errand *next; /* in its bucket */
};

struct calls {
    struct calls_options options;
    struct webhook_pool *http;      /* of errand_http; that of upstreams is apart, so that */
    struct webhook_pool *upstream;  /* neither can hold up the other; nor can requests      */
    struct webhook_pool *follow;    /* that wait for the end of a workflow hold up starts   */
    struct exec_pool *exec;         /* NULL: programs are off                              */
    const struct flow_limits *flow; /* of errand_flow; NULL: flow_usual */
    struct errand *buckets[CALLS_BUCKETS];
    int counts[LANE_COUNT];
    int count;
    int64_t last_id;
    struct loop_timer *timer; /* runs out at once: there is something to tell */
    struct parcel *first, **last;
    bool is_closing;
    int open_pools;
    void (*on_closed)(void *with);
    void *closed_with;
};

/* How an errand ended.  Texts are copied. */
struct errand_end {
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
void errand_alive(struct errand *errand, struct str progress, struct str log);

/*
 * The errand is gone when these return.  An end as OUTCOME_CANCELLED for which nobody asked
 * but a closing daemon is told as lost, or as not begun.
 */
void errand_end(struct errand *errand, const struct errand_end *end);
void errand_release(struct errand *errand); /* nobody knows of it: another may have it */

/* FAILED with the error's sentence: what was asked for cannot be done, now or ever. */
void errand_refuse(struct errand *errand, const char *code, const struct err *err);

/* Microseconds that the attempt has left by the engine's reckoning, at least 0. */
span errand_left(const struct errand *errand);

/* The run as whoever carries it out is told of it; texts are the task's or in the arena. */
struct payload errand_payload(const struct errand *errand);

/* payload_print() of it, in the arena. */
struct str errand_payload_text(const struct errand *errand, const struct payload *payload);

/* What the namespace has set; never NULL. */
const struct settings *errand_settings(const struct errand *errand);

/* Whom the namespace may call; its lists are those of settings and options. */
struct guard_policy errand_guard(const struct errand *errand);
