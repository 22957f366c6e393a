/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop with an HTTP/2 client, for the tests of http_client.  Every wait ends after PATIENCE.
 */
#pragma once

#include "app.h"

#include "io/client/http_client.h"

enum { H2_CALLER_CALLS_MAX = 256, H2_CALLER_HEAD_MAX = 4096 };

/* One call and what became of it. */
struct http_caller_call {
    struct http_caller *caller;
    struct http_call *call; /* NULL once it has ended */
    struct str path, body;
    char head[H2_CALLER_HEAD_MAX];     /* "name: value\n" of each field */
    char trailers[H2_CALLER_HEAD_MAX]; /* likewise */
    char text[HTTP_CLIENT_TEXT_MAX];
    int status;
    enum http_end_kind kind;
    size_t received;      /* bytes of the body */
    bool is_different;    /* from app_byte() */
    char start[64];       /* of the body, with a zero after it */
    bool is_ended, keeps; /* keeps: consumes nothing by itself */
};

struct http_caller {
    uv_loop_t loop;
    uv_timer_t patience;
    struct http_client *client;
    struct http_target target;
    char url[64];
    bool denies; /* every address */
    bool is_late, is_closed;
    struct http_caller_call *calls[H2_CALLER_CALLS_MAX];
    int call_count;
};

/* For calls to a port of 127.0.0.1; "https" with `ca_file`. */
struct http_caller *http_caller_open(const char *scheme, uint16_t port, const char *ca_file);
void http_caller_close(struct http_caller *caller);

/* Starts a call: GET, or POST with a body.  `within` 0: no limit. */
struct http_caller_call *http_caller_start(struct http_caller *caller, const char *path,
                                           struct str body, span within);
struct http_caller_call *http_caller_get(struct http_caller *caller, const char *path);

/* Runs the loop until the call has ended. */
void http_caller_wait(struct http_caller_call *call);

/* Runs the loop until it has received at least that many bytes. */
void http_caller_wait_bytes(struct http_caller_call *call, size_t bytes);

/* Runs the loop until the server's note arrives. */
int64_t http_caller_await(struct http_caller *caller, struct app *app, enum app_word word);
