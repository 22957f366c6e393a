/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An engine on its database, as the daemon has it, without the daemon: whoever holds it says
 * what time it is and answers the calls.
 */
#pragma once

#include "base/instant.h"
#include "engine/engine.h"
#include "subject.h"

struct rig {
    struct zoneinfo *zones;
    struct zone_source source;
    struct db *db;
    struct engine *engine;
};

/* Opens the database, brings its tables up to date, and boots. */
void rig_open(struct rig *rig, const char *url, instant now);
void rig_close(struct rig *rig);

/* One turn, and the checkpoint that comes between turns. */
void rig_turn(struct rig *rig, const struct turn_in *in, struct turn_out *out);

/* A turn of nothing but what falls due, with room for every call. */
struct turn_in rig_due(instant now, int rows);
