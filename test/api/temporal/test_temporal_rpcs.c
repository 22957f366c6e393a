/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The methods that an upstream answers: method × role × namespace.
 *
 * The list is independent of the table: names and field numbers come from the descriptors of
 * Temporal's published API (as of temporalio 1.35.0), roles from decision 50.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "api/temporal/temporal.h"
#include "base/must.h"
#include "wire/grpc/grpc.h"

/*
 * Allowed roles: v(iewer) o(perator) e(ditor) a(dmin) w(orker), A: only an admin of all
 * namespaces; with *: only with a token for all.  `field`: of the namespace; 0: it has none.
 */
static const struct {
    const char *name, *who;
    int field;
} expected[] = {
    {"AddOrUpdateRemoteCluster", "A", 0},
    {"AddSearchAttributes", "A", 2},
    {"CountActivityExecutions", "voea", 1},
    {"CountNexusOperationExecutions", "voea", 1},
    {"CountWorkers", "voea", 1},
    {"CountWorkflowExecutions", "voea", 1},
    {"CreateNexusEndpoint", "A", 0},
    {"CreateWorkerDeployment", "ea", 1},
    {"CreateWorkerDeploymentVersion", "ea", 1},
    {"CreateWorkflowRule", "ea", 1},
    {"DeleteActivityExecution", "ea", 1},
    {"DeleteNamespace", "A", 1},
    {"DeleteNexusEndpoint", "A", 0},
    {"DeleteNexusOperationExecution", "ea", 1},
    {"DeleteWorkerDeployment", "ea", 1},
    {"DeleteWorkerDeploymentVersion", "ea", 1},
    {"DeleteWorkflowExecution", "ea", 1},
    {"DeleteWorkflowRule", "ea", 1},
    {"DeprecateNamespace", "A", 1},
    {"DescribeActivityExecution", "voea", 1},
    {"DescribeBatchOperation", "voea", 1},
    {"DescribeDeployment", "voea", 1},
    {"DescribeNamespace", "voeaw", 1},
    {"DescribeNexusOperationExecution", "voea", 1},
    {"DescribeTaskQueue", "voea", 1},
    {"DescribeWorker", "voea", 1},
    {"DescribeWorkerDeployment", "voea", 1},
    {"DescribeWorkerDeploymentVersion", "voea", 1},
    {"DescribeWorkflowExecution", "voea", 1},
    {"DescribeWorkflowRule", "voea", 1},
    {"ExecuteMultiOperation", "oea", 1},
    {"FetchWorkerConfig", "voea", 1},
    {"GetClusterInfo", "voeaw", 0},
    {"GetCurrentDeployment", "voea", 1},
    {"GetDeploymentReachability", "voea", 1},
    {"GetNexusEndpoint", "*voea", 0},
    {"GetSearchAttributes", "*voea", 0},
    {"GetSystemInfo", "voeaw", 0},
    {"GetWorkerBuildIdCompatibility", "voea", 1},
    {"GetWorkerTaskReachability", "voea", 1},
    {"GetWorkerVersioningRules", "voea", 1},
    {"GetWorkflowExecutionHistory", "voeaw", 1},
    {"GetWorkflowExecutionHistoryReverse", "voea", 1},
    {"ListActivityExecutions", "voea", 1},
    {"ListArchivedWorkflowExecutions", "voea", 1},
    {"ListBatchOperations", "voea", 1},
    {"ListClosedWorkflowExecutions", "voea", 1},
    {"ListClusters", "*voea", 0},
    {"ListDeployments", "voea", 1},
    {"ListNamespaces", "*voea", 0},
    {"ListNexusEndpoints", "*voea", 0},
    {"ListNexusOperationExecutions", "voea", 1},
    {"ListOpenWorkflowExecutions", "voea", 1},
    {"ListSearchAttributes", "voea", 1},
    {"ListTaskQueuePartitions", "voea", 1},
    {"ListWorkerDeployments", "voea", 1},
    {"ListWorkers", "voea", 1},
    {"ListWorkflowExecutions", "voea", 1},
    {"ListWorkflowRules", "voea", 1},
    {"PauseActivity", "oea", 1},
    {"PauseActivityExecution", "oea", 1},
    {"PauseWorkflowExecution", "oea", 1},
    {"PollActivityExecution", "voea", 1},
    {"PollActivityTaskQueue", "aw", 1},
    {"PollNexusOperationExecution", "voea", 1},
    {"PollNexusTaskQueue", "aw", 1},
    {"PollWorkflowExecutionTimeSkipping", "voea", 1},
    {"PollWorkflowExecutionUpdate", "voea", 1},
    {"PollWorkflowTaskQueue", "aw", 1},
    {"QueryWorkflow", "voea", 1},
    {"RecordActivityTaskHeartbeat", "aw", 4},
    {"RecordActivityTaskHeartbeatById", "aw", 1},
    {"RecordWorkerHeartbeat", "aw", 1},
    {"RegisterNamespace", "A", 0},
    {"RemoveRemoteCluster", "A", 0},
    {"RemoveSearchAttributes", "A", 2},
    {"RequestCancelActivityExecution", "oea", 1},
    {"RequestCancelNexusOperationExecution", "oea", 1},
    {"RequestCancelWorkflowExecution", "oea", 1},
    {"ResetActivity", "oea", 1},
    {"ResetActivityExecution", "oea", 1},
    {"ResetStickyTaskQueue", "aw", 1},
    {"ResetWorkflowExecution", "oea", 1},
    {"RespondActivityTaskCanceled", "aw", 4},
    {"RespondActivityTaskCanceledById", "aw", 1},
    {"RespondActivityTaskCompleted", "aw", 4},
    {"RespondActivityTaskCompletedById", "aw", 1},
    {"RespondActivityTaskFailed", "aw", 4},
    {"RespondActivityTaskFailedById", "aw", 1},
    {"RespondNexusTaskCompleted", "aw", 1},
    {"RespondNexusTaskFailed", "aw", 1},
    {"RespondQueryTaskCompleted", "aw", 6},
    {"RespondWorkflowTaskCompleted", "aw", 9},
    {"RespondWorkflowTaskFailed", "aw", 6},
    {"ScanWorkflowExecutions", "voea", 1},
    {"SetCurrentDeployment", "ea", 1},
    {"SetWorkerDeploymentCurrentVersion", "ea", 1},
    {"SetWorkerDeploymentManager", "ea", 1},
    {"SetWorkerDeploymentRampingVersion", "ea", 1},
    {"ShutdownWorker", "aw", 1},
    {"SignalWithStartWorkflowExecution", "oea", 1},
    {"SignalWorkflowExecution", "oea", 1},
    {"StartActivityExecution", "oea", 1},
    {"StartBatchOperation", "oea", 1},
    {"StartNexusOperationExecution", "oea", 1},
    {"StartWorkflowExecution", "oea", 1},
    {"StopBatchOperation", "oea", 1},
    {"TerminateActivityExecution", "oea", 1},
    {"TerminateNexusOperationExecution", "oea", 1},
    {"TerminateWorkflowExecution", "oea", 1},
    {"TriggerWorkflowRule", "oea", 1},
    {"UnpauseActivity", "oea", 1},
    {"UnpauseActivityExecution", "oea", 1},
    {"UnpauseWorkflowExecution", "oea", 1},
    {"UpdateActivityExecutionOptions", "oea", 1},
    {"UpdateActivityOptions", "oea", 1},
    {"UpdateNamespace", "A", 1},
    {"UpdateNexusEndpoint", "A", 0},
    {"UpdateTaskQueueConfig", "ea", 1},
    {"UpdateWorkerBuildIdCompatibility", "ea", 1},
    {"UpdateWorkerConfig", "ea", 1},
    {"UpdateWorkerDeploymentVersionComputeConfig", "ea", 1},
    {"UpdateWorkerDeploymentVersionMetadata", "ea", 1},
    {"UpdateWorkerVersioningRules", "ea", 1},
    {"UpdateWorkflowExecution", "oea", 1},
    {"UpdateWorkflowExecutionOptions", "oea", 1},
    {"ValidateWorkerDeploymentVersionComputeConfig", "voea", 1},
};
enum { EXPECTED = sizeof expected / sizeof expected[0] };

static const enum role roles[] = {ROLE_VIEWER, ROLE_OPERATOR, ROLE_EDITOR, ROLE_ADMIN,
                                  ROLE_WORKER};
static const char letters[] = "voeaw";

static struct arena *arena;
static struct http1_request request;
static struct call last;

static int make_arena(void **state)
{
    (void)state;
    arena = arena_new(64 << 20);
    request = (struct http1_request){0};
    return 0;
}

static int free_arena(void **state)
{
    (void)state;
    arena = arena_free(arena);
    return 0;
}

/* A message with a text in one field. */
static struct str message_of(int field, const char *text)
{
    struct buf out = arena_buf(arena, 64);

    buf_char(&out, (char)(field << 3 | 2));
    buf_char(&out, (char)strlen(text));
    buf_text(&out, text);
    return buf_as_str(&out);
}

/* The first step of the call, as a client whose token is for `home`; "": for all. */
static enum call_step begin_as(const struct operation *rpc, enum role role, const char *home,
                               struct str body)
{
    static const struct api_context context = {.node = "n"};

    last = (struct call){
        .arena = arena,
        .operation = rpc,
        .dialect = DIALECTS_TEMPORAL,
        .context = &context,
        .caller = {.role = role, .is_everywhere = !home[0], .namespace = str_of(home)},
    };
    return call_begin(&last, &request, body);
}

static const struct operation *find(const char *service, const char *name)
{
    request.segment_count = 2;
    request.segments[0] = str_of(service);
    request.segments[1] = str_of(name);
    return temporal_rpc(&request);
}

static const struct operation *find_any(const char *name)
{
    const struct operation *rpc = find(TEMPORAL_SERVICE, name);

    return rpc ? rpc : find(TEMPORAL_OPERATOR, name);
}

static void assert_denied(bool is_right, const char *name, int role, const char *where)
{
    if (!is_right)
        fail_msg("%s as %c %s: %d", name, letters[role], where, last.status);
}

static void check(int e, int r)
{
    const char *name = expected[e].name, *who = expected[e].who;
    const struct operation *rpc = find_any(name);
    bool is_global = who[0] == '*' || who[0] == 'A';
    bool may = strchr(who, letters[r]) || (who[0] == 'A' && roles[r] == ROLE_ADMIN);
    struct str body = message_of(expected[e].field > 0 ? expected[e].field : 15, "team");
    enum call_step step;

    assert_non_null(rpc);
    step = begin_as(rpc, roles[r], "", body);
    assert_denied(may ? step == CALL_FORWARD : last.status == 403, name, r, "everywhere");
    step = begin_as(rpc, roles[r], "team", body);
    assert_denied(may && !is_global ? step == CALL_FORWARD : last.status == 403, name, r,
                  "at home");
    if (expected[e].field == 0)
        return;
    begin_as(rpc, roles[r], "other", body);
    assert_denied(last.status == 404 && last.denied == AUDIT_FORBIDDEN, name, r, "elsewhere");
    begin_as(rpc, roles[r], "", message_of(expected[e].field == 15 ? 14 : 15, "team"));
    assert_denied(last.status == 400, name, r, "without a namespace");
}

static void every_method_admits_exactly_its_roles(void **state)
{
    (void)state;
    for (int e = 0; e < EXPECTED; e++)
        for (int r = 0; r < (int)(sizeof roles / sizeof roles[0]); r++)
            check(e, r);
}

static void nobody_is_admitted_without_a_role(void **state)
{
    (void)state;
    for (int i = 0; i < temporal_rpc_count; i++) {
        assert_int_equal(begin_as(&temporal_rpcs[i], ROLE_NONE, "", message_of(1, "team")),
                         CALL_ANSWER);
        assert_true(last.status >= 400);
    }
}

static void the_table_has_no_other_methods(void **state)
{
    (void)state;
    assert_int_equal(temporal_rpc_count, EXPECTED);
    for (int i = 1; i < temporal_rpc_count; i++) /* bsearch() needs the order */
        assert_true(strcmp(temporal_rpcs[i - 1].id, temporal_rpcs[i].id) < 0);
}

/* Schedules are Belfry's own; what is not listed is not forwarded. */
static void other_paths_are_not_found(void **state)
{
    static const char *const names[] = {
        "CreateSchedule",         "ListSchedules",        "Poll", "",
        "PollWorkflowTaskQueueX", "pollWorkflowTaskQueue"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_null(find_any(names[i]));
    assert_null(find(TEMPORAL_OPERATOR, "PollWorkflowTaskQueue"));
    assert_null(find(TEMPORAL_SERVICE, "AddSearchAttributes"));
    assert_null(find("temporal.api.workflowservice.v1", "PollWorkflowTaskQueue"));
    assert_null(find(TEMPORAL_SERVICE "/", "PollWorkflowTaskQueue"));
    request.segment_count = 3;
    assert_null(temporal_rpc(&request));
}

static void a_header_must_name_the_same_namespace(void **state)
{
    const struct operation *rpc = find_any("StartWorkflowExecution");

    (void)state;
    request.field_count = 1;
    request.fields[0] = (struct http1_field){STR("temporal-namespace"), STR("team")};
    assert_int_equal(begin_as(rpc, ROLE_ADMIN, "", message_of(1, "team")), CALL_FORWARD);
    request.fields[0].value = STR("Team");
    begin_as(rpc, ROLE_ADMIN, "", message_of(1, "team"));
    assert_int_equal(last.status, 400);
}

/* An id could name another namespace than the one that the rights were checked for. */
static void a_namespace_is_not_described_by_its_id(void **state)
{
    struct buf both = arena_buf(arena, 64);

    (void)state;
    buf_str(&both, message_of(1, "team"));
    buf_str(&both, message_of(2, "1234"));
    begin_as(find_any("DescribeNamespace"), ROLE_VIEWER, "team", buf_as_str(&both));
    assert_int_equal(last.status, 400);
}

/* A workflow task of "team" with one command, which names a namespace in its attributes. */
static struct str task_of(int attributes, int field, const char *target)
{
    struct str home = message_of(9, "team"), inner = message_of(field, target);
    struct buf out = arena_buf(arena, 256);

    buf_str(&out, home);
    buf_char(&out, 2 << 3 | 2);
    buf_char(&out, (char)(inner.len + 4));
    buf_text(&out, "\x08\x01"); /* command_type */
    buf_char(&out, (char)(attributes << 3 | 2));
    buf_char(&out, (char)inner.len);
    buf_str(&out, inner);
    return buf_as_str(&out);
}

static void assert_completes(const char *home, struct str body, bool is_allowed)
{
    enum call_step step = begin_as(find_any("RespondWorkflowTaskCompleted"), ROLE_WORKER, home,
                                   body);

    assert_int_equal(step, is_allowed ? CALL_FORWARD : CALL_ANSWER);
    if (is_allowed)
        return;
    assert_int_equal(last.status, 403);
    assert_int_equal(last.denied, AUDIT_FORBIDDEN);
}

/*
 * temporal.api.command.v1.Command: the attributes that have a namespace, and its number.  The
 * upstream cannot authorize them, because it does not know the caller.
 */
static void commands_stay_in_the_namespace_of_the_token(void **state)
{
    static const int targets[][2] = {{2, 3}, {9, 1}, {12, 1}, {13, 1}};

    (void)state;
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        const int *t = targets[i];

        assert_completes("team", task_of(t[0], t[1], "other"), false);
        assert_completes("team", task_of(t[0], t[1], "tea"), false);
        assert_completes("team", task_of(t[0], t[1], "team"), true);
        assert_completes("team", task_of(t[0], t[1], ""), true);
        assert_completes("", task_of(t[0], t[1], "other"), true);
    }
    assert_completes("team", task_of(10, 1, "marker"), true); /* record_marker has a name */
    assert_completes("team", task_of(4, 1, "result"), true);
}

/* Repeated messages are merged; a group could hide what follows it. */
static void no_form_of_a_command_hides_its_namespace(void **state)
{
    const struct str commands[] = {
        STR("\x62\7\x0a\5other\x62\0"),         /* twice, the second one empty     */
        STR("\x62\7\x0a\5other\x62\4\x12\2id"), /* twice, the second one without   */
        STR("\x62\x0d\x0a\5other\x0a\4team"),   /* twice in the attributes         */
        STR("\x0b\x0c\x62\7\x0a\5other"),       /* after a group                   */
        STR("\x62\x09\x0b\x0c\x0a\5other"),     /* after a group in the attributes */
        STR("\xe2\x80\0\7\x0a\5other"),         /* a tag of three bytes            */
        STR("\x62\x87\x80\0\x0a\5other"),       /* a length of three bytes         */
    };

    (void)state;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        struct buf out = arena_buf(arena, 256);

        buf_str(&out, message_of(9, "team"));
        buf_char(&out, 2 << 3 | 2);
        buf_char(&out, (char)commands[i].len);
        buf_str(&out, commands[i]);
        assert_completes("team", buf_as_str(&out), false);
    }
}

/* Without a namespace in the message: the token's, the header's, or "default". */
static void a_global_call_has_a_namespace_too(void **state)
{
    const struct operation *rpc = find_any("GetSystemInfo");

    (void)state;
    assert_int_equal(begin_as(rpc, ROLE_VIEWER, "", STR("")), CALL_FORWARD);
    assert_string_equal(last.namespace_name.ptr, "default");
    request.field_count = 1;
    request.fields[0] = (struct http1_field){STR("temporal-namespace"), STR("prod")};
    assert_int_equal(begin_as(rpc, ROLE_VIEWER, "", STR("")), CALL_FORWARD);
    assert_string_equal(last.namespace_name.ptr, "prod");
    assert_int_equal(begin_as(rpc, ROLE_VIEWER, "team", STR("")), CALL_FORWARD);
    assert_string_equal(last.namespace_name.ptr, "team");
}

#define WITH_ARENA(name) cmocka_unit_test_setup_teardown(name, make_arena, free_arena)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_ARENA(every_method_admits_exactly_its_roles),
        WITH_ARENA(nobody_is_admitted_without_a_role),
        WITH_ARENA(the_table_has_no_other_methods),
        WITH_ARENA(other_paths_are_not_found),
        WITH_ARENA(a_header_must_name_the_same_namespace),
        WITH_ARENA(a_namespace_is_not_described_by_its_id),
        WITH_ARENA(commands_stay_in_the_namespace_of_the_token),
        WITH_ARENA(no_form_of_a_command_hides_its_namespace),
        WITH_ARENA(a_global_call_has_a_namespace_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
