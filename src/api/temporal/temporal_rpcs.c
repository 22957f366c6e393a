/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The methods of Temporal that an upstream answers, with the right that each needs.
 *
 * Default deny: a method that is not in the table is not forwarded.  Reads need the right to
 * view, polls and responses that to work; methods that start or steer workflows that to
 * operate; those that change or delete what is stored that to edit; those of namespaces and
 * clusters are for an admin of all.  Workers also read histories and their namespace.
 */
#include <stdlib.h>
#include <string.h>

#include "api/temporal/temporal.h"

enum { DESCRIBE_ID_FIELD = 2 }; /* of DescribeNamespaceRequest: the other way to name it */

#define METHOD(service, name, needs, ...)                                       \
    {                                                                           \
        .id = "temporal." name, .method = "POST", .path = "/" service "/" name, \
        .right = (needs), .body_max = TEMPORAL_MESSAGE_MAX,                     \
        .summary = "Forward to the upstream", .begin = forward_begin,           \
        .dialect = DIALECTS_TEMPORAL, .is_forwarded = true, __VA_ARGS__         \
    }
#define RPC(name, ...)      METHOD(TEMPORAL_SERVICE, name, __VA_ARGS__, )
#define OPERATOR(name, ...) METHOD(TEMPORAL_OPERATOR, name, __VA_ARGS__, )

/*
 * The header that proxies and servers route by must name the namespace that the rights were
 * checked for.  An id could name another namespace than the name beside it.
 */
static enum call_step forward_begin(struct call *call)
{
    struct str text;

    if (call->operation->namespace_field >= 0 &&
        http1_find(call->request, STR(TEMPORAL_NAMESPACE_HEADER), &text) &&
        !str_eq(text, call->namespace_name))
        return call_problem(call, 400, "invalid_field",
                            "the header " TEMPORAL_NAMESPACE_HEADER
                            " names another namespace than the request");
    if (strcmp(call->operation->id, "temporal.DescribeNamespace") == 0 &&
        proto_find_text(call->body, DESCRIBE_ID_FIELD, &text) && text.len > 0)
        return call_problem(call, 400, "invalid_field", "id is not supported; use namespace");
    if (strcmp(call->operation->id, "temporal.RespondWorkflowTaskCompleted") == 0 &&
        !call->caller.is_everywhere &&
        !temporal_commands_stay(call->body, call->namespace_name))
        return call_deny(call, 403,
                         "a command concerns another namespace; the token is limited to one");
    return CALL_FORWARD;
}

/* In the order of their names. */
const struct operation temporal_rpcs[] = {
    OPERATOR("AddOrUpdateRemoteCluster", RIGHT_SERVER, .is_global = true,
             .namespace_field = -1),
    OPERATOR("AddSearchAttributes", RIGHT_SERVER, .namespace_field = 2),
    RPC("CountActivityExecutions", RIGHT_VIEW),
    RPC("CountNexusOperationExecutions", RIGHT_VIEW),
    RPC("CountWorkers", RIGHT_VIEW),
    RPC("CountWorkflowExecutions", RIGHT_VIEW),
    OPERATOR("CreateNexusEndpoint", RIGHT_SERVER, .is_global = true, .namespace_field = -1),
    RPC("CreateWorkerDeployment", RIGHT_EDIT),
    RPC("CreateWorkerDeploymentVersion", RIGHT_EDIT),
    RPC("CreateWorkflowRule", RIGHT_EDIT),
    RPC("DeleteActivityExecution", RIGHT_EDIT),
    OPERATOR("DeleteNamespace", RIGHT_SERVER),
    OPERATOR("DeleteNexusEndpoint", RIGHT_SERVER, .is_global = true, .namespace_field = -1),
    RPC("DeleteNexusOperationExecution", RIGHT_EDIT),
    RPC("DeleteWorkerDeployment", RIGHT_EDIT),
    RPC("DeleteWorkerDeploymentVersion", RIGHT_EDIT),
    RPC("DeleteWorkflowExecution", RIGHT_EDIT),
    RPC("DeleteWorkflowRule", RIGHT_EDIT),
    RPC("DeprecateNamespace", RIGHT_SERVER),
    RPC("DescribeActivityExecution", RIGHT_VIEW, .is_poll = true),
    RPC("DescribeBatchOperation", RIGHT_VIEW),
    RPC("DescribeDeployment", RIGHT_VIEW),
    RPC("DescribeNamespace", RIGHT_VIEW, .other_right = RIGHT_WORK),
    RPC("DescribeNexusOperationExecution", RIGHT_VIEW, .is_poll = true),
    RPC("DescribeTaskQueue", RIGHT_VIEW),
    RPC("DescribeWorker", RIGHT_VIEW),
    RPC("DescribeWorkerDeployment", RIGHT_VIEW),
    RPC("DescribeWorkerDeploymentVersion", RIGHT_VIEW),
    RPC("DescribeWorkflowExecution", RIGHT_VIEW),
    RPC("DescribeWorkflowRule", RIGHT_VIEW),
    RPC("ExecuteMultiOperation", RIGHT_OPERATE),
    RPC("FetchWorkerConfig", RIGHT_VIEW),
    RPC("GetClusterInfo", RIGHT_VIEW, .other_right = RIGHT_WORK, .namespace_field = -1),
    RPC("GetCurrentDeployment", RIGHT_VIEW),
    RPC("GetDeploymentReachability", RIGHT_VIEW),
    OPERATOR("GetNexusEndpoint", RIGHT_VIEW, .is_global = true, .namespace_field = -1),
    RPC("GetSearchAttributes", RIGHT_VIEW, .is_global = true, .namespace_field = -1),
    RPC("GetSystemInfo", RIGHT_VIEW, .other_right = RIGHT_WORK, .namespace_field = -1),
    RPC("GetWorkerBuildIdCompatibility", RIGHT_VIEW),
    RPC("GetWorkerTaskReachability", RIGHT_VIEW),
    RPC("GetWorkerVersioningRules", RIGHT_VIEW),
    RPC("GetWorkflowExecutionHistory", RIGHT_VIEW, .is_poll = true, .other_right = RIGHT_WORK),
    RPC("GetWorkflowExecutionHistoryReverse", RIGHT_VIEW),
    RPC("ListActivityExecutions", RIGHT_VIEW),
    RPC("ListArchivedWorkflowExecutions", RIGHT_VIEW),
    RPC("ListBatchOperations", RIGHT_VIEW),
    RPC("ListClosedWorkflowExecutions", RIGHT_VIEW),
    OPERATOR("ListClusters", RIGHT_VIEW, .is_global = true, .namespace_field = -1),
    RPC("ListDeployments", RIGHT_VIEW),
    RPC("ListNamespaces", RIGHT_VIEW, .is_global = true, .namespace_field = -1),
    OPERATOR("ListNexusEndpoints", RIGHT_VIEW, .is_global = true, .namespace_field = -1),
    RPC("ListNexusOperationExecutions", RIGHT_VIEW),
    RPC("ListOpenWorkflowExecutions", RIGHT_VIEW),
    OPERATOR("ListSearchAttributes", RIGHT_VIEW),
    RPC("ListTaskQueuePartitions", RIGHT_VIEW),
    RPC("ListWorkerDeployments", RIGHT_VIEW),
    RPC("ListWorkers", RIGHT_VIEW),
    RPC("ListWorkflowExecutions", RIGHT_VIEW),
    RPC("ListWorkflowRules", RIGHT_VIEW),
    RPC("PauseActivity", RIGHT_OPERATE),
    RPC("PauseActivityExecution", RIGHT_OPERATE),
    RPC("PauseWorkflowExecution", RIGHT_OPERATE),
    RPC("PollActivityExecution", RIGHT_VIEW, .is_poll = true),
    RPC("PollActivityTaskQueue", RIGHT_WORK, .is_poll = true),
    RPC("PollNexusOperationExecution", RIGHT_VIEW, .is_poll = true),
    RPC("PollNexusTaskQueue", RIGHT_WORK, .is_poll = true),
    RPC("PollWorkflowExecutionTimeSkipping", RIGHT_VIEW, .is_poll = true),
    RPC("PollWorkflowExecutionUpdate", RIGHT_VIEW, .is_poll = true),
    RPC("PollWorkflowTaskQueue", RIGHT_WORK, .is_poll = true),
    RPC("QueryWorkflow", RIGHT_VIEW),
    RPC("RecordActivityTaskHeartbeat", RIGHT_WORK, .namespace_field = 4, .token_field = 1),
    RPC("RecordActivityTaskHeartbeatById", RIGHT_WORK),
    RPC("RecordWorkerHeartbeat", RIGHT_WORK),
    RPC("RegisterNamespace", RIGHT_SERVER, .is_global = true, .namespace_field = -1),
    OPERATOR("RemoveRemoteCluster", RIGHT_SERVER, .is_global = true, .namespace_field = -1),
    OPERATOR("RemoveSearchAttributes", RIGHT_SERVER, .namespace_field = 2),
    RPC("RequestCancelActivityExecution", RIGHT_OPERATE),
    RPC("RequestCancelNexusOperationExecution", RIGHT_OPERATE),
    RPC("RequestCancelWorkflowExecution", RIGHT_OPERATE),
    RPC("ResetActivity", RIGHT_OPERATE),
    RPC("ResetActivityExecution", RIGHT_OPERATE),
    RPC("ResetStickyTaskQueue", RIGHT_WORK),
    RPC("ResetWorkflowExecution", RIGHT_OPERATE),
    RPC("RespondActivityTaskCanceled", RIGHT_WORK, .namespace_field = 4, .token_field = 1),
    RPC("RespondActivityTaskCanceledById", RIGHT_WORK),
    RPC("RespondActivityTaskCompleted", RIGHT_WORK, .namespace_field = 4, .token_field = 1),
    RPC("RespondActivityTaskCompletedById", RIGHT_WORK),
    RPC("RespondActivityTaskFailed", RIGHT_WORK, .namespace_field = 4, .token_field = 1),
    RPC("RespondActivityTaskFailedById", RIGHT_WORK),
    RPC("RespondNexusTaskCompleted", RIGHT_WORK, .token_field = 3),
    RPC("RespondNexusTaskFailed", RIGHT_WORK, .token_field = 3),
    RPC("RespondQueryTaskCompleted", RIGHT_WORK, .namespace_field = 6, .token_field = 1),
    RPC("RespondWorkflowTaskCompleted", RIGHT_WORK, .namespace_field = 9, .token_field = 1),
    RPC("RespondWorkflowTaskFailed", RIGHT_WORK, .namespace_field = 6, .token_field = 1),
    RPC("ScanWorkflowExecutions", RIGHT_VIEW),
    RPC("SetCurrentDeployment", RIGHT_EDIT),
    RPC("SetWorkerDeploymentCurrentVersion", RIGHT_EDIT),
    RPC("SetWorkerDeploymentManager", RIGHT_EDIT),
    RPC("SetWorkerDeploymentRampingVersion", RIGHT_EDIT),
    RPC("ShutdownWorker", RIGHT_WORK),
    RPC("SignalWithStartWorkflowExecution", RIGHT_OPERATE),
    RPC("SignalWorkflowExecution", RIGHT_OPERATE),
    RPC("StartActivityExecution", RIGHT_OPERATE),
    RPC("StartBatchOperation", RIGHT_OPERATE),
    RPC("StartNexusOperationExecution", RIGHT_OPERATE),
    RPC("StartWorkflowExecution", RIGHT_OPERATE),
    RPC("StopBatchOperation", RIGHT_OPERATE),
    RPC("TerminateActivityExecution", RIGHT_OPERATE),
    RPC("TerminateNexusOperationExecution", RIGHT_OPERATE),
    RPC("TerminateWorkflowExecution", RIGHT_OPERATE),
    RPC("TriggerWorkflowRule", RIGHT_OPERATE),
    RPC("UnpauseActivity", RIGHT_OPERATE),
    RPC("UnpauseActivityExecution", RIGHT_OPERATE),
    RPC("UnpauseWorkflowExecution", RIGHT_OPERATE),
    RPC("UpdateActivityExecutionOptions", RIGHT_OPERATE),
    RPC("UpdateActivityOptions", RIGHT_OPERATE),
    RPC("UpdateNamespace", RIGHT_SERVER),
    OPERATOR("UpdateNexusEndpoint", RIGHT_SERVER, .is_global = true, .namespace_field = -1),
    RPC("UpdateTaskQueueConfig", RIGHT_EDIT),
    RPC("UpdateWorkerBuildIdCompatibility", RIGHT_EDIT),
    RPC("UpdateWorkerConfig", RIGHT_EDIT),
    RPC("UpdateWorkerDeploymentVersionComputeConfig", RIGHT_EDIT),
    RPC("UpdateWorkerDeploymentVersionMetadata", RIGHT_EDIT),
    RPC("UpdateWorkerVersioningRules", RIGHT_EDIT),
    RPC("UpdateWorkflowExecution", RIGHT_OPERATE),
    RPC("UpdateWorkflowExecutionOptions", RIGHT_OPERATE),
    RPC("ValidateWorkerDeploymentVersionComputeConfig", RIGHT_VIEW),
};
const int temporal_rpc_count = sizeof temporal_rpcs / sizeof temporal_rpcs[0];

static int compare(const void *name, const void *row)
{
    const char *id = ((const struct operation *)row)->id + strlen("temporal.");
    const struct str *text = name;
    int order = strncmp(text->ptr, id, text->len);

    return order != 0 ? order : text->len < strlen(id) ? -1 : 0;
}

const struct operation *temporal_rpc(const struct http1_request *request)
{
    const struct operation *row;
    struct str path;

    if (request->segment_count != 2)
        return NULL;
    row = bsearch(&request->segments[1], temporal_rpcs, (size_t)temporal_rpc_count,
                  sizeof temporal_rpcs[0], compare);
    if (!row)
        return NULL;
    path = str_from(str_of(row->path), 1);
    return str_starts(path, request->segments[0]) && path.ptr[request->segments[0].len] == '/'
               ? row
               : NULL;
}
