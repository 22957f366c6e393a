/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches of HTTP requests with JSON bodies: sends them together, waits for all answers.
 *
 * Requests that the server rejects because it is busy are repeated.  Errors stay with their
 * request: one bad answer does not end the batch.
 */
#pragma once

#include "cli/remote/client.h"
#include "wire/json/json.h"

enum {
    REST_CALLS_MAX = 16, /* at a time; also the number of connections */
    REST_TRIES_MAX = 6,  /* of a request that the server is too busy for */
    REST_TEXT_MAX = 400,
};

#define REST_WAIT (250 * SPAN_MS) /* before the second try; doubled before each further one */

struct rest_call {
    const char *method;
    const char *path; /* with its query; the namespace is appended */
    json_t *body;     /* NULL: none; the caller owns it */
    /* Set by rest_batch_run(): */
    int status;         /* 0: no answer */
    json_t *json;       /* NULL: the body is empty or not JSON; rest_calls_clear() frees it */
    instant server_now; /* INSTANT_NONE: unknown */
    bool is_pending;    /* false after rest_batch_run() */
    char text[REST_TEXT_MAX]; /* the reason if the status is not 2xx */
};

struct rest_batch; /* opaque */

/* RC_INVALID: the URL or the token is malformed.  The number of calls is set here. */
MUST_USE enum rc rest_batch_new(const struct client_options *options, struct rest_batch **ret,
                                struct err *reterr);

/* Accepts NULL, returns NULL. */
struct rest_batch *rest_batch_free(struct rest_batch *batch);

/* Returns when every request has ended.  A call without a path is left out. */
void rest_batch_run(struct rest_batch *batch, struct rest_call *calls, int count);

bool rest_is_ok(const struct rest_call *call); /* 2xx */

/* Frees the answers. */
void rest_calls_clear(struct rest_call *calls, int count);

/* Appends a segment of a path or a value of a query, percent-encoded. */
void rest_escape(struct buf *path, struct str part);
