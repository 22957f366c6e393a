/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows a schedule, on request and after a change.
 */
#include "api/call/request.h"
#include "api/native/native.h"
#include "api/schedules/no_next.h"

enum call_step schedule_get_begin(struct call *call)
{
    static const char *const names[] = {"fields"};
    field_set *fields = arena_take(call->arena, sizeof *fields);
    struct err err;

    if (request_name(call, 0, "schedule", &err) != RC_OK ||
        request_query_check(call, names, 1, &err) != RC_OK ||
        request_fields(call, &schedule_fields, fields, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    call->arg = fields;
    return CALL_READ;
}

static enum call_step show_schedule(struct call *call, struct db *db,
                                    struct schedule_view *view, field_set fields)
{
    struct str no_next = {NULL, 0};
    struct err err;

    if (fields_have(fields, SCHEDULE_FIELD_STATE) &&
        (schedule_times_next(call, db, call->arena, view, &err) != RC_OK ||
         no_next_read(call, db, view, &no_next, &err) != RC_OK))
        return view_failed(call, &err);
    return view_schedule_answer(call, view, fields, no_next);
}

enum call_step schedule_get_read(struct call *call, struct db *db)
{
    struct schedule_view view;
    struct err err;

    if (view_find(call, db, &view, &err) != RC_OK)
        return view_failed(call, &err);
    return show_schedule(call, db, &view, *(const field_set *)call->arg);
}

enum call_step schedule_written_read(struct call *call, struct db *db)
{
    const struct api_context *context = call->context;
    struct schedule_view view;
    struct err err;

    if (view_find(call, db, &view, &err) != RC_OK)
        return view_failed(call, &err);
    if (context->note_change)
        context->note_change(context->arg, view.row.id); /* a hint has no event */
    return show_schedule(call, db, &view, FIELDS_ALL);
}
