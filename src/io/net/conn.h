/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One connection of the listener; only the files of the listener include it.
 *
 * A connection reads one request at a time and answers it before it reads the next.  While
 * there is no request it holds no exchange and no buffer: that is what most of them do most
 * of the time.
 */
#pragma once

#include "io/net/exchange.h"
#include "io/net/gzip.h"
#include "io/net/listener.h"
#include "io/net/tls.h"

enum conn_phase {
    CONN_SHAKE,  /* of TLS: no byte of a request can have come                     */
    CONN_IDLE,   /* waits for a request                                            */
    CONN_HEAD,   /* has some of one, but not all of its head                       */
    CONN_BODY,   /* has its head, but not all of its body                          */
    CONN_HELD,   /* the exchange is with its owner                                 */
    CONN_H2,     /* speaks HTTP/2: see io/net/h2.h                                     */
    CONN_FLUSH,  /* the answer is complete, and not all of it is sent              */
    CONN_LINGER, /* has said its last word, and reads so that it can be read       */
    CONN_CLOSED, /* libuv has yet to let go of it                                  */
};

/* What the timer is for. */
enum conn_wait {
    CONN_WAIT_NOTHING,
    CONN_WAIT_BREAK, /* the next round of the loop, to close what is broken  */
    CONN_WAIT_AHEAD, /* the next round, to read what was sent ahead          */
    CONN_WAIT_SHAKE,
    CONN_WAIT_REQUEST,
    CONN_WAIT_HEAD,
    CONN_WAIT_BODY,
    CONN_WAIT_STREAM, /* of HTTP/2: for the end of a request or an answer */
    CONN_WAIT_TALK,   /* of HTTP/2: for any word              */
    CONN_WAIT_WRITE,
    CONN_WAIT_QUIET, /* to say something when nothing is said */
    CONN_WAIT_LINGER,
};

struct listener;
struct server;

struct conn_bytes {
    char *ptr;
    size_t len, cap;
};

struct conn {
    uv_tcp_t tcp;
    uv_timer_t timer;
    uv_write_t write;
    uv_shutdown_t shutdown;
    int handles; /* that libuv has not let go of */
    struct listener *listener;
    struct conn *prev, *next;
    struct peer peer;
    bool is_counted; /* among the connections of its peer */
    struct tls *tls; /* NULL: plain                        */
    struct h2 *h2;   /* NULL: HTTP/1.1                     */
    bool is_known;   /* which of them it is                */
    size_t chatter;  /* bytes of TLS after the handshake that are no answer */

    enum conn_phase phase;
    struct exchange *exchange; /* from the first byte of a request to the end of its answer */
    struct conn_bytes ahead;   /* requests that came before their turn                      */
    bool is_feeding;           /* conn_feed() is at work and will see what changed          */
    bool is_reading, has_spoken, has_eof, must_continue, closes, is_broken;

    struct conn_bytes flight; /* with libuv, while is_writing */
    struct conn_bytes queue;  /* what comes after it          */
    bool is_writing;
    uint64_t taken; /* bytes that were ever to be sent */

    enum conn_wait wait;
    bool is_fresh; /* a phase has begun, so its time begins too   */
    uint64_t mark; /* bytes that had come or gone when it was set */
};

/* conn.c: how it lives and ends. */
void conn_open(struct server *server);
void conn_enter(struct conn *c, enum conn_phase phase);
void conn_settle(struct conn *c);   /* after any change: reads or not, and sets the timer  */
void conn_answered(struct conn *c); /* all of the answer is sent                           */
void conn_break(struct conn *c);    /* closed by the loop, so that no caller is called back */
void conn_drop(struct conn *c);
void conn_drain(struct conn *c); /* closes it if nothing is under way */

/* conn_read.c */
void conn_feed(struct conn *c, struct str bytes);
void conn_take(struct conn *c, struct str bytes); /* plain ones */
void conn_take_end(struct conn *c);
void conn_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf);
void conn_lend(uv_handle_t *handle, size_t hint, uv_buf_t *ret);
void conn_refuse(struct conn *c, int status, const char *detail);
struct str conn_problem(struct listener *listener, int status, const char *detail);

/* conn_write.c */
void conn_send(struct conn *c, struct str head, struct str body);
void conn_put(struct conn *c, struct str head, struct str body); /* as they are, unsealed */
size_t conn_backlog(const struct conn *c);
void conn_bytes_add(struct conn_bytes *bytes, struct str more);
void conn_bytes_free(struct conn_bytes *bytes);

/* conn_tls.c */
void conn_cover(struct conn *c);
void conn_unseal(struct conn *c, struct str sealed);
void conn_seal(struct conn *c, struct str head, struct str body);
void conn_seal_end(struct conn *c);

/* exchange.c */
struct exchange *exchange_new(struct conn *c);
void exchange_add_body(struct exchange *x, struct str piece);
void exchange_tell_gone(struct exchange *x);
void exchange_tell_over(struct exchange *x, bool is_sent);
void exchange_release(struct exchange *x); /* to the spare ones */
void exchange_free(struct exchange *x);
