/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds gRPC requests to Temporal and reads its answers, which are not trusted.
 */
#include "server/dispatch/temporal_wire.h"

#include "core/time/text.h"
#include "model/payload.h"
#include "model/temporal_codec.h"
#include "model/temporal_failure.h"
#include "server/dispatch/run_log.h"
#include "wire/base64.h"
#include "wire/json/json_text.h"

enum {
    REUSE_ALLOW = 1, /* WorkflowIdReusePolicy */
    REUSE_REJECT = 3,
    ALL_EVENTS = 1, /* HistoryEventFilterType */
    CLOSE_EVENT = 2,
    OWN_ATTRIBUTES = 2, /* search attributes that a schedule adds */
    WORDS_MAX = 200,    /* bytes of a status message              */
    QUERY_MAX = 128,    /* of a query for runs that have ended    */
};

static const char *const end_words[] = {
    [FLOW_COMPLETED] = "COMPLETED", [FLOW_FAILED] = "FAILED",
    [FLOW_TIMED_OUT] = "TIMED_OUT", [FLOW_TERMINATED] = "TERMINATED",
    [FLOW_CANCELLED] = "CANCELED",
};

/* ---- requests ---- */

static Temporal__WorkflowExecution *execution(const struct temporal_who *who,
                                              struct arena *arena)
{
    Temporal__WorkflowExecution *m = arena_take(arena, sizeof *m);

    temporal__workflow_execution__init(m);
    m->workflow_id = temporal_text(who->workflow_id, arena);
    m->run_id = temporal_text(who->run_id, arena);
    return m;
}

bool temporal_has_payloads(const struct action *action)
{
    json_auto_t *input = action->input.len > 0 ? json_of_kept(action->input) : NULL;

    return action->workflow.temporal.len > 0 ||
           json_is_array(json_object_get(input, "payloads"));
}

struct str temporal_workflow_id(const struct action *action, struct str schedule,
                                const struct run *run, struct arena *arena)
{
    struct str base = action->workflow.workflow_id;
    struct buf id;

    if (base.len == 0 && action->workflow.temporal.len == 0)
        base = schedule.len > 0 ? schedule : action->workflow.name;
    id = arena_buf(arena, base.len + WORKFLOW_ID_SUFFIX);
    payload_workflow_id(base, run->slot, &id);
    return buf_whole(&id);
}

/* Encodes a value as Temporal's clients do: as JSON, optionally with a type. */
static Temporal__Payload *json_payload(struct str json, const char *type, struct arena *arena)
{
    Temporal__Payload *payload = arena_take(arena, sizeof *payload);
    const char *texts[][2] = {{"encoding", "json/plain"}, {"type", type}};

    temporal__payload__init(payload);
    payload->data = (ProtobufCBinaryData){json.len, (uint8_t *)(uintptr_t)json.ptr};
    payload->metadata = arena_array(arena, 2, sizeof *payload->metadata);
    for (int i = 0; i < (type ? 2 : 1); i++) {
        Temporal__Payload__MetadataEntry *entry = arena_take(arena, sizeof *entry);

        temporal__payload__metadata_entry__init(entry);
        entry->key = temporal_text(str_of(texts[i][0]), arena);
        entry->value = (ProtobufCBinaryData){
            strlen(texts[i][1]), (uint8_t *)temporal_text(str_of(texts[i][1]), arena)};
        payload->metadata[payload->n_metadata++] = entry;
    }
    return payload;
}

static Temporal__Payloads *one_argument(struct str json, struct arena *arena)
{
    Temporal__Payloads *payloads = arena_take(arena, sizeof *payloads);

    temporal__payloads__init(payloads);
    payloads->payloads = arena_array(arena, 1, sizeof *payloads->payloads);
    payloads->payloads[payloads->n_payloads++] = json_payload(json, NULL, arena);
    return payloads;
}

static Temporal__Fields__FieldsEntry *attribute(const char *name, struct str value,
                                                const char *type, struct arena *arena)
{
    Temporal__Fields__FieldsEntry *entry = arena_take(arena, sizeof *entry);
    struct buf json = arena_buf(arena, json_str_room(value) + 1);

    json_write_str(&json, value);
    temporal__fields__fields_entry__init(entry);
    entry->key = temporal_text(str_of(name), arena);
    entry->value = json_payload(buf_as_str(&json), type, arena);
    return entry;
}

/* Those of the action, and those that Temporal's own scheduler adds. */
static Temporal__Fields *attributes(const Temporal__Fields *given,
                                    const struct temporal_start *start, struct arena *arena)
{
    Temporal__Fields *all = arena_take(arena, sizeof *all);
    size_t count = given ? given->n_fields : 0;
    char text[WORKFLOW_ID_SUFFIX];
    struct buf time = BUF(text);

    temporal__fields__init(all);
    all->fields = arena_array(arena, count + OWN_ATTRIBUTES, sizeof *all->fields);
    if (count > 0)
        memcpy(all->fields, given->fields, count * sizeof *all->fields);
    all->n_fields = count;
    if (start->schedule.len == 0)
        return count > 0 ? all : NULL;
    instant_format(instant_of_seconds(instant_seconds(start->run->slot)), &time);
    all->fields[all->n_fields++] = attribute("TemporalScheduledStartTime", buf_as_str(&time),
                                             "Datetime", arena);
    all->fields[all->n_fields++] = attribute("TemporalScheduledById", start->schedule,
                                             "Keyword", arena);
    return all;
}

/* A slot runs once; a manual run may reuse the workflow id. */
static int32_t reuse_of(const struct temporal_start *start)
{
    return start->run->kind == RUN_SLOT && !start->is_again ? REUSE_REJECT : REUSE_ALLOW;
}

static void set_last_results(const struct temporal_start *start, struct arena *arena,
                             Temporal__StartWorkflowExecutionRequest *to)
{
    json_auto_t *result = start->last_result.len > 0 ? json_of_kept(start->last_result) : NULL;

    to->last_completion_result = temporal_payloads_of(json_object_get(result, "output"), arena);
    to->continued_failure = temporal_failure_of(start->last_failure, arena);
}

struct str temporal_start_body(const struct temporal_start *start, struct arena *arena)
{
    Temporal__StartWorkflowExecutionRequest m =
        TEMPORAL__START_WORKFLOW_EXECUTION_REQUEST__INIT;
    const Temporal__NewWorkflowExecutionInfo *w = temporal_workflow_of(start->action, arena);

    m.namespace_ = temporal_text(start->who.namespace, arena);
    m.workflow_id = temporal_text(start->who.workflow_id, arena);
    m.workflow_type = w->workflow_type;
    m.task_queue = w->task_queue;
    m.input = temporal_has_payloads(start->action) ? w->input
                                                   : one_argument(start->input, arena);
    m.workflow_execution_timeout = w->workflow_execution_timeout;
    m.workflow_run_timeout = w->workflow_run_timeout;
    m.workflow_task_timeout = w->workflow_task_timeout;
    m.identity = temporal_text(start->who.identity, arena);
    m.request_id = temporal_text(start->request_id, arena);
    m.workflow_id_reuse_policy = reuse_of(start);
    m.retry_policy = w->retry_policy;
    m.memo = w->memo;
    m.search_attributes = attributes(w->search_attributes, start, arena);
    m.header = w->header;
    m.user_metadata = w->user_metadata;
    m.versioning_override = w->versioning_override;
    m.priority = w->priority;
    set_last_results(start, arena, &m);
    return proto_frame(&m.base, arena);
}

struct str temporal_follow_body(const struct temporal_who *who, struct str token, bool waits,
                                struct arena *arena)
{
    Temporal__GetWorkflowExecutionHistoryRequest m =
        TEMPORAL__GET_WORKFLOW_EXECUTION_HISTORY_REQUEST__INIT;

    m.namespace_ = temporal_text(who->namespace, arena);
    m.execution = execution(who, arena);
    m.next_page_token = (ProtobufCBinaryData){token.len, (uint8_t *)(uintptr_t)token.ptr};
    m.wait_new_event = waits;
    m.history_event_filter_type = CLOSE_EVENT;
    return proto_frame(&m.base, arena);
}

struct str temporal_find_body(const struct temporal_who *who, struct arena *arena)
{
    Temporal__GetWorkflowExecutionHistoryRequest m =
        TEMPORAL__GET_WORKFLOW_EXECUTION_HISTORY_REQUEST__INIT;

    m.namespace_ = temporal_text(who->namespace, arena);
    m.execution = execution(who, arena);
    m.maximum_page_size = 1;
    m.history_event_filter_type = ALL_EVENTS;
    return proto_frame(&m.base, arena);
}

struct str temporal_closed_body(struct str namespace, instant since, int32_t page_size,
                                struct str token, struct arena *arena)
{
    Temporal__ListWorkflowExecutionsRequest m =
        TEMPORAL__LIST_WORKFLOW_EXECUTIONS_REQUEST__INIT;
    struct buf query = arena_buf(arena, QUERY_MAX);

    buf_text(&query, "TemporalScheduledById IS NOT NULL AND CloseTime > \"");
    instant_format(since, &query);
    buf_char(&query, '"');
    m.namespace_ = temporal_text(namespace, arena);
    m.page_size = page_size;
    m.next_page_token = (ProtobufCBinaryData){token.len, (uint8_t *)(uintptr_t)token.ptr};
    m.query = temporal_text(buf_whole(&query), arena);
    return proto_frame(&m.base, arena);
}

/* Names the first run, so that the request also covers its successors. */
struct str temporal_cancel_body(const struct temporal_who *who, struct str request_id,
                                struct arena *arena)
{
    Temporal__RequestCancelWorkflowExecutionRequest m =
        TEMPORAL__REQUEST_CANCEL_WORKFLOW_EXECUTION_REQUEST__INIT;
    const struct temporal_who latest = {.workflow_id = who->workflow_id};

    m.namespace_ = temporal_text(who->namespace, arena);
    m.workflow_execution = execution(&latest, arena);
    m.first_execution_run_id = temporal_text(who->run_id, arena);
    m.identity = temporal_text(who->identity, arena);
    m.request_id = temporal_text(request_id, arena);
    m.reason = temporal_text(STR("cancelled by Belfry"), arena);
    return proto_frame(&m.base, arena);
}

struct str temporal_terminate_body(const struct temporal_who *who, struct str reason,
                                   struct arena *arena)
{
    Temporal__TerminateWorkflowExecutionRequest m =
        TEMPORAL__TERMINATE_WORKFLOW_EXECUTION_REQUEST__INIT;
    const struct temporal_who latest = {.workflow_id = who->workflow_id};

    m.namespace_ = temporal_text(who->namespace, arena);
    m.workflow_execution = execution(&latest, arena);
    m.first_execution_run_id = temporal_text(who->run_id, arena);
    m.identity = temporal_text(who->identity, arena);
    m.reason = temporal_text(reason, arena);
    return proto_frame(&m.base, arena);
}

/* ---- answers ---- */

const struct str temporal_stored_headers[] = {
    {"grpc-status", 11}, {"grpc-message", 12}, {"grpc-status-details-bin", 23}};
const int temporal_stored_header_count = 3;

/* The last one counts: a field may appear in the head and again in the trailers. */
static struct str header_of(const struct webhook_result *result, struct str name)
{
    for (int i = result->header_count - 1; i >= 0; i--)
        if (str_eq_nocase(result->headers[i].name, name))
            return result->headers[i].value;
    return (struct str){0};
}

static struct str words_of(struct str escaped, struct arena *arena)
{
    struct buf words = arena_buf(arena, WORDS_MAX);
    size_t len;

    grpc_unescape_message(escaped, &words);
    len = words.len;
    text_repair(words.ptr, len);
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)words.ptr[i] < ' ')
            words.ptr[i] = ' ';
    return (struct str){words.ptr, len};
}

static struct str bytes_of(struct str encoded, struct arena *arena)
{
    struct buf bytes = arena_buf(arena, encoded.len + 1);
    struct err err;

    return base64_read(encoded, &bytes, &err) == RC_OK ? buf_as_str(&bytes) : (struct str){0};
}

struct temporal_reply temporal_reply_of(const struct webhook_result *result,
                                        struct arena *arena)
{
    struct str status = header_of(result, STR("grpc-status"));
    struct temporal_reply reply = {.status = GRPC_UNKNOWN};
    bool is_compressed = false;
    struct err err;

    if (status.len == 0) {
        reply.status = grpc_status_of_http(result->status);
        reply.words = STR("the answer has no gRPC status");
        return reply;
    }
    reply.status = grpc_status_read(status);
    reply.words = words_of(header_of(result, STR("grpc-message")), arena);
    reply.details = bytes_of(header_of(result, STR("grpc-status-details-bin")), arena);
    if (reply.status != GRPC_OK)
        return reply;
    if (result->is_cut ||
        grpc_unframe(result->body, &is_compressed, &reply.message, &err) != RC_OK ||
        is_compressed)
        reply = (struct temporal_reply){.status = GRPC_UNKNOWN,
                                        .words = STR("the message is invalid or too large")};
    return reply;
}

/* Returns false if the bytes are not such a message. */
static bool read_message(const ProtobufCMessageDescriptor *type, struct str bytes,
                         struct arena *arena, void *ret)
{
    ProtobufCMessage *message;
    struct err err;

    if (proto_unpack(type, bytes, arena, &message, &err) != RC_OK)
        return false;
    *(ProtobufCMessage **)ret = message;
    return true;
}

static struct str run_id(const char *text)
{
    struct str id = str_of(text);

    return id.len <= TEMPORAL_RUN_MAX ? id : (struct str){0};
}

struct str temporal_started(struct str message, struct arena *arena)
{
    Temporal__StartWorkflowExecutionResponse *m;

    return read_message(&temporal__start_workflow_execution_response__descriptor, message,
                        arena, &m)
               ? run_id(m->run_id)
               : (struct str){0};
}

struct temporal_owner temporal_exists(struct str details, struct arena *arena)
{
    static const char name[] =
        "/temporal.api.errordetails.v1.WorkflowExecutionAlreadyStartedFailure";
    Temporal__WorkflowExecutionAlreadyStartedFailure *m;
    Temporal__Status *status;

    if (!read_message(&temporal__status__descriptor, details, arena, &status))
        return (struct temporal_owner){0};
    for (size_t i = 0; i < status->n_details; i++) {
        const Temporal__Any *any = status->details[i];
        struct str bytes = {(const char *)any->value.data, any->value.len};
        const char *slash = strrchr(any->type_url, '/');

        if (slash && strcmp(slash, name) == 0 &&
            read_message(&temporal__workflow_execution_already_started_failure__descriptor,
                         bytes, arena, &m))
            return (struct temporal_owner){run_id(m->run_id), str_of(m->start_request_id)};
    }
    return (struct temporal_owner){0};
}

static Temporal__GetWorkflowExecutionHistoryResponse *history_of(struct str message,
                                                                 struct arena *arena)
{
    Temporal__GetWorkflowExecutionHistoryResponse *m;

    return read_message(&temporal__get_workflow_execution_history_response__descriptor, message,
                        arena, &m)
               ? m
               : NULL;
}

struct str temporal_found(struct str message, struct str identity, struct arena *arena)
{
    const Temporal__GetWorkflowExecutionHistoryResponse *m = history_of(message, arena);
    const Temporal__StartedEvent *started;

    if (!m || !m->history || m->history->n_events == 0)
        return (struct str){0};
    started = m->history->events[0]->started;
    return started && str_eq(str_of(started->identity), identity)
               ? run_id(started->original_execution_run_id)
               : (struct str){0};
}

static void read_result(const Temporal__Payloads *result, struct arena *arena,
                        struct flow_seen *seen)
{
    json_auto_t *json = NULL;
    struct err err;

    if (!result || result->n_payloads == 0)
        return;
    seen->is_cut = temporal__payloads__get_packed_size(result) > FLOW_OUTPUT_MAX;
    if (seen->is_cut)
        return;
    json = temporal_payloads_json(result, arena);
    seen->is_cut = json_keep(json, FLOW_OUTPUT_MAX, arena, &seen->output, &err) != RC_OK;
}

static void read_close_event(const Temporal__HistoryEvent *event, struct arena *arena,
                             struct temporal_look *ret)
{
    struct flow_seen *seen = &ret->seen;

    if (event->completed) {
        seen->status = FLOW_COMPLETED;
        ret->next_run = run_id(event->completed->new_execution_run_id);
        read_result(event->completed->result, arena, seen);
    } else if (event->failed) {
        seen->status = FLOW_FAILED;
        ret->next_run = run_id(event->failed->new_execution_run_id);
        if (event->failed->failure) {
            seen->reason = str_of(event->failed->failure->message);
            seen->failure = temporal_failure_keep(event->failed->failure, arena);
        }
    } else if (event->timed_out) {
        seen->status = FLOW_TIMED_OUT;
        ret->next_run = run_id(event->timed_out->new_execution_run_id);
    } else if (event->canceled) {
        seen->status = FLOW_CANCELLED;
    } else if (event->terminated) {
        seen->status = FLOW_TERMINATED;
        seen->reason = str_of(event->terminated->reason);
    } else if (event->continued_as_new) {
        ret->next_run = run_id(event->continued_as_new->new_execution_run_id);
    }
    if (ret->next_run.len > 0) /* a retry, a cron of Temporal, or continue-as-new */
        *seen = (struct flow_seen){.status = FLOW_OPEN};
    else
        seen->word = str_of(end_words[seen->status] ? end_words[seen->status] : "");
}

struct temporal_look temporal_look_of(struct str message, struct arena *arena)
{
    const Temporal__GetWorkflowExecutionHistoryResponse *m = history_of(message, arena);
    struct temporal_look look = {.seen = {.status = FLOW_OPEN}};

    if (!m)
        return (struct temporal_look){0};
    look.token = (struct str){(const char *)m->next_page_token.data, m->next_page_token.len};
    if (m->history && m->history->n_events > 0)
        read_close_event(m->history->events[m->history->n_events - 1], arena, &look);
    return look;
}

struct temporal_closed temporal_closed_of(struct str message, struct arena *arena)
{
    const Temporal__ListWorkflowExecutionsResponse *m;
    struct temporal_run_end *list;
    int count = 0;

    if (!read_message(&temporal__list_workflow_executions_response__descriptor, message, arena,
                      &m))
        return (struct temporal_closed){0};
    list = arena_array(arena, m->n_executions, sizeof *list);
    for (size_t i = 0; i < m->n_executions; i++) {
        const Temporal__WorkflowExecutionInfo *info = m->executions[i];

        if (info->execution && info->close_time)
            list[count++] = (struct temporal_run_end){str_of(info->execution->workflow_id),
                                                      str_of(info->execution->run_id),
                                                      temporal_instant(info->close_time)};
    }
    return (struct temporal_closed){
        .is_read = true,
        .list = list,
        .count = count,
        .token = {(const char *)m->next_page_token.data, m->next_page_token.len},
    };
}
