/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exchanges: allocation, and answers over HTTP/1.1.
 */
#include "io/net/exchange.h"

#include <stdlib.h>

#include "base/must.h"
#include "io/clock.h"
#include "io/net/exchange_gzip.h"
#include "io/net/h2.h"
#include "io/net/listener_parts.h"
#include "wire/http1/http1_write.h"

enum {
    BODY_FIRST = 4096,       /* initial size of the buffer for a body */
    BODY_KEEP = 64 * 1024,   /* maximum buffer that a spare exchange keeps */
    ARENA_KEEP = 256 * 1024, /* maximum use of an arena that a spare exchange keeps */
};

struct exchange *exchange_new(struct conn *c)
{
    struct listener *listener = c->listener;
    struct exchange *x = listener->spare;

    if (x) {
        listener->spare = x->next;
        listener->spare_count--;
    } else {
        x = malloc(sizeof *x);
        must(x != NULL);
        x->arena = NULL;
        x->gzip = NULL;
        x->body_room = NULL;
        x->body_cap = 0;
    }
    listener->used_count++;
    http1_begin(&x->http1, x->room, 0);
    x->request = &x->http1.request;
    x->body = (struct str){x->body_room, 0};
    x->peer = c->peer;
    x->listener = listener;
    x->conn = c;
    x->stream = NULL;
    x->trailer_count = 0;
    x->watch = NULL;
    x->is_h2 = c->h2 != NULL;
    x->is_tls = c->tls != NULL;
    x->is_gone = x->is_head = x->is_chunked = x->wants_room = false;
    x->has_begun = x->has_events = x->is_too_large = false;
    x->is_body_open = x->may_stream = x->is_verbatim = false;
    x->body_error = 0;
    x->body_seen = 0;
    x->left = -1;
    return x;
}

void exchange_free(struct exchange *x)
{
    gzip_free(x->gzip);
    arena_free(x->arena);
    free(x->body_room);
    free(x);
}

void exchange_release(struct exchange *x)
{
    struct listener *listener = x->listener;

    listener->used_count--;
    if (listener->spare_count == LISTENER_SPARE_EXCHANGES || listener->is_closing) {
        exchange_free(x);
        listener_check_closed(listener);
        return;
    }
    x->gzip = gzip_free(x->gzip);
    if (x->arena && arena_used(x->arena) > ARENA_KEEP)
        x->arena = arena_free(x->arena);
    if (x->arena)
        arena_reset(x->arena);
    if (x->body_cap > BODY_KEEP) {
        free(x->body_room);
        x->body_room = NULL;
        x->body_cap = 0;
    }
    x->next = listener->spare;
    listener->spare = x;
    listener->spare_count++;
}

/* Grows with what has arrived, not with what was announced. */
void exchange_add_body(struct exchange *x, struct str piece)
{
    size_t cap = x->body_cap > 0 ? x->body_cap : BODY_FIRST;

    while (cap < x->body.len + piece.len)
        cap *= 2;
    if (cap > x->body_cap) {
        x->body_room = realloc(x->body_room, cap);
        must(x->body_room != NULL);
        x->body_cap = cap;
    }
    memcpy(x->body_room + x->body.len, piece.ptr, piece.len);
    x->body_seen += piece.len;
    x->body = (struct str){x->body_room, x->body.len + piece.len};
}

size_t exchange_take_body(struct exchange *x, char *room, size_t len)
{
    size_t n = x->body.len < len ? x->body.len : len;

    if (n == 0)
        return 0;
    memcpy(room, x->body.ptr, n);
    memmove(x->body_room, x->body_room + n, x->body.len - n);
    x->body.len -= n;
    if (x->conn && x->is_body_open)
        conn_settle(x->conn);
    return n;
}

void exchange_collect(struct exchange *x)
{
    must(x->is_body_open && !x->stream);
    x->is_body_open = x->may_stream = false;
    x->watch = NULL;
    if (!x->conn) {
        exchange_release(x);
        return;
    }
    conn_enter(x->conn, CONN_BODY);
    conn_settle(x->conn);
}

void exchange_set_verbatim(struct exchange *x)
{
    x->is_verbatim = true;
}

void exchange_notify_gone(struct exchange *x)
{
    if (x->is_gone)
        return;
    x->is_gone = true;
    if (x->watch && x->watch->on_gone)
        x->watch->on_gone(x->arg, x);
}

void exchange_notify_over(struct exchange *x, bool is_sent)
{
    if (!x->is_gone && x->watch && x->watch->on_over)
        x->watch->on_over(x->arg, is_sent);
}

void exchange_watch(struct exchange *x, const struct exchange_watch *watch, void *arg)
{
    x->watch = watch;
    x->arg = arg;
}

struct arena *exchange_arena(struct exchange *x)
{
    if (!x->arena)
        x->arena = arena_new(EXCHANGE_ARENA_MAX);
    return x->arena;
}

bool exchange_is_h2(const struct exchange *x)
{
    return x->is_h2;
}

bool exchange_is_tls(const struct exchange *x)
{
    return x->is_tls;
}

void exchange_set_trailers(struct exchange *x, const struct http1_field *fields, int count)
{
    must(x->is_h2 && count <= EXCHANGE_FIELDS_MAX);
    x->trailers = fields;
    x->trailer_count = count;
}

void exchange_trust(struct exchange *x)
{
    struct conn *c = x->conn;

    if (c && c->is_counted) {
        peer_limits_remove(c->listener->peers, &c->peer);
        c->is_counted = false;
    }
}

/* The head in the listener's `out`; one that cannot be written becomes a plain 500. */
static struct str write_head(struct exchange *x, struct http1_answer *answer)
{
    struct conn *c = x->conn;
    struct buf out = {.ptr = x->listener->out, .cap = EXCHANGE_HEAD_MAX};
    struct err err;

    c->closes |= x->is_body_open; /* the rest of the body is not read */
    answer->to = x->request;
    answer->now = clock_now();
    answer->closes = c->closes || x->listener->is_closing;
    if (http1_write_head(answer, &out, &err) != RC_OK) {
        answer->status = 500;
        answer->field_count = 0;
        answer->length = 0; /* the fields that describe a body are gone */
        x->gzip = gzip_free(x->gzip);
        if (answer->framing == HTTP1_NO_BODY)
            answer->framing = HTTP1_SIZED;
        must(http1_write_head(answer, &out, &err) == RC_OK);
    }
    c->closes = !http1_write_keeps_open(answer);
    return buf_as_str(&out);
}

/*
 * For HTTP/2: an answer with fields that cannot be sent becomes a plain 500.  Forwarded answers
 * have the upstream's Date; the others have none.
 */
static bool reject_fields(struct http1_answer *answer)
{
    struct err err;

    if (http1_write_check(answer, true, &err) == RC_OK)
        return false;
    answer->status = 500;
    answer->field_count = 0;
    return true;
}

/* The answer is complete. */
static void finish_answer(struct exchange *x)
{
    struct conn *c = x->conn;

    if (!c) {
        exchange_release(x);
        return;
    }
    must(c->phase == CONN_HELD && c->exchange == x);
    conn_enter(c, CONN_FLUSH);
    if (conn_backlog(c) == 0 && !c->is_broken)
        conn_answered(c);
    conn_settle(c);
}

void exchange_answer(struct exchange *x, int status, const struct http1_field *fields,
                     int field_count, struct str body)
{
    bool has_no_body = status == 204 || status == 304;
    struct http1_answer answer = {.status = status,
                                  .framing = has_no_body ? HTTP1_NO_BODY : HTTP1_SIZED,
                                  .length = (int64_t)body.len,
                                  .fields = fields,
                                  .field_count = field_count};

    must(!x->has_begun && !(has_no_body && body.len > 0));
    if (x->stream) {
        if (reject_fields(&answer))
            body = (struct str){0};
        h2_answer(x, &answer, body);
        return;
    }
    if (x->conn) {
        struct str head;

        if (!x->is_verbatim && exchange_offers_gzip(x, &answer) && exchange_compress(x, &body))
            exchange_mark_gzip(x, &answer);
        answer.length = (int64_t)body.len;
        head = write_head(x, &answer);
        conn_send(x->conn, head, x->is_head || answer.length == 0 ? (struct str){0} : body);
    }
    finish_answer(x);
}

static void begin_stream(struct exchange *x, struct http1_answer *answer)
{
    must(!x->has_begun);
    x->has_begun = true;
    if (x->stream) {
        x->is_head |= reject_fields(answer); /* no body follows */
        h2_begin(x, answer);
        return;
    }
    x->is_chunked = answer->framing == HTTP1_CHUNKED;
    if (!x->conn)
        return;
    if (!x->is_verbatim && exchange_offers_gzip(x, answer)) {
        exchange_mark_gzip(x, answer);
        x->gzip = gzip_new(GZIP_SMALL);
    }
    conn_send(x->conn, write_head(x, answer), (struct str){0});
    if (x->left >= 0 && answer->length != x->left)
        x->is_head = true; /* the head became a 500 without a body */
    conn_settle(x->conn);
}

void exchange_begin(struct exchange *x, int status, const struct http1_field *fields,
                    int field_count)
{
    struct http1_answer answer = {.status = status,
                                  .framing = http1_write_stream_framing(x->request),
                                  .fields = fields,
                                  .field_count = field_count};

    begin_stream(x, &answer);
}

void exchange_begin_sized(struct exchange *x, int status, const struct http1_field *fields,
                          int field_count, int64_t length)
{
    struct http1_answer answer = {.status = status,
                                  .framing = HTTP1_SIZED,
                                  .length = length,
                                  .fields = fields,
                                  .field_count = field_count};

    must(x->is_verbatim && length >= 0);
    x->left = length;
    begin_stream(x, &answer);
}

static void send_piece(struct exchange *x, struct str data, bool is_last)
{
    struct buf gzipped = BUF(x->listener->gzipped), out = BUF(x->listener->out);

    if (x->gzip) {
        must(gzip_add(x->gzip, data, is_last, &gzipped));
        data = buf_as_str(&gzipped);
    }
    if (x->is_chunked) {
        must(http1_write_chunk(data, &out));
        data = buf_as_str(&out);
    }
    conn_send(x->conn, data, (struct str){0});
}

bool exchange_write(struct exchange *x, struct str data)
{
    size_t backlog;

    must(x->has_begun && data.len <= EXCHANGE_WRITE_MAX);
    if (x->stream)
        return h2_write(x, data);
    if (!x->conn || x->is_head)
        return true;
    backlog = conn_backlog(x->conn);
    if (backlog + data.len > EXCHANGE_BACKLOG_MAX) {
        x->wants_room = true;
        return false;
    }
    must(x->left < 0 || (int64_t)data.len <= x->left);
    x->left -= x->left < 0 ? 0 : (int64_t)data.len;
    send_piece(x, data, false);
    conn_settle(x->conn);
    return true;
}

void exchange_begin_events(struct exchange *x, struct str request_id)
{
    const struct http1_field fields[] = {
        {STR("Content-Type"), STR("text/event-stream")},
        {STR("Cache-Control"), STR("no-store")},
        {STR("X-Content-Type-Options"), STR("nosniff")},
        {STR("X-Accel-Buffering"), STR("no")}, /* nginx would buffer them */
        {STR("X-Request-Id"), request_id},
    };
    int count = sizeof fields / sizeof fields[0];

    x->has_events = true;
    exchange_begin(x, 200, fields, request_id.len > 0 ? count : count - 1);
}

void exchange_end(struct exchange *x)
{
    must(x->has_begun);
    if (x->stream) {
        h2_end(x);
        return;
    }
    must(x->left <= 0 || x->is_head || !x->conn);
    if (x->conn && x->gzip && !x->is_head)
        send_piece(x, STR(""), true);
    if (x->conn && x->is_chunked && !x->is_head)
        conn_send(x->conn, HTTP1_LAST_CHUNK, (struct str){0});
    finish_answer(x);
}

void exchange_cut(struct exchange *x)
{
    if (x->stream) {
        h2_cut(x);
        return;
    }
    if (x->conn)
        conn_break(x->conn);
    finish_answer(x);
}
