/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The future executions of agents: immediate runs, states, cancelling.
 *
 * Tests whose names begin with plan_ are rows of test/mission/agents.txt.
 */
#include "agents.h"

/* ---- immediate runs ---- */

static void an_immediate_schedule_runs_when_it_is_made_and_when_enabled(void **state)
{
    (void)state;
    assert_int_equal(schedule("a", ",'scheduleType':'IMMEDIATE'"), 201);
    assert_json("nextExecutionAt", "null");
    get(EXECUTIONS "/future");
    assert_int_equal(count(), 1);
    assert_json("0.plannedHour", "-1");
    assert_json("0.plannedMinute", "0");
    assert_json("0.immediate", "true");
    assert_json("0.execStatus", "'READY'");
    assert_json("0.scheduledAt", "'2026-01-05T10:00:00.000Z'");
    ask("PUT " SCHEDULES "/agent:a", NULL, js("{'enabled':false}"));
    pass_time(SPAN_MIN);
    ask("PUT " SCHEDULES "/agent:a", NULL, js("{'enabled':true}"));
    get(EXECUTIONS "/future");
    assert_int_equal(count(), 2);
    for (int i = 0; i < 2; i++) {
        assert_json(js("%d.plannedHour", i), "-1");
        assert_json(js("%d.execStatus", i), "'READY'");
    }
    ask("PUT " SCHEDULES "/agent:a", NULL,
        js("{'enabled':true}")); /* already enabled: no run */
    get(EXECUTIONS "/future");
    assert_int_equal(count(), 2);
}

static void plan_a_manual_trigger_is_picked_up_and_executed(void **state)
{
    (void)state;
    schedule("reconciler", ",'scheduleType':'CRON','cronExpr':'0 0 12 * * *',"
                           "'projectId':'xyz','timezone':'UTC',"
                           "'inputsPolicy':{'inputType':'all'}");
    assert_int_equal(
        post(EXECUTIONS "/trigger", js("{'agentId':'reconciler','projectId':'xyz'}")), 202);
    assert_json("plannedHour", "-1");
    assert_json("immediate", "true");
    assert_json("execStatus", "'READY'");
    assert_json("scheduleId", "'agent:reconciler@xyz'");
    assert_true(strlen(claim("reconciler")) > 0);
    assert_json("runs.0.input.agentId", "'reconciler'");
    assert_json("runs.0.input.projectId", "'xyz'");
    assert_json("runs.0.input.inputsPolicy.inputType", "'all'");
}

static void immediate_executions_have_priority_8(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE','projectId':'p','enabled':false");
    schedule("b", ",'scheduleType':'IMMEDIATE','executorPolicy':{'priority':10}");
    ask("PUT " SCHEDULES "/agent:a@p", NULL, js("{'enabled':true}"));
    get(EXECUTIONS "/future?agentId=a");
    assert_json("0.priority", "8");
    get(EXECUTIONS "/future?agentId=b");
    assert_json("0.priority", "10");
    schedule("c", ",'scheduleType':'FIXED_TIMES','timesOfDay':['12:00'],'timezone':'UTC',"
                  "'executorPolicy':{'priority':2}");
    post(EXECUTIONS "/trigger", js("{'agentId':'c'}"));
    assert_json("priority", "8");
    get(EXECUTIONS "/future?agentId=c");
    assert_json("0.priority", "8");
    assert_json("1.priority", "2"); /* of the planned one */
    post(EXECUTIONS "/trigger", js("{'agentId':'lonely'}"));
    assert_json("priority", "8");
    get(EXECUTIONS "/future?agentId=lonely");
    assert_json("0.priority", "8");
}

static void an_agent_without_a_schedule_can_be_triggered(void **state)
{
    (void)state;
    assert_int_equal(post(EXECUTIONS "/trigger", js("{'agentId':'lonely'}")), 202);
    assert_json("scheduleId", "null");
    assert_json("maxAttempts", "3");
    get(EXECUTIONS "/future");
    assert_int_equal(count(), 1);
    assert_json("0.agentId", "'lonely'");
    assert_json("0.plannedHour", "-1");
    get(EXECUTIONS "/future?agentId=other");
    assert_int_equal(count(), 0);
    assert_true(strlen(claim("lonely")) > 0);
    assert_refused(post(EXECUTIONS "/trigger", "{}"), 400, "invalid_field", "agentId");
    get(SCHEDULES);
    assert_json("", "[]");
}

/* ---- states ---- */

static void plan_a_run_is_pending_when_claimed_and_running_after_a_heartbeat(void **state)
{
    char id[64];

    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE'");
    snprintf(id, sizeof id, "%s", claim("a"));
    get(EXECUTIONS "/future");
    assert_json("0.execStatus", "'PENDING'");
    assert_json("0.lockOwner", "'w-1'");
    post("/api/v1/runs/heartbeat", js("{'items':[{'id':'%s','fence':1}]}", id));
    get(EXECUTIONS "/future");
    assert_json("0.execStatus", "'RUNNING'");
    post("/api/v1/runs/complete", js("{'items':[{'id':'%s','fence':1}]}", id));
    get(EXECUTIONS "/future");
    assert_int_equal(count(), 0);
}

static void plan_a_failure_waits_for_its_backoff_and_is_claimed_again(void **state)
{
    char id[64];

    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE'");
    snprintf(id, sizeof id, "%s", claim("a"));
    post("/api/v1/runs/fail",
         js("{'items':[{'id':'%s','fence':1,'error':{'message':'x'}}]}", id));
    get(EXECUTIONS "/future");
    assert_json("0.execStatus", "'FAILED_RETRYABLE'");
    assert_json("0.attempt", "1");
    assert_json("0.lockOwner", "null");
    assert_json("0.scheduledAt", "'2026-01-05T10:01:00.000Z'");
    pass_time(59 * SPAN_S);
    assert_string_equal(claim("a"), "");
    pass_time(2 * SPAN_S);
    assert_string_equal(claim("a"), id);
}

static void plan_the_cap_of_an_agent_is_respected(void **state)
{
    char id[64];

    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE'");
    schedule("a", ",'scheduleType':'IMMEDIATE','projectId':'p'");
    snprintf(id, sizeof id, "%s", claim("a"));
    assert_true(strlen(id) > 0);
    assert_string_equal(claim("a"), "");
    get(EXECUTIONS "/future?execStatus=READY");
    assert_int_equal(count(), 1);
    post("/api/v1/runs/complete", js("{'items':[{'id':'%s','fence':1}]}", id));
    pass_time(SPAN_S);
    assert_true(strlen(claim("a")) > 0);
}

static void a_gated_run_waits_until_it_is_approved(void **state)
{
    char id[64];

    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE','executorPolicy':{'riskGate':true}");
    assert_string_equal(claim("a"), "");
    get(EXECUTIONS "/future");
    assert_json("0.execStatus", "'READY'");
    assert_json("0.waitingFor", "'approval'");
    snprintf(id, sizeof id, "%s", text_at("0.executionId").ptr);
    assert_int_equal(post(js("/api/v1/runs/%s/approve", id), "{}") / 100, 2);
    get(EXECUTIONS "/future");
    assert_json("0.execStatus", "'READY'");
    assert_json("0.waitingFor", "null");
    assert_string_equal(claim("a"), id);
}

static void plan_of_two_claims_only_one_wins(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE','executorPolicy':{'maxConcurrent':5}");
    assert_true(strlen(claim("a")) > 0);
    assert_string_equal(claim("a"), "");
}

/* After 90 s and 30 s of grace; the server takes a turn every second. */
static void plan_a_stale_lease_is_recovered(void **state)
{
    char id[64];

    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE'");
    snprintf(id, sizeof id, "%s", claim("a"));
    for (int i = 0; i < 119; i++)
        pass_time(SPAN_S);
    get(EXECUTIONS "/future");
    assert_json("0.execStatus", "'PENDING'");
    for (int i = 0; i < 6; i++)
        pass_time(SPAN_S);
    get(EXECUTIONS "/future");
    assert_json("0.lockOwner", "null");
    pass_time(61 * SPAN_S); /* a retry would start after a minute */
    assert_string_equal(claim("a"), id);
    assert_int_equal(fence() > 1, 1);
}

static void plan_a_heartbeat_renews_the_lease(void **state)
{
    char id[64];

    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE'");
    snprintf(id, sizeof id, "%s", claim("a"));
    for (int i = 0; i < 10; i++) {
        pass_time(30 * SPAN_S);
        post("/api/v1/runs/heartbeat", js("{'items':[{'id':'%s','fence':1}]}", id));
        assert_json("results.0.status", "'ok'");
    }
    get(EXECUTIONS "/future");
    assert_json("0.execStatus", "'RUNNING'");
    post("/api/v1/runs/complete", js("{'items':[{'id':'%s','fence':1}]}", id));
    assert_json("results.0.status", "'ok'");
    post("/api/v1/runs/heartbeat", js("{'items':[{'id':'%s','fence':1}]}", id));
    assert_json("results.0.status", "'stale'");
}

/* The worker learns that the lease is gone; it cannot be renewed again. */
static void plan_a_heartbeat_stops_on_cancellation(void **state)
{
    char id[64];

    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE'");
    snprintf(id, sizeof id, "%s", claim("a"));
    post("/api/v1/runs/heartbeat", js("{'items':[{'id':'%s','fence':1}]}", id));
    assert_json("results.0.cancelled", "absent");
    assert_int_equal(post(js("/api/v1/runs/%s/cancel", id), "") / 100, 2);
    post("/api/v1/runs/heartbeat", js("{'items':[{'id':'%s','fence':1}]}", id));
    assert_json("results.0.cancelled", "true");
    post("/api/v1/runs/fail",
         js("{'items':[{'id':'%s','fence':1,'error':{'message':'stopped'}}]}", id));
    post("/api/v1/runs/heartbeat", js("{'items':[{'id':'%s','fence':1}]}", id));
    assert_json("results.0.status", "'stale'");
    get(EXECUTIONS "/past");
    assert_json("content.0.resultStatus", "'CANCELLED'");
    post(EXECUTIONS "/trigger",
         js("{'agentId':'a'}")); /* a run that is only claimed is cancelled */
    snprintf(id, sizeof id, "%s", claim("a"));
    assert_int_equal(post(js(EXECUTIONS "/future/%s/cancel", id), ""), 200);
    post("/api/v1/runs/heartbeat", js("{'items':[{'id':'%s','fence':1}]}", id));
    assert_json("results.0.status", "'stale'");
}

static void deleting_a_schedule_cancels_waiting_executions(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE'");
    assert_int_equal(ask("DELETE " SCHEDULES "/agent:a", NULL, ""), 204);
    get(EXECUTIONS "/future");
    assert_int_equal(count(), 0);
    assert_string_equal(claim("a"), "");
}

/* READY and PENDING runs are cancelled; a RUNNING one continues to its end. */
static void deleting_a_schedule_cancels_what_has_not_begun(void **state)
{
    char running[64], pending[64];

    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE','executorPolicy':{'maxConcurrent':2}");
    snprintf(running, sizeof running, "%s", claim("a"));
    post("/api/v1/runs/heartbeat", js("{'items':[{'id':'%s','fence':1}]}", running));
    post(EXECUTIONS "/trigger", js("{'agentId':'a'}"));
    snprintf(pending, sizeof pending, "%s", claim("a"));
    post(EXECUTIONS "/trigger", js("{'agentId':'a'}"));
    assert_int_equal(ask("DELETE " SCHEDULES "/agent:a", NULL, ""), 204);
    post("/api/v1/runs/heartbeat", js("{'items':[{'id':'%s','fence':1}]}", pending));
    assert_json("results.0.status", "'stale'");
    post("/api/v1/runs/complete", js("{'items':[{'id':'%s','fence':1}]}", running));
    assert_json("results.0.status", "'ok'");
    get(EXECUTIONS "/past?resultStatus=CANCELLED");
    assert_json("totalElements", "2");
    get(EXECUTIONS "/past?resultStatus=SUCCESS");
    assert_json("totalElements", "1");
}

/* More claimed runs than one step of the deletion cancels. */
static void deleting_a_schedule_cancels_every_claimed_execution(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE','executorPolicy':{'maxConcurrent':1000}");
    for (int i = 0; i < 949; i++)
        assert_int_equal(post(EXECUTIONS "/trigger", js("{'agentId':'a'}")), 202);
    post("/api/v1/queues/claim", js("{'queues':['a'],'max':1000,'worker':'w'}"));
    assert_int_equal(world.call.grant_count, 950);
    assert_int_equal(ask("DELETE " SCHEDULES "/agent:a", NULL, ""), 204);
    get(EXECUTIONS "/past?resultStatus=CANCELLED");
    assert_json("totalElements", "950");
    assert_int_equal(get(SCHEDULES "/agent:a"), 404);
}

/* ---- cancelling ---- */

static void a_planned_execution_is_cancelled_and_never_runs(void **state)
{
    char id[64];

    (void)state;
    schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['12:00'],'timezone':'UTC'");
    get(EXECUTIONS "/future");
    snprintf(id, sizeof id, "%s", text_at("0.executionId").ptr);
    assert_int_equal(post(js(EXECUTIONS "/future/%s/cancel", id), ""), 200);
    assert_json("execStatus", "'CANCELLED'");
    get(EXECUTIONS "/future");
    assert_json("0.execStatus", "'CANCELLED'");
    pass_time(3 * SPAN_H);
    assert_string_equal(claim("a"), "");
    get(EXECUTIONS "/future?execStatus=CANCELLED");
    assert_int_equal(count(), 1);
}

static void a_running_execution_is_not_cancelled(void **state)
{
    char id[64];

    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE'");
    snprintf(id, sizeof id, "%s", claim("a"));
    post("/api/v1/runs/heartbeat", js("{'items':[{'id':'%s','fence':1}]}", id));
    assert_int_equal(post(js(EXECUTIONS "/future/%s/cancel", id), ""), 409);
    assert_json("execStatus", "'RUNNING'");
    assert_json("agentId", "'a'");
}

static void ready_and_pending_executions_are_cancelled(void **state)
{
    char id[64];

    (void)state;
    post(EXECUTIONS "/trigger", js("{'agentId':'a'}"));
    snprintf(id, sizeof id, "%s", text_at("executionId").ptr);
    assert_int_equal(post(js(EXECUTIONS "/future/%s/cancel", id), ""), 200);
    assert_string_equal(claim("a"), "");
    assert_int_equal(post(js(EXECUTIONS "/future/%s/cancel", id), ""), 404);
    post(EXECUTIONS "/trigger", js("{'agentId':'a'}"));
    snprintf(id, sizeof id, "%s", claim("a"));
    assert_int_equal(post(js(EXECUTIONS "/future/%s/cancel", id), ""), 200);
    assert_json("execStatus", "'CANCELLED'");
    assert_json("lockOwner", "null");
    post("/api/v1/runs/complete", js("{'items':[{'id':'%s','fence':1}]}", id));
    assert_json("results.0.status", "'stale'");
}

static void runs_of_other_apis_are_not_cancelled(void **state)
{
    char id[64];

    (void)state;
    post("/api/v1/schedules", js("{'id':'n','action':{'type':'queue','queue':'q'}}"));
    post("/api/v1/schedules/n/trigger", "");
    snprintf(id, sizeof id, "%s", text_at("id").ptr);
    assert_int_equal(post(js(EXECUTIONS "/future/%s/cancel", id), ""), 404);
    assert_true(strlen(claim("q")) > 0);
}

static struct zone_source all_zones;

static const struct tz *find_utc_only(void *user, struct str name, struct err *reterr)
{
    if (str_eq(name, STR("UTC")))
        return all_zones.find(user, name, reterr);
    err_set(reterr, RC_NOT_FOUND, -1, 0, "unknown time zone");
    return NULL;
}

/* The file of a zone can be removed while schedules use it. */
static void a_schedule_whose_zone_is_missing_does_not_end_the_list(void **state)
{
    (void)state;
    assert_int_equal(schedule("a", ",'scheduleType':'CRON','cronExpr':'0 0 23 * * *',"
                                   "'timezone':'Europe/Berlin'"),
                     201);
    assert_int_equal(
        schedule("b", ",'scheduleType':'CRON','cronExpr':'0 0 23 * * *','timezone':'UTC'"),
        201);
    assert_int_equal(get(EXECUTIONS "/future"), 200);
    assert_int_equal(count(), 2);
    all_zones = world.context.zones;
    world.context.zones.find = find_utc_only;
    assert_int_equal(get(EXECUTIONS "/future"), 200);
    assert_int_equal(count(), 1);
    assert_json("0.agentId", "'b'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(an_immediate_schedule_runs_when_it_is_made_and_when_enabled),
        API_TEST(plan_a_manual_trigger_is_picked_up_and_executed),
        API_TEST(immediate_executions_have_priority_8),
        API_TEST(an_agent_without_a_schedule_can_be_triggered),
        API_TEST(plan_a_run_is_pending_when_claimed_and_running_after_a_heartbeat),
        API_TEST(plan_a_failure_waits_for_its_backoff_and_is_claimed_again),
        API_TEST(plan_the_cap_of_an_agent_is_respected),
        API_TEST(a_gated_run_waits_until_it_is_approved),
        API_TEST(plan_of_two_claims_only_one_wins),
        API_TEST(plan_a_stale_lease_is_recovered),
        API_TEST(plan_a_heartbeat_renews_the_lease),
        API_TEST(plan_a_heartbeat_stops_on_cancellation),
        API_TEST(deleting_a_schedule_cancels_waiting_executions),
        API_TEST(deleting_a_schedule_cancels_what_has_not_begun),
        API_TEST(deleting_a_schedule_cancels_every_claimed_execution),
        API_TEST(a_planned_execution_is_cancelled_and_never_runs),
        API_TEST(a_running_execution_is_not_cancelled),
        API_TEST(ready_and_pending_executions_are_cancelled),
        API_TEST(runs_of_other_apis_are_not_cancelled),
        API_TEST(a_schedule_whose_zone_is_missing_does_not_end_the_list),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
