/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server for tests, without sockets and threads: a test passes the bytes of a request and
 * gets the answer.
 *
 * It uses a real engine on a SQLite file, or on the PostgreSQL server that with_postgres.sh
 * started if BELFRY_TEST_DB is "postgres".  The clock moves only when a test moves it; it
 * starts at 2026-01-05T10:00:00Z, a Monday.
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

enum { WORLD_DISPATCHES_MAX = 64 };

/* A workflow that the engine gave to this node to start in an upstream. */
struct world_dispatch {
    struct run_id run;
    int64_t fence;
};

struct world {
    instant now;
    struct db *db, *reader;
    struct engine *engine;
    struct api_context context;
    const char *not_ready; /* what /readyz reports */
    bool has_late_reads;   /* a reason of /readyz that leaves the server ready */
    int64_t quota;         /* maximum schedules of a namespace; 0: no limit */
    const char *upstream;  /* the name of the only upstream; NULL: none */
    uint64_t random;       /* the next random number */
    int64_t steps;         /* of struct budget, for begin(); 0: no limit */
    int64_t read_steps;    /* the same for each read                     */
    bool checks_tokens;    /* false: every caller is the admin "test" */
    bool is_remote;        /* requests come from a remote client, if tokens are checked */
    const char *token;     /* the token that requests send; NULL: none */
    struct keyring *keys;  /* of the last request */
    bool may_be_text;      /* false: ask() fails if an answer is not JSON */
    char warned[256];      /* the last logged warning, "namespace/schedule: text" */
    bool is_halted;        /* what the last request to halt or resume the node set */
    struct context_latest latest[CONTEXT_LATEST_MAX]; /* for /metrics */
    bool is_asked; /* the upstream was asked for its attributes, see CALL_ATTRIBUTES */
    enum call_step first_step;            /* of the last request */
    int turn_rows;                        /* maximum rows per turn; 0: TURN_ROWS_MAX */
    bool is_catalogue_loading;            /* the catalogue has not read all schedules yet */
    span catalogue_age;                   /* of its answers */
    const struct ledger_balance *balance; /* of namespace "default"; NULL: unknown */
    int workflow_limit; /* workflows that this node may run at the same time */
    int dispatch_count;
    struct world_dispatch dispatches[WORLD_DISPATCHES_MAX];
    /* The last answer. */
    struct arena *arena;
    struct call call;
    json_t *json; /* NULL: not JSON */
};
extern struct world world;

#define API_TEST(name) cmocka_unit_test_setup_teardown(name, world_begin, world_end)
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

/* Reads the new events of a stream.  Returns false if it cannot continue. */
bool read_stream(void);
/* The names of the events of the last read, such as "begin run.ended". */
const char *stream_names(void);

/* The path of the SQLite file. */
const char *world_file(void);
bool world_is_on_postgres(void);

/* Moves the clock forward and takes the turns that become due. */
void pass_time(span time);

/* Restarts the server with this dispatch_jitter. */
void restart_server(span dispatch_jitter);

/*
 * Quarantines all schedules, as the engine does after nodes have died
 * (test/engine/test_quarantine.c shows when), and restarts the server.
 */
void quarantine_schedules(void);

/* A second node on PostgreSQL, on a connection of its own; the caller frees both. */
struct engine *start_second_node(const struct db_fault *fault, struct db **ret_db);

/* Reads all cursors into the catalogue, for changes that have no event. */
void world_check_schedules(void);

/* Opens a new connection for the engine, as the server does when the old one fails. */
void reconnect(void);

/* Sends the report of a dispatch by its index; sets `run` and `fence` of the report. */
void report_dispatch(int dispatch, struct report report);

/*
 * A member of the last answer, such as "state.nextAt" or "results.0.status", as one line of
 * JSON with ' instead of ".  The empty path is the whole answer; a missing member is "absent".
 */
const char *json_at(const char *path);
#define assert_json(path, expected) assert_string_equal(json_at(path), expected)

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
