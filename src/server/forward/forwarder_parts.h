/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files of the forwarder.  Other files do not include it.
 */
#pragma once

#include "io/client/http_client.h"
#include "server/forward/forwarder.h"
#include "server/forward/temporal_token.h"
#include "wire/grpc/grpc.h"

/* Connections of the upstream: waiting requests do not delay others. */
enum { LANE_SHORT, LANE_POLLS };

/* Everything that it points to is in the arena of the exchange, which outlives it. */
struct forward {
    struct forward *before, *after;
    struct forwarder *forwarder;
    struct exchange *x;
    struct http_call *call; /* NULL once it has ended */
    const struct operation *operation;
    struct caller caller;
    struct str request_id;
    int64_t namespace;
    size_t body_len;
    struct http_target target;
    struct http_request request;
    struct str namespace_name, token; /* while the namespace of a task token is checked */
    enum grpc_status lookup_status;   /* in the head of the answer about its id         */

    int status; /* of the upstream's head; 0: none yet */
    int head_count;
    int64_t length; /* of its body, as announced; -1: unknown */
    bool has_begun; /* the head was sent to the client */
    bool is_ended;  /* the answer is complete, but the client has not accepted all of it */
    int trailer_count;
    size_t received;
    char *whole;   /* `length` bytes of an answer that is passed on as a whole; NULL: not */
    char *pending; /* HTTP_CLIENT_WINDOW bytes that the client has not accepted; NULL: none */
    size_t pending_at, pending_len;

    /* Last: the counts make them empty. */
    struct http1_field head[EXCHANGE_FIELDS_MAX];
    struct http1_field trailers[EXCHANGE_FIELDS_MAX];
};

struct forwarder {
    struct forwarder_options options;
    struct http_client *client;
    struct namespace_ids *ids;
    struct forward all;    /* head of the ring */
    struct forward *spare; /* linked by `after` */
    int spares;
    int count;
    int asks; /* forward_ask.c */
    size_t bodies;
    void (*on_closed)(void *arg);
    void *arg;
};

/* forwarder.c */

/* Answers in place of the upstream, and ends it. */
void forward_refuse(struct forward *f, int status, const char *code, const char *text);
/* The same, for a call that ended without an answer. */
void forward_fail(struct forward *f, const struct http_end *end);
/* Sends the request to the upstream. */
void forward_send(struct forward *f);
/* Bytes that are not consumed, at most HTTP_CLIENT_WINDOW. */
void forward_keep(struct forward *f, struct str data);
/* Whether a request of the namespace may use this address. */
bool forwarder_permits(const struct forwarder *forwarder, int64_t namespace,
                       const struct address *address);
bool forward_permits(void *arg, const struct address *address); /* the same of a request */
struct http_target forwarder_target(const struct upstream_settings *upstream, int lane);
enum grpc_status forward_find_status(const struct http1_field *fields, int count);

/* forward_token.c: sends the request if its task token belongs to the namespace. */
void forward_check_token(struct forward *f, const struct forward_order *order);
