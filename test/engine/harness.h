/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timelines for the engine: a world with an empty database, nodes and a clock of its own.
 *
 * A timeline makes schedules, lets time pass, says how runs end, and reads what came of it
 * as one line of text: "00:05@00:05, 00:15@00:15" is what was started, nominal time @ time
 * of the start.  Times are UTC, of the day 2022-06-01 where they name none.  Nothing waits:
 * the clock goes from one moment at which something happens to the next.
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
    BENCHES_MAX = 3,     /* nodes of one world                              */
    CALLS_MAX = 8192,    /* runs that one timeline hands out                 */
    ENDS_MAX = 4096,     /* ends that are foretold                           */
    LINE_BYTES = 262144, /* of what a timeline tells                         */
    CAPACITY = 1000,     /* calls that a node can make unless a test says    */
    EVENTS_MAX = 64,     /* types of events                                  */
};

/* A node: its engine, its connection, and what goes into its next turn. */
struct bench {
    char name[16];
    bool is_up;
    struct db *db;
    struct engine *engine;
    struct db_fault fault;
    enum db_point break_at; /* where the connection breaks next ... */
    enum rc break_with;     /* ... and how; RC_OK: it does not      */
    int breaks;             /* so far; after one, turn() reconnects */
    int64_t events;         /* number of the last: none is left out */
    instant wake_at;
    bool is_turning; /* connections break only then                    */
    bool is_pending; /* `in` was handed in and must be handed in again */
    struct turn_in in;
    struct turn_out out; /* of the last turn that was committed */
};

/* A run that was handed out, and how it will end. */
struct call {
    struct assignment work; /* texts are copies */
    struct bench *bench;
    bool is_open, is_granted;
    bool is_stopping, is_terminated; /* the engine wants it to end, or has ended it */
    instant at, ends_at;             /* INSTANT_NEVER: it goes on                   */
    enum outcome outcome;
    const char *text; /* result or error */
};

struct world {
    instant now, base;
    int capacity, rows;  /* as in turn_in                                             */
    span length;         /* after which runs succeed whose end is not foretold        */
    span tick;           /* turns are never further apart; 0: when the engine asks    */
    bool names;          /* what was started is told with the schedule's name         */
    const char *lost;    /* a zone that nobody knows any more; NULL: all are known    */
    const char *instead; /* but as this one, for newer files of zones say so; or NULL */
    bool is_child;       /* a process of its own, which fails itself and no test      */
    int64_t namespace;
    struct arena *arena;
    struct bench benches[BENCHES_MAX];
    int bench_count;
    struct call *dispatches;
    int dispatch_count;
    int portion;           /* engine_options.backfill_portion, for the next boot         */
    int64_t backfill_most; /* runs of backfills that one turn has started                */
    int hints; /* turns after which other nodes are to be told that something is ready */
    struct report_reply last_report;        /* of the latest turn that had reports   */
    enum rc (*chance)(enum db_point point); /* how connections break; NULL: as armed */
    int64_t events[EVENTS_MAX];             /* how many of each type                 */
    struct event last_event[EVENTS_MAX];    /* the latest of each type               */
};
extern struct world world;

#define TIMELINE(name) cmocka_unit_test_setup_teardown(name, world_begin, world_end)
int world_begin(void **state); /* an empty database, node "a", 00:00 */
int world_end(void **state);
struct bench *world_join(const char *name); /* one more node */
void world_fork(const char *name);          /* in a child: forget all nodes, join as this */
void bench_open(struct bench *bench);       /* a new connection for its engine */
void bench_kill(struct bench *bench);       /* with its calls; they never report */
void bench_boot(struct bench *bench);       /* a new engine and connection      */
_Noreturn void broken(const char *fmt, ...) PRINTF(1, 2);

/* "00:15", "00:15:30.250", "06-08 00:30", or RFC 3339 */
instant when(const char *text);

/* Time.  Each moment is turned until nothing is left to do. */
void run_to(const char *text); /* turning whenever the engine asked for it */
void run_until(instant t);
void down_to(const char *text); /* nobody turned in between */
void settle(void);
enum rc turn_try(struct bench *bench, struct err *reterr); /* one turn, whatever comes */
void turn(struct bench *bench);                            /* until it succeeds */

/* What came of it. */
void assert_told(const char *expected); /* starts and stops since the last time     */
int told_count(void);                   /* and how many there were; forgets them   */
void assert_counts(const char *name, const char *expected);  /* "started 2, open 1" */
void assert_ledger(const char *name, const char *expected);  /* "skipped(overlap) 00:10" */
void assert_history(const char *name, const char *expected); /* "00:05 succeeded"   */
struct cursor cursor_of(const char *name);
struct schedule_row row_of(const char *name);
int run_rows(const char *name); /* open runs in the store, of all states */
#define assert_at(got, text) assert_moment(got, text, __FILE__, __LINE__)
void assert_moment(instant got, const char *expected, const char *file, int line);

#include "harness_say.h"
