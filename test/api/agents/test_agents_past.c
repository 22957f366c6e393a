/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The past executions of agents, and their results.
 *
 * Tests whose names begin with plan_ are rows of test/mission/agents.txt.
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
    assert_json("results.0.status", "'ok'");
}

static void run_once(const char *agent, span time, const char *how, const char *more)
{
    assert_int_equal(post(EXECUTIONS "/trigger", js("{'agentId':'%s'}", agent)), 202);
    claim_run(agent);
    pass_time(time);
    report(how, more);
}

static void plan_a_success_is_recorded_with_correct_metrics(void **state)
{
    (void)state;
    schedule("thread-extractor", ",'scheduleType':'FIXED_TIMES',"
                                 "'timesOfDay':['09:00','17:00'],"
                                 "'timezone':'America/Denver'");
    pass_time(6 * SPAN_H);
    claim_run("thread-extractor");
    pass_time(45 * SPAN_S);
    report("complete", ",'summary':'3 reminders','refs':{'reminderIds':['r1','r2','r3']},"
                       "'llm':{'provider':'anthropic','totalTokens':1200,"
                       "'estimatedCostUsd':0.25},'tools':{'totalCalls':4},"
                       "'sessionId':'s-1','threadId':'t-1'");
    assert_int_equal(get(EXECUTIONS "/past"), 200);
    assert_json("totalElements", "1");
    assert_json("content.0.agentId", "'thread-extractor'");
    assert_json("content.0.projectId", "null");
    assert_json("content.0.scheduleId", "'agent:thread-extractor'");
    assert_json("content.0.scheduledAt", "'2026-01-05T16:00:00.000Z'");
    assert_json("content.0.startedAt", "'2026-01-05T16:00:00.000Z'");
    assert_json("content.0.endedAt", "'2026-01-05T16:00:45.000Z'");
    assert_json("content.0.durationMs", "45000");
    assert_json("content.0.resultStatus", "'SUCCESS'");
    assert_json("content.0.errorCode", "null");
    assert_json("content.0.responseSummary", "'3 reminders'");
    assert_json("content.0.responseRefs", "{'reminderIds':['r1','r2','r3']}");
    assert_json("content.0.llmMetrics.totalTokens", "1200");
    assert_json("content.0.toolCallSummary", "{'totalCalls':4}");
    assert_json("content.0.sessionId", "'s-1'");
    assert_json("content.0.threadId", "'t-1'");
    assert_json("content.0.attempt", "1");
    assert_true(str_eq(text_at("content.0.executionId"), str_of(id)));
    assert_int_equal(get(EXECUTIONS "/future"), 200); /* the item is gone; 17:00 remains */
    assert_json("0.plannedHour", "17");
    assert_json("1", "absent");
}

static void plan_after_the_last_attempt_the_item_is_cancelled(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['11:00'],'timezone':'UTC'");
    pass_time(SPAN_H);
    for (int i = 0; i < 3; i++) {
        claim_run("a");
        report("fail", ",'error':{'code':'LLM_TIMEOUT','message':'no answer'}");
        pass_time(61 * SPAN_S);
    }
    assert_int_equal(get(EXECUTIONS "/past?resultStatus=FAIL"), 200);
    assert_json("totalElements", "3");
    assert_json("content.0.attempt", "3");
    assert_json("content.2.attempt", "1");
    assert_json("content.0.errorCode", "'LLM_TIMEOUT'");
    assert_json("content.0.errorMessage", "'no answer'");
    get(EXECUTIONS "/future");
    assert_json("0.execStatus", "'CANCELLED'");
    assert_json("0.attempt", "3");
}

static void exhaust(const char *agent)
{
    for (int i = 0; i < 3; i++) {
        claim_run(agent);
        report("fail", ",'error':{'message':'x'}");
        pass_time(61 * SPAN_S);
    }
}

/* Seed 003: attempt >= maxAttempts: execStatus = CANCELLED; after 48 h the item is gone. */
static void the_item_of_an_exhausted_immediate_run_is_cancelled_not_gone(void **state)
{
    char last[RUN_ID_TEXT_MAX];

    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE','timezone':'UTC'");
    exhaust("a");
    snprintf(last, sizeof last, "%s", id);
    get(EXECUTIONS "/future");
    assert_int_equal(count(), 1);
    assert_string_equal(text_at("0.executionId").ptr, last);
    assert_json("0.execStatus", "'CANCELLED'");
    assert_json("0.attempt", "3");
    assert_json("0.plannedHour", "-1");
    assert_json("0.priority", "8");
    assert_json("0.scheduleId", "'agent:a'");
    post(EXECUTIONS "/trigger", js("{'agentId':'a'}"));
    claim_run("a");
    report("complete", "");
    get(EXECUTIONS "/future"); /* one that succeeds is gone */
    assert_int_equal(count(), 1);
    assert_string_equal(text_at("0.executionId").ptr, last);
    get(EXECUTIONS "/future?execStatus=READY");
    assert_int_equal(count(), 0);
    get(EXECUTIONS "/future?dateKey=2026-01-06");
    assert_int_equal(count(), 0);
    pass_time(47 * SPAN_H);
    get(EXECUTIONS "/future?dateKey=2026-01-05");
    assert_int_equal(count(), 1);
    pass_time(2 * SPAN_H);
    get(EXECUTIONS "/future?dateKey=2026-01-05");
    assert_int_equal(count(), 0);
}

static void the_item_of_an_exhausted_run_without_a_schedule_is_cancelled(void **state)
{
    (void)state;
    post(EXECUTIONS "/trigger", js("{'agentId':'lonely','projectId':'p'}"));
    exhaust("lonely");
    get(EXECUTIONS "/future");
    assert_int_equal(count(), 1);
    assert_string_equal(text_at("0.executionId").ptr, id);
    assert_json("0.execStatus", "'CANCELLED'");
    assert_json("0.attempt", "3");
    assert_json("0.projectId", "'p'");
    assert_json("0.scheduleId", "null");
    get(EXECUTIONS "/future?agentId=other");
    assert_int_equal(count(), 0);
}

static void plan_a_failure_is_retried_and_succeeds_with_attempt_2(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE'");
    claim_run("a");
    report("fail", ",'error':{'message':'x'}");
    pass_time(61 * SPAN_S);
    claim_run("a");
    report("complete", "");
    get(EXECUTIONS "/past");
    assert_json("content.0.resultStatus", "'SUCCESS'");
    assert_json("content.0.attempt", "2");
    assert_json("content.1.resultStatus", "'FAIL'");
    assert_json("content.1.attempt", "1");
}

static void one_past_execution_is_shown(void **state)
{
    char past[64];

    (void)state;
    run_once("a", SPAN_S, "complete", ",'summary':'fine'");
    get(EXECUTIONS "/past");
    snprintf(past, sizeof past, "%s", text_at("content.0.pastExecutionId").ptr);
    assert_int_equal(get(js(EXECUTIONS "/past/%s", past)), 200);
    assert_json("responseSummary", "'fine'");
    assert_json("agentId", "'a'");
    assert_json("scheduleId", "null");
    assert_int_equal(get(js(EXECUTIONS "/past/%s", id)), 404);
    assert_int_equal(get(js(EXECUTIONS "/past/%s-9", id)), 404);
    assert_int_equal(get(EXECUTIONS "/past/x"), 404);
}

static void filters_are_combined_and_pages_are_counted(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++)
        run_once("a", SPAN_S, "complete", "");
    run_once("b", SPAN_S, "complete", "");
    post(EXECUTIONS "/trigger", js("{'agentId':'a','projectId':'p'}"));
    snprintf(id, sizeof id, "%s", text_at("executionId").ptr);
    post(js(EXECUTIONS "/future/%s/cancel", id), "");
    get(EXECUTIONS "/past?size=3");
    assert_json("totalElements", "7");
    assert_json("totalPages", "3");
    assert_json("number", "0");
    assert_json("size", "3");
    assert_json("first", "true");
    assert_json("last", "false");
    assert_json("numberOfElements", "3");
    get(EXECUTIONS "/past?size=3&page=2");
    assert_json("numberOfElements", "1");
    assert_json("last", "true");
    get(EXECUTIONS "/past");
    assert_json("size", "20");
    get(EXECUTIONS "/past?agentId=a&resultStatus=SUCCESS");
    assert_json("totalElements", "5");
    get(EXECUTIONS "/past?agentId=a&projectId=p");
    assert_json("totalElements", "1");
    assert_json("content.0.resultStatus", "'CANCELLED'");
    get(EXECUTIONS "/past?from=2026-01-05&to=2026-01-05");
    assert_json("totalElements", "7");
    get(EXECUTIONS "/past?from=2026-01-06");
    assert_json("totalElements", "0");
    assert_json("empty", "true");
    get(EXECUTIONS "/past?from=2026-01-05T10:00:03Z");
    assert_json("totalElements", "4");
    assert_refused(get(EXECUTIONS "/past?resultStatus=OK"), 400, "invalid_field",
                   "resultStatus");
    assert_refused(get(EXECUTIONS "/past?from=2026-01-06&to=2026-01-05"), 400, "invalid_field",
                   "from");
}

/* More attempts than one read returns. */
static void many_attempts_are_counted_and_paged(void **state)
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
    get(EXECUTIONS "/past?size=1000&page=24");
    assert_json("totalElements", "25000");
    assert_json("totalPages", "25");
    assert_json("last", "true");
    assert_json("content.999.startedAt", "'2026-01-05T10:00:00.000Z'");
    get(EXECUTIONS "/past?size=1");
    assert_json("content.0.startedAt", "'2026-01-05T10:00:06.000Z'");
}

/* In parallel: the first to start is the last to end. */
static void past_executions_are_sorted_by_start_newest_first(void **state)
{
    static const char *const agents[] = {"c", "b", "a"};
    struct {
        char id[RUN_ID_TEXT_MAX];
        int fence;
    } runs[3];

    (void)state;
    for (int i = 0; i < 3; i++) {
        post(EXECUTIONS "/trigger", js("{'agentId':'%s'}", agents[i]));
        claim_run(agents[i]);
        snprintf(runs[i].id, sizeof runs[i].id, "%s", id);
        runs[i].fence = held;
        pass_time(SPAN_S);
    }
    for (int i = 2; i >= 0; i--) {
        snprintf(id, sizeof id, "%s", runs[i].id);
        held = runs[i].fence;
        report("complete", "");
        pass_time(SPAN_S);
    }
    get(EXECUTIONS "/past?size=2");
    assert_json("totalElements", "3");
    assert_json("content.0.agentId", "'a'");
    assert_json("content.0.startedAt", "'2026-01-05T10:00:02.000Z'");
    assert_json("content.1.agentId", "'b'");
    get(EXECUTIONS "/past?size=2&page=1");
    assert_json("content.0.agentId", "'c'");
    assert_json("content.0.endedAt", "'2026-01-05T10:00:05.000Z'");
    get(EXECUTIONS "/past?from=2026-01-05T10:00:01Z&to=2026-01-05T10:00:02Z");
    assert_json("totalElements", "1"); /* by their starts too */
    assert_json("content.0.agentId", "'b'");
}

static void runs_of_other_apis_are_not_seen(void **state)
{
    (void)state;
    post("/api/v1/schedules", js("{'id':'n','action':{'type':'queue','queue':'q'}}"));
    post("/api/v1/schedules/n/trigger", "");
    claim_run("q");
    report("complete", "");
    world.may_be_text = true;
    post("/api/workflow/q", "{}"); /* a Conductor run without a schedule */
    world.may_be_text = false;
    claim_run("q");
    report("complete", "");
    get(EXECUTIONS "/past");
    assert_json("totalElements", "0");
    get(EXECUTIONS "/metrics");
    assert_json("totalRuns", "0");
    assert_int_equal(get(js(EXECUTIONS "/past/%s-1", id)), 404);
}

static void metrics_match_the_history(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'CRON','cronExpr':'0 0 0 1 1 *'");
    schedule("b", ",'scheduleType':'CRON','cronExpr':'0 0 0 1 1 *',"
                  "'executorPolicy':{'maxAttempts':1}");
    run_once("a", 2 * SPAN_S, "complete", ",'llm':{'totalTokens':1000,'estimatedCostUsd':0.5}");
    run_once("a", 4 * SPAN_S, "complete", ",'llm':{'totalTokens':200,'estimatedCostUsd':0.25}");
    run_once("b", 6 * SPAN_S, "fail", ",'error':{'message':'x'}");
    assert_int_equal(get(EXECUTIONS "/metrics"), 200);
    assert_json("totalRuns", "3");
    assert_json("successCount", "2");
    assert_json("failCount", "1");
    assert_json("avgDurationMs", "4000");
    assert_json("totalTokens", "1200");
    assert_json("estimatedCostUsd", "0.75");
    assert_json("runsByAgent", "{'a':2,'b':1}");
    get(EXECUTIONS "/metrics?agentId=a&from=2026-01-05&to=2026-01-05");
    assert_json("totalRuns", "2");
    assert_json("avgDurationMs", "3000");
    assert_json("runsByAgent", "{'a':2}");
    run_once("alone", 6 * SPAN_S, "complete", ",'llm':{'totalTokens':1}"); /* no schedule */
    get(EXECUTIONS "/metrics");
    assert_json("totalRuns", "4");
    assert_json("successCount", "3");
    assert_json("avgDurationMs", "4500");
    assert_json("totalTokens", "1201");
    assert_json("runsByAgent", "{'a':2,'b':1,'alone':1}");
    get(EXECUTIONS "/metrics?agentId=alone");
    assert_json("totalRuns", "1");
    get(EXECUTIONS "/metrics?from=2026-01-06&to=2026-01-07");
    assert_json("totalRuns", "0");
    assert_json("avgDurationMs", "0");
}

/* Seed 003: every attempt is a past execution, and a failed one has its metrics, too. */
static void metrics_include_failed_attempts_and_their_tokens(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'CRON','cronExpr':'0 0 0 1 1 *'");
    run_once("a", 2 * SPAN_S, "fail",
             ",'error':{'code':'LLM_TIMEOUT','message':'slow'},'summary':'half done',"
             "'llm':{'promptTokens':60,'completionTokens':40,'estimatedCostUsd':0.5},"
             "'tools':{'totalCalls':2,'failedCalls':1},'refs':{'ticketIds':['T-1']},"
             "'sessionId':'s-1','threadId':'t-1'");
    get(EXECUTIONS "/past");
    assert_json("totalElements", "1");
    assert_json("content.0.resultStatus", "'FAIL'");
    assert_json("content.0.errorCode", "'LLM_TIMEOUT'");
    assert_json("content.0.responseSummary", "'half done'");
    assert_json("content.0.responseRefs", "{'ticketIds':['T-1']}");
    assert_json("content.0.llmMetrics.promptTokens", "60");
    assert_json("content.0.toolCallSummary.failedCalls", "1");
    assert_json("content.0.sessionId", "'s-1'");
    assert_json("content.0.threadId", "'t-1'");
    get(EXECUTIONS "/metrics");
    assert_json("totalRuns", "1");
    assert_json("successCount", "0");
    assert_json("failCount", "1");
    assert_json("totalTokens", "100");
    assert_json("estimatedCostUsd", "0.5");
    pass_time(61 * SPAN_S);
    claim_run("a");
    report("complete", ",'llm':{'totalTokens':11}");
    get(EXECUTIONS "/past");
    assert_json("totalElements", "2");
    get(EXECUTIONS "/metrics");
    assert_json("totalRuns", "2");
    assert_json("successCount", "1");
    assert_json("failCount", "1");
    assert_json("totalTokens", "111");
    assert_json("runsByAgent", "{'a':2}");
}

/* Each number is limited before they are added: their sum may not overflow. */
static void numbers_of_tokens_are_limited(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'CRON','cronExpr':'0 0 0 1 1 *'");
    run_once("a", SPAN_S, "complete",
             ",'llm':{'promptTokens':9223372036854775807,"
             "'completionTokens':9223372036854775807}");
    get(EXECUTIONS "/metrics");
    assert_json("totalTokens", "1000000000");
    run_once("a", SPAN_S, "complete", ",'llm':{'promptTokens':-5,'completionTokens':7}");
    get(EXECUTIONS "/metrics");
    assert_json("totalTokens", "1000000007");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(plan_a_success_is_recorded_with_correct_metrics),
        API_TEST(plan_after_the_last_attempt_the_item_is_cancelled),
        API_TEST(the_item_of_an_exhausted_immediate_run_is_cancelled_not_gone),
        API_TEST(the_item_of_an_exhausted_run_without_a_schedule_is_cancelled),
        API_TEST(plan_a_failure_is_retried_and_succeeds_with_attempt_2),
        API_TEST(one_past_execution_is_shown),
        API_TEST(filters_are_combined_and_pages_are_counted),
        API_TEST(many_attempts_are_counted_and_paged),
        API_TEST(past_executions_are_sorted_by_start_newest_first),
        API_TEST(runs_of_other_apis_are_not_seen),
        API_TEST(metrics_match_the_history),
        API_TEST(metrics_include_failed_attempts_and_their_tokens),
        API_TEST(numbers_of_tokens_are_limited),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
