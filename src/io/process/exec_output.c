/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a program's output and splits it into lines.
 */
#include "io/process/exec_output.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/must.h"

/* Passes on as much as the limit allows. */
static void pass_on(struct exec_output *output, struct str text, bool ends_line)
{
    struct exec_meter *meter = output->meter;
    int64_t size = (int64_t)text.len + (ends_line ? 1 : 0);
    int64_t over = size - meter->left;

    if (over > 0) {
        /* left < size, so this is at most the text, without its line end. */
        text.len = (size_t)meter->left;
        meter->dropped += over;
        meter->left = 0;
        ends_line = false;
    } else {
        meter->left -= size;
    }
    if (text.len > 0 || ends_line)
        output->on_output(output->arg, output->stream, text, ends_line);
}

/* `got` bytes were added to the unfinished line. */
static void cut_lines(struct exec_output *output, size_t got)
{
    size_t begin = 0, end = output->held + got;
    const char *found;

    for (size_t from = output->held;
         (found = memchr(output->line + from, '\n', end - from)) != NULL; from = begin) {
        size_t at = (size_t)(found - output->line);

        pass_on(output, (struct str){output->line + begin, at - begin}, true);
        begin = at + 1;
    }
    output->held = end - begin;
    if (output->held == sizeof output->line) {
        pass_on(output, (struct str){output->line, output->held}, false);
        output->held = 0;
    } else {
        memmove(output->line, output->line + begin, output->held);
    }
}

/* Reads a batch from the pipe: its bytes, 0 at its end, -1 if there are none now. */
static ssize_t read_batch(struct exec_output *output)
{
    ssize_t got;

    if (output->meter->left == 0 && output->held == 0) {
        got = splice(output->fd, NULL, output->meter->sink, NULL, EXEC_SKIP_PER_EVENT,
                     SPLICE_F_NONBLOCK);
        output->meter->dropped += got > 0 ? got : 0;
    } else {
        got = read(output->fd, output->line + output->held, sizeof output->line - output->held);
        if (got > 0)
            cut_lines(output, (size_t)got);
    }
    must(got >= 0 || errno == EAGAIN || errno == EINTR);
    output->meter->seen += got > 0 ? got : 0;
    return got;
}

static void close_output(struct exec_output *output)
{
    /* Closes the handle first: later, another file could have the same number. */
    output->poll.data = output->owner;
    uv_close((uv_handle_t *)&output->poll, output->on_closed);
    close(output->fd);
    output->fd = -1;
    pass_on(output, (struct str){output->line, output->held}, false);
    output->held = 0;
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    struct exec_output *output = poll->data;
    ssize_t got = 1;

    (void)status;
    (void)events;
    for (int i = 0; i < EXEC_READS_PER_EVENT && got > 0; i++)
        got = read_batch(output);
    if (got == 0)
        close_output(output);
}

void exec_output_open(struct exec_output *output, uv_loop_t *loop)
{
    must(uv_poll_init(loop, &output->poll, output->fd) == 0);
    output->poll.data = output;
    must(uv_poll_start(&output->poll, UV_READABLE, on_readable) == 0);
}

void exec_output_finish(struct exec_output *output)
{
    ssize_t got = 1;

    if (output->fd < 0)
        return;
    for (int64_t taken = 0; taken < EXEC_DRAIN_MAX && got > 0; taken += got)
        got = read_batch(output);
    close_output(output);
}
