/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/http1/http1.h"

#include "base/must.h"
#include "wire/http1/http1_parts.h"

void http1_begin(struct http1 *p, char *room, int64_t body_max)
{
    must(room && body_max >= 0);
    /* The lists are empty by their counts. */
    memset(p, 0, offsetof(struct http1, request.segments));
    p->room = room;
    p->body_max = body_max;
}

bool http1_is_idle(const struct http1 *p)
{
    return p->state == HTTP1_AT_LINE && p->used == 0 && p->blanks == 0 && !p->has_cr;
}

/* The most bytes that the line may have which is being read. */
static size_t line_max(const struct http1 *p)
{
    size_t left;

    switch (p->state) {
    case HTTP1_AT_LINE:
        return HTTP1_LINE_MAX;
    case HTTP1_AT_FIELDS:
    case HTTP1_AT_TRAILERS:
        left = HTTP1_SECTION_MAX - p->section;
        return left < HTTP1_LINE_MAX ? left : HTTP1_LINE_MAX;
    case HTTP1_AT_CHUNK_LINE:
        return HTTP1_SIZE_DIGITS_MAX + HTTP1_EXT_MAX - p->ext;
    default:
        return 0; /* what ends a chunk is an empty line */
    }
}

static enum rc refuse_long_line(struct http1 *p, struct err *reterr)
{
    switch (p->state) {
    case HTTP1_AT_LINE:
        return HTTP1_REFUSE(p, 414, reterr,
                            "The request line is longer than %d bytes; send what is long "
                            "in the body.",
                            HTTP1_LINE_MAX);
    case HTTP1_AT_CHUNK_LINE:
        return HTTP1_REFUSE(p, 413, reterr,
                            "The chunk extensions of a body may take at most %d bytes; "
                            "leave them out.",
                            HTTP1_EXT_MAX);
    case HTTP1_AT_CHUNK_END:
        return HTTP1_REFUSE(p, 400, reterr,
                            "A chunk is longer than its size says; CR LF must follow it.");
    default:
        return HTTP1_REFUSE(p, 431, reterr,
                            "A header field may take at most %d bytes, all of them "
                            "together %d.",
                            HTTP1_LINE_MAX, HTTP1_SECTION_MAX);
    }
}

static enum rc refuse_byte(struct http1 *p, char c, struct err *reterr)
{
    if (c == '\n')
        return HTTP1_REFUSE(p, 400, reterr, "A line ends with LF alone; it must be CR LF.");
    return HTTP1_REFUSE(p, 400, reterr,
                        "The control byte 0x%02x may not stand in a request; "
                        "is this HTTP/1.1 in plain text?",
                        (unsigned)(unsigned char)c);
}

/* Moves bytes of a line into the room; *ret_is_whole once CR LF has come. */
static enum rc take_line(struct http1 *p, struct str *in, bool *ret_is_whole,
                         struct err *reterr)
{
    *ret_is_whole = false;
    if (!p->has_cr) {
        size_t n = http1_text_length(*in);

        if (n > line_max(p) - (p->used - p->line))
            return refuse_long_line(p, reterr);
        memcpy(p->room + p->used, in->ptr, n);
        p->used += n;
        *in = str_from(*in, n);
        if (in->len == 0)
            return RC_OK;
        if (in->ptr[0] != '\r')
            return refuse_byte(p, in->ptr[0], reterr);
        p->has_cr = true;
        *in = str_from(*in, 1);
    }
    if (in->len == 0)
        return RC_OK;
    if (in->ptr[0] != '\n')
        return HTTP1_REFUSE(p, 400, reterr,
                            "A CR stands without its LF; a line ends with "
                            "CR LF, and no CR may stand inside it.");
    p->has_cr = false;
    *in = str_from(*in, 1);
    *ret_is_whole = true;
    return RC_OK;
}

static enum rc end_request_line(struct http1 *p, struct str line, struct err *reterr)
{
    if (line.len == 0) {
        if (p->blanks++ < HTTP1_BLANKS_MAX)
            return RC_OK;
        return HTTP1_REFUSE(p, 400, reterr,
                            "A request begins with its request line, "
                            "not with empty lines.");
    }
    p->state = HTTP1_AT_FIELDS;
    return http1_head_line(p, line, reterr);
}

/* A header field, which is kept, or a trailer, which is only checked. */
static enum rc end_field_line(struct http1 *p, struct str line, struct http1_field *ret,
                              struct err *reterr)
{
    p->section += line.len;
    if (p->lines++ == HTTP1_FIELDS_MAX)
        return HTTP1_REFUSE(p, 431, reterr, "A request may have at most %d header fields.",
                            HTTP1_FIELDS_MAX);
    return http1_field_parse(p, line, ret, reterr);
}

static enum rc end_header_line(struct http1 *p, struct str line, enum http1_event *event,
                               struct err *reterr)
{
    struct http1_field field;
    enum rc rc;

    if (line.len == 0) {
        *event = HTTP1_HEAD;
        p->state = HTTP1_AT_BODY;
        return http1_head_end(p, reterr);
    }
    rc = end_field_line(p, line, &field, reterr);
    if (rc == RC_OK)
        p->request.fields[p->request.field_count++] = field;
    return rc;
}

static enum rc end_trailer_line(struct http1 *p, struct str line, struct err *reterr)
{
    struct http1_field ignored;

    if (line.len == 0) {
        p->state = HTTP1_AT_END;
        return RC_OK;
    }
    p->used = p->line;
    return end_field_line(p, line, &ignored, reterr);
}

static enum rc refuse_body(struct http1 *p, struct err *reterr)
{
    return HTTP1_REFUSE(p, 413, reterr, "The body may have at most %lld bytes here.",
                        (long long)p->body_max);
}

static enum rc end_chunk_line(struct http1 *p, struct str line, struct err *reterr)
{
    uint64_t size;
    size_t ext;
    enum rc rc = http1_chunk_parse(p, line, &size, &ext, reterr);

    if (rc != RC_OK)
        return rc;
    if (ext > HTTP1_EXT_MAX - p->ext)
        return refuse_long_line(p, reterr);
    if (size > (uint64_t)p->body_max || p->body > (uint64_t)p->body_max - size)
        return refuse_body(p, reterr);
    p->ext += ext;
    p->body += size;
    p->left = size;
    p->used = p->line;
    p->state = size > 0 ? HTTP1_AT_CHUNK : HTTP1_AT_TRAILERS;
    return RC_OK;
}

static enum rc end_line(struct http1 *p, enum http1_event *event, struct err *reterr)
{
    struct str line = {p->room + p->line, p->used - p->line};
    enum rc rc = RC_OK;

    switch (p->state) {
    case HTTP1_AT_LINE:
        rc = end_request_line(p, line, reterr);
        break;
    case HTTP1_AT_FIELDS:
        rc = end_header_line(p, line, event, reterr);
        break;
    case HTTP1_AT_CHUNK_LINE:
        rc = end_chunk_line(p, line, reterr);
        break;
    case HTTP1_AT_TRAILERS:
        rc = end_trailer_line(p, line, reterr);
        break;
    default:
        must(p->state == HTTP1_AT_CHUNK_END);
        p->state = HTTP1_AT_CHUNK_LINE;
        break;
    }
    p->line = p->used;
    return rc;
}

static enum rc begin_body(struct http1 *p, struct err *reterr)
{
    if (p->request.length > p->body_max)
        return refuse_body(p, reterr);
    p->left = (uint64_t)p->request.length;
    p->state = p->request.is_chunked ? HTTP1_AT_CHUNK_LINE
               : p->left > 0         ? HTTP1_AT_LENGTH
                                     : HTTP1_AT_END;
    return RC_OK;
}

static void take_piece(struct http1 *p, struct str *in, enum http1_event *event)
{
    size_t n = in->len < p->left ? in->len : (size_t)p->left;

    p->piece = (struct str){in->ptr, n};
    *in = str_from(*in, n);
    *event = HTTP1_BODY;
    p->left -= n;
    if (p->left == 0)
        p->state = p->state == HTTP1_AT_CHUNK ? HTTP1_AT_CHUNK_END : HTTP1_AT_END;
}

static enum rc step(struct http1 *p, struct str *in, enum http1_event *event,
                    struct err *reterr)
{
    bool is_whole;
    enum rc rc;

    switch (p->state) {
    case HTTP1_AT_BODY:
        return begin_body(p, reterr);
    case HTTP1_AT_LENGTH:
    case HTTP1_AT_CHUNK:
        take_piece(p, in, event);
        return RC_OK;
    case HTTP1_AT_END:
        *event = HTTP1_DONE;
        p->state = HTTP1_IS_DONE;
        return RC_OK;
    default:
        rc = take_line(p, in, &is_whole, reterr);
        return rc == RC_OK && is_whole ? end_line(p, event, reterr) : rc;
    }
}

enum rc http1_feed(struct http1 *p, struct str *bytes, enum http1_event *ret,
                   struct err *reterr)
{
    struct str in = *bytes;
    enum http1_event event = HTTP1_MORE;

    must(p->state < HTTP1_IS_DONE);
    /* Each step takes a byte, or leaves one of the two states that need none. */
    while (event == HTTP1_MORE &&
           (in.len > 0 || p->state == HTTP1_AT_BODY || p->state == HTTP1_AT_END)) {
        enum rc rc = step(p, &in, &event, reterr);

        if (rc != RC_OK) {
            p->state = HTTP1_IS_REFUSED;
            return rc;
        }
    }
    *bytes = in;
    *ret = event;
    return RC_OK;
}

enum http1_preface http1_preface(struct str bytes)
{
    const struct str preface = STR("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

    if (str_starts(bytes, preface))
        return HTTP1_PREFACE_YES;
    return str_starts(preface, bytes) ? HTTP1_PREFACE_MAYBE : HTTP1_PREFACE_NO;
}
