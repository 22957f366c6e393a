/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules as a simulated operator writes them: every family of specs, every policy. */
#pragma once

#include "base/arena.h"
#include "engine/command.h"
#include "sim/record.h"
#include "sim/world_profile.h"

#define SIM_CALENDAR "holidays" /* the only named calendar */

/* A valid draft for the engine, and the same for the judge. */
struct checked_draft {
    struct draft draft;
    struct rec_draft record;
    int index; /* index in record.drafts */
};

struct draft_context {
    const struct world_profile *profile;
    struct prng *prng;
    const struct zone_source *zones;
    struct arena *arena;
    struct str name; /* of the schedule: the seed of its jitter */
};

/* Everything it points to is in the arena. */
struct checked_draft *drafts_make(const struct draft_context *context);

/* The name of a gate, 0 .. SIM_GATES - 1. */
struct str drafts_gate(int which);
struct str drafts_queue(int which);
