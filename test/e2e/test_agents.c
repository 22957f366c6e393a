/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of the agents' API with agents that claim their runs.
 *
 * Tests whose names begin with plan_ are cases of the specification of the API: see
 * test/mission/agents.txt.
 */
#include "peers/listen.h"

#define S     "/api/schedules"
#define E     "/api/executions"
#define CLAIM "/api/v1/queues/claim"

static const json_t *claim_run(struct server *d, const char *agent)
{
    return at(api(d, 200, "POST", CLAIM, "{'queues':['%s'],'wait':'30s','worker':'w'}", agent),
              "runs[0]");
}

static void report(struct server *d, const char *verb, const json_t *run, const char *more)
{
    char path[256];

    snprintf(path, sizeof path, "/api/v1/runs/%s/%s", text_at(run, "id"), verb);
    api(d, 200, "POST", path, "{'fence':%lld%s}", (long long)number_at(run, "fence"), more);
}

/* Runs every second, so that the test does not have to wait for a minute. */
static void plan_full_cycle_from_the_schedule_to_the_past_execution(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *run, *past;

    api(d, 201, "POST", S,
        "{'agentId':'a','scheduleType':'CRON','cronExpr':'* * * * * *','timezone':'UTC',"
        "'projectScope':'PROJECT','projectId':'p','inputsPolicy':{'inputType':'all'}}");
    run = claim_run(d, "a");
    assert_string_equal(text_at(run, "input.inputsPolicy.inputType"), "all");
    report(d, "heartbeat", run, "");
    report(d, "complete", run,
           ",'summary':'done','sessionId':'s-1','threadId':'t-1',"
           "'refs':{'reminderIds':['r1']},'llm':{'totalTokens':30}");
    past = api(d, 200, "GET", E "/past?agentId=a&projectId=p&resultStatus=SUCCESS", NULL);
    assert_string_equal(text_at(past, "content[0].executionId"), text_at(run, "id"));
    assert_string_equal(text_at(past, "content[0].responseSummary"), "done");
    assert_string_equal(text_at(past, "content[0].sessionId"), "s-1");
    assert_string_equal(text_at(past, "content[0].threadId"), "t-1");
    assert_int_equal(number_at(past, "content[0].attempt"), 1);
    assert_int_equal(server_stop(d), 0);
}

/* A waiting claim gets the run at once; it waits at most five seconds. */
static void plan_a_manual_trigger_is_picked_up_within_5_s(void **state)
{
    struct server *d = server_start(*state, NULL);
    int fd = request_begin(d, "POST", CLAIM, "{'queues':['a'],'wait':'5s','worker':'w'}");
    const json_t *item = api(d, 202, "POST", E "/trigger", "{'agentId':'a'}"), *run;

    run = at(request_end(d, fd).json, "runs[0]");
    assert_string_equal(text_at(run, "id"), text_at(item, "executionId"));
    report(d, "complete", run, "");
    assert_int_equal(number_at(api(d, 200, "GET", E "/past?agentId=a", NULL), "totalElements"),
                     1);
    assert_int_equal(server_stop(d), 0);
}

static void plan_a_schedule_update_cancels_the_old_and_creates_the_new(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *items;

    api(d, 201, "POST", S,
        "{'agentId':'a','scheduleType':'FIXED_TIMES','timesOfDay':['09:00','17:00'],"
        "'timezone':'UTC'}");
    items = api(d, 200, "GET", E "/future?dateKey=2099-01-01", NULL);
    assert_int_equal(json_array_size(items), 2);
    api(d, 200, "PUT", S "/agent:a", "{'timesOfDay':['13:00','17:00']}");
    items = api(d, 200, "GET", E "/future?dateKey=2099-01-01", NULL);
    assert_int_equal(json_array_size(items), 2);
    assert_int_equal(number_at(items, "[0].plannedHour"), 13);
    assert_int_equal(number_at(items, "[1].plannedHour"), 17);
    assert_int_equal(server_stop(d), 0);
}

static void plan_a_failure_is_claimed_again_and_succeeds_on_attempt_2(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *run, *item;
    char id[64];

    api(d, 201, "POST", S,
        "{'agentId':'a','scheduleType':'IMMEDIATE','executorPolicy':{'retryBackoffMs':300}}");
    run = claim_run(d, "a");
    snprintf(id, sizeof id, "%s", text_at(run, "id"));
    report(d, "fail", run, ",'error':{'code':'TOOL_FAILURE','message':'x'}");
    item = api(d, 200, "GET", E "/future?execStatus=FAILED_RETRYABLE", NULL);
    if (json_array_size(item) == 1) /* unless the retry was already due */
        assert_string_equal(text_at(item, "[0].executionId"), id);
    run = claim_run(d, "a");
    assert_string_equal(text_at(run, "id"), id);
    assert_int_equal(number_at(run, "attempt"), 2);
    report(d, "complete", run, "");
    item = api(d, 200, "GET", E "/past", NULL);
    assert_int_equal(number_at(item, "totalElements"), 2);
    assert_string_equal(text_at(item, "content[0].resultStatus"), "SUCCESS");
    assert_int_equal(number_at(item, "content[0].attempt"), 2);
    assert_string_equal(text_at(item, "content[1].resultStatus"), "FAIL");
    assert_string_equal(text_at(item, "content[1].errorCode"), "TOOL_FAILURE");
    assert_int_equal(server_stop(d), 0);
}

static void plan_of_concurrent_claims_only_one_wins(void **state)
{
    enum { RACES = 10, RACERS = 4 };
    struct server *d = server_start(*state, NULL);

    api(d, 201, "POST", S,
        "{'agentId':'a','scheduleType':'FIXED_TIMES','timesOfDay':['00:00'],"
        "'executorPolicy':{'maxConcurrent':100}}");
    for (int race = 0; race < RACES; race++) {
        int fds[RACERS], won = 0;

        api(d, 202, "POST", E "/trigger", "{'agentId':'a'}");
        for (int i = 0; i < RACERS; i++)
            fds[i] = request_begin(d, "POST", CLAIM, "{'queues':['a'],'max':1,'worker':'w%d'}",
                                   i);
        for (int i = 0; i < RACERS; i++)
            won += (int)json_array_size(at(request_end(d, fds[i]).json, "runs"));
        assert_int_equal(won, 1);
    }
    assert_int_equal(server_stop(d), 0);
}

/* The planner's state survives a restart: row 140 of test/mission/rows.txt. */
static void the_planner_knows_after_a_restart_when_it_last_planned(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *before, *after;

    api(d, 201, "POST", S,
        "{'agentId':'a','scheduleType':'INTERVAL','intervalMinutes':60,"
        "'timezone':'Pacific/Kiritimati'}");
    before = api(d, 200, "GET", E "/planner", NULL);
    assert_non_null(at(before, "lastMidnightRebuilds.Pacific/Kiritimati"));
    server_kill(d);
    d = server_restart(d, NULL);
    after = api(d, 200, "GET", E "/planner", NULL);
    assert_true(json_equal(json_object_get(before, "lastMidnightRebuilds"),
                           json_object_get(after, "lastMidnightRebuilds")));
    assert_true(strcmp(text_at(after, "lastReconcileAt"), text_at(before, "lastReconcileAt")) >=
                0);
    assert_int_equal(server_stop(d), 0);
}

/* The answer has the warning too, see test/api.  Rows 166 and 185 of test/mission/rows.txt. */
static void the_log_warns_of_agents_that_run_very_often(void **state)
{
    struct server *d = server_start(*state, NULL);

    api(d, 201, "POST", S,
        "{'agentId':'a','scheduleType':'CRON','cronExpr':'*/10 * * * * *','enabled':true}");
    server_await(d, "msg=\"schedule has a warning\" namespace=default "
                    "schedule=agent:a reason=\"agent \\\"a\\\" has 8640 runs a day");
    assert_int_equal(server_stop(d), 0);
}

/* ---- events ---- */

/* The stream must have sent the same events as the pages. */
static void assert_received_all(struct server *d, const struct listener *l)
{
    const json_t *all = at(api(d, 200, "GET", E "/events?limit=1000", NULL), "events");

    assert_int_equal(json_array_size(all), l->count - 1);
    for (int i = 1; i < l->count; i++) {
        const json_t *event = json_array_get(all, (size_t)i - 1);

        assert_true(json_equal(l->events[i].data, event));
        assert_string_equal(l->events[i].name, text_at(event, "type"));
        assert_string_equal(l->events[i].id, text_at(event, "eventId"));
    }
}

/* A second client gets the same events from the native API. */
static void the_events_of_an_execution_are_sent_in_order(void **state)
{
    static const char *const names[] = {"begin",        "SCHEDULE_CREATED", "EXEC_PLANNED",
                                        "EXEC_CLAIMED", "EXEC_STARTED",     "EXEC_RETRYING",
                                        "EXEC_CLAIMED", "EXEC_STARTED",     "EXEC_FINISHED"};
    enum { COUNT = sizeof names / sizeof names[0] };
    struct server *d = server_start(*state, NULL);
    struct listener *agents = listen_open(d, E "/events", NULL);
    struct listener *other = listen_open(d, E "/events?agentId=b", NULL);
    struct listener *native = listen_open(d, "/api/v1/events", NULL);
    const json_t *run;

    listen_await(agents, 1);
    listen_await(other, 1);
    listen_await(native, 1);
    api(d, 201, "POST", S,
        "{'agentId':'a','scheduleType':'IMMEDIATE','executorPolicy':{'retryBackoffMs':10}}");
    run = claim_run(d, "a");
    report(d, "heartbeat", run, "");
    report(d, "fail", run, ",'error':{'message':'x'}");
    run = claim_run(d, "a");
    report(d, "heartbeat", run, "");
    report(d, "complete", run, "");
    listen_await(agents, COUNT);
    for (int i = 0; i < COUNT; i++)
        assert_string_equal(agents->events[i].name, names[i]);
    assert_received_all(d, agents);
    listen_await(native, COUNT);
    assert_string_equal(native->events[2].name, "run.ready");
    api(d, 202, "POST", E "/trigger", "{'agentId':'b'}");
    listen_await(other, 2);
    assert_string_equal(other->events[1].name, "EXEC_PLANNED");
    assert_int_equal(server_stop(d), 0);
    listen_close(agents);
    listen_close(other);
    listen_close(native);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(plan_full_cycle_from_the_schedule_to_the_past_execution),
        E2E_TEST(plan_a_manual_trigger_is_picked_up_within_5_s),
        E2E_TEST(plan_a_schedule_update_cancels_the_old_and_creates_the_new),
        E2E_TEST(plan_a_failure_is_claimed_again_and_succeeds_on_attempt_2),
        E2E_TEST(plan_of_concurrent_claims_only_one_wins),
        E2E_TEST(the_planner_knows_after_a_restart_when_it_last_planned),
        E2E_TEST(the_log_warns_of_agents_that_run_very_often),
        E2E_TEST(the_events_of_an_execution_are_sent_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
