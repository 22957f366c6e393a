/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server of HTTP/1.1, plain and with TLS, on any number of addresses: requests in, exchanges
 * out.
 *
 * It knows no path and no rights.  Requests of one connection are handed out one after the
 * other, in order; what cannot be a request is answered with a problem and the connection is
 * closed.  What a client can make it hold is bounded by the limits.
 */
#pragma once

#include <stdint.h>
#include <uv.h>

#include "base/err.h"
#include "base/instant.h"
#include "io/net/exchange.h"
#include "io/net/tls.h"

enum {
    LISTENER_ADDRESSES_MAX = 16,  /* of one listener                                       */
    LISTENER_BACKLOG = 1024,      /* connections that wait to be accepted                  */
    LISTENER_FD_RESERVE = 128,    /* descriptors left for database, children and calls     */
    LISTENER_READ = 64 * 1024,    /* bytes taken from the kernel at once; also what a      */
                                  /* connection may hold of requests sent ahead            */
    LISTENER_KEEPALIVE_S = 30,    /* of silence, then ten questions in ten seconds         */
    LISTENER_SPARE_EXCHANGES = 64 /* kept, 40 KiB each, so that no request allocates       */
};

struct listener_limits {
    int connections;   /* all together; fewer where descriptors are few            */
    int per_peer;      /* from one address, see io/net/peer_limits.h                          */
    int per_local;     /* from this machine: proxies, and all who work here         */
    span handshake;    /* of TLS, from the connection to its end                    */
    span idle;         /* before the first byte of a request                        */
    span head;         /* from there until its head is complete                     */
    span body_window;  /* in each of these so many bytes of a body                  */
    int64_t body_rate; /*                                    must come, per second  */
    span stall;        /* without the client taking a byte of what is sent          */
    span request;      /* of HTTP/2, from its head to its end                       */
    span talk;         /* of HTTP/2, without a byte: gRPC keeps connections for later */
    span quiet;        /* of a stream of events, then a comment is sent             */
    span linger;       /* for the client to close after our last byte               */
};

/*
 * 10,000 connections, 32 of one peer, any number from this machine, 10 s, 60 s, 10 s,
 * 1,000 bytes/s over 10 s, 30 s, 30 s, 5 min, 10 s, 2 s.
 */
extern const struct listener_limits listener_limits_default;

struct listener_handler {
    /* The most bytes that the body of this request may have. */
    int64_t (*body_max)(void *arg, const struct http1_request *request);

    /* See io/net/exchange.h.  Never called from inside a call into the listener. */
    void (*on_request)(void *arg, struct exchange *x);
    void *arg;
};

struct listener_counts {
    int open;            /* connections at this moment         */
    int64_t accepted;    /* since the start                    */
    int64_t turned_away; /* over the limits                    */
    int64_t requests;    /* handed out                         */
    int64_t refused;     /* answered with a problem            */
    int64_t timed_out;   /* closed or refused by a limit above */
    int64_t shaken;      /* handshakes of TLS that succeeded   */
    int64_t unshaken;    /* and that failed                    */
};

struct listener; /* opaque */

struct listener *listener_new(uv_loop_t *loop, const struct listener_limits *limits,
                              const struct listener_handler *handler);

/*
 * One more address: `host` is a number of IPv4 or IPv6 without brackets; port 0 lets the
 * kernel choose.  RC_INVALID for a host that is none, RC_CONFLICT when somebody has the
 * address, RC_NOT_FOUND when it is not of this machine, RC_LIMIT after too many.
 */
MUST_USE enum rc listener_bind(struct listener *listener, const char *host, uint16_t port,
                               uint16_t *ret_port, struct err *reterr);

/*
 * TLS for the connections that are made from now on; those that are open keep what they have.
 * On failure all is as it was; see tls_context_open().
 */
MUST_USE enum rc listener_tls(struct listener *listener, const struct tls_files *files,
                              struct err *reterr);

/* As listener_bind(), for TLS alone; after listener_tls(). */
MUST_USE enum rc listener_bind_tls(struct listener *listener, const char *host, uint16_t port,
                                   uint16_t *ret_port, struct err *reterr);

struct listener_counts listener_counts(const struct listener *listener);

/*
 * Accepts nothing more, lets go of those who ask nothing, finishes what is under way, and
 * closes the rest when `within` is over.  `on_closed` comes when all connections are closed
 * and all exchanges ended; then listener_free() may be called.  A second call sets another
 * span, with the same on_closed.
 */
void listener_close(struct listener *listener, span within, void (*on_closed)(void *arg),
                    void *arg);

/* Only after on_closed.  Accepts NULL, returns NULL. */
struct listener *listener_free(struct listener *listener);
