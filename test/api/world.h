/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server without sockets and threads for tests: it takes the bytes of a request and returns
 * the answer.
 *
 * It uses a real engine on a SQLite file, or on the PostgreSQL server that with_postgres.sh
 * started if BELFRY_TEST_DB says so.  The clock stands still unless a test moves it; it begins
 * at 2026-01-05T10:00:00Z, a Monday.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "api/call/operation.h"
#include "engine/engine.h"
#include "store/named_objects.h"
#include "wire/json/json.h"

enum { WORLD_CALLS_MAX = 64 };

/* A workflow that the node was ordered to start in an upstream. */
struct world_call {
    struct run_id run;
    int64_t fence;
};

struct world {
    instant now;
    struct db *db, *reader;
    struct engine *engine;
    struct api_context context;
    const char *not_ready; /* what /readyz reports                                  */
    int64_t quota;         /* maximum schedules of a namespace, 0: no limit         */
    const char *upstream;  /* the only one; NULL: none                              */
    uint64_t random;       /* the next number                                       */
    int polls;             /* turns of a waiting poll                               */
    bool is_guarded;       /* tokens are checked; else every caller is admin "test" */
    bool is_remote;        /* then: requests come from a remote client              */
    const char *token;     /* then: the token of requests; NULL: none               */
    struct keyring *keys;  /* of the last request                                   */
    bool is_lines;         /* answers need not be JSON                              */
    char warned[256];      /* the last logged warning, "namespace/schedule: text"   */
    bool is_halted;        /* the last request to halt the node; turns ignore it    */
    struct context_latest latest[CONTEXT_LATEST_MAX]; /* for /metrics */
    int rows;           /* of one turn; 0: the maximum                                */
    int flows;          /* workflows that this node may run at the same time; 0: none */
    int dispatch_count; /* workflows that it was ordered to start                     */
    struct world_call dispatches[WORLD_CALLS_MAX];
    /* The last answer. */
    struct arena *arena;
    struct call call;
    json_t *json; /* NULL: not JSON */
};
extern struct world world;

#define SERVED(name) cmocka_unit_test_setup_teardown(name, world_begin, world_end)
int world_begin(void **state);
int world_end(void **state);

/*
 * Sends a request and returns the status.  `what` is "POST /api/v1/schedules?x=y"; `fields` are
 * lines that end in \r\n, or NULL.
 */
int ask(const char *what, const char *fields, const char *body);
int get(const char *target);
int post(const char *target, const char *body);
/* A gRPC call with this message, without its frame; the answer is in a frame. */
int ask_rpc(const char *path, struct str message);

/* Reads the new events of a stream.  False: it cannot be continued. */
bool read_on(void);
/* The names of the events of the last read, "begin run.ended". */
const char *streamed(void);

/* The path of the SQLite file. */
const char *world_file(void);
bool world_is_on_postgres(void);

/* Advances the clock and runs the turns that are due. */
void pass(span time);

/* Restarts the server with this dispatch_jitter. */
void start_again(span dispatch_jitter);

/* A second node on PostgreSQL, on a connection of its own; the caller frees both. */
struct engine *start_other(const struct db_fault *fault, struct db **ret_db);

/* Opens a new connection for the engine, as the server does when the old one fails. */
void connect_again(void);

/* Reports the result of a dispatched workflow; sets `run` and `fence` of the report. */
void report_call(int call, struct report report);

/*
 * A member of the last answer, such as "state.nextAt" or "results.0.status", as one line of
 * JSON with ' instead of ".  The empty path is the whole answer; a missing member is "absent".
 */
const char *told(const char *path);
#define assert_told(path, expected) assert_string_equal(told(path), expected)

/* The text of a string member, copied. */
struct str text_at(const char *path);

/* A header field of the last answer; "" if it has none. */
const char *field(const char *name);

/* Checks the status, the code and the field of an error; "" for no field. */
#define assert_refused(got, status, code, where) \
    assert_refusal(got, status, code, where, __FILE__, __LINE__)
void assert_refusal(int got, int status, const char *code, const char *where, const char *file,
                    int line);

/* Replaces ' by ", so that JSON is readable in C; valid for the next seven calls. */
const char *js(const char *fmt, ...) PRINTF(1, 2);
