/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that the task token of a request belongs to the namespace of the caller.  The id of
 * the namespace comes from the upstream (docs/decisions/0050-forwarding.md).
 */
#include <stdlib.h>

#include "server/forward/forwarder_parts.h"

#define DESCRIBE_PATH "/temporal.api.workflowservice.v1.WorkflowService/DescribeNamespace"

static void on_lookup_head(void *arg, int status, const struct http1_field *fields, int count)
{
    struct forward *f = arg;

    f->lookup_status = status == 200 ? forward_find_status(fields, count)
                                     : grpc_status_of_http(status);
}

/* Nothing is consumed, so that the answer is not longer than the window. */
static void on_lookup_data(void *arg, struct str data)
{
    forward_keep(arg, data);
}

static void refuse_lookup(struct forward *f, enum grpc_status status)
{
    if (status == GRPC_NOT_FOUND)
        forward_refuse(f, 404, "not_found", "the upstream does not have this namespace");
    else if (status == GRPC_UNAVAILABLE || status == GRPC_RESOURCE_EXHAUSTED ||
             status == GRPC_DEADLINE_EXCEEDED)
        forward_refuse(f, 503, "unavailable",
                       "the upstream did not describe the namespace; retry");
    else
        forward_refuse(
            f, 409, "bad_state",
            "the upstream did not describe the namespace, so the task token cannot be "
            "checked; the credentials of the upstream must allow DescribeNamespace");
}

static void on_lookup_end(void *arg, const struct http_end *end)
{
    struct forward *f = arg;
    enum grpc_status status = end->trailer_count > 0
                                  ? forward_find_status(end->trailers, end->trailer_count)
                                  : f->lookup_status;
    struct str id = {0};
    bool is_of = false;

    f->call = NULL;
    if (end->kind != HTTP_END_DONE) {
        forward_fail(f, end);
        return;
    }
    if (status == GRPC_OK &&
        !temporal_token_read_id((struct str){f->pending, f->pending_len}, &id))
        status = GRPC_INTERNAL;
    if (status != GRPC_OK) {
        refuse_lookup(f, status);
        return;
    }
    namespace_ids_set(f->forwarder->ids, f->target.url, f->namespace_name, id);
    is_of = temporal_token_is_of(f->token, id);
    free(f->pending);
    f->pending = NULL;
    f->pending_len = 0;
    if (is_of)
        forward_send(f);
    else
        forward_refuse(f, 403, "forbidden", "the task token belongs to another namespace");
}

static const struct http_watch lookup_watch = {
    .permits = forward_permits,
    .on_head = on_lookup_head,
    .on_data = on_lookup_data,
    .on_end = on_lookup_end,
};

/* The settings may change before the answer, so that the order is copied. */
static void look_up(struct forward *f)
{
    struct arena *arena = exchange_arena(f->x);
    struct http1_field *fields = arena_array(arena, (size_t)f->request.field_count + 1,
                                             sizeof *fields);
    struct http_request *request = arena_take(arena, sizeof *request);
    struct str *texts[] = {&f->target.url, &f->target.ca, &f->target.cert, &f->target.key,
                           &f->target.server_name};
    int count = 0;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        *texts[i] = arena_str(arena, *texts[i]);
    f->token = arena_str(arena, f->token);
    f->namespace_name = arena_str(arena, f->namespace_name);
    for (int i = 0; i < f->request.field_count; i++)
        if (!str_eq(f->request.fields[i].name, STR("grpc-accept-encoding")))
            fields[count++] = f->request.fields[i];
    *request = f->request;
    request->path = str_of(DESCRIBE_PATH);
    request->fields = fields;
    request->field_count = count;
    request->body = temporal_token_describe(f->namespace_name, arena);
    f->lookup_status = GRPC_UNKNOWN;
    f->call = http_client_call(f->forwarder->client, request, &lookup_watch, f);
}

/*
 * A known id only permits.  If it differs, the namespace may have been made again: then the
 * upstream is asked.
 */
void forward_check_token(struct forward *f, const struct forward_order *order)
{
    struct str id;

    f->namespace_name = order->namespace_name;
    if (!temporal_token_find(order->message, order->operation->token_field, &f->token)) {
        forward_refuse(f, 400, "invalid_field",
                       "task_token is missing or is not one of Temporal");
        return;
    }
    id = namespace_ids_find(f->forwarder->ids, f->target.url, f->namespace_name);
    if (id.len > 0 && temporal_token_is_of(f->token, id))
        forward_send(f);
    else
        look_up(f);
}
