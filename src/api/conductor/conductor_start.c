/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts a workflow at once, without a schedule: a direct run, whose id is the workflow's id.
 */
#include "api/call/change.h"
#include "api/call/request.h"
#include "api/conductor/conductor.h"
#include "api/schedules/schedule_compile.h"

/* `request` as a StartWorkflowRequest. */
static enum call_step send_start(struct call *call, const json_t *request)
{
    struct command *command = change_command(call, COMMAND_DIRECT);
    struct schedule_doc doc = schedule_doc_initial(call, (struct str){NULL, 0});
    struct draft *draft;
    struct err err;

    conductor_policies(false, &doc.policies);
    if (conductor_read_request(request, call->arena, &doc.action, &err) != RC_OK ||
        request_key(call, &err) != RC_OK || conductor_draft(call, &doc, &draft, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    command->name = doc.id;
    command->save.draft = draft;
    request_trace(call);
    return CALL_COMMANDS;
}

enum call_step conductor_start_begin(struct call *call)
{
    json_auto_t *json = NULL;
    enum call_step step;

    if (!request_json(call, false, &json, &step))
        return step;
    return send_start(call, json);
}

static void put_query(const struct call *call, const char *name, json_t *request)
{
    struct str text = request_query(call, name);

    if (text.len > 0)
        json_put(request, name, json_new_str(text));
}

/* The body is the input; the rest is in the query string. */
enum call_step conductor_start_named_begin(struct call *call)
{
    json_auto_t *request = json_new_object();
    json_t *input = NULL;
    enum call_step step;

    if (!request_json(call, true, &input, &step))
        return step;
    json_put(request, "name", json_new_str(call->params[0]));
    json_put(request, "input", input);
    put_query(call, "version", request);
    put_query(call, "correlationId", request);
    put_query(call, "priority", request);
    return send_start(call, request);
}

enum call_step conductor_start_settled(struct call *call)
{
    const struct reply *reply = call->replies;
    char id[RUN_ID_TEXT_MAX];

    if (reply->rc != RC_OK)
        return call_refused(call, call->commands, reply);
    run_id_format(&reply->run, id);
    call_answer(call, 200, arena_str(call->arena, str_of(id)));
    call->content_type = "text/plain";
    return CALL_ANSWER;
}
