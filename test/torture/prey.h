/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The victims: daemons that are started, watched and killed, by their process ids alone.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/prng.h"

struct prey {
    const char *program; /* belfry-victim                               */
    const char *dir;     /* of the world: database, log                 */
    const char *url;     /* of the database                             */
    uint16_t port;
    int hold;  /* keeps the port while the victim is dead               */
    pid_t pid; /* 0: it does not run                                    */
};

/*
 * Finds a port that nobody has, below those that the kernel gives to clients: one of these
 * could meet itself at the port of a daemon that is dead.  Held until prey_let_go().
 */
void prey_take_port(struct prey *prey, struct prng *prng);
void prey_let_go(struct prey *prey);

/* `doom` as BELFRY_VICTIM has it; NULL: it lives until it is killed. */
void prey_start(struct prey *prey, const char *doom);

/* Until /readyz says 200; false when it died before or the time is over. */
bool prey_await_ready(struct prey *prey, int ms);

/* Until it is dead; false when the time is over.  The wait status is in *ret. */
bool prey_await_end(struct prey *prey, int ms, int *ret);

/* At once, and certainly. */
void prey_kill(struct prey *prey);
