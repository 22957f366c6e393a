/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop and a pool for one test.
 *
 * world_open() and world_close() are cmocka's setup and teardown: after the test the process
 * must have the same descriptors as before, and no child, dead or alive.
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

enum { WORLD_RUNS = 64, FDS_BYTES = 4096 };

struct world {
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

static inline int world_open(void **state)
{
    struct world *world = calloc(1, sizeof *world);
    struct err err;
    uv_loop_t first;

    assert_non_null(world);
    /* The first loop of a process opens descriptors that stay. */
    assert_int_equal(uv_loop_init(&first), 0);
    assert_int_equal(uv_loop_close(&first), 0);
    list_fds(world->fds, sizeof world->fds);
    assert_int_equal(uv_loop_init(&world->loop), 0);
    assert_int_equal(exec_pool_open(&world->loop, WORLD_RUNS, &world->pool, &err), RC_OK);
    *state = world;
    return 0;
}

static inline void world_on_closed(void *arg)
{
    ((struct world *)arg)->is_closed = true;
}

static inline int world_close(void **state)
{
    struct world *world = *state;
    char fds[FDS_BYTES];

    exec_pool_close(world->pool, world_on_closed, world);
    assert_int_equal(uv_run(&world->loop, UV_RUN_DEFAULT), 0);
    assert_true(world->is_closed);
    assert_int_equal(uv_loop_close(&world->loop), 0);
    list_fds(fds, sizeof fds);
    assert_string_equal(fds, world->fds);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    free(world);
    return 0;
}
