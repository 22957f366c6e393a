/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs: cancelled and terminated.
 */
#include "api/native.h"
#include "api/request.h"
#include "api/sheet.h"
#include "api/view.h"

static enum call_step change_begin(struct call *call, enum command_kind kind)
{
    struct command *command = arena_take(call->arena, sizeof *command);
    json_auto_t *json = NULL;
    enum call_step step;
    struct err err;

    *command = (struct command){.kind = kind};
    call->commands = command;
    call->command_count = 1;
    if (request_run(call, 0, &command->run, &err) != RC_OK ||
        request_query_check(call, NULL, 0, &err) != RC_OK || request_key(call, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (!request_json(call, true, &json, &step))
        return step;
    if (json_check_names(json, NULL, 0, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    return CALL_READ;
}

enum call_step run_cancel_begin(struct call *call)
{
    return change_begin(call, COMMAND_CANCEL);
}

enum call_step run_terminate_begin(struct call *call)
{
    return change_begin(call, COMMAND_TERMINATE);
}

/* A run's id tells its schedule, and only the schedule's row tells whose it is. */
enum call_step run_change_read(struct call *call, struct db *db)
{
    struct err err;

    if (view_owner(call, db, call->commands->run.schedule, NULL, &err) != RC_OK)
        return view_failed(call, &err);
    return CALL_COMMANDS;
}

enum call_step run_change_settled(struct call *call)
{
    const struct reply *reply = call->replies;
    struct sheet out = sheet_new(call->arena);

    if (reply->rc != RC_OK)
        return call_refused(call, call->commands, reply);
    sheet_text(&out, "{\"id\":");
    sheet_quoted(&out, call->params[0]);
    sheet_text(&out, "}");
    return call_answer(call, call->commands->kind == COMMAND_CANCEL ? 202 : 200,
                       sheet_done(&out));
}
