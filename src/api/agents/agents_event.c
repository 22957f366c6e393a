/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps events to the types of the agents' API, and prints them: see agents_event.h.
 */
#include "api/agents/agents_event.h"

#include "core/outcome.h"
#include "model/member.h"

enum { DETAIL_OUTCOME = 256 }; /* event.detail is outcome × 256 + reason */

static const char *const texts[AGENTS_EVENT_COUNT] = {
    [AGENTS_EVENT_NONE] = "",
    [AGENTS_EXEC_PLANNED] = "EXEC_PLANNED",
    [AGENTS_EXEC_CLAIMED] = "EXEC_CLAIMED",
    [AGENTS_EXEC_STARTED] = "EXEC_STARTED",
    [AGENTS_EXEC_FINISHED] = "EXEC_FINISHED",
    [AGENTS_EXEC_RETRYING] = "EXEC_RETRYING",
    [AGENTS_EXEC_CANCELLED] = "EXEC_CANCELLED",
    [AGENTS_SCHEDULE_CREATED] = "SCHEDULE_CREATED",
    [AGENTS_SCHEDULE_UPDATED] = "SCHEDULE_UPDATED",
    [AGENTS_SCHEDULE_DISABLED] = "SCHEDULE_DISABLED",
    [AGENTS_MIDNIGHT_REBUILD] = "MIDNIGHT_REBUILD",
};

/* ---- types ---- */

static enum outcome outcome_of(const struct event *event)
{
    return (enum outcome)(event->detail / DETAIL_OUTCOME);
}

static enum reason reason_of(const struct event *event)
{
    return (enum reason)(event->detail % DETAIL_OUTCOME);
}

/* A run that EVENT_RUN_PLANNED has reported with its day is not reported again when ready. */
static int event_type_of(const struct event *event, bool is_announced)
{
    switch ((enum event_type)event->type) {
    case EVENT_SCHEDULE_CREATED:
        return AGENTS_SCHEDULE_CREATED;
    case EVENT_SCHEDULE_UPDATED:
    case EVENT_SCHEDULE_RESUMED:
        return AGENTS_SCHEDULE_UPDATED;
    case EVENT_SCHEDULE_DISABLED:
    case EVENT_SCHEDULE_PAUSED:
    case EVENT_SCHEDULE_CLOSED:
    case EVENT_SCHEDULE_DELETED:
        return AGENTS_SCHEDULE_DISABLED;
    case EVENT_RUN_PLANNED:
        return AGENTS_EXEC_PLANNED;
    case EVENT_RUN_READY:
        return is_announced || event->attempt > 0 ? AGENTS_EVENT_NONE : AGENTS_EXEC_PLANNED;
    case EVENT_RUN_CLAIMED:
        return AGENTS_EXEC_CLAIMED;
    case EVENT_RUN_STARTED:
        return AGENTS_EXEC_STARTED;
    case EVENT_RUN_RETRYING:
        return AGENTS_EXEC_RETRYING;
    case EVENT_RUN_ENDED:
        return outcome_of(event) == OUTCOME_TERMINATED ? AGENTS_EXEC_CANCELLED
                                                       : AGENTS_EXEC_FINISHED;
    case EVENT_RUN_CANCELLED:
    case EVENT_RUN_UNPLANNED:
    case EVENT_SLOT_CANCELLED:
        return AGENTS_EXEC_CANCELLED;
    case EVENT_SLOT_DROPPED:
    case EVENT_SLOT_MISSED:
        return reason_of(event) == REASON_DELETED || reason_of(event) == REASON_EDITED
                   ? AGENTS_EXEC_CANCELLED
                   : AGENTS_EVENT_NONE;
    case EVENT_PLAN_MIDNIGHT:
        return AGENTS_MIDNIGHT_REBUILD;
    default:
        return AGENTS_EVENT_NONE;
    }
}

/* "EXEC_*" means all types with that prefix. */
static uint64_t types_of(struct str word)
{
    bool is_group = word.len > 1 && word.ptr[word.len - 1] == '*';
    struct str head = {word.ptr, is_group ? word.len - 1 : word.len};
    uint64_t types = 0;

    for (int type = AGENTS_EXEC_PLANNED; type < AGENTS_EVENT_COUNT; type++)
        if (is_group ? str_starts(str_of(texts[type]), head)
                     : str_eq(str_of(texts[type]), word))
            types |= UINT64_C(1) << type;
    return types;
}

enum rc agents_events_parse(struct str text, uint64_t *ret, struct err *reterr)
{
    struct str rest = text, word;

    *ret = 0;
    for (bool has_more = text.len > 0; has_more;) {
        uint64_t types;

        has_more = str_cut(rest, ',', &word, &rest);
        if (!has_more)
            word = rest;
        types = types_of(word);
        if (types == 0)
            return err_set(reterr, RC_INVALID, -1, 0,
                           "unknown type \"%.*s\"; use EXEC_PLANNED, EXEC_CLAIMED, "
                           "EXEC_STARTED, EXEC_FINISHED, EXEC_RETRYING, EXEC_CANCELLED, "
                           "SCHEDULE_CREATED, SCHEDULE_UPDATED, SCHEDULE_DISABLED, "
                           "MIDNIGHT_REBUILD, or a prefix such as EXEC_*",
                           STR_ARG(word));
        *ret |= types;
    }
    return RC_OK;
}

/* ---- JSON ---- */

static struct str member_text(const json_t *json, const char *name, struct arena *arena)
{
    const json_t *value = json_object_get(json, name);
    struct str text = {json_string_value(value), json_string_length(value)};

    return text.len > 0 ? arena_str(arena, text) : (struct str){NULL, 0};
}

static void read_party(struct str extra, struct arena *arena, struct str *ret_agent,
                       struct str *ret_project)
{
    json_auto_t *json = json_of_kept(extra);

    *ret_agent = member_text(json, "agentId", arena);
    *ret_project = member_text(json, "projectId", arena);
}

/* The native word, except for the reason that the original system names. */
static void put_reason(struct answer *out, enum reason reason)
{
    answer_put_some(out, "reason",
                    reason == REASON_NONE     ? (struct str){NULL, 0}
                    : reason == REASON_EDITED ? STR("schedule changed")
                                              : str_of(reason_text(reason)));
}

static void put_run(const struct event_note *note, instant slot, struct answer *out)
{
    char text[RUN_ID_TEXT_MAX];

    run_id_format(&note->run, text);
    answer_put_some(out, "executionId", note->has_run ? str_of(text) : (struct str){NULL, 0});
    answer_put_instant(out, "scheduledAt", slot);
}

/* The runs of a day, or one immediate run. */
static void put_plan(const struct event *event, const struct event_note *note,
                     struct answer *out)
{
    bool is_day = event->type == EVENT_RUN_PLANNED;

    put_run(note, event->slot, out);
    answer_put_int(out, "count", is_day ? event->count : 1);
    answer_put_instant(out, "firstAt", event->slot);
    answer_put_instant(out, "lastAt", is_day ? event->detail : event->slot);
    answer_put_bool(out, "immediate", !is_day);
}

static void put_step(const struct event *event, const struct event_note *note,
                     struct answer *out)
{
    put_run(note, event->slot, out);
    answer_put_int(out, "attempt", event->attempt);
    if (event->type == EVENT_RUN_RETRYING)
        put_reason(out, reason_of(event));
}

/* Items of a day that an edit voided; their number may be unknown. */
static void put_voided(const struct event *event, const struct event_note *note,
                       struct answer *out)
{
    put_run(note, event->slot, out);
    answer_put_int(out, "attempt", 0);
    answer_name(out, "count");
    if (event->count > 0)
        answer_int(out, event->count);
    else
        answer_text(out, "null");
    answer_put_instant(out, "firstAt", event->slot);
    answer_put_instant(out, "lastAt", event->detail);
    answer_put_word(out, "resultStatus", "CANCELLED");
    put_reason(out, REASON_EDITED);
}

static void put_end(const struct event *event, const struct event_note *note,
                    struct answer *out)
{
    bool is_run = event->type == EVENT_RUN_ENDED || event->type == EVENT_RUN_CANCELLED;
    bool is_success = outcome_of(event) == OUTCOME_SUCCEEDED;

    put_run(note, event->slot, out);
    answer_put_int(out, "attempt", is_run ? event->attempt : 0);
    answer_put_int(out, "count", is_run ? 1 : event->count);
    answer_put_word(out, "resultStatus",
                    note->own_type == AGENTS_EXEC_CANCELLED ? "CANCELLED"
                    : is_success                            ? "SUCCESS"
                                                            : "FAIL");
    put_reason(out, reason_of(event));
}

/* The reason is the native word: "disabled", "paused", "closed" or "deleted". */
static void put_change(const struct event *event, const struct event_note *note,
                       struct answer *out)
{
    struct str head, word = {NULL, 0};

    answer_put_int(out, "version", event->count);
    if (note->own_type != AGENTS_SCHEDULE_DISABLED)
        return;
    if (str_cut(str_of(event_text(note->type)), '.', &head, &word))
        answer_put_some(out, "reason", word);
}

static void put_payload(const struct event *event, const struct event_note *note,
                        const struct event_scene *scene, struct answer *out)
{
    if (note->own_type == AGENTS_MIDNIGHT_REBUILD) {
        answer_put_some(out, "timezone", scene->owner ? scene->owner->name : note->schedule);
        answer_put_instant(out, "midnight", event->slot);
        return;
    }
    answer_put_some(out, "agentId", note->agent);
    answer_put_some(out, "projectId", note->project);
    answer_put_some(out, "scheduleId", note->schedule);
    if (note->own_type == AGENTS_EXEC_PLANNED)
        put_plan(event, note, out);
    else if (event->type == EVENT_RUN_UNPLANNED)
        put_voided(event, note, out);
    else if (note->own_type == AGENTS_EXEC_FINISHED || note->own_type == AGENTS_EXEC_CANCELLED)
        put_end(event, note, out);
    else if (note->own_type >= AGENTS_SCHEDULE_CREATED)
        put_change(event, note, out);
    else
        put_step(event, note, out);
}

static void print_event(const struct event *event, const struct event_note *note,
                        const struct event_scene *scene, struct answer *out)
{
    answer_text(out, "{");
    answer_put_some(out, "eventId", note->id);
    answer_put_some(out, "type", str_of(texts[note->own_type]));
    answer_put_instant(out, "timestamp", scene->at);
    answer_text(out, ",\"payload\":{");
    put_payload(event, note, scene, out);
    answer_text(out, "}}");
}

static const char *type_text(int type)
{
    return texts[type];
}

const struct event_terms agents_event_terms = {
    .dialect = DIALECTS_AGENTS,
    .type = event_type_of,
    .type_text = type_text,
    .party = read_party,
    .print = print_event,
};
