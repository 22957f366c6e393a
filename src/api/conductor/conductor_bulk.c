/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pauses or resumes many schedules in one request.  A missing one does not affect the others.
 */
#include "api/call/change.h"
#include "api/call/operation.h"
#include "api/call/request.h"
#include "api/conductor/conductor.h"
#include "api/schedules/view.h"
#include "store/schedules.h"

struct bulk {
    struct str *names;
    int *commands; /* index of the command of each name; -1: the schedule does not exist */
    int count;
    bool is_sent;
};

static enum rc read_name(const json_t *item, int i, void *arg, struct err *reterr)
{
    struct call *call = arg;
    struct bulk *bulk = call->arg;
    struct str name;

    if (json_take_str(item, CALL_NAME_MAX, &name, reterr) != RC_OK)
        return reterr->rc;
    bulk->names[i] = arena_str(call->arena, name);
    return RC_OK;
}

enum call_step conductor_bulk_begin(struct call *call)
{
    struct bulk *bulk = arena_take(call->arena, sizeof *bulk);
    json_auto_t *json = NULL;
    enum call_step step;
    struct err err;

    call->arg = bulk;
    if (!request_json(call, false, &json, &step))
        return step;
    if (json_take_count(json, CALL_ITEMS_MAX, &bulk->count, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (bulk->count == 0)
        return call_problem(call, 400, "invalid_field",
                            "Validation failed: the list of names is empty");
    bulk->names = arena_array(call->arena, (size_t)bulk->count, sizeof *bulk->names);
    bulk->commands = arena_array(call->arena, (size_t)bulk->count, sizeof *bulk->commands);
    if (json_take_items(json, read_name, call, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    return CALL_READ;
}

static void add_command(struct call *call, const struct bulk *bulk, int i, int64_t schedule)
{
    struct command *command;

    bulk->commands[i] = call->command_count;
    command = &call->commands[call->command_count++];
    *command = command_new(call->operation->command);
    command->name = bulk->names[i];
    command->schedule = schedule;
}

/* Reads all schedules with one round trip to the database. */
enum call_step conductor_bulk_read(struct call *call, struct db *db)
{
    struct bulk *bulk = call->arg;
    size_t count = (size_t)bulk->count;
    struct db_result *rows = arena_array(call->arena, count, sizeof *rows);
    struct err err;

    call->commands = arena_array(call->arena, count, sizeof *call->commands);
    call->command_count = 0;
    for (int i = 0; i < bulk->count; i++)
        schedules_find_dialect(db, call->namespace, bulk->names[i], &rows[i]);
    if (db_flush(db, call->arena, &err) != RC_OK)
        return view_failed(call, &err);
    for (int i = 0; i < bulk->count; i++) {
        bulk->commands[i] = -1;
        if (rows[i].rows == 1 && db_int_at(&rows[i], 0, 1) == DIALECTS_CONDUCTOR)
            add_command(call, bulk, i, db_int_at(&rows[i], 0, 0));
    }
    return CALL_SETTLE;
}

static enum call_step answer_bulk(struct call *call, const struct bulk *bulk)
{
    json_t *object = json_new_object(), *errors = json_new_object(), *done = json_new_list();
    struct answer out = answer_new(call->arena);

    for (int i = 0; i < bulk->count; i++) {
        struct str name = bulk->names[i];
        const struct reply *reply = bulk->commands[i] < 0 ? NULL
                                                          : &call->replies[bulk->commands[i]];
        char text[ERR_TEXT_MAX];
        struct buf why = BUF(text);

        if (reply && reply->rc == RC_OK) {
            json_add(done, json_new_str(name));
            continue;
        }
        if (!reply || reply->rc == RC_NOT_FOUND)
            buf_printf(&why, "Schedule '%.*s' not found", STR_ARG(name));
        else
            buf_str(&why, reply->text);
        json_put(errors, arena_str(call->arena, name).ptr, json_new_str(buf_as_str(&why)));
    }
    json_put(object, "bulkErrorResults", errors);
    json_put(object, "bulkSuccessfulResults", done);
    answer_json(&out, object);
    return call_answer(call, 200, answer_done(&out));
}

enum call_step conductor_bulk_settled(struct call *call)
{
    struct bulk *bulk = call->arg;

    if (bulk->is_sent || call->command_count == 0)
        return answer_bulk(call, bulk);
    bulk->is_sent = true;
    return CALL_COMMANDS;
}
