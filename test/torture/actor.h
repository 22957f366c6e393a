/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Those around the daemon, each a process of its own: a receiver of calls, workers, operators.
 *
 * They write the journal, live through every death of the daemon, and end with whoever
 * started them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/prng.h"

enum { ACTOR_NODES_MAX = 2 };

struct actor {
    int journal;
    uint64_t seed;
    int number;                      /* among those of its kind           */
    uint16_t nodes[ACTOR_NODES_MAX]; /* ports of the daemons; any will do */
    int node_count;
    uint16_t receiver; /* port of the receiver                            */
    int tell;          /* receiver: where it writes its port              */
    struct prng prng;
};

/* Forks: `act` is the life of the child, its exit status the result. */
pid_t actor_start(const struct actor *actor, int (*act)(struct actor *actor));

/* SIGTERM has come: come to an end. */
bool actor_is_over(void);

/* The port of some daemon. */
uint16_t actor_node(struct actor *actor);

/* Answers, fails, waits, resets; told by the run. */
int receiver_act(struct actor *actor);
/* Claims, works, dies, is late. */
int worker_act(struct actor *actor);
/* Creates, edits, pauses, triggers, deletes; at the end puts all to rest: 0 when done. */
int operator_act(struct actor *actor);
