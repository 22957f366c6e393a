/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The executions of agents that are over, and what came of them.
 *
 * Names of tests that begin with plan_ are lines of section 13 of the plan that the API comes
 * from; those with example_ are of its section 10.
 */
#include "agents.h"

static char id[RUN_ID_TEXT_MAX];
static int held;

static void take(const char *queue)
{
    assert_int_equal(
        post("/api/v1/queues/claim", js("{'queues':['%s'],'max':1,'worker':'w-1'}", queue)),
        200);
    assert_int_equal(world.call.grant_count, 1);
    held = (int)world.call.grants[0].run.fence;
    snprintf(id, sizeof id, "%s", text_at("runs.0.id").ptr);
}

/* complete or fail, with `more` members of the item. */
static void report(const char *how, const char *more)
{
    assert_int_equal(post(js("/api/v1/runs/%s", how),
                          js("{'items':[{'id':'%s','fence':%d%s}]}", id, held, more)),
                     200);
    assert_told("results.0.status", "'ok'");
}

static void run_once(const char *agent, span time, const char *how, const char *more)
{
    assert_int_equal(post(E "/trigger", js("{'agentId':'%s'}", agent)), 202);
    take(agent);
    pass(time);
    report(how, more);
}

static void plan_a_success_is_recorded_with_correct_metrics(void **state)
{
    (void)state;
    schedule("thread-extractor", ",'scheduleType':'FIXED_TIMES',"
                                 "'timesOfDay':['09:00','17:00'],"
                                 "'timezone':'America/Denver'");
    pass(6 * SPAN_H);
    take("thread-extractor");
    pass(45 * SPAN_S);
    report("complete", ",'summary':'3 reminders','refs':{'reminderIds':['r1','r2','r3']},"
                       "'llm':{'provider':'anthropic','totalTokens':1200,"
                       "'estimatedCostUsd':0.25},'tools':{'totalCalls':4},"
                       "'sessionId':'s-1','threadId':'t-1'");
    assert_int_equal(get(E "/past"), 200);
    assert_told("totalElements", "1");
    assert_told("content.0.agentId", "'thread-extractor'");
    assert_told("content.0.projectId", "null");
    assert_told("content.0.scheduleId", "'agent:thread-extractor'");
    assert_told("content.0.scheduledAt", "'2026-01-05T16:00:00.000Z'");
    assert_told("content.0.startedAt", "'2026-01-05T16:00:00.000Z'");
    assert_told("content.0.endedAt", "'2026-01-05T16:00:45.000Z'");
    assert_told("content.0.durationMs", "45000");
    assert_told("content.0.resultStatus", "'SUCCESS'");
    assert_told("content.0.errorCode", "null");
    assert_told("content.0.responseSummary", "'3 reminders'");
    assert_told("content.0.responseRefs", "{'reminderIds':['r1','r2','r3']}");
    assert_told("content.0.llmMetrics.totalTokens", "1200");
    assert_told("content.0.toolCallSummary", "{'totalCalls':4}");
    assert_told("content.0.sessionId", "'s-1'");
    assert_told("content.0.threadId", "'t-1'");
    assert_told("content.0.attempt", "1");
    assert_true(str_eq(text_at("content.0.executionId"), str_of(id)));
    assert_int_equal(get(E "/future"), 200); /* the item is gone; 17:00 is to come */
    assert_told("0.plannedHour", "17");
    assert_told("1", "absent");
}

static void plan_attempts_beyond_the_most_are_cancelled_and_each_is_recorded(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['11:00'],'timezone':'UTC'");
    pass(SPAN_H);
    for (int i = 0; i < 3; i++) {
        take("a");
        report("fail", ",'error':{'code':'LLM_TIMEOUT','message':'no answer'}");
        pass(61 * SPAN_S);
    }
    assert_int_equal(get(E "/past?resultStatus=FAIL"), 200);
    assert_told("totalElements", "3");
    assert_told("content.0.attempt", "3");
    assert_told("content.2.attempt", "1");
    assert_told("content.0.errorCode", "'LLM_TIMEOUT'");
    assert_told("content.0.errorMessage", "'no answer'");
    get(E "/future");
    assert_told("0.execStatus", "'CANCELLED'");
    assert_told("0.attempt", "3");
}

static void plan_a_failure_is_retried_and_succeeds_with_attempt_2(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE'");
    take("a");
    report("fail", ",'error':{'message':'x'}");
    pass(61 * SPAN_S);
    take("a");
    report("complete", "");
    get(E "/past");
    assert_told("content.0.resultStatus", "'SUCCESS'");
    assert_told("content.0.attempt", "2");
    assert_told("content.1.resultStatus", "'FAIL'");
    assert_told("content.1.attempt", "1");
}

static void one_past_execution_is_shown(void **state)
{
    char past[64];

    (void)state;
    run_once("a", SPAN_S, "complete", ",'summary':'fine'");
    get(E "/past");
    snprintf(past, sizeof past, "%s", text_at("content.0.pastExecutionId").ptr);
    assert_int_equal(get(js(E "/past/%s", past)), 200);
    assert_told("responseSummary", "'fine'");
    assert_told("agentId", "'a'");
    assert_told("scheduleId", "null");
    assert_int_equal(get(js(E "/past/%s", id)), 404);
    assert_int_equal(get(js(E "/past/%s-9", id)), 404);
    assert_int_equal(get(E "/past/x"), 404);
}

static void filters_narrow_together_and_pages_are_counted(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++)
        run_once("a", SPAN_S, "complete", "");
    run_once("b", SPAN_S, "complete", "");
    post(E "/trigger", js("{'agentId':'a','projectId':'p'}"));
    snprintf(id, sizeof id, "%s", text_at("executionId").ptr);
    post(js(E "/future/%s/cancel", id), "");
    get(E "/past?size=3");
    assert_told("totalElements", "7");
    assert_told("totalPages", "3");
    assert_told("number", "0");
    assert_told("size", "3");
    assert_told("first", "true");
    assert_told("last", "false");
    assert_told("numberOfElements", "3");
    get(E "/past?size=3&page=2");
    assert_told("numberOfElements", "1");
    assert_told("last", "true");
    get(E "/past");
    assert_told("size", "20");
    get(E "/past?agentId=a&resultStatus=SUCCESS");
    assert_told("totalElements", "5");
    get(E "/past?agentId=a&projectId=p");
    assert_told("totalElements", "1");
    assert_told("content.0.resultStatus", "'CANCELLED'");
    get(E "/past?from=2026-01-05&to=2026-01-05");
    assert_told("totalElements", "7");
    get(E "/past?from=2026-01-06");
    assert_told("totalElements", "0");
    assert_told("empty", "true");
    get(E "/past?from=2026-01-05T10:00:03Z");
    assert_told("totalElements", "4");
    assert_refused(get(E "/past?resultStatus=OK"), 400, "invalid_field", "resultStatus");
    assert_refused(get(E "/past?from=2026-01-06&to=2026-01-05"), 400, "invalid_field", "from");
}

static void runs_of_other_apis_are_not_seen(void **state)
{
    (void)state;
    post("/api/v1/schedules", js("{'id':'n','action':{'type':'queue','queue':'q'}}"));
    post("/api/v1/schedules/n/trigger", "");
    take("q");
    report("complete", "");
    get(E "/past");
    assert_told("totalElements", "0");
    get(E "/metrics");
    assert_told("totalRuns", "0");
    assert_int_equal(get(js(E "/past/%s-1", id)), 404);
}

static void figures_match_the_history(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'CRON','cronExpr':'0 0 0 1 1 *'");
    schedule("b", ",'scheduleType':'CRON','cronExpr':'0 0 0 1 1 *',"
                  "'executorPolicy':{'maxAttempts':1}");
    run_once("a", 2 * SPAN_S, "complete", ",'llm':{'totalTokens':1000,'estimatedCostUsd':0.5}");
    run_once("a", 4 * SPAN_S, "complete", ",'llm':{'totalTokens':200,'estimatedCostUsd':0.25}");
    run_once("b", 6 * SPAN_S, "fail", ",'error':{'message':'x'}");
    assert_int_equal(get(E "/metrics"), 200);
    assert_told("totalRuns", "3");
    assert_told("successCount", "2");
    assert_told("failCount", "1");
    assert_told("avgDurationMs", "4000");
    assert_told("totalTokens", "1200");
    assert_told("estimatedCostUsd", "0.75");
    assert_told("runsByAgent", "{'a':2,'b':1}");
    get(E "/metrics?agentId=a&from=2026-01-05&to=2026-01-05");
    assert_told("totalRuns", "2");
    assert_told("avgDurationMs", "3000");
    assert_told("runsByAgent", "{'a':2}");
    get(E "/metrics?from=2026-01-06&to=2026-01-07");
    assert_told("totalRuns", "0");
    assert_told("avgDurationMs", "0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(plan_a_success_is_recorded_with_correct_metrics),
        SERVED(plan_attempts_beyond_the_most_are_cancelled_and_each_is_recorded),
        SERVED(plan_a_failure_is_retried_and_succeeds_with_attempt_2),
        SERVED(one_past_execution_is_shown),
        SERVED(filters_narrow_together_and_pages_are_counted),
        SERVED(runs_of_other_apis_are_not_seen),
        SERVED(figures_match_the_history),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
