/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files of the frontend.  Other files do not include it.
 */
#pragma once

#include "server/frontend/admission.h"
#include "server/frontend/frontend.h"
#include "server/frontend/read_queue.h"
#include "server/frontend/streams.h"
#include "wire/problem.h"

struct frontend {
    struct frontend_options options;
    struct writer *writer;
    struct read_queue *reads; /* waiting for the readers */
    struct dispatcher *dispatcher;
    struct forwarder *forwarder;
    struct attributes_wait *attributes_waits; /* see frontend_attributes.c */
    struct namespace_cache *namespaces;
    struct admission *admission;
    struct streams *streams;
    struct loop_timer *timer;

    struct arena *scratch;                       /* of one call of body_max()                */
    const struct http1_request *matched_request; /* the request of that call                 */
    const struct operation *matched_operation;   /* the operation that it found; may be NULL */
    const struct operation *matched_forwarded;   /* the same of an upstream                  */
    struct ticket all;                           /* head of the list of open tickets         */
    int count;                                   /* open tickets                             */
    int items;                                   /* commands and reports that the writer has */
    int begun;                                   /* requests since messages were handled     */
    struct ticket *spare;
    int spares;

    bool has_tokens;                  /* the tokens were received                   */
    bool has_started;                 /* the schema was up to date once             */
    bool is_db_away;                  /* the database is unavailable                */
    bool is_drained;                  /* the writer claims no more runs             */
    bool is_abandoned;                /* the other threads have ended               */
    bool is_applying_seed;            /* a seed is in progress                      */
    int64_t seed_at_us;               /* earliest time of the next seed             */
    bool is_full, is_held;            /* see struct writer_state                    */
    bool has_late_reads;              /* see read_queue_is_late()                   */
    char why[ERR_TEXT_MAX];           /* why it is not ready; "": it is             */
    const char *closing;              /* why it rejects requests; NULL: it does not */
    int64_t received[LANE_COUNT];     /* orders                                     */
    struct dispatch_report **delayed; /* heartbeats that found no room              */
    size_t delayed_count, delayed_cap;
};

/* frontend.c */
void frontend_ticket_returned(struct frontend *frontend, struct ticket *t);
void frontend_apply_seeds(struct frontend *frontend);

/* frontend_route.c.  The first two are of struct listener_handler; `arg` is the frontend. */
int64_t frontend_body_max(void *arg, const struct http1_request *request);
bool frontend_streams_body(void *arg, const struct http1_request *request);
/* Chooses the operation of an upstream, if there is one, and remembers Belfry's own. */
void frontend_find_operation(struct frontend *frontend, struct ticket *t,
                             const struct http1_request *request, int *ret_status,
                             struct str *ret_allow);
enum call_step frontend_unknown_path(struct call *call, const struct http1_request *request);

/* frontend_tickets.c */
struct ticket *frontend_ticket_new(struct frontend *frontend, struct exchange *x);
void frontend_ticket_end(struct frontend *frontend, struct ticket *t);
int frontend_items_of(const struct ticket *t, enum call_step step);
void frontend_take_back(struct frontend *frontend, struct ticket *t);
void frontend_send_to_writer(struct frontend *frontend, struct ticket *t,
                             enum writer_msg_kind kind);
/* For CALL_READ, CALL_BEGIN or CALL_SETTLE. */
void frontend_send_to_reader(struct frontend *frontend, struct ticket *t, enum call_step step);

/* frontend_admit.c.  False: the answer is set. */
bool frontend_admit(struct frontend *frontend, struct ticket *t, struct exchange *x);
/* After frontend_begin(): applies the rate limit of the namespace if the call is answered. */
void frontend_count_answered(struct frontend *frontend, struct ticket *t);

/* frontend_large.c: the steps of large requests, which would block the loop. */
void frontend_begin(struct frontend *frontend, struct ticket *t); /* after call_open() */
void frontend_begun(struct frontend *frontend, struct ticket *t); /* back from CALL_BEGIN */
/* False: a reader settles the call. */
bool frontend_settle(struct frontend *frontend, struct ticket *t);

/* frontend_msgs.c */
void frontend_test_point(const struct frontend *frontend, enum serve_point point);
void frontend_post(struct frontend *frontend, const struct writer_msg *msg);
/* Takes ownership of the message. */
void frontend_add_namespace(struct frontend *frontend, struct namespace_msg *msg);

/* frontend_answer.c.  Also ends the exchange. */
void frontend_write_answer(struct frontend *frontend, struct exchange *x,
                           const struct ticket *t);
/* Only answers the client; the current owner keeps the ticket. */
void frontend_give_up(struct frontend *frontend, struct ticket *t,
                      const struct problem *problem);
void frontend_give_up_late(struct frontend *frontend, struct ticket *t); /* at its deadline */
/* See struct listener_handler. */
const char *frontend_print_problem(const struct http1_request *request,
                                   const struct problem *problem, struct buf *out);

/*
 * frontend_rpc.c: gRPC calls; other calls pass unchanged.  False: the call was rejected.
 * frontend_rpc_check() also applies the deadline of the client, up to `max`.
 */
bool frontend_rpc_check(struct ticket *t, const struct exchange *x, span max);
bool frontend_rpc_open(struct ticket *t, const struct exchange *x, struct str *ret);
/* Call it before the answer. */
void frontend_rpc_end(struct exchange *x, int status);

/* frontend_forward.c: requests that an upstream of their namespace answers. */
const struct operation *frontend_forward_find(const struct frontend *frontend,
                                              const struct http1_request *request);
/* Returns to Belfry's own operation; always true. */
bool frontend_forward_use_own(struct ticket *t);
/* True: the exchange was handed over and the ticket has ended.  False: see its next step. */
bool frontend_forward(struct frontend *frontend, struct ticket *t);

/*
 * frontend_attributes.c: search attributes of upstreams.  frontend_attributes_wait() is for
 * CALL_ATTRIBUTES, with a known namespace; false: see the ticket's next step.
 */
bool frontend_attributes_wait(struct frontend *frontend, struct ticket *t);
void frontend_attributes_abandon(struct frontend *frontend);

/* frontend_keys.c */
void frontend_set_keys(struct frontend *frontend, struct keyring *keys); /* takes ownership */
void frontend_close_denied(struct frontend *frontend);

/* frontend_runs.c */
void frontend_send_delayed(struct frontend *frontend);
/* Returns true if dispatches have ended that the writer does not know about. */
bool frontend_count_finished(struct frontend *frontend);
void frontend_start_dispatch(struct frontend *frontend, struct dispatch_order *order);
