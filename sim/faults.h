/* SPDX-License-Identifier: Apache-2.0 */
/* What fails in a simulated world, and when. */
#pragma once

#include "sim/world.h"

/* Decides for src/db whether the connection breaks; `arg` is the node. */
enum rc faults_ask(void *arg, enum db_point point);

/* Before a turn: a fault may strike; false if the node is dead or stalls. */
bool faults_before(struct world *world, struct sim_node *node);

/* After a committed turn, before anything is handed out: true if the node dies. */
bool faults_after(struct world *world, struct sim_node *node);

/* The node does nothing for longer than its lease. */
void faults_stall(struct world *world, struct sim_node *node);

/*
 * After a turn, with its result.  If the disk failed, or stopped in the middle of an operation,
 * kills all nodes and returns true.
 */
bool faults_check_disk(struct world *world, struct sim_node *node, enum rc rc);
