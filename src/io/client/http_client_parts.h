/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the HTTP client only. */
#pragma once

#include <nghttp2/nghttp2.h>

#include "base/arena.h"
#include "io/client/http_client.h"
#include "io/client/http_protocol.h"
#include "io/client/webhook_target.h"
#include "io/io_bytes.h"
#include "io/net/tls_connect.h"

enum {
    HTTP_CLIENT_READ = 64 * 1024,     /* bytes per read */
    HTTP_CLIENT_GATHER = 48 * 1024,   /* bytes that are sent at once */
    HTTP_CLIENT_BACKLOG = 256 * 1024, /* bytes that the kernel has not accepted */
    HTTP_CLIENT_CONNECT_MS = 5000,    /* for one address: connection and TLS */
    HTTP_CLIENT_PING_MS = 30000, /* of silence with open calls, then a ping; twice: broken */
};

struct http_h1; /* see http_client_h1.c */

struct http_call {
    struct http_call *before, *after; /* in a ring: waiting, of a connection, or ended */
    struct http_client *client;
    struct http_peer *peer;
    struct http_conn *conn; /* NULL: waiting or ended */
    const struct http_watch *watch;
    void *arg;
    struct http_request request;
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
    struct http_end end;
    char text[HTTP_CLIENT_TEXT_MAX];
};

enum http_conn_phase {
    HTTP_CONN_LOOKUP,
    HTTP_CONN_CONNECT,
    HTTP_CONN_SHAKE,
    HTTP_CONN_OPEN,
    HTTP_CONN_CLOSED, /* not yet closed by libuv */
};

struct http_conn {
    struct http_conn *next;
    struct http_peer *peer;
    enum http_conn_phase phase;
    uv_tcp_t *tcp; /* of the current address; NULL: none */
    uv_timer_t timer;
    uv_getaddrinfo_t lookup;
    uv_connect_t connect;
    uv_write_t write;
    int pending; /* handles and requests that libuv has not returned */

    struct sockaddr_storage addresses[HTTP_CLIENT_ADDRESSES_MAX];
    int address_count, address_at;
    struct address address; /* the one that it is connected to */

    struct tls *tls;
    nghttp2_session *session; /* of HTTP/2 */
    struct http_h1 *h1;       /* of HTTP/1.1 */
    struct http_call calls;   /* head of the ring */
    int stream_count;
    bool is_dirty, is_broken, is_writing, has_settings;
    bool has_sent;     /* a byte since the last call was submitted */
    bool is_going;     /* the server accepts no more streams */
    bool is_pinging;   /* and no byte has arrived since */
    uint64_t heard_at; /* uv_now() of the last byte, or of the last call's end */
    struct io_bytes flight, queue;
    char text[HTTP_CLIENT_TEXT_MAX]; /* why it failed */
};

struct http_peer {
    struct http_peer *next;
    struct http_client *client;
    struct http_target target; /* in `arena` */
    const struct http_protocol *protocol;
    struct str authority;
    struct webhook_target host;
    bool is_tls, is_invalid; /* the URL has no host */
    struct arena *arena;
    struct tls_context *tls;
    char tls_text[HTTP_CLIENT_TEXT_MAX]; /* why there is no context; "": there is */
    struct http_conn *conns;
    int conn_count;
    struct http_call waiting; /* head of the ring */
    int waiting_count;
};

struct http_client {
    uv_loop_t *loop;
    const char *ca_file;
    uv_prepare_t prepare; /* runs while there is something to do */
    uv_timer_t sweep;     /* of deadlines */
    int handles;
    bool is_awake, is_closing;
    struct http_peer *peers;
    struct http_call ended;  /* head of the ring: on_end is due */
    struct http_call *spare; /* linked by `after` */
    int spares;
    struct io_bytes frames, encrypted;
    void (*on_closed)(void *arg);
    void *arg;
    char in[HTTP_CLIENT_READ];
    char plain[HTTP_CLIENT_READ + TLS_KEPT_MAX + 1];
};

/* http_client.c */
void http_client_wake(struct http_client *client); /* before the next wait for events */
void http_client_deliver(struct http_client *client);
void http_ring_add(struct http_call *ring, struct http_call *call);
/* Takes it from its ring; on_end follows. */
void http_call_end(struct http_call *call, enum http_end_kind kind, const char *text);
void http_call_wait(struct http_call *call, bool is_first); /* for a connection */
void http_client_check_closed(struct http_client *client);

/* http_client_conn.c */
void http_conn_open(struct http_peer *peer);
void http_conn_flush(struct http_conn *c);
/* Not from inside a callback of nghttp2. */
void http_conn_close(struct http_conn *c, enum http_end_kind kind, const char *text);
void http_conn_mark_dirty(struct http_conn *c);
void http_conn_pause(struct http_conn *c, bool is_paused); /* reading */
