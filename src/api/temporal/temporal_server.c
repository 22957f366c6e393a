/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests about the server and a namespace, which clients send before those about schedules.
 */
#include <stdio.h>

#include "api/temporal/temporal.h"
#include "wire/temporal.pb-c.h"

enum { SERVING = 1, NOT_SERVING = 2, SERVICE_UNKNOWN = 3 };
enum { NAMESPACE_REGISTERED = 1 };
enum { KEY_TEXT_MAX = 24 }; /* bytes of a key as text */

static char *mutable_text(const char *text)
{
    return (char *)(uintptr_t)text; /* protobuf-c does not write to it */
}

enum call_step temporal_system_begin(struct call *call)
{
    Temporal__GetSystemInfoResponse info = TEMPORAL__GET_SYSTEM_INFO_RESPONSE__INIT;
    Temporal__Capabilities can = TEMPORAL__CAPABILITIES__INIT;

    can.internal_error_differentiation = true;
    can.supports_schedules = true;
    info.server_version = mutable_text(call->context->version);
    info.capabilities = &can;
    return temporal_answer(call, &info.base);
}

enum call_step temporal_cluster_begin(struct call *call)
{
    Temporal__GetClusterInfoResponse info = TEMPORAL__GET_CLUSTER_INFO_RESPONSE__INIT;

    info.server_version = mutable_text(call->context->version);
    info.cluster_id = mutable_text("belfry");
    info.cluster_name = mutable_text("belfry");
    info.history_shard_count = 1;
    return temporal_answer(call, &info.base);
}

enum call_step temporal_health_begin(struct call *call)
{
    Temporal__HealthCheckResponse health = TEMPORAL__HEALTH_CHECK_RESPONSE__INIT;
    const struct api_context *context = call->context;
    Temporal__HealthCheckRequest *request;
    enum call_step step;
    struct str service;

    if (!temporal_read(call, &temporal__health_check_request__descriptor, &request, &step))
        return step;
    service = str_of(request->service);
    if (service.len > 0 && !str_eq(service, STR(TEMPORAL_SERVICE)))
        health.status = SERVICE_UNKNOWN;
    else
        health.status = context->not_ready(context->arg) ? NOT_SERVING : SERVING;
    return temporal_answer(call, &health.base);
}

/* The read runs only if the namespace exists. */
enum call_step temporal_space_begin(struct call *call)
{
    Temporal__DescribeNamespaceRequest *request;
    enum call_step step;

    if (!temporal_read(call, &temporal__describe_namespace_request__descriptor, &request,
                       &step))
        return step;
    return CALL_READ;
}

enum call_step temporal_space_read(struct call *call, struct db *db)
{
    Temporal__DescribeNamespaceResponse answer = TEMPORAL__DESCRIBE_NAMESPACE_RESPONSE__INIT;
    Temporal__NamespaceInfo info = TEMPORAL__NAMESPACE_INFO__INIT;
    Temporal__NamespaceConfig config = TEMPORAL__NAMESPACE_CONFIG__INIT;
    Temporal__Duration retention = TEMPORAL__DURATION__INIT;
    char id[KEY_TEXT_MAX];

    (void)db;
    snprintf(id, sizeof id, "%lld", (long long)call->namespace);
    info.name = mutable_text(call->namespace_name.ptr);
    info.id = id;
    info.state = NAMESPACE_REGISTERED;
    info.supports_schedules = true;
    retention.seconds = call->context->policies.retention_age / SPAN_S;
    config.workflow_execution_retention_ttl = &retention;
    answer.namespace_info = &info;
    answer.config = &config;
    return temporal_answer(call, &answer.base);
}
