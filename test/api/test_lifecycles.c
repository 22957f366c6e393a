/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedules and their runs in all APIs, from creation to deletion.
 */
#include "world.h"

#define NATIVE    "/api/v1/schedules"
#define CONDUCTOR "/api/scheduler/schedules"
#define AGENTS    "/api/schedules"
#define FUTURE    "/api/executions/future"
#define HOURLY    "'spec':{'cron':['0 * * * *']},'action':{'type':'queue','queue':'q'}"

enum { MANY = 1000, REASON_BYTES = 1000 };

static int claim(const char *queue, int max)
{
    assert_int_equal(
        post("/api/v1/queues/claim", js("{'queues':['%s'],'max':%d,'worker':'w'}", queue, max)),
        200);
    return (int)json_array_size(json_object_get(world.json, "runs"));
}

static void a_deleted_schedule_refuses_operations(void **state)
{
    static const char *const verbs[] = {"trigger", "pause", "resume", "test", "reset-failures"};

    (void)state;
    assert_int_equal(post(NATIVE, js("{'id':'s'," HOURLY "}")), 201);
    assert_int_equal(ask("DELETE " NATIVE "/s", NULL, NULL), 204);
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        assert_refused(post(js(NATIVE "/s/%s", verbs[i]), ""), 404, "not_found", "");
    assert_refused(post(NATIVE "/s/backfill", js("{'from':'2026-01-01T00:00:00Z',"
                                                 "'to':'2026-01-02T00:00:00Z'}")),
                   404, "not_found", "");
    assert_refused(ask("PATCH " NATIVE "/s", NULL, js("{'description':'x'}")), 404, "not_found",
                   "");
    pass_time(3 * SPAN_H);
    assert_int_equal(claim("q", 10), 0);
}

static void a_deleted_schedule_refuses_operations_in_other_apis(void **state)
{
    (void)state;
    assert_int_equal(post(CONDUCTOR, js("{'name':'c','cronExpression':'0 * * * * ?',"
                                        "'startWorkflowRequest':{'name':'wf'}}")),
                     200);
    assert_int_equal(ask("DELETE " CONDUCTOR "/c", NULL, NULL), 200);
    assert_int_equal(ask("PUT " CONDUCTOR "/c/pause", NULL, NULL), 404);
    assert_int_equal(ask("PUT " CONDUCTOR "/c/resume", NULL, NULL), 404);
    assert_int_equal(post(AGENTS, js("{'agentId':'a','scheduleType':'INTERVAL',"
                                     "'intervalMinutes':30}")),
                     201);
    assert_int_equal(ask("DELETE " AGENTS "/agent:a", NULL, ""), 204);
    assert_int_equal(ask("PUT " AGENTS "/agent:a", NULL, js("{'enabled':true}")), 404);
    assert_int_equal(ask("DELETE " AGENTS "/agent:a", NULL, ""), 404);
    pass_time(SPAN_H);
    assert_int_equal(claim("wf", 10), 0);
    assert_int_equal(claim("a", 10), 0);
}

static void a_pause_leaves_the_run_that_is_under_way(void **state)
{
    (void)state;
    assert_int_equal(post(NATIVE, js("{'id':'s'," HOURLY "}")), 201);
    pass_time(SPAN_H);
    assert_int_equal(claim("q", 1), 1);
    assert_int_equal(get(NATIVE "/s"), 200);
    assert_int_equal(post(NATIVE "/s/pause", js("{'reason':'for a while'}")), 200);
    assert_json("state.pausedReason", "'for a while'");
    assert_json("state.open", "1");
    pass_time(30 * SPAN_S);
    assert_int_equal(get("/api/v1/runs?schedule=s"), 200);
    assert_json("runs.0.state", "'leased'");
    assert_int_equal(
        post(js("/api/v1/runs/%s/complete", text_at("runs.0.id").ptr), js("{'fence':1}")), 200);
    assert_int_equal(get(NATIVE "/s"), 200);
    assert_json("state.counters.succeeded", "1");
    assert_json("state.status", "'paused'");
    pass_time(3 * SPAN_H);
    assert_int_equal(claim("q", 1), 0);
}

/* future_ttl is 48 hours, counted from the time of the item. */
static void a_cancelled_item_of_the_plan_is_shown_for_two_days(void **state)
{
    (void)state;
    assert_int_equal(post(AGENTS, js("{'agentId':'a','scheduleType':'FIXED_TIMES',"
                                     "'timesOfDay':['12:00'],'timezone':'UTC'}")),
                     201);
    get(FUTURE);
    assert_int_equal(post(js(FUTURE "/%s/cancel", text_at("0.executionId").ptr), ""), 200);
    for (int hour = 0; hour < 49; hour++)
        pass_time(SPAN_H); /* to 2026-01-07 11:00: 47 hours after its slot */
    get(FUTURE "?dateKey=2026-01-05");
    assert_json("0.execStatus", "'CANCELLED'");
    pass_time(SPAN_H + SPAN_MIN); /* 48 hours and a minute */
    get(FUTURE "?dateKey=2026-01-05");
    assert_json("", "[]");
    get(FUTURE);
    assert_json("0.dateKey", "'2026-01-07'"); /* the plan of today is not affected */
}

static void reasons_have_a_maximum_length(void **state)
{
    static char letters[REASON_BYTES + 2];

    (void)state;
    memset(letters, 'x', REASON_BYTES + 1);
    assert_int_equal(post(NATIVE, js("{'id':'s'," HOURLY ",'governor':{}}")), 201);
    assert_refused(post(NATIVE "/s/pause", js("{'reason':'%s'}", letters)), 422, "limit",
                   "reason");
    assert_refused(
        ask("PUT " NATIVE "/s/hint", NULL, js("{'interval':'5m','reason':'%s'}", letters)), 422,
        "limit", "reason");
    letters[REASON_BYTES] = '\0';
    assert_int_equal(post(NATIVE "/s/pause", js("{'reason':'%s'}", letters)), 200);
    assert_int_equal(text_at("state.pausedReason").len, REASON_BYTES);
    assert_int_equal(
        ask("PUT " NATIVE "/s/hint", NULL, js("{'interval':'5m','reason':'%s'}", letters)),
        200);
}

static void the_default_timeout_of_an_http_action_is_30_seconds(void **state)
{
    (void)state;
    assert_int_equal(
        post(NATIVE, js("{'id':'h','action':{'type':'http','url':'https://example.com/'}}")),
        201);
    assert_json("action.timeout", "'30s'");
    assert_json("action.method", "'POST'");
    assert_refused(post(NATIVE, js("{'action':{'type':'http','url':'https://example.com/',"
                                   "'timeout':'999ms'}}")),
                   400, "invalid_action", "action.timeout");
    assert_int_equal(post(NATIVE, js("{'action':{'type':'http','url':'https://example.com/',"
                                     "'timeout':'1s','method':'PUT','headers':{'X-A':'b'},"
                                     "'body':{'n':1}}}")),
                     201);
    assert_json("action.timeout", "'1s'");
    assert_json("action.method", "'PUT'");
    assert_json("action.headers", "{'X-A':'b'}");
    assert_json("action.body", "{'n':1}");
}

static void a_thousand_schedules_due_at_once_all_run_once(void **state)
{
    static char seen[MANY];
    struct str id;

    (void)state;
    for (int i = 0; i < MANY; i++)
        assert_int_equal(post(NATIVE, js("{'id':'s%03d'," HOURLY "}", i)), 201);
    pass_time(SPAN_H);
    assert_int_equal(claim("q", MANY), MANY);
    for (int i = 0; i < MANY; i++) {
        int number;

        assert_string_equal(json_at(js("runs.%d.slot", i)), "'2026-01-05T11:00:00.000Z'");
        id = text_at(js("runs.%d.schedule", i));
        number = (id.ptr[1] - '0') * 100 + (id.ptr[2] - '0') * 10 + (id.ptr[3] - '0');
        assert_int_equal(seen[number]++, 0);
    }
    assert_int_equal(claim("q", MANY), 0);
    assert_int_equal(get(NATIVE "?limit=1"), 200);
    assert_json("schedules.0.state.counters.started", "1");
}

/* All members of a report in the specification of the agents' API. */
static void the_report_of_an_agent_is_returned_completely(void **state)
{
    static const char llm[] = "{'provider':'anthropic','model':'m','promptTokens':900,"
                              "'completionTokens':300,'totalTokens':1200,'apiCalls':3,"
                              "'estimatedCostUsd':0.25}";
    static const char tools[] = "{'totalCalls':9,'readCalls':4,'writeCalls':3,'execCalls':2,"
                                "'failedCalls':1}";
    static const char refs[] = "{'threadIds':['t1'],'reminderIds':['r1','r2'],"
                               "'memoryIds':['m1'],'checklistIds':[]}";
    char id[64], fence[16];

    (void)state;
    assert_int_equal(post("/api/executions/trigger", js("{'agentId':'a'}")), 202);
    assert_int_equal(claim("a", 1), 1);
    snprintf(id, sizeof id, "%s", text_at("runs.0.id").ptr);
    snprintf(fence, sizeof fence, "%s", json_at("runs.0.fence"));
    assert_int_equal(post(js("/api/v1/runs/%s/complete", id),
                          js("{'fence':%s,'summary':'done','llm':%s,'tools':%s,'refs':%s,"
                             "'sessionId':'s-1','threadId':'t-1'}",
                             fence, llm, tools, refs)),
                     200);
    assert_int_equal(get("/api/executions/past?agentId=a"), 200);
    assert_json("content.0.llmMetrics", llm);
    assert_json("content.0.toolCallSummary", tools);
    assert_json("content.0.responseRefs", refs);
    assert_json("content.0.responseSummary", "'done'");
    assert_json("content.0.sessionId", "'s-1'");
    assert_json("content.0.threadId", "'t-1'");
    assert_int_equal(get(js("/api/v1/runs/%s", id)), 200);
    assert_json("llm", llm);
    assert_json("tools", tools);
    assert_json("refs", refs);
}

static void each_kind_of_input_that_agents_ask_for_reaches_them(void **state)
{
    static const char *const kinds[] = {"threads_since_last_run", "latest_intake_window", "all",
                                        "none"};

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        assert_int_equal(post(AGENTS, js("{'agentId':'a%zu','scheduleType':'IMMEDIATE',"
                                         "'inputsPolicy':{'inputType':'%s','windowMinutes':45,"
                                         "'threadFilter':'open'}}",
                                         i, kinds[i])),
                         201);
        assert_int_equal(claim(js("a%zu", i), 1), 1);
        assert_true(str_eq(text_at("runs.0.input.inputsPolicy.inputType"), str_of(kinds[i])));
        assert_json("runs.0.input.inputsPolicy.windowMinutes", "45");
        assert_json("runs.0.input.inputsPolicy.threadFilter", "'open'");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_deleted_schedule_refuses_operations),
        API_TEST(a_deleted_schedule_refuses_operations_in_other_apis),
        API_TEST(a_pause_leaves_the_run_that_is_under_way),
        API_TEST(a_cancelled_item_of_the_plan_is_shown_for_two_days),
        API_TEST(reasons_have_a_maximum_length),
        API_TEST(the_default_timeout_of_an_http_action_is_30_seconds),
        API_TEST(a_thousand_schedules_due_at_once_all_run_once),
        API_TEST(the_report_of_an_agent_is_returned_completely),
        API_TEST(each_kind_of_input_that_agents_ask_for_reaches_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
