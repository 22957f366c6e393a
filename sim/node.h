/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A node of the simulated world: what the server is around the engine.
 *
 * It passes in waiting commands and reports, delivers results, retries unknown turns,
 * reconnects, and dies.
 */
#pragma once

#include "sim/world.h"

void node_init(struct world *world, int index);
void node_free(struct sim_node *node);

/* Starts a new process.  If the disk does not allow it, it retries later. */
void node_start(struct world *world, struct sim_node *node);

/* The process is dead, with all that it held in memory, and restarts after some time. */
void node_kill(struct world *world, struct sim_node *node);

/* All nodes die; with `power` the disk also loses unsynced data. */
void node_kill_all(struct world *world, bool power);

static inline bool node_is_up(const struct sim_node *node)
{
    return node->engine != NULL;
}

/* Up, and not stalled. */
static inline bool node_answers(const struct sim_node *node)
{
    return node->engine && node->stalled_until == INSTANT_NONE;
}

/* Any node that is up, even if it stalls; or NULL. */
struct sim_node *node_any(struct world *world);

/* Plans a turn at `at`, if none is planned before. */
void node_wake(struct world *world, struct sim_node *node, instant at);

void node_hand_in(struct world *world, struct sim_node *node, int command);
void node_report(struct world *world, struct sim_node *node, const struct report *report);

/* The planned turn. */
void node_turn(struct world *world, struct sim_node *node);

/* The node is up again after a stall, or starts. */
void node_up(struct world *world, struct sim_node *node);
