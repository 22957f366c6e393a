/* SPDX-License-Identifier: Apache-2.0 */
/* One stream: a request, rewritten as HTTP/1.1 for the parser, and the frames of its answer. */
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "io/net/h2_parts.h"
#include "wire/problem.h"

enum { STATUS_TEXT = 4 }; /* bytes of ":status" */

/* ---- opening and closing ---- */

struct h2_stream *h2_stream_new(struct h2 *h2, int32_t id)
{
    struct h2_stream *s = calloc(1, sizeof *s);

    must(s);
    s->h2 = h2;
    s->id = id;
    s->since = uv_now(h2->conn->listener->loop);
    s->x = exchange_new(h2->conn);
    s->x->stream = s;
    s->before = h2->all.before;
    s->after = &h2->all;
    s->before->after = s->after->before = s;
    h2->stream_count++;
    h2->incomplete_count++;
    return s;
}

static uint64_t now_of(const struct h2_stream *s)
{
    return uv_now(s->h2->conn->listener->loop);
}

/* The request is complete, or never will be. */
static void leave_incomplete(struct h2_stream *s)
{
    s->h2->incomplete_count--;
    s->h2->bodies -= s->x->body.len;
}

/* All of the answer is framed, or never will be. */
static void leave_begun(struct h2_stream *s)
{
    s->h2->begun_count -= s->is_begun;
    s->is_begun = false;
}

static void stream_free(struct h2_stream *s)
{
    s->before->after = s->after;
    s->after->before = s->before;
    s->h2->stream_count--;
    io_bytes_free(&s->out);
    free(s);
}

void h2_stream_closed(struct h2_stream *s, bool is_whole)
{
    struct exchange *x = s->x;
    enum h2_phase phase = s->phase;

    leave_begun(s);
    if (is_whole && phase == H2_ANSWERED) {
        s->phase = H2_FRAMED; /* until the kernel has it */
        return;
    }
    if (phase == H2_INCOMPLETE)
        leave_incomplete(s);
    x->stream = NULL;
    x->conn = NULL;
    stream_free(s);
    if (phase == H2_HELD) {
        exchange_notify_gone(x);
        return;
    }
    if (phase != H2_INCOMPLETE)
        exchange_notify_over(x, is_whole);
    exchange_release(x);
}

/* ---- the request ---- */

static void set_refused(struct h2_stream *s, int status, const char *why)
{
    s->refused = status;
    s->why = arena_str(exchange_arena(s->x), str_of(why));
}

static void feed_parser(struct h2_stream *s, struct str text)
{
    struct http1 *http1 = &s->x->http1;
    enum http1_event event = HTTP1_MORE;
    struct err err;

    do {
        if (s->refused != 0)
            return;
        if (http1_feed(http1, &text, &event, &err) != RC_OK)
            set_refused(s, http1->status, err.text);
    } while (text.len > 0 && event == HTTP1_MORE);
}

static void feed_field(struct h2_stream *s, struct str name, struct str value)
{
    feed_parser(s, name);
    feed_parser(s, STR(": "));
    feed_parser(s, value);
    feed_parser(s, STR("\r\n"));
}

/* Feeds the request line from the pseudo fields, which come before all others. */
static void feed_line(struct h2_stream *s)
{
    if (s->has_line)
        return;
    s->has_line = true;
    feed_parser(s, s->method);
    feed_parser(s, STR(" "));
    feed_parser(s, s->path);
    feed_parser(s, STR(" HTTP/1.1\r\n"));
    if (s->authority.len > 0)
        feed_field(s, STR("host"), s->authority);
}

static void keep_pseudo_field(struct h2_stream *s, struct str name, struct str value)
{
    struct str copy = arena_str(exchange_arena(s->x), value);

    if (str_eq(name, STR(":method")))
        s->method = copy;
    else if (str_eq(name, STR(":path")))
        s->path = copy;
    else if (str_eq(name, STR(":authority")))
        s->authority = copy;
}

/* In HTTP/2 the frames determine the framing; these fields must not contradict them. */
static bool is_framing(struct str name)
{
    return str_eq(name, STR("content-length")) || str_eq(name, STR("transfer-encoding")) ||
           str_eq(name, STR("connection")) || str_eq(name, STR("expect"));
}

/* Blanks in a pseudo field would change the request line. */
static bool is_one_word(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == ' ' || text.ptr[i] == '\r' || text.ptr[i] == '\n')
            return false;
    return true;
}

bool h2_stream_field(struct h2_stream *s, struct str name, struct str value)
{
    if (name.len > 0 && name.ptr[0] == ':') {
        keep_pseudo_field(s, name, value);
        return is_one_word(value);
    }
    if (memchr(value.ptr, '\r', value.len) || memchr(value.ptr, '\n', value.len))
        return false;
    feed_line(s);
    if (s->authority.len > 0 && str_eq(name, STR("host")))
        return str_eq_nocase(value, s->authority);
    if (!is_framing(name))
        feed_field(s, name, value);
    return true;
}

void h2_stream_head(struct h2_stream *s)
{
    const struct listener_handler *handler = &s->h2->conn->listener->handler;

    feed_line(s);
    feed_parser(s, STR("\r\n"));
    if (s->refused == 0)
        s->body_max = handler->body_max(handler->arg, s->x->request);
}

/* A body that is too long is read to its end, so that the client gets the error. */
void h2_stream_body(struct h2_stream *s, struct str piece)
{
    struct h2 *h2 = s->h2;

    if (s->refused != 0 || s->x->is_too_large)
        return;
    if ((int64_t)(s->x->body.len + piece.len) > s->body_max) {
        s->x->is_too_large = true;
        return;
    }
    if (h2->bodies + piece.len > H2_BODIES_MAX) {
        must(nghttp2_submit_rst_stream(h2->session, NGHTTP2_FLAG_NONE, s->id,
                                       NGHTTP2_ENHANCE_YOUR_CALM) == 0);
        return;
    }
    h2->bodies += piece.len;
    exchange_add_body(s->x, piece);
}

static void answer_refusal(struct h2_stream *s)
{
    char text[PROBLEM_BYTES_MAX];
    struct buf body = BUF(text);
    struct http1_field type = {STR("Content-Type"), STR("application/problem+json")};
    struct http1_answer answer = {.status = s->refused, .fields = &type, .field_count = 1};
    struct problem problem = {.status = s->refused,
                              .code = s->refused == 400 ? "invalid_field" : "limit",
                              .detail = s->why.ptr,
                              .at = -1};

    s->h2->conn->listener->counts.refused++;
    problem_print(&problem, &body);
    h2_answer(s->x, &answer, buf_as_str(&body));
}

void h2_stream_done(struct h2_stream *s)
{
    struct listener *listener = s->h2->conn->listener;
    struct exchange *x = s->x;

    leave_incomplete(s);
    s->phase = H2_HELD;
    x->is_head = str_eq(s->method, STR("HEAD"));
    if (s->refused != 0) {
        answer_refusal(s);
        return;
    }
    listener->counts.requests++;
    listener->handler.on_request(listener->handler.arg, x);
}

/* ---- the answer ---- */

static nghttp2_nv nv_of(struct str name, struct str value)
{
    return (nghttp2_nv){.name = (uint8_t *)(uintptr_t)name.ptr,
                        .value = (uint8_t *)(uintptr_t)value.ptr,
                        .namelen = name.len,
                        .valuelen = value.len};
}

static struct str lower_case(struct str name, struct arena *arena)
{
    struct str copy = arena_str(arena, name);
    char *text = (char *)(uintptr_t)copy.ptr;

    for (size_t i = 0; i < copy.len; i++)
        if (text[i] >= 'A' && text[i] <= 'Z')
            text[i] = (char)(text[i] - 'A' + 'a');
    return copy;
}

static size_t add_fields(struct exchange *x, const struct http1_field *fields, int count,
                         nghttp2_nv *ret)
{
    struct arena *arena = exchange_arena(x);

    must(count <= EXCHANGE_FIELDS_MAX);
    for (int i = 0; i < count; i++)
        ret[i] = nv_of(lower_case(fields[i].name, arena), arena_str(arena, fields[i].value));
    return (size_t)count;
}

/* The head; if no body follows, it includes the trailers. */
static void submit_head(struct exchange *x, const struct http1_answer *answer, bool is_bodiless)
{
    struct h2_stream *s = x->stream;
    nghttp2_nv nv[2 * EXCHANGE_FIELDS_MAX + 1];
    nghttp2_data_provider provider = {.source.ptr = s, .read_callback = h2_stream_read};
    struct buf status = {.ptr = arena_take(exchange_arena(x), STATUS_TEXT), .cap = STATUS_TEXT};
    size_t n = 1;

    buf_int(&status, answer->status);
    nv[0] = nv_of(STR(":status"), buf_as_str(&status));
    n += add_fields(x, answer->fields, answer->field_count, nv + n);
    if (is_bodiless)
        n += add_fields(x, x->trailers, x->trailer_count, nv + n);
    must(nghttp2_submit_response(s->h2->session, s->id, nv, n,
                                 is_bodiless ? NULL : &provider) == 0);
    s->is_begun = true;
    s->moved_at = now_of(s);
    s->h2->begun_count++;
    h2_mark_dirty(s->h2);
}

/* They are sent after the last byte of the body. */
static void keep_trailers(struct exchange *x)
{
    struct h2_stream *s = x->stream;

    if (x->trailer_count == 0)
        return;
    s->trailers = arena_array(exchange_arena(x), (size_t)x->trailer_count, sizeof *s->trailers);
    s->trailer_count = add_fields(x, x->trailers, x->trailer_count, s->trailers);
}

void h2_answer(struct exchange *x, const struct http1_answer *answer, struct str body)
{
    struct h2_stream *s = x->stream;

    must(s->phase == H2_HELD);
    s->phase = H2_ANSWERED;
    s->is_over = true;
    if (!x->is_head)
        io_bytes_add(&s->out, body);
    if (s->out.len > 0)
        keep_trailers(x);
    submit_head(x, answer, s->out.len == 0);
}

void h2_begin(struct exchange *x, const struct http1_answer *answer)
{
    must(x->stream->phase == H2_HELD);
    submit_head(x, answer, x->is_head);
}

bool h2_write(struct exchange *x, struct str data)
{
    struct h2_stream *s = x->stream;

    if (x->is_head)
        return true;
    if (s->out.len - s->framed + data.len > EXCHANGE_BACKLOG_MAX) {
        x->wants_room = true;
        return false;
    }
    if (s->out.len == s->framed)
        s->moved_at = now_of(s);
    io_bytes_add(&s->out, data);
    nghttp2_session_resume_data(s->h2->session, s->id);
    h2_mark_dirty(s->h2);
    return true;
}

void h2_end(struct exchange *x)
{
    struct h2_stream *s = x->stream;

    s->phase = H2_ANSWERED;
    s->is_over = true;
    if (!x->is_head)
        keep_trailers(x);
    nghttp2_session_resume_data(s->h2->session, s->id);
    h2_mark_dirty(s->h2);
}

void h2_cut(struct exchange *x)
{
    struct h2_stream *s = x->stream;

    s->phase = H2_ANSWERED;
    must(nghttp2_submit_rst_stream(s->h2->session, NGHTTP2_FLAG_NONE, s->id,
                                   NGHTTP2_INTERNAL_ERROR) == 0);
    h2_mark_dirty(s->h2);
}

ssize_t h2_stream_read(nghttp2_session *session, int32_t id, uint8_t *room, size_t len,
                       uint32_t *flags, nghttp2_data_source *source, void *arg)
{
    struct h2_stream *s = source->ptr;
    size_t n = s->out.len - s->framed;

    (void)arg;
    if (n > len)
        n = len;
    if (n == 0 && !s->is_over)
        return NGHTTP2_ERR_DEFERRED;
    if (n > 0)
        memcpy(room, s->out.ptr + s->framed, n);
    s->framed += n;
    s->moved_at = now_of(s);
    if (s->framed < s->out.len)
        return (ssize_t)n;
    s->framed = s->out.len = 0;
    if (!s->is_over)
        return (ssize_t)n;
    *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (s->trailer_count > 0) {
        *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
        must(nghttp2_submit_trailer(session, id, s->trailers, s->trailer_count) == 0);
    }
    return (ssize_t)n;
}

static bool is_past(uint64_t since, span within, uint64_t now)
{
    return now - since >= (uint64_t)(within / SPAN_MS);
}

bool h2_stream_is_late(const struct h2_stream *s, uint64_t now)
{
    const struct listener_limits *limits = &s->h2->conn->listener->limits;

    if (s->phase == H2_INCOMPLETE)
        return is_past(s->since, limits->request, now);
    return s->is_begun && s->framed < s->out.len && is_past(s->moved_at, limits->stall, now);
}

bool h2_stream_is_quiet(const struct h2_stream *s, uint64_t now)
{
    return s->phase == H2_HELD && s->is_begun && s->x->has_events && s->framed == s->out.len &&
           is_past(s->moved_at, s->h2->conn->listener->limits.quiet, now);
}

bool h2_stream_wants_room(const struct h2_stream *s)
{
    return s->phase == H2_HELD && s->x->wants_room &&
           s->out.len - s->framed <= EXCHANGE_BACKLOG_MAX / 2;
}
