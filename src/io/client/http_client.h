/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client of HTTP/2 (RFC 9113) and HTTP/1.1 (RFC 9112): many calls at a time to a few servers,
 * each with a pool of connections, with TLS or without (docs/decisions/0050-forwarding.md).
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
    HTTP_CLIENT_CONNS_MAX = 16,       /* of one target */
    HTTP_CLIENT_H1_CONNS_MAX = 1000,  /* the same with HTTP/1.1: one call at a time each */
    HTTP_CLIENT_STREAMS_MAX = 1000,   /* of one connection, even if the server permits more */
    HTTP_CLIENT_WAITING_MAX = 16384,  /* calls of one target that have no connection yet */
    HTTP_CLIENT_WINDOW = 256 * 1024,  /* bytes of an answer that its owner has not consumed */
    HTTP_CLIENT_FIELDS_MAX = 64,      /* of a head or of trailers, in either direction */
    HTTP_CLIENT_HEAD_MAX = 32 * 1024, /* bytes of their names and values */
    HTTP_CLIENT_ADDRESSES_MAX = 8,    /* of one name */
    HTTP_CLIENT_TRIES_MAX = 3,        /* of a call that the server refuses to process */
    HTTP_CLIENT_TEXT_MAX = 256,       /* bytes of a reason */
};

/* Calls to equal targets share connections. */
struct http_target {
    struct str url;         /* http://host:port or https://host:port, without a path */
    struct str ca;          /* PEM, see io/net/tls_connect.h; empty: the client's default */
    struct str cert, key;   /* PEM: our own certificate; empty: none */
    struct str server_name; /* what the server's certificate must contain; empty: the host */
    bool is_http1;          /* HTTP/1.1 instead of HTTP/2 */
    int lane;               /* for calls that must not wait for those of another lane */
};

enum http_end_kind {
    HTTP_END_DONE,        /* the answer is complete */
    HTTP_END_UNCONNECTED, /* name, connection or TLS failed: nothing was sent */
    HTTP_END_DENIED,      /* by `permits` */
    HTTP_END_REFUSED,     /* the server did not process it, HTTP_CLIENT_TRIES_MAX times */
    HTTP_END_LATE,        /* `within` has passed */
    HTTP_END_BROKEN, /* the answer is incomplete or missing; the request may have arrived */
};

struct http_end {
    enum http_end_kind kind;
    const struct http1_field *trailers;
    int trailer_count;
    const char *text; /* the reason unless done; never NULL */
};

struct http_watch {
    /* Whether the call may use this address.  Called before any byte of it is sent. */
    bool (*permits)(void *arg, const struct address *address);

    /* The final head.  The fields are valid during the call. */
    void (*on_head)(void *arg, int status, const struct http1_field *fields, int count);

    /* Some of the body.  Call http_call_consume() when it has been passed on. */
    void (*on_data)(void *arg, struct str data);

    /*
     * HTTP/1.1 only, for a streamed body: copies up to `len` bytes of it and returns their
     * number.  0: none now, or with *ret_is_end, none ever.
     */
    size_t (*on_pull)(void *arg, char *room, size_t len, bool *ret_is_end);

    /* The last callback, exactly once, unless the call is cancelled.  Frees the call. */
    void (*on_end)(void *arg, const struct http_end *end);
};

/* Must be valid until the end of the call; only the target is copied. */
struct http_request {
    const struct http_target *target;
    struct str method, path;
    const struct http1_field
        *fields; /* names in lower case; none that frames a message, no host */
    int field_count;
    struct str body;
    bool has_stream; /* on_pull gives the body, and not `body` */
    int64_t length;  /* of that body; -1: unknown */
    span within;     /* 0: no limit */
};

struct http_client; /* opaque */
struct http_call;   /* opaque */

/* `ca_file` for targets without `ca`; NULL: the authorities of the system. */
struct http_client *http_client_new(uv_loop_t *loop, const char *ca_file);

/* Starts a call. */
struct http_call *http_client_call(struct http_client *client,
                                   const struct http_request *request,
                                   const struct http_watch *watch, void *arg);

/* The server may send `n` more bytes. */
void http_call_consume(struct http_call *call, size_t n);

/* There is more for on_pull. */
void http_call_push(struct http_call *call);

/* Resets the stream and frees the call; no further callback. */
void http_call_cancel(struct http_call *call);

/* Open connections, for tests. */
int http_client_connections(const struct http_client *client);

/*
 * Cancels all calls and closes all connections.  Calls `on_closed` when the client is freed.
 */
void http_client_close(struct http_client *client, void (*on_closed)(void *arg), void *arg);
