/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP/2: a call becomes a stream of its connection, and the stream's frames become callbacks.
 */
#include <string.h>

#include "base/must.h"
#include "io/client/http_client_parts.h"

enum {
    STREAMS_FIRST = 100, /* until the server has sent its settings */
    WINDOW_ALL = 4 << 20,
    IDLE_MS = 300000,  /* without calls, then the connection is closed */
    SETTINGS_MAX = 32, /* in one frame */
    ACKS_MAX = 100,    /* of pings and settings that the server does not accept */
    OWN_FIELDS = 4,    /* :method, :scheme, :path, :authority */
    FIELD_COST = 32,   /* of a field in addition to its bytes: as in RFC 9113, 6.5.2 */
};

static struct http_call *call_of(nghttp2_session *session, int32_t id)
{
    return nghttp2_session_get_stream_user_data(session, id);
}

static void reset_stream(struct http_conn *c, struct http_call *call, uint32_t code)
{
    nghttp2_session_set_stream_user_data(c->session, call->id, NULL);
    must(nghttp2_submit_rst_stream(c->session, NGHTTP2_FLAG_NONE, call->id, code) == 0);
}

/* ---- receiving ---- */

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
    struct http_call *call = call_of(session, frame->hd.stream_id);

    (void)arg;
    if (!call)
        return 0;
    if (!call->arena)
        call->arena = arena_new(8 * HTTP_CLIENT_HEAD_MAX);
    if (!call->fields)
        call->fields = arena_take_raw(call->arena,
                                      HTTP_CLIENT_FIELDS_MAX * sizeof *call->fields);
    call->field_count = 0;
    return 0;
}

static struct str str_of_rcbuf(nghttp2_rcbuf *buf)
{
    nghttp2_vec vec = nghttp2_rcbuf_get_buf(buf);

    return (struct str){(const char *)vec.base, vec.len};
}

static int read_status(struct str value)
{
    int64_t n = 0;

    return str_take_number(&value, 999, &n) == 3 ? (int)n : 0;
}

/* Interim heads count too, so that a server cannot send them forever. */
static int on_header(nghttp2_session *session, const nghttp2_frame *frame, nghttp2_rcbuf *name,
                     nghttp2_rcbuf *value, uint8_t flags, void *arg)
{
    struct http_call *call = call_of(session, frame->hd.stream_id);
    struct str key = str_of_rcbuf(name), text = str_of_rcbuf(value);

    (void)flags;
    if (!call)
        return 0;
    call->head_bytes += key.len + text.len + FIELD_COST;
    if (call->head_bytes > 2 * HTTP_CLIENT_HEAD_MAX ||
        call->field_count == HTTP_CLIENT_FIELDS_MAX) {
        reset_stream(arg, call, NGHTTP2_CANCEL);
        http_call_end(call, HTTP_END_BROKEN, "the upstream sent too many header fields");
        return 0;
    }
    if (str_eq(key, STR(":status")))
        call->status = read_status(text);
    else
        call->fields[call->field_count++] = (struct http1_field){arena_str(call->arena, key),
                                                                 arena_str(call->arena, text)};
    return 0;
}

static void on_headers(struct http_call *call)
{
    if (call->has_head || call->status / 100 == 1)
        return;
    call->has_head = true;
    call->watch->on_head(call->arg, call->status, call->fields, call->field_count);
}

/* The answer is complete; what remains of the request is of no use. */
static void end_answer(struct http_conn *c, struct http_call *call, bool has_trailers)
{
    if (call->framed < call->request.body.len)
        reset_stream(c, call, NGHTTP2_CANCEL);
    else
        nghttp2_session_set_stream_user_data(c->session, call->id, NULL);
    if (!has_trailers)
        call->field_count = 0;
    http_call_end(call, HTTP_END_DONE, "");
}

static int on_frame_recv(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
    struct http_call *call = call_of(session, frame->hd.stream_id);
    struct http_conn *c = arg;
    bool has_trailers = false;

    if (frame->hd.type == NGHTTP2_GOAWAY)
        c->is_going = true;
    if (frame->hd.type == NGHTTP2_SETTINGS)
        c->has_settings = true;
    if (frame->hd.type == NGHTTP2_GOAWAY || frame->hd.type == NGHTTP2_SETTINGS)
        http_client_wake(c->peer->client);
    if (call && frame->hd.type == NGHTTP2_HEADERS) {
        has_trailers = call->has_head;
        on_headers(call);
        call = call_of(session, frame->hd.stream_id); /* the owner may have cancelled it */
    }
    if (call && call->has_head && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) &&
        (frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA))
        end_answer(c, call, has_trailers);
    return 0;
}

/*
 * The window of the connection is opened at once, and that of the stream by its owner: a slow
 * reader delays only its own answer.
 */
static int on_data_chunk(nghttp2_session *session, uint8_t flags, int32_t id,
                         const uint8_t *data, size_t len, void *arg)
{
    struct http_call *call = call_of(session, id);

    (void)flags;
    (void)arg;
    must(nghttp2_session_consume_connection(session, len) == 0);
    if (call)
        call->watch->on_data(call->arg, (struct str){(const char *)data, len});
    return 0;
}

/*
 * REFUSED_STREAM, also for streams above the last one of a GOAWAY, means that the server has
 * not processed the request (RFC 9113, 8.7).
 */
static int on_stream_close(nghttp2_session *session, int32_t id, uint32_t error, void *arg)
{
    struct http_call *call = call_of(session, id);
    struct http_conn *c = arg;

    c->stream_count--;
    http_client_wake(c->peer->client); /* there is room for a waiting call */
    if (!call)
        return 0;
    if (error != NGHTTP2_REFUSED_STREAM || call->has_head) {
        http_call_end(call, HTTP_END_BROKEN, "the upstream ended the stream without an answer");
    } else if (call->tries >= HTTP_CLIENT_TRIES_MAX) {
        http_call_end(call, HTTP_END_REFUSED, "the upstream refused the request");
    } else {
        call->before->after = call->after;
        call->after->before = call->before;
        http_call_wait(call, true);
    }
    return 0;
}

static bool h2_receive(struct http_conn *c, struct str bytes)
{
    ssize_t n = nghttp2_session_mem_recv(c->session, (const uint8_t *)bytes.ptr, bytes.len);

    http_conn_mark_dirty(c);
    return n >= 0;
}

/* ---- sending ---- */

static nghttp2_nv nv_of(struct str name, struct str value)
{
    return (nghttp2_nv){.name = (uint8_t *)(uintptr_t)name.ptr,
                        .value = (uint8_t *)(uintptr_t)value.ptr,
                        .namelen = name.len,
                        .valuelen = value.len};
}

static ssize_t read_body(nghttp2_session *session, int32_t id, uint8_t *room, size_t len,
                         uint32_t *flags, nghttp2_data_source *source, void *arg)
{
    struct http_call *call = call_of(session, id);
    size_t n;

    (void)source;
    (void)arg;
    if (!call)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    n = call->request.body.len - call->framed;
    if (n > len)
        n = len;
    memcpy(room, call->request.body.ptr + call->framed, n);
    call->framed += n;
    if (call->framed == call->request.body.len)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)n;
}

static bool h2_has_room(const struct http_conn *c)
{
    uint32_t most;

    if (c->phase != HTTP_CONN_OPEN || c->is_going || c->is_broken ||
        !nghttp2_session_check_request_allowed(c->session))
        return false;
    most = nghttp2_session_get_remote_settings(c->session,
                                               NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
    if (most > HTTP_CLIENT_STREAMS_MAX)
        most = c->has_settings ? HTTP_CLIENT_STREAMS_MAX : STREAMS_FIRST;
    return c->stream_count < (int)most;
}

static void h2_submit(struct http_conn *c, struct http_call *call)
{
    const struct http_request *r = &call->request;
    nghttp2_nv nv[OWN_FIELDS + HTTP_CLIENT_FIELDS_MAX] = {
        nv_of(STR(":method"), r->method),
        nv_of(STR(":scheme"), c->tls ? STR("https") : STR("http")),
        nv_of(STR(":path"), r->path),
        nv_of(STR(":authority"), c->peer->authority),
    };
    nghttp2_data_provider provider = {.read_callback = read_body};

    for (int i = 0; i < r->field_count; i++)
        nv[OWN_FIELDS + i] = nv_of(r->fields[i].name, r->fields[i].value);
    call->conn = c;
    call->tries++;
    call->framed = 0;
    http_ring_add(&c->calls, call);
    call->id = nghttp2_submit_request(c->session, NULL, nv,
                                      (size_t)(OWN_FIELDS + r->field_count),
                                      r->body.len > 0 ? &provider : NULL, call);
    must(call->id > 0);
    c->stream_count++;
    http_conn_mark_dirty(c);
}

/* ---- the session ---- */

static void h2_start(struct http_conn *c)
{
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, HTTP_CLIENT_WINDOW},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, HTTP_CLIENT_HEAD_MAX},
        {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
    };
    nghttp2_session_callbacks *calls;
    nghttp2_option *option;

    must(nghttp2_session_callbacks_new(&calls) == 0 && nghttp2_option_new(&option) == 0);
    nghttp2_session_callbacks_set_on_begin_headers_callback(calls, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback2(calls, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(calls, on_frame_recv);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(calls, on_data_chunk);
    nghttp2_session_callbacks_set_on_stream_close_callback(calls, on_stream_close);
    nghttp2_option_set_no_auto_window_update(option, 1);
    nghttp2_option_set_no_closed_streams(option, 1);
    nghttp2_option_set_max_outbound_ack(option, ACKS_MAX);
    nghttp2_option_set_max_settings(option, SETTINGS_MAX);
    must(nghttp2_session_client_new2(&c->session, calls, c, option) == 0);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(calls);
    must(nghttp2_submit_settings(c->session, NGHTTP2_FLAG_NONE, settings,
                                 sizeof settings / sizeof settings[0]) == 0);
    must(nghttp2_session_set_local_window_size(c->session, NGHTTP2_FLAG_NONE, 0, WINDOW_ALL) ==
         0);
    c->phase = HTTP_CONN_OPEN;
    http_conn_mark_dirty(c);
}

static bool h2_end_input(struct http_conn *c)
{
    (void)c;
    return false;
}

static bool h2_gather(struct http_conn *c, struct io_bytes *out)
{
    const uint8_t *data;
    ssize_t n = 0;

    while (out->len < HTTP_CLIENT_GATHER &&
           (n = nghttp2_session_mem_send(c->session, &data)) > 0)
        io_bytes_add(out, (struct str){(const char *)data, (size_t)n});
    return n >= 0;
}

static bool h2_is_over(const struct http_conn *c)
{
    return !nghttp2_session_want_read(c->session) && !nghttp2_session_want_write(c->session);
}

static void h2_consume(struct http_call *call, size_t n)
{
    must(nghttp2_session_consume_stream(call->conn->session, call->id, n) == 0);
    http_conn_mark_dirty(call->conn);
}

static void h2_cancel(struct http_conn *c, struct http_call *call)
{
    reset_stream(c, call, NGHTTP2_CANCEL);
    http_conn_mark_dirty(c);
}

static void h2_check_silence(struct http_conn *c, uint64_t silent_ms)
{
    if (c->stream_count == 0 && silent_ms >= IDLE_MS) {
        must(nghttp2_session_terminate_session(c->session, NGHTTP2_NO_ERROR) == 0);
        c->is_going = true;
        http_conn_mark_dirty(c);
    } else if (c->stream_count > 0 && silent_ms >= HTTP_CLIENT_PING_MS && c->is_pinging) {
        http_conn_close(c, HTTP_END_BROKEN, "the upstream does not answer pings");
    } else if (c->stream_count > 0 && silent_ms >= HTTP_CLIENT_PING_MS) {
        must(nghttp2_submit_ping(c->session, NGHTTP2_FLAG_NONE, NULL) == 0);
        c->is_pinging = true;
        http_conn_mark_dirty(c);
    }
}

static void h2_release(struct http_conn *c)
{
    nghttp2_session_del(c->session);
}

const struct http_protocol http_protocol_h2 = {
    HTTP_CLIENT_CONNS_MAX, h2_start,   h2_has_room, h2_submit,  h2_receive,
    h2_end_input,          h2_gather,  h2_is_over,  h2_consume, h2_cancel,
    h2_check_silence,      h2_release,
};
