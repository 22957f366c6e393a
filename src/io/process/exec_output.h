/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One output stream of a program: a pipe read by the loop and cut into lines.
 *
 * For io/process/exec.c alone.  What is above the run's allowance is taken out of the pipe
 * unread, so that a program never waits for us, and costs next to nothing.
 */
#pragma once

#include "io/process/exec.h"

/* Of both streams of a run together. */
struct exec_meter {
    int64_t left; /* bytes that may still be handed on */
    int64_t seen, dropped;
    int sink; /* /dev/null, open for writing */
};

struct exec_output {
    uv_poll_t poll; /* data: the tap */
    int fd;         /* -1 when the stream has ended */
    enum exec_stream stream;
    struct exec_meter *meter;
    void (*on_output)(void *arg, enum exec_stream stream, struct str text, bool ends_line);
    void *arg;
    void *owner; /* data of the handle when on_closed is called, at the stream's end */
    uv_close_cb on_closed;
    size_t held; /* bytes of a line whose end has not come yet */
    char line[EXEC_LINE_MAX];
};

/* Begins to read fd, which is the tap's from now on and does not block. */
void exec_output_open(struct exec_output *tap, uv_loop_t *loop);

/*
 * When all writers are dead: takes what is left in the pipe, hands on the line that was not
 * ended and closes.  A stranger who was given the pipe and writes on is not waited for.
 */
void exec_output_finish(struct exec_output *tap);
