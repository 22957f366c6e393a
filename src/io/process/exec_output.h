/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One output stream of a program: a pipe read by the loop and split into lines.  For
 * io/process/exec.c only.
 *
 * Output above the run's limit is removed from the pipe unread, so that a program never waits
 * for the server, at almost no cost.
 */
#pragma once

#include "io/process/exec.h"

/* Of both streams of a run together. */
struct exec_meter {
    int64_t left; /* bytes that may still be passed on */
    int64_t seen, dropped;
    int sink; /* /dev/null, open for writing */
};

struct exec_output {
    uv_poll_t poll; /* data: this struct */
    int fd;         /* -1 when the stream has ended */
    enum exec_stream stream;
    struct exec_meter *meter;
    void (*on_output)(void *arg, enum exec_stream stream, struct str text, bool ends_line);
    void *arg;
    void *owner; /* data of the handle when on_closed is called, at the stream's end */
    uv_close_cb on_closed;
    size_t held; /* bytes of an unfinished line */
    char line[EXEC_LINE_MAX];
};

/* Begins to read fd, which this struct owns from now on and which does not block. */
void exec_output_open(struct exec_output *output, uv_loop_t *loop);

/*
 * After the end of the program: reads the rest of the pipe, passes on the unfinished line and
 * closes.  Does not wait if some other process still has the pipe open and writes.
 */
void exec_output_finish(struct exec_output *output);
