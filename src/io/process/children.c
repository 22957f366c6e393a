/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the list of children from /proc.
 */
#include "io/process/children.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "base/must.h"
#include "base/str.h"

enum {
    PIECE_BYTES = 4096,
    PATH_BYTES = 64,
    PID_LIMIT = 1 << 22, /* the kernel's PID_MAX_LIMIT */
};

struct reading {
    int64_t pid; /* the number that is being read, 0 between two */
    void (*fn)(pid_t child, void *arg);
    void *arg;
};

/* Numbers followed by a blank each; the end of a piece may cut one. */
static void read_piece(struct reading *reading, const char *piece, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (char_is_digit(piece[i])) {
            reading->pid = reading->pid * 10 + (piece[i] - '0');
            must(reading->pid <= PID_LIMIT);
        } else if (reading->pid > 0) {
            reading->fn((pid_t)reading->pid, reading->arg);
            reading->pid = 0;
        }
    }
}

/* One thread's list.  A thread that has ended has none. */
static bool read_thread(const char *tid, struct reading *reading)
{
    char path[PATH_BYTES], piece[PIECE_BYTES];
    ssize_t got;
    int fd, failure;

    snprintf(path, sizeof path, "/proc/self/task/%.20s/children", tid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    while ((got = read(fd, piece, sizeof piece)) > 0)
        read_piece(reading, piece, (size_t)got);
    failure = errno;
    close(fd);
    errno = failure;
    return got == 0;
}

bool children_each(void (*fn)(pid_t child, void *arg), void *arg)
{
    struct reading reading = {.fn = fn, .arg = arg};
    DIR *tasks = opendir("/proc/self/task");
    const struct dirent *task;
    int lists = 0, failure;

    if (!tasks)
        return false;
    while ((task = readdir(tasks)) != NULL)
        if (char_is_digit(task->d_name[0]) && read_thread(task->d_name, &reading))
            lists++;
    failure = errno;
    closedir(tasks);
    errno = failure;
    return lists > 0;
}

void children_kill(pid_t child)
{
    pid_t group = getpgid(child);

    if (group > 0 && group != getpgrp())
        (void)kill(-group, SIGKILL);
    (void)kill(child, SIGKILL);
}
