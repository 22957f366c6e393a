/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes around the server: a receiver of calls, workers, operators.
 *
 * They write the journal, continue when the server is killed, and end with their parent.
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
    int number;                      /* among those of its kind */
    uint16_t nodes[ACTOR_NODES_MAX]; /* ports of the servers; any will do */
    int node_count;
    uint16_t receiver; /* port of the receiver */
    int port_fd;       /* receiver: where it writes its port */
    bool is_slow;      /* the receiver takes seconds to answer; operators only create and
                          trigger: nothing but a fault of the server can stop a schedule */
    struct prng prng;
};

/* Forks: `act` is the main function of the child, its result the exit status. */
pid_t actor_start(const struct actor *actor, int (*act)(struct actor *actor));

/* SIGTERM has arrived: the actor must end. */
bool actor_is_over(void);

/* The port of some server. */
uint16_t actor_node(struct actor *actor);

/* Answers, fails, delays the answer or cuts the connection, at random. */
int receiver_act(struct actor *actor);
/* Claims runs and reports on them, sometimes late or never. */
int worker_act(struct actor *actor);
/* Creates, edits, pauses, triggers and deletes schedules.  After SIGTERM, resumes all of them
   and removes their slots, so that no further run starts; then returns 0. */
int operator_act(struct actor *actor);
