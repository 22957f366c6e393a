/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what is stored of a schedule for Temporal's clients: see temporal_draft.h.
 */
#include "api/schedules/view.h"
#include "api/temporal/temporal_draft.h"
#include "model/action_json.h"
#include "wire/base64.h"
#include "wire/json/json_text.h"

/* A JSON string without its quotes; false: it is not a string, or has an escape. */
static bool read_plain(struct str written, struct str *ret)
{
    if (written.len < 2 || written.ptr[0] != '"' || memchr(written.ptr, '\\', written.len))
        return false;
    *ret = (struct str){written.ptr + 1, written.len - 2};
    return true;
}

/* False: the member does not exist, or is not a message of this type. */
static bool read_message(struct str stored, const char *name,
                         const ProtobufCMessageDescriptor *type, struct arena *arena, void *ret)
{
    ProtobufCMessage *message;
    struct str encoded;
    struct buf bytes;
    struct err err;

    if (!read_plain(json_find_member(stored, str_of(name)), &encoded))
        return false;
    bytes = (struct buf){.cap = encoded.len + 1};
    bytes.ptr = arena_take(arena, bytes.cap);
    if (base64_read(encoded, &bytes, &err) != RC_OK ||
        proto_unpack(type, buf_as_str(&bytes), arena, &message, &err) != RC_OK)
        return false;
    *(ProtobufCMessage **)ret = message;
    return true;
}

/* ---- a spec that was changed by another API ---- */

/* Whether Temporal's cron strings can express it. */
static bool is_temporal_cron(const struct cron_def *cron)
{
    return cron->zone.len == 0 &&
           (cron->dialect == DIALECT_TEMPORAL || cron->dialect == DIALECT_BELFRY);
}

static struct temporal_time time_of(instant t, instant none)
{
    if (t == none)
        return (struct temporal_time){0};
    return (struct temporal_time){.is_set = true, .seconds = instant_seconds(t)};
}

static Temporal__ScheduleSpec *spec_of(const struct spec_def *def, struct arena *arena)
{
    struct temporal_spec given = {0}, spec = {0};
    struct err err;

    given.text_calendars = def->calendars;
    given.text_count = def->calendar_count;
    given.not_text_calendars = def->not_calendars;
    given.not_text_count = def->not_calendar_count;
    given.cron_strings = arena_array(arena, (size_t)def->cron_count, sizeof(struct str));
    for (int i = 0; i < def->cron_count; i++)
        if (is_temporal_cron(&def->cron[i]))
            given.cron_strings[given.cron_count++] = def->cron[i].expr;
    given.intervals = arena_array(arena, (size_t)def->interval_count, sizeof *given.intervals);
    for (int i = 0; i < def->interval_count; i++)
        given.intervals[given.interval_count++] = (struct temporal_interval){
            {.is_set = true, .seconds = def->intervals[i].every / SPAN_S},
            {.is_set = true, .seconds = def->intervals[i].phase / SPAN_S}};
    given.start = time_of(def->start, INSTANT_NONE);
    given.end = time_of(def->end, INSTANT_NEVER);
    given.jitter = (struct temporal_time){.is_set = def->jitter > 0,
                                          .seconds = def->jitter / SPAN_S};
    given.zone = def->zone;
    if (temporal_canonical(&given, arena, &spec, &err) != RC_OK)
        spec = (struct temporal_spec){.zone = def->zone};
    return temporal_spec_message(&spec, arena);
}

/* Takes the spec from the native document alone. */
static enum rc rebuild_spec(const struct schedule_row *row, struct arena *arena,
                            Temporal__Schedule *schedule, struct err *reterr)
{
    struct schedule_doc doc;

    if (view_recall(row, arena, &doc, reterr) != RC_OK)
        return reterr->rc;
    schedule->spec = spec_of(&doc.spec, arena);
    return RC_OK;
}

/*
 * Reads the members directly from the text, which nearly always works; building a tree of
 * values takes half of the time of a describe.  False: a member needs the JSON parser.
 */
static bool read_members(struct str text, struct action *ret)
{
    struct workflow_action *w = &ret->workflow;
    const struct {
        struct str key, *to;
        bool is_text;
    } members[] = {
        {STR("name"), &w->name, true},
        {STR("workflowId"), &w->workflow_id, true},
        {STR("queue"), &w->queue, true},
        {STR("temporal"), &w->temporal, true},
        {STR("input"), &ret->input, false},
        {STR("header"), &w->header, false},
        {STR("memo"), &w->memo, false},
        {STR("searchAttributes"), &w->search_attributes, false},
    };

    struct str key, value;
    bool is_workflow = false;

    while (json_next_member(&text, &key, &value)) {
        if (str_eq(key, STR("type")))
            is_workflow = str_eq(value, STR("\"workflow\""));
        for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
            if (!str_eq(key, members[i].key) || str_eq(value, STR("null")))
                continue;
            if (!members[i].is_text)
                *members[i].to = value;
            else if (!read_plain(value, members[i].to))
                return false;
        }
    }
    return is_workflow;
}

static enum rc read_action(struct str text, struct arena *arena, struct action *ret,
                           struct err *reterr)
{
    json_auto_t *json = NULL;
    enum rc rc;

    if (read_members(text, ret))
        return RC_OK;
    rc = json_read(text, &json, reterr);
    if (rc == RC_OK)
        rc = action_from_json(json, arena, true, ret, reterr);
    return rc == RC_OK ? rc : (reterr->rc = RC_CORRUPT);
}

static Temporal__ScheduleAction *workflow_message(const struct action *action,
                                                  struct arena *arena)
{
    Temporal__ScheduleAction *m = arena_take(arena, sizeof *m);

    temporal__schedule_action__init(m);
    m->action_case = TEMPORAL__SCHEDULE_ACTION__ACTION_START_WORKFLOW;
    m->start_workflow = temporal_workflow_of(action, arena);
    return m;
}

static enum rc read_stored_action(struct str text, struct arena *arena, bool is_brief,
                                  Temporal__ScheduleAction **ret, struct err *reterr)
{
    struct action action = {.type = ACTION_WORKFLOW};
    struct workflow_action *w = &action.workflow;

    if (read_action(text, arena, &action, reterr) != RC_OK)
        return reterr->rc;
    if (is_brief)
        action.input = w->header = w->memo = w->search_attributes = (struct str){NULL, 0};
    *ret = workflow_message(&action, arena);
    return RC_OK;
}

/* ---- all of it ---- */

static bool is_spec_unchanged(struct str stored, struct str spec, struct arena *arena)
{
    struct str fingerprint;

    return read_plain(json_find_member(stored, STR("specPrint")), &fingerprint) &&
           str_eq(fingerprint, temporal_spec_fingerprint(spec, arena));
}

Temporal__Fields *temporal_stored_attributes(const struct schedule_row *row,
                                             struct arena *arena)
{
    struct str stored = json_find_member(row->extra, STR("temporal"));
    Temporal__Fields *attributes = NULL;

    read_message(stored, "searchAttributes", &temporal__fields__descriptor, arena, &attributes);
    return attributes;
}

static enum rc read_stored(const struct schedule_row *row, struct arena *arena, bool is_brief,
                           struct temporal_stored *ret, struct err *reterr)
{
    struct str stored = json_find_member(row->extra, STR("temporal"));
    struct temporal_stored result = {
        .search_attributes = temporal_stored_attributes(row, arena)};
    enum rc rc = RC_OK;

    read_message(stored, "memo", &temporal__fields__descriptor, arena, &result.memo);
    if (!read_message(stored, "schedule", &temporal__schedule__descriptor, arena,
                      &result.schedule)) {
        result.schedule = arena_take(arena, sizeof *result.schedule);
        temporal__schedule__init(result.schedule);
    }
    if (!result.schedule->spec || !is_spec_unchanged(stored, row->spec, arena))
        rc = rebuild_spec(row, arena, result.schedule, reterr);
    if (rc == RC_OK)
        rc = read_stored_action(row->action, arena, is_brief, &result.schedule->action, reterr);
    if (rc == RC_OK)
        *ret = result;
    return rc;
}

enum rc temporal_stored_read(const struct schedule_row *row, struct arena *arena,
                             struct temporal_stored *ret, struct err *reterr)
{
    return read_stored(row, arena, false, ret, reterr);
}

struct temporal_stored temporal_stored_brief(const struct schedule_row *row,
                                             struct arena *arena)
{
    struct temporal_stored result;
    struct action none = {.type = ACTION_WORKFLOW};
    struct err err;

    if (read_stored(row, arena, true, &result, &err) == RC_OK)
        return result;
    result = (struct temporal_stored){.schedule = arena_take(arena, sizeof *result.schedule)};
    temporal__schedule__init(result.schedule);
    result.schedule->spec = temporal_spec_message(&(struct temporal_spec){0}, arena);
    result.schedule->action = workflow_message(&none, arena);
    return result;
}
