/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What goes wrong in a simulated world, and when.
 */
#pragma once

#include "sim/world.h"

/* The question of src/db whether the connection breaks; `with` is the node. */
enum rc faults_ask(void *arg, enum db_point point);

/* Before a turn: something may happen; false when the node is gone, or stands still. */
bool faults_before(struct world *world, struct sim_node *node);

/* After a turn that was committed, before anything is handed out: true when the node dies. */
bool faults_after(struct world *world, struct sim_node *node);

/* The node does nothing for longer than its lease. */
void faults_stand_still(struct world *world, struct sim_node *node);

/*
 * After it, with what came of it: true when the disk failed or stopped in the midst of
 * something, and all nodes are gone.
 */
bool faults_stopped(struct world *world, struct sim_node *node, enum rc rc);
