/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The example schedules that Conductor ships, each with what it demonstrates, and its live
 * scenarios that need only one machine.  The request bodies are like those of its files: some
 * have 0 for an absent bound, or a number in quotes where `sed` inserted it.
 */
#include "conductor.h"

#include "core/time/text.h"

static void save_example(const char *name, const char *workflow, const char *more)
{
    assert_int_equal(post(S, js("{'name':'%s','cronExpression':'0 * * * * *','zoneId':'UTC',"
                                "'startWorkflowRequest':{'name':'%s','version':1,'input':{}},"
                                "'paused':false%s}",
                                name, workflow, more)),
                     200);
}

static void l_each_minute_a_daily_report(void **state)
{
    (void)state;
    save_example("every-minute-schedule", "daily_report", "");
    pass(3 * SPAN_MIN);
    assert_count("every-minute-schedule", 3);
    assert_told("0.workflowName", "'daily_report'");
    assert_told("0.state", "'EXECUTED'");
}

/* A bound of 0 means none; 09:00 in New York on Monday, 2026-01-05, is 14:00 UTC. */
static void a_daily_report_at_nine_in_new_york(void **state)
{
    (void)state;
    assert_int_equal(
        post(S, js("{'name':'daily-report-schedule','cronExpression':'0 0 9 * * MON-FRI',"
                   "'zoneId':'America/New_York','scheduleStartTime':0,'scheduleEndTime':0,"
                   "'runCatchupScheduleInstances':false,"
                   "'startWorkflowRequest':{'name':'daily_report','version':1}}")),
        200);
    assert_told("nextRunTime", "1767621600000");
    pass(5 * SPAN_H);
    assert_count("daily-report-schedule", 1);
}

static void l_after_a_stop_of_four_minutes_four_runs_in_order(void **state)
{
    (void)state;
    save_example("catchup-schedule", "wf", ",'runCatchupScheduleInstances':true");
    be_down(4 * SPAN_MIN + 10 * SPAN_S);
    start_again(0);
    pass(0);
    assert_count("catchup-schedule", 4);
    assert_told("3.scheduledTime", "1767607260000");
    assert_told("0.scheduledTime", "1767607440000");
}

/* From 10:01 to 10:06, both inclusive, as strings. */
static void l_a_window_of_five_minutes_in_texts(void **state)
{
    (void)state;
    save_example("bounded-schedule", "wf",
                 ",'scheduleStartTime':'1767607260000','scheduleEndTime':'1767607560000'");
    assert_told("scheduleEndTime", "1767607560000");
    pass(SPAN_H);
    assert_count("bounded-schedule", 6);
    assert_int_equal(get(S "/bounded-schedule"), 200);
    assert_told("nextRunTime", "absent");
}

/* Forks, joins and loops are inside the workflow: the scheduler does not depend on them. */
static void start_with_definition(const char *name, int version, const char *definition)
{
    assert_int_equal(post("/api/metadata/workflow", js("%s", definition)), 200);
    assert_int_equal(post(S, js("{'name':'%s-schedule','cronExpression':'0 * * * * *',"
                                "'startWorkflowRequest':{'name':'%s','version':%d}}",
                                name, name, version)),
                     200);
    pass(2 * SPAN_MIN);
    assert_count(js("%s-schedule", name), 2);
    assert_int_equal(
        post("/api/v1/queues/claim", js("{'queues':['%s'],'max':10,'worker':'w'}", name)), 200);
    assert_int_equal(json_array_size(json_object_get(world.json, "runs")), 2);
    assert_int_equal(atoi(told("runs.0.action.version")), version);
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

        pass(SPAN_MIN);
        post("/api/v1/queues/claim", js("{'queues':['wf'],'worker':'w'}"));
        snprintf(id, sizeof id, "%s", text_at("runs.0.id").ptr);
        assert_int_equal(
            post(js("/api/v1/runs/%s/fail", id),
                 js("{'fence':%s,'error':{'code':'http','message':'404','retryable':false}}",
                    told("runs.0.fence"))),
            200);
    }
    assert_count("retry-schedule", 3);
    for (int i = 0; i < 3; i++)
        assert_string_equal(told(js("%d.state", i)), "'EXECUTED'");
}

static void l_ninety_seconds_of_work_each_sixty_overlap(void **state)
{
    (void)state;
    save_example("concurrent-schedule", "wf", "");
    pass(SPAN_MIN);
    post("/api/v1/queues/claim", js("{'queues':['wf'],'worker':'w'}"));
    assert_int_equal(json_array_size(json_object_get(world.json, "runs")), 1);
    pass(SPAN_MIN);
    post("/api/v1/queues/claim", js("{'queues':['wf'],'worker':'w'}"));
    assert_int_equal(json_array_size(json_object_get(world.json, "runs")), 1);
    assert_int_equal(get("/api/v1/schedules/concurrent-schedule"), 200);
    assert_told("state.open", "2");
}

static void l_static_input_and_the_two_times(void **state)
{
    (void)state;
    assert_int_equal(post(S, js("{'name':'input-param-schedule','cronExpression':'0 * * * * *',"
                                "'startWorkflowRequest':{'name':'wf','version':1,"
                                "'input':{'reportOwner':'team','alertThreshold':95}}}")),
                     200);
    pass(SPAN_MIN);
    world.now += 250 * SPAN_MS;
    post("/api/v1/queues/claim", js("{'queues':['wf'],'worker':'w'}"));
    assert_told("runs.0.input.reportOwner", "'team'");
    assert_told("runs.0.input.alertThreshold", "95");
    assert_told("runs.0.input.scheduledTime", "1767607260000");
    assert_told("runs.0.input.executionTime", "1767607260250");
}

/* Slots that were late at the pause, and those during it, run after the resume. */
static void l_a_pause_within_a_gap_then_five_runs(void **state)
{
    (void)state;
    save_example("gap", "wf", ",'runCatchupScheduleInstances':true");
    be_down(2 * SPAN_MIN + 30 * SPAN_S);
    assert_int_equal(ask("PUT " S "/gap/pause", NULL, NULL), 200);
    pass(0);
    be_down(3 * SPAN_MIN);
    assert_int_equal(ask("PUT " S "/gap/resume", NULL, NULL), 200);
    pass(0);
    assert_count("gap", 5);
    assert_told("4.scheduledTime", "1767607260000"); /* 10:01 */
    assert_told("0.scheduledTime", "1767607500000"); /* 10:05 */
}

/* 02:00 of 2026-03-08 does not exist in New York: 03-09 02:00 EDT follows 03-07 02:00 EST. */
static void l_two_o_clock_on_the_day_that_has_none(void **state)
{
    struct err err;
    instant at;

    (void)state;
    assert_int_equal(instant_parse(STR("2026-03-07T00:00:00Z"), &at, &err), RC_OK);
    world.now = at;
    assert_int_equal(post(S, js("{'name':'dst','cronExpression':'0 0 2 * * *',"
                                "'zoneId':'America/New_York',"
                                "'startWorkflowRequest':{'name':'wf'}}")),
                     200);
    pass(3 * SPAN_DAY);
    assert_count("dst", 2);
    assert_told("1.scheduledTime", "1772866800000"); /* 2026-03-07T07:00Z */
    assert_told("0.scheduledTime", "1773036000000"); /* 2026-03-09T06:00Z */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(l_each_minute_a_daily_report),
        SERVED(a_daily_report_at_nine_in_new_york),
        SERVED(l_after_a_stop_of_four_minutes_four_runs_in_order),
        SERVED(l_a_window_of_five_minutes_in_texts),
        SERVED(l_a_workflow_that_forks_and_joins),
        SERVED(l_a_workflow_that_loops_three_times),
        SERVED(l_a_workflow_that_always_fails_is_started_each_minute),
        SERVED(l_ninety_seconds_of_work_each_sixty_overlap),
        SERVED(l_static_input_and_the_two_times),
        SERVED(l_a_pause_within_a_gap_then_five_runs),
        SERVED(l_two_o_clock_on_the_day_that_has_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
