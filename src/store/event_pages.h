/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading of events: which nodes have events, and who owns the schedule or zone that an event
 * names by its key.  The rows themselves are in store/events_requests.h.
 *
 * Nothing here locks; it is for read-only connections.  Statements are queued.
 */
#pragma once

#include "db/db.h"

/* A node and the numbers of its stored events: none if oldest > last. */
struct event_node {
    int64_t id;
    struct str name;
    int64_t oldest, last;
};
/* All nodes by id; two index searches each. */
void event_nodes(struct db *db, struct db_result *ret);
void event_nodes_read(const struct db_result *result, int row, struct event_node *ret);

/* The owner by name; also for deleted schedules. */
struct event_owner {
    int64_t id, namespace;
    struct str name, namespace_name;
    int64_t dialect;  /* the dialect that a schedule was written in */
    struct str extra; /* what that dialect stores; only for the requested dialect */
    bool is_deleted;
};
/* `dialect`: the schedules whose `extra` is read; it may be long. */
void event_owners_get(struct db *db, int64_t schedule, int64_t dialect, struct db_result *ret);
void event_owners_get_zone(struct db *db, int64_t zone, struct db_result *ret);
void event_owners_read(const struct db_result *result, struct event_owner *ret);
