/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the parser that only answers need: RFC 9112 sections 4 and 6.3.
 */
#include "wire/http1/http1_answer.h"

#include "wire/http1/http1_parts.h"

void http1_answer_begin(struct http1 *p, char *room, bool is_to_head)
{
    http1_begin(p, room, INT64_MAX);
    p->is_answer = true;
    p->is_bodiless = is_to_head;
    p->request.length = -1;
}

enum rc http1_answer_line(struct http1 *p, struct str line, struct err *reterr)
{
    struct str version = line, rest = {NULL, 0}, digits = {NULL, 0}, reason;
    int64_t code = 0;
    enum rc rc;

    str_cut(line, ' ', &version, &rest);
    rc = http1_version_parse(p, version, reterr);
    if (rc != RC_OK)
        return rc;
    digits = rest;
    str_cut(rest, ' ', &digits, &reason);
    if (digits.len != 3 || str_take_number(&digits, 599, &code) != 3 || code < 100 ||
        code > 599)
        return HTTP1_REFUSE(p, 400, reterr, "\"%.*s\" has no status", STR_ARG(line));
    p->code = (int)code;
    p->is_bodiless |= code < 200 || code == 204 || code == 304;
    return RC_OK;
}

bool http1_answer_is_interim(const struct http1 *p)
{
    return p->code < 200;
}

int64_t http1_answer_length(const struct http1 *p)
{
    return p->request.is_chunked ? -1 : p->request.length;
}

static bool is_to_close(const struct http1 *p)
{
    return !p->is_bodiless && http1_answer_length(p) < 0 && !p->request.is_chunked;
}

bool http1_answer_ends_here(const struct http1 *p)
{
    return p->state == HTTP1_AT_LENGTH && is_to_close(p);
}

bool http1_answer_keeps_open(const struct http1 *p)
{
    return p->request.is_persistent && !is_to_close(p);
}
