/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the threads of the daemon say to each other.
 *
 * A ticket is a call on its way: io makes it, hands it to the writer or to a reader, gets it
 * back, and frees it.  Whoever has it may touch it, and nobody else.  Messages are small and
 * go through mailboxes, which are large enough for all that the bounds here allow.
 */
#pragma once

#include <assert.h>
#include <stdatomic.h>

#include "api/call/limits.h"
#include "api/call/operation.h"
#include "server/dispatch/dispatch_order.h"

enum {
    TICKETS_MAX = 16384, /* under way: every connection, and those whose client has gone   */
    ITEMS_MAX = 1 << 18, /* commands and reports that wait for the writer: 64 turns        */
    ORDERS_MAX = 32768,  /* runs that this node carries out: above all settings together   */
    WRITER_MSGS_KEPT = 2 * TICKETS_MAX + 2 * ORDERS_MAX, /* each with a word that it is left */
    WRITER_MSGS_MAX =
        1 << 17, /* the rest is for signs of life, which can wait                 */
    IO_MSGS_MAX = 1 << 18,
    READS_MAX = TICKETS_MAX,
};

static_assert((int)TICKETS_MAX <= (int)TURN_POLLS_MAX, "a turn sees every poll");

struct config;
struct exchange;
struct keyring;

struct ticket {
    struct call call;
    enum call_step step;
    struct ticket *next; /* for whoever has it */

    /* io's, whoever has the ticket. */
    struct ticket *before, *behind; /* of all that are under way */
    struct exchange *x;             /* NULL: nobody waits for it */
    int64_t deadline_us;            /* clock_boot_us()           */
    bool is_hurried;                /* its client said so: others have longer */
    bool is_away;                   /* with another thread       */
    enum call_step sent_for;        /* what it was to do there   */
    bool has_key;                   /* its commands have one: to ask again is safe */
    bool asked, is_asking;          /* for its namespace, once   */
    struct limit limit;             /* how often its client may ask */
    _Atomic bool is_left;           /* nobody waits: a poll may end at once */
    bool is_seed;                   /* of frontend_options.seeds: nobody waits, it goes on */
    void *stream;                   /* the streams's; NULL: an answer with an end */

    /* The writer's. */
    struct reply *replies; /* of call.replies and call.report_replies */
    struct report_reply *heard;
    struct assignment *grants; /* of call.grants and call.grant_queues */
    struct str *names;
    int left; /* commands or reports without an answer */
    int64_t queues[POLL_QUEUES_MAX];
    int queues_known;
    int64_t poll_until_us;
    bool is_new;
    const struct reply *refused; /* a queue of the poll cannot be made */
    bool is_settled;             /* `step` is already the one that follows */
};

enum writer_msg_kind {
    WRITER_MSG_CALL,       /* ticket: commands, reports or a poll                 */
    WRITER_MSG_NAMESPACES, /* ticket: look for namespaces, then send it back      */
    WRITER_MSG_REPORT,     /* told                                                */
    WRITER_MSG_LOOK,       /* a call has ended without a word, or a poll was left */
    WRITER_MSG_HEARD,      /* another node has made runs ready                    */
    WRITER_MSG_CONFIG,     /* config: counts from now on                          */
    WRITER_MSG_ZONES,      /* the files of zones have changed                     */
    WRITER_MSG_DRAIN,      /* claim nothing more, let polls go                    */
    WRITER_MSG_STOP,       /* and now end                                         */
};

struct writer_msg {
    enum writer_msg_kind kind;
    union {
        struct ticket *ticket;
        struct dispatch_report *reported;
        struct {
            const struct config *config;
            const struct api_context *context;
        };
    };
};

/* A namespace as the writer found it; io frees the arena. */
struct namespace_msg {
    struct arena *arena;
    int64_t id;
    struct str name, settings;
};

enum io_msg_kind {
    IO_MSG_TICKET,   /* it is done                                          */
    IO_MSG_DISPATCH, /* carry out a run                                     */
    IO_MSG_STOP,     /* end one: in `stop`                                  */
    IO_MSG_FORGET,   /* end all: they are no longer this node's             */
    IO_MSG_NAMESPACE,
    IO_MSG_KEYS,    /* the tokens are others: in `keys`                    */
    IO_MSG_COMMIT,  /* see server/commit_signal.h                                   */
    IO_MSG_STATE,   /* something of writer_state() has changed             */
    IO_MSG_DRAINED, /* after WRITER_MSG_DRAIN: no further run will come */
    IO_MSG_OVER,    /* the writer has ended                                */
};

struct io_msg {
    enum io_msg_kind kind;
    union {
        struct ticket *ticket;
        struct dispatch_order *order;
        struct namespace_msg *space;
        struct keyring *keys;
        struct stop stop;
    };
};
