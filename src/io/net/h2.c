/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP/2 connections: frames in, frames out, and protection against floods. */
#include <stdlib.h>

#include "base/must.h"
#include "io/net/h2_parts.h"
#include "wire/sse.h"

enum {
    ID_STEP = 2,             /* of stream numbers: clients use odd ones */
    GATHER = 48 * 1024,      /* bytes of frames that are sent at once */
    GLITCH_COST = 1000,      /* see h2.glitch_budget */
    HEADER_LIST = 16 * 1024, /* as the section of HTTP/1.1: HTTP1_SECTION_MAX */
};

static struct str str_of_bytes(const uint8_t *ptr, size_t len)
{
    return (struct str){(const char *)ptr, len};
}

static struct str str_of_rcbuf(nghttp2_rcbuf *buf)
{
    nghttp2_vec vec = nghttp2_rcbuf_get_buf(buf);

    return str_of_bytes(vec.base, vec.len);
}

static struct h2_stream *stream_of(nghttp2_session *session, int32_t id)
{
    return nghttp2_session_get_stream_user_data(session, id);
}

void h2_mark_dirty(struct h2 *h2)
{
    struct listener *listener = h2->conn->listener;

    if (h2->is_dirty || h2->is_receiving)
        return;
    h2->is_dirty = true;
    h2->next_dirty = listener->dirty;
    listener->dirty = h2;
    listener_flush_soon(listener);
}

/*
 * A client error made the server send something.  A few errors are normal, many are an attack:
 * each may cause work that no one waits for.
 */
static void count_glitch(struct h2 *h2)
{
    uint64_t now = uv_now(h2->conn->listener->loop);

    h2->glitch_budget += (int64_t)(now - h2->glitch_at) * H2_GLITCHES_A_SECOND;
    if (h2->glitch_budget > (int64_t)H2_GLITCHES * GLITCH_COST)
        h2->glitch_budget = (int64_t)H2_GLITCHES * GLITCH_COST;
    h2->glitch_at = now;
    h2->glitch_budget -= GLITCH_COST;
    if (h2->glitch_budget < 0)
        must(nghttp2_session_terminate_session(h2->session, NGHTTP2_ENHANCE_YOUR_CALM) == 0);
}

/* ---- receiving ---- */

/*
 * A stream must have a larger number than those before it.  nghttp2 ignores a smaller one,
 * because it may belong to a stream that is closed; a number of the last gap never was one.
 */
static int on_begin_frame(nghttp2_session *session, const nghttp2_frame_hd *hd, void *arg)
{
    struct h2 *h2 = arg;

    if (hd->type != NGHTTP2_HEADERS)
        return 0;
    if (hd->stream_id > h2->newest_id) {
        if (hd->stream_id > h2->newest_id + ID_STEP) {
            h2->gap_begin = h2->newest_id;
            h2->gap_end = hd->stream_id;
        }
        h2->newest_id = hd->stream_id;
    } else if (hd->stream_id > h2->gap_begin && hd->stream_id < h2->gap_end) {
        return nghttp2_session_terminate_session(session, NGHTTP2_PROTOCOL_ERROR);
    }
    return 0;
}

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
    struct h2 *h2 = arg;
    struct h2_stream *s;

    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST)
        return 0;
    if (h2->is_draining || h2->conn->listener->used_count >= H2_EXCHANGES_MAX)
        return nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id,
                                         NGHTTP2_REFUSED_STREAM);
    s = h2_stream_new(h2, frame->hd.stream_id);
    return nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, s);
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, nghttp2_rcbuf *name,
                     nghttp2_rcbuf *value, uint8_t flags, void *arg)
{
    struct h2_stream *s = stream_of(session, frame->hd.stream_id);

    (void)flags;
    (void)arg;
    /* Trailers of a request are ignored. */
    if (!s || frame->headers.cat != NGHTTP2_HCAT_REQUEST)
        return 0;
    if (!h2_stream_field(s, str_of_rcbuf(name), str_of_rcbuf(value)))
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    return 0;
}

static int on_frame_recv(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
    struct h2_stream *s = stream_of(session, frame->hd.stream_id);

    (void)arg;
    if (!s || s->phase != H2_INCOMPLETE)
        return 0;
    if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST)
        h2_stream_head(s);
    if ((frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA) &&
        (frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
        h2_stream_done(s);
    return 0;
}

static int on_data_chunk(nghttp2_session *session, uint8_t flags, int32_t id,
                         const uint8_t *data, size_t len, void *arg)
{
    struct h2_stream *s = stream_of(session, id);

    (void)flags;
    (void)arg;
    if (s && s->phase == H2_INCOMPLETE)
        h2_stream_body(s, str_of_bytes(data, len));
    return 0;
}

static int on_stream_close(nghttp2_session *session, int32_t id, uint32_t error, void *arg)
{
    struct h2_stream *s = stream_of(session, id);

    (void)arg;
    if (s)
        h2_stream_closed(s, error == NGHTTP2_NO_ERROR);
    return 0;
}

static int on_invalid_frame(nghttp2_session *session, const nghttp2_frame *frame, int error,
                            void *arg)
{
    (void)session;
    (void)frame;
    (void)error;
    count_glitch(arg);
    return 0;
}

static int on_frame_send(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
    (void)session;
    if (frame->hd.type == NGHTTP2_RST_STREAM)
        count_glitch(arg);
    return 0;
}

/* ---- opening and closing ---- */

static void set_callbacks(nghttp2_session_callbacks *calls)
{
    nghttp2_session_callbacks_set_on_begin_frame_callback(calls, on_begin_frame);
    nghttp2_session_callbacks_set_on_begin_headers_callback(calls, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback2(calls, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(calls, on_frame_recv);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(calls, on_data_chunk);
    nghttp2_session_callbacks_set_on_stream_close_callback(calls, on_stream_close);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(calls, on_invalid_frame);
    nghttp2_session_callbacks_set_on_frame_send_callback(calls, on_frame_send);
}

static nghttp2_session *session_new(struct h2 *h2)
{
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, H2_STREAMS_MAX},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, H2_WINDOW},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, HEADER_LIST},
    };
    nghttp2_session_callbacks *calls;
    nghttp2_option *option;
    nghttp2_session *session;

    must(nghttp2_session_callbacks_new(&calls) == 0 && nghttp2_option_new(&option) == 0);
    set_callbacks(calls);
    /*
     * SETTINGS_NO_RFC7540_PRIORITIES is not sent: with it, nghttp2 forgets closed streams at
     * once and ignores frames that a client sends on them, which must be errors.
     */
    nghttp2_option_set_max_outbound_ack(option, H2_ACKS_MAX);
    nghttp2_option_set_max_settings(option, H2_SETTINGS_MAX);
    nghttp2_option_set_stream_reset_rate_limit(option, H2_RESETS, H2_RESETS_A_SECOND);
    must(nghttp2_session_server_new2(&session, calls, h2, option) == 0);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(calls);
    must(nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings,
                                 sizeof settings / sizeof settings[0]) == 0);
    must(nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, H2_WINDOW_ALL) ==
         0);
    return session;
}

void h2_open(struct conn *c)
{
    struct h2 *h2 = calloc(1, sizeof *h2);

    must(h2);
    h2->conn = c;
    h2->all.before = h2->all.after = &h2->all;
    h2->glitch_budget = (int64_t)H2_GLITCHES * GLITCH_COST;
    h2->glitch_at = uv_now(c->listener->loop);
    h2->newest_id = 1 - ID_STEP;
    h2->session = session_new(h2);
    c->h2 = h2;
    conn_enter(c, CONN_H2);
}

struct h2 *h2_free(struct h2 *h2)
{
    if (!h2)
        return NULL;
    for (struct h2 **at = &h2->conn->listener->dirty; h2->is_dirty; at = &(*at)->next_dirty)
        if (*at == h2) {
            *at = h2->next_dirty;
            h2->is_dirty = false;
            break;
        }
    while (h2->all.after != &h2->all)
        h2_stream_closed(h2->all.after, false);
    nghttp2_session_del(h2->session);
    free(h2);
    return NULL;
}

/* ---- sending ---- */

/* Sends everything that may be sent now, as long as the client accepts it. */
static void send_frames(struct h2 *h2)
{
    struct conn *c = h2->conn;
    struct io_bytes *frames = &c->listener->frames;
    const uint8_t *data;
    ssize_t n = 1;

    while (n > 0 && conn_backlog(c) < EXCHANGE_BACKLOG_MAX && !c->is_broken) {
        frames->len = 0;
        while (frames->len < GATHER && (n = nghttp2_session_mem_send(h2->session, &data)) > 0)
            io_bytes_add(frames, str_of_bytes(data, (size_t)n));
        if (frames->len > 0)
            conn_send(c, (struct str){frames->ptr, frames->len}, (struct str){0});
    }
    if (n < 0) /* nghttp2 has no memory, or was used wrongly */
        conn_break(c);
}

/* The session is finished, or draining and without streams. */
static bool has_ended(const struct h2 *h2)
{
    if (!nghttp2_session_want_read(h2->session) && !nghttp2_session_want_write(h2->session))
        return true;
    return h2->is_draining && h2->stream_count == 0;
}

static void notify_room(struct exchange *x)
{
    x->wants_room = false;
    if (x->watch && x->watch->on_room)
        x->watch->on_room(x->arg, x);
}

static void all_sent(struct conn *c)
{
    struct h2 *h2 = c->h2;
    struct h2_stream *s, *after;

    if (c->is_broken || c->phase != CONN_H2)
        return;
    for (s = h2->all.after; s != &h2->all; s = after) {
        after = s->after;
        if (s->phase == H2_FRAMED)
            h2_stream_closed(s, true);
        else if (h2_stream_wants_room(s))
            notify_room(s->x);
    }
    if (nghttp2_session_want_write(h2->session)) {
        h2_mark_dirty(h2);
    } else if (has_ended(h2)) {
        c->h2 = h2_free(h2);
        c->closes = true;
        conn_answered(c);
    }
}

static void flush_and_check(struct h2 *h2)
{
    struct conn *c = h2->conn;

    send_frames(h2);
    if (conn_backlog(c) == 0)
        all_sent(c);
    conn_settle(c);
}

void h2_flush_all(struct listener *listener)
{
    while (listener->dirty) {
        struct h2 *h2 = listener->dirty;

        listener->dirty = h2->next_dirty;
        h2->is_dirty = false;
        flush_and_check(h2);
    }
}

void h2_resume(struct conn *c)
{
    h2_mark_dirty(c->h2);
}

void h2_receive(struct conn *c, struct str bytes)
{
    struct h2 *h2 = c->h2;
    ssize_t n;

    h2->is_receiving = true;
    n = nghttp2_session_mem_recv(h2->session, (const uint8_t *)bytes.ptr, bytes.len);
    h2->is_receiving = false;
    c->is_fresh |= h2->stream_count == 0; /* the time limit of silence restarts */
    send_frames(h2);
    if (n < 0 && !c->is_broken)
        conn_break(c);
    else if (conn_backlog(c) == 0)
        all_sent(c);
}

void h2_drain(struct conn *c)
{
    struct h2 *h2 = c->h2;

    if (h2->is_draining)
        return;
    h2->is_draining = true;
    must(nghttp2_submit_goaway(h2->session, NGHTTP2_FLAG_NONE,
                               nghttp2_session_get_last_proc_stream_id(h2->session),
                               NGHTTP2_NO_ERROR, NULL, 0) == 0);
    h2_mark_dirty(h2);
}

bool h2_is_idle(const struct conn *c)
{
    return c->h2->stream_count == 0;
}

bool h2_has_unfinished(const struct conn *c)
{
    return c->h2->incomplete_count > 0 || c->h2->begun_count > 0;
}

span h2_check_after(const struct conn *c)
{
    const struct listener_limits *limits = &c->listener->limits;
    span after = limits->request;

    if (c->h2->begun_count > 0 && limits->stall < after)
        after = limits->stall;
    if (c->h2->begun_count > 0 && limits->quiet < after)
        after = limits->quiet;
    return after;
}

void h2_check_streams(struct conn *c)
{
    uint64_t now = uv_now(c->listener->loop);

    for (struct h2_stream *s = c->h2->all.after; s != &c->h2->all; s = s->after) {
        if (h2_stream_is_quiet(s, now))
            h2_write(s->x, SSE_COMMENT);
        if (!h2_stream_is_late(s, now))
            continue;
        c->listener->counts.timed_out++;
        must(nghttp2_submit_rst_stream(c->h2->session, NGHTTP2_FLAG_NONE, s->id,
                                       NGHTTP2_CANCEL) == 0);
    }
    h2_mark_dirty(c->h2);
}
