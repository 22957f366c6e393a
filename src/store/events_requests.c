/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements of tables events and requests, and of pruning.
 */
#include "store/events_requests.h"

#include "store/columns.h"
#include "store/sql_numbers.h"
#include "store/tables.h"

static const struct db_stmt event_add = {
    "INSERT INTO events (node, seq, count, at, body) VALUES ($1, $2, $3, $4, $5)", "iiiib"};
static const struct db_stmt event_last = {
    "SELECT seq + count - 1 FROM events WHERE node = (SELECT id FROM nodes WHERE name = $1)"
    " ORDER BY seq DESC LIMIT 1",
    "t"};
static const struct db_stmt event_list = {
    "SELECT seq, count, at, body FROM events WHERE node = $1 AND seq + count > $2"
    " AND seq >= (SELECT coalesce(max(seq), 0) FROM events WHERE node = $1 AND seq <= $2)"
    " ORDER BY seq LIMIT $3",
    "iii"};

static const struct db_stmt request_add = {
    SQL_INSERT("requests", REQUEST_COLUMNS) " ON CONFLICT DO NOTHING",
    SQL_TYPES(REQUEST_COLUMNS)};
static const struct db_stmt request_find = {
    "SELECT " SQL_NAMES(REQUEST_COLUMNS) " FROM requests WHERE namespace = $1 AND name = $2",
    "it"};
static const struct db_stmt request_finish = {
    "UPDATE requests SET rc = $3, reply = $4 WHERE namespace = $1 AND name = $2", "itit"};
static const struct db_stmt request_delete = {
    "DELETE FROM requests WHERE namespace = $1 AND name = $2", "it"};

static const struct db_stmt history_batch_end = {
    "SELECT id FROM (SELECT id FROM history WHERE id > $1 ORDER BY id LIMIT $2) AS batch"
    " ORDER BY id DESC LIMIT 1",
    "ii"};
static const struct db_stmt history_prune = {
    "DELETE FROM history WHERE id > $1 AND id <= $2 AND expire_at <= $3", "iii"};
static const struct db_stmt ledger_batch_end = {
    "SELECT id FROM (SELECT id FROM ledger WHERE id > $1 ORDER BY id LIMIT $2) AS batch"
    " ORDER BY id DESC LIMIT 1",
    "ii"};
static const struct db_stmt ledger_prune = {
    "DELETE FROM ledger WHERE id > $1 AND id <= $2 AND expire_at <= $3", "iii"};
static const struct db_stmt event_prune = {
    "DELETE FROM events WHERE node = $1 AND at < $2 AND seq <= (SELECT max(seq) FROM"
    " (SELECT seq FROM events WHERE node = $1 ORDER BY seq LIMIT $3) AS batch)",
    "iii"};
/* Numbers only grow, so a node's first event is its oldest. */
static const struct db_stmt event_down_node = {
    "SELECT id FROM nodes WHERE id > 0 AND state = " SQL_NODE_DOWN " AND (SELECT at FROM events"
    " WHERE node = nodes.id ORDER BY seq LIMIT 1) < $1 ORDER BY id LIMIT 1{skip}",
    "i"};
/* Also deletes rows that expire at the same time as the last of the batch. */
static const struct db_stmt request_prune = {
    "DELETE FROM requests WHERE expire_at <= (SELECT max(expire_at) FROM (SELECT expire_at"
    " FROM requests WHERE expire_at <= $1 ORDER BY expire_at LIMIT $2) AS batch)",
    "ii"};
static const struct db_stmt schedule_batch_end = {
    "SELECT id FROM (SELECT id FROM schedules WHERE deleted_at > 0 AND id > $1"
    " ORDER BY id LIMIT $2) AS batch ORDER BY id DESC LIMIT 1",
    "ii"};
static const struct db_stmt schedule_days_prune = {
    "DELETE FROM days WHERE subject IN (SELECT id FROM schedules WHERE deleted_at > 0"
    " AND deleted_at <= $3 AND id > $1 AND id <= $2)",
    "iii"};
static const struct db_stmt schedule_prune = {
    "DELETE FROM schedules WHERE deleted_at > 0 AND deleted_at <= $3 AND id > $1 AND id <= $2"
    " AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.schedule = schedules.id)"
    " AND NOT EXISTS (SELECT 1 FROM history WHERE history.schedule = schedules.id)"
    " AND NOT EXISTS (SELECT 1 FROM ledger WHERE ledger.schedule = schedules.id)"
    " AND NOT EXISTS (SELECT 1 FROM logs WHERE logs.schedule = schedules.id)"
    " AND NOT EXISTS (SELECT 1 FROM cursors WHERE cursors.id = schedules.id)",
    "iii"};

void events_insert(struct db *db, int64_t node, int64_t seq, int64_t count, instant at,
                   struct str body)
{
    struct db_value params[] = {
        db_int(node), db_int(seq), db_int(count), db_int(at), db_blob(body),
    };

    db_send(db, &event_add, params, NULL);
}

void events_last(struct db *db, struct str node, struct db_result *ret)
{
    db_send(db, &event_last, (struct db_value[]){db_text(node)}, ret);
}

void events_of(struct db *db, int64_t node, int64_t seq, int limit, struct db_result *ret)
{
    db_send(db, &event_list, (struct db_value[]){db_int(node), db_int(seq), db_int(limit)},
            ret);
}

void requests_insert(struct db *db, const struct request *from, struct db_result *ret)
{
    struct db_value params[] = {ROW_VALUES(REQUEST_COLUMNS)};

    db_send(db, &request_add, params, ret);
}

void requests_finish(struct db *db, const struct request *r)
{
    struct db_value params[] = {db_int(r->namespace), db_text(r->name), db_int(r->rc),
                                db_text(r->reply)};

    db_send(db, &request_finish, params, NULL);
}

void requests_delete(struct db *db, int64_t namespace, struct str name)
{
    db_send(db, &request_delete, (struct db_value[]){db_int(namespace), db_text(name)}, NULL);
}

void requests_find(struct db *db, int64_t namespace, struct str name, struct db_result *ret)
{
    db_send(db, &request_find, (struct db_value[]){db_int(namespace), db_text(name)}, ret);
}

void requests_read(const struct db_result *result, int row, struct request *ret)
{
    *ret = (struct request){ROW_MEMBERS(REQUEST_COLUMNS)};
}

void prune_history(struct db *db, int64_t after, int64_t until, instant now,
                   struct db_result *ret)
{
    db_send(db, &history_prune, (struct db_value[]){db_int(after), db_int(until), db_int(now)},
            ret);
}

void prune_history_batch_end(struct db *db, int64_t after, int limit, struct db_result *ret)
{
    db_send(db, &history_batch_end, (struct db_value[]){db_int(after), db_int(limit)}, ret);
}

void prune_ledger(struct db *db, int64_t after, int64_t until, instant now,
                  struct db_result *ret)
{
    db_send(db, &ledger_prune, (struct db_value[]){db_int(after), db_int(until), db_int(now)},
            ret);
}

void prune_ledger_batch_end(struct db *db, int64_t after, int limit, struct db_result *ret)
{
    db_send(db, &ledger_batch_end, (struct db_value[]){db_int(after), db_int(limit)}, ret);
}

void prune_events(struct db *db, int64_t node, instant before, int limit)
{
    db_send(db, &event_prune, (struct db_value[]){db_int(node), db_int(before), db_int(limit)},
            NULL);
}

void prune_events_down_node(struct db *db, instant before, struct db_result *ret)
{
    db_send(db, &event_down_node, (struct db_value[]){db_int(before)}, ret);
}

void prune_requests(struct db *db, instant now, int limit)
{
    db_send(db, &request_prune, (struct db_value[]){db_int(now), db_int(limit)}, NULL);
}

void prune_schedules(struct db *db, int64_t after, int64_t until, instant before)
{
    struct db_value params[] = {db_int(after), db_int(until), db_int(before)};

    db_send(db, &schedule_days_prune, params, NULL);
    db_send(db, &schedule_prune, params, NULL);
}

void prune_schedules_batch_end(struct db *db, int64_t after, int limit, struct db_result *ret)
{
    db_send(db, &schedule_batch_end, (struct db_value[]){db_int(after), db_int(limit)}, ret);
}
