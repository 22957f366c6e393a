/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Servers whose clock the test sets.  They run with libfaketime, which adds the offset of a
 * file to CLOCK_REALTIME and does not change the monotonic clocks.
 */
#pragma once

#include "server.h"

/* Sets how far the clock of all servers of the world is ahead: "+10m", "-2h". */
void fake_clock_set_offset(const struct world *world, const char *offset);

/* Sets the clock to a time such as "2027-03-12T14:00:00Z"; it continues from there. */
void fake_clock_set_time(const struct world *world, const char *when);

/* Starts a server with that clock and further arguments or NULL; does not wait for it. */
struct server *fake_clock_spawn(struct world *world, const char *const *args);

/* The same; returns when the server has logged that it is ready. */
struct server *fake_clock_start(struct world *world, const char *const *args);
