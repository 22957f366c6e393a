/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the listener share: the listener itself; nobody else includes it.
 */
#pragma once

#include "io/net/conn.h"
#include "io/net/gzip.h"
#include "io/net/listener.h"
#include "io/net/tls.h"

struct server { /* one address */
    uv_tcp_t tcp;
    struct listener *listener;
    bool has_tls;
};

struct listener {
    uv_loop_t *loop;
    struct listener_limits limits;
    struct listener_handler handler;
    struct listener_counts counts;
    struct server servers[LISTENER_ADDRESSES_MAX];
    int server_count;
    int handles; /* servers that libuv has not let go of */
    struct peer_limits *peers;
    struct tls_context *tls; /* for the next connection; NULL: there is none yet */
    struct conn *conns;
    struct exchange *spare;
    struct h2 *dirty;         /* connections of HTTP/2 with something to say */
    uv_idle_t idle;           /* runs while there are any                    */
    struct conn_bytes frames; /* of one of them, until they are sent         */
    int spare_count, used_count;

    uv_timer_t deadline;
    bool is_closing, is_over;
    void (*on_closed)(void *arg);
    void *arg;

    char in[LISTENER_READ];         /* lent to libuv for one read                      */
    char event[EXCHANGE_WRITE_MAX]; /* one, as it is printed                           */
    char out[GZIP_ROOM(EXCHANGE_WRITE_MAX) + 64]; /* a head or a chunk, until it is sent  */
    char small[EXCHANGE_GZIP_MAX / 2]; /* a body as gzip; one that stays larger goes as is */
    struct http1_field fields[EXCHANGE_FIELDS_MAX + 2]; /* of an answer, with those of gzip  */
    struct gzip *gzip; /* for whole answers, from the first of them on     */
    char plain[LISTENER_READ + TLS_KEPT_MAX + 1]; /* what a read of TLS held              */
    struct conn_bytes sealed;                     /* for the kernel, until it is with it  */
};

/* listener.c: h2_flush_all() in the next round of the loop. */
void listener_flush_soon(struct listener *listener);

/* listener.c: something was closed; perhaps it was the last. */
void listener_look(struct listener *listener);
