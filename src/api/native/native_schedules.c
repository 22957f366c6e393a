/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creates, replaces, patches, pauses, triggers and tests one schedule.
 */
#include "api/call/change.h"
#include "api/call/request.h"
#include "api/native/native.h"
#include "api/native/native_document.h"
#include "api/native/native_draft.h"
#include "api/schedules/schedule_times.h"
#include "api/schedules/view.h"
#include "model/action.h"

enum { PATCH_TRIES_MAX = 20 }; /* retries of a patch without a version after other edits */

/* The state of a write between its steps. */
struct writing {
    struct wanted_hint hint;
    /* For a patch. */
    struct str patch;    /* as it was sent                                         */
    struct str document; /* the current document, between the read and the command */
    int64_t version;     /* of that document                                       */
    bool has_version;    /* the request has If-Match with a version                */
    int tries;
};

/* Creating and replacing. */

static enum call_step write_begin(struct call *call, enum command_kind kind, struct str id)
{
    struct writing *writing = arena_take(call->arena, sizeof *writing);
    struct command *command = change_command(call, kind);
    json_auto_t *json = NULL;
    enum call_step step;
    struct err err;

    call->arg = writing;
    if (request_query_check(call, NULL, 0, &err) != RC_OK ||
        request_version(call, &command->version, &err) != RC_OK ||
        request_key(call, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (!request_json(call, false, &json, &step))
        return step;
    if (native_draft(call, json, id, command, &writing->hint, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    request_trace(call);
    return CALL_COMMANDS;
}

enum call_step schedule_create_begin(struct call *call)
{
    return write_begin(call, COMMAND_CREATE, (struct str){NULL, 0});
}

/* With a precondition the schedule must exist (If-Match) or must not (If-None-Match). */
enum call_step schedule_put_begin(struct call *call)
{
    enum command_kind kind = COMMAND_PUT;
    struct str condition;
    bool is_new;
    struct err err;

    if (request_name(call, 0, "schedule", &err) != RC_OK ||
        request_only_new(call, &is_new, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (http1_find(call->request, STR("If-Match"), &condition))
        kind = COMMAND_UPDATE;
    else if (is_new)
        kind = COMMAND_CREATE;
    return write_begin(call, kind, call->params[0]);
}

/*
 * Answers with a new schedule without reading it: the call has all that was committed, except
 * for the first run after a pause and the reason why no run is planned.
 */
static enum call_step show_created(struct call *call)
{
    const struct command *command = call->commands;
    const struct draft *draft = command->save.draft;
    const struct reply *reply = call->replies;
    instant created_at = reply->cursor->active_at; /* still its creation time */
    struct schedule_view view = {
        .row =
            {
                .id = reply->schedule,
                .namespace = call->namespace,
                .version = reply->version,
                .name = command->name,
                .spec = draft->spec,
                .action = draft->action,
                .policies = draft->policies,
                .governor = draft->governor,
                .labels = draft->labels,
                .extra = draft->extra,
                .description = draft->description,
                .reason = draft->is_paused ? command->save.reason : (struct str){NULL, 0},
                .dialect = draft->dialect,
                .created_at = created_at,
                .updated_at = created_at,
                .created_by = command->by,
                .updated_by = command->by,
            },
        .cursor = *reply->cursor,
    };

    if (!schedule_times_set_source(&view) || (view.cursor.flags & CURSOR_PAUSED) ||
        schedule_next_at(&view.cursor) == INSTANT_NEVER)
        return CALL_READ;
    return view_schedule_answer(call, &view, FIELDS_ALL, (struct str){NULL, 0});
}

/* The answer is the schedule after the write, with the time of its next run. */
enum call_step schedule_write_settled(struct call *call)
{
    struct writing *writing = call->arg;
    struct command *command = call->commands;
    const struct reply *reply = call->replies;

    if (reply->rc != RC_OK)
        return call_refused(call, command, reply);
    if (call->status == 0) {
        bool is_new = command_saves(command->kind) && reply->version == 1;

        if (reply->is_repeated && reply->text.len > 0)
            command->name = reply->text; /* the id that was generated the first time */
        call->status = is_new ? 201 : 200;
        call->params[0] = command->name;
        if (is_new)
            change_location(call, "/api/v1/schedules/", command->name);
    }
    if (!writing || !writing->hint.is_set)
        return reply->cursor ? show_created(call) : CALL_READ;
    *command = native_hint(&writing->hint, reply->schedule, command->name);
    writing->hint.is_set = false;
    return CALL_COMMANDS;
}

/*
 * Patching: a reader reads the document, the thread of the request applies the patch, and the
 * command writes the result if the schedule still has the version that was read.
 */

enum call_step schedule_patch_begin(struct call *call)
{
    struct writing *writing = arena_take(call->arena, sizeof *writing);
    struct command *command = change_command(call, COMMAND_UPDATE);
    json_auto_t *json = NULL;
    enum call_step step;
    struct err err;

    call->arg = writing;
    if (request_name(call, 0, "schedule", &err) != RC_OK ||
        request_query_check(call, NULL, 0, &err) != RC_OK ||
        request_version(call, &command->version, &err) != RC_OK ||
        request_key(call, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (!request_json(call, false, &json, &step))
        return step;
    if (!json_is_object(json)) {
        json_wrong_type(json, "an object with the fields to change", &err);
        return call_refuse(call, NULL, &err);
    }
    writing->has_version = command->version != 0;
    writing->patch = arena_str(call->arena, call->body);
    return CALL_READ;
}

enum call_step schedule_patch_read(struct call *call, struct db *db)
{
    struct writing *writing = call->arg;
    struct schedule_view view;
    struct err err;

    if (call->status != 0)
        return schedule_written_read(call, db);
    if (view_find(call, db, &view, &err) != RC_OK ||
        native_document_base(call, &view, &writing->document, &err) != RC_OK)
        return view_failed(call, &err);
    writing->version = view.cursor.version;
    return CALL_SETTLE;
}

static enum call_step apply_patch(struct call *call, struct writing *writing)
{
    struct command *command = call->commands;
    json_auto_t *patch = NULL, *json = NULL;
    struct err err;

    if (json_read(writing->patch, &patch, &err) != RC_OK)
        return call_refuse(call, "invalid_json", &err);
    json = native_document_patched(writing->document, patch);
    writing->document = (struct str){NULL, 0};
    if (native_draft(call, json, call->params[0], command, &writing->hint, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (!writing->has_version)
        command->version = writing->version;
    return CALL_COMMANDS;
}

/* A patch without a version applies to any version: after a conflict it is applied again. */
enum call_step schedule_patch_settled(struct call *call)
{
    struct writing *writing = call->arg;
    const struct reply *reply = call->replies;

    if (writing->document.len > 0)
        return apply_patch(call, writing);
    if (call->status == 0 && reply->rc == RC_CONFLICT && !writing->has_version &&
        reply->version != call->commands->version && writing->tries++ < PATCH_TRIES_MAX)
        return CALL_READ;
    return schedule_write_settled(call);
}

/* Pausing, triggering and testing have a small, optional body. */

struct small_body {
    struct str reason;
    instant until;
    struct str input;
    enum overlap overlap;
    instant scheduled;
};

#define AT(member) .offset = offsetof(struct small_body, member)

static enum rc parse_overlap(struct str word, void *to, struct err *reterr)
{
    return overlap_parse(word, to, reterr);
}

static const struct member pause_list[] = {
    {"reason", MEMBER_TEXT, AT(reason), .high = REASON_TEXT_MAX},
    {"until", MEMBER_INSTANT, AT(until)},
};

static const struct member trigger_list[] = {
    {"input", MEMBER_MAP, AT(input), .high = ACTION_INPUT_MAX},
    {"overlap", MEMBER_WORD, AT(overlap), .parse = parse_overlap},
    {"scheduledTime", MEMBER_INSTANT, AT(scheduled)},
};

static const struct member test_list[] = {
    {"input", MEMBER_MAP, AT(input), .high = ACTION_INPUT_MAX},
};

static const struct members pause_members = MEMBERS(pause_list);
static const struct members trigger_members = MEMBERS(trigger_list);
static const struct members test_members = MEMBERS(test_list);

static const struct small_body defaults = {.until = INSTANT_NEVER, .overlap = OVERLAP_DEFAULT};

enum call_step schedule_pause_begin(struct call *call)
{
    struct command *command = change_command(call, COMMAND_PAUSE);
    struct small_body body = defaults;
    enum call_step step;

    if (!change_begin(call, &pause_members, &body, &step))
        return step;
    if (body.until <= call->now)
        return change_refuse(call, "until", "must be later than now");
    command->pause = (struct pause_args){.until = body.until,
                                         .reason = body.reason,
                                         .keeps = body.until == INSTANT_NEVER &&
                                                  !body.reason.ptr};
    return CALL_COMMANDS;
}

enum call_step schedule_run_begin(struct call *call)
{
    const struct members *members = call->operation->command == COMMAND_TEST ? &test_members
                                                                             : &trigger_members;
    struct command *command = change_command(call, call->operation->command);
    struct small_body body = defaults;
    enum call_step step;

    if (!change_begin(call, members, &body, &step))
        return step;
    command->start = (struct start_args){body.overlap, body.scheduled, body.input, 0};
    request_trace(call);
    return CALL_COMMANDS;
}
