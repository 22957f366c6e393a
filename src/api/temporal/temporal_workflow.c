/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A workflow to start as an action, and back.
 *
 * The action holds as JSON what workers need.  The rest, which only Temporal understands, is
 * stored next to it as the packed message, without the fields that the action has.
 */
#include "api/temporal/temporal_codec.h"
#include "model/action_json.h"
#include "wire/base64.h"

/* ---- to an action ---- */

/* Clients reject an answer whose coefficient is 0, so defaults are filled in. */
static Temporal__RetryPolicy *complete_retry(const Temporal__RetryPolicy *given,
                                             struct arena *arena)
{
    Temporal__RetryPolicy *retry;

    if (!given)
        return NULL;
    retry = arena_take(arena, sizeof *retry);
    *retry = *given;
    if (!retry->initial_interval)
        retry->initial_interval = temporal_duration(SPAN_S, arena);
    if (retry->backoff_coefficient == 0)
        retry->backoff_coefficient = 2;
    return retry;
}

static char no_text[] = "";

/* Never empty: it has at least the kind of the task queue. */
static json_t *rest_json(const Temporal__NewWorkflowExecutionInfo *w, struct arena *arena)
{
    Temporal__NewWorkflowExecutionInfo rest = *w;
    Temporal__TaskQueue queue = *w->task_queue;
    struct buf text;
    struct str packed;

    queue.name = no_text;
    rest.task_queue = &queue;
    rest.workflow_id = no_text;
    rest.workflow_type = NULL;
    rest.input = NULL;
    rest.header = rest.memo = rest.search_attributes = NULL;
    rest.retry_policy = complete_retry(w->retry_policy, arena);
    packed = proto_pack(&rest.base, arena);
    text = (struct buf){.cap = BASE64_ROOM(packed.len)};
    text.ptr = arena_take(arena, text.cap);
    base64_add(packed, &text);
    return json_new_str(buf_as_str(&text));
}

json_t *temporal_workflow_json(const Temporal__NewWorkflowExecutionInfo *w, struct arena *arena)
{
    const struct action action = {
        .type = ACTION_WORKFLOW,
        .workflow = {.name = str_of(w->workflow_type->name),
                     .workflow_id = str_of(w->workflow_id),
                     .queue = str_of(w->task_queue->name)},
    };
    json_t *json = action_to_json(&action, SPEC_BRIEF);

    json_put(json, "input", temporal_payloads_json(w->input, arena));
    json_put(json, "header", temporal_fields_json(w->header, arena));
    json_put(json, "memo", temporal_fields_json(w->memo, arena));
    json_put(json, "searchAttributes", temporal_fields_json(w->search_attributes, arena));
    json_put(json, "temporal", rest_json(w, arena));
    return json;
}

/* ---- from an action ---- */

/* An empty message if there is none, or if it cannot be read. */
static Temporal__NewWorkflowExecutionInfo *rest_of(struct str text, struct arena *arena)
{
    Temporal__NewWorkflowExecutionInfo *w = arena_take(arena, sizeof *w);
    struct buf bytes = {.cap = text.len + 1};
    ProtobufCMessage *message;
    struct err err;

    bytes.ptr = arena_take(arena, bytes.cap);
    temporal__new_workflow_execution_info__init(w);
    if (base64_read(text, &bytes, &err) != RC_OK ||
        proto_unpack(&temporal__new_workflow_execution_info__descriptor, buf_as_str(&bytes),
                     arena, &message, &err) != RC_OK)
        return w;
    *w = *(Temporal__NewWorkflowExecutionInfo *)message;
    return w;
}

static Temporal__Fields *fields_of(struct str text, struct arena *arena)
{
    json_auto_t *json = text.len > 0 ? json_of_kept(text) : NULL;

    return temporal_fields_of(json, arena);
}

Temporal__NewWorkflowExecutionInfo *temporal_workflow_of(const struct action *action,
                                                         struct arena *arena)
{
    const struct workflow_action *from = &action->workflow;
    Temporal__NewWorkflowExecutionInfo *w = rest_of(from->temporal, arena);
    Temporal__WorkflowType *type = arena_take(arena, sizeof *type);
    json_auto_t *input = action->input.len > 0 ? json_of_kept(action->input) : NULL;

    temporal__workflow_type__init(type);
    type->name = temporal_text(from->name, arena);
    w->workflow_type = type;
    if (!w->task_queue) {
        w->task_queue = arena_take(arena, sizeof *w->task_queue);
        temporal__task_queue__init(w->task_queue);
    }
    w->task_queue->name = temporal_text(from->queue.len > 0 ? from->queue : from->name, arena);
    w->workflow_id = temporal_text(from->workflow_id, arena);
    w->input = temporal_payloads_of(input, arena);
    w->header = fields_of(from->header, arena);
    w->memo = fields_of(from->memo, arena);
    w->search_attributes = fields_of(from->search_attributes, arena);
    return w;
}
