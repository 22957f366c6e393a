/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Refusals as gRPC statuses.
 *
 * Clients retry by themselves after the statuses 8, 10, 11 and 14, up to ten times: do not use
 * these for a request that would be refused again.
 */
#include <stdio.h>

#include "api/temporal/temporal.h"
#include "wire/base64.h"
#include "wire/grpc/grpc.h"
#include "wire/temporal.pb-c.h"

#define FAILURES "type.googleapis.com/temporal.api.errordetails.v1."
#define DETAILS  "grpc-status-details-bin"

enum { MESSAGE_MAX = ERR_TEXT_MAX + ERR_FIELD_MAX + 32 };

static enum grpc_status status_of(const struct problem *problem)
{
    static const struct {
        int http;
        enum grpc_status status;
    } list[] = {
        {400, GRPC_INVALID_ARGUMENT},    {401, GRPC_UNAUTHENTICATED},
        {403, GRPC_PERMISSION_DENIED},   {404, GRPC_NOT_FOUND},
        {405, GRPC_UNIMPLEMENTED},       {409, GRPC_FAILED_PRECONDITION},
        {412, GRPC_FAILED_PRECONDITION}, {413, GRPC_INVALID_ARGUMENT},
        {422, GRPC_FAILED_PRECONDITION}, {429, GRPC_RESOURCE_EXHAUSTED},
        {501, GRPC_UNIMPLEMENTED},       {503, GRPC_UNAVAILABLE},
        {504, GRPC_DEADLINE_EXCEEDED},
    };

    if (problem->status == 409 && str_eq(str_of(problem->code), STR("exists")))
        return GRPC_ALREADY_EXISTS;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (list[i].http == problem->status)
            return list[i].status;
    return GRPC_INTERNAL;
}

/* Clients recognize an invalid spec by the prefix of the message. */
static void print_message(const struct problem *problem, struct buf *out)
{
    bool is_spec = str_eq(str_of(problem->code), STR("invalid_spec"));
    char room[MESSAGE_MAX];
    struct buf text = BUF(room);

    if (is_spec)
        buf_text(&text, "Invalid schedule spec: ");
    if (problem->field && problem->field[0] != '\0')
        buf_printf(&text, "%s: ", problem->field);
    buf_text(&text, problem->detail);
    grpc_escape_message(buf_as_str(&text), out);
}

void temporal_error_reply(const struct problem *problem, struct buf *out,
                          struct error_reply *refusal)
{
    size_t status = out->len, message;

    buf_printf(out, "%d", (int)status_of(problem));
    message = out->len;
    print_message(problem, out);
    refusal->content_type = "application/grpc";
    refusal->fields[refusal->field_count++] = (struct http1_field){
        STR("grpc-status"), {out->ptr + status, message - status}};
    refusal->fields[refusal->field_count++] = (struct http1_field){
        STR("grpc-message"), {out->ptr + message, out->len - message}};
}

/* Adds a header field with status, message and *any, by which clients recognize the error. */
static enum call_step refuse_with_detail(struct call *call, int status, const char *code,
                                         const char *text, Temporal__Any *any)
{
    const struct problem problem = {.status = status, .code = code};
    Temporal__Status details = TEMPORAL__STATUS__INIT;
    struct str packed;
    struct buf out;

    call_problem(call, status, code, "%s", text);
    details.code = (int32_t)status_of(&problem);
    details.message = (char *)(uintptr_t)text;
    details.n_details = 1;
    details.details = &any;
    packed = proto_pack(&details.base, call->arena);
    out = (struct buf){.cap = BASE64_ROOM(packed.len)};
    out.ptr = arena_take(call->arena, out.cap);
    base64_add(packed, &out);
    call_field(call, STR(DETAILS), buf_as_str(&out));
    return CALL_ANSWER;
}

enum call_step temporal_no_namespace(struct call *call)
{
    Temporal__NamespaceNotFoundFailure failure = TEMPORAL__NAMESPACE_NOT_FOUND_FAILURE__INIT;
    Temporal__Any any = TEMPORAL__ANY__INIT;
    char text[ERR_TEXT_MAX];
    struct str packed;

    failure.namespace_ = (char *)(uintptr_t)arena_str(call->arena, call->namespace_name).ptr;
    packed = proto_pack(&failure.base, call->arena);
    any.type_url = (char *)(uintptr_t)FAILURES "NamespaceNotFoundFailure";
    any.value = (ProtobufCBinaryData){packed.len, (uint8_t *)(uintptr_t)packed.ptr};
    snprintf(text, sizeof text, "Namespace %.*s is not found.", STR_ARG(call->namespace_name));
    return refuse_with_detail(call, 404, "not_found", text, &any);
}

enum call_step temporal_no_schedule(struct call *call)
{
    Temporal__Any any = TEMPORAL__ANY__INIT;

    any.type_url = (char *)(uintptr_t)FAILURES "NotFoundFailure";
    return refuse_with_detail(call, 404, "not_found", "schedule not found", &any);
}

enum call_step temporal_schedule_exists(struct call *call)
{
    Temporal__Any any = TEMPORAL__ANY__INIT;
    char text[ERR_TEXT_MAX];

    any.type_url = (char *)(uintptr_t)FAILURES "WorkflowExecutionAlreadyStartedFailure";
    snprintf(text, sizeof text, "schedule \"%.*s\" is already registered",
             STR_ARG(call->params[0]));
    return refuse_with_detail(call, 409, "exists", text, &any);
}
