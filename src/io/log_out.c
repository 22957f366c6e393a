/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers log lines and writes them without blocking.
 */
#include "io/log_out.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"

enum {
    PIECE_MAX = 64 * 1024, /* one write */
    PIECES_MAX = 16, /* writes per call, so that no caller writes the lines of all others */
};

struct log_out {
    int fd;
    bool is_socket;
    size_t piece_max;     /* PIPE_BUF for a pipe, so that lines of several writers do not mix */
    pthread_mutex_t lock; /* of all members below; held for a copy, never for a write */
    bool is_writing;      /* by one thread at a time, from `piece` */
    size_t from, to;      /* the buffered bytes */
    char bytes[LOG_OUT_BYTES];
    char piece[PIECE_MAX];
};

static_assert(LOG_LINE_MAX <= PIPE_BUF, "a line is written to a pipe whole");

/*
 * O_NONBLOCK belongs to the open file description, which a shell may share, so pipes and
 * terminals are opened again.  Files never block; opened again they would have a separate
 * offset.
 */
static int open_descriptor(int fd, mode_t mode)
{
    char path[40];
    int opened = -1;

    if (S_ISFIFO(mode) || S_ISCHR(mode)) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        opened = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    }
    /* If it belongs to another user, only poll() before each write prevents blocking. */
    return opened >= 0 ? opened : fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

enum rc log_out_open(int fd, struct log_out **ret, struct err *reterr)
{
    struct stat st;
    struct log_out *out;
    int opened = -1;

    if (fstat(fd, &st) == 0)
        opened = open_descriptor(fd, st.st_mode);
    if (opened < 0)
        return err_set(reterr, RC_LOST, -1, 0, "cannot write the log to descriptor %d: %s", fd,
                       strerror(errno));
    out = malloc(sizeof *out);
    must(out);
    out->fd = opened;
    out->is_socket = S_ISSOCK(st.st_mode);
    out->piece_max = S_ISREG(st.st_mode) || out->is_socket ? PIECE_MAX : PIPE_BUF;
    out->is_writing = false;
    out->from = out->to = 0;
    must(pthread_mutex_init(&out->lock, NULL) == 0);
    *ret = out;
    return RC_OK;
}

/* Bytes that the descriptor accepted immediately; 0 if it accepts none now, for any reason. */
static size_t write_some(const struct log_out *out, const char *bytes, size_t len)
{
    struct pollfd ready = {.fd = out->fd, .events = POLLOUT};
    ssize_t n;

    if (poll(&ready, 1, 0) <= 0 || !(ready.revents & POLLOUT))
        return 0;
    if (out->is_socket)
        n = send(out->fd, bytes, len, MSG_DONTWAIT | MSG_NOSIGNAL);
    else
        n = write(out->fd, bytes, len);
    return n > 0 ? (size_t)n : 0;
}

/* As many whole lines as fit into one write; the rest of a partly written line comes first. */
static size_t copy_piece(struct log_out *out)
{
    const char *bytes = out->bytes + out->from;
    size_t len = out->to - out->from;

    if (len > out->piece_max) {
        const char *end = memrchr(bytes, '\n', out->piece_max);

        must(end);
        len = (size_t)(end - bytes) + 1;
    }
    memcpy(out->piece, bytes, len);
    return len;
}

/* Called with the lock held; releases it during a write. */
static void pump(struct log_out *out)
{
    if (out->is_writing)
        return;
    out->is_writing = true;
    for (int i = 0; i < PIECES_MAX && out->from < out->to; i++) {
        size_t len = copy_piece(out), n;

        must(pthread_mutex_unlock(&out->lock) == 0);
        n = write_some(out, out->piece, len);
        must(pthread_mutex_lock(&out->lock) == 0);
        out->from += n;
        if (n == 0)
            break;
    }
    out->is_writing = false;
}

static bool make_room(struct log_out *out, size_t len)
{
    if (LOG_OUT_BYTES - out->to >= len)
        return true;
    if (LOG_OUT_BYTES - (out->to - out->from) < len)
        return false;
    memmove(out->bytes, out->bytes + out->from, out->to - out->from);
    out->to -= out->from;
    out->from = 0;
    return true;
}

static bool append_line(void *arg, struct str line)
{
    struct log_out *out = arg;
    bool has_room;

    must(line.len <= LOG_LINE_MAX);
    must(pthread_mutex_lock(&out->lock) == 0);
    has_room = make_room(out, line.len);
    if (has_room) {
        memcpy(out->bytes + out->to, line.ptr, line.len);
        out->to += line.len;
    }
    pump(out);
    must(pthread_mutex_unlock(&out->lock) == 0);
    return has_room;
}

struct log_sink log_out_sink(struct log_out *out)
{
    return (struct log_sink){append_line, out};
}

bool log_out_pump(struct log_out *out)
{
    bool waits;

    must(pthread_mutex_lock(&out->lock) == 0);
    pump(out);
    waits = out->from < out->to;
    must(pthread_mutex_unlock(&out->lock) == 0);
    return waits;
}

struct log_out *log_out_close(struct log_out *out)
{
    if (!out)
        return NULL;
    (void)log_out_pump(out);
    close(out->fd);
    must(pthread_mutex_destroy(&out->lock) == 0);
    free(out);
    return NULL;
}
