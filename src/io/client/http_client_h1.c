/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP/1.1: one call at a time on a connection, which is kept for the next one.
 *
 * A call whose connection breaks after a byte was sent is not repeated: the server may have
 * processed it, and even a GET of another system may take a task.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/must.h"
#include "io/client/http_client_parts.h"
#include "wire/http1/http1_answer.h"

enum {
    IDLE_MS = 25000,       /* then an unused connection is closed; Tomcat waits 60 s */
    PAUSE_AT = 128 * 1024, /* bytes that the owner has not consumed: reading stops */
    RESUME_AT = 64 * 1024, /* and continues */
    CHUNK_MAX = 16 * 1024, /* bytes of a chunk that is sent */
    FRAMING_MAX = 64,      /* of the lines that frame a body */
};

static_assert(PAUSE_AT + HTTP_CLIENT_READ + TLS_KEPT_MAX <= HTTP_CLIENT_WINDOW,
              "what arrives before reading stops must fit");

struct http_h1 {
    struct http1 parser;
    bool has_head;  /* of the request: sent */
    bool is_sent;   /* the whole request */
    bool is_paused; /* the server must wait */
    size_t unconsumed;
    char room[HTTP1_ROOM]; /* last: its pages are touched only as far as the head is long */
};

static struct http_call *call_of(const struct http_conn *c)
{
    return c->calls.after == &c->calls ? NULL : c->calls.after;
}

static void h1_start(struct http_conn *c)
{
    c->phase = HTTP_CONN_OPEN;
    http_client_wake(c->peer->client);
}

static bool h1_has_room(const struct http_conn *c)
{
    return c->phase == HTTP_CONN_OPEN && !c->is_broken && c->stream_count == 0;
}

static void h1_submit(struct http_conn *c, struct http_call *call)
{
    if (!c->h1) {
        c->h1 = malloc(sizeof *c->h1);
        must(c->h1 != NULL);
    }
    http1_answer_begin(&c->h1->parser, c->h1->room, str_eq(call->request.method, STR("HEAD")));
    c->h1->has_head = c->h1->is_sent = c->h1->is_paused = false;
    c->h1->unconsumed = 0;
    call->conn = c;
    call->tries++;
    call->framed = 0;
    http_ring_add(&c->calls, call);
    c->stream_count = 1;
    c->has_sent = false;
    http_conn_mark_dirty(c);
}

/* ---- sending ---- */

static void add_text(struct io_bytes *out, const char *text)
{
    io_bytes_add(out, str_of(text));
}

static void add_field(struct io_bytes *out, struct str name, struct str value)
{
    io_bytes_add(out, name);
    add_text(out, ": ");
    io_bytes_add(out, value);
    add_text(out, "\r\n");
}

/* RFC 9110, 8.6: without content, only methods that expect some announce a length. */
static bool announces_length(const struct http_request *r)
{
    return r->body.len > 0 || str_eq(r->method, STR("POST")) || str_eq(r->method, STR("PUT")) ||
           str_eq(r->method, STR("PATCH"));
}

static void add_head(struct http_conn *c, const struct http_request *r, struct io_bytes *out)
{
    char text[FRAMING_MAX];
    struct buf line = BUF(text);
    int64_t length = r->has_stream ? r->length : (int64_t)r->body.len;

    io_bytes_add(out, r->method);
    add_text(out, " ");
    io_bytes_add(out, r->path);
    add_text(out, " HTTP/1.1\r\n");
    add_field(out, STR("host"), c->peer->authority);
    for (int i = 0; i < r->field_count; i++)
        add_field(out, r->fields[i].name, r->fields[i].value);
    if (length < 0)
        add_text(out, "transfer-encoding: chunked\r\n");
    else if (r->has_stream || announces_length(r)) {
        buf_printf(&line, "content-length: %lld\r\n", (long long)length);
        io_bytes_add(out, buf_as_str(&line));
    }
    add_text(out, "\r\n");
}

static void add_chunk(struct io_bytes *out, struct str data)
{
    char text[FRAMING_MAX];
    struct buf line = BUF(text);

    buf_printf(&line, "%zx\r\n", data.len);
    io_bytes_add(out, buf_as_str(&line));
    io_bytes_add(out, data);
    add_text(out, "\r\n");
}

/* Takes what the owner has, up to the bytes that are sent at once. */
static void add_streamed(struct http_conn *c, struct http_call *call, struct io_bytes *out)
{
    char *room = c->peer->client->in; /* not in use while bytes are sent */
    bool is_chunked = call->request.length < 0, is_end = false;
    size_t n = 1;

    while (n > 0 && !is_end && out->len < HTTP_CLIENT_GATHER) {
        n = call->watch->on_pull(call->arg, room, CHUNK_MAX, &is_end);
        call->framed += n;
        if (n > 0 && is_chunked)
            add_chunk(out, (struct str){room, n});
        else if (n > 0)
            io_bytes_add(out, (struct str){room, n});
    }
    if (is_end && is_chunked)
        add_text(out, "0\r\n\r\n");
    must(!is_end || is_chunked || (int64_t)call->framed == call->request.length);
    c->h1->is_sent = is_end;
}

static void add_body(struct http_conn *c, struct http_call *call, struct io_bytes *out)
{
    struct str rest = str_from(call->request.body, call->framed);
    size_t n = rest.len < HTTP_CLIENT_GATHER ? rest.len : HTTP_CLIENT_GATHER;

    io_bytes_add(out, (struct str){rest.ptr, n});
    call->framed += n;
    c->h1->is_sent = n == rest.len;
}

static bool h1_gather(struct http_conn *c, struct io_bytes *out)
{
    struct http_call *call = call_of(c);

    if (!call || c->h1->is_sent)
        return true;
    if (!c->h1->has_head)
        add_head(c, &call->request, out);
    c->h1->has_head = true;
    if (call->request.has_stream)
        add_streamed(c, call, out);
    else
        add_body(c, call, out);
    return true;
}

static bool h1_is_over(const struct http_conn *c)
{
    (void)c;
    return false;
}

/* ---- receiving ---- */

/* The answer is complete.  The connection is kept if nothing of the two messages is left. */
static void end_answer(struct http_conn *c, struct http_call *call, bool is_clean)
{
    c->stream_count = 0;
    call->field_count = 0;
    http_call_end(call, HTTP_END_DONE, "");
    if (is_clean && c->h1->is_sent && http1_answer_keeps_open(&c->h1->parser)) {
        if (c->h1->is_paused)
            http_conn_pause(c, false);
        c->h1->is_paused = false;
        http_client_wake(c->peer->client);
    } else {
        http_conn_close(c, HTTP_END_BROKEN, "no further request is possible");
    }
}

/* False: the server answers what Belfry did not ask. */
static bool take_head(struct http_conn *c, struct http_call *call)
{
    struct http1 *parser = &c->h1->parser;

    if (parser->code == 101)
        return false;
    if (http1_answer_is_interim(parser))
        return true;
    call->has_head = true;
    call->watch->on_head(call->arg, parser->code, parser->request.fields,
                         parser->request.field_count);
    return true;
}

static void take_data(struct http_conn *c, struct http_call *call)
{
    struct http_h1 *h1 = c->h1;

    h1->unconsumed += h1->parser.piece.len;
    if (h1->unconsumed >= PAUSE_AT && !h1->is_paused) {
        h1->is_paused = true;
        http_conn_pause(c, true);
    }
    call->watch->on_data(call->arg, h1->parser.piece);
}

/* An interim answer is complete: the next one answers the same request. */
static void begin_again(struct http_h1 *h1, const struct http_call *call)
{
    http1_answer_begin(&h1->parser, h1->room, str_eq(call->request.method, STR("HEAD")));
}

static bool h1_receive(struct http_conn *c, struct str bytes)
{
    enum http1_event event = HTTP1_HEAD;
    struct http_call *call;
    char text[HTTP_CLIENT_TEXT_MAX];
    struct buf out = BUF(text);
    struct err err;

    /* The owner may cancel the call in each callback. */
    while (event != HTTP1_MORE && (call = call_of(c)) != NULL) {
        if (http1_feed(&c->h1->parser, &bytes, &event, &err) != RC_OK) {
            buf_printf(&out, "the answer of the upstream is not HTTP/1.1: %s", err.text);
            http_conn_close(c, HTTP_END_BROKEN, text);
            return true;
        }
        if (event == HTTP1_HEAD && !take_head(c, call))
            return false;
        if (event == HTTP1_BODY)
            take_data(c, call);
        if (event == HTTP1_DONE && http1_answer_is_interim(&c->h1->parser))
            begin_again(c->h1, call);
        else if (event == HTTP1_DONE)
            end_answer(c, call, bytes.len == 0);
    }
    return bytes.len == 0 || c->phase == HTTP_CONN_CLOSED;
}

static bool h1_end_input(struct http_conn *c)
{
    struct http_call *call = call_of(c);

    if (call && !(call->has_head && http1_answer_ends_here(&c->h1->parser)))
        return false;
    if (call)
        end_answer(c, call, false);
    else
        http_conn_close(c, HTTP_END_BROKEN, "closed");
    return true;
}

static void h1_consume(struct http_call *call, size_t n)
{
    struct http_h1 *h1 = call->conn->h1;

    must(n <= h1->unconsumed);
    h1->unconsumed -= n;
    if (h1->is_paused && h1->unconsumed <= RESUME_AT) {
        h1->is_paused = false;
        http_conn_pause(call->conn, false);
    }
}

/* ---- ends ---- */

static void h1_cancel(struct http_conn *c, struct http_call *call)
{
    (void)call;
    http_conn_close(c, HTTP_END_BROKEN, "cancelled");
}

static void h1_check_silence(struct http_conn *c, uint64_t silent_ms)
{
    if (c->stream_count == 0 && silent_ms >= IDLE_MS)
        http_conn_close(c, HTTP_END_BROKEN, "unused");
}

static void h1_release(struct http_conn *c)
{
    free(c->h1);
}

const struct http_protocol http_protocol_h1 = {
    HTTP_CLIENT_H1_CONNS_MAX,
    h1_start,
    h1_has_room,
    h1_submit,
    h1_receive,
    h1_end_input,
    h1_gather,
    h1_is_over,
    h1_consume,
    h1_cancel,
    h1_check_silence,
    h1_release,
};
