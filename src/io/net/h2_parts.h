/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of HTTP/2 share; nobody else includes it.
 */
#pragma once

#include <nghttp2/nghttp2.h>

#include "io/net/h2.h"
#include "io/net/listener_parts.h"

enum h2_phase {
    H2_HALF,  /* not all of the request has come                                */
    H2_HELD,  /* the exchange is with its owner                                 */
    H2_TOLD,  /* the answer is complete, and not all of it is framed            */
    H2_TAKEN, /* all is framed, and the kernel has yet to take it               */
};

struct h2_stream {
    struct h2 *h2;
    struct h2_stream *before, *behind; /* in the order of their coming */
    int32_t id;
    enum h2_phase phase;
    uint64_t since; /* uv_now() of its head */
    struct exchange *x;

    struct str method, path, authority;
    bool has_line;  /* the parser has been given them                     */
    int refused;    /* 0, or the status that is the answer                */
    struct str why; /* then: a sentence, ended by a NUL                   */
    int64_t body_max;

    struct conn_bytes out; /* of the body of the answer      */
    size_t framed;         /* bytes of it that are on the way */
    bool is_over;          /* there will be no more of it    */
    bool is_begun;         /* its head was said              */
    uint64_t moved_at;     /* uv_now() when there was nothing to frame, or some was */
    nghttp2_nv *trailers;
    size_t trailer_count;
};

struct h2 {
    struct conn *conn;
    nghttp2_session *session;
    struct h2_stream all; /* head of the ring */
    int stream_count, half_count;
    int begun_count;  /* answers of which not all is framed */
    size_t bodies;    /* bytes of requests that are not complete */
    bool is_taking;   /* nghttp2 is at work: what is said is sent after it */
    bool is_draining; /* no further streams                                */
    struct h2 *next_dirty;
    bool is_dirty;
    uint64_t glitch_at; /* uv_now() of the last one */
    int64_t glitches;   /* thousandths that are left */
};

/* h2_stream.c */
struct h2_stream *h2_stream_new(struct h2 *h2, int32_t id);
/* One field of the request's head; false when the stream is to be reset. */
bool h2_stream_field(struct h2_stream *s, struct str name, struct str value);
/* All fields have come. */
void h2_stream_head(struct h2_stream *s);
void h2_stream_body(struct h2_stream *s, struct str piece);
/* The request is complete: to its owner, or refused. */
void h2_stream_done(struct h2_stream *s);
/* nghttp2 has let go of it, the kernel has all of it, or the connection is over. */
void h2_stream_closed(struct h2_stream *s, bool is_whole);
/* Too much time has gone by: a stream without an end, or an answer that nobody takes. */
bool h2_stream_is_late(const struct h2_stream *s, uint64_t now);
/* It is one of events, and has nothing to say. */
bool h2_stream_is_quiet(const struct h2_stream *s, uint64_t now);

/* Its owner waits for room, and there is some. */
bool h2_stream_wants_room(const struct h2_stream *s);
/* For nghttp2: some of the answer's body. */
ssize_t h2_stream_read(nghttp2_session *session, int32_t id, uint8_t *room, size_t len,
                       uint32_t *flags, nghttp2_data_source *source, void *arg);

/* h2.c: there is something to send. */
void h2_dirty(struct h2 *h2);
