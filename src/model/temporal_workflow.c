/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A workflow to start as an action, and back.
 *
 * The action holds as JSON what workers need.  The rest, which only Temporal understands, is
 * stored next to it as the packed message, without the fields that the action has.
 */
#include "model/action_json.h"
#include "model/temporal_codec.h"
#include "wire/base64.h"

/* TaskQueueKind; Temporal fills it in for clients that leave it unset. */
enum { QUEUE_KIND_NORMAL = 1 };

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

/* Never empty: the task queue is always part of the message. */
static struct str pack_rest(const Temporal__NewWorkflowExecutionInfo *w, struct arena *arena)
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
    return buf_as_str(&text);
}

static enum rc check_text(struct str text, size_t max,
                          enum rc (*check)(struct str text, struct err *reterr),
                          const char *field, struct err *reterr)
{
    if (text.len > max)
        err_set(reterr, RC_LIMIT, -1, 0, "has %zu bytes; the limit is %zu", text.len, max);
    else if (!check || text.len == 0 || check(text, reterr) == RC_OK)
        return RC_OK;
    return err_in(reterr, "%s", field);
}

/* Frees `map`. */
static enum rc keep_map(json_t *map, const char *field, struct arena *arena, struct str *ret,
                        struct err *reterr)
{
    enum rc rc = json_keep_map(map, WORKFLOW_INPUT_MAX, arena, ret, reterr);

    json_decref(map);
    return rc == RC_OK ? RC_OK : err_in(reterr, "%s", field);
}

enum rc temporal_workflow_action(const Temporal__NewWorkflowExecutionInfo *w,
                                 struct arena *arena, struct action *ret, struct err *reterr)
{
    struct action action = action_default(ACTION_WORKFLOW);
    struct workflow_action *to = &action.workflow;

    to->name = str_of(w->workflow_type->name);
    to->workflow_id = str_of(w->workflow_id);
    to->queue = str_of(w->task_queue->name);
    to->temporal = pack_rest(w, arena);
    if (check_text(to->name, ACTION_NAME_MAX, path_name_check, "name", reterr) != RC_OK ||
        check_text(to->workflow_id, ACTION_ID_MAX, name_check, "workflowId", reterr) != RC_OK ||
        check_text(to->queue, ACTION_NAME_MAX, path_name_check, "queue", reterr) != RC_OK ||
        keep_map(temporal_fields_json(w->header, arena), "header", arena, &to->header,
                 reterr) != RC_OK ||
        keep_map(temporal_fields_json(w->memo, arena), "memo", arena, &to->memo, reterr) !=
            RC_OK ||
        keep_map(temporal_fields_json(w->search_attributes, arena), "searchAttributes", arena,
                 &to->search_attributes, reterr) != RC_OK ||
        check_text(to->temporal, WORKFLOW_INPUT_MAX, NULL, "temporal", reterr) != RC_OK ||
        keep_map(temporal_payloads_json(w->input, arena), "input", arena, &action.input,
                 reterr) != RC_OK)
        return reterr->rc;
    *ret = action;
    return RC_OK;
}

/* ---- from an action ---- */

/* An empty message if there is none, or if it cannot be read. */
static Temporal__NewWorkflowExecutionInfo *unpack_rest(struct str text, struct arena *arena)
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
    Temporal__NewWorkflowExecutionInfo *w = unpack_rest(from->temporal, arena);
    Temporal__WorkflowType *type = arena_take(arena, sizeof *type);
    json_auto_t *input = action->input.len > 0 ? json_of_kept(action->input) : NULL;

    temporal__workflow_type__init(type);
    type->name = temporal_text(from->name, arena);
    w->workflow_type = type;
    if (!w->task_queue) {
        w->task_queue = arena_take(arena, sizeof *w->task_queue);
        temporal__task_queue__init(w->task_queue);
    }
    if (w->task_queue->kind == 0)
        w->task_queue->kind = QUEUE_KIND_NORMAL;
    w->task_queue->name = temporal_text(from->queue.len > 0 ? from->queue : from->name, arena);
    w->workflow_id = temporal_text(from->workflow_id, arena);
    w->input = temporal_payloads_of(input, arena);
    w->header = fields_of(from->header, arena);
    w->memo = fields_of(from->memo, arena);
    w->search_attributes = fields_of(from->search_attributes, arena);
    return w;
}
