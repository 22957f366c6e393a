/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as answers of HTTP/1.1 on one connection; if the first byte is H, the requests were
 * HEAD.
 *
 * Any split of the bytes gives the same answers, the same bodies and the same refusal; what an
 * answer points to is in its buffer; the body of an answer has its announced length.
 */
#include <stdint.h>

#include "base/hash.h"
#include "base/must.h"
#include "wire/http1/http1_answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

enum {
    EVERY_CUT_MAX = 96, /* longer inputs are split at a few positions only */
    CUTS = 8,
};

struct seen {
    struct http1 parser;
    char room[HTTP1_ROOM];
    bool is_to_head;
    bool is_closed; /* the last answer keeps no connection: nothing more is read */
    int64_t body;   /* bytes of the current answer's body */
    struct digest digest;
    enum rc rc;
    struct err err;
};

static void begin_answer(struct seen *seen)
{
    http1_answer_begin(&seen->parser, seen->room, seen->is_to_head);
    seen->body = 0;
}

static void add(struct seen *seen, struct str s)
{
    must(s.len == 0 || (s.ptr >= seen->room && s.ptr + s.len <= seen->room + HTTP1_ROOM));
    digest_add(&seen->digest, s.ptr, s.len);
}

static void add_head(struct seen *seen)
{
    const struct http1 *p = &seen->parser;

    must(p->code >= 100 && p->code <= 999);
    for (int i = 0; i < p->request.field_count; i++) {
        must(p->request.fields[i].name.len > 0);
        add(seen, p->request.fields[i].name);
        add(seen, p->request.fields[i].value);
    }
    digest_int(&seen->digest, p->code);
    digest_int(&seen->digest, http1_answer_length(p));
    digest_int(&seen->digest, http1_answer_is_interim(p));
    must(http1_answer_is_interim(p) == (p->code < 200));
}

static void add_done(struct seen *seen)
{
    const struct http1 *p = &seen->parser;
    int64_t length = http1_answer_length(p);

    must(!p->is_bodiless || seen->body == 0);
    must(p->is_bodiless || length < 0 || seen->body == length);
    digest_int(&seen->digest, http1_answer_keeps_open(p));
    seen->is_closed = !http1_answer_keeps_open(p);
    begin_answer(seen);
}

static void add_event(struct seen *seen, enum http1_event event)
{
    if (event == HTTP1_BODY) {
        must(seen->parser.piece.len > 0);
        seen->body += (int64_t)seen->parser.piece.len;
        for (size_t i = 0; i < seen->parser.piece.len; i++)
            digest_int(&seen->digest, seen->parser.piece.ptr[i]);
    } else if (event == HTTP1_HEAD) {
        digest_int(&seen->digest, 1000); /* differs from every byte of a body */
        add_head(seen);
    } else if (event == HTTP1_DONE) {
        digest_int(&seen->digest, 1001);
        add_done(seen);
    }
}

static void feed(struct seen *seen, struct str bytes)
{
    enum http1_event event = HTTP1_HEAD;

    while (seen->rc == RC_OK && !seen->is_closed && (event != HTTP1_MORE || bytes.len > 0)) {
        seen->rc = http1_feed(&seen->parser, &bytes, &event, &seen->err);
        if (seen->rc == RC_OK)
            add_event(seen, event);
    }
}

static void reset(struct seen *seen, bool is_to_head)
{
    seen->digest = (struct digest){0};
    seen->rc = RC_OK;
    seen->err = (struct err){0};
    seen->is_closed = false;
    seen->is_to_head = is_to_head;
    begin_answer(seen);
}

static void check_same(const struct seen *a, const struct seen *b)
{
    must(a->digest.sum == b->digest.sum && a->rc == b->rc && a->is_closed == b->is_closed);
    must(strcmp(a->err.text, b->err.text) == 0);
    must(a->rc == RC_OK || a->err.text[0] != '\0');
    must(a->rc != RC_OK ||
         http1_answer_ends_here(&a->parser) == http1_answer_ends_here(&b->parser));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static struct seen whole, other;
    struct str text = {(const char *)bytes + 1, len > 0 ? len - 1 : 0};
    bool is_to_head = len > 0 && bytes[0] == 'H';
    size_t step = text.len <= EVERY_CUT_MAX ? 1 : text.len / CUTS;

    if (len == 0)
        return 0;
    reset(&whole, is_to_head);
    feed(&whole, text);
    reset(&other, is_to_head);
    for (size_t i = 0; i < text.len; i++)
        feed(&other, (struct str){text.ptr + i, 1});
    check_same(&whole, &other);
    for (size_t cut = step; cut < text.len; cut += step) {
        reset(&other, is_to_head);
        feed(&other, (struct str){text.ptr, cut});
        feed(&other, str_from(text, cut));
        check_same(&whole, &other);
    }
    return 0;
}
