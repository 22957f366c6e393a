/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server without sockets and threads: bytes of a request go in, an answer comes out.
 *
 * Behind it are a real engine and a real SQLite file, or the PostgreSQL that with_postgres.sh
 * started when BELFRY_TEST_DB says so.  The clock stands still unless a test moves it; it
 * begins at 2026-01-05T10:00:00Z, a Monday.
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

/* What the node was told to start in an upstream. */
struct world_call {
    struct run_id run;
    int64_t fence;
};

struct world {
    instant now;
    struct db *db, *reader;
    struct engine *engine;
    struct api_context context;
    const char *not_ready; /* what /readyz says           */
    int64_t quota;         /* schedules that a namespace may have, 0: any */
    const char *upstream;  /* the one that there is, NULL */
    uint64_t random;       /* the next number             */
    int polls;             /* turns that a poll has had   */
    bool is_guarded;       /* tokens count; else everybody is admin "test"      */
    bool is_remote;        /* then: requests come from another machine          */
    const char *token;     /* then: what is shown; NULL: none                   */
    struct keyring *keys;  /* of the last request         */
    bool is_lines;         /* answers need not be JSON    */
    char warned[256];      /* what the log would say, "namespace/schedule: text"           */
    bool is_halted;        /* what was last asked of the node; turns do not heed it */
    struct context_latest latest[CONTEXT_LATEST_MAX]; /* what /metrics names */
    int rows;           /* of one turn; 0: as many as may be     */
    int flows;          /* workflows that this node may start at once; 0: it starts none  */
    int dispatch_count; /* those that it was told to start        */
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

/* "POST /api/v1/schedules?x=y"; `fields` are lines that end in \r\n, or NULL.  The status. */
int ask(const char *what, const char *fields, const char *body);
int get(const char *target);
int post(const char *target, const char *body);
/* A call of gRPC with that message, which need not be in a frame; its answer is in one. */
int ask_rpc(const char *path, struct str message);

/* A stream: what has come since.  False: it cannot be read on. */
bool read_on(void);
/* The names of the lines that the last reading brought, "begin run.ended". */
const char *streamed(void);

/* Where its database is, when it is a file. */
const char *world_file(void);
bool world_is_on_postgres(void);

/* Time passes, and the engine does what is due. */
void pass(span time);

/* The server starts again, with that jitter of all that it starts. */
void start_again(span dispatch_jitter);

/* A second node on PostgreSQL, on a connection of its own; the caller frees both. */
struct engine *start_other(const struct db_fault *fault, struct db **ret_db);

/* The engine's connection is a new one, as the server makes it when the old one fails. */
void connect_again(void);

/* What became of a call: `run` and `fence` are filled in. */
void report_call(int call, struct report report);

/*
 * The member of the last answer, "state.nextAt" or "results.0.status", as one line of JSON with
 * ' for ".  The empty path: all of it.  An absent one is "absent".
 */
const char *told(const char *path);
#define assert_told(path, expected) assert_string_equal(told(path), expected)

/* The text of a string member, copied. */
struct str text_at(const char *path);

/* A header field of the last answer; "" when there is none. */
const char *field(const char *name);

/* The status, the code and the field of a refusal; "" where it has none. */
#define assert_refused(got, status, code, where) \
    assert_refusal(got, status, code, where, __FILE__, __LINE__)
void assert_refusal(int got, int status, const char *code, const char *where, const char *file,
                    int line);

/* ' becomes ", so that JSON can be read in C; good until the next call but seven. */
const char *js(const char *fmt, ...) PRINTF(1, 2);
