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

/* Notes whether workers claimed at once all runs that became ready (turn.fresh). */
void due_set_claimed(struct turn *turn, bool all);

/* When to scan again; INSTANT_NEVER: the scan has found all due schedules. */
instant due_again(const struct turn *turn);
