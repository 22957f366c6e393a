/* SPDX-License-Identifier: Apache-2.0 */
/* The victims: servers that are started, watched and killed, only by their process ids. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/prng.h"

struct prey {
    const char *program; /* belfry-victim */
    const char *dir;     /* of the world: database, log */
    const char *url;     /* of the database */
    uint16_t port;
    int hold;  /* keeps the port while the victim is dead */
    pid_t pid; /* 0: not running */
};

/*
 * Finds a free port below those that the kernel gives to clients: a client port could connect
 * to itself at the port of a dead server.  Held until prey_let_go().
 */
void prey_take_port(struct prey *prey, struct prng *prng);
void prey_let_go(struct prey *prey);

/* `doom` as in BELFRY_VICTIM; NULL: it lives until it is killed. */
void prey_start(struct prey *prey, const char *doom);

/* Waits until /readyz returns 200; false if it died before or the time is over. */
bool prey_await_ready(struct prey *prey, int ms);

/* Waits until it is dead; false if the time is over.  The wait status is in *ret. */
bool prey_await_end(struct prey *prey, int ms, int *ret);

/* Kills it immediately. */
void prey_kill(struct prey *prey);
