/* SPDX-License-Identifier: Apache-2.0 */
/* Receiving: bytes to requests, and requests to their owner, one at a time. */
#include <string.h>

#include "base/must.h"
#include "io/clock.h"
#include "io/net/h2.h"
#include "io/net/listener_parts.h"
#include "wire/http1/http1_write.h"
#include "wire/problem.h"

void conn_lend_buffer(uv_handle_t *handle, size_t hint, uv_buf_t *ret)
{
    struct conn *c = handle->data;

    (void)hint;
    *ret = uv_buf_init(c->listener->in, sizeof c->listener->in);
}

static const char *code_of(int status)
{
    switch (status) {
    case 408:
    case 413:
    case 414:
    case 431:
        return "limit";
    case 429:
        return "rate_limited";
    case 503:
        return "unavailable";
    default:
        return "invalid_field";
    }
}

/* Returns the media type.  `request` is NULL if nothing of it was read. */
static const char *print_problem(const struct listener_handler *handler,
                                 const struct http1_request *request,
                                 const struct problem *problem, struct buf *out)
{
    if (request && handler->print_problem)
        return handler->print_problem(request, problem, out);
    problem_print(problem, out);
    return "application/problem+json";
}

/* A whole answer, in the listener's `out`, that reports an error and closes. */
struct str conn_problem(struct listener *listener, const struct http1 *http1, int status,
                        const char *detail)
{
    const struct http1_request *request = http1 ? &http1->request : NULL;
    char text[2 * PROBLEM_BYTES_MAX]; /* some formats repeat the detail */
    struct buf body = BUF(text), out = BUF(listener->out);
    const struct problem problem = {
        .status = status, .code = code_of(status), .detail = detail, .at = -1};
    const struct http1_field type = {
        STR("Content-Type"),
        str_of(print_problem(&listener->handler, request, &problem, &body))};
    struct http1_answer answer = {.status = status,
                                  .now = clock_now(),
                                  .framing = HTTP1_SIZED,
                                  .fields = &type,
                                  .field_count = 1};
    struct err err;

    answer.length = (int64_t)body.len;
    must(http1_write_head(&answer, &out, &err) == RC_OK);
    if (!http1 || !http1_is_head(http1))
        buf_str(&out, buf_as_str(&body));
    must(!body.cut && !out.cut);
    return buf_as_str(&out);
}

void conn_refuse(struct conn *c, int status, const char *detail)
{
    struct str answer = conn_problem(c->listener, c->exchange ? &c->exchange->http1 : NULL,
                                     status, detail);

    if (c->exchange)
        exchange_release(c->exchange);
    c->exchange = NULL;
    c->closes = true;
    c->listener->counts.refused++;
    conn_enter(c, CONN_FLUSH);
    conn_send(c, answer, (struct str){0});
    if (conn_backlog(c) == 0 && !c->is_broken)
        conn_answered(c);
}

static void begin_body(struct conn *c, bool has_more)
{
    struct listener *listener = c->listener;
    struct http1 *http1 = &c->exchange->http1;

    conn_enter(c, CONN_BODY);
    http1->body_max = listener->handler.body_max(listener->handler.arg, &http1->request);
    c->exchange->may_stream = listener->handler.streams &&
                              listener->handler.streams(listener->handler.arg, &http1->request);
    c->must_continue = http1->request.expects_continue && !has_more;
}

static void deliver_request(struct conn *c)
{
    struct listener *listener = c->listener;
    struct exchange *x = c->exchange;

    conn_enter(c, CONN_HELD);
    x->is_head = http1_is_head(&x->http1);
    listener->counts.requests++;
    listener->handler.on_request(listener->handler.arg, x);
}

static void notify_body(struct conn *c)
{
    struct exchange *x = c->exchange;

    if (c->phase == CONN_HELD && x->watch && x->watch->on_body)
        x->watch->on_body(x->arg, x);
}

static void add_body(struct conn *c)
{
    struct exchange *x = c->exchange;

    exchange_add_body(x, x->http1.piece);
    if (c->phase == CONN_BODY && x->may_stream && x->body.len >= EXCHANGE_STREAM_AT) {
        x->is_body_open = true;
        deliver_request(c);
    }
}

/* True if the owner has the exchange and waits for more of its body. */
static bool has_open_body(const struct conn *c)
{
    return c->phase == CONN_HELD && c->exchange->is_body_open;
}

/* The request is with its owner, who must answer. */
static void set_body_error(struct conn *c, int status, const char *why)
{
    struct exchange *x = c->exchange;

    x->body_error = status;
    x->body_why = arena_str(exchange_arena(x), str_of(why)).ptr;
    c->closes = true;
}

void conn_body_too_slow(struct conn *c)
{
    static const char why[] = "the body of the request arrived too slowly";

    if (!has_open_body(c)) {
        conn_refuse(c, 408, why);
        return;
    }
    set_body_error(c, 408, why);
    notify_body(c);
}

/* Consumes bytes up to the next event; false if it must not be called again for now. */
static bool feed_step(struct conn *c, struct str *bytes, struct err *err)
{
    enum http1_event event;

    if (!c->exchange) {
        if (bytes->len == 0)
            return false;
        c->exchange = exchange_new(c);
        conn_enter(c, CONN_HEAD);
    }
    if (http1_feed(&c->exchange->http1, bytes, &event, err) != RC_OK) {
        if (has_open_body(c))
            set_body_error(c, c->exchange->http1.status, err->text);
        else
            conn_refuse(c, c->exchange->http1.status, err->text);
        return false;
    }
    switch (event) {
    case HTTP1_HEAD:
        begin_body(c, bytes->len > 0);
        return true;
    case HTTP1_BODY:
        add_body(c);
        return c->phase == CONN_BODY || has_open_body(c);
    case HTTP1_DONE:
        if (has_open_body(c)) {
            c->exchange->is_body_open = false;
            return false;
        }
        deliver_request(c);
        return c->phase == CONN_IDLE;
    default:
        if (c->must_continue)
            conn_send(c, HTTP1_CONTINUE, (struct str){0});
        c->must_continue = false;
        return false;
    }
}

/* Keeps bytes that arrived early.  `bytes` may be the unread end of those already kept. */
static void keep_ahead(struct conn *c, struct str bytes)
{
    struct io_bytes *ahead = &c->ahead;

    if (ahead->len == 0) {
        io_bytes_add(ahead, bytes);
    } else if (bytes.len > 0) {
        memmove(ahead->ptr, bytes.ptr, bytes.len);
        ahead->len = bytes.len;
    }
    if (bytes.len == 0)
        io_bytes_free(ahead);
}

void conn_feed(struct conn *c, struct str bytes)
{
    struct err err;

    c->is_feeding = true;
    while (feed_step(c, &bytes, &err))
        ;
    notify_body(c);
    c->is_feeding = false;
    if (c->phase != CONN_HELD && c->phase != CONN_FLUSH)
        bytes.len = 0; /* all is consumed, or will never be read */
    keep_ahead(c, bytes);
    conn_settle(c);
}

void conn_receive_end(struct conn *c)
{
    c->has_eof = true;
    c->closes = true;
    if (c->phase == CONN_HELD)
        exchange_notify_gone(c->exchange);
    else if (c->phase != CONN_FLUSH)
        conn_drop(c);
    conn_settle(c);
}

/*
 * Detects the HTTP version of the first bytes; ambiguous bytes wait.  If the handshake agreed
 * on HTTP/2, bytes that are not its preface end the connection.
 */
static void detect_version(struct conn *c, struct str bytes)
{
    enum http1_preface preface;

    if (c->tls && tls_has_h2(c->tls)) {
        c->has_version = true;
        h2_open(c);
        h2_receive(c, bytes);
        return;
    }
    if (c->ahead.len > 0) {
        io_bytes_add(&c->ahead, bytes);
        bytes = (struct str){c->ahead.ptr, c->ahead.len};
    }
    preface = http1_preface(bytes);
    c->has_version = preface != HTTP1_PREFACE_MAYBE;
    if (preface == HTTP1_PREFACE_NO) {
        conn_feed(c, bytes);
        return;
    }
    if (preface == HTTP1_PREFACE_YES) {
        h2_open(c);
        h2_receive(c, bytes);
        io_bytes_free(&c->ahead);
        return;
    }
    if (c->ahead.len == 0)
        io_bytes_add(&c->ahead, bytes);
    if (c->phase == CONN_IDLE)
        conn_enter(c, CONN_HEAD);
}

void conn_receive(struct conn *c, struct str bytes)
{
    if (c->phase == CONN_H2)
        h2_receive(c, bytes);
    else if (!c->has_version && c->phase != CONN_LINGER)
        detect_version(c, bytes);
    else if ((c->phase == CONN_HELD && !has_open_body(c)) || c->phase == CONN_FLUSH)
        keep_ahead(c, bytes);
    else if (c->phase != CONN_LINGER)
        conn_feed(c, bytes);
}

void conn_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct conn *c = stream->data;
    struct str bytes = {buf->base, n > 0 ? (size_t)n : 0};

    if (n == 0)
        return;
    if (n == UV_EOF)
        conn_receive_end(c);
    else if (n < 0)
        conn_drop(c);
    else if (c->tls)
        conn_decrypt(c, bytes);
    else
        conn_receive(c, bytes);
    conn_settle(c);
}
