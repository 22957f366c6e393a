/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One connection of the listener; only the files of the listener include it.
 *
 * A connection reads one request at a time and answers it before it reads the next.  Without a
 * request it holds no exchange and no buffer: most connections are idle most of the time.
 */
#pragma once

#include "io/io_bytes.h"
#include "io/net/exchange.h"
#include "io/net/gzip.h"
#include "io/net/listener.h"
#include "io/net/tls.h"

enum conn_phase {
    CONN_SHAKE, /* of TLS: no byte of a request can have arrived */
    CONN_IDLE,  /* waits for a request */
    CONN_HEAD,  /* has a part of one, but not its complete head */
    CONN_BODY,  /* has its head, but not its complete body */
    CONN_HELD,  /* the exchange is with its owner */
    CONN_H2,    /* uses HTTP/2: see io/net/h2.h */
    CONN_FLUSH, /* the answer is complete, but not completely sent */
    /* everything is sent; reads until the client closes, so that the client gets it */
    CONN_LINGER,
    CONN_CLOSED, /* not yet closed by libuv */
};

/* The purpose of the timer. */
enum conn_wait {
    CONN_WAIT_NOTHING,
    CONN_WAIT_BREAK, /* the next round of the loop, to close a broken connection */
    CONN_WAIT_AHEAD, /* the next round, to read what was sent ahead */
    CONN_WAIT_SHAKE,
    CONN_WAIT_REQUEST,
    CONN_WAIT_HEAD,
    CONN_WAIT_BODY,
    CONN_WAIT_STREAM, /* of HTTP/2: for the end of a request or an answer */
    CONN_WAIT_TALK,   /* of HTTP/2: for any byte */
    CONN_WAIT_WRITE,
    CONN_WAIT_QUIET, /* to send a comment when nothing is sent */
    CONN_WAIT_LINGER,
};

struct listener;
struct server;

struct conn {
    uv_tcp_t tcp;
    uv_timer_t timer;
    uv_write_t write;
    uv_shutdown_t shutdown;
    int handles; /* not yet closed by libuv */
    struct listener *listener;
    struct conn *prev, *next;
    struct peer peer;
    bool is_counted;  /* among the connections of its peer */
    struct tls *tls;  /* NULL: plain */
    struct h2 *h2;    /* NULL: HTTP/1.1 */
    bool has_version; /* of HTTP, detected from the first bytes */
    size_t chatter;   /* bytes of TLS after the handshake that are not answers */

    enum conn_phase phase;
    struct exchange *exchange; /* from the first byte of a request to the end of its answer */
    struct io_bytes ahead;     /* requests that arrived early */
    bool is_feeding;           /* conn_feed() is running and will see what changed */
    bool is_reading, has_received, has_eof, must_continue, closes, is_broken;

    struct io_bytes flight; /* passed to libuv, while is_writing */
    struct io_bytes queue;  /* the bytes after it */
    bool is_writing;
    uint64_t taken; /* all bytes passed to conn_write_raw() so far */

    enum conn_wait wait;
    bool is_fresh; /* a phase has begun: the timer must be set again */
    uint64_t mark; /* bytes received or sent when the timer was set, to measure progress */
};

/* conn.c: the life of a connection. */
void conn_open(struct server *server);
void conn_enter(struct conn *c, enum conn_phase phase);
/* after any change: starts or stops reading, and sets the timer */
void conn_settle(struct conn *c);
void conn_answered(struct conn *c); /* the whole answer is sent */
/* closed by the loop later, so that no caller is called back */
void conn_break(struct conn *c);
void conn_drop(struct conn *c);
void conn_drain(struct conn *c); /* closes it if nothing is under way */

/* conn_read.c */
void conn_feed(struct conn *c, struct str bytes);
void conn_receive(struct conn *c, struct str bytes); /* decrypted bytes */
void conn_receive_end(struct conn *c);
void conn_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf);
void conn_lend_buffer(uv_handle_t *handle, size_t hint, uv_buf_t *ret);
void conn_refuse(struct conn *c, int status, const char *detail);
void conn_body_too_slow(struct conn *c);
/* `http1`: the request as far as it was read; NULL: nothing of it. */
struct str conn_problem(struct listener *listener, const struct http1 *http1, int status,
                        const char *detail);

/* conn_write.c */
void conn_send(struct conn *c, struct str head, struct str body);
void conn_write_raw(struct conn *c, struct str head, struct str body); /* without encryption */
size_t conn_backlog(const struct conn *c);

/* conn_tls.c */
void conn_start_tls(struct conn *c);
void conn_decrypt(struct conn *c, struct str encrypted);
void conn_encrypt(struct conn *c, struct str head, struct str body);
void conn_end_tls(struct conn *c);

/* exchange.c */
struct exchange *exchange_new(struct conn *c);
void exchange_add_body(struct exchange *x, struct str piece);
void exchange_notify_gone(struct exchange *x);
void exchange_notify_over(struct exchange *x, bool is_sent);
void exchange_release(struct exchange *x); /* to the spare ones */
void exchange_free(struct exchange *x);
