/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements the stand-in for Temporal on top of the listener.
 */
#include "temporal.h"

#include <stdio.h>
#include <string.h>

#include "base/must.h"
#include "io/clock.h"
#include "io/loop.h"
#include "wire/base64.h"

#define SERVICE "/temporal.api.workflowservice.v1.WorkflowService/"

enum { BODY_MAX = 4 << 20, ARENA_MAX = 256 << 20, TRAILERS_MAX = 3, FIELDS_MAX = 4096 };

static char *word(const char *text)
{
    return (char *)(uintptr_t)text;
}

static const struct {
    const char *method;
    const ProtobufCMessageDescriptor *type;
} methods[] = {
    {"StartWorkflowExecution", &temporal__start_workflow_execution_request__descriptor},
    {"GetWorkflowExecutionHistory",
     &temporal__get_workflow_execution_history_request__descriptor},
    {"RequestCancelWorkflowExecution",
     &temporal__request_cancel_workflow_execution_request__descriptor},
    {"TerminateWorkflowExecution", &temporal__terminate_workflow_execution_request__descriptor},
    {"ListWorkflowExecutions", &temporal__list_workflow_executions_request__descriptor},
};

/* ---- answers ---- */

static void answer(struct exchange *x, int status, const char *words, struct str details,
                   struct str body)
{
    const struct http1_field head = {STR("content-type"), STR("application/grpc")};
    char number[GRPC_STATUS_MAX], text[1024], encoded[1024];
    struct buf message = BUF(text), base64 = BUF(encoded);
    struct http1_field trailers[TRAILERS_MAX];
    int count = 1;

    snprintf(number, sizeof number, "%d", status);
    trailers[0] = (struct http1_field){STR("grpc-status"), str_of(number)};
    if (words) {
        grpc_escape_message(str_of(words), &message);
        trailers[count++] = (struct http1_field){STR("grpc-message"), buf_as_str(&message)};
    }
    if (details.len > 0) {
        base64_add(details, &base64);
        trailers[count++] = (struct http1_field){STR("grpc-status-details-bin"),
                                                 buf_as_str(&base64)};
    }
    exchange_set_trailers(x, trailers, count);
    exchange_answer(x, 200, &head, 1, body);
}

static void answer_status(struct exchange *x, int status, const char *words)
{
    answer(x, status, words, (struct str){0}, (struct str){0});
}

static void answer_message(struct temporal *server, struct exchange *x,
                           const ProtobufCMessage *message)
{
    answer(x, 0, NULL, (struct str){0}, proto_frame(message, server->arena));
}

static void answer_empty(struct exchange *x)
{
    answer(x, 0, NULL, (struct str){0}, (struct str){"\0\0\0\0", GRPC_PREFIX});
}

/* ---- workflows ---- */

/* Finds the last run of the id, or the given run; returns -1 if there is none. */
static int find(const struct temporal *server, const char *id, const char *run)
{
    for (int i = server->count - 1; i >= 0; i--)
        if (strcmp(server->runs[i].id, id) == 0 &&
            (run[0] == '\0' || strcmp(server->runs[i].run, run) == 0))
            return i;
    return -1;
}

static void answer_exists(struct temporal *server, struct exchange *x,
                          const struct temporal_run *run)
{
    Temporal__WorkflowExecutionAlreadyStartedFailure failure =
        TEMPORAL__WORKFLOW_EXECUTION_ALREADY_STARTED_FAILURE__INIT;
    Temporal__Status status = TEMPORAL__STATUS__INIT;
    Temporal__Any any = TEMPORAL__ANY__INIT, *list[] = {&any};
    struct str packed;

    failure.start_request_id = word(run->request_id);
    failure.run_id = word(run->run);
    packed = proto_pack(&failure.base, server->arena);
    any.type_url = word("type.googleapis.com/temporal.api.errordetails.v1."
                        "WorkflowExecutionAlreadyStartedFailure");
    any.value = (ProtobufCBinaryData){packed.len, (uint8_t *)(uintptr_t)packed.ptr};
    status.code = GRPC_ALREADY_EXISTS;
    status.details = list;
    status.n_details = 1;
    answer(x, GRPC_ALREADY_EXISTS, "Workflow execution is already running.",
           proto_pack(&status.base, server->arena), (struct str){0});
}

static void answer_started(struct temporal *server, struct exchange *x, int place)
{
    Temporal__StartWorkflowExecutionResponse response =
        TEMPORAL__START_WORKFLOW_EXECUTION_RESPONSE__INIT;

    response.run_id = server->runs[place].run;
    answer_message(server, x, &response.base);
}

/* `x` is NULL if only the effect is wanted. */
static void start(struct temporal *server, struct exchange *x,
                  const Temporal__StartWorkflowExecutionRequest *m)
{
    enum { REJECT = 3 };
    int old = find(server, m->workflow_id, "");
    struct temporal_run *run = &server->runs[server->count];

    if (old >= 0 && strcmp(server->runs[old].request_id, m->request_id) == 0) {
        if (x)
            answer_started(server, x, old);
        return;
    }
    if (old >= 0 &&
        (server->runs[old].end == TEMPORAL_RUNNING || m->workflow_id_reuse_policy == REJECT)) {
        if (x)
            answer_exists(server, x, &server->runs[old]);
        return;
    }
    must(server->count < TEMPORAL_FLOWS_MAX);
    *run = (struct temporal_run){
        .id = m->workflow_id, .request_id = m->request_id, .identity = m->identity};
    snprintf(run->run, sizeof run->run, "run-%d", ++server->count);
    if (x)
        answer_started(server, x, server->count - 1);
}

static void fill_result(struct temporal *server, const char *json, Temporal__CompletedEvent *to)
{
    Temporal__Payloads *payloads = arena_take(server->arena, sizeof *payloads);
    Temporal__Payload *payload = arena_take(server->arena, sizeof *payload);

    if (!json)
        return;
    temporal__payloads__init(payloads);
    temporal__payload__init(payload);
    payload->data = (ProtobufCBinaryData){strlen(json), (uint8_t *)word(json)};
    payloads->payloads = arena_take(server->arena, sizeof *payloads->payloads);
    payloads->payloads[0] = payload;
    payloads->n_payloads = 1;
    to->result = payloads;
}

static void answer_closed(struct temporal *server, struct exchange *x,
                          const struct temporal_run *run)
{
    Temporal__GetWorkflowExecutionHistoryResponse response =
        TEMPORAL__GET_WORKFLOW_EXECUTION_HISTORY_RESPONSE__INIT;
    Temporal__History history = TEMPORAL__HISTORY__INIT;
    Temporal__HistoryEvent event = TEMPORAL__HISTORY_EVENT__INIT, *list[] = {&event};
    Temporal__CompletedEvent completed = TEMPORAL__COMPLETED_EVENT__INIT;
    Temporal__FailedEvent failed = TEMPORAL__FAILED_EVENT__INIT;
    Temporal__Failure failure = TEMPORAL__FAILURE__INIT;
    Temporal__TimedOutEvent timed_out = TEMPORAL__TIMED_OUT_EVENT__INIT;
    Temporal__CanceledEvent canceled = TEMPORAL__CANCELED_EVENT__INIT;
    Temporal__TerminatedEvent terminated = TEMPORAL__TERMINATED_EVENT__INIT;
    Temporal__ContinuedAsNewEvent continued = TEMPORAL__CONTINUED_AS_NEW_EVENT__INIT;

    fill_result(server, run->text, &completed);
    failure.message = terminated.reason = word(run->text ? run->text : "");
    failed.failure = &failure;
    if (run->failure.len > 0)
        failed.failure = temporal__failure__unpack(NULL, run->failure.len,
                                                   (const uint8_t *)run->failure.ptr);
    completed.new_execution_run_id = failed.new_execution_run_id =
        timed_out.new_execution_run_id = continued.new_execution_run_id = word(run->next);
    event.completed = run->end == TEMPORAL_COMPLETED ? &completed : NULL;
    event.failed = run->end == TEMPORAL_FAILED ? &failed : NULL;
    event.timed_out = run->end == TEMPORAL_TIMED_OUT ? &timed_out : NULL;
    event.canceled = run->end == TEMPORAL_CANCELED ? &canceled : NULL;
    event.terminated = run->end == TEMPORAL_TERMINATED ? &terminated : NULL;
    event.continued_as_new = run->end == TEMPORAL_CONTINUED ? &continued : NULL;
    history.events = list;
    history.n_events = 1;
    response.history = &history;
    answer_message(server, x, &response.base);
    if (failed.failure != &failure)
        temporal__failure__free_unpacked(failed.failure, NULL);
}

static void answer_begun(struct temporal *server, struct exchange *x,
                         const struct temporal_run *run)
{
    Temporal__GetWorkflowExecutionHistoryResponse response =
        TEMPORAL__GET_WORKFLOW_EXECUTION_HISTORY_RESPONSE__INIT;
    Temporal__History history = TEMPORAL__HISTORY__INIT;
    Temporal__HistoryEvent event = TEMPORAL__HISTORY_EVENT__INIT, *list[] = {&event};
    Temporal__StartedEvent started = TEMPORAL__STARTED_EVENT__INIT;

    started.identity = word(run->identity);
    started.original_execution_run_id = word(run->run);
    event.started = &started;
    history.events = list;
    history.n_events = 1;
    response.history = &history;
    answer_message(server, x, &response.base);
}

static void answer_nothing_yet(struct temporal *server, struct exchange *x)
{
    Temporal__GetWorkflowExecutionHistoryResponse response =
        TEMPORAL__GET_WORKFLOW_EXECUTION_HISTORY_RESPONSE__INIT;
    Temporal__History history = TEMPORAL__HISTORY__INIT;

    response.history = &history;
    response.next_page_token = (ProtobufCBinaryData){5, (uint8_t *)word("token")};
    answer_message(server, x, &response.base);
}

/* One run per page, with its place as the token, so that clients must read several pages. */
static void list_closed(struct temporal *server, struct exchange *x,
                        const Temporal__ListWorkflowExecutionsRequest *m)
{
    Temporal__ListWorkflowExecutionsResponse response =
        TEMPORAL__LIST_WORKFLOW_EXECUTIONS_RESPONSE__INIT;
    Temporal__WorkflowExecutionInfo info = TEMPORAL__WORKFLOW_EXECUTION_INFO__INIT;
    Temporal__WorkflowExecutionInfo *list[] = {&info};
    Temporal__WorkflowExecution execution = TEMPORAL__WORKFLOW_EXECUTION__INIT;
    Temporal__Timestamp closed = TEMPORAL__TIMESTAMP__INIT;
    uint8_t place = m->next_page_token.len > 0 ? m->next_page_token.data[0] : 0;

    must(strstr(m->query, "CloseTime > \"20") && m->page_size > 0);
    while (place < server->count && server->runs[place].end == TEMPORAL_RUNNING)
        place++;
    if (place < server->count) {
        execution.workflow_id = word(server->runs[place].id);
        execution.run_id = word(server->runs[place].run);
        closed.seconds = clock_now() / SPAN_S;
        info.execution = &execution;
        info.close_time = &closed;
        response.executions = list;
        response.n_executions = 1;
        place++;
        response.next_page_token = (ProtobufCBinaryData){1, &place};
    }
    answer_message(server, x, &response.base);
}

static void show(struct temporal *server, struct exchange *x,
                 const Temporal__GetWorkflowExecutionHistoryRequest *m)
{
    enum { ALL_EVENTS = 1 };
    int place = find(server, m->execution->workflow_id, m->execution->run_id);

    if (place < 0)
        answer_status(x, GRPC_NOT_FOUND, "workflow not found");
    else if (m->history_event_filter_type == ALL_EVENTS)
        answer_begun(server, x, &server->runs[place]);
    else if (server->runs[place].end != TEMPORAL_RUNNING)
        answer_closed(server, x, &server->runs[place]);
    else if (m->wait_new_event && m->next_page_token.len > 0) {
        must(server->waiting_count < TEMPORAL_WAITING_MAX);
        server->waits_for[server->waiting_count] = place;
        server->waiting[server->waiting_count++] = x;
    } else
        answer_nothing_yet(server, x);
}

/* Finds the open run whose chain begins with `first`. */
static int find_open(const struct temporal *server,
                     const Temporal__WorkflowExecution *execution, const char *first)
{
    int place = find(server, execution->workflow_id, execution->run_id);

    if (place < 0 || server->runs[place].end != TEMPORAL_RUNNING ||
        find(server, execution->workflow_id, first) < 0)
        return -1;
    return place;
}

static void stop(struct temporal *server, struct exchange *x, int place, const char *reason)
{
    if (place < 0) {
        if (x)
            answer_status(x, GRPC_NOT_FOUND, "workflow execution already completed");
        return;
    }
    if (x)
        answer_empty(x);
    if (reason)
        temporal_end(server, place, TEMPORAL_TERMINATED, reason);
    else
        server->runs[place].is_cancel_requested = true;
}

/* ---- requests ---- */

static void serve(struct temporal *server, struct exchange *x, const char *method,
                  const ProtobufCMessage *message)
{
    const Temporal__StartWorkflowExecutionRequest *any = (const void *)message;
    const Temporal__RequestCancelWorkflowExecutionRequest *cancel = (const void *)message;
    const Temporal__TerminateWorkflowExecutionRequest *terminate = (const void *)message;
    char words[300];

    /* The namespace is the first field of each message. */
    if (strcmp(any->namespace_, "default") != 0) {
        snprintf(words, sizeof words, "Namespace %s is not found.", any->namespace_);
        answer_status(x, GRPC_NOT_FOUND, words);
    } else if (strcmp(method, "StartWorkflowExecution") == 0) {
        start(server, x, any);
    } else if (strcmp(method, "GetWorkflowExecutionHistory") == 0) {
        show(server, x, (const void *)message);
    } else if (strcmp(method, "ListWorkflowExecutions") == 0) {
        list_closed(server, x, (const void *)message);
    } else if (strcmp(method, "RequestCancelWorkflowExecution") == 0) {
        stop(server, x,
             find_open(server, cancel->workflow_execution, cancel->first_execution_run_id),
             NULL);
    } else {
        stop(
            server, x,
            find_open(server, terminate->workflow_execution, terminate->first_execution_run_id),
            terminate->reason);
    }
}

static const char *fields_of(struct temporal *server, const struct http1_request *request)
{
    struct buf out = {.ptr = arena_take(server->arena, FIELDS_MAX), .cap = FIELDS_MAX};

    for (int i = 0; i < request->field_count; i++)
        buf_printf(&out, "%.*s: %.*s\n", STR_ARG(request->fields[i].name),
                   STR_ARG(request->fields[i].value));
    must(!out.cut);
    return out.ptr;
}

static void answer_with_fault(struct temporal *server, struct exchange *x,
                              const struct temporal_fault *fault)
{
    const struct http1_field head = {STR("content-type"), STR("application/grpc")};

    switch (fault->kind) {
    case FAULT_STATUS:
        answer_status(x, fault->status, fault->words);
        break;
    case FAULT_CUT:
        exchange_cut(x);
        break;
    case FAULT_HTTP:
        exchange_answer(x, fault->status, NULL, 0, STR("from a proxy"));
        break;
    case FAULT_NO_STATUS:
        exchange_answer(x, 200, &head, 1, (struct str){"\0\0\0\0", GRPC_PREFIX});
        break;
    case FAULT_SILENT:
        must(server->silent_count < TEMPORAL_WAITING_MAX);
        server->silent[server->silent_count++] = x;
        break;
    }
}

/* Whether a fault applies to the request. */
static bool fails(struct temporal *server, struct exchange *x, const char *method,
                  const ProtobufCMessage *message)
{
    for (int i = 0; i < server->fault_count; i++) {
        struct temporal_fault fault = server->faults[i];

        if (strcmp(fault.method, method) != 0)
            continue;
        memmove(&server->faults[i], &server->faults[i + 1],
                (size_t)(--server->fault_count - i) * sizeof server->faults[0]);
        if (fault.is_done) /* only for starts */
            start(server, NULL, (const void *)message);
        answer_with_fault(server, x, &fault);
        return true;
    }
    return false;
}

static void on_request(void *arg, struct exchange *x)
{
    struct temporal *server = arg;
    struct str path = x->request->target, message;
    struct temporal_seen *seen = &server->seen[server->seen_count++];
    bool is_compressed;
    struct err err;

    must(server->seen_count < TEMPORAL_SEEN_MAX && exchange_is_h2(x));
    must(str_starts(path, STR(SERVICE)));
    must(grpc_unframe(x->body, &is_compressed, &message, &err) == RC_OK && !is_compressed);
    path = str_from(path, sizeof SERVICE - 1);
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        if (str_eq(path, str_of(methods[i].method))) {
            seen->method = methods[i].method;
            must(proto_unpack(methods[i].type, message, server->arena, &seen->message, &err) ==
                 RC_OK);
        }
    must(seen->method != NULL);
    seen->fields = fields_of(server, x->request);
    if (!fails(server, x, seen->method, seen->message))
        serve(server, x, seen->method, seen->message);
    uv_stop(server->loop); /* lets waiting tests check */
}

static int64_t body_max(void *arg, const struct http1_request *request)
{
    (void)arg;
    (void)request;
    return BODY_MAX;
}

/* ---- interface ---- */

static void listen_at(struct temporal *server, uint16_t port)
{
    const struct listener_handler handler = {
        .body_max = body_max, .on_request = on_request, .arg = server};
    struct err err;

    server->listener = listener_new(server->loop, &listener_limits_default, &handler);
    must(listener_bind(server->listener, "127.0.0.1", port, &server->port, &err) == RC_OK);
    server->is_closed = false;
}

static void on_closed(void *arg)
{
    struct temporal *server = arg;

    server->is_closed = true;
    uv_stop(server->loop);
}

static void stop_listening(struct temporal *server)
{
    for (int i = 0; i < server->waiting_count; i++)
        exchange_cut(server->waiting[i]);
    for (int i = 0; i < server->silent_count; i++)
        exchange_cut(server->silent[i]);
    server->waiting_count = server->silent_count = 0;
    listener_close(server->listener, 0, on_closed, server);
    while (!server->is_closed)
        uv_run(server->loop, UV_RUN_ONCE);
    server->listener = listener_free(server->listener);
}

void temporal_open(struct temporal *server, uv_loop_t *loop)
{
    *server = (struct temporal){.loop = loop, .arena = arena_new(ARENA_MAX)};
    listen_at(server, 0);
}

void temporal_close(struct temporal *server)
{
    stop_listening(server);
    arena_free(server->arena);
}

void temporal_restart(struct temporal *server)
{
    stop_listening(server);
    listen_at(server, server->port);
}

void temporal_fail(struct temporal *server, int count, struct temporal_fault fault)
{
    must(server->fault_count + count <= TEMPORAL_FAULTS_MAX);
    while (count-- > 0)
        server->faults[server->fault_count++] = fault;
}

void temporal_end(struct temporal *server, int run, enum temporal_end end, const char *text)
{
    int left = 0;

    server->runs[run].end = end;
    server->runs[run].text = text;
    for (int i = 0; i < server->waiting_count; i++) {
        if (server->waits_for[i] == run) {
            answer_closed(server, server->waiting[i], &server->runs[run]);
            continue;
        }
        server->waits_for[left] = server->waits_for[i];
        server->waiting[left++] = server->waiting[i];
    }
    server->waiting_count = left;
}

void temporal_answer_polls(struct temporal *server)
{
    int count = server->waiting_count;

    server->waiting_count = 0;
    for (int i = 0; i < count; i++)
        answer_nothing_yet(server, server->waiting[i]);
}

int temporal_count_seen(const struct temporal *server, const char *method)
{
    int count = 0;

    for (int i = 0; i < server->seen_count; i++)
        count += strcmp(server->seen[i].method, method) == 0;
    return count;
}

const struct temporal_seen *temporal_nth(const struct temporal *server, const char *method,
                                         int n)
{
    for (int i = 0; i < server->seen_count; i++)
        if (strcmp(server->seen[i].method, method) == 0 && n-- == 0)
            return &server->seen[i];
    must(!"too few requests of this method");
    return NULL;
}
