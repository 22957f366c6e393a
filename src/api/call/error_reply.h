/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A refusal in the words of the API that was asked: what is wrong is said once, by the
 * operation, and every client gets it as its own server would have put it.
 */
#pragma once

#include "api/call/dialects.h"
#include "wire/http1/http1.h"
#include "wire/problem.h"

enum {
    ERROR_REPLY_FIELDS_MAX = 3,
    ERROR_REPLY_BYTES_MAX = 2 * PROBLEM_BYTES_MAX, /* some say the same thing twice */
};

struct error_reply {
    int status;
    const char *content_type;
    struct str body; /* in the caller's room */
    struct http1_field fields[ERROR_REPLY_FIELDS_MAX];
    int field_count;
};

/* `room` has ERROR_REPLY_BYTES_MAX bytes, and the refusal points into it. */
struct error_reply error_reply_of(enum dialects dialect, const struct problem *problem,
                                  char *room);
