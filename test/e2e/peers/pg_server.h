/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stops, freezes and restarts the PostgreSQL server that with_postgres.sh started.
 *
 * A server that was restarted here ends with pg_server_free(), or with the test program.
 */
#pragma once

#include "world.h"

struct pg_server {
    pid_t pid;
    bool is_ours; /* restarted here */
    char dir[WORLD_PATH_MAX], program[WORLD_PATH_MAX];
    char args[4096]; /* each zero-terminated */
    size_t args_len;
};

/* Finds the server of the world's database. */
void pg_server_find(const struct world *world, struct pg_server *ret);

/* Stops it with a fast shutdown, which closes all connections. */
void pg_server_stop(struct pg_server *pg_server);
/* Starts it with the same command line; returns when it accepts connections. */
void pg_server_start(const struct world *world, struct pg_server *pg_server);

/* Send SIGSTOP and SIGCONT to it and to all of its processes. */
void pg_server_freeze(const struct pg_server *pg_server);
void pg_server_thaw(const struct pg_server *pg_server);

void pg_server_free(struct pg_server *pg_server);
