/* SPDX-License-Identifier: Apache-2.0 */
/* Runs programs in a fixture to their end, and records their output. */
#pragma once

#include "exec_fixture.h"
#include "io/process/supervisor.h"

enum { TEXT_BYTES = 32 * 1024 };

/* A program, and all its output. */
struct subject {
    struct exec_run *run;
    bool is_over;
    const char *stops_at;    /* exec_stop() at a line that contains this */
    char text[TEXT_BYTES];   /* standard output: lines end in \n, pieces in \\ */
    char errors[TEXT_BYTES]; /* standard error, likewise */
    struct buf out[EXEC_STREAMS];
    struct exec_end end;
};

static inline void subject_on_output(void *arg, enum exec_stream stream, struct str text,
                                     bool ends_line)
{
    struct subject *subject = arg;

    assert_false(subject->is_over);
    assert_true(text.len <= EXEC_LINE_MAX);
    buf_str(&subject->out[stream], text);
    buf_char(&subject->out[stream], ends_line ? '\n' : '\\');
    if (subject->stops_at &&
        memmem(text.ptr, text.len, subject->stops_at, strlen(subject->stops_at)))
        exec_stop(subject->run);
}

static inline void subject_on_end(void *arg, const struct exec_end *end)
{
    struct subject *subject = arg;

    assert_false(subject->is_over);
    subject->is_over = true;
    subject->end = *end;
}

static const struct exec_calls subject_calls = {subject_on_output, subject_on_end};

static inline enum rc subject_start(struct fixture *fixture, struct subject *subject,
                                    const struct exec_request *request, struct err *reterr)
{
    subject->out[EXEC_STDOUT] = BUF(subject->text);
    subject->out[EXEC_STDERR] = BUF(subject->errors);
    return exec_start(fixture->pool, request, &subject_calls, subject, &subject->run, reterr);
}

/* Runs a request to its end. */
static inline struct exec_end subject_run(struct fixture *fixture, struct subject *subject,
                                          const struct exec_request *request)
{
    struct err err;

    assert_int_equal(subject_start(fixture, subject, request, &err), RC_OK);
    while (!subject->is_over)
        uv_run(&fixture->loop, UV_RUN_ONCE);
    return subject->end;
}

/* Words for argv, and a request for them with typical values. */
static inline struct exec_request request_of(struct str *words, int count)
{
    return (struct exec_request){
        .argv = words,
        .argc = count,
        .kill_after = 60 * SPAN_S, /* longer than a test may take: it must not be needed */
        .output_max = 10000,
    };
}

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define REQUEST(...) \
    request_of((struct str[]){__VA_ARGS__}, COUNT(((struct str[]){__VA_ARGS__})))
#define SH(script) REQUEST(STR("/bin/sh"), STR("-c"), STR(script))

static inline void assert_is_gone(int pid)
{
    assert_true(pid > 1);
    assert_int_equal(kill(pid, 0), -1);
    assert_int_equal(errno, ESRCH);
}
