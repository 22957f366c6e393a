/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One HTTP request at a time, for commands that have nothing else to do than wait for it.
 *
 * It blocks.  The connection is kept for the next request.  The answer's body goes to a
 * function as it comes, so that a stream without end can be read.  It repeats nothing and
 * follows no redirect.  The daemon does not use it: see io/client/webhook.h.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/instant.h"
#include "base/str.h"

enum {
    FETCH_HEADERS_MAX = 8,      /* of a request: commands need few            */
    FETCH_HEADER_MAX = 4096,    /* bytes of one of them: a token and its name */
    FETCH_VALUE_MAX = 256,      /* of an answer's field that is kept          */
    FETCH_HEAD_MAX = 64 * 1024, /* of an answer's head                        */
};

struct fetch; /* opaque */

/* The answer's body, in parts; false ends the request there. */
typedef bool fetch_part(void *arg, struct str bytes);

struct fetch_request {
    const char *method;
    const char *url;            /* http or https                                        */
    const char *const *headers; /* "Name: value", up to NULL; NULL: none                */
    bool has_body;
    struct str body;
    span connect; /* name, connection and TLS                                            */
    span silence; /* how long nothing may come or go; 0: for ever                       */
    fetch_part *part;
    void *arg;
};

struct fetch_answer {
    int status;
    char etag[FETCH_VALUE_MAX]; /* "" when there is none, or it is too long */
    char type[FETCH_VALUE_MAX]; /* its Content-Type                         */
    bool was_stopped;           /* `part` wanted no more                    */
};

/* `ca_file` NULL: whom the system trusts. */
struct fetch *fetch_new(const char *agent, const char *ca_file);

/* Accepts NULL, returns NULL. */
struct fetch *fetch_free(struct fetch *fetch);

/*
 * RC_OK: there was an answer, whole or stopped by `part`.  RC_INVALID: the URL cannot be
 * called.  RC_LOST: no connection came about, so nothing happened.  RC_CONFLICT: nor did
 * anything, for whoever is there has no certificate that is trusted.  RC_UNKNOWN: it broke
 * after the request may have arrived.  RC_CORRUPT: what came back is no HTTP.
 */
MUST_USE enum rc fetch_run(struct fetch *fetch, const struct fetch_request *request,
                           struct fetch_answer *ret, struct err *reterr);
