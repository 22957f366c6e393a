/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection that uses HTTP/2 (RFC 9113), by nghttp2; only the files of the listener include
 * it.
 *
 * Each stream is a request with its own exchange, and many are under way at once.  The HTTP/1.1
 * parser reads the head of a request, so that both kinds of connection accept the same
 * requests.  Work that a client can cause for free is counted, and a client that continues is
 * disconnected.
 */
#pragma once

#include "io/net/conn.h"
#include "wire/http1/http1_write.h"

enum {
    H2_STREAMS_MAX = 100,         /* simultaneous streams of one connection */
    H2_EXCHANGES_MAX = 16 * 1024, /* of all connections; further streams are refused */
    H2_WINDOW = 1 << 20,          /* bytes that a stream may send ahead */
    H2_WINDOW_ALL = 4 << 20,      /* and all streams of a connection */
    H2_BODIES_MAX = 16 << 20,     /* of incomplete requests of a connection: two large ones */
    H2_RESETS = 100,              /* streams that a client may cancel (CVE-2023-44487) */
    H2_RESETS_A_SECOND = 10,      /* and how many more with each second */
    H2_GLITCHES = 100,            /* client errors that cause an answer (CVE-2025-8671) */
    H2_GLITCHES_A_SECOND = 10,    /* and how many more with each second */
    H2_ACKS_MAX = 100,            /* of pings and settings that the client does not accept */
    H2_SETTINGS_MAX = 32,         /* in one frame */
};

struct h2;
struct h2_stream;

/* The preface has arrived, and is the beginning of the bytes for h2_receive(). */
void h2_open(struct conn *c);
void h2_receive(struct conn *c, struct str bytes);
void h2_resume(struct conn *c);        /* the kernel accepted some of the waiting bytes */
void h2_drain(struct conn *c);         /* no further streams; closes after the last */
void h2_check_streams(struct conn *c); /* resets late streams; sends comments */
bool h2_is_idle(const struct conn *c);
/* A request is incomplete, or an answer not completely sent: see h2_check_streams(). */
bool h2_has_unfinished(const struct conn *c);
span h2_check_after(const struct conn *c); /* time until the next h2_check_streams() */
/* Ends the exchanges as conn_drop() does.  Accepts NULL, returns NULL. */
struct h2 *h2_free(struct h2 *h2);

/* Sends what was queued since the last round of the loop, one write per connection. */
void h2_flush_all(struct listener *listener);

/* For io/net/exchange.c, instead of its HTTP/1.1 code. */
void h2_answer(struct exchange *x, const struct http1_answer *answer, struct str body);
void h2_begin(struct exchange *x, const struct http1_answer *answer);
bool h2_write(struct exchange *x, struct str data);
void h2_end(struct exchange *x);
void h2_cut(struct exchange *x);
