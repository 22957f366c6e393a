/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the HTTP/1.1 parser share; nobody else includes it.
 *
 * Each part takes a line that has no control byte but the tab, and leaves what it found in
 * p->request.
 */
#pragma once

#include "wire/http1/http1.h"

/* Sets the status; the rc says whether a bound was reached. */
static inline enum rc http1_status(struct http1 *p, int status)
{
    p->status = status;
    return status == 413 || status == 414 || status == 431 ? RC_LIMIT : RC_INVALID;
}

/* Refuses the request: a status and a sentence for whoever sent it. */
#define HTTP1_REFUSE(p, status, reterr, ...) \
    err_set((reterr), http1_status((p), (status)), -1, 0, __VA_ARGS__)

/* METHOD TARGET VERSION */
MUST_USE enum rc http1_head_line(struct http1 *p, struct str line, struct err *reterr);

/* What the fields mean for host, body and connection, once all of them are there. */
MUST_USE enum rc http1_head_end(struct http1 *p, struct err *reterr);

/* request.target to host, segments and pairs; decodes into the room behind p->used. */
MUST_USE enum rc http1_target_parse(struct http1 *p, struct err *reterr);

/* "host", "host:port" or "[v6]:port". */
MUST_USE bool http1_host_parse(struct str text, struct str *ret_host, struct str *ret_port);

/* NAME: VALUE */
MUST_USE enum rc http1_field_parse(struct http1 *p, struct str line, struct http1_field *ret,
                                   struct err *reterr);

/* What RFC 9110 calls a token: methods, names of fields, members of lists. */
bool http1_is_token(struct str s);

/* The bytes at the start of `s` that are part of a token. */
size_t http1_token_length(struct str s);

/* Splits off the next member of a list, trimmed; false when none is left.  Skips empty ones. */
bool http1_list_next(struct str *list, struct str *ret);

/* The bytes at the start that may stand in a line: all but control bytes, and the tab. */
size_t http1_text_length(struct str s);

/* The bytes at the start that mean nothing in a URL but themselves: a-z, A-Z, 0-9 and -._~ */
size_t http1_plain_length(struct str s);

/* -1 for what is not a hexadecimal digit. */
int http1_hex(char c);

/* SIZE [; extensions]: the size, and the bytes of the extensions. */
MUST_USE enum rc http1_chunk_parse(struct http1 *p, struct str line, uint64_t *ret_size,
                                   size_t *ret_ext, struct err *reterr);
