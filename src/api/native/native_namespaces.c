/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Namespaces and their settings.  Secrets in settings are accepted but never returned.
 */
#include "api/native/native.h"
#include "api/schedules/page.h"
#include "api/schedules/view.h"
#include "model/member.h"
#include "model/namespace_settings.h"
#include "store/named_objects.h"

static void print_namespace(const struct call *call, struct str name, struct str settings,
                            struct answer *out)
{
    answer_text(out, "{\"name\":");
    answer_quoted(out, name);
    answer_text(out, ",\"settings\":");
    answer_str(out, namespace_settings_show(settings, call->arena));
}

static void send_namespaces(struct db *db, const struct call *call, struct str after, int limit,
                            struct db_result *ret)
{
    (void)call;
    namespaces_list(db, after, limit, ret);
}

static struct str print_namespace_row(const struct call *call, const struct db_result *rows,
                                      int i, struct answer *out)
{
    struct namespace_row row;

    namespaces_read(rows, i, &row);
    print_namespace(call, row.name, row.settings, out);
    answer_text(out, ",\"createdAt\":");
    answer_instant(out, row.created_at);
    answer_text(out, "}");
    return row.name;
}

enum call_step namespace_list_read(struct call *call, struct db *db)
{
    static const struct named_list list = {"namespaces", send_namespaces, print_namespace_row};

    return page_list_read(call, db, &list);
}

enum call_step namespace_get_begin(struct call *call)
{
    return request_named(call, "namespace");
}

enum call_step namespace_get_read(struct call *call, struct db *db)
{
    struct answer out = answer_new(call->arena);
    struct db_result found = {0}, row = {0};
    enum rc rc;
    struct err err;

    namespaces_find(db, call->params[0], &found);
    rc = db_flush(db, call->arena, &err);
    if (rc == RC_OK && found.rows == 1) {
        namespaces_get(db, db_int_at(&found, 0, 0), &row);
        rc = db_flush(db, call->arena, &err);
    }
    if (rc != RC_OK)
        return view_failed(call, &err);
    if (row.rows == 0)
        return call_problem(call, 404, "not_found", "namespace \"%.*s\" does not exist",
                            STR_ARG(call->params[0]));
    print_namespace_row(call, &row, 0, &out);
    return call_answer(call, 200, answer_done(&out));
}

struct settings_body {
    struct str settings;
};

static const struct member settings_list[] = {
    {"settings", MEMBER_MAP, .offset = offsetof(struct settings_body, settings),
     .high = NAMESPACE_SETTINGS_BYTES_MAX},
};

static const struct members settings_members = MEMBERS(settings_list);

/* {} is written too: it removes all settings. */
static enum rc read_settings(struct call *call, const json_t *json, struct str *ret,
                             struct err *reterr)
{
    const struct api_context *context = call->context;
    struct settings_body body = {0};
    const struct reading reading = {call->arena, false, &body};
    enum rc rc = members_read(&settings_members, json, &reading, reterr);

    if (rc != RC_OK)
        return rc;
    if (body.settings.len == 0 && json_is_object(json_object_get(json, "settings")))
        body.settings = STR("{}");
    if (body.settings.len > 0)
        rc = context->check_settings(context->arg, body.settings, call->arena, reterr);
    if (rc != RC_OK)
        err_in(reterr, "settings");
    else
        *ret = body.settings;
    return rc;
}

enum call_step namespace_put_begin(struct call *call)
{
    struct command *command = arena_take(call->arena, sizeof *command);
    json_auto_t *json = NULL;
    enum call_step step;
    struct err err;

    *command = (struct command){.kind = COMMAND_NAMESPACE, .name = call->params[0]};
    call->commands = command;
    call->command_count = 1;
    if (request_query_check(call, NULL, 0, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (command->name.len > CALL_NAME_MAX || name_check(command->name, &err) != RC_OK)
        return call_problem(call, 400, "invalid_field",
                            "a namespace's name must have 1 to %d bytes without control "
                            "characters",
                            CALL_NAME_MAX);
    if (!request_json(call, true, &json, &step))
        return step;
    if (read_settings(call, json, &command->settings, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    return CALL_COMMANDS;
}

enum call_step namespace_put_settled(struct call *call)
{
    const struct command *command = call->commands;
    const struct reply *reply = call->replies;
    struct answer out = answer_new(call->arena);

    if (reply->rc != RC_OK)
        return call_refused(call, command, reply);
    answer_text(&out, "{\"name\":");
    answer_quoted(&out, command->name);
    answer_text(&out, "}");
    return call_answer(call, reply->count > 0 ? 201 : 200, answer_done(&out));
}
