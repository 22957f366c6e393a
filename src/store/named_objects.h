/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Things that are known by name: namespaces, queues, gates and named calendars.
 *
 * Statements are queued.  Inserts of a name that is taken change nothing; they are the only
 * statements that may wait for another node.  A gate's row is the lock of its count, the
 * row of a queue that has a limit that of the runs which workers have of it.
 */
#pragma once

#include "base/instant.h"
#include "db/db.h"

void namespaces_insert(struct db *db, int64_t id, struct str name, instant now,
                       struct db_result *ret);
void namespaces_find(struct db *db, struct str name, struct db_result *ret); /* (id) */
struct namespace_row {
    int64_t id;
    struct str name;
    struct str settings; /* JSON or empty */
    instant created_at;
};
void namespaces_set(struct db *db, int64_t id, struct str settings);
void namespaces_get(struct db *db, int64_t id, struct db_result *ret);
/* By name, those after `after`. */
void namespaces_list(struct db *db, struct str after, int limit, struct db_result *ret);
void namespaces_read(const struct db_result *result, int row, struct namespace_row *ret);

void queues_insert(struct db *db, int64_t id, int64_t namespace, struct str name);
void queues_find(struct db *db, int64_t namespace, struct str name, struct db_result *ret);
struct queue_row {
    int64_t id;
    struct str name;
    bool is_paused;
    int64_t most; /* runs that workers may have at once, 0: any number */
};
/* No row when another node holds it, or it does not exist. */
void queues_lock(struct db *db, int64_t id, struct db_result *ret);
void queues_lock_name(struct db *db, int64_t namespace, struct str name, struct db_result *ret);
/* Of one that is locked. */
void queues_pause(struct db *db, int64_t id, bool paused);
void queues_limit(struct db *db, int64_t id, int64_t most);
/* Those that are paused or have a limit, by key. */
void queues_watched(struct db *db, int limit, struct db_result *ret);
/* By name, those after `after`. */
void queues_list(struct db *db, int64_t namespace, struct str after, int limit,
                 struct db_result *ret);
void queues_get(struct db *db, int64_t id, struct db_result *ret);
void queues_read(const struct db_result *result, int row, struct queue_row *ret);

struct gate {
    int64_t id;
    int64_t most;    /* runs that may be claimed at once        */
    int64_t open;    /* runs that are                           */
    int64_t waiting; /* runs in state gated                     */
};
void gates_insert(struct db *db, int64_t id, int64_t namespace, struct str name, int64_t most);
void gates_find(struct db *db, int64_t namespace, struct str name, struct db_result *ret);
void gates_lock(struct db *db, int64_t id, struct db_result *ret);
void gates_read(const struct db_result *result, int row, struct gate *ret);
void gates_update(struct db *db, const struct gate *gate);
/* Schedules that name a gate in their policies and were changed since. */
struct gate_use {
    int64_t namespace;
    instant since;     /* 0: whenever                                      */
    struct str policy; /* the part of the policies' JSON in which it is named */
};
void gates_users(struct db *db, const struct gate_use *use, int limit, struct db_result *ret);
/* ret->changed 0: a run is in it, waits for it or names it, or such a schedule does. */
void gates_delete(struct db *db, int64_t id, const struct gate_use *use, struct db_result *ret);
/* Locked: gates where something waits although there is room. */
void gates_free(struct db *db, int limit, struct db_result *ret);

/* As people are shown them, not locked. */
struct gate_row {
    struct gate gate;
    struct str name;
};
void gates_get(struct db *db, int64_t namespace, struct str name, struct db_result *ret);
/* By name, those after `after`. */
void gates_list(struct db *db, int64_t namespace, struct str after, int limit,
                struct db_result *ret);
void gates_read_row(const struct db_result *result, int row, struct gate_row *ret);

void calendars_put(struct db *db, int64_t id, int64_t namespace, struct str name,
                   struct str days, instant now);
void calendars_find(struct db *db, int64_t namespace, struct str name, struct db_result *ret);
struct calendar_row {
    int64_t version;
    struct str name;
    struct str days; /* little-endian int32, ascending */
    instant updated_at;
};
/* `version` is the one that it must have; changed is 0 when there is none like that. */
void calendars_replace(struct db *db, int64_t namespace, const struct calendar_row *row,
                       struct db_result *ret);
/* Likewise; 0: whatever it is. */
void calendars_delete(struct db *db, int64_t namespace, struct str name, int64_t version,
                      struct db_result *ret);
void calendars_get(struct db *db, int64_t namespace, struct str name, struct db_result *ret);
/* By name, those after `after`. */
void calendars_list(struct db *db, int64_t namespace, struct str after, int limit,
                    struct db_result *ret);
void calendars_read(const struct db_result *result, int row, struct calendar_row *ret);
