/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The PostgreSQL that with_postgres.sh started, stopped, frozen and started again.
 *
 * One that was started here ends with server_free(), or with the test program.
 */
#pragma once

#include "world.h"

struct server {
    pid_t pid;
    bool is_ours; /* started here */
    char dir[WORLD_PATH_MAX], program[WORLD_PATH_MAX];
    char args[4096]; /* each terminated */
    size_t args_len;
};

/* The one that the world's database is on. */
void server_find(const struct world *world, struct server *ret);

/* As the operator does: connections are closed at once. */
void server_stop(struct server *server);
/* The same command line again; returns when it lets people in. */
void server_start(const struct world *world, struct server *server);

/* SIGSTOP and SIGCONT to it and to all of its processes. */
void server_freeze(const struct server *server);
void server_thaw(const struct server *server);

void server_free(struct server *server);
