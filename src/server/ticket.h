/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The messages between the threads of the server.
 *
 * A ticket is a call in progress: the io thread creates it, sends it to the writer or a reader,
 * gets it back and frees it.  Only the current owner may access it, with the exceptions marked
 * below.  Messages are small and pass through mailboxes that have room for everything that the
 * limits here allow.
 */
#pragma once

#include <assert.h>
#include <stdatomic.h>

#include "api/call/limits.h"
#include "api/call/operation.h"
#include "io/client/fair_queue.h"
#include "server/dispatch/dispatch_order.h"

enum {
    TICKETS_MAX = 16384, /* in progress, also those whose client is gone             */
    ITEMS_MAX = 1 << 18, /* commands and reports for the writer: 64 full turns       */
    ORDERS_MAX = 32768,  /* dispatches in lanes: more than all settings together allow */
    /* Two messages for each ticket and each order; followed workflows rarely report. */
    WRITER_MSGS_RESERVED = 2 * TICKETS_MAX + 2 * ORDERS_MAX,
    WRITER_MSGS_MAX = 1 << 17, /* the rest is for heartbeats, which can wait */
    IO_MSGS_MAX = 1 << 18,     /* every ticket, order and stop, also of followed workflows */
    READS_MAX = TICKETS_MAX,
    TICKET_STEPS = 100000, /* budget of begin() or settled(): at most ten milliseconds */
};

static_assert((int)TICKETS_MAX <= (int)TURN_POLLS_MAX, "a turn sees every poll");
static_assert(TICKETS_MAX + ORDERS_MAX + FOLLOWED_MAX < IO_MSGS_MAX, "see writer_send()");

struct config;
struct exchange;
struct keyring;
struct zoneinfo;

/* What a reader did. */
enum read_result {
    READ_COMPLETE, /* `step` is the next step                            */
    READ_PUT_BACK, /* nothing: the reads before it took too long         */
    READ_TOO_SLOW, /* it is too much work for a quick reader, see base/budget.h */
};

struct ticket {
    struct call call;
    struct budget budget; /* of the current step; call.budget */
    enum call_step step;
    struct ticket *next; /* a list of the current owner */

    /* Accessed by the io thread at any time. */
    struct ticket *prev_open, *next_open;          /* all tickets in progress                 */
    struct exchange *x;                            /* NULL: no client waits                   */
    int64_t deadline_us;                           /* clock_boot_us()                         */
    bool has_client_deadline;                      /* the client set it                       */
    bool is_away;                                  /* another thread owns it                  */
    enum call_step sent_for;                       /* the step that it was sent for; constant */
    bool has_key;                                  /* idempotency key: a retry is safe        */
    bool has_asked_namespace, is_asking_namespace; /* asks the writer for the namespace, once */
    struct limit limit;                            /* the rate limit of the client            */
    const struct operation *fallback; /* answers if no upstream does; NULL: none        */
    struct str message;               /* of gRPC, decompressed; as valid as x           */
    bool is_seed;           /* from frontend_options.seeds: continues without a client */
    void *stream;           /* owned by the streams; NULL: not a stream                */
    struct fair_item turn;  /* its place in the read queue, until the reader returns it */
    int64_t queued_us;      /* clock_boot_us() when it began to wait           */
    int reader;             /* the quick reader that has it                    */
    bool is_slow;           /* it goes to the slow reader                      */
    struct zoneinfo *zones; /* those of the io thread, for CALL_BEGIN and CALL_SETTLE */

    /* Accessed by any thread: no client waits for an answer, so a poll may end at once. */
    _Atomic bool is_abandoned;

    enum read_result read_result; /* set by the reader */

    /* Accessed by the writer. */
    struct reply *replies; /* writable call.replies */
    struct report_reply *report_replies;
    struct assignment *grants; /* writable call.grants */
    struct str *grant_queues;
    int pending;                /* commands or reports without a reply */
    struct fair_item bulk_turn; /* its place in writer.bulk, if it waits there */
    int bulk_next;              /* index of that command                */
    int64_t queues[POLL_QUEUES_MAX];
    int queues_resolved;
    int64_t poll_until_us;
    bool must_search;            /* the next turn searches its queues     */
    const struct reply *refused; /* a queue of the poll cannot be created */
    bool is_settled;             /* `step` is already the next step       */
};

enum writer_msg_kind {
    WRITER_MSG_CALL,       /* ticket: commands, reports or a poll                             */
    WRITER_MSG_NAMESPACES, /* ticket: read the namespaces, then return it                     */
    WRITER_MSG_REPORT,     /* reported: a dispatch has news                                   */
    WRITER_MSG_WAKE,       /* check again: a dispatch ended silently, or a poll was abandoned */
    WRITER_MSG_NOTIFIED,   /* another node made runs ready                                    */
    WRITER_MSG_CONFIG,     /* config, context: use them from now on                           */
    WRITER_MSG_ZONES,      /* the time zone files have changed                                */
    WRITER_MSG_DRAIN,      /* claim no more runs, end polls                                   */
    WRITER_MSG_STOP,       /* finish and end                                                  */
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

/* A namespace as the writer read it.  The io thread frees the arena. */
struct namespace_msg {
    struct arena *arena;
    int64_t id;
    struct str name, settings;
};

enum io_msg_kind {
    IO_MSG_TICKET,    /* ticket: returns it                                   */
    IO_MSG_DISPATCH,  /* order: carry out a run                               */
    IO_MSG_STOP,      /* stop: end a dispatch                                 */
    IO_MSG_ABORT_ALL, /* end all dispatches: another node owns their runs now */
    IO_MSG_NAMESPACE,
    IO_MSG_KEYS,    /* keys: the tokens have changed                  */
    IO_MSG_COMMIT,  /* see server/commit_signal.h                     */
    IO_MSG_STATE,   /* writer_state() has changed                     */
    IO_MSG_DRAINED, /* after WRITER_MSG_DRAIN: no more runs will come */
    IO_MSG_OVER,    /* the writer has ended                           */
};

struct io_msg {
    enum io_msg_kind kind;
    union {
        struct ticket *ticket;
        struct dispatch_order *order;
        struct namespace_msg *namespace_msg;
        struct keyring *keys;
        struct stop stop;
    };
};
