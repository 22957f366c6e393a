/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Future executions: start one at once, and cancel one before it starts.
 */
#include "api/agents/agents.h"
#include "api/agents/agents_item.h"
#include "api/call/answer.h"
#include "api/call/change.h"
#include "api/call/request.h"
#include "api/schedules/view.h"

enum { CANCEL_TRIES_MAX = 20 }; /* retries if the run starts or fails meanwhile */

/* The state of a request between its steps. */
struct state {
    struct agents_schedule schedule;
    struct agents_item item;
    bool is_unsent; /* the command has to be sent */
    int tries;
};

static struct state *state_new(struct call *call)
{
    struct state *state = arena_take(call->arena, sizeof *state);

    state->schedule = agents_initial(call->context->default_timezone);
    state->item.schedule = &state->schedule;
    call->arg = state;
    return state;
}

static enum call_step answer_item(struct call *call, int status)
{
    const struct zone_source *zones = &call->context->zones;
    struct state *state = call->arg;
    struct answer out = answer_new(call->arena);
    struct err err;

    state->item.zone = zones->find(zones->user, state->schedule.zone, &err);
    if (!state->item.zone)
        return call_refuse(call, NULL, &err);
    answer_json(&out, agents_item_json(&state->item));
    return call_answer(call, status, answer_done(&out));
}

/* ---- trigger ---- */

enum call_step agents_trigger_begin(struct call *call)
{
    struct state *state = state_new(call);
    json_auto_t *json = NULL;
    enum call_step step;
    struct err err;

    if (!request_json(call, false, &json, &step))
        return step;
    if (agents_read(json, call->arena, &state->schedule, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (str_trim(state->schedule.agent).len == 0)
        return change_refuse(call, "agentId", "is required; it names the agent to run");
    call->params[0] = agents_name(state->schedule.agent, state->schedule.project, call->arena);
    change_command(call, COMMAND_TRIGGER)->start.priority = AGENTS_NOW_PRIORITY;
    if (request_key(call, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    request_trace(call);
    return CALL_READ;
}

/* Triggers the schedule of the agent and the project if it exists; else starts a direct run. */
enum call_step agents_trigger_read(struct call *call, struct db *db)
{
    struct state *state = call->arg;
    struct command *command = call->commands;
    struct agents_schedule alone = agents_initial(call->context->default_timezone);
    struct schedule_view view;
    struct draft *draft = NULL;
    struct err err;
    enum rc rc = agents_find(call, db, &view, &err);

    state->is_unsent = true;
    if (rc == RC_OK) {
        rc = agents_stored_read(view.row.extra, call->arena, &state->schedule, &err);
        command->schedule = view.row.id;
        state->item.name = call->params[0];
    } else if (rc == RC_NOT_FOUND) {
        alone.agent = state->schedule.agent;
        alone.project = state->schedule.project;
        alone.scope = alone.project.len > 0 ? AGENTS_PROJECT : AGENTS_GLOBAL;
        alone.type = AGENTS_NOW;
        state->schedule = alone;
        command->kind = COMMAND_DIRECT;
        rc = agents_draft(call, &alone, call->params[0], &draft, &err);
        command->save = (struct save_args){.draft = draft,
                                           .start.priority = AGENTS_NOW_PRIORITY};
    }
    return rc == RC_OK ? CALL_SETTLE : agents_failed(call, &err);
}

enum call_step agents_trigger_settled(struct call *call)
{
    struct state *state = call->arg;
    const struct reply *reply = call->replies;

    if (state->is_unsent) {
        state->is_unsent = false;
        return CALL_COMMANDS;
    }
    if (reply->rc != RC_OK)
        return call_refused(call, call->commands, reply);
    state->item.run = reply->run;
    state->item.at = reply->run.slot_ms * SPAN_MS;
    state->item.is_immediate = true;
    state->item.priority = agents_now_priority(&state->schedule);
    state->item.status = AGENTS_READY;
    return answer_item(call, 202);
}

/* ---- cancel ---- */

enum call_step agents_cancel_begin(struct call *call)
{
    struct command *command = change_command(call, COMMAND_CANCEL);
    enum call_step step;
    struct err err;

    state_new(call);
    command->name = (struct str){NULL, 0};
    command->run.keeps_started = true;
    if (request_run(call, 0, &command->run.id, &err) != RC_OK ||
        request_key(call, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    return request_empty(call, &step) ? CALL_READ : step;
}

static enum rc set_not_found(const struct call *call, struct err *reterr)
{
    return err_set(reterr, RC_NOT_FOUND, -1, 0, "future execution \"%.*s\" not found",
                   STR_ARG(call->params[0]));
}

/* Reads the run and its schedule. */
static enum rc find_item(struct call *call, struct db *db, struct err *reterr)
{
    struct state *state = call->arg;
    struct run_id id = call->commands->run.id;
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
        return set_not_found(call, reterr);
    schedules_read(&rows, 0, &row);
    if (row.dialect != DIALECTS_AGENTS || row.namespace != call->namespace)
        return set_not_found(call, reterr);
    state->item = (struct agents_item){.run = id, .at = id.slot_ms * SPAN_MS};
    if (runs.rows == 1) {
        run_views_read(&runs, 0, &view);
        state->item = agents_item_of(&view.run);
    }
    state->item.schedule = &state->schedule;
    if (row.deleted_at == 0)
        state->item.name = row.name;
    if (agents_stored_read(row.extra, call->arena, &state->schedule, reterr) != RC_OK)
        return set_not_found(call, reterr);
    return RC_OK;
}

/* Cancels a run that has not started; a worker that has only claimed it loses it. */
enum call_step agents_cancel_read(struct call *call, struct db *db)
{
    struct state *state = call->arg;
    struct err err;

    if (find_item(call, db, &err) != RC_OK)
        return view_failed(call, &err);
    if (state->item.status == AGENTS_RUNNING)
        return answer_item(call, 409);
    state->is_unsent = true;
    return CALL_SETTLE;
}

enum call_step agents_cancel_settled(struct call *call)
{
    struct state *state = call->arg;
    const struct reply *reply = call->replies;
    struct err err;

    if (state->is_unsent) {
        state->is_unsent = false;
        return CALL_COMMANDS;
    }
    if (reply->rc == RC_CONFLICT && state->tries++ < CANCEL_TRIES_MAX)
        return CALL_READ; /* it has started meanwhile: read it again */
    if (reply->rc == RC_NOT_FOUND) {
        set_not_found(call, &err);
        return call_refuse(call, NULL, &err);
    }
    if (reply->rc != RC_OK)
        return call_refused(call, call->commands, reply);
    state->item.status = AGENTS_CANCELLED;
    state->item.owner = (struct str){NULL, 0};
    return answer_item(call, 200);
}
