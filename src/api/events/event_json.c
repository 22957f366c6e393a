/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints an event as native JSON.
 */
#include "api/events/event_json.h"

#include "core/outcome.h"
#include "core/time/text.h"

enum {
    DETAIL_OUTCOME = 256, /* event.detail is outcome × 256 + reason */
    DURATION_MAX = 64,
};

int64_t event_subject(const struct event *event)
{
    switch ((enum event_type)event->type) {
    case EVENT_RUN_CLAIMED:
    case EVENT_LEASE_EXPIRED:
    case EVENT_NODE_UP:
    case EVENT_NODE_DOWN:
    case EVENT_CLOCK_JUMP:
        return event->detail;
    default:
        return 0;
    }
}

static void put_int(struct answer *out, const char *name, bool is_present, int64_t n)
{
    answer_name(out, name);
    if (is_present)
        answer_int(out, n);
    else
        answer_text(out, "null");
}

static void put_instant(struct answer *out, const char *name, bool is_present, instant at)
{
    answer_put_instant(out, name, is_present ? at : INSTANT_NONE);
}

static bool is_between(const struct event *event, enum event_type first, enum event_type last)
{
    return event->type >= (int64_t)first && event->type <= (int64_t)last;
}

static struct str run_text(const struct event_note *note, char text[static RUN_ID_TEXT_MAX])
{
    if (!note->has_run)
        return (struct str){NULL, 0};
    run_id_format(&note->run, text);
    return str_of(text);
}

static bool has_outcome(const struct event *event)
{
    return event->type == EVENT_RUN_ENDED || event->type == EVENT_RUN_CANCELLED ||
           is_between(event, EVENT_SLOT_SKIPPED, EVENT_SLOT_CANCELLED);
}

static void put_outcome(const struct event *event, struct answer *out)
{
    bool is_reason = event->type == EVENT_RUN_RETRYING;
    enum outcome outcome = OUTCOME_NONE;
    enum reason reason = REASON_NONE;

    if (has_outcome(event))
        outcome = (enum outcome)(event->detail / DETAIL_OUTCOME);
    if (has_outcome(event) || is_reason)
        reason = (enum reason)(event->detail % DETAIL_OUTCOME);
    answer_put_word(out, "outcome", outcome == OUTCOME_NONE ? NULL : outcome_text(outcome));
    answer_put_word(out, "reason", reason == REASON_NONE ? NULL : reason_text(reason));
}

static void put_lateness(const struct event *event, struct answer *out)
{
    char text[DURATION_MAX];
    struct buf duration = BUF(text);

    if (event->type == EVENT_RUN_LATE)
        duration_format(event->detail, &duration);
    answer_put_some(out, "lateness", buf_as_str(&duration));
}

/* The progress of a backfill; null for other events. */
static void put_backfill(const struct event *event, struct answer *out)
{
    bool is_end = event->type == EVENT_BACKFILL_ENDED;

    answer_name(out, "backfill");
    if (!is_between(event, EVENT_BACKFILL_STARTED, EVENT_BACKFILL_ENDED)) {
        answer_text(out, "null");
        return;
    }
    answer_open(out);
    answer_put_int(out, "id", event->pass);
    answer_put_int(out, "started", event->count);
    answer_put_int(out, "skipped", event->detail);
    answer_put_int(out, "buffered", is_end ? 0 : event->attempt);
    put_int(out, "succeeded", is_end, event->attempt);
    put_int(out, "failed", is_end, event->fence);
    put_int(out, "cancelled", is_end, event->slot);
    answer_text(out, "}");
}

void event_print(const struct event *event, const struct event_note *note,
                 const struct event_scene *scene, struct answer *out)
{
    bool is_slots = is_between(event, EVENT_SLOT_SKIPPED, EVENT_SLOT_CANCELLED);
    bool is_plan = event->type == EVENT_RUN_PLANNED || event->type == EVENT_RUN_UNPLANNED;
    bool is_midnight = event->type == EVENT_PLAN_MIDNIGHT;
    bool is_change = is_between(event, EVENT_SCHEDULE_CREATED, EVENT_SCHEDULE_RELEASED);
    bool is_jump = event->type == EVENT_CLOCK_JUMP;
    struct str none = {NULL, 0};
    char run[RUN_ID_TEXT_MAX];

    answer_open(out);
    answer_put_text(out, "id", note->id);
    answer_put_word(out, "type", event_text(note->type));
    put_instant(out, "at", true, scene->at);
    answer_put_some(out, "namespace", scene->owner ? scene->owner->namespace_name : none);
    answer_put_some(out, "schedule", note->schedule);
    answer_put_some(out, "run", run_text(note, run));
    put_instant(out, "slot", note->has_run || is_slots || is_plan || is_midnight || is_jump,
                event->slot);
    put_instant(out, "last", is_plan, event->detail);
    put_int(out, "attempt", note->has_run && !is_slots && !is_plan, event->attempt);
    put_int(out, "fence", note->has_run && !is_slots && !is_plan, event->fence);
    put_outcome(event, out);
    put_lateness(event, out);
    put_int(out, "count",
            is_slots || (is_plan && event->count > 0) || event->type == EVENT_DAMAGED,
            event->count);
    put_backfill(event, out);
    put_int(out, "stepMs", is_jump, event->count);
    put_int(out, "version", is_change, event->count);
    answer_put_some(out, "zone", is_midnight && scene->owner ? scene->owner->name : none);
    answer_put_some(out, "node", scene->node);
    answer_text(out, "}");
}
