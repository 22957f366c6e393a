/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An engine with its database, without the server: see rig.h.
 */
#include "rig.h"

#include "db/disk.h"
#include "io/zoneinfo.h"
#include "store/schema.h"

enum { MIGRATE_BYTES_MAX = 16 << 20 };

static const struct tz *find_zone(void *user, struct str name, struct err *reterr)
{
    return zoneinfo_find(user, name, reterr);
}

static void migrate_tables(struct rig *rig, instant now)
{
    struct arena *arena = arena_new(MIGRATE_BYTES_MAX);
    struct err err;

    if (schema_migrate(rig->db, now, arena, &err) != RC_OK)
        DIE("migration: %s", err.text);
    arena_free(arena);
}

void rig_open(struct rig *rig, const char *url, instant now)
{
    struct err err;

    *rig = (struct rig){.zones = zoneinfo_open(NULL, &err)};
    if (!rig->zones)
        DIE("zones: %s", err.text);
    rig->source = (struct zone_source){find_zone, rig->zones};
    if (db_open(url, NULL, &rig->db, &err) != RC_OK)
        DIE("database: %s", err.text);
    migrate_tables(rig, now);
    rig->engine = engine_new(
        &(struct engine_options){.node = STR("bench"), .zones = rig->source});
    if (engine_boot(rig->engine, rig->db, now, &err) != RC_OK)
        DIE("boot: %s", err.text);
}

void rig_close(struct rig *rig)
{
    engine_free(rig->engine);
    db_close(rig->db);
    zoneinfo_close(rig->zones);
}

void rig_turn(struct rig *rig, const struct turn_in *in, struct turn_out *out)
{
    struct err err;

    if (engine_turn(rig->engine, in, out, &err) != RC_OK)
        DIE("turn: %s", err.text);
    if (db_checkpoint(rig->db, &err) != RC_OK)
        DIE("checkpoint: %s", err.text);
}

struct turn_in rig_due(instant now, int rows)
{
    return (struct turn_in){
        .now = now, .rows = rows, .capacity = {[LANE_HTTP] = TURN_REPORTS_MAX}};
}
