/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection that speaks HTTP/2 (RFC 9113), by nghttp2; only the files of the listener
 * include it.
 *
 * Each stream is a request with an exchange of its own, and many are under way at once.  The
 * head of a request is read by the parser of HTTP/1.1, so that both kinds of connection let
 * the same things in.  What a client can make the connection do for nothing is counted, and
 * who goes on is sent away.
 */
#pragma once

#include "io/net/conn.h"
#include "wire/http1/http1_write.h"

enum {
    H2_STREAMS_MAX = 100,         /* of one connection at a time                         */
    H2_EXCHANGES_MAX = 16 * 1024, /* of all connections; further streams are refused     */
    H2_WINDOW = 1 << 20,          /* bytes that a stream may send ahead                  */
    H2_WINDOW_ALL = 4 << 20,      /* and all of a connection                             */
    H2_BODIES_MAX = 8 << 20,      /* of requests that are not complete, of a connection  */
    H2_RESETS = 100,              /* streams that a client may cancel at once, and       */
    H2_RESETS_A_SECOND = 10,      /* from then on (CVE-2023-44487)                        */
    H2_GLITCHES = 100,            /* mistakes that make us answer (CVE-2025-8671), and    */
    H2_GLITCHES_A_SECOND = 10,    /* from then on                                        */
    H2_ACKS_MAX = 100,            /* of pings and settings that the client does not take */
    H2_SETTINGS_MAX = 32,         /* in one frame                                        */
};

struct h2;
struct h2_stream;

/* The preface has come, and is the beginning of what h2_take() is given. */
void h2_open(struct conn *c);
void h2_take(struct conn *c, struct str bytes);
void h2_go_on(struct conn *c); /* the kernel has taken some of what was waiting   */
void h2_drain(struct conn *c); /* no further streams; closes after the last       */
void h2_look(struct conn *c);  /* at what takes too long, and at silent events    */
bool h2_is_idle(const struct conn *c);
/* A request that is not complete, or an answer of which not all could be sent: h2_look() */
bool h2_has_unfinished(const struct conn *c);
span h2_look_after(const struct conn *c); /* then: when */
/* As conn_drop() does with its exchange. */
struct h2 *h2_free(struct h2 *h2);

/* Sends what was said since the last round of the loop, each connection's at once. */
void h2_flush_all(struct listener *listener);

/* For io/net/exchange.c, in the place of what it does with HTTP/1.1. */
void h2_answer(struct exchange *x, const struct http1_answer *answer, struct str body);
void h2_begin(struct exchange *x, const struct http1_answer *answer);
bool h2_write(struct exchange *x, struct str data);
void h2_end(struct exchange *x);
void h2_cut(struct exchange *x);
