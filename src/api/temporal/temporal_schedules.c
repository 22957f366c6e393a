/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CreateSchedule and UpdateSchedule.
 */
#include "api/call/change.h"
#include "api/call/dialects.h"
#include "api/temporal/temporal_attributes.h"
#include "api/temporal/temporal_change.h"

enum { UPDATE_TRIES_MAX = 20 }; /* retries of an update without token after other edits */

static Temporal__Fields *action_attributes(const Temporal__Schedule *schedule)
{
    return schedule && schedule->action && schedule->action->start_workflow
               ? schedule->action->start_workflow->search_attributes
               : NULL;
}

/* ---- create ---- */

/* The initial patch is part of the create command. */
static enum rc read_initial_patch(struct call *call, const Temporal__SchedulePatch *patch,
                                  struct command *command, struct draft *draft,
                                  struct err *reterr)
{
    enum rc rc = temporal_check_notes(patch, reterr);

    if (rc != RC_OK)
        return rc;
    if (patch->pause[0] != '\0') {
        draft->is_paused = true;
        command->save.reason = str_of(patch->pause);
    }
    if (patch->unpause[0] != '\0') {
        draft->is_paused = false;
        command->save.reason = str_of(patch->unpause);
    }
    draft->trigger = patch->trigger_immediately != NULL;
    if (draft->trigger)
        temporal_read_trigger(patch, &command->save.start);
    return rc == RC_OK ? temporal_read_ranges(call, patch, &command->save.backfill, reterr)
                       : rc;
}

static enum rc read_create(struct call *call, const Temporal__CreateScheduleRequest *request,
                           struct err *reterr)
{
    const struct temporal_stored wanted = {request->schedule, request->memo,
                                           request->search_attributes};
    const Temporal__ScheduleState *state = request->schedule ? request->schedule->state : NULL;
    struct command *command = change_command(call, COMMAND_CREATE);
    struct draft *draft;

    if (temporal_check_state(request->schedule, reterr) != RC_OK ||
        temporal_draft(call, call->params[0], &wanted, &draft, reterr) != RC_OK)
        return reterr->rc;
    command->save.draft = draft;
    draft->is_paused = state && state->paused;
    command->save.reason = str_of(state ? state->notes : "");
    return request->initial_patch
               ? read_initial_patch(call, request->initial_patch, command, draft, reterr)
               : RC_OK;
}

enum create_step { CREATE_FIRST, CREATE_CHECK, CREATE_DELETE, CREATE_AGAIN };

struct creating {
    const char *request;
    struct command *command;
    int64_t closed;        /* key of the closed schedule that has the id; 0: none */
    enum create_step step; /* the last step that was done                         */
};

enum call_step temporal_create_begin(struct call *call)
{
    struct creating *creating = arena_take(call->arena, sizeof *creating);
    Temporal__CreateScheduleRequest *request;
    enum call_step step;
    struct err err;

    if (!temporal_read(call, &temporal__create_schedule_request__descriptor, &request, &step) ||
        !temporal_read_id(call, request->schedule_id, &step) ||
        !temporal_check_request(call, request->request_id, true, &step) ||
        !temporal_attributes_check(call, request->search_attributes,
                                   action_attributes(request->schedule), &step))
        return step;
    if (read_create(call, request, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    temporal_key_commands(call, request->request_id, 0);
    creating->request = request->request_id;
    creating->command = call->commands;
    call->arg = creating;
    return CALL_COMMANDS;
}

/* Finds the schedule that has the id.  Temporal's clients do not see a closed one. */
enum call_step temporal_create_read(struct call *call, struct db *db)
{
    struct creating *creating = call->arg;
    struct schedule_view view;
    struct err err;
    enum rc rc = view_find(call, db, &view, &err);

    if (rc != RC_OK && rc != RC_NOT_FOUND)
        return temporal_failed(call, &err);
    if (rc == RC_OK && view.row.dialect == DIALECTS_TEMPORAL &&
        (view.cursor.flags & CURSOR_CLOSED))
        creating->closed = view.row.id;
    creating->step = CREATE_CHECK;
    return CALL_SETTLE;
}

/* This is the second command of the request, so its key has the number 1. */
static enum call_step create_again(struct call *call, struct creating *creating)
{
    call->commands = creating->command;
    call->command_count = 1;
    temporal_key_commands(call, creating->request, 1);
    creating->step = CREATE_AGAIN;
    return CALL_COMMANDS;
}

static enum call_step delete_closed(struct call *call, struct creating *creating)
{
    change_command(call, COMMAND_DELETE)->schedule = creating->closed;
    creating->step = CREATE_DELETE;
    return CALL_COMMANDS;
}

enum call_step temporal_create_settled(struct call *call)
{
    Temporal__CreateScheduleResponse answer = TEMPORAL__CREATE_SCHEDULE_RESPONSE__INIT;
    struct creating *creating = call->arg;
    const struct reply *reply = call->replies;

    if (creating->step == CREATE_CHECK && creating->closed != 0)
        return delete_closed(call, creating);
    if (creating->step == CREATE_CHECK || creating->step == CREATE_DELETE)
        return create_again(call, creating);
    if (reply->rc == RC_CONFLICT)
        return creating->step == CREATE_FIRST ? CALL_READ : temporal_schedule_exists(call);
    if (reply->rc != RC_OK)
        return temporal_refused(call, 0);
    answer.conflict_token = temporal_token(1, call->arena);
    return temporal_answer(call, &answer.base);
}

/* ---- update ---- */

enum update_step { UPDATE_READ, UPDATE_WRITTEN, UPDATE_NOTED };

struct updating {
    const Temporal__UpdateScheduleRequest *request;
    int64_t token, version;
    struct temporal_stored stored; /* what is stored now */
    struct str notes;
    bool is_paused;
    enum update_step step; /* the last step that was done */
    int tries;
};

/*
 * An update replaces everything, including the state, but keeps a memo and search attributes
 * that it does not set.  So the schedule is read first, and written only if it is unchanged.
 */
enum call_step temporal_update_begin(struct call *call)
{
    struct updating *updating = arena_take(call->arena, sizeof *updating);
    Temporal__UpdateScheduleRequest *request;
    enum call_step step;
    struct err err;

    if (!temporal_read(call, &temporal__update_schedule_request__descriptor, &request, &step) ||
        !temporal_read_id(call, request->schedule_id, &step) ||
        !temporal_check_request(call, request->request_id, false, &step) ||
        !temporal_attributes_check(call, request->search_attributes,
                                   action_attributes(request->schedule), &step))
        return step;
    if (temporal_check_state(request->schedule, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    updating->request = request;
    updating->token = temporal_token_version(request->conflict_token);
    call->arg = updating;
    return CALL_READ;
}

enum call_step temporal_update_read(struct call *call, struct db *db)
{
    struct updating *updating = call->arg;
    struct schedule_view view;
    struct err err;

    if (temporal_find(call, db, &view, &err) != RC_OK ||
        temporal_stored_read(&view.row, call->arena, &updating->stored, &err) != RC_OK)
        return temporal_failed(call, &err);
    updating->version = view.cursor.version;
    updating->is_paused = (view.cursor.flags & CURSOR_PAUSED) != 0;
    updating->notes = arena_str(call->arena, view.row.reason);
    updating->step = UPDATE_READ;
    return CALL_SETTLE;
}

static enum call_step refuse_token(struct call *call)
{
    return call_problem(call, 412, "version_conflict", "mismatched conflict token");
}

static enum call_step send_update(struct call *call, struct updating *updating)
{
    const Temporal__UpdateScheduleRequest *request = updating->request;
    const struct temporal_stored wanted = {
        request->schedule, request->memo ? request->memo : updating->stored.memo,
        request->search_attributes ? request->search_attributes
                                   : updating->stored.search_attributes};
    struct command *command = change_command(call, COMMAND_UPDATE);
    struct draft *draft;
    struct err err;

    if (updating->token != 0 && updating->token != updating->version)
        return refuse_token(call);
    if (temporal_draft(call, call->params[0], &wanted, &draft, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    command->save.draft = draft;
    command->version = updating->version;
    temporal_key_commands(call, request->request_id, 0);
    updating->step = UPDATE_WRITTEN;
    return CALL_COMMANDS;
}

/* Pause and resume are separate commands, sent after the update has been executed. */
static enum call_step send_state(struct call *call, struct updating *updating)
{
    const Temporal__Schedule *schedule = updating->request->schedule;
    const Temporal__ScheduleState *state = schedule->state;
    bool is_paused = state && state->paused;
    struct str notes = str_of(state ? state->notes : "");
    struct command *command;

    if (is_paused == updating->is_paused && str_eq(notes, updating->notes))
        return temporal_answer_empty(call);
    command = change_command(call, is_paused ? COMMAND_PAUSE : COMMAND_RESUME);
    command->schedule = call->replies->schedule;
    command->pause.reason = notes;
    temporal_key_commands(call, updating->request->request_id, 1);
    updating->step = UPDATE_NOTED;
    return CALL_COMMANDS;
}

enum call_step temporal_update_settled(struct call *call)
{
    struct updating *updating = call->arg;
    enum rc rc;

    if (updating->step == UPDATE_READ)
        return send_update(call, updating);
    rc = call->replies->rc;
    if (updating->step == UPDATE_WRITTEN && rc == RC_CONFLICT) {
        if (updating->token != 0)
            return refuse_token(call);
        if (updating->tries++ < UPDATE_TRIES_MAX)
            return CALL_READ;
    }
    if (rc != RC_OK)
        return temporal_refused(call, 0);
    return updating->step == UPDATE_WRITTEN ? send_state(call, updating)
                                            : temporal_answer_empty(call);
}
