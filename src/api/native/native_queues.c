/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues: their depth, pausing them, and their limits.
 */
#include "api/call/change.h"
#include "api/native/native.h"
#include "api/schedules/page.h"
#include "api/schedules/view.h"
#include "core/policy/policies.h"
#include "model/member.h"
#include "store/named_objects.h"

static void print_queue(const struct queue_row *row, struct answer *out)
{
    answer_open(out);
    answer_put_text(out, "name", row->name);
    answer_put_bool(out, "paused", row->is_paused);
    answer_name(out, "limit");
    if (row->most > 0)
        answer_int(out, row->most);
    else
        answer_text(out, "null");
}

/* Counting stops at `max`. */
static void print_depth(const struct db_result *result, int64_t max, struct answer *out)
{
    struct queue_depth depth;

    queue_depths_read(result, &depth);
    answer_put_int(out, "depth", depth.ready);
    if (depth.ready >= max)
        answer_put_bool(out, "more", true);
    answer_put_instant(out, "oldest", depth.oldest);
    answer_text(out, "}");
}

/* Reads the depth of each of the first `count` queues. */
static enum rc read_depths(const struct call *call, struct db *db, const struct db_result *rows,
                           struct db_result *ret, int count, struct err *reterr)
{
    for (int i = 0; i < count; i++) {
        struct queue_row row;

        queues_read(rows, i, &row);
        queue_depths_get(db, row.id, QUEUE_LISTED_DEPTH_MAX, &ret[i]);
    }
    return db_flush(db, call->arena, reterr);
}

enum call_step queue_list_read(struct call *call, struct db *db)
{
    const struct page *page = call->arg;
    struct answer out = answer_new(call->arena);
    struct db_result rows = {0}, *depths;
    struct queue_row row = {0};
    struct err err;
    int count;

    queues_list(db, call->namespace, page->after, page->limit + 1, &rows);
    if (db_flush(db, call->arena, &err) != RC_OK)
        return view_failed(call, &err);
    count = rows.rows > page->limit ? page->limit : rows.rows;
    depths = arena_array(call->arena, (size_t)count, sizeof *depths);
    if (read_depths(call, db, &rows, depths, count, &err) != RC_OK)
        return view_failed(call, &err);
    page_open(&out, "queues");
    for (int i = 0; i < count; i++) {
        queues_read(&rows, i, &row);
        print_queue(&row, &out);
        print_depth(&depths[i], QUEUE_LISTED_DEPTH_MAX, &out);
    }
    page_close(&out, rows.rows > count ? row.name : (struct str){NULL, 0});
    return call_answer(call, 200, answer_done(&out));
}

/* Finds the queue that the path names; RC_NOT_FOUND. */
static enum rc find_queue(const struct call *call, struct db *db, struct queue_row *ret,
                          struct err *reterr)
{
    struct db_result found = {0}, row = {0};
    enum rc rc;

    queues_find(db, call->namespace, call->params[0], &found);
    rc = db_flush(db, call->arena, reterr);
    if (rc == RC_OK && found.rows == 1) {
        queues_get(db, db_int_at(&found, 0, 0), &row);
        rc = db_flush(db, call->arena, reterr);
    }
    if (rc != RC_OK)
        return rc;
    if (row.rows == 0)
        return err_set(reterr, RC_NOT_FOUND, -1, 0, "queue \"%.*s\" does not exist",
                       STR_ARG(call->params[0]));
    queues_read(&row, 0, ret);
    return RC_OK;
}

enum call_step queue_get_read(struct call *call, struct db *db)
{
    struct answer out = answer_new(call->arena);
    struct db_result result = {0};
    struct queue_row row;
    struct err err;

    if (find_queue(call, db, &row, &err) != RC_OK)
        return view_failed(call, &err);
    queue_depths_get(db, row.id, QUEUE_DEPTH_MAX, &result);
    if (db_flush(db, call->arena, &err) != RC_OK)
        return view_failed(call, &err);
    print_queue(&row, &out);
    print_depth(&result, QUEUE_DEPTH_MAX, &out);
    return call_answer(call, 200, answer_done(&out));
}

/* Pausing reads the queue's key first, so that an unknown name is an error. */

enum call_step queue_change_begin(struct call *call)
{
    enum call_step step;

    return request_empty(call, &step) ? request_named(call) : step;
}

enum call_step queue_change_read(struct call *call, struct db *db)
{
    struct queue_row row;
    struct err err;

    if (call->command_count > 0)
        return queue_get_read(call, db); /* after the command: answer with the queue */
    if (find_queue(call, db, &row, &err) != RC_OK)
        return view_failed(call, &err);
    change_command(call, call->operation->command)->key = row.id;
    return CALL_COMMANDS;
}

/* Setting a limit creates a missing queue, so that it has a limit before its first run. */

struct queue_body {
    int64_t limit;
};

static const struct member queue_list[] = {
    {"limit", MEMBER_INT64, .offset = offsetof(struct queue_body, limit), .low = 1,
     .high = QUEUE_LIMIT_MAX},
};

static const struct members queue_members = MEMBERS(queue_list);

/* The member must be present; null removes the limit. */
static enum rc read_limit(struct call *call, const json_t *json, int64_t *ret,
                          struct err *reterr)
{
    struct queue_body body = {0};
    const struct reading reading = {call->arena, false, &body};
    enum rc rc = members_read(&queue_members, json, &reading, reterr);

    if (rc == RC_OK && !json_object_get(json, "limit")) {
        rc = err_set(reterr, RC_INVALID, -1, 0,
                     "is missing; must be a number from 1 to %d, or null for no limit",
                     QUEUE_LIMIT_MAX);
        err_in(reterr, "limit");
    }
    *ret = body.limit;
    return rc;
}

enum call_step queue_put_begin(struct call *call)
{
    struct command *command = change_command(call, COMMAND_QUEUE_LIMIT);
    json_auto_t *json = NULL;
    enum call_step step;
    struct err err;

    if (request_query_check(call, NULL, 0, &err) != RC_OK || request_key(call, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (!request_new_name(call, CALL_NAME_MAX, &step) ||
        !request_json(call, false, &json, &step))
        return step;
    if (read_limit(call, json, &command->limit, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    return CALL_COMMANDS;
}
