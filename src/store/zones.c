/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements of table zones, and of the zone version in table meta.
 */
#include "store/zones.h"

#include "store/columns.h"
#include "store/tables.h"

#define COLUMNS SQL_NAMES(ZONE_COLUMNS)

static const struct db_stmt insert = {
    SQL_INSERT("zones", ZONE_COLUMNS) " ON CONFLICT DO NOTHING", SQL_TYPES(ZONE_COLUMNS)};
static const struct db_stmt due = {
    "SELECT " COLUMNS " FROM zones WHERE next_at <= $1 ORDER BY next_at, id LIMIT $2{skip}",
    "ii"};
static const struct db_stmt of_namespace = {
    "SELECT " COLUMNS " FROM zones WHERE namespace = $1 ORDER BY name", "i"};
static const struct db_stmt move = {"UPDATE zones SET next_at = $2 WHERE id = $1", "ii"};
static const struct db_stmt planned_find = {"SELECT value FROM meta WHERE name = 'planned'",
                                            NULL};
static const struct db_stmt planned_put = {
    "INSERT INTO meta (name, value) VALUES ('planned', $1)"
    " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    "b"};
static const struct db_stmt planned_end = {
    "UPDATE meta SET value = $2 WHERE name = 'planned' AND value = $1", "bb"};
static const struct db_stmt planned_drop = {"DELETE FROM meta WHERE name = 'planned'", NULL};

void zones_insert(struct db *db, const struct zone_row *from)
{
    struct db_value params[] = {ROW_VALUES(ZONE_COLUMNS)};

    db_send(db, &insert, params, NULL);
}

void zones_due(struct db *db, instant now, int limit, struct db_result *ret)
{
    db_send(db, &due, (struct db_value[]){db_int(now), db_int(limit)}, ret);
}

void zones_of(struct db *db, int64_t namespace, struct db_result *ret)
{
    db_send(db, &of_namespace, (struct db_value[]){db_int(namespace)}, ret);
}

void zones_read(const struct db_result *result, int row, struct zone_row *ret)
{
    *ret = (struct zone_row){ROW_MEMBERS(ZONE_COLUMNS)};
}

void zones_move(struct db *db, int64_t id, instant next_at)
{
    db_send(db, &move, (struct db_value[]){db_int(id), db_int(next_at)}, NULL);
}

void zones_planned_find(struct db *db, struct db_result *ret)
{
    db_send(db, &planned_find, NULL, ret);
}

void zones_planned_put(struct db *db, struct str version)
{
    db_send(db, &planned_put, (struct db_value[]){db_blob(version)}, NULL);
}

void zones_planned_end(struct db *db, struct str pass, struct str version)
{
    db_send(db, &planned_end, (struct db_value[]){db_blob(pass), db_blob(version)}, NULL);
}

void zones_planned_drop(struct db *db)
{
    db_send(db, &planned_drop, NULL, NULL);
}
