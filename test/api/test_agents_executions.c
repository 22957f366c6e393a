/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The executions of agents that are to be: the day's plan, runs at once, cancelling.
 *
 * Names of tests that begin with plan_ are lines of section 13 of the plan that the API comes
 * from; those with example_ are of its section 10.
 */
#include "agents.h"

static int count(void)
{
    return (int)json_array_size(world.json);
}

static const char *claim(const char *queue)
{
    static char id[RUN_ID_TEXT_MAX];

    assert_int_equal(
        post("/api/v1/queues/claim", js("{'queues':['%s'],'max':1,'worker':'w-1'}", queue)),
        200);
    id[0] = '\0';
    if (world.call.grant_count == 1)
        snprintf(id, sizeof id, "%s", text_at("runs.0.id").ptr);
    return id;
}

static int64_t fence(void)
{
    return world.call.grants[0].run.fence;
}

/* ---- the plan of a day ---- */

static void plan_given_a_cron_schedule_correct_times_are_generated(void **state)
{
    (void)state;
    schedule("reconciler", ",'scheduleType':'CRON','cronExpr':'0 0 */2 * * *',"
                           "'timezone':'America/Denver','projectScope':'PROJECT',"
                           "'projectId':'xyz'");
    assert_int_equal(get(E "/future?dateKey=2026-01-06"), 200);
    assert_int_equal(count(), 12); /* 00:00 is one of them */
    assert_told("0.scheduledAt", "'2026-01-06T07:00:00.000Z'");
    assert_told("0.plannedHour", "0");
    assert_told("0.plannedMinute", "0");
    assert_told("0.immediate", "false");
    assert_told("0.execStatus", "'READY'");
    assert_told("0.attempt", "0");
    assert_told("0.lockOwner", "null");
    assert_told("0.agentId", "'reconciler'");
    assert_told("0.projectId", "'xyz'");
    assert_told("0.scheduleId", "'agent:reconciler@xyz'");
    assert_told("0.dateKey", "'2026-01-06'");
    assert_told("0.idempotencyKey", "'2026-01-06|reconciler|xyz|2026-01-06T07:00:00.000Z'");
    assert_told("11.scheduledAt", "'2026-01-07T05:00:00.000Z'");
    assert_told("11.plannedHour", "22");
}

static void plan_given_fixed_times_there_is_an_item_for_each(void **state)
{
    (void)state;
    schedule("thread-extractor", ",'scheduleType':'FIXED_TIMES',"
                                 "'timesOfDay':['09:00','17:00'],"
                                 "'timezone':'America/Denver'");
    assert_int_equal(get(E "/future"), 200); /* it is 03:00 there */
    assert_int_equal(count(), 2);
    assert_told("0.scheduledAt", "'2026-01-05T16:00:00.000Z'");
    assert_told("0.plannedHour", "9");
    assert_told("0.projectId", "null");
    assert_told("0.idempotencyKey",
                "'2026-01-05|thread-extractor|GLOBAL|2026-01-05T16:00:00.000Z'");
    assert_told("1.scheduledAt", "'2026-01-06T00:00:00.000Z'");
    assert_told("1.plannedHour", "17");
}

static void plan_given_an_interval_items_are_at_correct_times(void **state)
{
    (void)state;
    schedule("distiller", ",'scheduleType':'INTERVAL','intervalMinutes':30,'timezone':'UTC'");
    assert_int_equal(get(E "/future?dateKey=2026-01-06"), 200);
    assert_int_equal(count(), 48);
    assert_told("0.scheduledAt", "'2026-01-06T00:00:00.000Z'");
    assert_told("1.scheduledAt", "'2026-01-06T00:30:00.000Z'");
    assert_told("47.plannedMinute", "30");
    assert_int_equal(get(E "/future"), 200); /* from 10:30 on: what is past is not made up */
    assert_int_equal(count(), 27);
    assert_told("0.scheduledAt", "'2026-01-05T10:30:00.000Z'");
}

static void plan_version_drift_cancels_stale_items(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['12:00','17:00'],"
                  "'timezone':'UTC'");
    get(E "/future");
    assert_told("1.plannedHour", "17");
    ask("PUT " S "/agent:a", NULL, js("{'timesOfDay':['13:00','17:00']}"));
    get(E "/future");
    assert_int_equal(count(), 2);
    assert_told("0.plannedHour", "13");
    assert_told("1.plannedHour", "17");
    pass(2 * SPAN_H);
    assert_string_equal(claim("a"), ""); /* nothing at 12:00 */
}

static void plan_midnight_clears_and_regenerates(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['12:00'],'timezone':'UTC'");
    get(E "/future");
    assert_told("0.dateKey", "'2026-01-05'");
    pass(14 * SPAN_H);
    get(E "/future");
    assert_int_equal(count(), 1);
    assert_told("0.dateKey", "'2026-01-06'");
    assert_told("0.scheduledAt", "'2026-01-06T12:00:00.000Z'");
    get(E "/future?dateKey=2026-01-05"); /* nobody has taken it yet */
    assert_int_equal(count(), 1);
    assert_told("0.execStatus", "'READY'");
}

static void plan_the_key_prevents_duplicates_whenever_it_is_planned(void **state)
{
    char first[256];

    (void)state;
    schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['12:00'],'timezone':'UTC'");
    get(E "/future");
    snprintf(first, sizeof first, "%s %s", text_at("0.idempotencyKey").ptr,
             text_at("0.executionId").ptr);
    for (int i = 0; i < 10; i++) {
        char again[256];

        ask("PUT " S "/agent:a", NULL, js("{'executorPolicy':{'priority':%d}}", i % 10 + 1));
        get(E "/future");
        assert_int_equal(count(), 1);
        snprintf(again, sizeof again, "%s %s", text_at("0.idempotencyKey").ptr,
                 text_at("0.executionId").ptr);
        assert_string_equal(first, again);
    }
}

static void example_an_edit_keeps_the_item_that_stays(void **state)
{
    char id[64];

    (void)state;
    pass(2 * SPAN_H);
    schedule("thread-extractor", ",'scheduleType':'FIXED_TIMES',"
                                 "'timesOfDay':['09:00','17:00'],"
                                 "'timezone':'America/Denver'");
    pass(5 * SPAN_H + SPAN_H / 2); /* 10:30 there: 09:00 is due */
    assert_int_equal(strlen(claim("thread-extractor")) > 0, 1);
    assert_int_equal(post("/api/v1/runs/complete", js("{'items':[{'id':'%s','fence':%d}]}",
                                                      text_at("runs.0.id").ptr, (int)fence())),
                     200);
    get(E "/future");
    assert_int_equal(count(), 1);
    snprintf(id, sizeof id, "%s", text_at("0.executionId").ptr);
    ask("PUT " S "/agent:thread-extractor", NULL,
        js("{'timesOfDay':['09:00','13:00','17:00']}"));
    assert_told("version", "2");
    get(E "/future");
    assert_int_equal(count(), 2);
    assert_told("0.plannedHour", "13");
    assert_told("1.plannedHour", "17");
    assert_string_equal(text_at("1.executionId").ptr, id);
}

static void plan_in_denver_times_are_right_for_a_server_in_utc(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['09:00'],"
                  "'timezone':'America/Denver'");
    get(E "/future?dateKey=2026-01-20");
    assert_told("0.scheduledAt", "'2026-01-20T16:00:00.000Z'"); /* MST */
    get(E "/future?dateKey=2026-07-20");
    assert_told("0.scheduledAt", "'2026-07-20T15:00:00.000Z'"); /* MDT */
}

static void plan_midnight_is_that_of_each_zone(void **state)
{
    (void)state;
    schedule("d", ",'scheduleType':'INTERVAL','intervalMinutes':720,"
                  "'timezone':'America/Denver'");
    schedule("u", ",'scheduleType':'INTERVAL','intervalMinutes':720,'timezone':'UTC'");
    pass(15 * SPAN_H); /* 2026-01-06 01:00 in UTC, the evening before in Denver */
    get(E "/future?agentId=d");
    assert_told("0.dateKey", "'2026-01-05'");
    get(E "/future?agentId=u");
    assert_told("0.dateKey", "'2026-01-06'");
}

static void row_140_the_planner_tells_when_it_last_planned(void **state)
{
    (void)state;
    get(E "/planner");
    assert_told("lastMidnightRebuilds", "{}");
    schedule("d", ",'scheduleType':'INTERVAL','intervalMinutes':720,"
                  "'timezone':'America/Denver'");
    pass(SPAN_H);
    schedule("u", ",'scheduleType':'INTERVAL','intervalMinutes':720,'timezone':'UTC'");
    get(E "/planner"); /* neither has had a midnight */
    assert_told("", "{'lastReconcileAt':'2026-01-05T11:00:00.000Z','lastMidnightRebuilds':"
                    "{'America/Denver':null,'UTC':null}}");
    pass(13 * SPAN_H); /* to midnight in UTC */
    get(E "/planner");
    assert_told("", "{'lastReconcileAt':'2026-01-06T00:00:00.000Z','lastMidnightRebuilds':"
                    "{'America/Denver':null,'UTC':'2026-01-06T00:00:00.000Z'}}");
    pass(7 * SPAN_H); /* and in Denver */
    get(E "/planner");
    assert_told("lastMidnightRebuilds", "{'America/Denver':'2026-01-06T07:00:00.000Z',"
                                        "'UTC':'2026-01-06T00:00:00.000Z'}");
}

/* Rows 24 and 26: whatever is to come, a list is of one day, that of each zone. */
static void row_26_the_plan_ends_with_the_day(void **state)
{
    (void)state;
    schedule("d", ",'scheduleType':'INTERVAL','intervalMinutes':60,"
                  "'timezone':'America/Denver'");
    schedule("u", ",'scheduleType':'INTERVAL','intervalMinutes':60,'timezone':'UTC'");
    get(E "/future");
    for (int i = 0; i < count(); i++) {
        bool is_utc = strcmp(told(js("%d.agentId", i)), "'u'") == 0;

        assert_told(js("%d.dateKey", i), "'2026-01-05'");
        assert_true(strcmp(text_at(js("%d.scheduledAt", i)).ptr,
                           is_utc ? "2026-01-06T00:00:00.000Z" : "2026-01-06T07:00:00.000Z") <
                    0);
    }
    assert_int_equal(count(), 20 + 13); /* from 04:00 there, and from 11:00 here */
}

/* 02:30 is no time of 2026-03-08 in Denver; 01:30 is two of 2026-11-01. */
static void plan_changes_of_the_clock_are_handled(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'CRON','cronExpr':'0 30 2 * * *',"
                  "'timezone':'America/Denver'");
    schedule("b", ",'scheduleType':'FIXED_TIMES','timesOfDay':['01:30'],"
                  "'timezone':'America/Denver'");
    get(E "/future?agentId=a&dateKey=2026-03-08");
    assert_int_equal(count(), 0);
    get(E "/future?agentId=a&dateKey=2026-03-09");
    assert_told("0.scheduledAt", "'2026-03-09T08:30:00.000Z'");
    get(E "/future?agentId=b&dateKey=2026-11-01");
    assert_int_equal(count(), 2);
    assert_told("0.scheduledAt", "'2026-11-01T07:30:00.000Z'");
    assert_told("1.scheduledAt", "'2026-11-01T08:30:00.000Z'");
}

static void filters_narrow_together(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['12:00'],'timezone':'UTC'");
    schedule("b", ",'scheduleType':'FIXED_TIMES','timesOfDay':['13:00'],'timezone':'UTC'");
    schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['14:00'],'timezone':'UTC',"
                  "'projectId':'p','enabled':false");
    get(E "/future");
    assert_int_equal(count(), 3);
    get(E "/future?agentId=a&execStatus=READY");
    assert_int_equal(count(), 1);
    assert_told("0.plannedHour", "12");
    get(E "/future?agentId=a&execStatus=SKIPPED&dateKey=2026-01-05"); /* it is disabled */
    assert_int_equal(count(), 1);
    assert_told("0.plannedHour", "14");
    assert_refused(get(E "/future?execStatus=DONE"), 400, "invalid_field", "execStatus");
    assert_refused(get(E "/future?dateKey=today"), 400, "invalid_field", "dateKey");
    assert_refused(get(E "/future?dateKey=2026-02-30"), 400, "invalid_field", "dateKey");
}

/* ---- at once ---- */

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
    ask("PUT " S "/agent:a", NULL, js("{'enabled':true}")); /* it is: nothing more */
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
    assert_told("1.priority", "2"); /* of the one that is planned */
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

/* After 90 s and 30 s of grace, of a server that takes a turn each second. */
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
    pass(61 * SPAN_S); /* a retry would come after a minute */
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

static void example_the_plan_of_a_day_has_12_and_2_and_48(void **state)
{
    (void)state;
    schedule("reconciler", ",'scheduleType':'CRON','cronExpr':'0 0 */2 * * *',"
                           "'timezone':'America/Denver','projectScope':'PROJECT',"
                           "'projectId':'xyz'");
    schedule("thread-extractor", ",'scheduleType':'FIXED_TIMES',"
                                 "'timesOfDay':['09:00','17:00'],"
                                 "'timezone':'America/Denver'");
    schedule("distiller", ",'scheduleType':'INTERVAL','intervalMinutes':30,'timezone':'UTC'");
    get(E "/future?dateKey=2026-02-18");
    assert_int_equal(count(), 12 + 2 + 48);
    get(E "/future?dateKey=2026-02-18&agentId=reconciler");
    assert_int_equal(count(), 12);
    get(E "/future?dateKey=2026-02-18&agentId=thread-extractor");
    assert_int_equal(count(), 2);
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
        SERVED(plan_given_a_cron_schedule_correct_times_are_generated),
        SERVED(plan_given_fixed_times_there_is_an_item_for_each),
        SERVED(plan_given_an_interval_items_are_at_correct_times),
        SERVED(plan_version_drift_cancels_stale_items),
        SERVED(plan_midnight_clears_and_regenerates),
        SERVED(plan_the_key_prevents_duplicates_whenever_it_is_planned),
        SERVED(example_an_edit_keeps_the_item_that_stays),
        SERVED(plan_in_denver_times_are_right_for_a_server_in_utc),
        SERVED(plan_midnight_is_that_of_each_zone),
        SERVED(row_140_the_planner_tells_when_it_last_planned),
        SERVED(row_26_the_plan_ends_with_the_day),
        SERVED(plan_changes_of_the_clock_are_handled),
        SERVED(filters_narrow_together),
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
        SERVED(example_the_plan_of_a_day_has_12_and_2_and_48),
        SERVED(a_deleted_schedule_takes_what_waits_with_it),
        SERVED(a_planned_execution_is_cancelled_and_never_runs),
        SERVED(a_running_execution_is_not_cancelled),
        SERVED(one_that_is_ready_or_pending_is_cancelled),
        SERVED(runs_of_other_apis_are_not_cancelled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
