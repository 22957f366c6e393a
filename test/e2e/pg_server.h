/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The PostgreSQL that with_postgres.sh started, stopped, frozen and started again.
 *
 * One that was started here ends with pg_server_free(), or with the test program.
 */
#pragma once

#include "world.h"

struct pg_server {
    pid_t pid;
    bool is_ours; /* started here */
    char dir[WORLD_PATH_MAX], program[WORLD_PATH_MAX];
    char args[4096]; /* each terminated */
    size_t args_len;
};

/* The one that the world's database is on. */
void pg_server_find(const struct world *world, struct pg_server *ret);

/* As the operator does: connections are closed at once. */
void pg_server_stop(struct pg_server *pg_server);
/* The same command line again; returns when it lets people in. */
void pg_server_start(const struct world *world, struct pg_server *pg_server);

/* SIGSTOP and SIGCONT to it and to all of its processes. */
void pg_server_freeze(const struct pg_server *pg_server);
void pg_server_thaw(const struct pg_server *pg_server);

void pg_server_free(struct pg_server *pg_server);
