/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many schedules in one request, with a result for each: one that is wrong fails alone.
 */
#include "api/answer.h"
#include "api/native.h"
#include "api/native_draft.h"
#include "api/request.h"
#include "model/schedule_json.h"

struct bulk_item {
    struct str id;
    int command;           /* index into call->commands, -1: none */
    const struct err *err; /* then what is wrong with it          */
};

struct bulk {
    struct bulk_item *items;
    struct wanted_hint *hints; /* of each command             */
    const struct reply *made;  /* once the hints are on their way */
    int count;
};

static void add_item(struct call *call, const json_t *json, int i, struct bulk *bulk)
{
    struct bulk_item *item = &bulk->items[i];
    struct command *command = &call->commands[call->command_count];
    struct err err, *kept;
    enum rc rc;

    *command = (struct command){.kind = COMMAND_CREATE, .overlap = OVERLAP_DEFAULT};
    if (arena_used(call->arena) > SCHEDULE_BYTES_MAX)
        rc = err_set(&err, RC_LIMIT, -1, 0,
                     "the schedules of this request are too large together; send fewer");
    else
        rc = native_draft(call, json, (struct str){NULL, 0}, command,
                          &bulk->hints[call->command_count], &err);
    if (rc == RC_OK) {
        item->id = command->name;
        item->command = call->command_count++;
        return;
    }
    err_in(&err, "items[%d]", i);
    kept = arena_take(call->arena, sizeof *kept);
    *kept = err;
    item->err = kept;
    item->command = -1;
}

static enum rc read_items(struct call *call, const json_t *json, struct err *reterr)
{
    static const char *const names[] = {"items"};
    struct bulk *bulk = arena_take(call->arena, sizeof *bulk);
    const json_t *items = json_object_get(json, "items");
    enum rc rc = json_check_names(json, names, 1, reterr);
    size_t count;

    if (rc == RC_OK)
        rc = json_require(json, "items", reterr);
    if (rc != RC_OK)
        return rc;
    rc = json_take_count(items, CALL_ITEMS_MAX, &bulk->count, reterr);
    if (rc != RC_OK) {
        err_in(reterr, "items");
        return rc;
    }
    count = (size_t)bulk->count;
    bulk->items = arena_array(call->arena, count, sizeof *bulk->items);
    bulk->hints = arena_array(call->arena, count, sizeof *bulk->hints);
    call->commands = arena_array(call->arena, count, sizeof *call->commands);
    for (int i = 0; i < bulk->count; i++)
        add_item(call, json_array_get(items, (size_t)i), i, bulk);
    call->with = bulk;
    return RC_OK;
}

enum call_step schedule_bulk_begin(struct call *call)
{
    json_auto_t *json = NULL;
    enum call_step step;
    struct err err;

    if (request_query_check(call, NULL, 0, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (!request_json(call, false, &json, &step))
        return step;
    if (read_items(call, json, &err) != RC_OK || request_key(call, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    return call->command_count > 0 ? CALL_COMMANDS : schedule_bulk_settled(call);
}

static void print_error(const char *code, struct str message, const char *field,
                        struct answer *out)
{
    answer_text(out, ",\"status\":\"error\",\"error\":{\"code\":");
    answer_quoted(out, str_of(code));
    answer_text(out, ",\"message\":");
    answer_quoted(out, message);
    if (field[0] != '\0') {
        answer_text(out, ",\"field\":");
        answer_quoted(out, str_of(field));
    }
    answer_text(out, "}");
}

static void print_reply(const struct reply *reply, struct answer *out)
{
    struct err err = {.rc = reply->rc};
    const char *code = reply->is_quota            ? "quota"
                       : reply->rc == RC_CONFLICT ? "exists"
                                                  : call_code(&err);

    if (reply->rc == RC_OK) {
        answer_text(out, ",\"status\":\"ok\",\"version\":");
        answer_int(out, reply->version);
    } else {
        print_error(code, reply->text, "", out);
    }
}

/* The error's path begins with the item; its code is by what follows. */
static const char *code_of(const struct err *err)
{
    struct err inner = *err;
    struct str head, tail;

    if (str_cut(str_of(err->field), '.', &head, &tail)) {
        inner.field[0] = '\0';
        err_in(&inner, "%.*s", STR_ARG(tail));
    }
    return call_code(&inner);
}

static enum call_step tell_results(struct call *call, const struct bulk *bulk)
{
    struct answer out = answer_new(call->arena);

    answer_text(&out, "{\"results\":[");
    for (int i = 0; i < bulk->count; i++) {
        const struct bulk_item *item = &bulk->items[i];

        answer_text(&out, i > 0 ? ",{\"id\":" : "{\"id\":");
        if (item->id.len > 0)
            answer_quoted(&out, item->id);
        else
            answer_text(&out, "null");
        if (item->err)
            print_error(code_of(item->err), str_of(item->err->text), item->err->field, &out);
        else
            print_reply(&bulk->made[item->command], &out);
        answer_text(&out, "}");
    }
    answer_text(&out, "]}");
    return call_answer(call, 200, answer_done(&out));
}

/* Hints of those that were made, as commands of their own. */
static int want_hints(struct call *call, const struct bulk *bulk)
{
    struct command *hints = arena_array(call->arena, (size_t)call->command_count,
                                        sizeof *hints);
    int count = 0;

    for (int i = 0; i < call->command_count; i++)
        if (bulk->hints[i].is_set && bulk->made[i].rc == RC_OK)
            hints[count++] = (struct command){.kind = COMMAND_HINT,
                                              .schedule = bulk->made[i].schedule,
                                              .hint_interval = bulk->hints[i].interval,
                                              .hint_at = bulk->hints[i].at,
                                              .until = bulk->hints[i].expires};
    call->commands = hints;
    call->command_count = count;
    return count;
}

enum call_step schedule_bulk_settled(struct call *call)
{
    struct bulk *bulk = call->with;

    if (!bulk->made && call->command_count > 0) {
        bulk->made = call->replies;
        if (want_hints(call, bulk) > 0)
            return CALL_COMMANDS;
    }
    return tell_results(call, bulk);
}
