/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the commands know of a server: requests to its API, with JSON, on a loop, over
 * connections that are kept.
 *
 * It repeats nothing and decides nothing: it says what the server answered, or why there is
 * no answer.  One thread, that of the loop; no callback is called from within a function.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/instant.h"
#include "base/str.h"
#include "io/loop.h"

enum {
    CLIENT_PATH_MAX = 512,         /* of ours; the server's URL stands before it             */
    CLIENT_NAMESPACE_MAX = 255,    /* bytes, as of every name                                */
    CLIENT_TOKEN_MAX = 255,        /* bytes; ours have less than 100                         */
    CLIENT_ANSWER_MAX = 512 << 20, /* 1,000 runs with the largest input, twice; no server of
                                      ours sends more, and only what comes is held           */
};

#define CLIENT_CONNECT  (5 * SPAN_S)  /* name, connection, TLS                       */
#define CLIENT_PATIENCE (20 * SPAN_S) /* beyond the wait that was asked for          */

struct client; /* opaque */

struct client_options {
    const char *server;    /* http://host:port, perhaps with a path */
    const char *namespace; /* "" for the server's default           */
    const char *token;     /* shown with every request; NULL, "": none */
    const char *ca_file;   /* PEM; NULL: whom the system trusts        */
    const char *agent;
    int calls; /* at the same time */
};

struct client_answer {
    int status;         /* 0: there is none, and err says why     */
    struct str body;    /* good during the callback               */
    instant server_now; /* of its Date field; INSTANT_NONE: none  */
    struct err err;
};

typedef void client_done(void *arg, const struct client_answer *answer);

/* RC_INVALID when `server` is no URL that can be called, or `token` cannot be one. */
MUST_USE enum rc client_open(struct loop *loop, const struct client_options *options,
                             struct client **ret, struct err *reterr);

struct client_request {
    const char *method; /* NULL: POST */
    const char *path;   /* such as "/api/v1/queues/claim"; no query */
    struct str body;    /* JSON, copied; empty: none */
    span wait;          /* that the server may take before it begins to answer */
};

/*
 * Sends it; `done` is called once.  Returns its number, for client_cancel().  No more than
 * `calls` may be under way.
 */
int64_t client_send(struct client *client, const struct client_request *what, client_done *done,
                    void *arg);

/* `done` comes soon, without an answer.  Nothing happens when there is no such call. */
void client_cancel(struct client *client, int64_t call);

/* All that is under way ends without an answer; then `closed`, and the client is gone. */
void client_close(struct client *client, void (*closed)(void *arg), void *arg);
