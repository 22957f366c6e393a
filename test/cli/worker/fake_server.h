/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fake queue server that a test controls: a few runs, and a record of all reports.
 *
 * It serves the worker calls of the native API over a real listener, on the test's own thread.
 * Workers are real processes.  fake_await() runs the loop until a condition holds; the alarm
 * that run_start() sets ends a test that waits in vain.
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
    FAKE_PART_MAX = 256 << 10, /* bytes of log in one report, with FAKE_LINE_HEAD per line */
    FAKE_LINE_HEAD = 13,
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
    json_t *item; /* the accepted report */
    char *log;    /* lines, each with its line break */
    size_t log_len;
};

struct fake_worker {
    pid_t pid;
    int err;    /* a file */
    int status; /* exit status; -2: it has not ended */
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

    int unavailable;      /* answer this many reports with 503                    */
    bool loses_answer;    /* accept the next report, but do not send the answer   */
    bool is_mute;         /* ignore reports without an answer                     */
    int unanswered;       /* number of ignored reports                            */
    bool refuses_batches; /* answer requests with more than one item with 400     */
    const char *token;    /* answer requests with another or no token with 401    */
    const char *refuses;  /* refuse each item of this kind of report              */
    int denied_claims, denied_reports;
    int stale, max_asked, requests, refused;
    int max_leased; /* maximum number of leased runs at once */
    char last_claim[FAKE_TEXT_MAX];

    int err;       /* standard error of the next worker; 0: a file */
    char dir[64];  /* directory of the test */
    char gate[96]; /* a fifo in it: a program that reads it waits for fake_open_gate() */
    bool (*condition)(const struct fake *fake);
    bool is_closed;
};

/* cmocka's setup and teardown; the latter kills remaining workers. */
int fake_setup(void **state);
int fake_teardown(void **state);

/* Closes the listener and every connection; then opens it again on the same port. */
void fake_close(struct fake *fake);
void fake_listen(struct fake *fake);

/* Adds a ready run; a waiting poll gets it. */
struct fake_run *fake_add(struct fake *fake);

/* Takes the run away: increments the fence and makes the run ready again. */
void fake_take_over(struct fake *fake, struct fake_run *run);

/* Starts a worker with --server, --queue q and these words, up to NULL. */
struct fake_worker *fake_start(struct fake *fake, const char *const *words);

/* Runs the loop until the condition holds. */
void fake_await(struct fake *fake, bool (*condition)(const struct fake *fake));

/* Waits until the last started worker ends; returns its exit status. */
int fake_await_exit(struct fake *fake);

/* Lets one program that waits at the gate continue. */
void fake_open_gate(struct fake *fake);

/* The worker's standard error; valid until the next call. */
const char *fake_errors(const struct fake_worker *worker);

#define WORKER(fake, ...) fake_start(fake, (const char *const[]){__VA_ARGS__, NULL})
