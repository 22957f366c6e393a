/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scan of what is due.  Internal to the engine.
 */
#pragma once

#include "engine/workset.h"

/* Asks for the cursors that are due, locked; nothing in a turn that holds. */
void due_send(struct turn *turn);

/* Gives each of them its sched. */
void due_seat(struct turn *turn);

/* What the turn made of it, all fresh, was taken by workers at once, or not. */
void due_taken(struct turn *turn, bool all);

/* When what is due is to be looked for again; INSTANT_NEVER: all of it was found. */
instant due_again(const struct turn *turn);
