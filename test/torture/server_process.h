/* SPDX-License-Identifier: Apache-2.0 */
/* Server processes (belfry-victim) that are started, watched and killed by their ids. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/prng.h"

struct server_process {
    const char *program; /* belfry-victim */
    const char *dir;     /* of the world: database, log */
    const char *url;     /* of the database */
    uint16_t port;
    int hold;  /* a socket that keeps the port while the server is dead */
    pid_t pid; /* 0: not running */
};

/*
 * Takes a free port below the range of client ports: a client whose own port is that of a dead
 * server would connect to itself.  Holds it until server_process_release_port().
 */
void server_process_take_port(struct server_process *server, struct prng *prng);
void server_process_release_port(struct server_process *server);

/* `kill_point` as in BELFRY_VICTIM; NULL: it runs until it is killed. */
void server_process_start(struct server_process *server, const char *kill_point);

/* Waits until /readyz returns 200; false if it died before or the time is over. */
bool server_process_await_ready(struct server_process *server, int ms);

/* Waits until it is dead; false if the time is over.  The wait status is in *ret. */
bool server_process_await_end(struct server_process *server, int ms, int *ret);

/* Kills it immediately. */
void server_process_kill(struct server_process *server);
