/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scan of what is due.  Internal to the engine.
 */
#pragma once

#include "engine/desk.h"

/* Asks for the cursors that are due, locked; nothing in a turn that holds. */
void due_send(struct turn *turn);

/* Gives each of them its seat. */
void due_seat(struct turn *turn);
