/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes what the executor of a run receives; see model/payload.h.
 */
#include "model/payload.h"

#include "base/must.h"
#include "core/policy/governor.h"
#include "core/time/text.h"
#include "model/member.h"
#include "model/trace.h"
#include "wire/json/json_text.h"

enum { FIXED_ROOM = 1024 }; /* names of fields, times, numbers: everything except the texts */

instant payload_executed_at(const struct payload *payload)
{
    const struct run *run = payload->run;

    return run->attempt_at == INSTANT_NONE ? run->due : run->attempt_at;
}

static json_t *merge_inputs(struct str action_input, struct str run_input)
{
    json_t *all = json_of_kept(action_input);
    json_auto_t *overrides = json_of_kept(run_input);

    must(json_is_object(all) && json_is_object(overrides));
    must(json_object_update(all, overrides) == 0);
    return all;
}

struct str payload_input(struct str action_input, struct str run_input, struct arena *arena)
{
    json_auto_t *all = NULL;
    struct str text;
    struct err err;

    if (run_input.len == 0)
        return action_input;
    if (action_input.len == 0)
        return run_input;
    all = merge_inputs(action_input, run_input);
    must(json_keep(all, SIZE_MAX, arena, &text, &err) == RC_OK);
    return text;
}

struct str payload_cron(struct str action, int index, struct arena *arena)
{
    json_auto_t *crons = NULL;
    struct str key, value;
    const json_t *cron;

    while (index >= 0 && !crons && json_next_member(&action, &key, &value))
        if (str_eq(key, STR("crons")))
            crons = json_of_kept(value);
    cron = crons ? json_array_get(crons, (size_t)index) : NULL;
    if (!json_is_string(cron))
        return (struct str){NULL, 0};
    return arena_str(arena, (struct str){json_string_value(cron), json_string_length(cron)});
}

void payload_workflow_id(struct str base, instant slot, struct buf *out)
{
    buf_str(out, base);
    buf_char(out, '-');
    instant_format(instant_of_seconds(instant_seconds(slot)), out);
}

/* ---- members: a name with its comma, then the value ---- */

#define NAMED(name) STR(",\"" name "\":")

static void put_raw(struct buf *out, struct str name, struct str json)
{
    buf_str(out, name);
    buf_str(out, json);
}

static void put_str(struct buf *out, struct str name, struct str value)
{
    buf_str(out, name);
    json_write_str(out, value);
}

static void put_int(struct buf *out, struct str name, int64_t value)
{
    buf_str(out, name);
    json_write_int(out, value);
}

static void put_instant(struct buf *out, struct str name, instant t)
{
    buf_str(out, name);
    buf_char(out, '"');
    instant_format_ms(t, out);
    buf_char(out, '"');
}

static void put_str_if(struct buf *out, struct str name, struct str value)
{
    if (value.len > 0)
        put_str(out, name, value);
}

static void put_raw_if(struct buf *out, struct str name, struct str json)
{
    if (json.len > 0)
        put_raw(out, name, json);
}

static void put_instant_if(struct buf *out, struct str name, instant t)
{
    if (t != INSTANT_NONE && t != INSTANT_NEVER)
        put_instant(out, name, t);
}

/* JSON of an object is written as JSON, everything else as a string. */
static void put_object_or_str_if(struct buf *out, struct str name, struct str value)
{
    json_auto_t *json = value.len > 0 && value.ptr[0] == '{' ? json_of_kept(value) : NULL;

    if (json)
        put_raw(out, name, value);
    else
        put_str_if(out, name, value);
}

static void put_last(const struct payload *payload, struct buf *out)
{
    put_raw_if(out, NAMED("lastResult"), payload->last_result);
    put_object_or_str_if(out, NAMED("lastFailure"), payload->last_failure);
}

/* ---- a call ---- */

void payload_print(const struct payload *payload, struct buf *out)
{
    const struct run *run = payload->run;

    buf_str(out, STR("{\"run\":"));
    json_write_str(out, payload->id);
    if (payload->schedule.len > 0)
        put_str(out, NAMED("schedule"), payload->schedule);
    else
        put_raw(out, NAMED("schedule"), STR("null"));
    put_str(out, NAMED("namespace"), payload->namespace);
    put_str(out, NAMED("kind"), str_of(run_kind_text(run->kind)));
    put_int(out, NAMED("attempt"), run->attempt);
    put_int(out, NAMED("fence"), run->fence);
    put_instant(out, NAMED("scheduledTime"), run->slot);
    put_instant(out, NAMED("executionTime"), payload_executed_at(payload));
    put_raw(out, NAMED("input"), payload->input.len > 0 ? payload->input : STR("{}"));
    put_last(payload, out);
    buf_char(out, '}');
}

/* ---- a workflow ---- */

static bool is_added_key(struct str key)
{
    static const struct str keys[] = {
        {"scheduledTime", 13},  {"executionTime", 13}, {"_startedByScheduler", 19},
        {"_scheduledTime", 14}, {"_executedTime", 13}, {"_executionId", 12},
        {"_schedulerCron", 14},
    };

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (str_eq(key, keys[i]))
            return true;
    return false;
}

static void put_member(struct buf *out, struct str key, struct str value)
{
    buf_str(out, STR(",\""));
    buf_str(out, key);
    buf_str(out, STR("\":"));
    buf_str(out, value);
}

static void print_workflow_input(const struct payload *payload, struct str input,
                                 struct buf *out)
{
    int64_t slot_ms = floor_div(payload->run->slot, SPAN_MS);
    int64_t executed_ms = floor_div(payload_executed_at(payload), SPAN_MS);
    struct str key, value;

    buf_str(out, STR("{\"scheduledTime\":"));
    json_write_int(out, slot_ms);
    put_int(out, NAMED("executionTime"), executed_ms);
    put_str(out, NAMED("_startedByScheduler"), payload->schedule);
    put_int(out, NAMED("_scheduledTime"), slot_ms);
    put_int(out, NAMED("_executedTime"), executed_ms);
    put_str(out, NAMED("_executionId"), payload->id);
    put_str_if(out, NAMED("_schedulerCron"), payload->cron);
    while (json_next_member(&input, &key, &value))
        if (!is_added_key(key))
            put_member(out, key, value);
    buf_char(out, '}');
}

void payload_print_workflow(const struct payload *payload, struct buf *out)
{
    print_workflow_input(payload, payload->input, out);
}

/* ---- a grant ---- */

/* The parts of an action that a worker receives, as JSON; empty: absent. */
struct grant_action {
    struct str type, kind, name, version, workflow_id, correlation_id, input;
    struct str header, memo, search_attributes, temporal, conductor;
};

static struct grant_action read_action(struct str json)
{
    struct grant_action action = {0};
    struct {
        struct str key, *to;
    } fields[] = {
        {STR("type"), &action.type},
        {STR("kind"), &action.kind},
        {STR("name"), &action.name},
        {STR("version"), &action.version},
        {STR("workflowId"), &action.workflow_id},
        {STR("correlationId"), &action.correlation_id},
        {STR("input"), &action.input},
        {STR("header"), &action.header},
        {STR("memo"), &action.memo},
        {STR("searchAttributes"), &action.search_attributes},
        {STR("temporal"), &action.temporal},
        {STR("conductor"), &action.conductor},
    };
    struct str key, value;

    while (json_next_member(&json, &key, &value))
        for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
            if (str_eq(key, fields[i].key) && !str_eq(value, STR("null")))
                *fields[i].to = value;
    return action;
}

/* The id is JSON: the time goes before the closing quote. */
static void put_workflow_id(const struct grant_action *action, instant slot, struct buf *out)
{
    struct str id = action->workflow_id;

    if (id.len == 0 || action->temporal.len == 0) {
        put_raw_if(out, NAMED("workflowId"), id);
        return;
    }
    buf_str(out, NAMED("workflowId"));
    payload_workflow_id((struct str){id.ptr, id.len - 1}, slot, out);
    buf_char(out, '"');
}

static void put_action(const struct grant_action *action, instant slot, struct buf *out)
{
    buf_str(out, STR(",\"action\":{\"type\":"));
    buf_str(out, action->type);
    put_raw_if(out, NAMED("kind"), action->kind);
    put_raw_if(out, NAMED("name"), action->name);
    put_raw_if(out, NAMED("version"), action->version);
    put_workflow_id(action, slot, out);
    put_raw_if(out, NAMED("correlationId"), action->correlation_id);
    put_raw_if(out, NAMED("header"), action->header);
    put_raw_if(out, NAMED("memo"), action->memo);
    put_raw_if(out, NAMED("searchAttributes"), action->search_attributes);
    put_raw_if(out, NAMED("conductor"), action->conductor);
    buf_char(out, '}');
}

/* The input with the run's id in place of null ids. */
static void print_job(const struct payload *payload, struct str input, struct buf *out)
{
    struct str key, value;
    const char *between = "{\"";

    while (json_next_member(&input, &key, &value)) {
        bool is_id = str_eq(key, STR("jobId")) || str_eq(key, STR("jobRunId"));

        buf_text(out, between);
        buf_str(out, key);
        buf_str(out, STR("\":"));
        if (is_id && str_eq(value, STR("null")))
            json_write_str(out, payload->id);
        else
            buf_str(out, value);
        between = ",\"";
    }
    buf_str(out, between[0] == '{' ? STR("{}") : STR("}"));
}

static void put_input(const struct payload *payload, const struct grant_action *action,
                      bool is_job, struct buf *out)
{
    bool is_workflow = str_eq(action->type, STR("\"workflow\""));
    struct str run_input = payload->run->input;
    struct arena *arena = run_input.len > 0 && action->input.len > 0
                              ? arena_new(PAYLOAD_ARENA_MAX)
                              : NULL;
    struct str input = payload_input(action->input, run_input, arena);

    if (is_workflow) {
        buf_str(out, NAMED("input"));
        print_workflow_input(payload, input, out);
    } else if (is_job) {
        buf_str(out, NAMED("input"));
        print_job(payload, input, out);
    } else {
        put_raw(out, NAMED("input"), input.len > 0 ? input : STR("{}"));
    }
    arena_free(arena);
}

static const char *const grant_names[GRANT_FIELDS] = {
    [GRANT_FIELD_ID] = "id",
    [GRANT_FIELD_SCHEDULE] = "schedule",
    [GRANT_FIELD_KIND] = "kind",
    [GRANT_FIELD_SLOT] = "slot",
    [GRANT_FIELD_DUE] = "due",
    [GRANT_FIELD_STATE] = "state",
    [GRANT_FIELD_ATTEMPT] = "attempt",
    [GRANT_FIELD_FENCE] = "fence",
    [GRANT_FIELD_QUEUE] = "queue",
    [GRANT_FIELD_WORKER] = "worker",
    [GRANT_FIELD_LEASE_UNTIL] = "leaseUntil",
    [GRANT_FIELD_SOURCE] = "source",
    [GRANT_FIELD_INPUT] = "input",
    [GRANT_FIELD_CREATED_AT] = "createdAt",
    [GRANT_FIELD_STARTED_AT] = "startedAt",
    [GRANT_FIELD_PROGRESS] = "progress",
    [GRANT_FIELD_LAST_RUN_AT] = "lastRunAt",
    [GRANT_FIELD_IDEMPOTENCY_KEY] = "idempotencyKey",
    [GRANT_FIELD_TRACEPARENT] = "traceparent",
    [GRANT_FIELD_NAMESPACE] = "namespace",
    [GRANT_FIELD_ACTION] = "action",
    [GRANT_FIELD_LAST_RESULT] = "lastResult",
    [GRANT_FIELD_LAST_FAILURE] = "lastFailure",
};

const struct field_names grant_fields = {grant_names, GRANT_FIELDS,
                                         FIELD(GRANT_FIELD_ID) | FIELD(GRANT_FIELD_FENCE)};

/* The run, its state and its lease. */
static void put_run(const struct payload *payload, struct str queue, field_set fields,
                    struct buf *out)
{
    const struct run *run = payload->run;

    if (fields_have(fields, GRANT_FIELD_SCHEDULE))
        put_str_if(out, NAMED("schedule"), payload->schedule);
    if (fields_have(fields, GRANT_FIELD_KIND))
        put_str(out, NAMED("kind"), str_of(run_kind_text(run->kind)));
    if (fields_have(fields, GRANT_FIELD_SLOT))
        put_instant(out, NAMED("slot"), run->slot);
    if (fields_have(fields, GRANT_FIELD_DUE))
        put_instant(out, NAMED("due"), run->due);
    if (fields_have(fields, GRANT_FIELD_STATE))
        put_str(out, NAMED("state"), str_of(run_state_text(run->state)));
    if (fields_have(fields, GRANT_FIELD_ATTEMPT))
        put_int(out, NAMED("attempt"), run->attempt);
    put_int(out, NAMED("fence"), run->fence);
    if (fields_have(fields, GRANT_FIELD_QUEUE))
        put_str_if(out, NAMED("queue"), queue);
    if (fields_have(fields, GRANT_FIELD_WORKER))
        put_str_if(out, NAMED("worker"), run->worker);
    if (fields_have(fields, GRANT_FIELD_LEASE_UNTIL) && run_is_claimed(run->state))
        put_instant_if(out, NAMED("leaseUntil"), run->lease_until);
    if (fields_have(fields, GRANT_FIELD_SOURCE) && run->source > 0)
        put_str(out, NAMED("source"), str_of(source_text((enum source)(run->source - 1))));
}

/* The run's times and progress, and the ids that a worker passes on. */
static void put_context(const struct payload *payload, field_set fields, struct buf *out)
{
    const struct run *run = payload->run;
    char trace[TRACE_TEXT_MAX];

    if (fields_have(fields, GRANT_FIELD_CREATED_AT))
        put_instant_if(out, NAMED("createdAt"), run->created_at);
    if (fields_have(fields, GRANT_FIELD_STARTED_AT))
        put_instant_if(out, NAMED("startedAt"), run->started_at);
    if (fields_have(fields, GRANT_FIELD_PROGRESS))
        put_object_or_str_if(out, NAMED("progress"), run->progress);
    if (fields_have(fields, GRANT_FIELD_LAST_RUN_AT))
        put_instant_if(out, NAMED("lastRunAt"), payload->last_run_at);
    if (fields_have(fields, GRANT_FIELD_IDEMPOTENCY_KEY))
        put_str(out, NAMED("idempotencyKey"), payload->id);
    if (fields_have(fields, GRANT_FIELD_TRACEPARENT))
        put_str(out, NAMED("traceparent"), trace_print(run, payload->id, trace));
    if (fields_have(fields, GRANT_FIELD_NAMESPACE))
        put_str(out, NAMED("namespace"), payload->namespace);
}

void grant_print(const struct payload *payload, struct str queue, struct str action,
                 field_set fields, struct buf *out)
{
    bool has_input = fields_have(fields, GRANT_FIELD_INPUT);
    bool has_action = fields_have(fields, GRANT_FIELD_ACTION);
    struct grant_action parts = read_action(has_input || has_action ? action : STR(""));

    buf_str(out, STR("{\"id\":"));
    json_write_str(out, payload->id);
    put_run(payload, queue, fields, out);
    if (has_input)
        put_input(payload, &parts, str_starts(queue, STR("jobs:")), out);
    put_context(payload, fields, out);
    if (has_action)
        put_action(&parts, payload->run->slot, out);
    if (fields_have(fields, GRANT_FIELD_LAST_RESULT))
        put_raw_if(out, NAMED("lastResult"), payload->last_result);
    if (fields_have(fields, GRANT_FIELD_LAST_FAILURE))
        put_object_or_str_if(out, NAMED("lastFailure"), payload->last_failure);
    buf_char(out, '}');
}

size_t payload_room(const struct payload *payload, struct str queue, struct str action)
{
    const struct run *run = payload->run;

    return FIXED_ROOM + 4 * json_str_room(payload->id) + 2 * json_str_room(payload->schedule) +
           json_str_room(payload->namespace) + json_str_room(payload->cron) +
           json_str_room(payload->last_failure) + json_str_room(run->progress) +
           json_str_room(run->worker) + json_str_room(queue) + payload->input.len +
           payload->last_result.len + run->input.len + 2 * action.len;
}
