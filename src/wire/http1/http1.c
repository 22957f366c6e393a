/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state machine of the HTTP/1.1 parser: lines, bodies and chunks; see wire/http1/http1.h.
 */
#include "wire/http1/http1.h"

#include "base/must.h"
#include "wire/http1/http1_parts.h"

void http1_begin(struct http1 *p, char *room, int64_t body_max)
{
    must(room && body_max >= 0);
    /* The counts make the lists empty. */
    memset(p, 0, offsetof(struct http1, request.segments));
    p->room = room;
    p->body_max = body_max;
}

bool http1_is_idle(const struct http1 *p)
{
    return p->state == HTTP1_AT_LINE && p->used == 0 && p->blanks == 0 && !p->has_cr;
}

bool http1_is_head(const struct http1 *p)
{
    return str_starts((struct str){p->room, p->used}, STR("HEAD "));
}

/* The maximum length of the current line. */
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
        return 0; /* a chunk ends with an empty line */
    }
}

static enum rc refuse_long_line(struct http1 *p, struct err *reterr)
{
    switch (p->state) {
    case HTTP1_AT_LINE:
        return HTTP1_REFUSE(p, 414, reterr,
                            "request line is longer than %d bytes; send long data in the body",
                            HTTP1_LINE_MAX);
    case HTTP1_AT_CHUNK_LINE:
        return HTTP1_REFUSE(p, 413, reterr,
                            "chunk extensions are longer than %d bytes; leave them out",
                            HTTP1_EXT_MAX);
    case HTTP1_AT_CHUNK_END:
        return HTTP1_REFUSE(p, 400, reterr,
                            "a chunk is longer than its size; CR LF must follow it");
    default:
        return HTTP1_REFUSE(p, 431, reterr,
                            "header fields are too long; the limit is %d bytes for one and %d "
                            "for all",
                            HTTP1_LINE_MAX, HTTP1_SECTION_MAX);
    }
}

static enum rc refuse_byte(struct http1 *p, char c, struct err *reterr)
{
    if (c == '\n')
        return HTTP1_REFUSE(p, 400, reterr, "a line ends with LF only; it must end with CR LF");
    return HTTP1_REFUSE(p, 400, reterr,
                        "invalid control byte 0x%02x in a request; is this HTTP/1.1 in plain "
                        "text?",
                        (unsigned)(unsigned char)c);
}

/* Copies bytes of a line into the buffer; *ret_is_whole once CR LF has arrived. */
static enum rc read_line(struct http1 *p, struct str *in, bool *ret_is_whole,
                         struct err *reterr)
{
    *ret_is_whole = false;
    if (!p->has_cr) {
        size_t n = http1_text_length(*in), left = line_max(p) - (p->used - p->line);
        bool is_long = n > left;

        if (is_long)
            n = left;
        memcpy(p->room + p->used, in->ptr, n);
        p->used += n;
        if (is_long)
            return refuse_long_line(p, reterr);
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
        return HTTP1_REFUSE(
            p, 400, reterr,
            "a CR without LF; a line ends with CR LF and must not contain a CR");
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
                            "a request must begin with its request line, not with empty lines");
    }
    p->state = HTTP1_AT_FIELDS;
    return p->is_answer ? http1_answer_line(p, line, reterr) : http1_head_line(p, line, reterr);
}

/* Checks a header field, which is kept, or a trailer, which is ignored. */
static enum rc end_field_line(struct http1 *p, struct str line, struct http1_field *ret,
                              struct err *reterr)
{
    p->section += line.len;
    if (p->lines++ == HTTP1_FIELDS_MAX)
        return HTTP1_REFUSE(p, 431, reterr, "too many header fields; the limit is %d",
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
    return HTTP1_REFUSE(p, 413, reterr, "the body is too large; the limit is %lld bytes",
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

/* Without a length, the end of the connection ends the body. */
static void begin_answer_body(struct http1 *p)
{
    p->left = p->request.length < 0 ? UINT64_MAX : (uint64_t)p->request.length;
    p->state = p->is_bodiless          ? HTTP1_AT_END
               : p->request.is_chunked ? HTTP1_AT_CHUNK_LINE
               : p->left > 0           ? HTTP1_AT_LENGTH
                                       : HTTP1_AT_END;
}

static enum rc begin_body(struct http1 *p, struct err *reterr)
{
    if (p->is_answer) {
        begin_answer_body(p);
        return RC_OK;
    }
    if (p->request.length > p->body_max)
        return refuse_body(p, reterr);
    p->left = (uint64_t)p->request.length;
    p->state = p->request.is_chunked ? HTTP1_AT_CHUNK_LINE
               : p->left > 0         ? HTTP1_AT_LENGTH
                                     : HTTP1_AT_END;
    return RC_OK;
}

static void read_piece(struct http1 *p, struct str *in, enum http1_event *event)
{
    size_t n = in->len < p->left ? in->len : (size_t)p->left;

    p->piece = (struct str){in->ptr, n};
    *in = str_from(*in, n);
    *event = HTTP1_BODY;
    p->left -= n;
    if (p->left == 0)
        p->state = p->state == HTTP1_AT_CHUNK ? HTTP1_AT_CHUNK_END : HTTP1_AT_END;
}

static enum rc parse_step(struct http1 *p, struct str *in, enum http1_event *event,
                          struct err *reterr)
{
    bool is_whole;
    enum rc rc;

    switch (p->state) {
    case HTTP1_AT_BODY:
        return begin_body(p, reterr);
    case HTTP1_AT_LENGTH:
    case HTTP1_AT_CHUNK:
        read_piece(p, in, event);
        return RC_OK;
    case HTTP1_AT_END:
        *event = HTTP1_DONE;
        p->state = HTTP1_IS_DONE;
        return RC_OK;
    default:
        rc = read_line(p, in, &is_whole, reterr);
        return rc == RC_OK && is_whole ? end_line(p, event, reterr) : rc;
    }
}

enum rc http1_feed(struct http1 *p, struct str *bytes, enum http1_event *ret,
                   struct err *reterr)
{
    struct str in = *bytes;
    enum http1_event event = HTTP1_MORE;

    must(p->state < HTTP1_IS_DONE);
    /* Each step consumes a byte, or leaves one of the two states that need none. */
    while (event == HTTP1_MORE &&
           (in.len > 0 || p->state == HTTP1_AT_BODY || p->state == HTTP1_AT_END)) {
        enum rc rc = parse_step(p, &in, &event, reterr);

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
