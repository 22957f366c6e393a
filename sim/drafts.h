/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedules as a simulated operator writes them: every family of specs, every policy.
 */
#pragma once

#include "base/arena.h"
#include "engine/command.h"
#include "sim/record.h"
#include "sim/world_profile.h"

#define SIM_CALENDAR "holidays" /* the one that can be named */

/* A draft that was checked, and the same as the judge reads it. */
struct made {
    struct draft draft;
    struct rec_draft record;
    int place; /* in record.drafts */
};

struct drafting {
    const struct world_profile *profile;
    struct prng *prng;
    const struct zone_source *zones;
    struct arena *arena;
    struct str name; /* of the schedule: the seed of its jitter */
    instant now;
};

/* Everything of it lives in the arena. */
struct made *drafts_make(const struct drafting *drafting);

/* The name of a gate, 0 .. SIM_GATES - 1. */
struct str drafts_gate(int which);
struct str drafts_queue(int which);
