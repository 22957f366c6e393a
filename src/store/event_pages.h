/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events as they are read: which nodes have some, and whose a schedule or a zone is that an
 * event names by its key.  The rows themselves are store/events_requests.h's.
 *
 * Nothing here locks; it is for connections that only read.  Statements are queued.
 */
#pragma once

#include "db/db.h"

/* A node and the numbers of the events of it that are kept: none when oldest > last. */
struct event_node {
    int64_t id;
    struct str name;
    int64_t oldest, last;
};
/* All nodes by id; two searches for each. */
void event_nodes(struct db *db, struct db_result *ret);
void event_nodes_read(const struct db_result *result, int row, struct event_node *ret);

/* Whose it is, as people know it; also of a schedule that is deleted. */
struct event_owner {
    int64_t id, namespace;
    struct str name, namespace_name;
    int64_t dialect;  /* that a schedule was written in                        */
    struct str extra; /* what that keeps of it; of the dialect asked for alone */
    bool is_deleted;
};
/* `dialect`: of which schedules `extra` is wanted; it may be long. */
void event_owners_get(struct db *db, int64_t schedule, int64_t dialect, struct db_result *ret);
void event_owners_get_zone(struct db *db, int64_t zone, struct db_result *ret);
void event_owners_read(const struct db_result *result, struct event_owner *ret);
