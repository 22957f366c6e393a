/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One HTTP request at a time, for commands that only wait for the answer.
 *
 * It blocks.  The connection is kept for the next request.  A function receives the answer's
 * body as it arrives, so that an endless stream can be read.  It retries nothing and follows no
 * redirects.  The server does not use it: see io/client/webhook.h.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/instant.h"
#include "base/str.h"

enum {
    FETCH_HEADERS_MAX = 8,      /* of a request: commands need few */
    FETCH_VALUE_MAX = 256,      /* of a stored field of an answer */
    FETCH_HEAD_MAX = 64 * 1024, /* of an answer's head */
};

struct fetch; /* opaque */

/* Receives the answer's body in parts; false ends the request. */
typedef bool fetch_part(void *arg, struct str bytes);

struct fetch_request {
    const char *method;
    const char *url;            /* http or https */
    const char *const *headers; /* "Name: value", terminated by NULL; NULL: none */
    bool has_body;
    struct str body;
    span connect; /* name, connection and TLS */
    span silence; /* maximum time without any data; 0: no limit */
    fetch_part *part;
    void *arg;
};

struct fetch_answer {
    int status;
    char etag[FETCH_VALUE_MAX]; /* "" if it is missing or too long */
    char type[FETCH_VALUE_MAX]; /* Content-Type */
    bool was_stopped;           /* `part` returned false */
};

/* `ca_file` NULL: the system's certificate authorities. */
struct fetch *fetch_new(const char *agent, const char *ca_file);

/* Accepts NULL, returns NULL. */
struct fetch *fetch_free(struct fetch *fetch);

/*
 * RC_OK: there was an answer, complete or stopped by `part`.  RC_INVALID: invalid URL.
 * RC_LOST: no connection was made, so nothing happened.  RC_CONFLICT: nothing happened because
 * the server has no trusted certificate.  RC_UNKNOWN: the connection broke after the request
 * may have arrived.  RC_CORRUPT: the answer is not HTTP.
 */
MUST_USE enum rc fetch_run(struct fetch *fetch, const struct fetch_request *request,
                           struct fetch_answer *ret, struct err *reterr);
