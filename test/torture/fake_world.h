/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A world for the tests of the verdict, in one process with simulated time: the engine on a
 * real file, and operators, workers and a receiver that write the journal.
 *
 * Nothing is lost or doubled in it, until a test damages the database or the journal.
 */
#pragma once

#include "base/buf.h"
#include "db/db.h"

enum { FAKE_WORLD_JOURNAL_MAX = 8 << 20 };

struct fake_world {
    char dir[64], url[128];
    struct buf journal;
};

/* A world of this many seconds, in which the process dies now and then. */
void fake_world_make(struct fake_world *world, uint64_t seed, int seconds);
/* A separate copy with the same past. */
void fake_world_copy(const struct fake_world *world, struct fake_world *ret);
void fake_world_free(struct fake_world *world);

/* Changes the database without the knowledge of the actors. */
void fake_world_damage(struct fake_world *world, const char *sql);
