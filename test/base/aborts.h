/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests that a call aborts.  A broken invariant ends the process, so the call is made in a
 * child process.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* True if act(arg) ends in abort(); the child prints nothing and leaves no core file. */
static inline bool aborts(void (*act)(void *arg), void *arg)
{
    const struct rlimit none = {0, 0};
    int status = 0;
    pid_t child;

    fflush(NULL);
    child = fork();
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        if (setrlimit(RLIMIT_CORE, &none) != 0 || !freopen("/dev/null", "w", stderr))
            _exit(2);
        act(arg);
        _exit(0);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
           WTERMSIG(status) == SIGABRT;
}
