/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An HTTP/2 client (RFC 9113): many calls at a time to a few servers, each with a pool of
 * connections, with TLS or without (docs/decisions/0050-forwarding.md).
 *
 * Answers are streams: the server may send only as much as the owner has consumed.  The client
 * repeats a call by itself only if the server has certainly not processed it.  For the loop's
 * thread; no callback is called from within these functions.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "base/instant.h"
#include "base/str.h"
#include "io/client/address_policy.h"
#include "wire/http1/http1.h"

enum {
    H2_CLIENT_CONNS_MAX = 16,       /* of one target */
    H2_CLIENT_STREAMS_MAX = 1000,   /* of one connection, even if the server permits more */
    H2_CLIENT_WAITING_MAX = 16384,  /* calls of one target that have no connection yet */
    H2_CLIENT_WINDOW = 256 * 1024,  /* bytes of an answer that its owner has not consumed */
    H2_CLIENT_FIELDS_MAX = 64,      /* of a head or of trailers, in either direction */
    H2_CLIENT_HEAD_MAX = 32 * 1024, /* bytes of their names and values */
    H2_CLIENT_ADDRESSES_MAX = 8,    /* of one name */
    H2_CLIENT_TRIES_MAX = 3,        /* of a call that the server refuses to process */
    H2_CLIENT_TEXT_MAX = 256,       /* bytes of a reason */
};

/* Calls to equal targets share connections. */
struct h2_target {
    struct str url;         /* http://host:port or https://host:port, without a path */
    struct str ca;          /* PEM, see io/net/tls_connect.h; empty: the client's default */
    struct str cert, key;   /* PEM: our own certificate; empty: none */
    struct str server_name; /* what the server's certificate must contain; empty: the host */
    int lane;               /* for calls that must not wait for those of another lane */
};

enum h2_end_kind {
    H2_END_DONE,        /* the answer is complete */
    H2_END_UNCONNECTED, /* name, connection or TLS failed: nothing was sent */
    H2_END_DENIED,      /* by `permits` */
    H2_END_REFUSED,     /* the server did not process it, H2_CLIENT_TRIES_MAX times */
    H2_END_LATE,        /* `within` has passed */
    H2_END_BROKEN,      /* the answer is incomplete or missing; the request may have arrived */
};

struct h2_end {
    enum h2_end_kind kind;
    const struct http1_field *trailers;
    int trailer_count;
    const char *text; /* the reason unless done; never NULL */
};

struct h2_watch {
    /* Whether the call may use this address.  Called before any byte of it is sent. */
    bool (*permits)(void *arg, const struct address *address);

    /* The final head.  The fields are valid during the call. */
    void (*on_head)(void *arg, int status, const struct http1_field *fields, int count);

    /* Some of the body.  Call h2_call_consume() when it has been passed on. */
    void (*on_data)(void *arg, struct str data);

    /* The last callback, exactly once, unless the call is cancelled.  Frees the call. */
    void (*on_end)(void *arg, const struct h2_end *end);
};

/* Must be valid until the end of the call; only the target is copied. */
struct h2_request {
    const struct h2_target *target;
    struct str method, path;
    const struct http1_field *fields; /* names in lower case; none that frames a message */
    int field_count;
    struct str body;
    span within; /* 0: no limit */
};

struct h2_client; /* opaque */
struct h2_call;   /* opaque */

/* `ca_file` for targets without `ca`; NULL: the authorities of the system. */
struct h2_client *h2_client_new(uv_loop_t *loop, const char *ca_file);

/* Starts a call. */
struct h2_call *h2_client_call(struct h2_client *client, const struct h2_request *request,
                               const struct h2_watch *watch, void *arg);

/* The server may send `n` more bytes. */
void h2_call_consume(struct h2_call *call, size_t n);

/* Resets the stream and frees the call; no further callback. */
void h2_call_cancel(struct h2_call *call);

/* Open connections, for tests. */
int h2_client_connections(const struct h2_client *client);

/*
 * Cancels all calls and closes all connections.  Calls `on_closed` when the client is freed.
 */
void h2_client_close(struct h2_client *client, void (*on_closed)(void *arg), void *arg);
