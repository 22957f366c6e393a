/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules as a simulated operator writes them: every family of specs, every policy. */
#pragma once

#include "base/arena.h"
#include "engine/command.h"
#include "sim/record.h"
#include "sim/world_profile.h"

#define SIM_CALENDAR "holidays" /* the only named calendar */

/* A checked draft, and the same for the judge. */
struct made {
    struct draft draft;
    struct rec_draft record;
    int place; /* index in record.drafts */
};

struct drafting {
    const struct world_profile *profile;
    struct prng *prng;
    const struct zone_source *zones;
    struct arena *arena;
    struct str name; /* of the schedule: the seed of its jitter */
    instant now;
};

/* Everything it points to is in the arena. */
struct made *drafts_make(const struct drafting *drafting);

/* The name of a gate, 0 .. SIM_GATES - 1. */
struct str drafts_gate(int which);
struct str drafts_queue(int which);
