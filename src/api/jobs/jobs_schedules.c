/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedules of the jobs API: create, get, replace, patch, delete.
 *
 * Every change reads the schedule first: its name may belong to a schedule of another API,
 * which this API does not see.  The command then names the version or the key that was read.
 */
#include "api/call/change.h"
#include "api/call/operation.h"
#include "api/call/request.h"
#include "api/jobs/jobs.h"
#include "api/schedules/schedule_compile.h"
#include "api/schedules/schedule_times.h"

enum { EDIT_TRIES_MAX = 20 }; /* retries of an edit after other edits */

/* ---- shared functions ---- */

enum rc jobs_namespace(struct call *call, struct err *reterr)
{
    call->namespace_name = call->params[0];
    for (int i = 1; i < CALL_PARAMS_MAX; i++)
        call->params[i - 1] = call->params[i];
    call->params[CALL_PARAMS_MAX - 1] = (struct str){NULL, 0};
    return call_check_namespace(call, "orgId", reterr);
}

static enum call_step answer_missing(struct call *call)
{
    call->status = 0;
    return call_problem(call, 404, "not_found", "Schedule not found");
}

static enum call_step answer_failed(struct call *call, const struct err *err)
{
    return err->rc == RC_NOT_FOUND ? answer_missing(call) : view_failed(call, err);
}

static enum rc find_schedule(const struct call *call, struct db *db, struct schedule_view *ret,
                             struct err *reterr)
{
    enum rc rc = view_find(call, db, ret, reterr);

    if (rc == RC_OK && ret->row.dialect != DIALECTS_JOBS)
        return err_set(reterr, RC_NOT_FOUND, -1, 0, "created with another API");
    return rc == RC_OK ? schedule_times_next(call, db, call->arena, ret, reterr) : rc;
}

enum call_step jobs_get_begin(struct call *call)
{
    struct err err;

    return request_name(call, 0, "schedule", &err) == RC_OK ? CALL_READ : answer_missing(call);
}

/* Fills *command from the JSON of a schedule; `stored` is the current one, or NULL. */
static enum rc build_draft(struct call *call, json_t *json, const json_t *stored,
                           struct command *command, struct err *reterr)
{
    struct schedule_doc doc = schedule_doc_initial(call, call->params[0]);
    struct draft *draft;

    if (jobs_restore_secrets(json_object_get(json, "payload"),
                             json_object_get(stored, "payload"), reterr) != RC_OK)
        return err_in(reterr, "payload");
    if (jobs_read(json, call->namespace_name, call->arena, &doc, reterr) != RC_OK)
        return reterr->rc;
    if (schedule_compile(call, &doc, DIALECTS_JOBS, &draft, reterr) != RC_OK)
        return err_rename(reterr, "cronExpression");
    command->name = doc.id;
    command->save.draft = draft;
    return RC_OK;
}

/* ---- get ---- */

/* After a write, the answer has the status of the write. */
enum call_step jobs_get_read(struct call *call, struct db *db)
{
    struct answer out = answer_new(call->arena);
    struct schedule_view view;
    json_t *schedule;
    struct err err;

    if (find_schedule(call, db, &view, &err) != RC_OK)
        return answer_failed(call, &err);
    if (jobs_show(&view, call->namespace_name, call->arena, &schedule, &err) != RC_OK)
        return view_failed(call, &err);
    jobs_hide_secrets(json_object_get(schedule, "payload"));
    answer_json(&out, schedule);
    return call_answer(call, call->status != 0 ? call->status : 200, answer_done(&out));
}

/* ---- create ---- */

struct creating {
    struct command *command;
    struct str org; /* that is being created; empty: it exists */
};

enum call_step jobs_create_begin(struct call *call)
{
    struct creating *creating = arena_take(call->arena, sizeof *creating);
    struct command *command = change_command(call, COMMAND_CREATE);
    json_auto_t *json = NULL;
    enum call_step step;
    struct err err;

    *creating = (struct creating){.command = command};
    call->arg = creating;
    if (!request_json(call, false, &json, &step))
        return step;
    if (request_key(call, &err) != RC_OK ||
        build_draft(call, json, NULL, command, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    request_trace(call);
    return CALL_COMMANDS;
}

/* With tokens, a typing error in the path must not create a namespace. */
enum call_step jobs_no_org(struct call *call)
{
    struct creating *creating = call->arg;

    if (call->denied || call->caller.token != 0)
        return call_no_namespace(call);
    if (call->operation->begin == jobs_list_begin)
        return call_answer(call, 200, STR("[]"));
    if (call->operation->begin != jobs_create_begin)
        return answer_missing(call);
    if (creating->org.len > 0)
        return call_no_namespace(call); /* the namespace "default" does not exist yet */
    creating->org = call->namespace_name;
    call->namespace_name = STR("default");
    change_command(call, COMMAND_NAMESPACE)->name = creating->org;
    return CALL_COMMANDS;
}

static enum call_step create_schedule(struct call *call, struct creating *creating)
{
    call->namespace = call->replies->schedule;
    call->namespace_name = creating->org;
    call->commands = creating->command;
    creating->org = (struct str){NULL, 0};
    return CALL_COMMANDS;
}

enum call_step jobs_create_settled(struct call *call)
{
    struct creating *creating = call->arg;
    const struct reply *reply = call->replies;

    if (reply->rc != RC_OK)
        return call_refused(call, call->commands, reply);
    if (creating->org.len > 0)
        return create_schedule(call, creating);
    /* A repeated request gets the id that the first one created. */
    call->params[0] = reply->is_repeated && reply->text.len > 0 ? reply->text
                                                                : creating->command->name;
    call->status = 201;
    return CALL_READ;
}

/* ---- replace and patch ---- */

struct editing {
    struct str wanted;   /* the body of the request                                    */
    struct str document; /* the current schedule; empty once the command is built     */
    bool is_patch;       /* members that are absent keep their values                  */
    int64_t version;     /* that was read                                              */
    int tries;
};

enum call_step jobs_edit_begin(struct call *call)
{
    struct editing *editing = arena_take(call->arena, sizeof *editing);
    json_auto_t *json = NULL;
    enum call_step step;
    struct err err;

    editing->is_patch = str_eq(str_of(call->operation->method), STR("PATCH"));
    call->arg = editing;
    if (!request_json(call, false, &json, &step))
        return step;
    if (!json_is_object(json)) {
        json_wrong_type(json, "an object with the fields of a schedule", &err);
        return call_refuse(call, NULL, &err);
    }
    change_command(call, COMMAND_UPDATE);
    editing->wanted = arena_str(call->arena, call->body);
    return jobs_get_begin(call);
}

enum call_step jobs_edit_read(struct call *call, struct db *db)
{
    struct editing *editing = call->arg;
    struct answer out = answer_new(call->arena);
    struct schedule_view view;
    json_t *schedule;
    struct err err;

    if (call->status != 0)
        return jobs_get_read(call, db);
    if (find_schedule(call, db, &view, &err) != RC_OK ||
        jobs_show(&view, call->namespace_name, call->arena, &schedule, &err) != RC_OK)
        return answer_failed(call, &err);
    answer_json(&out, schedule);
    editing->document = answer_done(&out);
    editing->version = view.cursor.version;
    return CALL_SETTLE;
}

static enum call_step send_update(struct call *call, struct editing *editing)
{
    json_auto_t *document = json_of_kept(editing->document), *wanted = NULL;
    struct command *command = change_command(call, COMMAND_UPDATE);
    struct err err;

    editing->document = (struct str){NULL, 0};
    if (json_read(editing->wanted, &wanted, &err) != RC_OK)
        return call_refuse(call, "invalid_json", &err);
    if (editing->is_patch)
        json_object_update_missing(wanted, document);
    if (build_draft(call, wanted, document, command, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    command->version = editing->version;
    return CALL_COMMANDS;
}

enum call_step jobs_edit_settled(struct call *call)
{
    struct editing *editing = call->arg;
    const struct reply *reply = call->replies;

    if (editing->document.len > 0)
        return send_update(call, editing);
    if (reply->rc == RC_NOT_FOUND)
        return answer_missing(call);
    if (reply->rc == RC_CONFLICT && reply->version != editing->version &&
        editing->tries++ < EDIT_TRIES_MAX)
        return CALL_READ; /* apply it again to the current schedule */
    if (reply->rc != RC_OK)
        return call_refused(call, call->commands, reply);
    call->status = 200;
    return CALL_READ;
}

/* ---- delete ---- */

enum call_step jobs_delete_begin(struct call *call)
{
    change_command(call, COMMAND_DELETE);
    return jobs_get_begin(call);
}

enum call_step jobs_delete_read(struct call *call, struct db *db)
{
    struct schedule_view view;
    struct err err;

    if (find_schedule(call, db, &view, &err) != RC_OK)
        return answer_failed(call, &err);
    call->commands->schedule = view.row.id;
    return CALL_SETTLE;
}

enum call_step jobs_delete_settled(struct call *call)
{
    const struct reply *reply = call->replies;

    if (!reply)
        return CALL_COMMANDS;
    if (reply->rc == RC_NOT_FOUND)
        return answer_missing(call);
    if (reply->rc != RC_OK)
        return call_refused(call, call->commands, reply);
    return call_answer(call, 204, (struct str){NULL, 0});
}
