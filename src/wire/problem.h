/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A refusal as clients read it: RFC 9457, application/problem+json.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"

enum { PROBLEM_BYTES_MAX = 4096 }; /* of one: each byte of its texts may take six */

struct problem {
    int status;
    const char *code; /* one of those that the API names */
    const char *detail;
    const char *field;     /* "" or NULL: not about one field    */
    int at;                /* byte offset into that field, or -1 */
    struct str request_id; /* empty: it has none             */
    const char *node;      /* who says so; NULL: nobody in particular */
};

/* The title is the status' reason.  Appends; out->cut tells when it did not fit. */
void problem_print(const struct problem *problem, struct buf *out);
