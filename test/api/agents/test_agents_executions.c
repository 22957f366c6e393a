/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The future executions of agents: immediate runs, states, cancelling.
 *
 * Names of tests that begin with plan_ are lines of section 13 of the plan that the API
 * follows.
 */
#include "agents.h"

/* ---- immediate runs ---- */

static void an_immediate_schedule_runs_when_it_is_made_and_when_enabled(void **state)
{
    (void)state;
    assert_int_equal(schedule("a", ",'scheduleType':'IMMEDIATE'"), 201);
    assert_told("nextExecutionAt", "null");
    get(E "/future");
    assert_int_equal(count(), 1);
    assert_told("0.plannedHour", "-1");
    assert_told("0.plannedMinute", "0");
    assert_told("0.immediate", "true");
    assert_told("0.execStatus", "'READY'");
    assert_told("0.scheduledAt", "'2026-01-05T10:00:00.000Z'");
    ask("PUT " S "/agent:a", NULL, js("{'enabled':false}"));
    pass(SPAN_MIN);
    ask("PUT " S "/agent:a", NULL, js("{'enabled':true}"));
    get(E "/future");
    assert_int_equal(count(), 2);
    for (int i = 0; i < 2; i++) {
        assert_told(js("%d.plannedHour", i), "-1");
        assert_told(js("%d.execStatus", i), "'READY'");
    }
    ask("PUT " S "/agent:a", NULL, js("{'enabled':true}")); /* already enabled: no run */
    get(E "/future");
    assert_int_equal(count(), 2);
}

static void plan_a_manual_trigger_is_picked_up_and_executed(void **state)
{
    (void)state;
    schedule("reconciler", ",'scheduleType':'CRON','cronExpr':'0 0 12 * * *',"
                           "'projectId':'xyz','timezone':'UTC',"
                           "'inputsPolicy':{'inputType':'all'}");
    assert_int_equal(post(E "/trigger", js("{'agentId':'reconciler','projectId':'xyz'}")), 202);
    assert_told("plannedHour", "-1");
    assert_told("immediate", "true");
    assert_told("execStatus", "'READY'");
    assert_told("scheduleId", "'agent:reconciler@xyz'");
    assert_true(strlen(claim("reconciler")) > 0);
    assert_told("runs.0.input.agentId", "'reconciler'");
    assert_told("runs.0.input.projectId", "'xyz'");
    assert_told("runs.0.input.inputsPolicy.inputType", "'all'");
}

static void what_is_asked_for_at_once_has_priority_8(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE','projectId':'p','enabled':false");
    schedule("b", ",'scheduleType':'IMMEDIATE','executorPolicy':{'priority':10}");
    ask("PUT " S "/agent:a@p", NULL, js("{'enabled':true}"));
    get(E "/future?agentId=a");
    assert_told("0.priority", "8");
    get(E "/future?agentId=b");
    assert_told("0.priority", "10");
    schedule("c", ",'scheduleType':'FIXED_TIMES','timesOfDay':['12:00'],'timezone':'UTC',"
                  "'executorPolicy':{'priority':2}");
    post(E "/trigger", js("{'agentId':'c'}"));
    assert_told("priority", "8");
    get(E "/future?agentId=c");
    assert_told("0.priority", "8");
    assert_told("1.priority", "2"); /* of the planned one */
    post(E "/trigger", js("{'agentId':'lonely'}"));
    assert_told("priority", "8");
    get(E "/future?agentId=lonely");
    assert_told("0.priority", "8");
}

static void an_agent_without_a_schedule_can_be_run(void **state)
{
    (void)state;
    assert_int_equal(post(E "/trigger", js("{'agentId':'lonely'}")), 202);
    assert_told("scheduleId", "null");
    assert_told("maxAttempts", "3");
    get(E "/future");
    assert_int_equal(count(), 1);
    assert_told("0.agentId", "'lonely'");
    assert_told("0.plannedHour", "-1");
    get(E "/future?agentId=other");
    assert_int_equal(count(), 0);
    assert_true(strlen(claim("lonely")) > 0);
    assert_refused(post(E "/trigger", "{}"), 400, "invalid_field", "agentId");
    get(S);
    assert_told("", "[]");
}

/* ---- states ---- */

static void plan_a_run_is_pending_when_claimed_and_running_with_its_first_sign(void **state)
{
    char id[64];

    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE'");
    snprintf(id, sizeof id, "%s", claim("a"));
    get(E "/future");
    assert_told("0.execStatus", "'PENDING'");
    assert_told("0.lockOwner", "'w-1'");
    post("/api/v1/runs/heartbeat", js("{'items':[{'id':'%s','fence':1}]}", id));
    get(E "/future");
    assert_told("0.execStatus", "'RUNNING'");
    post("/api/v1/runs/complete", js("{'items':[{'id':'%s','fence':1}]}", id));
    get(E "/future");
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
    get(E "/future");
    assert_told("0.execStatus", "'FAILED_RETRYABLE'");
    assert_told("0.attempt", "1");
    assert_told("0.lockOwner", "null");
    assert_told("0.scheduledAt", "'2026-01-05T10:01:00.000Z'");
    pass(59 * SPAN_S);
    assert_string_equal(claim("a"), "");
    pass(2 * SPAN_S);
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
    get(E "/future?execStatus=READY");
    assert_int_equal(count(), 1);
    post("/api/v1/runs/complete", js("{'items':[{'id':'%s','fence':1}]}", id));
    pass(SPAN_S);
    assert_true(strlen(claim("a")) > 0);
}

static void a_gated_run_waits_until_it_is_approved(void **state)
{
    char id[64];

    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE','executorPolicy':{'riskGate':true}");
    assert_string_equal(claim("a"), "");
    get(E "/future");
    assert_told("0.execStatus", "'READY'");
    snprintf(id, sizeof id, "%s", text_at("0.executionId").ptr);
    assert_int_equal(post(js("/api/v1/runs/%s/approve", id), "{}") / 100, 2);
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
        pass(SPAN_S);
    get(E "/future");
    assert_told("0.execStatus", "'PENDING'");
    for (int i = 0; i < 6; i++)
        pass(SPAN_S);
    get(E "/future");
    assert_told("0.lockOwner", "null");
    pass(61 * SPAN_S); /* a retry would start after a minute */
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
        pass(30 * SPAN_S);
        post("/api/v1/runs/heartbeat", js("{'items':[{'id':'%s','fence':1}]}", id));
        assert_told("results.0.status", "'ok'");
    }
    get(E "/future");
    assert_told("0.execStatus", "'RUNNING'");
    post("/api/v1/runs/complete", js("{'items':[{'id':'%s','fence':1}]}", id));
    assert_told("results.0.status", "'ok'");
    post("/api/v1/runs/heartbeat", js("{'items':[{'id':'%s','fence':1}]}", id));
    assert_told("results.0.status", "'stale'");
}

/* The worker learns that the lease is gone; it cannot be renewed again. */
static void plan_a_heartbeat_stops_on_cancellation(void **state)
{
    char id[64];

    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE'");
    snprintf(id, sizeof id, "%s", claim("a"));
    post("/api/v1/runs/heartbeat", js("{'items':[{'id':'%s','fence':1}]}", id));
    assert_told("results.0.cancelled", "absent");
    assert_int_equal(post(js("/api/v1/runs/%s/cancel", id), "") / 100, 2);
    post("/api/v1/runs/heartbeat", js("{'items':[{'id':'%s','fence':1}]}", id));
    assert_told("results.0.cancelled", "true");
    post("/api/v1/runs/fail",
         js("{'items':[{'id':'%s','fence':1,'error':{'message':'stopped'}}]}", id));
    post("/api/v1/runs/heartbeat", js("{'items':[{'id':'%s','fence':1}]}", id));
    assert_told("results.0.status", "'stale'");
    get(E "/past");
    assert_told("content.0.resultStatus", "'CANCELLED'");
    post(E "/trigger", js("{'agentId':'a'}")); /* a run that is only claimed is cancelled */
    snprintf(id, sizeof id, "%s", claim("a"));
    assert_int_equal(post(js(E "/future/%s/cancel", id), ""), 200);
    post("/api/v1/runs/heartbeat", js("{'items':[{'id':'%s','fence':1}]}", id));
    assert_told("results.0.status", "'stale'");
}

static void a_deleted_schedule_takes_what_waits_with_it(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE'");
    assert_int_equal(ask("DELETE " S "/agent:a", NULL, ""), 204);
    get(E "/future");
    assert_int_equal(count(), 0);
    assert_string_equal(claim("a"), "");
}

/* READY and PENDING runs are cancelled; a RUNNING one continues to its end. */
static void a_deleted_schedule_takes_what_has_not_begun_with_it(void **state)
{
    char running[64], pending[64];

    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE','executorPolicy':{'maxConcurrent':2}");
    snprintf(running, sizeof running, "%s", claim("a"));
    post("/api/v1/runs/heartbeat", js("{'items':[{'id':'%s','fence':1}]}", running));
    post(E "/trigger", js("{'agentId':'a'}"));
    snprintf(pending, sizeof pending, "%s", claim("a"));
    post(E "/trigger", js("{'agentId':'a'}"));
    assert_int_equal(ask("DELETE " S "/agent:a", NULL, ""), 204);
    post("/api/v1/runs/heartbeat", js("{'items':[{'id':'%s','fence':1}]}", pending));
    assert_told("results.0.status", "'stale'");
    post("/api/v1/runs/complete", js("{'items':[{'id':'%s','fence':1}]}", running));
    assert_told("results.0.status", "'ok'");
    get(E "/past?resultStatus=CANCELLED");
    assert_told("totalElements", "2");
    get(E "/past?resultStatus=SUCCESS");
    assert_told("totalElements", "1");
}

/* ---- cancelling ---- */

static void a_planned_execution_is_cancelled_and_never_runs(void **state)
{
    char id[64];

    (void)state;
    schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['12:00'],'timezone':'UTC'");
    get(E "/future");
    snprintf(id, sizeof id, "%s", text_at("0.executionId").ptr);
    assert_int_equal(post(js(E "/future/%s/cancel", id), ""), 200);
    assert_told("execStatus", "'CANCELLED'");
    get(E "/future");
    assert_told("0.execStatus", "'CANCELLED'");
    pass(3 * SPAN_H);
    assert_string_equal(claim("a"), "");
    get(E "/future?execStatus=CANCELLED");
    assert_int_equal(count(), 1);
}

static void a_running_execution_is_not_cancelled(void **state)
{
    char id[64];

    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE'");
    snprintf(id, sizeof id, "%s", claim("a"));
    post("/api/v1/runs/heartbeat", js("{'items':[{'id':'%s','fence':1}]}", id));
    assert_int_equal(post(js(E "/future/%s/cancel", id), ""), 409);
    assert_told("execStatus", "'RUNNING'");
    assert_told("agentId", "'a'");
}

static void one_that_is_ready_or_pending_is_cancelled(void **state)
{
    char id[64];

    (void)state;
    post(E "/trigger", js("{'agentId':'a'}"));
    snprintf(id, sizeof id, "%s", text_at("executionId").ptr);
    assert_int_equal(post(js(E "/future/%s/cancel", id), ""), 200);
    assert_string_equal(claim("a"), "");
    assert_int_equal(post(js(E "/future/%s/cancel", id), ""), 404);
    post(E "/trigger", js("{'agentId':'a'}"));
    snprintf(id, sizeof id, "%s", claim("a"));
    assert_int_equal(post(js(E "/future/%s/cancel", id), ""), 200);
    assert_told("execStatus", "'CANCELLED'");
    assert_told("lockOwner", "null");
    post("/api/v1/runs/complete", js("{'items':[{'id':'%s','fence':1}]}", id));
    assert_told("results.0.status", "'stale'");
}

static void runs_of_other_apis_are_not_cancelled(void **state)
{
    char id[64];

    (void)state;
    post("/api/v1/schedules", js("{'id':'n','action':{'type':'queue','queue':'q'}}"));
    post("/api/v1/schedules/n/trigger", "");
    snprintf(id, sizeof id, "%s", text_at("id").ptr);
    assert_int_equal(post(js(E "/future/%s/cancel", id), ""), 404);
    assert_true(strlen(claim("q")) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(an_immediate_schedule_runs_when_it_is_made_and_when_enabled),
        SERVED(plan_a_manual_trigger_is_picked_up_and_executed),
        SERVED(what_is_asked_for_at_once_has_priority_8),
        SERVED(an_agent_without_a_schedule_can_be_run),
        SERVED(plan_a_run_is_pending_when_claimed_and_running_with_its_first_sign),
        SERVED(plan_a_failure_waits_for_its_backoff_and_is_claimed_again),
        SERVED(plan_the_cap_of_an_agent_is_respected),
        SERVED(a_gated_run_waits_until_it_is_approved),
        SERVED(plan_of_two_claims_only_one_wins),
        SERVED(plan_a_stale_lease_is_recovered),
        SERVED(plan_a_heartbeat_renews_the_lease),
        SERVED(plan_a_heartbeat_stops_on_cancellation),
        SERVED(a_deleted_schedule_takes_what_waits_with_it),
        SERVED(a_deleted_schedule_takes_what_has_not_begun_with_it),
        SERVED(a_planned_execution_is_cancelled_and_never_runs),
        SERVED(a_running_execution_is_not_cancelled),
        SERVED(one_that_is_ready_or_pending_is_cancelled),
        SERVED(runs_of_other_apis_are_not_cancelled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
