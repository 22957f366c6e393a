/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files of the HTTP/1.1 parser only.
 *
 * Each part parses a line without control bytes except the tab, and stores the result in
 * p->request.
 */
#pragma once

#include "wire/http1/http1.h"

/* Sets the status; the rc says whether a limit was exceeded. */
static inline enum rc http1_set_status(struct http1 *p, int status)
{
    p->status = status;
    return status == 413 || status == 414 || status == 431 ? RC_LIMIT : RC_INVALID;
}

/* Rejects the request with a status and a message for the client. */
#define HTTP1_REFUSE(p, status, reterr, ...) \
    err_set((reterr), http1_set_status((p), (status)), -1, 0, __VA_ARGS__)

/* METHOD TARGET VERSION */
MUST_USE enum rc http1_head_line(struct http1 *p, struct str line, struct err *reterr);

/* VERSION CODE [REASON], of an answer. */
MUST_USE enum rc http1_answer_line(struct http1 *p, struct str line, struct err *reterr);

/* Interprets the fields for host, body and connection when all of them are present. */
MUST_USE enum rc http1_head_end(struct http1 *p, struct err *reterr);

/*
 * Splits request.target into host, segments and pairs; decodes into the buffer after p->used.
 */
MUST_USE enum rc http1_target_parse(struct http1 *p, struct err *reterr);

/* "host", "host:port" or "[v6]:port". */
MUST_USE bool http1_host_parse(struct str text, struct str *ret_host, struct str *ret_port);

/* HTTP/1.1 or HTTP/1.0. */
MUST_USE enum rc http1_version_parse(struct http1 *p, struct str version, struct err *reterr);

/* NAME: VALUE */
MUST_USE enum rc http1_field_parse(struct http1 *p, struct str line, struct http1_field *ret,
                                   struct err *reterr);

/* A token of RFC 9110: methods, names of fields, members of lists. */
bool http1_is_token(struct str s);

/* The number of bytes at the start of `s` that are part of a token. */
size_t http1_token_length(struct str s);

/* Removes the next nonempty member of a list, trimmed; false if there are no more. */
bool http1_list_next(struct str *list, struct str *ret);

/*
 * The number of bytes at the start that are allowed in a line: the tab and all but control
 * bytes.
 */
size_t http1_text_length(struct str s);

/* The number of unreserved URL bytes at the start: a-z, A-Z, 0-9 and -._~ */
size_t http1_plain_length(struct str s);

/* -1 if it is not a hexadecimal digit. */
int http1_hex(char c);

/* SIZE [; extensions]: the size, and the bytes of the extensions. */
MUST_USE enum rc http1_chunk_parse(struct http1 *p, struct str line, uint64_t *ret_size,
                                   size_t *ret_ext, struct err *reterr);
