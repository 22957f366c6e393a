/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the events of a turn as one row.  Internal to the engine.
 */
#pragma once

#include "engine/workset.h"

/* Adds the events that this node is up, once per boot, and that its clock was stepped. */
void event_node_up(struct turn *turn);

/* Writes all events of the turn. */
void event_write(struct turn *turn);
