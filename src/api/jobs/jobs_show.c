/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A schedule as the jobs API's JSON: see jobs_doc.h.
 */
#include <string.h>

#include "api/jobs/jobs_doc.h"
#include "api/schedules/view.h"
#include "core/outcome.h"
#include "core/time/text.h"
#include "model/member.h"

/* cursor.tail is outcome × 256 + reason, see core/cursor.h. */
enum { TAIL_OUTCOME = 256 };

/* ---- telemetry ---- */

/* NULL: the last slot started, or passed while the schedule was paused or disabled. */
static const char *status_of_slot(int64_t tail)
{
    if (tail == 0 || tail % TAIL_OUTCOME == REASON_PAUSED)
        return NULL;
    return tail / TAIL_OUTCOME == OUTCOME_DROPPED ? "scheduler_failed" : "skipped";
}

const char *jobs_last_status(const struct cursor *c)
{
    const char *slot = status_of_slot(c->tail);

    if (slot)
        return slot;
    if (c->last_start == INSTANT_NONE)
        return NULL;
    if (c->last_end == INSTANT_NONE || c->last_end < c->last_start)
        return "success"; /* waiting for a worker, or running */
    if (outcome_is_failure((enum outcome)c->last_outcome))
        return "failed";
    return c->last_outcome == OUTCOME_SUCCEEDED ? "success" : "skipped";
}

static void put_word(json_t *object, const char *name, const char *word)
{
    json_put(object, name, word ? json_new_str(str_of(word)) : json_null());
}

static void put_time(json_t *object, const char *name, instant t)
{
    char text[INSTANT_TEXT_MAX];
    struct buf out = BUF(text);

    if (t == INSTANT_NONE || t == INSTANT_NEVER) {
        json_put(object, name, json_null());
        return;
    }
    instant_format_ms(t, &out);
    json_put(object, name, json_new_str(buf_as_str(&out)));
}

/* The job of the last slot; a manually triggered run does not count. */
static void put_last_job(json_t *schedule, const struct cursor *c)
{
    char id[RUN_ID_TEXT_MAX];

    if (c->last_slot != INSTANT_NONE)
        run_id_format(&(struct run_id){c->id, c->last_slot / SPAN_MS, 0}, id);
    put_word(schedule, "lastRunJobId", c->last_slot != INSTANT_NONE ? id : NULL);
}

static void put_telemetry(json_t *schedule, const struct cursor *c)
{
    bool is_active = strcmp(schedule_status(c), "active") == 0;

    put_time(schedule, "lastRunAt", c->last_start);
    put_time(schedule, "nextRunAt", is_active ? c->next_at : INSTANT_NONE);
    put_word(schedule, "lastRunStatus", jobs_last_status(c));
    put_last_job(schedule, c);
    json_put(schedule, "runCount", json_new_int(c->started));
    json_put(schedule, "failureCount", json_new_int(c->failed + c->dropped));
}

/* ---- the definition ---- */

static void put_copy(json_t *object, const char *name, const json_t *value)
{
    json_put(object, name, value ? json_deep_copy(value) : json_null());
}

static void put_time_of_day(json_t *object, const char *name, const struct window_def *window,
                            int32_t seconds)
{
    char text[8];
    struct buf out = BUF(text);

    if (!window->is_set) {
        json_put(object, name, json_null());
        return;
    }
    buf_printf(&out, "%02d:%02d", seconds / 3600 % 24, seconds / 60 % 60);
    json_put(object, name, json_new_str(buf_as_str(&out)));
}

static void put_definition(json_t *schedule, const struct schedule_doc *doc,
                           const json_t *extra, bool is_enabled)
{
    const struct spec_def *spec = &doc->spec;
    json_auto_t *input = doc->action.input.len > 0 ? json_of_kept(doc->action.input) : NULL;
    struct str description = doc->description;

    put_copy(schedule, "serverInstanceId", json_object_get(input, "hostId"));
    put_copy(schedule, "name", json_object_get(extra, "name"));
    json_put(schedule, "description",
             description.len > 0 ? json_new_str(description) : json_null());
    json_put(schedule, "cronExpression",
             spec->cron_count > 0 ? json_new_str(spec->cron[0].expr) : json_null());
    json_put(schedule, "jobType", json_new_str(doc->action.queue.kind));
    put_copy(schedule, "payload", json_object_get(input, "payload"));
    json_put(schedule, "enabled", json_boolean(is_enabled));
    put_time_of_day(schedule, "executionWindowStart", &spec->window, spec->window.from);
    put_time_of_day(schedule, "executionWindowEnd", &spec->window, spec->window.to);
    put_copy(schedule, "retryPolicy", json_object_get(extra, "retryPolicy"));
}

enum rc jobs_show(const struct schedule_view *view, struct str org, struct arena *scratch,
                  json_t **ret, struct err *reterr)
{
    const struct schedule_row *row = &view->row;
    json_auto_t *extra = NULL;
    struct schedule_doc doc;
    json_t *schedule;

    if (view_recall(row, scratch, &doc, reterr) != RC_OK)
        return reterr->rc;
    extra = doc.extra.len > 0 ? json_of_kept(doc.extra) : NULL;
    schedule = json_new_object();
    json_put(schedule, "id", json_new_str(row->name));
    json_put(schedule, "orgId", json_new_str(org));
    put_definition(schedule, &doc, extra, (view->cursor.flags & CURSOR_DISABLED) == 0);
    json_put(schedule, "paused", json_boolean(view->cursor.flags & CURSOR_PAUSED));
    put_telemetry(schedule, &view->cursor);
    json_put(schedule, "createdById", json_new_str(row->created_by));
    put_time(schedule, "createdAt", row->created_at);
    put_time(schedule, "updatedAt", row->updated_at);
    *ret = schedule;
    return RC_OK;
}
