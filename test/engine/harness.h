/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timelines for tests of the engine: a world with an empty database, nodes and its own clock.
 *
 * A timeline creates schedules, lets time pass, defines how runs end, and compares the result
 * as one line of text: "00:05@00:05, 00:15@00:15" lists the calls that were started, as slot @
 * time of the start.  Times are UTC, and of the day 2022-06-01 if they name none.  No test
 * waits: the clock jumps from one event to the next.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/cursor.h"
#include "engine/engine.h"
#include "store/history.h"
#include "store/schedules.h"

enum {
    TEST_NODES_MAX = 3,  /* nodes of one world                              */
    CALLS_MAX = 8192,    /* calls of one timeline                            */
    ENDS_MAX = 4096,     /* ends that a test defines in advance              */
    LINE_BYTES = 262144, /* of the text that is compared                     */
    CAPACITY = 1000,     /* default: calls that a node can make              */
    EVENTS_MAX = 64,     /* types of events                                  */
};

/* A node: its engine, its connection, and the input of its next turn. */
struct test_node {
    char name[16];
    bool is_up;
    struct db *db;
    struct engine *engine;
    struct db_fault fault;
    enum db_point break_at; /* the point at which the connection breaks next */
    enum rc break_with;     /* the error that this gives; RC_OK: no break    */
    int breaks;             /* so far; after one, turn() reconnects            */
    int64_t last_event;     /* its number: checks that none is missing         */
    instant wake_at;
    bool is_turning; /* connections break only during a turn              */
    bool is_pending; /* the turn of `in` failed: the next turn must get the same input */
    struct turn_in in;
    struct turn_out out; /* of the last turn that was committed */
};

/* A run that the engine handed out, and how it will end. */
struct call {
    struct assignment work; /* texts are copies */
    struct test_node *node;
    bool is_open, is_granted;
    bool is_stopping, is_terminated; /* the engine asked it to stop, or has ended it */
    instant at, ends_at;             /* INSTANT_NEVER: it does not end               */
    enum outcome outcome;
    const char *text; /* result or error */
};

struct world {
    instant now, base;
    int capacity, rows;       /* as in turn_in                                               */
    span call_length;         /* after which calls succeed, if the test defines no end       */
    span tick;                /* maximum time between turns; 0: only when the engine asks    */
    bool shows_names;         /* assert_calls() lists calls with the name of the schedule    */
    const char *changed_zone; /* a zone whose file is missing or new; NULL: none             */
    const char *changed_to;   /* the zone whose rules the new file has; NULL: missing        */
    bool is_child;            /* a forked process: a failure ends it instead of the test     */
    int64_t namespace;
    struct arena *arena;
    struct test_node nodes[TEST_NODES_MAX];
    int node_count;
    struct call *calls; /* dispatches and grants, in the order of their start */
    int call_count;
    int backfill_portion;  /* engine_options.backfill_portion of the next boot           */
    int64_t backfill_most; /* most backfill runs that one turn has started               */
    int ready_turns;       /* turns with turn_out.made_ready                             */
    struct report_reply last_report;            /* of the latest turn that had reports       */
    enum rc (*draw_break)(enum db_point point); /* decides about breaks; NULL: break_at does  */
    int64_t events[EVENTS_MAX];                 /* how many of each type                     */
    struct event last_event[EVENTS_MAX];        /* the latest of each type                   */
};
extern struct world world;

#define TIMELINE(name) cmocka_unit_test_setup_teardown(name, world_begin, world_end)
int world_begin(void **state); /* an empty database, node "a", 00:00 */
int world_end(void **state);
struct test_node *world_join(const char *name); /* one more node */
void world_fork(const char *name); /* in a child process: drop all nodes, join as this one */
void node_open(struct test_node *node); /* a new connection for its engine */
void node_kill(struct test_node *node); /* with its calls, which never report */
void node_boot(struct test_node *node); /* a new engine and connection      */
_Noreturn void fail_test(const char *fmt, ...) PRINTF(1, 2); /* in a child: exits */

/* "00:15", "00:15:30.250", "06-08 00:30", or RFC 3339 */
instant when(const char *text);

/* Time.  At each step of the clock the nodes turn until nothing is left to do. */
void run_to(const char *text); /* with turns whenever the engine asks for one */
void run_until(instant t);
void down_to(const char *text); /* without turns in between */
void settle(void);
enum rc turn_try(struct test_node *node, struct err *reterr); /* one turn, returns its code */
void turn(struct test_node *node);                            /* until it succeeds */

/* Results. */
void assert_calls(const char *expected); /* starts and stops since the last check    */
int count_calls(void);                   /* number of starts since then; resets it  */
void assert_counts(const char *name, const char *expected);  /* "started 2, open 1" */
void assert_ledger(const char *name, const char *expected);  /* "skipped(overlap) 00:10" */
void assert_history(const char *name, const char *expected); /* "00:05 succeeded"   */
struct cursor cursor_of(const char *name);
struct schedule_row row_of(const char *name);
int run_rows(const char *name); /* open runs in the store, of all states */
#define assert_at(got, text) assert_moment(got, text, __FILE__, __LINE__)
void assert_moment(instant got, const char *expected, const char *file, int line);

#include "harness_commands.h"
