/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An engine with its database, as in the server but without the server: the caller sets the
 * time and reports the results of calls.
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

/* Opens the database, migrates its schema, and boots the engine. */
void rig_open(struct rig *rig, const char *url, instant now);
void rig_close(struct rig *rig);

/* One turn, and the checkpoint after it. */
void rig_turn(struct rig *rig, const struct turn_in *in, struct turn_out *out);

/* A turn without commands and reports, with capacity for every call. */
struct turn_in rig_due(instant now, int rows);
