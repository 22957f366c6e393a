/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A queue server by script: few runs, every order and report written down.
 *
 * It speaks the worker calls of the native API over a real listener, on the test's own
 * thread.  Workers are real processes.  fake_await() runs the loop until something is so;
 * what never comes ends by the alarm that run_start() sets.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "io/loop.h"
#include "io/net/listener.h"
#include "run.h"
#include "wire/json/json.h"

enum {
    FAKE_RUNS_MAX = 256,
    FAKE_POLLS_MAX = 8,
    FAKE_WORKERS_MAX = 32,
    FAKE_LOG_MAX = 2 << 20,
    FAKE_PART_MAX = 256 << 10, /* of a log in one report, with */
    FAKE_LINE_HEAD = 13,       /* so much for each line        */
    FAKE_TEXT_MAX = 512,
};

enum fake_state { FAKE_READY, FAKE_LEASED, FAKE_ENDED };

struct fake_run {
    char id[32];
    enum fake_state state;
    int64_t fence;
    bool is_cancelled;
    int beats, grants;
    char how[16]; /* complete, fail, release */
    json_t *item; /* the report that was taken */
    char *log;    /* lines, each with its end */
    size_t log_len;
};

struct fake_worker {
    pid_t pid;
    int err;    /* a file */
    int status; /* of exit; -2: it has not ended */
};

struct fake {
    struct loop *loop;
    struct listener *listener;
    uint16_t port;
    span lease;
    struct fake_run runs[FAKE_RUNS_MAX];
    int run_count;
    struct exchange *polls[FAKE_POLLS_MAX];
    int poll_count;
    struct fake_worker workers[FAKE_WORKERS_MAX];
    int worker_count;

    int unavailable;     /* so many reports are answered 503, and not taken  */
    bool loses_answer;   /* the next report is taken, its answer is not sent */
    bool is_mute;        /* reports are not taken, and never answered        */
    int unanswered;      /* of them                                         */
    bool refuses_all;    /* requests with more than one item get 400          */
    const char *token;   /* who shows another, or none, gets 401            */
    const char *refuses; /* this kind of report is refused, item by item    */
    int denied_claims;
    int stale, beats, claims, max_asked, requests, refused;
    int sent_batch; /* most items of one request of reports */
    char last_claim[FAKE_TEXT_MAX];

    int err;       /* where the next worker writes its errors; 0: to a file */
    char dir[64];  /* of the test's own */
    char gate[96]; /* a fifo in it: who reads it waits for fake_open_gate() */
    char text[FAKE_TEXT_MAX];
    bool (*condition)(const struct fake *fake);
    bool is_closed;
};

/* cmocka's set-up and tear-down; the latter ends workers that are left. */
int fake_setup(void **state);
int fake_teardown(void **state);

/* Nobody listens any more, and every connection is cut; then again, at the same port. */
void fake_go_away(struct fake *fake);
void fake_come_back(struct fake *fake);

/* A run that is ready; polls that wait get it. */
struct fake_run *fake_add(struct fake *fake);

/* Somebody else's turn: the fence grows, the run is ready again. */
void fake_take_over(struct fake *fake, struct fake_run *run);

/* A worker with these words behind --server and --queue q, up to NULL. */
struct fake_worker *fake_start(struct fake *fake, const char *const *words);

/* Runs the loop until it is so. */
void fake_await(struct fake *fake, bool (*condition)(const struct fake *fake));

/* Waits for the end of the worker started last; its exit status. */
int fake_await_exit(struct fake *fake);

/* One program that waits at the gate goes on. */
void fake_open_gate(struct fake *fake);

/* What the worker wrote to standard error; good until the next call. */
const char *fake_errors(const struct fake_worker *worker);

#define WORKER(fake, ...) fake_start(fake, (const char *const[]){__VA_ARGS__, NULL})
