/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table zones: the time zones that a namespace uses, and when the next day begins there.
 *
 * Statements are queued.  A row is the lock of its midnight, so that the event of the midnight
 * is written once.
 */
#pragma once

#include "base/instant.h"
#include "db/db.h"

struct zone_row {
    int64_t id, namespace;
    struct str name;
    /* the next midnight; or when to try again, if the zone file could not be read */
    instant next_at;
};

/* Changes nothing if the namespace has the zone. */
void zones_insert(struct db *db, const struct zone_row *zone);
/* Zones whose midnight has passed, the earliest first; locked. */
void zones_due(struct db *db, instant now, int limit, struct db_result *ret);
/* Those of a namespace, by name. */
void zones_of(struct db *db, int64_t namespace, struct db_result *ret);
void zones_read(const struct db_result *result, int row, struct zone_row *ret);
void zones_move(struct db *db, int64_t id, instant next_at);

/*
 * In table meta: the version of the zone files that all schedules are planned with.  While some
 * schedules must be planned again, it is absent, or names the last pass that began; a node that
 * boots or takes over another one then begins a pass.
 */
void zones_planned_find(struct db *db, struct db_result *ret); /* (value) */
void zones_planned_put(struct db *db, struct str value);
/* Changes nothing if another pass has begun, or if the value was dropped. */
void zones_planned_end(struct db *db, struct str pass, struct str version);
void zones_planned_drop(struct db *db);
