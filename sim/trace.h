/* SPDX-License-Identifier: Apache-2.0 */
/* The output of --verbose: inputs and outputs of a turn, and the store at the end. */
#pragma once

#include "sim/world.h"

void trace_turn(const struct world *world, const struct sim_node *node,
                const struct turn_out *out);

/* All drafts with their policies, and all rows. */
void trace_store(const struct record *record);
