/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table zones: the time zones that a namespace plans in, and when the next day begins there.
 *
 * Statements are queued.  A row is the lock of its midnight, which is told of once.
 */
#pragma once

#include "base/instant.h"
#include "db/db.h"

struct zone_row {
    int64_t id, namespace;
    struct str name;
    instant next_at; /* the next midnight; INSTANT_NEVER: the zone cannot be read any more */
};

/* Changes nothing when the namespace has it. */
void zones_insert(struct db *db, const struct zone_row *zone);
/* Those whose midnight has come, the earliest first; locked. */
void zones_due(struct db *db, instant now, int limit, struct db_result *ret);
/* Those of a namespace, by name. */
void zones_of(struct db *db, int64_t namespace, struct db_result *ret);
void zones_read(const struct db_result *result, int row, struct zone_row *ret);
void zones_move(struct db *db, int64_t id, instant next_at);

/*
 * In table meta: the version of the zone files that all schedules are planned by.  There is
 * none while some are to be planned anew; whoever boots then goes on with it.
 */
void zones_planned_find(struct db *db, struct db_result *ret); /* (value) */
void zones_planned_put(struct db *db, struct str version);
void zones_planned_drop(struct db *db);
