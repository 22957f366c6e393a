/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects with a name: namespaces, queues, gates and calendars.
 *
 * Statements are queued.  Inserting a name that exists changes nothing.  Such an insert, and a
 * change of a namespace or calendar, may wait for another node; nothing else here does.  A
 * gate's row is the lock of its counts; the row of a queue with a limit is the lock of the
 * queue's claimed runs.
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
    int64_t most;      /* maximum runs claimed by workers, 0: no limit */
    instant polled_at; /* a poll by a worker at most QUEUE_POLL_NOTED before the last one */
};
/* No row if another node holds it or it does not exist. */
void queues_lock(struct db *db, int64_t id, struct db_result *ret);
void queues_lock_name(struct db *db, int64_t namespace, struct str name, struct db_result *ret);
/* The caller has locked the queue. */
void queues_pause(struct db *db, int64_t id, bool paused);
void queues_limit(struct db *db, int64_t id, int64_t most);
/*
 * A worker has polled the queue.  Writes at most once in QUEUE_POLL_NOTED, and nothing if
 * another node holds the row.
 */
#define QUEUE_POLL_NOTED (10 * SPAN_MIN)
void queues_note_poll(struct db *db, int64_t id, instant now);
/* Queues that are paused or have a limit, by key. */
void queues_list_restricted(struct db *db, int limit, struct db_result *ret);
/* By name, those after `after`. */
void queues_list(struct db *db, int64_t namespace, struct str after, int limit,
                 struct db_result *ret);
void queues_get(struct db *db, int64_t id, struct db_result *ret);
void queues_read(const struct db_result *result, int row, struct queue_row *ret);

struct gate {
    int64_t id;
    int64_t most;    /* maximum claimed runs */
    int64_t open;    /* claimed runs */
    int64_t waiting; /* runs in state gated */
};
void gates_insert(struct db *db, int64_t id, int64_t namespace, struct str name, int64_t most);
void gates_find(struct db *db, int64_t namespace, struct str name, struct db_result *ret);
void gates_lock(struct db *db, int64_t id, struct db_result *ret);
void gates_read(const struct db_result *result, int row, struct gate *ret);
void gates_update(struct db *db, const struct gate *gate);
/* Schedules whose policies name a gate and that were changed at or after `since`. */
struct gate_use {
    int64_t namespace;
    instant since;     /* 0: at any time */
    struct str policy; /* the part of the policies' JSON that names the gate */
};
void gates_users(struct db *db, const struct gate_use *use, int limit, struct db_result *ret);
/* changed is 0 if a run uses, waits for or names the gate, or a schedule of `use` names it. */
void gates_delete(struct db *db, int64_t id, const struct gate_use *use, struct db_result *ret);
/* Locks gates that have both waiting runs and room. */
void gates_with_room(struct db *db, int limit, struct db_result *ret);

/* For display; not locked. */
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
/* `version` is the expected version; changed is 0 if no such row exists. */
void calendars_replace(struct db *db, int64_t namespace, const struct calendar_row *row,
                       struct db_result *ret);
/* Likewise; version 0 matches any version. */
void calendars_delete(struct db *db, int64_t namespace, struct str name, int64_t version,
                      struct db_result *ret);
void calendars_get(struct db *db, int64_t namespace, struct str name, struct db_result *ret);
/* By name, those after `after`. */
void calendars_list(struct db *db, int64_t namespace, struct str after, int limit,
                    struct db_result *ret);
void calendars_read(const struct db_result *result, int row, struct calendar_row *ret);
