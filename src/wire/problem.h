/* SPDX-License-Identifier: Apache-2.0 */
/* An error response as application/problem+json, RFC 9457. */
#pragma once

#include "base/buf.h"
#include "base/err.h"

enum { PROBLEM_BYTES_MAX = 4096 }; /* a byte of a text takes up to six, as \u001f */

struct problem {
    int status;
    const char *code; /* one of the codes of the API */
    const char *detail;
    const char *field;     /* "" or NULL: not about one field */
    int at;                /* byte offset into that field, or -1 */
    struct str request_id; /* empty: none */
    const char *node;      /* only in Conductor's form (api/call/error_reply.c); NULL: none */
};

/* The title is the reason of the status.  Appends; out->cut is true if it did not fit. */
void problem_print(const struct problem *problem, struct buf *out);
