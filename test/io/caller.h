/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop with a pool of calls and a bad server, for the tests of webhook.
 *
 * Names under .test are resolved here, not by the system: rebound.test to what the test sets,
 * slow.test when the test releases it, all others not at all.
 */
#pragma once

#include <uv.h>

#include "bad_server.h"
#include "io/client/webhook.h"

enum { CALLER_ENDS_MAX = 64, CALLER_TEXT_MAX = 4096 };

struct caller_end {
    struct webhook_result result; /* its pointers point into the rest */
    struct webhook_header headers[WEBHOOK_KEPT_MAX];
    char text[CALLER_TEXT_MAX]; /* names and values */
    char *body;
};

struct caller {
    uv_loop_t loop;
    struct bad_server server;
    struct webhook_pool *pool;
    struct address_policy policy; /* permits all calls to loopback */
    const char *ca_file;          /* for the next caller_limit() */
    int32_t answer_max;           /* likewise */
    struct caller_end ends[CALLER_ENDS_MAX];
    int end_count;
    int64_t next_id;
    char url[WEBHOOK_URL_MAX];
};

/* cmocka's setup and teardown; *state is the caller.  Teardown counts open files. */
int caller_setup(void **state);
int caller_teardown(void **state);

/* Creates the pool again, with these limits. */
void caller_limit(struct caller *caller, int all, int per_host, int waiting);

/* GET of that path on the server, with ample time; the URL is valid until the next call. */
struct webhook_request caller_request(struct caller *caller, const char *path);

/* Starts it and returns its id; the test fails if it is rejected. */
int64_t caller_start(struct caller *caller, const struct webhook_request *request);

/* Runs the loop until that many results were delivered since the setup. */
void caller_wait(struct caller *caller, int end_count);

/* Runs the loop until the server has seen that many requests. */
void caller_wait_seen(struct caller *caller, int seen_count);

/* Starts it and waits for its result. */
const struct caller_end *caller_call(struct caller *caller,
                                     const struct webhook_request *request);

/* The same, for a path. */
const struct caller_end *caller_get(struct caller *caller, const char *path);

/* Makes room for further results; the delivered ones are gone. */
void caller_forget(struct caller *caller);

const struct caller_end *caller_find_end(const struct caller *caller, int64_t id);

/* What rebound.test resolves to: addresses of either family, terminated by NULL. */
void caller_rebind(const char *const *addresses);

/* Releases all queries for slow.test, now and later. */
void caller_release_names(void);
