/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock of a daemon, set by the test.  The daemon runs with libfaketime, which adds what a
 * file says to its CLOCK_REALTIME and leaves the clocks that never step alone.
 */
#pragma once

#include "server.h"

/* Steps the clock of all daemons of the world: "+10m", "-2h". */
void faked_set(const struct world *world, const char *offset);

/* The same, so that it is now "2027-03-12T14:00:00Z"; it goes on from there. */
void faked_to(const struct world *world, const char *when);

/* Started with that clock, and with further arguments or NULL; nothing is known of it yet. */
struct server *faked_spawn(struct world *world, const char *const *args);

/* The same, and it has said that it is ready. */
struct server *faked_start(struct world *world, const char *const *args);
