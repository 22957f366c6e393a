/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches of schedules and executions, previews and lists of Conductor's API.  Tests whose
 * names begin with s_, m_ or h_ are rows of test/mission/conductor.txt.
 */
#include "conductor.h"

#define FIND "/api/scheduler/schedules/search"
#define RUNS "/api/scheduler/search/executions"
#define NEXT "/api/scheduler/nextFewSchedules"

static void save_of(const char *name, const char *workflow, const char *more)
{
    assert_int_equal(post(SCHEDULES, js("{'name':'%s','cronExpression':'0 * * * * ?',"
                                        "'startWorkflowRequest':{'name':'%s'}%s}",
                                        name, workflow, more)),
                     200);
    world.now += SPAN_S;
}

/* Created in the order beta, Alpha, gamma; Alpha is paused. */
static void make_three(void)
{
    save_of("beta-job", "two", "");
    save_of("Alpha-job", "one", ",'paused':true");
    save_of("gamma", "two", "");
}

/* The total and the names that a search finds, "2: a b". */
static const char *names_of(const char *target)
{
    static char text[256];
    struct buf out = BUF(text);
    const json_t *results;

    assert_int_equal(get(target), 200);
    results = json_object_get(world.json, "results");
    buf_printf(&out, "%s:", json_at("totalHits"));
    for (size_t i = 0; i < json_array_size(results); i++)
        buf_printf(&out, " %s",
                   json_string_value(json_object_get(json_array_get(results, i), "name")));
    return text;
}

#define assert_names(target, expected) assert_string_equal(names_of(target), expected)

/* ---- schedules ---- */

static void m_search_of_nothing_is_empty(void **state)
{
    (void)state;
    assert_int_equal(get(FIND), 200);
    assert_json("", "{'totalHits':0,'results':[]}");
}

static void m_search_without_a_filter_has_all_by_name(void **state)
{
    (void)state;
    make_three();
    assert_names(FIND, "3: Alpha-job beta-job gamma");
    assert_names(FIND "?freeText=*", "3: Alpha-job beta-job gamma");
    assert_names(FIND "?freeText=&sort=&scheduleName=&name=&paused=",
                 "3: Alpha-job beta-job gamma");
}

static void m_search_by_workflow_is_exact(void **state)
{
    (void)state;
    make_three();
    assert_names(FIND "?workflowName=two", "2: beta-job gamma");
    assert_names(FIND "?workflowName=TWO", "0:");
    assert_names(FIND "?workflowName=tw", "0:");
}

static void m_search_by_name_is_a_part_in_any_case(void **state)
{
    (void)state;
    make_three();
    assert_names(FIND "?scheduleName=JOB", "2: Alpha-job beta-job");
    assert_names(FIND "?name=alpha", "1: Alpha-job");
    assert_names(FIND "?freeText=MM", "1: gamma");
    assert_names(FIND "?scheduleName=%25", "0:"); /* % is an ordinary character */
    assert_names(FIND "?scheduleName=_", "0:");
}

static void m_search_by_pause(void **state)
{
    (void)state;
    make_three();
    assert_names(FIND "?paused=true", "1: Alpha-job");
    assert_names(FIND "?paused=false", "2: beta-job gamma");
}

static void m_pages_have_the_count_of_all(void **state)
{
    (void)state;
    make_three();
    assert_names(FIND "?start=0&size=2", "3: Alpha-job beta-job");
    assert_names(FIND "?start=2&size=2", "3: gamma");
    assert_names(FIND "?start=9&size=2", "3:");
    assert_names(FIND "?start=0&size=0", "3:");
    assert_int_equal(get(FIND "?start=x"), 400);
    assert_int_equal(get(FIND "?size=-1"), 400);
    assert_int_equal(get(FIND "?paused=perhaps"), 400);
}

static void m_search_in_an_order(void **state)
{
    (void)state;
    make_three();
    assert_names(FIND "?sort=name:DESC", "3: gamma beta-job Alpha-job");
    assert_names(FIND "?sort=name%3AASC", "3: Alpha-job beta-job gamma");
    assert_names(FIND "?sort=createTime:ASC", "3: beta-job Alpha-job gamma");
    assert_names(FIND "?sort=createTime:DESC", "3: gamma Alpha-job beta-job");
    assert_int_equal(ask("PUT " SCHEDULES "/beta-job/pause", NULL, NULL), 200);
    assert_names(FIND "?sort=updatedTime:DESC", "3: beta-job gamma Alpha-job");
    assert_names(FIND "?sort=updatedTime:ASC,name:ASC", "3: Alpha-job gamma beta-job");
}

static void m_filters_are_combined(void **state)
{
    (void)state;
    make_three();
    assert_names(FIND "?workflowName=two&scheduleName=job", "1: beta-job");
    assert_names(FIND "?workflowName=two&scheduleName=job&paused=true", "0:");
}

/* ---- executions ---- */

static void s_history_has_ten_unless_asked_otherwise(void **state)
{
    (void)state;
    save("a", "");
    pass_time(12 * SPAN_MIN);
    assert_int_equal(get(SCHEDULES "/a/executions"), 200);
    assert_int_equal(json_array_size(world.json), 10);
    assert_json("0.scheduledTime", "1767607920000"); /* newest first */
    assert_json("9.scheduledTime", "1767607380000");
    assert_int_equal(get(SCHEDULES "/ghost/executions"), 404);
}

static void s_history_has_as_many_as_are_asked_for(void **state)
{
    (void)state;
    save("a", "");
    pass_time(12 * SPAN_MIN);
    assert_int_equal(get(SCHEDULES "/a/executions?limit=3"), 200);
    assert_int_equal(json_array_size(world.json), 3);
    assert_int_equal(get(SCHEDULES "/a/executions?count=2"), 200);
    assert_int_equal(json_array_size(world.json), 2);
    assert_int_equal(get(SCHEDULES "/a/executions?limit=12"), 200);
    assert_int_equal(json_array_size(world.json), 12);
    assert_int_equal(get(SCHEDULES "/a/executions?limit=x"), 400);
}

static void executions_are_found_by_schedule_state_and_time(void **state)
{
    (void)state;
    save_of("a", "one", "");
    save_of("bravo", "two", "");
    pass_time(2 * SPAN_MIN);
    assert_int_equal(get(RUNS), 200);
    assert_json("totalHits", "4");
    assert_int_equal(get(RUNS "?query=scheduleName%20IN%20(a)"), 200);
    assert_json("totalHits", "2");
    assert_json("results.0.scheduleName", "'a'");
    assert_json("results.0.scheduledTime", "1767607320000");
    assert_json("results.1.scheduledTime", "1767607260000");
    assert_int_equal(get(RUNS "?query=scheduleName+IN+(ghost)"), 200);
    assert_json("totalHits", "0");
    assert_int_equal(get(RUNS "?query=workflowType%20IN%20(two)%20AND%20"
                              "scheduledTime%3E1767607260000"),
                     200);
    assert_json("totalHits", "1");
    assert_json("results.0.scheduleName", "'bravo'");
    assert_int_equal(get(RUNS "?freeText=RAVO&sort=startTime:ASC&size=1"), 200);
    assert_json("totalHits", "2");
    assert_json("results.0.scheduledTime", "1767607260000");
    assert_json("results.1", "absent");
    assert_int_equal(get(RUNS "?start=3&size=10"), 200);
    assert_json("totalHits", "4");
    assert_json("results.1", "absent");
    assert_int_equal(get(RUNS "?start=30"), 200);
    assert_json("results", "[]");
    assert_json("totalHits", "4");
}

/* Runs without a schedule, or of a schedule of another API. */
static void executions_of_other_apis_are_not_found(void **state)
{
    (void)state;
    assert_int_equal(
        post("/api/v1/schedules", js("{'id':'n','spec':{'intervals':[{'every':'1m'}]},"
                                     "'action':{'type':'queue','queue':'q'}}")),
        201);
    assert_int_equal(post("/api/workflow/wf", "{}"), 200);
    pass_time(SPAN_MIN);
    assert_int_equal(get(RUNS), 200);
    assert_json("", "{'totalHits':0,'results':[]}");
    assert_int_equal(get(RUNS "?query=scheduleName+IN+(n)"), 200);
    assert_json("totalHits", "0");
}

static void a_record_names_the_workflow_that_was_started(void **state)
{
    (void)state;
    save_of("a", "old", "");
    pass_time(SPAN_MIN);
    save_of("a", "new", "");
    pass_time(SPAN_MIN);
    assert_int_equal(get(SCHEDULES "/a/executions"), 200);
    assert_json("1.workflowName", "'old'");
    assert_json("0.workflowName", "'new'");
    assert_int_equal(get(RUNS "?query=workflowType+IN+(old)"), 200);
    assert_json("totalHits", "1");
}

/* A workflow that was started and then failed is EXECUTED. */
static void a_workflow_that_fails_after_its_start_is_executed(void **state)
{
    char id[64];

    (void)state;
    save("a", "");
    pass_time(SPAN_MIN);
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['wf'],'worker':'w'}")), 200);
    snprintf(id, sizeof id, "%s", text_at("runs.0.id").ptr);
    assert_int_equal(post(js("/api/v1/runs/%s/fail", id),
                          js("{'fence':%s,'error':{'code':'x','message':'broken'}}",
                             json_at("runs.0.fence"))),
                     200);
    assert_int_equal(get(js(RUNS "?query=executionId=%%27%s%%27", id)), 200);
    assert_json("totalHits", "1");
    assert_json("results.0.state", "'EXECUTED'");
}

static void a_run_that_waits_for_approval_is_polled(void **state)
{
    (void)state;
    save("a", "");
    assert_int_equal(
        ask("PATCH /api/v1/schedules/a", NULL, js("{'policies':{'approval':true}}")), 200);
    pass_time(SPAN_MIN);
    assert_int_equal(get(RUNS "?query=state+IN+(POLLED)"), 200);
    assert_json("totalHits", "1");
    assert_json("results.0.workflowId", "absent");
}

/* ---- times ---- */

static void s_next_execution_times(void **state)
{
    (void)state;
    save("a", "");
    assert_int_equal(get(SCHEDULES "/a/next-execution-times"), 200);
    assert_json("", "[1767607260000,1767607320000,1767607380000,1767607440000,1767607500000]");
    assert_int_equal(get(SCHEDULES "/a/next-execution-times?count=1"), 200);
    assert_json("", "[1767607260000]");
    assert_int_equal(get(SCHEDULES "/ghost/next-execution-times"), 404);
}

static void m_next_execution_times_stop_at_the_end(void **state)
{
    (void)state;
    save("a", ",'scheduleEndTime':1767607380000");
    assert_int_equal(get(SCHEDULES "/a/next-execution-times?count=100"), 200);
    assert_json("", "[1767607260000,1767607320000,1767607380000]");
}

static void m_next_execution_times_ignore_the_start(void **state)
{
    (void)state;
    save("a", ",'scheduleStartTime':1767607300000");
    assert_int_equal(get(SCHEDULES "/a/next-execution-times?count=2"), 200);
    assert_json("", "[1767607260000,1767607320000]");
}

static void s_daily_at_nine_from_midnight_is_nine_of_the_same_day(void **state)
{
    (void)state;
    pass_time(14 * SPAN_H); /* 2026-01-06T00:00Z */
    assert_int_equal(get(NEXT "?cronExpression=0%200%209%20*%20*%20%3F&limit=1"), 200);
    assert_json("", "[1767690000000]");
}

static void s_a_preview_after_the_end_is_empty(void **state)
{
    (void)state;
    assert_int_equal(get(NEXT "?cronExpression=0+*+*+*+*+*&scheduleEndTime=1767600000000"),
                     200);
    assert_json("", "[]");
}

static void s_a_preview_begins_at_a_future_start(void **state)
{
    (void)state;
    assert_int_equal(
        get(NEXT "?cronExpression=0+*+*+*+*+*&scheduleStartTime=1893456000000&limit=2"), 200);
    assert_json("", "[1893456000000,1893456060000]");
}

static void s_an_invalid_expression_has_no_times(void **state)
{
    (void)state;
    assert_int_equal(get(NEXT "?cronExpression=nonsense"), 400);
    assert_true(strstr(json_at("message"), "cron") != NULL);
    assert_int_equal(get(NEXT), 400);
    assert_int_equal(get(NEXT "?cronExpression="), 400);
}

static void s_three_of_every_five_minutes(void **state)
{
    (void)state;
    assert_int_equal(get(NEXT "?cronExpression=0+*/5+*+*+*+*&limit=3"), 200);
    assert_json("", "[1767607500000,1767607800000,1767608100000]");
}

static void h_a_preview_has_at_most_five_times(void **state)
{
    (void)state;
    assert_int_equal(get(NEXT "?cronExpression=0+*+*+*+*+*&limit=10"), 200);
    assert_int_equal(json_array_size(world.json), 5);
    assert_int_equal(get(NEXT "?cronExpression=0+*+*+*+*+*"), 200);
    assert_int_equal(json_array_size(world.json), 5);
    assert_int_equal(get(NEXT "?cronExpression=0+*+*+*+*+*&limit=0"), 200);
    assert_json("", "[]");
    assert_int_equal(get(NEXT "?cronExpression=0+*+*+*+*+*&scheduleEndTime=1767607320000"),
                     200);
    assert_json("", "[1767607260000,1767607320000]");
    assert_int_equal(get(NEXT "?cronExpression=*/5+*+*+*+*&limit=1"), 200); /* five fields */
    assert_json("", "[1767607500000]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(m_search_of_nothing_is_empty),
        API_TEST(m_search_without_a_filter_has_all_by_name),
        API_TEST(m_search_by_workflow_is_exact),
        API_TEST(m_search_by_name_is_a_part_in_any_case),
        API_TEST(m_search_by_pause),
        API_TEST(m_pages_have_the_count_of_all),
        API_TEST(m_search_in_an_order),
        API_TEST(m_filters_are_combined),
        API_TEST(s_history_has_ten_unless_asked_otherwise),
        API_TEST(s_history_has_as_many_as_are_asked_for),
        API_TEST(executions_are_found_by_schedule_state_and_time),
        API_TEST(executions_of_other_apis_are_not_found),
        API_TEST(a_record_names_the_workflow_that_was_started),
        API_TEST(a_workflow_that_fails_after_its_start_is_executed),
        API_TEST(a_run_that_waits_for_approval_is_polled),
        API_TEST(s_next_execution_times),
        API_TEST(m_next_execution_times_stop_at_the_end),
        API_TEST(m_next_execution_times_ignore_the_start),
        API_TEST(s_daily_at_nine_from_midnight_is_nine_of_the_same_day),
        API_TEST(s_a_preview_after_the_end_is_empty),
        API_TEST(s_a_preview_begins_at_a_future_start),
        API_TEST(s_an_invalid_expression_has_no_times),
        API_TEST(s_three_of_every_five_minutes),
        API_TEST(h_a_preview_has_at_most_five_times),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
