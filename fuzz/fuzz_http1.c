/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as HTTP/1.1 requests, and as an HTTP date.
 *
 * Any split of the bytes gives the same requests, the same bodies and the same refusal; what a
 * request points to is in its buffer; a refusal has a status and a message.  Dates that are
 * read are written back the same, and agree with the calendar of the core.
 */
#include <stdint.h>

#include "base/hash.h"
#include "base/must.h"
#include "core/time/civil.h"
#include "wire/http1/http1.h"
#include "wire/http1/http1_date.h"
#include "wire/http1/http1_write.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

enum {
    BODY_MAX = 300,     /* so small that a short input exceeds it           */
    EVERY_CUT_MAX = 96, /* longer inputs are split at a few positions only  */
    CUTS = 8,
};

struct seen {
    struct http1 parser;
    char room[HTTP1_ROOM];
    struct digest digest; /* of all events, bodies byte by byte */
    enum rc rc;
    struct err err;
};

static void add(struct seen *seen, struct str s)
{
    must(s.len == 0 || (s.ptr >= seen->room && s.ptr + s.len <= seen->room + HTTP1_ROOM));
    digest_add(&seen->digest, s.ptr, s.len);
}

static void add_decoded(struct seen *seen, struct str s)
{
    must(str_is_utf8(s) && (s.len == 0 || !memchr(s.ptr, '\0', s.len)));
    add(seen, s);
}

static void add_request(struct seen *seen, const struct http1_request *request)
{
    add(seen, request->method);
    add(seen, request->target);
    add(seen, request->host);
    add(seen, request->port);
    for (int i = 0; i < request->segment_count; i++)
        add_decoded(seen, request->segments[i]);
    for (int i = 0; i < request->pair_count; i++) {
        add_decoded(seen, request->pairs[i].key);
        add_decoded(seen, request->pairs[i].value);
    }
    for (int i = 0; i < request->field_count; i++) {
        must(request->fields[i].name.len > 0);
        add(seen, request->fields[i].name);
        add(seen, request->fields[i].value);
    }
    must(request->minor == 0 || (request->minor == 1 && request->host.len > 0));
    must(!request->is_chunked || (request->length == 0 && request->minor == 1));
    must(!request->is_server_wide || request->segment_count == 0);
    digest_int(&seen->digest, request->length);
    digest_int(&seen->digest, request->is_chunked | request->is_persistent << 1 |
                                  request->expects_continue << 2 |
                                  request->is_server_wide << 3 | request->is_absolute << 4 |
                                  http1_accepts_gzip(request) << 5 | request->minor << 6);
}

static void add_event(struct seen *seen, enum http1_event event)
{
    if (event == HTTP1_BODY) {
        must(seen->parser.piece.len > 0);
        for (size_t i = 0; i < seen->parser.piece.len; i++)
            digest_int(&seen->digest, seen->parser.piece.ptr[i]);
        return;
    }
    if (event == HTTP1_MORE)
        return;
    digest_int(&seen->digest, 1000 + event); /* differs from every byte of a body */
    add_request(seen, &seen->parser.request);
    if (event == HTTP1_DONE)
        http1_begin(&seen->parser, seen->room, BODY_MAX);
}

static void feed(struct seen *seen, struct str bytes)
{
    enum http1_event event = HTTP1_HEAD;

    while (seen->rc == RC_OK && (event != HTTP1_MORE || bytes.len > 0)) {
        seen->rc = http1_feed(&seen->parser, &bytes, &event, &seen->err);
        if (seen->rc == RC_OK)
            add_event(seen, event);
    }
}

static void reset(struct seen *seen)
{
    seen->digest = (struct digest){0};
    seen->rc = RC_OK;
    seen->err = (struct err){0};
    http1_begin(&seen->parser, seen->room, BODY_MAX);
}

static void check_same(const struct seen *a, const struct seen *b)
{
    must(a->digest.sum == b->digest.sum && a->rc == b->rc);
    must(a->parser.status == b->parser.status && strcmp(a->err.text, b->err.text) == 0);
    must(a->rc != RC_OK ||
         (a->parser.state == b->parser.state && a->parser.used == b->parser.used &&
          http1_is_idle(&a->parser) == http1_is_idle(&b->parser)));
}

static void check_refusal(const struct seen *seen)
{
    int status = seen->parser.status;

    must(seen->rc == seen->err.rc && seen->err.text[0] != '\0');
    must(seen->rc == (status == 413 || status == 414 || status == 431 ? RC_LIMIT : RC_INVALID));
    must(status == 400 || status == 417 || status == 501 || status == 505 ||
         seen->rc == RC_LIMIT);
    must(http1_write_reason(status)[0] != '\0');
}

static void check_splits(struct str bytes)
{
    static struct seen whole, other;
    size_t step = bytes.len <= EVERY_CUT_MAX ? 1 : bytes.len / CUTS;

    reset(&whole);
    feed(&whole, bytes);
    if (whole.rc != RC_OK)
        check_refusal(&whole);
    reset(&other);
    for (size_t i = 0; i < bytes.len && other.rc == RC_OK; i++)
        feed(&other, (struct str){bytes.ptr + i, 1});
    check_same(&whole, &other);
    for (size_t cut = step; cut < bytes.len; cut += step) {
        reset(&other);
        feed(&other, (struct str){bytes.ptr, cut});
        feed(&other, str_from(bytes, cut));
        check_same(&whole, &other);
    }
}

static void check_format(instant t)
{
    char text[HTTP1_DATE_LEN + 1];
    struct buf out = BUF(text);
    struct civil civil = civil_of_local(instant_seconds(t));
    char expected[64];
    struct buf want = BUF(expected);
    struct err err;
    instant again;

    http1_date_format(t, &out);
    must(!out.cut && out.len == HTTP1_DATE_LEN);
    must(http1_date_parse(buf_as_str(&out), t, &again, &err) == RC_OK);
    must(again <= t && t - again < SPAN_S);
    buf_printf(&want, "%04d %02d:%02d:%02d GMT", civil.date.year, civil.hour, civil.minute,
               civil.second);
    must(strcmp(text + 12, expected) == 0);
    must((text[5] - '0') * 10 + text[6] - '0' == civil.date.day);
}

static void check_dates(struct str bytes)
{
    struct err err;
    uint64_t number = 0;
    instant t;

    if (http1_date_retry_after(bytes, 0, &t, &err) == RC_OK)
        check_format(t);
    for (size_t i = 0; i < bytes.len && i < sizeof(number); i++)
        number = number << 8 | (unsigned char)bytes.ptr[i];
    check_format(INSTANT_MIN + (instant)(number % (uint64_t)(INSTANT_MAX - INSTANT_MIN)));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct str text = {(const char *)bytes, len};

    (void)http1_preface(text);
    check_splits(text);
    check_dates(text);
    return 0;
}
