/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conductor's schedules: save, get, delete, pause, resume.
 *
 * Every change reads the schedule first: its name may belong to a schedule of another API,
 * which this API does not see.  The command then names the key that was read.
 */
#include <inttypes.h>

#include "api/call/change.h"
#include "api/call/operation.h"
#include "api/call/request.h"
#include "api/conductor/conductor.h"
#include "api/schedules/schedule_compile.h"
#include "api/schedules/schedule_times.h"
#include "base/hash.h"

enum { SAVE_TRIES_MAX = 20 }; /* retries after others created or deleted the same name */

/* ---- shared functions ---- */

enum rc conductor_find(const struct call *call, struct db *db, struct schedule_view *ret,
                       struct err *reterr)
{
    enum rc rc = view_find(call, db, ret, reterr);

    if (rc == RC_OK && ret->row.dialect != DIALECTS_CONDUCTOR)
        return err_set(reterr, RC_NOT_FOUND, -1, 0, "created with another API");
    return rc == RC_OK ? schedule_times_next(call, db, call->arena, ret, reterr) : rc;
}

enum call_step conductor_missing(struct call *call, struct str name)
{
    call->status = 0;
    return call_problem(call, 404, "not_found", "Schedule '%.*s' not found", STR_ARG(name));
}

enum call_step conductor_failed(struct call *call, const struct err *err)
{
    if (err->rc == RC_NOT_FOUND)
        return conductor_missing(call, call->params[0]);
    return view_failed(call, err);
}

enum call_step conductor_done(struct call *call)
{
    call_answer(call, 200, (struct str){NULL, 0});
    call->content_type = NULL;
    return CALL_ANSWER;
}

enum rc conductor_read_param(const struct call *call, const char *name, int64_t high,
                             int64_t *ret, struct err *reterr)
{
    struct str text = request_query(call, name), rest = text;
    int64_t n;

    if (text.len == 0)
        return RC_OK;
    if (str_take_number(&rest, high, &n) == 0 || rest.len > 0) {
        err_set(reterr, RC_INVALID, -1, 0, "must be a whole number, not \"%.*s\"",
                STR_ARG(text));
        return err_in(reterr, "%s", name);
    }
    *ret = n > high ? high : n;
    return RC_OK;
}

enum rc conductor_draft(struct call *call, struct schedule_doc *doc, struct draft **ret,
                        struct err *reterr)
{
    if (schedule_compile(call, doc, DIALECTS_CONDUCTOR, ret, reterr) == RC_OK)
        return RC_OK;
    /* Each member is valid; the request is too large, or the times are wrong as a whole. */
    return err_rename(
        reterr, str_eq(str_of(reterr->field), STR("action")) ? "startWorkflowRequest" : "");
}

/* ---- save ---- */

/* The policy of Conductor's catch-up: the next workflow starts after the one before it. */
static void start_in_order(struct call *call, struct schedule_doc *doc)
{
    const struct api_context *context = call->context;
    struct buf key = arena_buf(call->arena, PLAN_TEXT_MAX + 1);

    if (doc->policies.catchup != CATCHUP_ALL || !context->has_upstream ||
        !context->has_upstream(context->arg, call->namespace_name,
                               doc->action.workflow.upstream))
        return;
    buf_text(&key, "start:");
    buf_str(&key, doc->id);
    if (key.cut) {
        key = arena_buf(call->arena, PLAN_TEXT_MAX + 1);
        buf_printf(&key, "start:%016" PRIx64, hash_bytes(doc->id.ptr, doc->id.len, 0));
    }
    doc->policies.gate = buf_as_str(&key);
    doc->policies.gate_limit = 1;
    doc->policies.gate_until_started = true;
}

struct saving {
    struct draft *draft;
    struct str name, reason;
    bool is_paused;
    bool is_unsent; /* the commands have to be sent */
    int tries;
};

enum call_step conductor_save_begin(struct call *call)
{
    struct saving *saving = arena_take(call->arena, sizeof *saving);
    struct schedule_doc doc = schedule_doc_initial(call, (struct str){NULL, 0});
    const struct api_context *context = call->context;
    struct conductor_wanted pause;
    json_auto_t *json = NULL;
    enum call_step step;
    struct err err;

    call->arg = saving;
    if (!request_json(call, false, &json, &step))
        return step;
    if (conductor_read(json, &context->zones, call->arena, &doc, &pause, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (context->conductor_keep > 0)
        doc.policies.retention_count = (int32_t)context->conductor_keep;
    start_in_order(call, &doc);
    if (conductor_draft(call, &doc, &saving->draft, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    saving->name = call->params[0] = doc.id;
    saving->reason = pause.reason;
    saving->is_paused = pause.is_paused;
    return CALL_READ;
}

static void build_create(struct call *call, const struct saving *saving)
{
    struct command *command = change_command(call, COMMAND_CREATE);

    saving->draft->is_paused = saving->is_paused;
    command->save.draft = saving->draft;
    command->save.reason = saving->reason;
}

/* A changed flag `paused` means pause or resume, which is a separate command. */
static void build_update(struct call *call, const struct saving *saving,
                         const struct schedule_view *view)
{
    struct command *commands = arena_array(call->arena, 2, sizeof *commands);
    bool was_paused = (view->cursor.flags & CURSOR_PAUSED) != 0;

    commands[0] = *change_command(call, COMMAND_UPDATE);
    commands[0].schedule = view->row.id;
    saving->draft->is_paused = false;
    commands[0].save.draft = saving->draft;
    commands[1] = *change_command(call, saving->is_paused ? COMMAND_PAUSE : COMMAND_RESUME);
    commands[1].schedule = view->row.id;
    commands[1].pause.reason = saving->reason;
    call->commands = commands;
    call->command_count = 1;
    if (was_paused != saving->is_paused || (was_paused && saving->reason.len > 0))
        call->command_count = 2;
}

static enum call_step answer_schedule(struct call *call, const struct schedule_view *view)
{
    struct answer out = answer_new(call->arena);
    struct conductor_shown shown;
    struct err err;

    if (conductor_show(view, call->arena, &shown, &err) != RC_OK)
        return view_failed(call, &err);
    answer_json(&out, shown.schedule);
    return call_answer(call, 200, answer_done(&out));
}

enum call_step conductor_save_read(struct call *call, struct db *db)
{
    struct saving *saving = call->arg;
    struct schedule_view view;
    struct err err;
    enum rc rc = view_find(call, db, &view, &err);

    if (rc != RC_OK && (rc != RC_NOT_FOUND || call->status != 0))
        return conductor_failed(call, &err);
    if (call->status != 0)
        return answer_schedule(call, &view);
    if (rc == RC_OK && view.row.dialect != DIALECTS_CONDUCTOR)
        return call_problem(call, 409, "exists",
                            "the name '%.*s' is used by a schedule of another API of this "
                            "server; choose another name",
                            STR_ARG(saving->name));
    if (rc == RC_OK)
        build_update(call, saving, &view);
    else
        build_create(call, saving);
    saving->is_unsent = true;
    return CALL_SETTLE;
}

enum call_step conductor_save_settled(struct call *call)
{
    struct saving *saving = call->arg;
    const struct command *command = call->commands;
    const struct reply *reply = call->replies;

    if (saving->is_unsent) {
        saving->is_unsent = false;
        return CALL_COMMANDS;
    }
    if ((reply->rc == RC_NOT_FOUND ||
         (reply->rc == RC_CONFLICT && command->kind == COMMAND_CREATE)) &&
        saving->tries++ < SAVE_TRIES_MAX)
        return CALL_READ; /* it was created or deleted meanwhile */
    for (int i = 0; i < call->command_count; i++)
        if (reply[i].rc != RC_OK)
            return call_refused(call, &command[i], &reply[i]);
    call->status = 200;
    return CALL_READ;
}

/* ---- get ---- */

enum call_step conductor_get_begin(struct call *call)
{
    struct err err;

    if (request_name(call, 0, "schedule", &err) != RC_OK)
        return conductor_missing(call, call->params[0]);
    return CALL_READ;
}

enum call_step conductor_get_read(struct call *call, struct db *db)
{
    struct schedule_view view;
    struct err err;

    if (conductor_find(call, db, &view, &err) != RC_OK)
        return conductor_failed(call, &err);
    return answer_schedule(call, &view);
}

/* ---- delete, pause, resume ---- */

enum call_step conductor_change_begin(struct call *call)
{
    enum command_kind kind = call->operation->command;
    struct command *command = change_command(call, kind);
    struct err err;

    if (request_name(call, 0, "schedule", &err) != RC_OK)
        return conductor_missing(call, call->params[0]);
    if (kind == COMMAND_PAUSE)
        command->pause.reason = request_query(call, "reason");
    if (kind == COMMAND_PAUSE && command->pause.reason.len > REASON_TEXT_MAX)
        return change_refuse(call, "reason", "is limited to 1000 bytes");
    return CALL_READ;
}

enum call_step conductor_change_read(struct call *call, struct db *db)
{
    struct schedule_view view;
    struct err err;

    if (conductor_find(call, db, &view, &err) != RC_OK)
        return conductor_failed(call, &err);
    call->commands->schedule = view.row.id;
    return CALL_SETTLE;
}

enum call_step conductor_change_settled(struct call *call)
{
    const struct reply *reply = call->replies;

    if (!reply)
        return CALL_COMMANDS;
    if (reply->rc == RC_NOT_FOUND)
        return conductor_missing(call, call->params[0]);
    if (reply->rc != RC_OK)
        return call_refused(call, call->commands, reply);
    return conductor_done(call);
}
