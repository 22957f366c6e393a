/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forks and ends the processes around the server.
 */
#include "actor.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/must.h"

static volatile sig_atomic_t is_over;

static void on_terminate(int signal)
{
    (void)signal;
    is_over = 1;
}

bool actor_is_over(void)
{
    return is_over != 0;
}

uint16_t actor_node(struct actor *actor)
{
    return actor->nodes[prng_below(&actor->prng, (uint64_t)actor->node_count)];
}

pid_t actor_start(const struct actor *actor, int (*act)(struct actor *actor))
{
    struct actor copy = *actor;
    struct sigaction action = {.sa_handler = on_terminate};
    pid_t parent = getpid(), child = fork();

    must(child >= 0);
    if (child > 0)
        return child;
    must(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    must(sigaction(SIGTERM, &action, NULL) == 0);
    prng_seed(&copy.prng, copy.seed);
    _exit(act(&copy));
}
