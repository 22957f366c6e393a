/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scan for due schedules.  Internal to the engine.
 */
#pragma once

#include "engine/workset.h"

/* Queries and locks the due cursors; does nothing in a turn with turn_in.hold. */
void due_send(struct turn *turn);

/* Adds each of them to the workset. */
void due_read(struct turn *turn);

/* Stores whether workers have claimed every run that became ready in this turn (turn.fresh). */
void due_set_claimed(struct turn *turn, bool all);

/* When to scan again; INSTANT_NEVER: the scan found all due schedules, or there was none. */
instant due_again(const struct turn *turn);
