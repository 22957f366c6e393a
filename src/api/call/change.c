/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses requests that change one schedule and writes what their answers have in common.
 */
#include "api/call/change.h"

#include "api/call/answer.h"
#include "api/call/request.h"
#include "model/schedule_json.h"

enum { LOCATION_MORE = 64 }; /* bytes of a path without its variables */

struct command *change_command(struct call *call, enum command_kind kind)
{
    struct command *command = arena_take(call->arena, sizeof *command);

    *command = command_new(kind);
    command->name = call->params[0];
    call->commands = command;
    call->command_count = 1;
    return command;
}

static enum rc read_header(struct call *call, struct err *reterr)
{
    int64_t version;
    enum rc rc = request_name(call, 0, "schedule", reterr);

    if (rc == RC_OK)
        rc = request_query_check(call, NULL, 0, reterr);
    if (rc == RC_OK)
        rc = request_version(call, &version, reterr);
    if (rc == RC_OK)
        rc = request_key(call, reterr);
    for (int i = 0; rc == RC_OK && i < call->command_count; i++)
        call->commands[i].version = version;
    return rc;
}

bool change_begin(struct call *call, const struct members *members, void *body,
                  enum call_step *ret_step)
{
    const struct reading reading = {call->arena, false, body};
    json_auto_t *json = NULL;
    struct err err;

    if (read_header(call, &err) != RC_OK) {
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

enum call_step change_refuse(struct call *call, const char *field, const char *why)
{
    struct err err;

    err_set(&err, RC_INVALID, -1, 0, "%s", why);
    err_in(&err, "%s", field);
    return call_refuse(call, NULL, &err);
}

static bool is_unreserved(char c)
{
    return char_is_alpha(c) || char_is_digit(c) || c == '-' || c == '_' || c == '.';
}

struct str change_escaped(struct str text, struct arena *arena)
{
    static const char hex[] = "0123456789ABCDEF";
    struct buf out = {.cap = 3 * text.len + 1};
    size_t plain = 0;

    while (plain < text.len && is_unreserved(text.ptr[plain]))
        plain++;

    if (plain == text.len)
        return arena_str(arena, text);
    out.ptr = arena_take(arena, out.cap);
    buf_add(&out, text.ptr, plain);
    for (size_t i = plain; i < text.len; i++) {
        char c = text.ptr[i];

        if (is_unreserved(c))
            buf_char(&out, c);
        else
            buf_add(&out, (char[]){'%', hex[(unsigned char)c >> 4], hex[c & 15]}, 3);
    }
    return buf_as_str(&out);
}

void change_location(struct call *call, const char *path, struct str last)
{
    struct str name = change_escaped(last, call->arena);
    bool is_default = str_eq(call->namespace_name, STR("default"));
    struct str namespace = is_default ? STR("")
                                      : change_escaped(call->namespace_name, call->arena);
    struct buf out = {.cap = LOCATION_MORE + name.len + namespace.len};

    out.ptr = arena_take(call->arena, out.cap);
    buf_text(&out, path);
    buf_str(&out, name);
    if (!is_default) {
        buf_text(&out, "?namespace=");
        buf_str(&out, namespace);
    }
    call_field(call, STR("Location"), buf_as_str(&out));
}

enum call_step change_run_settled(struct call *call)
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
    change_location(call, "/api/v1/runs/", str_of(id));
    return call_answer(call, 202, answer_done(&out));
}

const struct err *change_item_err(const struct call *call, int i, const struct err *err)
{
    struct err *kept = arena_take(call->arena, sizeof *kept);

    *kept = *err;
    err_in(kept, "items[%d]", i);
    return kept;
}

struct str change_item_id(const struct call *call, const json_t *item)
{
    const json_t *id = json_is_string(item) ? item : json_object_get(item, "id");
    struct str text = {NULL, 0};
    struct err ignored;

    if (json_is_string(id) &&
        json_take_kept(id, SCHEDULE_ID_MAX, call->arena, &text, &ignored) != RC_OK)
        text = (struct str){NULL, 0};
    return text;
}

const char *change_item_code(const struct err *err)
{
    struct err inner = *err;
    struct str head, tail;

    if (str_cut(str_of(err->field), '.', &head, &tail)) {
        inner.field[0] = '\0';
        err_in(&inner, "%.*s", STR_ARG(tail));
    }
    return call_code(&inner);
}
