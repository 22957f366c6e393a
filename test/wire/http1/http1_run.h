/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Feeds bytes to the HTTP/1.1 parser in pieces and records all results, so that two runs can be
 * compared as texts.  For the tests of wire/http1*.c.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "wire/http1/http1.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))
#define BYTES(literal)               \
    {                                \
        literal, sizeof(literal) - 1 \
    } /* for tables; may contain zero bytes */

enum { RUN_LOG_MAX = 1 << 14, RUN_BODY_MAX = 1000 };

struct run {
    struct http1 parser;
    char room[HTTP1_ROOM];
    char log_text[RUN_LOG_MAX];
    struct buf log;   /* each request as text, its body, and the error */
    int begun, ended; /* requests */
    int64_t body_max;
    bool has_body; /* a piece of this request's body has arrived */
    enum rc rc;
    struct err err;
};

static inline struct run *run_new(int64_t body_max)
{
    struct run *run = calloc(1, sizeof(*run));

    assert_non_null(run);
    run->body_max = body_max;
    run->log = BUF(run->log_text);
    http1_begin(&run->parser, run->room, body_max);
    return run;
}

static inline void log_request(struct buf *log, const struct http1_request *request)
{
    buf_printf(log, "%.*s 1.%d%s%s host=%.*s port=%.*s", STR_ARG(request->method),
               request->minor, request->is_server_wide ? " *" : "",
               request->is_absolute ? " absolute" : "", STR_ARG(request->host),
               STR_ARG(request->port));
    for (int i = 0; i < request->segment_count; i++) {
        buf_text(log, i == 0 ? " path=" : ",");
        buf_str(log, request->segments[i]);
    }
    for (int i = 0; i < request->pair_count; i++) {
        buf_printf(log, "%s%.*s=", i == 0 ? " query=" : ",", STR_ARG(request->pairs[i].key));
        buf_str(log, request->pairs[i].value);
    }
    if (request->is_chunked)
        buf_text(log, " chunked");
    if (request->length > 0)
        buf_printf(log, " length=%lld", (long long)request->length);
    buf_text(log, request->is_persistent ? " stays" : " closes");
    if (request->expects_continue)
        buf_text(log, " expects");
}

static inline void log_event(struct run *run, enum http1_event event)
{
    struct http1 *p = &run->parser;

    if (event == HTTP1_HEAD) {
        run->begun++;
        log_request(&run->log, &p->request);
    } else if (event == HTTP1_BODY) {
        assert_true(p->piece.len > 0);
        buf_text(&run->log, run->has_body ? "" : " body=");
        buf_str(&run->log, p->piece);
        run->has_body = true;
    } else if (event == HTTP1_DONE) {
        run->ended++;
        run->has_body = false;
        buf_text(&run->log, "\n");
        http1_begin(p, run->room, run->body_max);
    }
}

/* The bytes live in their own block, which is freed: nothing may point to them later. */
static inline void run_feed(struct run *run, struct str bytes)
{
    char *copy = malloc(bytes.len + 1);
    struct str rest = {copy, bytes.len};
    enum http1_event event = HTTP1_HEAD;

    assert_non_null(copy);
    if (bytes.len > 0)
        memcpy(copy, bytes.ptr, bytes.len);
    while (run->rc == RC_OK && (event != HTTP1_MORE || rest.len > 0)) {
        run->rc = http1_feed(&run->parser, &rest, &event, &run->err);
        if (run->rc == RC_OK)
            log_event(run, event);
    }
    if (run->rc != RC_OK)
        buf_printf(&run->log, " refused=%d", run->parser.status);
    free(copy);
}

static inline void run_pieces(struct run *run, struct str bytes, size_t piece)
{
    for (size_t at = 0; at < bytes.len && run->rc == RC_OK; at += piece) {
        size_t left = bytes.len - at;

        run_feed(run, (struct str){bytes.ptr + at, left < piece ? left : piece});
    }
    assert_false(run->log.cut);
}

static inline void assert_same(const struct run *a, const struct run *b)
{
    assert_int_equal(a->log.len, b->log.len);
    assert_memory_equal(a->log_text, b->log_text, a->log.len);
    assert_int_equal(a->rc, b->rc);
    assert_string_equal(a->err.text, b->err.text);
    assert_int_equal(http1_is_idle(&a->parser), http1_is_idle(&b->parser));
}

/* The run of the whole; checks that single bytes and any two parts give the same result. */
static inline struct run *run_all_ways(struct str bytes)
{
    struct run *whole = run_new(RUN_BODY_MAX);
    struct run *other = run_new(RUN_BODY_MAX);

    run_pieces(whole, bytes, bytes.len);
    run_pieces(other, bytes, 1);
    assert_same(whole, other);
    free(other);
    for (size_t cut = 1; cut < bytes.len; cut++) {
        other = run_new(RUN_BODY_MAX);
        run_feed(other, (struct str){bytes.ptr, cut});
        if (other->rc == RC_OK)
            run_feed(other, str_from(bytes, cut));
        assert_same(whole, other);
        free(other);
    }
    return whole;
}
