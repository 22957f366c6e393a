/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations on many schedules in one request: create, replace and put by document; pause,
 * resume and delete by id.  Each item has its own result; an invalid item does not affect the
 * others.
 */
#include "api/call/answer.h"
#include "api/call/change.h"
#include "api/call/request.h"
#include "api/native/native.h"
#include "api/native/native_draft.h"
#include "api/schedules/view.h"
#include "model/schedule_json.h"

struct bulk_item {
    struct str id;
    int command;           /* index into call->commands; -1: the item is invalid */
    const struct err *err; /* why it is invalid; NULL: it is valid               */
};

struct bulk {
    enum command_kind kind;
    struct bulk_item *items;
    struct wanted_hint *hints;     /* of each command                                        */
    const struct command *applied; /* the commands of the items, once they have been applied */
    const struct reply *replies;   /* their replies                                          */
    int count;
    bool has_versions;
    struct str reason; /* of a pause */
    instant until;
};

/* Parses an item into the command. */
typedef enum rc read_fn(struct call *call, const json_t *json, struct bulk *bulk,
                        struct command *command, struct err *reterr);

static enum rc read_document(struct call *call, const json_t *json, struct bulk *bulk,
                             struct command *command, struct err *reterr)
{
    if (arena_used(call->arena) > SCHEDULE_BYTES_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0,
                       "the schedules of this request are too large together; send fewer");
    if (bulk->kind == COMMAND_UPDATE && json_is_object(json) &&
        json_require(json, "id", reterr) != RC_OK)
        return reterr->rc;
    return native_draft(call, json, (struct str){NULL, 0}, command,
                        &bulk->hints[call->command_count], reterr);
}

struct named {
    struct str id;
    int64_t version;
};

static const struct member named_list[] = {
    {"id", MEMBER_TEXT, .offset = offsetof(struct named, id), .high = SCHEDULE_ID_MAX,
     .check = name_check, .is_required = true},
    {"version", MEMBER_INT64, .offset = offsetof(struct named, version), .low = 1,
     .high = INT64_MAX},
};

static const struct members named_members = MEMBERS(named_list);

/* An id, or an object with an id and the version that the schedule must have. */
static enum rc read_named(struct call *call, const json_t *json, struct bulk *bulk,
                          struct command *command, struct err *reterr)
{
    struct named named = {0};
    const struct reading reading = {call->arena, false, &named};
    enum rc rc = json_is_string(json)
                     ? json_take_kept(json, SCHEDULE_ID_MAX, call->arena, &named.id, reterr)
                     : members_read(&named_members, json, &reading, reterr);

    if (rc == RC_OK)
        rc = name_check(named.id, reterr);
    if (rc != RC_OK)
        return rc;
    command->name = named.id;
    command->version = named.version;
    if (bulk->kind == COMMAND_PAUSE || bulk->kind == COMMAND_RESUME)
        command->pause = (struct pause_args){.until = bulk->until,
                                             .reason = bulk->reason,
                                             .keeps = bulk->until == INSTANT_NEVER &&
                                                      !bulk->reason.ptr};
    return RC_OK;
}

/* The version to replace; 0: the schedule must not exist; null: any version, or none. */
static enum rc read_version(const json_t *body, int i, struct command *command,
                            struct err *reterr)
{
    const json_t *version = json_array_get(json_object_get(body, "versions"), (size_t)i);

    if (!version || json_is_null(version))
        return RC_OK;
    if (!json_is_integer(version) || json_integer_value(version) < 0)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "its version must be a number, null, or 0 for a schedule that does not "
                       "exist yet");
    command->version = json_integer_value(version);
    command->kind = command->version == 0 ? COMMAND_CREATE : COMMAND_UPDATE;
    return RC_OK;
}

static void add_item(struct call *call, const json_t *body, int i, read_fn *read)
{
    const json_t *json = json_array_get(json_object_get(body, "items"), (size_t)i);
    struct bulk *bulk = call->arg;
    struct bulk_item *item = &bulk->items[i];
    struct command *command = &call->commands[call->command_count];
    struct err err;

    *command = command_new(bulk->kind);
    if (read(call, json, bulk, command, &err) == RC_OK &&
        read_version(body, i, command, &err) == RC_OK) {
        item->id = command->name;
        item->command = call->command_count++;
        return;
    }
    item->id = change_item_id(call, json);
    item->err = change_item_err(call, i, &err);
    item->command = -1;
}

static enum rc read_items(struct call *call, const json_t *json, read_fn *read,
                          struct err *reterr)
{
    struct bulk *bulk = call->arg;
    const json_t *items = json_object_get(json, "items");
    enum rc rc = json_require(json, "items", reterr);
    size_t count;

    if (rc != RC_OK)
        return rc;
    rc = json_take_count(items, CALL_ITEMS_MAX, &bulk->count, reterr);
    if (rc != RC_OK)
        return err_in(reterr, "items");
    count = (size_t)bulk->count;
    if (bulk->has_versions && json_array_size(json_object_get(json, "versions")) != count)
        return err_field(reterr, "versions", "must have as many entries as items");
    bulk->items = arena_array(call->arena, count, sizeof *bulk->items);
    bulk->hints = arena_array(call->arena, count, sizeof *bulk->hints);
    call->commands = arena_array(call->arena, count, sizeof *call->commands);
    for (int i = 0; i < bulk->count; i++)
        add_item(call, json, i, read);
    return RC_OK;
}

static enum rc skip_items(const json_t *value, const struct reading *r, struct err *reterr)
{
    (void)value;
    (void)r;
    (void)reterr;
    return RC_OK;
}

static enum rc note_versions(const json_t *value, const struct reading *r, struct err *reterr)
{
    struct bulk *bulk = r->to;

    if (!json_is_array(value))
        return json_wrong_type(value, "a list", reterr);
    bulk->has_versions = true;
    return RC_OK;
}

static const struct member put_list[] = {
    {"items", MEMBER_OTHER, .read = skip_items},
    {"versions", MEMBER_OTHER, .read = note_versions},
};

static const struct members put_members = MEMBERS(put_list);

/* The pause, which applies to all items. */
static const struct member pause_list[] = {
    {"items", MEMBER_OTHER, .read = skip_items},
    {"reason", MEMBER_TEXT, .offset = offsetof(struct bulk, reason), .high = REASON_TEXT_MAX},
    {"until", MEMBER_INSTANT, .offset = offsetof(struct bulk, until)},
};

static const struct members pause_members = MEMBERS(pause_list);
static const struct members items_members = {pause_list, 1};

/* Items are ids, or documents if the command writes schedules. */
static bool has_documents(enum command_kind kind)
{
    return kind == COMMAND_CREATE || kind == COMMAND_UPDATE || kind == COMMAND_PUT;
}

static const struct members *find_members(enum command_kind kind)
{
    if (kind == COMMAND_PUT)
        return &put_members;
    return kind == COMMAND_PAUSE ? &pause_members : &items_members;
}

enum call_step schedule_bulk_begin(struct call *call)
{
    enum command_kind kind = call->operation->command;
    read_fn *read = has_documents(kind) ? read_document : read_named;
    struct bulk *bulk = arena_take(call->arena, sizeof *bulk);
    const struct reading reading = {call->arena, false, bulk};
    json_auto_t *json = NULL;
    enum call_step step;
    struct err err;

    bulk->kind = kind;
    bulk->until = INSTANT_NEVER;
    call->arg = bulk;
    if (request_query_check(call, NULL, 0, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (!request_json(call, false, &json, &step))
        return step;
    if (members_read(find_members(kind), json, &reading, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (bulk->until <= call->now)
        return change_refuse(call, "until", "must be later than now");
    if (read_items(call, json, read, &err) != RC_OK || request_key(call, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    return call->command_count > 0 ? CALL_COMMANDS : schedule_bulk_settled(call);
}

static void print_error(const char *code, struct str message, const char *field,
                        struct answer *out)
{
    answer_text(out, ",\"status\":\"error\",\"error\":{");
    answer_put_word(out, "code", code);
    answer_put_text(out, "message", message);
    if (field[0] != '\0')
        answer_put_word(out, "field", field);
    answer_text(out, "}");
}

static void print_reply(const struct call *call, const struct command *command,
                        const struct reply *reply, struct answer *out)
{
    struct str warnings[VIEW_WARNINGS_MAX];
    int count = 0;

    if (reply->rc != RC_OK) {
        print_error(call_refused_code(command, reply), reply->text, "", out);
        return;
    }
    answer_text(out, ",\"status\":\"ok\"");
    if (command->kind == COMMAND_DELETE)
        return;
    answer_put_int(out, "version", reply->version);
    if (command_saves(command->kind))
        count = view_warnings(call, command->save.draft->action, call->arena, warnings);
    for (int i = 0; i < count; i++) {
        answer_text(out, i == 0 ? ",\"warnings\":[" : ",");
        answer_quoted(out, warnings[i]);
    }
    answer_text(out, count > 0 ? "]" : "");
}

/* The id; after a repeated request, the id that was generated the first time. */
static struct str result_id(const struct bulk *bulk, const struct bulk_item *item)
{
    const struct reply *reply = item->err ? NULL : &bulk->replies[item->command];

    return reply && reply->is_repeated && reply->text.len > 0 ? reply->text : item->id;
}

static enum call_step answer_results(struct call *call, const struct bulk *bulk)
{
    struct answer out = answer_new(call->arena);

    answer_text(&out, "{\"results\":[");
    for (int i = 0; i < bulk->count; i++) {
        const struct bulk_item *item = &bulk->items[i];

        answer_open(&out);
        answer_put_some(&out, "id", result_id(bulk, item));
        if (item->err)
            print_error(change_item_code(item->err), str_of(item->err->text), item->err->field,
                        &out);
        else
            print_reply(call, &bulk->applied[item->command], &bulk->replies[item->command],
                        &out);
        answer_text(&out, "}");
    }
    answer_text(&out, "]}");
    return call_answer(call, 200, answer_done(&out));
}

/* Sends the hints of the schedules that were written as further commands. */
static int send_hints(struct call *call, const struct bulk *bulk)
{
    struct command *hints = arena_array(call->arena, (size_t)call->command_count,
                                        sizeof *hints);
    int count = 0;

    for (int i = 0; i < call->command_count; i++)
        if (bulk->hints[i].is_set && bulk->replies[i].rc == RC_OK)
            hints[count++] = native_hint(&bulk->hints[i], bulk->replies[i].schedule,
                                         call->commands[i].name);
    call->commands = hints;
    call->command_count = count;
    return count;
}

enum call_step schedule_bulk_settled(struct call *call)
{
    struct bulk *bulk = call->arg;

    if (!bulk->replies && call->command_count > 0) {
        bulk->applied = call->commands;
        bulk->replies = call->replies;
        if (send_hints(call, bulk) > 0)
            return CALL_COMMANDS;
    }
    return answer_results(call, bulk);
}
