/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An asynchronous client of a server's API: sends JSON requests on a loop and keeps connections
 * open.
 *
 * It does not retry and does not interpret answers: it reports what the server answered, or why
 * there is no answer.  Runs on the loop's thread; no function here calls a callback directly.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/instant.h"
#include "base/str.h"
#include "io/loop.h"

enum {
    CLIENT_PATH_MAX = 3328,        /* of a path, with the longest name, encoded            */
    CLIENT_NAMESPACE_MAX = 1000,   /* bytes, like every name                               */
    CLIENT_TOKEN_MAX = 4096,       /* bytes; Belfry's have fewer than 100, others a few kB */
    CLIENT_ANSWER_MAX = 512 << 20, /* twice 1,000 runs with the largest input; no Belfry
                                      server sends more.  Memory grows with the answer.    */
};

#define CLIENT_CONNECT (5 * SPAN_S)  /* timeout of name lookup, connection and TLS */
#define CLIENT_TIMEOUT (20 * SPAN_S) /* of an answer, added to the request's wait  */

struct client; /* opaque */

struct client_options {
    const char *server;    /* http://host:port, optionally with a path    */
    const char *namespace; /* "" for the server's default                 */
    const char *token;     /* sent with every request; NULL or "": none   */
    bool is_conductor;     /* the token is sent in Conductor's header     */
    const char *ca_file;   /* PEM; NULL: the system's certificates        */
    const char *agent;     /* User-Agent                                  */
    int calls;             /* maximum number of concurrent calls          */
};

struct client_answer {
    int status;         /* 0: no answer; err has the reason            */
    struct str body;    /* valid during the callback                   */
    instant server_now; /* of the Date header; INSTANT_NONE: no header */
    struct err err;
};

typedef void client_done(void *arg, const struct client_answer *answer);

/* RC_INVALID when `server` is not a usable URL or `token` is malformed. */
MUST_USE enum rc client_open(struct loop *loop, const struct client_options *options,
                             struct client **ret, struct err *reterr);

struct client_request {
    const char *method; /* NULL: POST */
    const char *path;   /* such as "/api/v1/queues/claim"; may have a query */
    struct str body;    /* JSON, copied; empty: none */
    span wait;          /* long poll: how long the server may hold the request */
};

/*
 * Sends the request; `done` is called once.  Returns the call's number for client_cancel().
 * The caller must not have more than client_options.calls calls in progress.
 */
int64_t client_send(struct client *client, const struct client_request *what, client_done *done,
                    void *arg);

/* The loop then calls `done` without an answer.  Does nothing if the call has ended. */
void client_cancel(struct client *client, int64_t call);

/* Ends all calls without an answer, then calls `closed` and frees the client. */
void client_close(struct client *client, void (*closed)(void *arg), void *arg);
