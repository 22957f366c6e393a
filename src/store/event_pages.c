/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements for reading events, by node and by owner.
 */
#include "store/event_pages.h"

#include "store/text.h"

/* n.event is the last number before the node's last turn; the rows of events are newer. */
static const struct db_stmt nodes = {
    "SELECT n.id, n.name, n.event, (SELECT min(seq) FROM events WHERE node = n.id),"
    " (SELECT seq + count - 1 FROM events WHERE node = n.id ORDER BY seq DESC LIMIT 1)"
    " FROM nodes AS n ORDER BY n.id",
    NULL};
static const struct db_stmt owner = {
    "SELECT s.id, s.namespace, s.name, (SELECT name FROM namespaces WHERE id = s.namespace),"
    " s.dialect, CASE WHEN s.dialect = $2 THEN s.extra END, s.deleted_at"
    " FROM schedules AS s WHERE s.id = $1",
    "ii"};
static const struct db_stmt zone_owner = {
    "SELECT z.id, z.namespace, z.name, (SELECT name FROM namespaces WHERE id = z.namespace),"
    " CAST(-1 AS BIGINT), NULL, CAST(0 AS BIGINT)"
    " FROM zones AS z WHERE z.id = $1",
    "i"};

void event_nodes(struct db *db, struct db_result *ret)
{
    db_send(db, &nodes, NULL, ret);
}

void event_nodes_read(const struct db_result *result, int row, struct event_node *ret)
{
    const struct db_value *oldest = db_at(result, row, 3);
    int64_t node_event = db_int_at(result, row, 2);

    *ret = (struct event_node){
        .id = db_int_at(result, row, 0),
        .name = db_text_at(result, row, 1),
        .oldest = oldest->type == DB_NULL ? node_event + 1 : oldest->num,
        .last = oldest->type == DB_NULL ? node_event : db_int_at(result, row, 4),
    };
}

void event_owners_get(struct db *db, int64_t schedule, int64_t dialect, struct db_result *ret)
{
    db_send(db, &owner, (struct db_value[]){db_int(schedule), db_int(dialect)}, ret);
}

void event_owners_get_zone(struct db *db, int64_t zone, struct db_result *ret)
{
    db_send(db, &zone_owner, (struct db_value[]){db_int(zone)}, ret);
}

void event_owners_read(const struct db_result *result, struct event_owner *ret)
{
    *ret = (struct event_owner){
        .id = db_int_at(result, 0, 0),
        .namespace = db_int_at(result, 0, 1),
        .name = db_text_at(result, 0, 2),
        .namespace_name = text_or_empty(result, 0, 3),
        .dialect = db_int_at(result, 0, 4),
        .extra = text_or_empty(result, 0, 5),
        .is_deleted = db_int_at(result, 0, 6) != 0,
    };
}
