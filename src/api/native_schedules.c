/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedules: created, replaced, deleted, paused, resumed, triggered.
 */
#include "api/answer.h"
#include "api/native.h"
#include "api/native_draft.h"
#include "api/request.h"
#include "core/text.h"
#include "model/action.h"

enum {
    REASON_TEXT_MAX = 1000, /* bytes: a sentence or two for people  */
    LOCATION_MORE = 64,     /* bytes of a path beside its variables */
};

/* A write of one schedule, between its steps. */
struct writing {
    struct wanted_hint hint;
};

static struct command *one_command(struct call *call, enum command_kind kind)
{
    struct command *command = arena_take(call->arena, sizeof *command);

    *command = (struct command){.kind = kind,
                                .name = call->params[0],
                                .overlap = OVERLAP_DEFAULT,
                                .until = INSTANT_NEVER,
                                .hint_at = INSTANT_NEVER};
    call->commands = command;
    call->command_count = 1;
    return command;
}

/* Location: a path whose last segment is escaped as a URL wants it. */
static void add_location(struct call *call, const char *path, struct str last)
{
    static const char hex[] = "0123456789ABCDEF";
    struct buf out = {.cap = LOCATION_MORE + 3 * (last.len + call->namespace_name.len)};

    out.ptr = arena_take(call->arena, out.cap);
    buf_text(&out, path);
    for (int part = 0; part < 2; part++) {
        struct str text = part == 0 ? last : call->namespace_name;

        if (part == 1 && str_eq(text, STR("default")))
            break;
        buf_text(&out, part == 0 ? "" : "?namespace=");
        for (size_t i = 0; i < text.len; i++) {
            char c = text.ptr[i];

            if (char_is_alpha(c) || char_is_digit(c) || c == '-' || c == '_' || c == '.')
                buf_char(&out, c);
            else
                buf_add(&out, (char[]){'%', hex[(unsigned char)c >> 4], hex[c & 15]}, 3);
        }
    }
    call_field(call, STR("Location"), buf_as_str(&out));
}

/* Creating and replacing. */

static enum call_step write_begin(struct call *call, enum command_kind kind, struct str id)
{
    struct writing *writing = arena_take(call->arena, sizeof *writing);
    struct command *command = one_command(call, kind);
    json_auto_t *json = NULL;
    enum call_step step;
    struct err err;

    call->with = writing;
    if (request_query_check(call, NULL, 0, &err) != RC_OK ||
        request_version(call, &command->version, &err) != RC_OK ||
        request_key(call, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (!request_json(call, false, &json, &step))
        return step;
    if (native_draft(call, json, id, command, &writing->hint, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    return CALL_COMMANDS;
}

enum call_step schedule_create_begin(struct call *call)
{
    return write_begin(call, COMMAND_CREATE, (struct str){NULL, 0});
}

/* A precondition says whether it must be there; without one both are right. */
enum call_step schedule_put_begin(struct call *call)
{
    enum command_kind kind = COMMAND_PUT;
    struct str condition;
    struct err err;

    if (request_name(call, 0, "schedule", &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (http1_find(call->request, STR("If-Match"), &condition))
        kind = COMMAND_UPDATE;
    else if (http1_find(call->request, STR("If-None-Match"), &condition) &&
             str_eq(condition, STR("*")))
        kind = COMMAND_CREATE;
    return write_begin(call, kind, call->params[0]);
}

/* The answer is the schedule as it is then, with the time of its next run. */
enum call_step schedule_write_settled(struct call *call)
{
    struct writing *writing = call->with;
    struct command *command = call->commands;
    const struct reply *reply = call->replies;

    if (reply->rc != RC_OK)
        return call_refused(call, command, reply);
    if (call->status == 0) {
        bool is_new = command->draft && reply->version == 1;

        call->status = is_new ? 201 : 200;
        call->params[0] = command->name;
        if (is_new)
            add_location(call, "/api/v1/schedules/", command->name);
    }
    if (!writing || !writing->hint.is_set)
        return CALL_READ;
    *command = (struct command){.kind = COMMAND_HINT,
                                .schedule = reply->schedule,
                                .name = command->name,
                                .hint_interval = writing->hint.interval,
                                .hint_at = writing->hint.at,
                                .until = writing->hint.expires};
    writing->hint.is_set = false;
    return CALL_COMMANDS;
}

/* Deleting. */

enum call_step schedule_delete_begin(struct call *call)
{
    struct command *command = one_command(call, COMMAND_DELETE);
    struct err err;

    if (request_name(call, 0, "schedule", &err) != RC_OK ||
        request_query_check(call, NULL, 0, &err) != RC_OK ||
        request_version(call, &command->version, &err) != RC_OK ||
        request_key(call, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    return CALL_COMMANDS;
}

enum call_step schedule_delete_settled(struct call *call)
{
    if (call->replies->rc != RC_OK)
        return call_refused(call, call->commands, call->replies);
    return call_answer(call, 204, (struct str){NULL, 0});
}

/* Pausing, resuming, triggering: a small body that may be left out. */

struct request_body {
    struct str reason;
    instant until;
    struct str input;
    enum overlap overlap;
    instant scheduled;
};

#define AT(member) .offset = offsetof(struct request_body, member)

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

static const struct members pause_members = MEMBERS(pause_list);
static const struct members trigger_members = MEMBERS(trigger_list);
static const struct members no_members = {NULL, 0};

/* True: *command is ready for what the body says; false: it was refused with *ret_step. */
static bool change_begin(struct call *call, struct command *command,
                         const struct members *members, struct request_body *body,
                         enum call_step *ret_step)
{
    const struct reading reading = {call->arena, false, body};
    json_auto_t *json = NULL;
    struct err err;

    *body = (struct request_body){.until = INSTANT_NEVER, .overlap = OVERLAP_DEFAULT};
    if (request_name(call, 0, "schedule", &err) != RC_OK ||
        request_query_check(call, NULL, 0, &err) != RC_OK ||
        request_version(call, &command->version, &err) != RC_OK ||
        request_key(call, &err) != RC_OK) {
        *ret_step = call_refuse(call, NULL, &err);
        return false;
    }
    if (!request_json(call, true, &json, ret_step))
        return false;
    if (members_read(members, json, &reading, &err) == RC_OK)
        return true;
    *ret_step = call_refuse(call, NULL, &err);
    return false;
}

enum call_step schedule_pause_begin(struct call *call)
{
    struct command *command = one_command(call, COMMAND_PAUSE);
    struct request_body body;
    enum call_step step;
    struct err err;

    if (!change_begin(call, command, &pause_members, &body, &step))
        return step;
    if (body.until <= call->now) {
        err_set(&err, RC_INVALID, -1, 0, "must be later than now");
        err_in(&err, "until");
        return call_refuse(call, NULL, &err);
    }
    command->text = body.reason;
    command->until = body.until;
    return CALL_COMMANDS;
}

enum call_step schedule_resume_begin(struct call *call)
{
    struct command *command = one_command(call, COMMAND_RESUME);
    struct request_body body;
    enum call_step step;

    return change_begin(call, command, &no_members, &body, &step) ? CALL_COMMANDS : step;
}

enum call_step schedule_trigger_begin(struct call *call)
{
    struct command *command = one_command(call, COMMAND_TRIGGER);
    struct request_body body;
    enum call_step step;

    if (!change_begin(call, command, &trigger_members, &body, &step))
        return step;
    command->input = body.input;
    command->overlap = body.overlap;
    command->slot = body.scheduled;
    return CALL_COMMANDS;
}

enum call_step schedule_trigger_settled(struct call *call)
{
    const struct reply *reply = call->replies;
    struct answer out = answer_new(call->arena);
    char id[RUN_ID_TEXT_MAX];

    if (reply->rc != RC_OK)
        return call_refused(call, call->commands, reply);
    run_id_format(&reply->run, id);
    answer_text(&out, "{\"id\":");
    answer_quoted(&out, str_of(id));
    answer_text(&out, ",\"schedule\":");
    answer_quoted(&out, call->params[0]);
    if (reply->count == 0)
        answer_text(&out, ",\"outcome\":\"skipped\",\"reason\":\"overlap\"");
    answer_text(&out, "}");
    add_location(call, "/api/v1/runs/", str_of(id));
    return call_answer(call, 202, answer_done(&out));
}
