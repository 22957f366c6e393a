/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests that an upstream answers: passed on with the upstream's credentials, and its answer
 * passed back as a stream (docs/decisions/0050-forwarding.md for gRPC and Temporal,
 * 0054-forwarding-to-conductor.md for HTTP/1.1 and Conductor).  For the io thread.
 *
 * The caller has authenticated the client and checked its rights.  The forwarder checks task
 * tokens, because only the upstream knows the ids of its namespaces.
 */
#pragma once

#include "api/call/operation.h"
#include "io/loop.h"
#include "io/net/exchange.h"
#include "server/dispatch/dispatch_settings.h"

enum {
    FORWARDER_REQUESTS_MAX = 12000,   /* at a time; most of them are polls of workers */
    FORWARDER_BODIES_MAX = 256 << 20, /* bytes of their bodies */
    FORWARDER_ANSWER_MAX = 128 << 20, /* bytes of an answer, as clients of Temporal accept */
};
#define FORWARDER_TIME_MAX (5 * SPAN_MIN) /* of a request without a deadline */

struct forwarder; /* opaque */

struct forwarder_options {
    struct loop *loop;
    const char *ca_file;                 /* as in struct dispatcher_options */
    bool allow_private, allow_loopback;  /* likewise */
    const struct address_net *self_nets; /* likewise */
    int self_net_count;
    const struct dispatch_settings *(*settings)(void *arg, int64_t namespace); /* likewise */
    /* A request was answered; `status` is the HTTP status that REST would have sent. */
    void (*on_answered)(void *arg, const struct operation *operation, int status);
    void *arg;
};

struct forwarder *forwarder_open(const struct forwarder_options *options);

struct forward_order {
    struct exchange *x; /* the forwarder ends it */
    const struct operation *operation;
    const struct caller *caller;
    struct str request_id;
    int64_t namespace;         /* the one whose settings have the upstream */
    struct str namespace_name; /* the one that the rights were checked for */
    const struct upstream_settings *upstream;
    struct str message;     /* of gRPC, decompressed; otherwise the body so far */
    bool keeps_credentials; /* of the client: Belfry has no tokens */
};

/* What the order points to must be valid only during the call. */
void forwarder_start(struct forwarder *forwarder, const struct forward_order *order);

/* Ends requests that may wait long, with this reason. */
void forwarder_end_polls(struct forwarder *forwarder, const char *why);

/* Why a caller is not allowed any more; NULL: it is allowed. */
typedef const char *forwarder_denial_fn(void *arg, const struct caller *caller);

/* Ends the requests of callers that are not allowed any more. */
void forwarder_end_denied(struct forwarder *forwarder, forwarder_denial_fn *denial_of,
                          void *arg);

/* Cuts all connections of clients. */
void forwarder_abandon(struct forwarder *forwarder);

/* After forwarder_abandon().  Calls `on_closed` when the forwarder is freed. */
void forwarder_close(struct forwarder *forwarder, void (*on_closed)(void *arg), void *arg);
