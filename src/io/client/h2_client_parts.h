/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the HTTP/2 client only. */
#pragma once

#include <nghttp2/nghttp2.h>

#include "base/arena.h"
#include "io/client/h2_client.h"
#include "io/client/webhook_target.h"
#include "io/io_bytes.h"
#include "io/net/tls_connect.h"

enum {
    H2_CLIENT_READ = 64 * 1024,     /* bytes per read */
    H2_CLIENT_BACKLOG = 256 * 1024, /* bytes that the kernel has not accepted */
    H2_CLIENT_CONNECT_MS = 5000,    /* for one address: connection and TLS */
    H2_CLIENT_PING_MS = 30000,      /* of silence with open calls, then a ping; twice: broken */
    H2_CLIENT_IDLE_MS = 300000,     /* without calls, then the connection is closed */
};

struct h2_call {
    struct h2_call *before, *after; /* in a ring: waiting, of a connection, or ended */
    struct h2_peer *peer;
    struct h2_conn *conn; /* NULL: waiting or ended */
    const struct h2_watch *watch;
    void *arg;
    struct h2_request request;
    uint64_t until; /* uv_now() of its deadline; 0: none */
    int32_t id;     /* of its stream */
    int tries;
    size_t framed; /* bytes of the request's body */

    struct arena *arena; /* of the fields; NULL until the first */
    struct http1_field *fields;
    int field_count;
    size_t head_bytes;
    int status;
    bool has_head;
    struct h2_end end;
    char text[H2_CLIENT_TEXT_MAX];
};

enum h2_conn_phase {
    H2_CONN_LOOKUP,
    H2_CONN_CONNECT,
    H2_CONN_SHAKE,
    H2_CONN_OPEN,
    H2_CONN_CLOSED, /* not yet closed by libuv */
};

struct h2_conn {
    struct h2_conn *next;
    struct h2_peer *peer;
    enum h2_conn_phase phase;
    uv_tcp_t *tcp; /* of the current address; NULL: none */
    uv_timer_t timer;
    uv_getaddrinfo_t lookup;
    uv_connect_t connect;
    uv_write_t write;
    int pending; /* handles and requests that libuv has not returned */

    struct sockaddr_storage addresses[H2_CLIENT_ADDRESSES_MAX];
    int address_count, address_at;
    struct address address; /* the one that it is connected to */

    struct tls *tls;
    nghttp2_session *session;
    struct h2_call calls; /* head of the ring */
    int stream_count;
    bool is_dirty, is_broken, is_writing, has_settings;
    bool is_going;     /* the server accepts no more streams */
    bool is_pinging;   /* and no byte has arrived since */
    uint64_t heard_at; /* uv_now() of the last byte, or of the last call's end */
    struct io_bytes flight, queue;
    char text[H2_CLIENT_TEXT_MAX]; /* why it failed */
};

struct h2_peer {
    struct h2_peer *next;
    struct h2_client *client;
    struct h2_target target; /* in `arena` */
    struct str authority;
    struct webhook_target host;
    bool is_tls, is_invalid; /* the URL has no host */
    struct arena *arena;
    struct tls_context *tls;
    char tls_text[H2_CLIENT_TEXT_MAX]; /* why there is no context; "": there is */
    struct h2_conn *conns;
    int conn_count;
    struct h2_call waiting; /* head of the ring */
    int waiting_count;
};

struct h2_client {
    uv_loop_t *loop;
    const char *ca_file;
    uv_prepare_t prepare; /* runs while there is something to do */
    uv_timer_t sweep;     /* of deadlines */
    int handles;
    bool is_awake, is_closing;
    struct h2_peer *peers;
    struct h2_call ended; /* head of the ring: on_end is due */
    struct io_bytes frames, encrypted;
    void (*on_closed)(void *arg);
    void *arg;
    char in[H2_CLIENT_READ];
    char plain[H2_CLIENT_READ + TLS_KEPT_MAX + 1];
};

/* h2_client.c */
void h2_client_wake(struct h2_client *client); /* before the next wait for events */
void h2_client_deliver(struct h2_client *client);
void h2_ring_add(struct h2_call *ring, struct h2_call *call);
/* Takes it from its ring; on_end follows. */
void h2_call_end(struct h2_call *call, enum h2_end_kind kind, const char *text);
void h2_call_wait(struct h2_call *call, bool is_first); /* for a connection */
void h2_client_check_closed(struct h2_client *client);

/* h2_client_conn.c */
void h2_conn_open(struct h2_peer *peer);
void h2_conn_flush(struct h2_conn *c);
/* Not from inside a callback of nghttp2. */
void h2_conn_close(struct h2_conn *c, enum h2_end_kind kind, const char *text);
void h2_conn_mark_dirty(struct h2_conn *c);

/* h2_client_stream.c */
void h2_conn_start(struct h2_conn *c); /* the connection is ready */
bool h2_conn_has_room(const struct h2_conn *c);
void h2_conn_submit(struct h2_conn *c, struct h2_call *call);
bool h2_conn_receive(struct h2_conn *c, struct str bytes); /* false: broken */
