/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A node of the simulated world: what the daemon is around the engine.
 *
 * It hands in what waits, hands out what comes, tries again what is not known, makes new
 * connections, and dies.
 */
#pragma once

#include "sim/world.h"

void node_init(struct world *world, int index);
void node_free(struct sim_node *node);

/* A new process.  When the disk does not let it, it tries again later. */
void node_start(struct world *world, struct sim_node *node);

/* It is gone, with all that it held in memory, and starts again after some time. */
void node_kill(struct world *world, struct sim_node *node);

/* All nodes die; `power`: and the disk decides what it has. */
void node_kill_all(struct world *world, bool power);

static inline bool node_is_up(const struct sim_node *node)
{
    return node->engine != NULL;
}

/* Up, and not standing still. */
static inline bool node_answers(const struct sim_node *node)
{
    return node->engine && node->paused_until == INSTANT_NONE;
}

/* Any that answers, or NULL. */
struct sim_node *node_any(struct world *world);

/* A turn at `at`, if none is planned before. */
void node_wake(struct world *world, struct sim_node *node, instant at);

void node_hand_in(struct world *world, struct sim_node *node, int command);
void node_report(struct world *world, struct sim_node *node, const struct report *report);

/* The turn that was planned. */
void node_turn(struct world *world, struct sim_node *node);

/* It may stand still, or be down. */
void node_up(struct world *world, struct sim_node *node);
