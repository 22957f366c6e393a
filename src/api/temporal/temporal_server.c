/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests about the server and a namespace, which clients send before those about schedules.
 */
#include <stdio.h>

#include "api/call/context_attributes.h"
#include "api/temporal/temporal.h"
#include "store/named_objects.h"
#include "wire/temporal.pb-c.h"

#define CLUSTER "belfry"

enum { SERVING = 1, NOT_SERVING = 2, SERVICE_UNKNOWN = 3 };
enum { NAMESPACE_REGISTERED = 1, ARCHIVAL_DISABLED = 1, REPLICATION_NORMAL = 1 };
enum { KEYWORD = 2, BOOL = 5, DATETIME = 6 };
enum { PAGE_MAX = 100 };    /* namespaces of one answer */
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
    info.cluster_id = mutable_text(CLUSTER);
    info.cluster_name = mutable_text(CLUSTER);
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

/* A namespace with all parts that clients expect; some read them without a check. */
struct described {
    Temporal__DescribeNamespaceResponse answer;
    Temporal__NamespaceInfo info;
    Temporal__NamespaceCapabilities capabilities;
    Temporal__NamespaceLimits limits;
    Temporal__NamespaceConfig config;
    Temporal__BadBinaries bad_binaries;
    Temporal__Duration retention;
    Temporal__NamespaceReplicationConfig replication;
    Temporal__ClusterReplicationConfig cluster, *clusters[1];
    char id[KEY_TEXT_MAX];
};

static Temporal__DescribeNamespaceResponse *describe(const struct call *call, int64_t key,
                                                     struct str name)
{
    struct described *d = arena_take(call->arena, sizeof *d);

    *d = (struct described){
        .answer = TEMPORAL__DESCRIBE_NAMESPACE_RESPONSE__INIT,
        .info = TEMPORAL__NAMESPACE_INFO__INIT,
        .capabilities = TEMPORAL__NAMESPACE_CAPABILITIES__INIT,
        .limits = TEMPORAL__NAMESPACE_LIMITS__INIT,
        .config = TEMPORAL__NAMESPACE_CONFIG__INIT,
        .bad_binaries = TEMPORAL__BAD_BINARIES__INIT,
        .retention = TEMPORAL__DURATION__INIT,
        .replication = TEMPORAL__NAMESPACE_REPLICATION_CONFIG__INIT,
        .cluster = TEMPORAL__CLUSTER_REPLICATION_CONFIG__INIT,
    };
    snprintf(d->id, sizeof d->id, "%lld", (long long)key);
    d->info.name = mutable_text(arena_str(call->arena, name).ptr);
    d->info.id = d->id;
    d->info.state = NAMESPACE_REGISTERED;
    d->info.capabilities = &d->capabilities;
    d->limits.blob_size_limit_error = d->limits.memo_size_limit_error = TEMPORAL_BLOB_MAX;
    d->info.limits = &d->limits;
    d->info.supports_schedules = true;
    d->retention.seconds = call->context->policies.retention_age / SPAN_S;
    d->config.workflow_execution_retention_ttl = &d->retention;
    d->config.bad_binaries = &d->bad_binaries;
    d->config.history_archival_state = d->config.visibility_archival_state = ARCHIVAL_DISABLED;
    d->cluster.cluster_name = d->replication.active_cluster_name = mutable_text(CLUSTER);
    d->clusters[0] = &d->cluster;
    d->replication.n_clusters = 1;
    d->replication.clusters = d->clusters;
    d->replication.state = REPLICATION_NORMAL;
    d->answer.namespace_info = &d->info;
    d->answer.config = &d->config;
    d->answer.replication_config = &d->replication;
    return &d->answer;
}

enum call_step temporal_space_read(struct call *call, struct db *db)
{
    (void)db;
    return temporal_answer(call, &describe(call, call->namespace, call->namespace_name)->base);
}

/* ---- all namespaces ---- */

struct list_page {
    struct str after;
    int limit;
};

enum call_step temporal_spaces_begin(struct call *call)
{
    Temporal__ListNamespacesRequest *request;
    struct list_page *page = arena_take(call->arena, sizeof *page);
    enum call_step step;

    if (!temporal_read(call, &temporal__list_namespaces_request__descriptor, &request, &step))
        return step;
    page->after = arena_str(call->arena,
                            (struct str){(const char *)request->next_page_token.data,
                                         request->next_page_token.len});
    page->limit = request->page_size > 0 && request->page_size < PAGE_MAX ? request->page_size
                                                                          : PAGE_MAX;
    call->arg = page;
    return CALL_READ;
}

enum call_step temporal_spaces_read(struct call *call, struct db *db)
{
    Temporal__ListNamespacesResponse answer = TEMPORAL__LIST_NAMESPACES_RESPONSE__INIT;
    const struct list_page *page = call->arg;
    struct namespace_row row = {0};
    struct db_result rows = {0};
    struct err err;

    namespaces_list(db, page->after, page->limit, &rows);
    if (db_flush(db, call->arena, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    answer.namespaces = arena_array(call->arena, (size_t)rows.rows, sizeof *answer.namespaces);
    for (int i = 0; i < rows.rows; i++) {
        namespaces_read(&rows, i, &row);
        answer.namespaces[answer.n_namespaces++] = describe(call, row.id, row.name);
    }
    if (rows.rows == page->limit)
        answer.next_page_token = (ProtobufCBinaryData){row.name.len,
                                                       (uint8_t *)(uintptr_t)row.name.ptr};
    return temporal_answer(call, &answer.base);
}

/* ---- search attributes ---- */

/* Those of the namespace's settings; without a list, attributes need no registration. */
static void add_custom(const struct call *call, Temporal__ListSearchAttributesResponse *to)
{
    typedef Temporal__ListSearchAttributesResponse__CustomAttributesEntry entry;
    const struct api_context *context = call->context;
    struct context_attributes found = {0};
    entry *entries;

    if (context->search_attributes)
        context->search_attributes(context->arg, call->namespace_name, call->arena, &found);
    if (!found.is_known)
        return;
    entries = arena_array(call->arena, (size_t)found.list.count, sizeof *entries);
    to->custom_attributes = arena_array(call->arena, (size_t)found.list.count,
                                        sizeof *to->custom_attributes);
    for (int i = 0; i < found.list.count; i++) {
        temporal__list_search_attributes_response__custom_attributes_entry__init(&entries[i]);
        entries[i].key = mutable_text(found.list.at[i].name.ptr); /* a copy, with a zero */
        entries[i].value = (int32_t)found.list.at[i].type;
        to->custom_attributes[to->n_custom_attributes++] = &entries[i];
    }
}

enum call_step temporal_attributes_begin(struct call *call)
{
    static const struct {
        const char *name;
        int type; /* IndexedValueType of Temporal's API */
    } list[] = {
        {"ScheduleId", KEYWORD},
        {"TemporalSchedulePaused", BOOL},
        {"TemporalScheduledById", KEYWORD},
        {"TemporalScheduledStartTime", DATETIME},
    };
    enum { COUNT = sizeof list / sizeof list[0] };
    Temporal__ListSearchAttributesResponse answer =
        TEMPORAL__LIST_SEARCH_ATTRIBUTES_RESPONSE__INIT;
    Temporal__ListSearchAttributesResponse__SystemAttributesEntry entries[COUNT], *all[COUNT];

    for (int i = 0; i < COUNT; i++) {
        temporal__list_search_attributes_response__system_attributes_entry__init(&entries[i]);
        entries[i].key = mutable_text(list[i].name);
        entries[i].value = list[i].type;
        all[i] = &entries[i];
    }
    answer.n_system_attributes = COUNT;
    answer.system_attributes = all;
    add_custom(call, &answer);
    return temporal_answer(call, &answer.base);
}
