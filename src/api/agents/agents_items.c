/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executions that are to be: asked for at once, and cancelled before they begin.
 */
#include "api/agents/agents.h"
#include "api/agents/agents_item.h"
#include "api/call/answer.h"
#include "api/call/change.h"
#include "api/call/request.h"
#include "api/schedules/view.h"

enum { CANCEL_TRIES_MAX = 20 }; /* runs that begin and fail while they are being cancelled */

/* What is asked for, between its steps. */
struct wanted {
    struct agents_schedule schedule;
    struct agents_item item;
    bool is_found; /* the command is to be sent; else it has been */
    int tries;
};

static struct wanted *wanted_new(struct call *call)
{
    struct wanted *wanted = arena_take(call->arena, sizeof *wanted);

    *wanted = (struct wanted){0};
    wanted->schedule = agents_initial(call->context->default_timezone);
    wanted->item.schedule = &wanted->schedule;
    call->arg = wanted;
    return wanted;
}

static enum call_step show(struct call *call, int status)
{
    const struct zone_source *zones = &call->context->zones;
    struct wanted *wanted = call->arg;
    struct answer out = answer_new(call->arena);
    struct err err;

    wanted->item.zone = zones->find(zones->user, wanted->schedule.zone, &err);
    if (!wanted->item.zone)
        return call_refuse(call, NULL, &err);
    answer_json(&out, agents_item_json(&wanted->item));
    return call_answer(call, status, answer_done(&out));
}

/* ---- asked for ---- */

enum call_step agents_trigger_begin(struct call *call)
{
    struct wanted *wanted = wanted_new(call);
    json_auto_t *json = NULL;
    enum call_step step;
    struct err err;

    if (!request_json(call, false, &json, &step))
        return step;
    if (agents_read(json, call->arena, &wanted->schedule, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (str_trim(wanted->schedule.agent).len == 0)
        return change_refuse(call, "agentId", "is required: which agent is to run");
    call->params[0] = agents_name(wanted->schedule.agent, wanted->schedule.project,
                                  call->arena);
    change_command(call, COMMAND_TRIGGER)->priority = AGENTS_NOW_PRIORITY;
    if (request_key(call, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    request_trace(call);
    return CALL_READ;
}

/* The schedule of the agent and the project, if there is one; else a run of its own. */
enum call_step agents_trigger_read(struct call *call, struct db *db)
{
    struct wanted *wanted = call->arg;
    struct command *command = call->commands;
    struct agents_schedule alone = agents_initial(call->context->default_timezone);
    struct schedule_view view;
    struct err err;
    enum rc rc = agents_find(call, db, &view, &err);

    wanted->is_found = true;
    if (rc == RC_OK) {
        rc = agents_recall(view.row.extra, call->arena, &wanted->schedule, &err);
        command->schedule = view.row.id;
        wanted->item.name = call->params[0];
    } else if (rc == RC_NOT_FOUND) {
        alone.agent = wanted->schedule.agent;
        alone.project = wanted->schedule.project;
        alone.scope = alone.project.len > 0 ? AGENTS_PROJECT : AGENTS_GLOBAL;
        alone.type = AGENTS_NOW;
        wanted->schedule = alone;
        command->kind = COMMAND_DIRECT;
        rc = agents_draft(call, &alone, call->params[0], command, &err);
    }
    return rc == RC_OK ? CALL_SETTLE : agents_failed(call, &err);
}

enum call_step agents_trigger_settled(struct call *call)
{
    struct wanted *wanted = call->arg;
    const struct reply *reply = call->replies;

    if (wanted->is_found) {
        wanted->is_found = false;
        return CALL_COMMANDS;
    }
    if (reply->rc != RC_OK)
        return call_refused(call, call->commands, reply);
    wanted->item.run = reply->run;
    wanted->item.at = reply->run.slot_ms * SPAN_MS;
    wanted->item.is_immediate = true;
    wanted->item.priority = agents_now_priority(&wanted->schedule);
    wanted->item.status = AGENTS_READY;
    return show(call, 202);
}

/* ---- cancelled ---- */

enum call_step agents_cancel_begin(struct call *call)
{
    struct command *command = change_command(call, COMMAND_CANCEL);
    enum call_step step;
    struct err err;

    wanted_new(call);
    command->name = (struct str){NULL, 0};
    command->is_gentle = true;
    if (request_run(call, 0, &command->run, &err) != RC_OK || request_key(call, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    return request_empty(call, &step) ? CALL_READ : step;
}

static enum rc no_execution(const struct call *call, struct err *reterr)
{
    return err_set(reterr, RC_NOT_FOUND, -1, 0, "there is no execution `%.*s` to come",
                   STR_ARG(call->params[0]));
}

/* Whose it is, and how far it has come. */
static enum rc find_item(struct call *call, struct db *db, struct err *reterr)
{
    struct wanted *wanted = call->arg;
    struct run_id id = call->commands->run;
    struct db_result runs = {0}, rows = {0};
    struct schedule_row row;
    struct run_view view;
    enum rc rc;

    run_views_get(db, &id, &runs);
    schedules_get(db, id.schedule, &rows);
    rc = db_flush(db, call->arena, reterr);
    if (rc != RC_OK)
        return rc;
    if (rows.rows == 0)
        return no_execution(call, reterr);
    schedules_read(&rows, 0, &row);
    if (row.dialect != DIALECTS_AGENTS || row.namespace != call->namespace)
        return no_execution(call, reterr);
    wanted->item = (struct agents_item){.run = id, .at = id.slot_ms * SPAN_MS};
    if (runs.rows == 1) {
        run_views_read(&runs, 0, &view);
        wanted->item = agents_item_of(&view.run);
    }
    wanted->item.schedule = &wanted->schedule;
    if (row.deleted_at == 0)
        wanted->item.name = row.name;
    if (agents_recall(row.extra, call->arena, &wanted->schedule, reterr) != RC_OK)
        return no_execution(call, reterr);
    return RC_OK;
}

/* What nobody has taken yet is cancelled; who has only just taken it loses it. */
enum call_step agents_cancel_read(struct call *call, struct db *db)
{
    struct wanted *wanted = call->arg;
    struct err err;

    if (find_item(call, db, &err) != RC_OK)
        return view_failed(call, &err);
    if (wanted->item.status == AGENTS_RUNNING)
        return show(call, 409);
    wanted->is_found = true;
    return CALL_SETTLE;
}

enum call_step agents_cancel_settled(struct call *call)
{
    struct wanted *wanted = call->arg;
    const struct reply *reply = call->replies;
    struct err err;

    if (wanted->is_found) {
        wanted->is_found = false;
        return CALL_COMMANDS;
    }
    if (reply->rc == RC_CONFLICT && wanted->tries++ < CANCEL_TRIES_MAX)
        return CALL_READ; /* it has begun meanwhile: as it is now */
    if (reply->rc == RC_NOT_FOUND) {
        no_execution(call, &err);
        return call_refuse(call, NULL, &err);
    }
    if (reply->rc != RC_OK)
        return call_refused(call, call->commands, reply);
    wanted->item.status = AGENTS_CANCELLED;
    wanted->item.owner = (struct str){NULL, 0};
    return show(call, 200);
}
