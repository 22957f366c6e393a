/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The example schedules that Conductor ships, each with what it demonstrates, and its live
 * scenarios that need only one machine: l_ for rows of test/mission/conductor.txt.  The request
 * bodies are like those of its files: some have 0 for an absent bound, or a number in quotes
 * where `sed` inserted it.
 */
#include "conductor.h"

#include "core/time/text.h"

static void save_example(const char *name, const char *workflow, const char *more)
{
    assert_int_equal(
        post(SCHEDULES, js("{'name':'%s','cronExpression':'0 * * * * *','zoneId':'UTC',"
                           "'startWorkflowRequest':{'name':'%s','version':1,'input':{}},"
                           "'paused':false%s}",
                           name, workflow, more)),
        200);
}

static void l_an_example_that_runs_every_minute(void **state)
{
    (void)state;
    save_example("every-minute-schedule", "daily_report", "");
    pass_time(3 * SPAN_MIN);
    assert_count("every-minute-schedule", 3);
    assert_json("0.workflowName", "'daily_report'");
    assert_json("0.state", "'EXECUTED'");
}

/* A bound of 0 means none; 09:00 in New York on Monday, 2026-01-05, is 14:00 UTC. */
static void an_example_that_runs_at_nine_in_new_york(void **state)
{
    (void)state;
    assert_int_equal(
        post(SCHEDULES,
             js("{'name':'daily-report-schedule','cronExpression':'0 0 9 * * MON-FRI',"
                "'zoneId':'America/New_York','scheduleStartTime':0,'scheduleEndTime':0,"
                "'runCatchupScheduleInstances':false,"
                "'startWorkflowRequest':{'name':'daily_report','version':1}}")),
        200);
    assert_json("nextRunTime", "1767621600000");
    pass_time(5 * SPAN_H);
    assert_count("daily-report-schedule", 1);
}

static void l_four_missed_minutes_are_caught_up_in_order(void **state)
{
    (void)state;
    save_example("catchup-schedule", "wf", ",'runCatchupScheduleInstances':true");
    be_down(4 * SPAN_MIN + 10 * SPAN_S);
    restart_server(0);
    pass_time(0);
    assert_count("catchup-schedule", 4);
    assert_json("3.scheduledTime", "1767607260000");
    assert_json("0.scheduledTime", "1767607440000");
}

/* From 10:01 to 10:06, both inclusive, as strings. */
static void l_bounds_may_be_strings(void **state)
{
    (void)state;
    save_example("bounded-schedule", "wf",
                 ",'scheduleStartTime':'1767607260000','scheduleEndTime':'1767607560000'");
    assert_json("scheduleEndTime", "1767607560000");
    pass_time(SPAN_H);
    assert_count("bounded-schedule", 6);
    assert_int_equal(get(SCHEDULES "/bounded-schedule"), 200);
    assert_json("nextRunTime", "absent");
}

/* Forks, joins and loops are inside the workflow: the scheduler does not depend on them. */
static void start_with_definition(const char *name, int version, const char *definition)
{
    assert_int_equal(post("/api/metadata/workflow", js("%s", definition)), 200);
    assert_int_equal(post(SCHEDULES, js("{'name':'%s-schedule','cronExpression':'0 * * * * *',"
                                        "'startWorkflowRequest':{'name':'%s','version':%d}}",
                                        name, name, version)),
                     200);
    pass_time(2 * SPAN_MIN);
    assert_count(js("%s-schedule", name), 2);
    assert_int_equal(
        post("/api/v1/queues/claim", js("{'queues':['%s'],'max':10,'worker':'w'}", name)), 200);
    assert_int_equal(json_array_size(json_object_get(world.json, "runs")), 2);
    assert_int_equal(atoi(json_at("runs.0.action.version")), version);
}

static void l_a_workflow_that_forks_and_joins(void **state)
{
    (void)state;
    start_with_definition(
        "multistep", 3,
        "{'name':'multistep','version':3,'schemaVersion':2,'tasks':[{'type':'FORK_JOIN',"
        "'name':'f','taskReferenceName':'f','forkTasks':[[],[]]},"
        "{'type':'JOIN','name':'j','taskReferenceName':'j','joinOn':[]}]}");
}

static void l_a_workflow_that_loops_three_times(void **state)
{
    (void)state;
    start_with_definition("dowhile", 2,
                          "{'name':'dowhile','version':2,'schemaVersion':2,'tasks':["
                          "{'type':'DO_WHILE','name':'l','taskReferenceName':'l',"
                          "'loopCondition':'$.l < 3','loopOver':[]}]}");
}

/* Every minute a new record that is EXECUTED, although the workflow fails every time. */
static void l_a_workflow_that_always_fails_is_started_each_minute(void **state)
{
    (void)state;
    save_example("retry-schedule", "wf", "");
    for (int i = 0; i < 3; i++) {
        char id[64];

        pass_time(SPAN_MIN);
        post("/api/v1/queues/claim", js("{'queues':['wf'],'worker':'w'}"));
        snprintf(id, sizeof id, "%s", text_at("runs.0.id").ptr);
        assert_int_equal(
            post(js("/api/v1/runs/%s/fail", id),
                 js("{'fence':%s,'error':{'code':'http','message':'404','retryable':false}}",
                    json_at("runs.0.fence"))),
            200);
    }
    assert_count("retry-schedule", 3);
    for (int i = 0; i < 3; i++)
        assert_string_equal(json_at(js("%d.state", i)), "'EXECUTED'");
}

static void l_runs_longer_than_their_interval_overlap(void **state)
{
    (void)state;
    save_example("concurrent-schedule", "wf", "");
    pass_time(SPAN_MIN);
    post("/api/v1/queues/claim", js("{'queues':['wf'],'worker':'w'}"));
    assert_int_equal(json_array_size(json_object_get(world.json, "runs")), 1);
    pass_time(SPAN_MIN);
    post("/api/v1/queues/claim", js("{'queues':['wf'],'worker':'w'}"));
    assert_int_equal(json_array_size(json_object_get(world.json, "runs")), 1);
    assert_int_equal(get("/api/v1/schedules/concurrent-schedule"), 200);
    assert_json("state.open", "2");
}

static void l_a_workflow_gets_its_input_and_two_times(void **state)
{
    (void)state;
    assert_int_equal(
        post(SCHEDULES, js("{'name':'input-param-schedule','cronExpression':'0 * * * * *',"
                           "'startWorkflowRequest':{'name':'wf','version':1,"
                           "'input':{'reportOwner':'team','alertThreshold':95}}}")),
        200);
    pass_time(SPAN_MIN);
    world.now += 250 * SPAN_MS;
    post("/api/v1/queues/claim", js("{'queues':['wf'],'worker':'w'}"));
    assert_json("runs.0.input.reportOwner", "'team'");
    assert_json("runs.0.input.alertThreshold", "95");
    assert_json("runs.0.input.scheduledTime", "1767607260000");
    assert_json("runs.0.input.executionTime", "1767607260250");
}

/* Slots that were late at the pause, and those during it, run after the resume. */
static void l_slots_of_a_downtime_and_a_pause_run_after_the_resume(void **state)
{
    (void)state;
    save_example("gap", "wf", ",'runCatchupScheduleInstances':true");
    be_down(2 * SPAN_MIN + 30 * SPAN_S);
    assert_int_equal(ask("PUT " SCHEDULES "/gap/pause", NULL, NULL), 200);
    pass_time(0);
    be_down(3 * SPAN_MIN);
    assert_int_equal(ask("PUT " SCHEDULES "/gap/resume", NULL, NULL), 200);
    pass_time(0);
    assert_count("gap", 5);
    assert_json("4.scheduledTime", "1767607260000"); /* 10:01 */
    assert_json("0.scheduledTime", "1767607500000"); /* 10:05 */
}

/* 02:00 of 2026-03-08 does not exist in New York: 03-09 02:00 EDT follows 03-07 02:00 EST. */
static void l_a_time_that_does_not_exist_is_skipped(void **state)
{
    struct err err;
    instant at;

    (void)state;
    assert_int_equal(instant_parse(STR("2026-03-07T00:00:00Z"), &at, &err), RC_OK);
    world.now = at;
    assert_int_equal(post(SCHEDULES, js("{'name':'dst','cronExpression':'0 0 2 * * *',"
                                        "'zoneId':'America/New_York',"
                                        "'startWorkflowRequest':{'name':'wf'}}")),
                     200);
    pass_time(3 * SPAN_DAY);
    assert_count("dst", 2);
    assert_json("1.scheduledTime", "1772866800000"); /* 2026-03-07T07:00Z */
    assert_json("0.scheduledTime", "1773036000000"); /* 2026-03-09T06:00Z */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(l_an_example_that_runs_every_minute),
        API_TEST(an_example_that_runs_at_nine_in_new_york),
        API_TEST(l_four_missed_minutes_are_caught_up_in_order),
        API_TEST(l_bounds_may_be_strings),
        API_TEST(l_a_workflow_that_forks_and_joins),
        API_TEST(l_a_workflow_that_loops_three_times),
        API_TEST(l_a_workflow_that_always_fails_is_started_each_minute),
        API_TEST(l_runs_longer_than_their_interval_overlap),
        API_TEST(l_a_workflow_gets_its_input_and_two_times),
        API_TEST(l_slots_of_a_downtime_and_a_pause_run_after_the_resume),
        API_TEST(l_a_time_that_does_not_exist_is_skipped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
