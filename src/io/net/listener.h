/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An HTTP/1.1 and HTTP/2 server, plain and with TLS, on any number of addresses: it turns
 * connections into exchanges.
 *
 * It knows neither paths nor rights.  An invalid request is answered with a problem.  HTTP/1.1
 * requests of one connection are passed on one after the other, in order, and an invalid one
 * closes the connection.  The limits bound what a client can make it hold.
 */
#pragma once

#include <stdint.h>
#include <uv.h>

#include "base/err.h"
#include "base/instant.h"
#include "io/net/exchange.h"
#include "io/net/tls.h"

enum {
    LISTENER_ADDRESSES_MAX = 16,  /* of one listener */
    LISTENER_BACKLOG = 1024,      /* connections that wait to be accepted */
    LISTENER_FD_RESERVE = 128,    /* descriptors left for database, children and calls */
    LISTENER_READ = 64 * 1024,    /* bytes per read; also the limit of requests sent ahead */
    LISTENER_KEEPALIVE_S = 30,    /* of silence, then ten probes in ten seconds */
    LISTENER_SPARE_EXCHANGES = 64 /* kept, 40 KiB each, so that requests need no allocation */
};

struct listener_limits {
    int connections;   /* in total; fewer if descriptors are few */
    int per_peer;      /* from one address, see io/net/peer_limits.h */
    int per_local;     /* from this machine: proxies and local clients */
    span handshake;    /* of TLS, from the connection to its end */
    span idle;         /* before the first byte of a request */
    span head;         /* from there until its head is complete */
    span body_window;  /* window in which body_rate is measured */
    int64_t body_rate; /* minimum bytes of a body per second */
    span stall;        /* without the client accepting a byte */
    span request;      /* of HTTP/2, from its head to its end */
    span talk;         /* of HTTP/2, without a byte: gRPC keeps idle connections */
    span quiet;        /* of an event stream, then a comment is sent */
    span linger;       /* for the client to close after the last byte */
};

/* listener.c has the values. */
extern const struct listener_limits listener_limits_default;

struct problem;

struct listener_handler {
    /* The maximum bytes of this request's body. */
    int64_t (*body_max)(void *arg, const struct http1_request *request);

    /*
     * Whether on_request may get this request before its body is complete, if the body is
     * longer than EXCHANGE_STREAM_AT.  HTTP/1.1 only.  NULL: never.
     */
    bool (*streams)(void *arg, const struct http1_request *request);

    /* See io/net/exchange.h.  Never called from inside a call into the listener. */
    void (*on_request)(void *arg, struct exchange *x);
    void *arg;

    /*
     * Prints why the listener rejects a request in the format that its client expects, and
     * returns the media type.  The request is known as far as it was read.  NULL:
     * problem_print().
     */
    const char *(*print_problem)(const struct http1_request *request,
                                 const struct problem *problem, struct buf *out);
};

struct listener_counts {
    int open;                  /* connections at this moment */
    int64_t accepted;          /* since the start */
    int64_t turned_away;       /* over the limits */
    int64_t requests;          /* passed on */
    int64_t refused;           /* answered with a problem */
    int64_t timed_out;         /* closed or refused by a time limit above */
    int64_t handshakes;        /* TLS handshakes that succeeded */
    int64_t failed_handshakes; /* TLS handshakes that failed */
};

struct listener; /* opaque */

struct listener *listener_new(uv_loop_t *loop, const struct listener_limits *limits,
                              const struct listener_handler *handler);

/*
 * Adds an address: `host` is a numeric IPv4 or IPv6 address without brackets; port 0 lets the
 * kernel choose.  RC_INVALID for an invalid host, RC_CONFLICT if the address is in use,
 * RC_NOT_FOUND if it does not belong to this machine, RC_LIMIT above the maximum.
 */
MUST_USE enum rc listener_bind(struct listener *listener, const char *host, uint16_t port,
                               uint16_t *ret_port, struct err *reterr);

/*
 * Sets the certificate for future connections; open ones keep theirs.  On failure nothing
 * changes; see tls_context_open().
 */
MUST_USE enum rc listener_tls(struct listener *listener, const struct tls_files *files,
                              struct err *reterr);

/* As listener_bind(), for TLS only; after listener_tls(). */
MUST_USE enum rc listener_bind_tls(struct listener *listener, const char *host, uint16_t port,
                                   uint16_t *ret_port, struct err *reterr);

struct listener_counts listener_counts(const struct listener *listener);

/*
 * Accepts nothing more, closes idle connections, finishes what is under way, and closes the
 * rest after `within`.  Calls `on_closed` when all connections are closed and all exchanges
 * ended; then listener_free() may be called.  A second call sets another span, with the same
 * on_closed.
 */
void listener_close(struct listener *listener, span within, void (*on_closed)(void *arg),
                    void *arg);

/* Only after on_closed.  Accepts NULL, returns NULL. */
struct listener *listener_free(struct listener *listener);
