/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements of tables namespaces, queues, gates and calendars.
 */
#include "store/named_objects.h"

#include "store/columns.h"
#include "store/tables.h"

#define NAMESPACE "SELECT " SQL_NAMES(NAMESPACE_COLUMNS) " FROM namespaces WHERE "
#define QUEUE     "SELECT " SQL_NAMES(QUEUE_COLUMNS) " FROM queues WHERE "
#define GATE      "SELECT " SQL_NAMES(GATE_COLUMNS) " FROM gates WHERE "
#define GATE_ROW  "SELECT " SQL_NAMES(GATE_COLUMNS) ", name FROM gates WHERE "
#define CALENDAR  "SELECT " SQL_NAMES(CALENDAR_COLUMNS) " FROM calendars WHERE "

static const struct db_stmt namespace_add = {
    "INSERT INTO namespaces (id, name, settings, created_at) VALUES ($1, $2, NULL, $3)"
    " ON CONFLICT DO NOTHING",
    "iti"};
static const struct db_stmt namespace_find = {"SELECT id FROM namespaces WHERE name = $1", "t"};
static const struct db_stmt namespace_set = {
    "UPDATE namespaces SET settings = $2 WHERE id = $1", "it"};
static const struct db_stmt namespace_get = {NAMESPACE "id = $1", "i"};
static const struct db_stmt namespace_list = {NAMESPACE "name > $1 ORDER BY name LIMIT $2",
                                              "ti"};

static const struct db_stmt queue_add = {
    "INSERT INTO queues (id, namespace, name, paused, most) VALUES ($1, $2, $3, 0, 0)"
    " ON CONFLICT DO NOTHING",
    "iit"};
static const struct db_stmt queue_find = {
    "SELECT id FROM queues WHERE namespace = $1 AND name = $2", "it"};
static const struct db_stmt queue_lock = {QUEUE "id = $1{skip}", "i"};
static const struct db_stmt queue_lock_name = {QUEUE "namespace = $1 AND name = $2{skip}",
                                               "it"};
static const struct db_stmt queue_pause = {"UPDATE queues SET paused = $2 WHERE id = $1", "ii"};
static const struct db_stmt queue_note_poll = {
    "UPDATE queues SET polled_at = $2 WHERE id IN"
    " (SELECT id FROM queues WHERE id = $1 AND polled_at <= $3{skip})",
    "iii"};
static const struct db_stmt queue_limit = {"UPDATE queues SET most = $2 WHERE id = $1", "ii"};
static const struct db_stmt queue_list_restricted = {
    QUEUE "(paused = 1 OR most > 0) AND id > 0 ORDER BY id LIMIT $1", "i"};
static const struct db_stmt queue_get = {QUEUE "id = $1", "i"};
static const struct db_stmt queue_list = {
    QUEUE "namespace = $1 AND name > $2 ORDER BY name LIMIT $3", "iti"};

static const struct db_stmt gate_add = {
    "INSERT INTO gates (id, namespace, name, most, open, waiting)"
    " VALUES ($1, $2, $3, $4, 0, 0) ON CONFLICT DO NOTHING",
    "iiti"};
static const struct db_stmt gate_find = {
    "SELECT id FROM gates WHERE namespace = $1 AND name = $2", "it"};
static const struct db_stmt gate_lock = {GATE "id = $1{skip}", "i"};
static const struct db_stmt gate_update = {
    "UPDATE gates SET most = $2, open = $3, waiting = $4 WHERE id = $1", "iiii"};
static const struct db_stmt gate_with_room = {
    GATE "waiting > 0 AND open < most ORDER BY id LIMIT $1{skip}", "i"};

/* Policies that name the gate contain $3; replace() tests that in both databases. */
#define NAMES_GATE                                                                \
    " FROM schedules WHERE namespace = $1 AND deleted_at = 0 AND updated_at >= 0" \
    " AND updated_at >= $2 AND replace(policies, $3, '') <> policies"
static const struct db_stmt gate_users = {
    "SELECT name" NAMES_GATE " ORDER BY updated_at, id LIMIT $4", "iiti"};
static const struct db_stmt gate_delete = {
    "DELETE FROM gates WHERE id = $4 AND open = 0 AND waiting = 0"
    " AND NOT EXISTS (SELECT 1 FROM runs WHERE gate = $4)"
    " AND NOT EXISTS (SELECT 1" NAMES_GATE ")",
    "iiti"};
static const struct db_stmt gate_get = {GATE_ROW "namespace = $1 AND name = $2", "it"};
static const struct db_stmt gate_list = {
    GATE_ROW "namespace = $1 AND name > $2 ORDER BY name LIMIT $3", "iti"};

static const struct db_stmt calendar_put = {
    "INSERT INTO calendars (id, namespace, name, version, days, updated_at)"
    " VALUES ($1, $2, $3, 1, $4, $5) ON CONFLICT (namespace, name) DO UPDATE SET"
    " version = calendars.version + 1, days = excluded.days, updated_at = excluded.updated_at",
    "iitbi"};
static const struct db_stmt calendar_find = {
    "SELECT id, version, days FROM calendars WHERE namespace = $1 AND name = $2", "it"};

static const struct db_stmt calendar_replace = {
    "UPDATE calendars SET version = version + 1, days = $4, updated_at = $5"
    " WHERE namespace = $1 AND name = $2 AND version = $3",
    "itibi"};
static const struct db_stmt calendar_delete = {
    "DELETE FROM calendars WHERE namespace = $1 AND name = $2 AND ($3 = 0 OR version = $3)",
    "iti"};
static const struct db_stmt calendar_get = {CALENDAR "namespace = $1 AND name = $2", "it"};
static const struct db_stmt calendar_list = {
    CALENDAR "namespace = $1 AND name > $2 ORDER BY name LIMIT $3", "iti"};

void namespaces_insert(struct db *db, int64_t id, struct str name, instant now,
                       struct db_result *ret)
{
    db_send(db, &namespace_add, (struct db_value[]){db_int(id), db_text(name), db_int(now)},
            ret);
}

void namespaces_find(struct db *db, struct str name, struct db_result *ret)
{
    db_send(db, &namespace_find, (struct db_value[]){db_text(name)}, ret);
}

void namespaces_set(struct db *db, int64_t id, struct str settings)
{
    db_send(db, &namespace_set, (struct db_value[]){db_int(id), text_or_null(settings)}, NULL);
}

void namespaces_get(struct db *db, int64_t id, struct db_result *ret)
{
    db_send(db, &namespace_get, (struct db_value[]){db_int(id)}, ret);
}

void namespaces_list(struct db *db, struct str after, int limit, struct db_result *ret)
{
    db_send(db, &namespace_list, (struct db_value[]){db_text(after), db_int(limit)}, ret);
}

void namespaces_read(const struct db_result *result, int row, struct namespace_row *ret)
{
    *ret = (struct namespace_row){ROW_MEMBERS(NAMESPACE_COLUMNS)};
}

void queues_insert(struct db *db, int64_t id, int64_t namespace, struct str name)
{
    db_send(db, &queue_add, (struct db_value[]){db_int(id), db_int(namespace), db_text(name)},
            NULL);
}

void queues_find(struct db *db, int64_t namespace, struct str name, struct db_result *ret)
{
    db_send(db, &queue_find, (struct db_value[]){db_int(namespace), db_text(name)}, ret);
}

void queues_lock(struct db *db, int64_t id, struct db_result *ret)
{
    db_send(db, &queue_lock, (struct db_value[]){db_int(id)}, ret);
}

void queues_lock_name(struct db *db, int64_t namespace, struct str name, struct db_result *ret)
{
    db_send(db, &queue_lock_name, (struct db_value[]){db_int(namespace), db_text(name)}, ret);
}

void queues_pause(struct db *db, int64_t id, bool paused)
{
    db_send(db, &queue_pause, (struct db_value[]){db_int(id), db_int(paused)}, NULL);
}

void queues_limit(struct db *db, int64_t id, int64_t most)
{
    db_send(db, &queue_limit, (struct db_value[]){db_int(id), db_int(most)}, NULL);
}

void queues_note_poll(struct db *db, int64_t id, instant now)
{
    db_send(db, &queue_note_poll,
            (struct db_value[]){db_int(id), db_int(now), db_int(now - QUEUE_POLL_NOTED)}, NULL);
}

void queues_list_restricted(struct db *db, int limit, struct db_result *ret)
{
    db_send(db, &queue_list_restricted, (struct db_value[]){db_int(limit)}, ret);
}

void queues_get(struct db *db, int64_t id, struct db_result *ret)
{
    db_send(db, &queue_get, (struct db_value[]){db_int(id)}, ret);
}

void queues_list(struct db *db, int64_t namespace, struct str after, int limit,
                 struct db_result *ret)
{
    db_send(db, &queue_list,
            (struct db_value[]){db_int(namespace), db_text(after), db_int(limit)}, ret);
}

void queues_read(const struct db_result *result, int row, struct queue_row *ret)
{
    *ret = (struct queue_row){ROW_MEMBERS(QUEUE_COLUMNS)};
}

void gates_insert(struct db *db, int64_t id, int64_t namespace, struct str name, int64_t most)
{
    db_send(db, &gate_add,
            (struct db_value[]){db_int(id), db_int(namespace), db_text(name), db_int(most)},
            NULL);
}

void gates_find(struct db *db, int64_t namespace, struct str name, struct db_result *ret)
{
    db_send(db, &gate_find, (struct db_value[]){db_int(namespace), db_text(name)}, ret);
}

void gates_lock(struct db *db, int64_t id, struct db_result *ret)
{
    db_send(db, &gate_lock, (struct db_value[]){db_int(id)}, ret);
}

void gates_read(const struct db_result *result, int row, struct gate *ret)
{
    *ret = (struct gate){ROW_MEMBERS(GATE_COLUMNS)};
}

void gates_update(struct db *db, const struct gate *gate)
{
    db_send(db, &gate_update,
            (struct db_value[]){db_int(gate->id), db_int(gate->most), db_int(gate->open),
                                db_int(gate->waiting)},
            NULL);
}

void gates_with_room(struct db *db, int limit, struct db_result *ret)
{
    db_send(db, &gate_with_room, (struct db_value[]){db_int(limit)}, ret);
}

void gates_users(struct db *db, const struct gate_use *use, int limit, struct db_result *ret)
{
    db_send(db, &gate_users,
            (struct db_value[]){db_int(use->namespace), db_int(use->since),
                                db_text(use->policy), db_int(limit)},
            ret);
}

void gates_delete(struct db *db, int64_t id, const struct gate_use *use, struct db_result *ret)
{
    db_send(db, &gate_delete,
            (struct db_value[]){db_int(use->namespace), db_int(use->since),
                                db_text(use->policy), db_int(id)},
            ret);
}

void gates_get(struct db *db, int64_t namespace, struct str name, struct db_result *ret)
{
    db_send(db, &gate_get, (struct db_value[]){db_int(namespace), db_text(name)}, ret);
}

void gates_list(struct db *db, int64_t namespace, struct str after, int limit,
                struct db_result *ret)
{
    db_send(db, &gate_list,
            (struct db_value[]){db_int(namespace), db_text(after), db_int(limit)}, ret);
}

void gates_read_row(const struct db_result *result, int row, struct gate_row *ret)
{
    gates_read(result, row, &ret->gate);
    ret->name = db_text_at(result, row, ROW_COUNT(GATE_COLUMNS));
}

void calendars_put(struct db *db, int64_t id, int64_t namespace, struct str name,
                   struct str days, instant now)
{
    struct db_value params[] = {
        db_int(id), db_int(namespace), db_text(name), db_blob(days), db_int(now),
    };

    db_send(db, &calendar_put, params, NULL);
}

void calendars_find(struct db *db, int64_t namespace, struct str name, struct db_result *ret)
{
    db_send(db, &calendar_find, (struct db_value[]){db_int(namespace), db_text(name)}, ret);
}

void calendars_replace(struct db *db, int64_t namespace, const struct calendar_row *row,
                       struct db_result *ret)
{
    struct db_value params[] = {
        db_int(namespace),  db_text(row->name),      db_int(row->version),
        db_blob(row->days), db_int(row->updated_at),
    };

    db_send(db, &calendar_replace, params, ret);
}

void calendars_delete(struct db *db, int64_t namespace, struct str name, int64_t version,
                      struct db_result *ret)
{
    db_send(db, &calendar_delete,
            (struct db_value[]){db_int(namespace), db_text(name), db_int(version)}, ret);
}

void calendars_get(struct db *db, int64_t namespace, struct str name, struct db_result *ret)
{
    db_send(db, &calendar_get, (struct db_value[]){db_int(namespace), db_text(name)}, ret);
}

void calendars_list(struct db *db, int64_t namespace, struct str after, int limit,
                    struct db_result *ret)
{
    db_send(db, &calendar_list,
            (struct db_value[]){db_int(namespace), db_text(after), db_int(limit)}, ret);
}

void calendars_read(const struct db_result *result, int row, struct calendar_row *ret)
{
    *ret = (struct calendar_row){ROW_MEMBERS(CALENDAR_COLUMNS)};
}
