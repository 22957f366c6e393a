/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of HTTP/2 only. */
#pragma once

#include <nghttp2/nghttp2.h>

#include "io/net/h2.h"
#include "io/net/listener_parts.h"

enum h2_phase {
    H2_INCOMPLETE, /* the request is incomplete */
    H2_HELD,       /* the exchange is with its owner */
    H2_ANSWERED,   /* the answer is complete, but not completely framed */
    H2_FRAMED,     /* completely framed, but not yet accepted by the kernel */
};

struct h2_stream {
    struct h2 *h2;
    struct h2_stream *before, *after; /* in order of arrival */
    int32_t id;
    enum h2_phase phase;
    uint64_t since; /* uv_now() of its head */
    struct exchange *x;

    struct str method, path, authority;
    bool has_line;  /* the parser was given them */
    int refused;    /* 0, or the status of the answer */
    struct str why; /* then: the message, terminated by a NUL */
    int64_t body_max;

    struct io_bytes out; /* of the body of the answer */
    size_t framed;       /* bytes of it that are framed */
    bool is_over;        /* the body is complete */
    bool is_begun;       /* its head was submitted */
    uint64_t moved_at;   /* uv_now() when a part was last framed, or nothing was waiting */
    nghttp2_nv *trailers;
    size_t trailer_count;
};

struct h2 {
    struct conn *conn;
    nghttp2_session *session;
    struct h2_stream all; /* head of the ring */
    int stream_count, incomplete_count;
    int begun_count;   /* answers that are not completely framed */
    size_t bodies;     /* bytes of incomplete requests */
    bool is_receiving; /* nghttp2 is reading; frames are sent after that */
    bool is_draining;  /* no further streams */
    /* numbers of streams: the largest so far, and the last gap, without its ends */
    int32_t newest_id, gap_begin, gap_end;
    struct h2 *next_dirty;
    bool is_dirty;
    uint64_t glitch_at;    /* uv_now() of the last one */
    int64_t glitch_budget; /* in thousandths of a glitch */
};

/* h2_stream.c */
struct h2_stream *h2_stream_new(struct h2 *h2, int32_t id);
/* One field of the request's head; false if the stream must be reset. */
bool h2_stream_field(struct h2_stream *s, struct str name, struct str value);
/* All fields have arrived. */
void h2_stream_head(struct h2_stream *s);
void h2_stream_body(struct h2_stream *s, struct str piece);
/* The request is complete: pass it to its owner, or refuse it. */
void h2_stream_done(struct h2_stream *s);
/* nghttp2 has closed it, the kernel has all of it, or the connection is closed. */
void h2_stream_closed(struct h2_stream *s, bool is_whole);
/* It took too long: an unfinished request, or an answer that the client does not accept. */
bool h2_stream_is_late(const struct h2_stream *s, uint64_t now);
/* It is an event stream that has nothing to send. */
bool h2_stream_is_quiet(const struct h2_stream *s, uint64_t now);

/* Its owner waits for room, and there is some. */
bool h2_stream_wants_room(const struct h2_stream *s);
/* For nghttp2: reads some of the answer's body. */
ssize_t h2_stream_read(nghttp2_session *session, int32_t id, uint8_t *room, size_t len,
                       uint32_t *flags, nghttp2_data_source *source, void *arg);

/* h2.c: there is something to send. */
void h2_mark_dirty(struct h2 *h2);
