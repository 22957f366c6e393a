/* SPDX-License-Identifier: Apache-2.0 */
/* The struct of the listener, for its own files only. */
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
    int handles; /* servers not yet closed by libuv */
    struct peer_limits *peers;
    struct tls_context *tls; /* for the next connection; NULL: none yet */
    struct conn *conns;
    struct exchange *spare;
    struct h2 *dirty;       /* HTTP/2 connections with something to send */
    uv_idle_t idle;         /* runs while there are any */
    struct io_bytes frames; /* of one of them, until they are sent */
    int spare_count, used_count;

    uv_timer_t deadline;
    bool is_closing, is_over;
    void (*on_closed)(void *arg);
    void *arg;

    char in[LISTENER_READ];                       /* lent to libuv for one read */
    char out[GZIP_ROOM(EXCHANGE_WRITE_MAX) + 64]; /* a head or a chunk, until it is sent */
    char gzipped[EXCHANGE_GZIP_MAX / 2]; /* a body as gzip; a larger one is sent uncompressed */
    struct http1_field fields[EXCHANGE_FIELDS_MAX + 2]; /* of an answer, with those of gzip */
    struct gzip *gzip; /* for whole answers, allocated at the first one */
    char plain[LISTENER_READ + TLS_KEPT_MAX + 1]; /* decrypted content of a TLS read */
    struct io_bytes encrypted; /* encrypted bytes, until the kernel has them */
};

/* listener.c: h2_flush_all() in the next round of the loop. */
void listener_flush_soon(struct listener *listener);

/* listener.c: something was closed; checks whether it was the last. */
void listener_check_closed(struct listener *listener);
