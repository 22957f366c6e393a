/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One request and its answer, immediate or later, whole or streamed.
 *
 * The owner that the listener (io/net/listener.h) passes an exchange to must end it, once, by
 * exchange_answer(), exchange_end() or exchange_cut(), even if the client has gone; after that
 * it must not be used.  All functions are for the loop's thread.  None of them returns an
 * error: a failure is reported later, through struct exchange_watch.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"
#include "io/net/peer_limits.h"
#include "wire/http1/http1.h"

enum {
    EXCHANGE_HEAD_MAX = 16 * 1024,     /* of an answer's head, as of a request's */
    EXCHANGE_WRITE_MAX = 64 * 1024,    /* of one write to a stream */
    EXCHANGE_STREAM_AT = 64 * 1024,    /* bytes of a body; a longer one may be streamed */
    EXCHANGE_BACKLOG_MAX = 256 * 1024, /* of a stream, not yet accepted by the client */
    EXCHANGE_ARENA_MAX = 16 << 20,     /* the fields of HTTP/2, and what the owner needs */
    EXCHANGE_FIELDS_MAX = 32,          /* of an answer */
    EXCHANGE_GZIP_LEAST = 1024,        /* of a body: less would not fill a packet */
    EXCHANGE_GZIP_MAX = 1 << 20,       /* 8 ms, during which the loop is blocked */
};

struct exchange;
struct gzip;
struct h2_stream;

/* Notifications to the owner; each may be NULL. */
struct exchange_watch {
    /*
     * The client closed before the answer was complete.  At most once.  If it closed only its
     * own side, an answer still reaches it.
     */
    void (*on_gone)(void *arg, struct exchange *x);

    /* More of a streamed body has arrived, or its end, or body_error is set. */
    void (*on_body)(void *arg, struct exchange *x);

    /* A write was rejected, and now there is room. */
    void (*on_room)(void *arg, struct exchange *x);

    /*
     * After the end, unless on_gone was called: whether the kernel accepted the whole answer.
     * `false` is reported from the loop; `true` may be reported before the ending call returns.
     */
    void (*on_over)(void *arg, bool is_sent);
};

struct exchange {
    const struct http1_request *request;
    struct str body;      /* of a streamed one: what has arrived and was not taken */
    bool is_body_open;    /* it is streamed (struct listener_handler), and more may arrive */
    int body_error;       /* why nothing more arrives: a status; 0: no error */
    const char *body_why; /* then: for the client */
    struct peer peer;
    bool is_gone;      /* on_gone was called, or would have been */
    bool is_too_large; /* HTTP/2: the body exceeded its limit and is missing */

    /* Private to the listener. */
    struct listener *listener;
    struct conn *conn;        /* NULL once it is closed */
    struct h2_stream *stream; /* of it; NULL: HTTP/1.1 */
    const struct http1_field *trailers;
    int trailer_count;
    struct exchange *next;
    struct arena *arena;
    struct gzip *gzip; /* of a compressed stream */
    const struct exchange_watch *watch;
    void *arg;
    char *body_room;
    size_t body_cap;
    uint64_t body_seen; /* bytes that have arrived, also those that were taken */
    bool is_head, is_h2, is_tls, is_chunked, has_begun, has_events, wants_room;
    bool may_stream, is_verbatim;
    int64_t left; /* bytes of a sized stream */
    struct http1 http1;
    char room[HTTP1_ROOM]; /* last: its pages are touched only as far as the head is long */
};

/* Replaces the previous watch; *watch is not copied. */
void exchange_watch(struct exchange *x, const struct exchange_watch *watch, void *arg);

/* For what the owner needs until the end. */
struct arena *exchange_arena(struct exchange *x);

/* Copies up to `len` bytes of the body and forgets them, so that more may arrive. */
size_t exchange_take_body(struct exchange *x, char *room, size_t len);

/* Only while is_body_open: the listener passes the exchange on again, with its whole body. */
void exchange_collect(struct exchange *x);

/* The answer is sent as it is, never compressed. */
void exchange_set_verbatim(struct exchange *x);

/* Whether it uses HTTP/2.  Only HTTP/2 answers can have trailers. */
bool exchange_is_h2(const struct exchange *x);
bool exchange_is_tls(const struct exchange *x);

/* For the next call of exchange_answer() or exchange_end(): fields after the body. */
void exchange_set_trailers(struct exchange *x, const struct http1_field *fields, int count);

/* The client is authenticated: its connection is not counted against its address. */
void exchange_trust(struct exchange *x);

/*
 * The whole answer, and the end.  `body` is empty for 204 and 304; for HEAD only its length is
 * sent.  Fields that cannot be sent (see http1_write_head()) make it a 500.  Text is compressed
 * if the client accepts gzip, also in streams (docs/decisions/0025-gzip.md).
 */
void exchange_answer(struct exchange *x, int status, const struct http1_field *fields,
                     int field_count, struct str body);

/* The head of a stream; then any number of writes; then exchange_end(). */
void exchange_begin(struct exchange *x, int status, const struct http1_field *fields,
                    int field_count);

/* The same for a body of `length` bytes: the writes must have exactly that many. */
void exchange_begin_sized(struct exchange *x, int status, const struct http1_field *fields,
                          int field_count, int64_t length);

/* False, with nothing consumed, if the client is too slow: try again at on_room. */
bool exchange_write(struct exchange *x, struct str data);
void exchange_end(struct exchange *x);

/*
 * The head of a stream of Server-Sent Events, with the request id of the logs, "": none.
 * During silence, comments are sent every few seconds (listener_limits.quiet).
 */
void exchange_begin_events(struct exchange *x, struct str request_id);

/* Ends without completing the answer: the client sees that something is missing. */
void exchange_cut(struct exchange *x);
