/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tags of a schedule: list, add, delete.
 *
 * The document's "extra" stores them.  A change edits the document that was read; if another
 * client has changed the schedule since, the change is applied again to the new document.
 */
#include "api/call/change.h"
#include "api/call/operation.h"
#include "api/call/request.h"
#include "api/conductor/conductor.h"
#include "api/schedules/view.h"
#include "base/must.h"

enum { TAG_TRIES_MAX = 20 }; /* retries of a change after edits by others */

struct tagging {
    struct str tags; /* JSON, as it was sent */
    bool is_removal;
    struct schedule_doc *document; /* as it was read; NULL once the command is built */
    int64_t schedule, version;
    int tries;
};

enum call_step conductor_tags_read(struct call *call, struct db *db)
{
    struct answer out = answer_new(call->arena);
    struct schedule_view view;
    struct conductor_shown shown;
    struct err err;
    json_t *tags;

    if (conductor_find(call, db, &view, &err) != RC_OK ||
        conductor_show(&view, call->arena, &shown, &err) != RC_OK)
        return conductor_failed(call, &err);
    tags = json_object_get(shown.schedule, "tags");
    answer_json(&out, tags ? json_incref(tags) : json_new_list());
    json_decref(shown.schedule);
    return call_answer(call, 200, answer_done(&out));
}

enum call_step conductor_tags_change_begin(struct call *call)
{
    struct tagging *tagging = arena_take(call->arena, sizeof *tagging);
    json_auto_t *json = NULL;
    enum call_step step;
    struct err err;

    tagging->is_removal = str_eq(str_of(call->operation->method), STR("DELETE"));
    call->arg = tagging;
    if (request_name(call, 0, "schedule", &err) != RC_OK)
        return conductor_missing(call, call->params[0]);
    if (!request_json(call, false, &json, &step))
        return step;
    if (conductor_read_tags(json, call->arena, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    tagging->tags = arena_str(call->arena, call->body);
    return CALL_READ;
}

enum call_step conductor_tags_change_read(struct call *call, struct db *db)
{
    struct tagging *tagging = call->arg;
    struct schedule_doc *doc = arena_take(call->arena, sizeof *doc);
    struct schedule_view view;
    struct err err;

    if (conductor_find(call, db, &view, &err) != RC_OK ||
        view_recall(&view.row, call->arena, doc, &err) != RC_OK)
        return conductor_failed(call, &err);
    doc->is_enabled = !(view.cursor.flags & CURSOR_DISABLED);
    tagging->document = doc;
    tagging->schedule = view.row.id;
    tagging->version = view.cursor.version;
    return CALL_SETTLE;
}

static bool is_same(const json_t *a, const json_t *b)
{
    return json_equal(json_object_get(a, "key"), json_object_get(b, "key")) &&
           json_equal(json_object_get(a, "value"), json_object_get(b, "value"));
}

/* The stored tags without those in `removed`. */
static json_t *remaining_tags(const json_t *stored, const json_t *removed)
{
    json_t *remaining = json_new_list();

    for (size_t i = 0; i < json_array_size(stored); i++) {
        json_t *tag = json_array_get(stored, i);
        bool is_removed = false;

        for (size_t n = 0; n < json_array_size(removed); n++)
            is_removed |= is_same(tag, json_array_get(removed, n));
        if (!is_removed)
            json_add(remaining, json_incref(tag));
    }
    return remaining;
}

static enum rc change_tags(const struct tagging *tagging, struct arena *arena,
                           struct schedule_doc *doc, struct err *reterr)
{
    json_auto_t *extra = doc->extra.len > 0 ? json_of_kept(doc->extra) : json_new_object();
    json_auto_t *tags = NULL;
    json_t *list;

    must(json_read(tagging->tags, &tags, reterr) == RC_OK);
    list = remaining_tags(json_object_get(extra, "tags"), tags);
    if (!tagging->is_removal)
        must(json_array_extend(list, tags) == 0);
    json_put(extra, "tags", list);
    if (conductor_read_tags(list, arena, reterr) != RC_OK)
        return reterr->rc;
    return json_keep(extra, EXTRA_MAX, arena, &doc->extra, reterr);
}

static enum call_step send_update(struct call *call, struct tagging *tagging)
{
    struct command *command = change_command(call, COMMAND_UPDATE);
    struct schedule_doc *doc = tagging->document;
    struct draft *draft;
    struct err err;

    tagging->document = NULL;
    if (change_tags(tagging, call->arena, doc, &err) != RC_OK ||
        conductor_draft(call, doc, &draft, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    command->save.draft = draft;
    command->schedule = tagging->schedule;
    command->version = tagging->version;
    return CALL_COMMANDS;
}

enum call_step conductor_tags_change_settled(struct call *call)
{
    struct tagging *tagging = call->arg;
    const struct reply *reply = call->replies;

    if (tagging->document)
        return send_update(call, tagging);
    if (reply->rc == RC_CONFLICT && tagging->tries++ < TAG_TRIES_MAX)
        return CALL_READ;
    if (reply->rc == RC_NOT_FOUND)
        return conductor_missing(call, call->params[0]);
    if (reply->rc != RC_OK)
        return call_refused(call, call->commands, reply);
    return conductor_done(call);
}
