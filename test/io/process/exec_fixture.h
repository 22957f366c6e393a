/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop and a pool for one test.
 *
 * fixture_open() and fixture_close() are cmocka's setup and teardown: after the test the
 * process must have the same descriptors as before, and no child, dead or alive.
 */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "io/process/exec.h"

enum { FIXTURE_RUNS = 64, FDS_BYTES = 4096 };

struct fixture {
    uv_loop_t loop;
    struct exec_pool *pool;
    bool is_closed;
    char fds[FDS_BYTES]; /* those open at the start */
};

static inline int compare_numbers(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* The open descriptors, in order, except the one used to list them. */
static inline void list_fds(char *text, size_t room)
{
    struct buf buf = {.ptr = text, .cap = room};
    DIR *dir = opendir("/proc/self/fd");
    const struct dirent *entry;
    int fds[FDS_BYTES / 8], count = 0;

    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL && count < FDS_BYTES / 8)
        if (entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(dir))
            fds[count++] = atoi(entry->d_name);
    closedir(dir);
    qsort(fds, (size_t)count, sizeof fds[0], compare_numbers);
    for (int i = 0; i < count; i++)
        buf_printf(&buf, "%d ", fds[i]);
    assert_false(buf.cut);
}

static inline int fixture_open(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct err err;
    uv_loop_t first;

    assert_non_null(fixture);
    /* The first loop of a process opens descriptors that stay. */
    assert_int_equal(uv_loop_init(&first), 0);
    assert_int_equal(uv_loop_close(&first), 0);
    list_fds(fixture->fds, sizeof fixture->fds);
    assert_int_equal(uv_loop_init(&fixture->loop), 0);
    assert_int_equal(exec_pool_open(&fixture->loop, FIXTURE_RUNS, &fixture->pool, &err), RC_OK);
    *state = fixture;
    return 0;
}

static inline void fixture_on_closed(void *arg)
{
    ((struct fixture *)arg)->is_closed = true;
}

static inline int fixture_close(void **state)
{
    struct fixture *fixture = *state;
    char fds[FDS_BYTES];

    exec_pool_close(fixture->pool, fixture_on_closed, fixture);
    assert_int_equal(uv_run(&fixture->loop, UV_RUN_DEFAULT), 0);
    assert_true(fixture->is_closed);
    assert_int_equal(uv_loop_close(&fixture->loop), 0);
    list_fds(fds, sizeof fds);
    assert_string_equal(fds, fixture->fds);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    free(fixture);
    return 0;
}
