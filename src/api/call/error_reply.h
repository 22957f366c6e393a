/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An error answer in the format of the API of the request: the operation states the problem
 * once, and each client gets it in the form that its own server would use.
 */
#pragma once

#include "api/call/dialects.h"
#include "wire/http1/http1.h"
#include "wire/json/json.h"
#include "wire/problem.h"

enum {
    ERROR_REPLY_FIELDS_MAX = 3,
    ERROR_REPLY_BYTES_MAX = 2 * PROBLEM_BYTES_MAX, /* some formats repeat the detail */
};

struct error_reply {
    int status;
    const char *content_type;
    struct str body; /* in the caller's room */
    struct http1_field fields[ERROR_REPLY_FIELDS_MAX];
    int field_count;
};

/* Writes the answer to `out` and sets *ret; error_reply_of() adds Retry-After to 503. */
typedef void error_reply_fn(const struct problem *problem, struct buf *out,
                            struct error_reply *ret);

/* The native format: application/problem+json. */
error_reply_fn error_reply_print;

/* For APIs whose clients show only the message: it includes the field. */
json_t *error_reply_message(const struct problem *problem);
bool error_reply_has_field(const struct problem *problem);

/* Clients of APIs without preconditions expect neither 412 nor 422. */
int error_reply_plain_status(int status);

/* `room` has ERROR_REPLY_BYTES_MAX bytes; the result points into it. */
struct error_reply error_reply_of(enum dialects dialect, const struct problem *problem,
                                  char *room);
