/* SPDX-License-Identifier: Apache-2.0 */
#include "io/process/exec_output.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/must.h"

/* As far as the allowance goes. */
static void hand_on(struct exec_output *tap, struct str text, bool ends_line)
{
    struct exec_meter *meter = tap->meter;
    int64_t size = (int64_t)text.len + (ends_line ? 1 : 0);
    int64_t over = size - meter->left;

    if (over > 0) {
        text.len = (size_t)
                       meter->left; /* less than size, so at most the text without its end */
        meter->dropped += over;
        meter->left = 0;
        ends_line = false;
    } else {
        meter->left -= size;
    }
    if (text.len > 0 || ends_line)
        tap->on_output(tap->arg, tap->stream, text, ends_line);
}

/* `got` bytes were added to the line held so far. */
static void cut_lines(struct exec_output *tap, size_t got)
{
    size_t begin = 0, end = tap->held + got;
    const char *found;

    for (size_t look = tap->held; (found = memchr(tap->line + look, '\n', end - look)) != NULL;
         look = begin) {
        size_t at = (size_t)(found - tap->line);

        hand_on(tap, (struct str){tap->line + begin, at - begin}, true);
        begin = at + 1;
    }
    tap->held = end - begin;
    if (tap->held == sizeof tap->line) {
        hand_on(tap, (struct str){tap->line, tap->held}, false);
        tap->held = 0;
    } else {
        memmove(tap->line, tap->line + begin, tap->held);
    }
}

/* Takes a portion out of the pipe: its bytes, 0 at its end, -1 when there are none now. */
static ssize_t take(struct exec_output *tap)
{
    ssize_t got;

    if (tap->meter->left == 0 && tap->held == 0) {
        got = splice(tap->fd, NULL, tap->meter->sink, NULL, EXEC_SKIP_PER_EVENT,
                     SPLICE_F_NONBLOCK);
        tap->meter->dropped += got > 0 ? got : 0;
    } else {
        got = read(tap->fd, tap->line + tap->held, sizeof tap->line - tap->held);
        if (got > 0)
            cut_lines(tap, (size_t)got);
    }
    must(got >= 0 || errno == EAGAIN || errno == EINTR);
    tap->meter->seen += got > 0 ? got : 0;
    return got;
}

static void close_tap(struct exec_output *tap)
{
    /* The handle first: closed later, it could hit whoever has the same number by then. */
    tap->poll.data = tap->owner;
    uv_close((uv_handle_t *)&tap->poll, tap->on_closed);
    close(tap->fd);
    tap->fd = -1;
    hand_on(tap, (struct str){tap->line, tap->held}, false);
    tap->held = 0;
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    struct exec_output *tap = poll->data;
    ssize_t got = 1;

    (void)status;
    (void)events;
    for (int i = 0; i < EXEC_READS_PER_EVENT && got > 0; i++)
        got = take(tap);
    if (got == 0)
        close_tap(tap);
}

void exec_output_open(struct exec_output *tap, uv_loop_t *loop)
{
    must(uv_poll_init(loop, &tap->poll, tap->fd) == 0);
    tap->poll.data = tap;
    must(uv_poll_start(&tap->poll, UV_READABLE, on_readable) == 0);
}

void exec_output_finish(struct exec_output *tap)
{
    ssize_t got = 1;

    if (tap->fd < 0)
        return;
    for (int64_t taken = 0; taken < EXEC_DRAIN_MAX && got > 0; taken += got)
        got = take(tap);
    close_tap(tap);
}
