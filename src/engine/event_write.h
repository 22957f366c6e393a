/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events of a turn: the first of a boot, and all of them as one row.  Internal to the
 * engine.
 */
#pragma once

#include "engine/workset.h"

/* That this node is up, once; and that its clock was stepped. */
void event_node_up(struct turn *turn);

/* All that the turn has to tell. */
void event_write(struct turn *turn);
