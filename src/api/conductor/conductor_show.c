/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A schedule as Conductor's JSON: see conductor_doc.h.
 */
#include "api/conductor/conductor_doc.h"
#include "api/schedules/view.h"
#include "base/must.h"
#include "model/member.h"

static void put_text(json_t *object, const char *name, struct str text)
{
    if (text.len > 0)
        json_put(object, name, json_new_str(text));
}

static void put_time(json_t *object, const char *name, instant t)
{
    if (t != INSTANT_NONE && t != INSTANT_NEVER)
        json_put(object, name, json_new_int(floor_div(t, SPAN_MS)));
}

/* Members that every answer of Conductor's server has, even if the client did not send them. */
static void put_default(json_t *object, const char *name, json_t *value)
{
    if (json_object_get(object, name))
        json_decref(value);
    else
        json_put(object, name, value);
}

static json_t *request_json(const struct action *action)
{
    const struct workflow_action *workflow = &action->workflow;
    json_auto_t *rest = workflow->conductor.len > 0 ? json_of_kept(workflow->conductor) : NULL;
    json_t *request = json_new_object(), *input;

    put_text(request, "name", workflow->name);
    if (workflow->version > 0)
        json_put(request, "version", json_new_int(workflow->version));
    put_text(request, "correlationId", workflow->correlation_id);
    input = action->input.len > 0 ? json_of_kept(action->input) : json_new_object();
    json_put(request, "input", input);
    if (json_is_object(rest))
        must(json_object_update_missing(request, rest) == 0);
    put_default(request, "taskToDomain", json_new_object());
    put_default(request, "priority", json_new_int(0));
    return request;
}

static json_t *entry_json(const struct cron_def *cron, const struct spec_def *spec)
{
    json_t *entry = json_new_object();
    struct str zone = cron->zone.len > 0 ? cron->zone : spec->zone;

    put_text(entry, "cronExpression", cron->expr);
    json_put(entry, "zoneId", json_new_str(zone.len > 0 ? zone : STR("UTC")));
    return entry;
}

/* A single expression is shown in the schedule itself, unless it was sent as a list of one. */
static void put_crons(json_t *schedule, const struct spec_def *spec, const json_t *extra)
{
    bool is_list = spec->cron_count > 1 || json_is_true(json_object_get(extra, "multiCron"));
    const json_t *first = json_object_get(extra, "cronExpression");
    const json_t *zone = json_object_get(extra, "zoneId");
    json_t *list = json_new_list();
    json_auto_t *single = NULL;

    if (is_list) {
        for (int i = 0; i < spec->cron_count; i++)
            json_add(list, entry_json(&spec->cron[i], spec));
    } else if (spec->cron_count == 1) {
        single = entry_json(spec->cron, spec);
        first = json_object_get(single, "cronExpression");
        zone = json_object_get(single, "zoneId");
    }
    if (first)
        json_put(schedule, "cronExpression", json_deep_copy(first));
    json_put(schedule, "zoneId", zone ? json_deep_copy(zone) : json_new_str(STR("UTC")));
    json_put(schedule, "cronSchedules", list);
}

static json_t *schedule_json(const struct schedule_view *view, const struct schedule_doc *doc,
                             const json_t *extra)
{
    const struct schedule_row *row = &view->row;
    bool is_paused = (view->cursor.flags & CURSOR_PAUSED) != 0;
    const json_t *tags = json_object_get(extra, "tags");
    json_t *schedule = json_new_object();

    json_put(schedule, "name", json_new_str(row->name));
    put_crons(schedule, &doc->spec, extra);
    json_put(schedule, "runCatchupScheduleInstances",
             json_boolean(doc->policies.catchup == CATCHUP_ALL));
    json_put(schedule, "paused", json_boolean(is_paused));
    if (is_paused)
        put_text(schedule, "pausedReason", row->reason);
    json_put(schedule, "startWorkflowRequest", request_json(&doc->action));
    put_time(schedule, "scheduleStartTime", doc->spec.start);
    put_time(schedule, "scheduleEndTime", doc->spec.end);
    put_time(schedule, "createTime", row->created_at);
    put_time(schedule, "updatedTime", row->updated_at);
    json_put(schedule, "createdBy", json_new_str(row->created_by));
    json_put(schedule, "updatedBy", json_new_str(row->updated_by));
    put_text(schedule, "description", row->description);
    put_time(schedule, "nextRunTime", view->cursor.next_at);
    if (json_is_array(tags))
        json_put(schedule, "tags", json_deep_copy(tags));
    return schedule;
}

struct conductor_shown conductor_show_damaged(const struct schedule_view *view,
                                              const struct err *err)
{
    return (struct conductor_shown){.schedule = json_pack("{s:o,s:s}", "name",
                                                          json_new_str(view->row.name),
                                                          "description", err->text)};
}

enum rc conductor_show(const struct schedule_view *view, struct arena *scratch,
                       struct conductor_shown *ret, struct err *reterr)
{
    struct schedule_doc doc;
    json_auto_t *extra = NULL;
    const json_t *request;

    if (view_recall(&view->row, scratch, &doc, reterr) != RC_OK)
        return reterr->rc;
    extra = doc.extra.len > 0 ? json_of_kept(doc.extra) : json_new_object();
    ret->schedule = schedule_json(view, &doc, extra);
    request = json_object_get(ret->schedule, "startWorkflowRequest");
    ret->has_own_queue = doc.action.workflow.queue.len > 0;
    ret->workflow_name = json_string_value(json_object_get(request, "name"));
    ret->zone = json_string_value(json_object_get(ret->schedule, "zoneId"));
    return RC_OK;
}
