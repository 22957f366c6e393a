/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PatchSchedule and DeleteSchedule: commands that leave the document of the schedule unchanged.
 */
#include "api/call/change.h"
#include "api/temporal/temporal_change.h"

enum { PATCH_COMMANDS_MAX = 4 };

/* The order matters: if a patch pauses and unpauses, the schedule runs. */
static enum rc read_patch(struct call *call, const Temporal__SchedulePatch *patch,
                          struct err *reterr)
{
    struct command *list = arena_array(call->arena, PATCH_COMMANDS_MAX, sizeof *list);
    int n = 0;
    enum rc rc = temporal_check_notes(patch, reterr);

    if (rc == RC_OK && patch->trigger_immediately) {
        list[n] = *change_command(call, COMMAND_TRIGGER);
        temporal_read_trigger(patch, &list[n++].start);
    }
    if (rc == RC_OK && patch->n_backfill_request > 0) {
        list[n] = *change_command(call, COMMAND_BACKFILL);
        rc = temporal_read_ranges(call, patch, &list[n].backfill, reterr);
        n += list[n].backfill.count > 0;
    }
    if (rc == RC_OK && patch->pause[0] != '\0') {
        list[n] = *change_command(call, COMMAND_PAUSE);
        list[n++].pause.reason = str_of(patch->pause);
    }
    if (rc == RC_OK && patch->unpause[0] != '\0') {
        list[n] = *change_command(call, COMMAND_RESUME);
        list[n++].pause.reason = str_of(patch->unpause);
    }
    call->commands = list;
    call->command_count = n;
    return rc;
}

enum call_step temporal_patch_begin(struct call *call)
{
    Temporal__PatchScheduleRequest *request;
    enum call_step step;
    struct err err;

    if (!temporal_read(call, &temporal__patch_schedule_request__descriptor, &request, &step) ||
        !temporal_read_id(call, request->schedule_id, &step) ||
        !temporal_check_request(call, request->request_id, false, &step))
        return step;
    if (!request->patch)
        return call_problem(call, 400, "invalid_field", "Patch is not set on request.");
    if (read_patch(call, request->patch, &err) != RC_OK)
        return call_refuse(call, "invalid_field", &err);
    temporal_key_commands(call, request->request_id, 0);
    return CALL_READ;
}

enum call_step temporal_delete_begin(struct call *call)
{
    enum call_step step = temporal_describe_begin(call); /* the request has the same fields */

    if (step == CALL_READ)
        change_command(call, COMMAND_DELETE);
    return step;
}

/* Finds the schedule if it was created with this API; the commands then name it by its key. */
enum call_step temporal_change_read(struct call *call, struct db *db)
{
    struct schedule_view view;
    struct err err;

    if (temporal_find(call, db, &view, &err) != RC_OK)
        return temporal_failed(call, &err);
    for (int i = 0; i < call->command_count; i++)
        call->commands[i].schedule = view.row.id;
    return CALL_SETTLE;
}

enum call_step temporal_change_settled(struct call *call)
{
    if (!call->replies && call->command_count > 0)
        return CALL_COMMANDS;
    for (int i = 0; i < call->command_count; i++)
        if (call->replies[i].rc != RC_OK)
            return temporal_refused(call, i);
    return temporal_answer_empty(call);
}
