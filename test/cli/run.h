/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the program that the environment variable BELFRY names, as a user does.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    RUN_WORDS_MAX = 24,
    RUN_TEXT_MAX = 1 << 18, /* bytes kept of each output */
    RUN_SECONDS_MAX = 120,  /* timeout of the test */
};

struct run {
    int status; /* exit status; -1 when a signal ended it */
    char out[RUN_TEXT_MAX], err[RUN_TEXT_MAX];
};

/* An unnamed file with `text`, positioned at its start. */
static inline int run_file(const char *text, size_t len)
{
    char path[] = "/tmp/belfry-test-XXXXXX";
    int fd = mkstemp(path);

    if (fd < 0)
        abort();
    unlink(path);
    for (size_t done = 0; done < len;) {
        ssize_t n = write(fd, text + done, len - done);

        if (n < 0)
            abort();
        done += (size_t)n;
    }
    lseek(fd, 0, SEEK_SET);
    return fd;
}

/* Reads the file into `text`, and closes it. */
static inline void run_read(int fd, char *text)
{
    ssize_t n;

    lseek(fd, 0, SEEK_SET);
    n = read(fd, text, RUN_TEXT_MAX - 1);
    text[n > 0 ? n : 0] = '\0';
    close(fd);
}

/* Starts the program with the words up to NULL and the three descriptors. */
static inline pid_t run_start(const char *const *words, int in, int out, int err)
{
    const char *program = getenv("BELFRY");
    char *argv[RUN_WORDS_MAX + 2] = {(char *)(uintptr_t)program};
    pid_t pid;

    if (!program)
        abort();
    for (int i = 0; words[i]; i++) {
        if (i == RUN_WORDS_MAX)
            abort();
        argv[i + 1] = (char *)(uintptr_t)words[i];
    }
    alarm(RUN_SECONDS_MAX);
    pid = fork();
    if (pid == 0) {
        /* The alarm survives exec, so that a hanging program does not outlive the test. */
        alarm(RUN_SECONDS_MAX - 5);
        dup2(in, STDIN_FILENO);
        dup2(out, STDOUT_FILENO);
        dup2(err, STDERR_FILENO);
        execv(program, argv);
        _exit(127);
    }
    return pid;
}

static inline int run_wait(pid_t pid)
{
    int status = 0;

    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Runs the program with the words up to NULL and `input` as standard input. */
static inline const struct run *run_words(const char *input, size_t len,
                                          const char *const *words)
{
    static struct run run;
    int in = run_file(input, len), out = run_file("", 0), err = run_file("", 0);

    run.status = run_wait(run_start(words, in, out, err));
    run_read(out, run.out);
    run_read(err, run.err);
    close(in);
    return &run;
}

#define RUN(...) run_words("", 0, (const char *const[]){__VA_ARGS__, NULL})
#define RUN_WITH(input, ...) \
    run_words(input, strlen(input), (const char *const[]){__VA_ARGS__, NULL})
