/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The past executions of agents, and their results.
 *
 * Names of tests that begin with plan_ are lines of section 13 of the plan that the API
 * follows; those with example_ are from its section 10.
 */
#include "agents.h"

static char id[RUN_ID_TEXT_MAX];
static int held;

static void claim_run(const char *queue)
{
    assert_int_equal(
        post("/api/v1/queues/claim", js("{'queues':['%s'],'max':1,'worker':'w-1'}", queue)),
        200);
    assert_int_equal(world.call.grant_count, 1);
    held = (int)world.call.grants[0].run.fence;
    snprintf(id, sizeof id, "%s", text_at("runs.0.id").ptr);
}

/* Reports complete or fail, with `more` members of the item. */
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
    claim_run(agent);
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
    claim_run("thread-extractor");
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
    assert_int_equal(get(E "/future"), 200); /* the item is gone; 17:00 remains */
    assert_told("0.plannedHour", "17");
    assert_told("1", "absent");
}

static void plan_attempts_beyond_the_most_are_cancelled_and_each_is_recorded(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['11:00'],'timezone':'UTC'");
    pass(SPAN_H);
    for (int i = 0; i < 3; i++) {
        claim_run("a");
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
    claim_run("a");
    report("fail", ",'error':{'message':'x'}");
    pass(61 * SPAN_S);
    claim_run("a");
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

/* More attempts than one read returns. */
static void many_are_counted_and_told_in_pages(void **state)
{
    struct err err = {.text = ""};

    (void)state;
    run_once("a", SPAN_S, "complete", "");
    if (db_exec(world.db,
                STR("INSERT INTO history (id, schedule, slot, pass, attempt, fence, bits,"
                    " outcome, reason, last, due, created_at, started_at, ended_at, expire_at,"
                    " queue, node) SELECT h.id - v.n, h.schedule, h.slot, h.pass, 1, 1, h.bits,"
                    " h.outcome, 0, 1, h.due, h.created_at, h.started_at + (v.n % 7) * 1000000,"
                    " h.ended_at, h.expire_at, h.queue, h.node FROM history AS h, (WITH"
                    " RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n <"
                    " 24999) SELECT n FROM r) AS v"),
                &err) != RC_OK)
        fail_msg("%s", err.text);
    get(E "/past?size=1000&page=24");
    assert_told("totalElements", "25000");
    assert_told("totalPages", "25");
    assert_told("last", "true");
    assert_told("content.999.startedAt", "'2026-01-05T10:00:00.000Z'");
    get(E "/past?size=1");
    assert_told("content.0.startedAt", "'2026-01-05T10:00:06.000Z'");
}

/* In parallel: the first to start is the last to end. */
static void the_latest_begin_is_the_first(void **state)
{
    static const char *const agents[] = {"c", "b", "a"};
    struct {
        char id[RUN_ID_TEXT_MAX];
        int fence;
    } runs[3];

    (void)state;
    for (int i = 0; i < 3; i++) {
        post(E "/trigger", js("{'agentId':'%s'}", agents[i]));
        claim_run(agents[i]);
        snprintf(runs[i].id, sizeof runs[i].id, "%s", id);
        runs[i].fence = held;
        pass(SPAN_S);
    }
    for (int i = 2; i >= 0; i--) {
        snprintf(id, sizeof id, "%s", runs[i].id);
        held = runs[i].fence;
        report("complete", "");
        pass(SPAN_S);
    }
    get(E "/past?size=2");
    assert_told("totalElements", "3");
    assert_told("content.0.agentId", "'a'");
    assert_told("content.0.startedAt", "'2026-01-05T10:00:02.000Z'");
    assert_told("content.1.agentId", "'b'");
    get(E "/past?size=2&page=1");
    assert_told("content.0.agentId", "'c'");
    assert_told("content.0.endedAt", "'2026-01-05T10:00:05.000Z'");
    get(E "/past?from=2026-01-05T10:00:01Z&to=2026-01-05T10:00:02Z");
    assert_told("totalElements", "1"); /* by their starts too */
    assert_told("content.0.agentId", "'b'");
}

static void runs_of_other_apis_are_not_seen(void **state)
{
    (void)state;
    post("/api/v1/schedules", js("{'id':'n','action':{'type':'queue','queue':'q'}}"));
    post("/api/v1/schedules/n/trigger", "");
    claim_run("q");
    report("complete", "");
    world.is_lines = true;
    post("/api/workflow/q", "{}"); /* a Conductor run without a schedule */
    world.is_lines = false;
    claim_run("q");
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
    run_once("alone", 6 * SPAN_S, "complete", ",'llm':{'totalTokens':1}"); /* no schedule */
    get(E "/metrics");
    assert_told("totalRuns", "4");
    assert_told("successCount", "3");
    assert_told("avgDurationMs", "4500");
    assert_told("totalTokens", "1201");
    assert_told("runsByAgent", "{'a':2,'b':1,'alone':1}");
    get(E "/metrics?agentId=alone");
    assert_told("totalRuns", "1");
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
        SERVED(many_are_counted_and_told_in_pages),
        SERVED(the_latest_begin_is_the_first),
        SERVED(runs_of_other_apis_are_not_seen),
        SERVED(figures_match_the_history),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
