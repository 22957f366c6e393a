/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runs of Conductor's schedules, as its API shows them.  Tests whose names begin with s_
 * are rows of test/mission/conductor.txt.  The clock starts at 2026-01-05T10:00:00Z =
 * 1767607200000; 10:01 is 1767607260000.
 */
#include "conductor.h"

#include "core/time/text.h"

/* ---- due slots ---- */

static void s_a_paused_schedule_never_runs(void **state)
{
    (void)state;
    assert_int_equal(save("a", ",'paused':true"), 200);
    pass_time(10 * SPAN_MIN);
    assert_count("a", 0);
}

static void s_what_is_due_runs_once_and_is_executed(void **state)
{
    (void)state;
    save("a", "");
    pass_time(SPAN_MIN + SPAN_S);
    assert_count("a", 1);
    assert_json("0.scheduleName", "'a'");
    assert_json("0.scheduledTime", "1767607260000");
    assert_json("0.executionTime", "1767607260000");
    assert_json("0.state", "'EXECUTED'");
    assert_json("0.workflowName", "'wf'");
    assert_json("0.zoneId", "'UTC'");
    assert_json("0.orgId", "absent");
    assert_json("0.reason", "absent");
    assert_json("0.startWorkflowRequest.input", "{'k':1}");
    assert_true(str_starts(text_at("0.executionId"), STR("r_")));
    assert_true(str_eq(text_at("0.workflowId"), text_at("0.executionId")));
    pass_time(30 * SPAN_S);
    assert_count("a", 1);
}

/* Former versions of a schedule are not stored: records of them lack its fields. */
static void a_record_omits_fields_that_an_edit_has_changed(void **state)
{
    (void)state;
    save("a", ",'zoneId':'Europe/Berlin'");
    pass_time(SPAN_MIN + SPAN_S);
    assert_int_equal(ask("PUT " SCHEDULES "/a/pause", NULL, NULL), 200);
    assert_int_equal(ask("PUT " SCHEDULES "/a/resume", NULL, NULL), 200);
    assert_int_equal(ask("PUT " SCHEDULES "/a/tags", NULL, js("[{'key':'k','value':'v'}]")),
                     200);
    save("a", ",'zoneId':'Europe/Berlin'");
    assert_count("a", 1);
    assert_json("0.zoneId", "'Europe/Berlin'");
    assert_json("0.startWorkflowRequest.input", "{'k':1}");
    save("a", ",'zoneId':'Asia/Tokyo'");
    pass_time(SPAN_MIN);
    assert_count("a", 2);
    assert_json("0.zoneId", "'Asia/Tokyo'");
    assert_json("0.startWorkflowRequest.input", "{'k':1}");
    assert_json("1.zoneId", "absent");
    assert_json("1.startWorkflowRequest", "absent");
    assert_json("1.workflowName", "'wf'"); /* the queue of the run has this name */
}

static void a_record_omits_the_workflow_of_an_upstream_after_an_edit(void **state)
{
    (void)state;
    world.upstream = "c";
    save("a", "");
    pass_time(SPAN_MIN + SPAN_S);
    assert_int_equal(post(SCHEDULES, js("{'name':'a','cronExpression':'0 * * * * ?',"
                                        "'startWorkflowRequest':{'name':'other'}}")),
                     200);
    pass_time(SPAN_MIN);
    assert_count("a", 2);
    assert_json("0.workflowName", "'other'");
    assert_json("1.workflowName", "absent");
    assert_json("1.startWorkflowRequest", "absent");
}

static void a_record_has_the_input_of_its_trigger(void **state)
{
    (void)state;
    save("a", "");
    assert_int_equal(post("/api/v1/schedules/a/trigger", js("{'input':{'own':2}}")), 202);
    pass_time(0);
    assert_count("a", 1);
    assert_json("0.startWorkflowRequest.input", "{'k':1,'own':2}");
    end_one();
    pass_time(SPAN_MIN);
    assert_count("a", 2);
    assert_json("0.startWorkflowRequest.input", "{'k':1}");
    assert_json("1.startWorkflowRequest.input", "{'k':1,'own':2}");
}

/* An upstream starts the workflow; the state is unknown until it answers. */
static void a_start_without_an_answer_of_the_upstream_is_polled(void **state)
{
    (void)state;
    world.upstream = "c";
    save("a", "");
    pass_time(SPAN_MIN + SPAN_S);
    assert_count("a", 1);
    assert_json("0.state", "'POLLED'");
    assert_json("0.workflowId", "absent");
    assert_int_equal(get("/api/scheduler/admin/requeue"), 200);
    assert_int_equal(json_integer_value(json_object_get(world.json, "recordIds.size")), 1);
    assert_int_equal(json_array_size(json_object_get(world.json, "sampleIds")), 1);
}

/* A start that failed; test/clients/conductor tests refusals by an upstream. */
static void s_a_failed_start_is_failed_with_a_reason_and_the_schedule_goes_on(void **state)
{
    char run[64];

    (void)state;
    world.upstream = "c";
    save("a", "");
    pass_time(SPAN_MIN + SPAN_S);
    assert_count("a", 1);
    snprintf(run, sizeof run, "%s", text_at("0.executionId").ptr);
    assert_int_equal(post(js("/api/v1/runs/%s/terminate", run), "{}"), 200);
    pass_time(SPAN_MIN);
    assert_count("a", 2);
    assert_json("1.state", "'FAILED'");
    assert_true(text_at("1.reason").len > 0);
    assert_json("0.state", "'POLLED'");
}

static void s_nothing_runs_before_the_start(void **state)
{
    (void)state;
    save("a", ",'scheduleStartTime':1767607800000"); /* 10:10 */
    pass_time(9 * SPAN_MIN + 59 * SPAN_S);
    assert_count("a", 0);
    pass_time(2 * SPAN_S);
    assert_count("a", 1);
    assert_json("0.scheduledTime", "1767607800000"); /* inclusive */
}

static void s_nothing_runs_after_the_end(void **state)
{
    (void)state;
    save("a", ",'scheduleEndTime':1767607320000"); /* 10:02 */
    pass_time(10 * SPAN_MIN);
    assert_count("a", 2);
    assert_json("0.scheduledTime", "1767607320000"); /* inclusive */
}

/*
 * Conductor does not run a slot after the end has passed; Belfry runs it late: bounds apply to
 * the time of the slot, and a slot is not lost because the server was down.
 */
static void s_a_slot_within_the_bounds_runs_late_when_the_end_has_passed(void **state)
{
    (void)state;
    save("a", ",'scheduleEndTime':1767607290000"); /* 10:01:30 */
    be_down(2 * SPAN_MIN);
    pass_time(0);
    assert_count("a", 1);
    assert_json("0.scheduledTime", "1767607260000");
    assert_int_equal(get(SCHEDULES "/a"), 200);
    assert_json("nextRunTime", "absent");
}

static void s_the_last_slot_before_the_end_runs_once(void **state)
{
    (void)state;
    save("a", ",'scheduleEndTime':1767607260000"); /* 10:01 */
    pass_time(SPAN_MIN);
    assert_count("a", 1);
    for (int i = 0; i < 10; i++)
        pass_time(SPAN_MIN);
    assert_count("a", 1);
    assert_int_equal(get(SCHEDULES "/a"), 200); /* the schedule still exists */
    assert_json("nextRunTime", "absent");
}

static void an_expression_without_times_never_runs(void **state)
{
    (void)state;
    assert_int_equal(post(SCHEDULES, js("{'name':'a','cronExpression':'0 0 0 31 2 ?',"
                                        "'startWorkflowRequest':{'name':'wf'}}")),
                     200);
    assert_json("nextRunTime", "absent");
    pass_time(SPAN_H);
    assert_count("a", 0);
}

static void s_five_that_are_due_all_run(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++)
        save(js("a%d", i), "");
    pass_time(SPAN_MIN);
    assert_int_equal(get("/api/scheduler/search/executions"), 200);
    assert_json("totalHits", "5");
}

/* A batch does not limit the work: all fifty run in the same minute. */
static void s_however_many_are_due_none_starves(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++)
        save(js("a%d", i), "");
    pass_time(SPAN_MIN);
    assert_int_equal(get("/api/scheduler/search/executions?size=1000"), 200);
    assert_json("totalHits", "50");
    for (int i = 0; i < 50; i++)
        assert_string_equal(json_at(js("results.%d.scheduledTime", i)), "1767607260000");
}

/* ---- missed slots ---- */

static void s_without_catch_up_ten_minutes_are_one_run(void **state)
{
    (void)state;
    save("a", "");
    be_down(10 * SPAN_MIN + 30 * SPAN_S);
    pass_time(0);
    assert_count("a", 1);
    assert_json("0.scheduledTime", "1767607260000"); /* the oldest */
    assert_int_equal(get(SCHEDULES "/a"), 200);
    assert_json("nextRunTime", "1767607860000"); /* 10:11, later than now */
}

static void s_without_catch_up_an_old_slot_runs_exactly_once(void **state)
{
    (void)state;
    save("a", "");
    be_down(SPAN_MIN + 30 * SPAN_S);
    for (int i = 0; i < 5; i++)
        pass_time(0);
    assert_count("a", 1);
}

static void s_with_catch_up_three_missed_are_three_runs_oldest_first(void **state)
{
    (void)state;
    save("a", ",'runCatchupScheduleInstances':true");
    be_down(3 * SPAN_MIN + 30 * SPAN_S);
    pass_time(0);
    assert_count("a", 3);
    assert_json("2.scheduledTime", "1767607260000");
    assert_json("1.scheduledTime", "1767607320000");
    assert_json("0.scheduledTime", "1767607380000");
    assert_int_equal(get(SCHEDULES "/a"), 200);
    assert_json("nextRunTime", "1767607440000");
}

static void catch_up_stays_within_the_bounds(void **state)
{
    (void)state;
    save("a", ",'runCatchupScheduleInstances':true,'scheduleStartTime':1767607320000,"
              "'scheduleEndTime':1767607440000"); /* 10:02 … 10:04 */
    be_down(10 * SPAN_MIN);
    pass_time(0);
    assert_count("a", 3);
}

static void runs_overlap(void **state)
{
    (void)state;
    save("a", "");
    pass_time(3 * SPAN_MIN);
    assert_int_equal(get("/api/v1/schedules/a"), 200);
    assert_json("state.open", "3");
}

/* ---- pruned records ---- */

static void s_up_to_ten_records_are_kept(void **state)
{
    (void)state;
    save("a", "");
    run_and_end(10);
    assert_count("a", 10);
}

static void s_beyond_ten_the_newest_five_are_kept(void **state)
{
    (void)state;
    save("a", "");
    run_and_end(11);
    assert_count("a", 5);
    assert_json("0.scheduledTime", "1767607860000"); /* 10:11, the newest */
    assert_json("4.scheduledTime", "1767607620000"); /* 10:07 */
    run_and_end(5);
    assert_count("a", 10);
    run_and_end(1);
    assert_count("a", 5);
}

/* ---- the input of the workflow ---- */

static void s_the_time_of_the_slot_and_that_of_the_start_are_injected(void **state)
{
    (void)state;
    assert_int_equal(
        post(SCHEDULES,
             js("{'name':'in','cronExpression':'0 * * * * ?','zoneId':'Europe/Berlin',"
                "'startWorkflowRequest':{'name':'wf','input':{'mine':[1],"
                "'scheduledTime':'clash'}}}")),
        200);
    pass_time(SPAN_MIN);
    world.now += 3 * SPAN_S;
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['wf'],'worker':'w'}")), 200);
    assert_json("runs.0.input.scheduledTime", "1767607260000");
    assert_json("runs.0.input.executionTime", "1767607263000");
    assert_json("runs.0.input._startedByScheduler", "'in'");
    assert_json("runs.0.input._scheduledTime", "1767607260000");
    assert_json("runs.0.input._executedTime", "1767607263000");
    assert_json("runs.0.input._schedulerCron", "'0 * * * * ? Europe/Berlin'");
    assert_true(str_eq(text_at("runs.0.input._executionId"), text_at("runs.0.id")));
}

static void s_keys_of_the_user_are_kept(void **state)
{
    (void)state;
    assert_int_equal(
        post(SCHEDULES, js("{'name':'in','cronExpression':'0 * * * * ?',"
                           "'startWorkflowRequest':{'name':'wf','input':{'mine':[1],"
                           "'scheduledTime':'clash'}}}")),
        200);
    pass_time(SPAN_MIN);
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['wf'],'worker':'w'}")), 200);
    assert_json("runs.0.input.mine", "[1]");
    assert_json("runs.0.input.scheduledTime", "1767607260000"); /* the injected value wins */
    assert_int_equal(get(SCHEDULES "/in"), 200);                /* the schedule is unchanged */
    assert_json("startWorkflowRequest.input", "{'mine':[1],'scheduledTime':'clash'}");
}

static void the_cron_in_the_input_is_the_one_that_was_due(void **state)
{
    (void)state;
    assert_int_equal(
        post(SCHEDULES, js("{'name':'m','cronSchedules':["
                           "{'cronExpression':'0 5 10 * * ?','zoneId':'UTC'},"
                           "{'cronExpression':'0 3 11 * * ?','zoneId':'Europe/Berlin'}],"
                           "'startWorkflowRequest':{'name':'wf'}}")),
        200);
    pass_time(10 * SPAN_MIN);
    assert_int_equal(
        post("/api/v1/queues/claim", js("{'queues':['wf'],'max':10,'worker':'w'}")), 200);
    assert_json("runs.0.input._scheduledTime", "1767607380000");
    assert_json("runs.0.input._schedulerCron", "'0 3 11 * * ? Europe/Berlin'");
    assert_json("runs.1.input._schedulerCron", "'0 5 10 * * ? UTC'");
    assert_json("runs.2", "absent");
}

/* ---- clock changes, with Spring expressions ---- */

static void ask_times(const char *from, const char *cron)
{
    struct err err;
    instant at;

    assert_int_equal(instant_parse(str_of(from), &at, &err), RC_OK);
    pass_time(at - world.now);
    assert_int_equal(post(SCHEDULES, js("{'name':'dst','cronExpression':'%s',"
                                        "'zoneId':'America/New_York',"
                                        "'startWorkflowRequest':{'name':'wf'}}",
                                        cron)),
                     200);
    assert_int_equal(get(SCHEDULES "/dst/next-execution-times?count=3"), 200);
}

static void s_a_time_in_the_gap_is_skipped(void **state)
{
    (void)state; /* 02:30 of 2026-03-08 does not exist: 03-09 02:30 is 06:30Z */
    ask_times("2026-03-07T12:00:00Z", "0 30 2 * * ?");
    assert_json("0", "1773037800000");
    assert_json("1", "1773124200000");
}

static void s_a_time_in_the_overlap_runs_twice(void **state)
{
    (void)state; /* 01:30 of 2026-11-01: 05:30Z, an hour later 06:30Z, then a day later */
    ask_times("2026-10-31T12:00:00Z", "0 30 1 * * ?");
    assert_json("", "[1793511000000,1793514600000,1793601000000]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(s_a_paused_schedule_never_runs),
        API_TEST(s_what_is_due_runs_once_and_is_executed),
        API_TEST(a_record_omits_fields_that_an_edit_has_changed),
        API_TEST(a_record_omits_the_workflow_of_an_upstream_after_an_edit),
        API_TEST(a_record_has_the_input_of_its_trigger),
        API_TEST(a_start_without_an_answer_of_the_upstream_is_polled),
        API_TEST(s_a_failed_start_is_failed_with_a_reason_and_the_schedule_goes_on),
        API_TEST(s_nothing_runs_before_the_start),
        API_TEST(s_nothing_runs_after_the_end),
        API_TEST(s_a_slot_within_the_bounds_runs_late_when_the_end_has_passed),
        API_TEST(s_the_last_slot_before_the_end_runs_once),
        API_TEST(an_expression_without_times_never_runs),
        API_TEST(s_five_that_are_due_all_run),
        API_TEST(s_however_many_are_due_none_starves),
        API_TEST(s_without_catch_up_ten_minutes_are_one_run),
        API_TEST(s_without_catch_up_an_old_slot_runs_exactly_once),
        API_TEST(s_with_catch_up_three_missed_are_three_runs_oldest_first),
        API_TEST(catch_up_stays_within_the_bounds),
        API_TEST(runs_overlap),
        API_TEST(s_up_to_ten_records_are_kept),
        API_TEST(s_beyond_ten_the_newest_five_are_kept),
        API_TEST(s_the_time_of_the_slot_and_that_of_the_start_are_injected),
        API_TEST(s_keys_of_the_user_are_kept),
        API_TEST(the_cron_in_the_input_is_the_one_that_was_due),
        API_TEST(s_a_time_in_the_gap_is_skipped),
        API_TEST(s_a_time_in_the_overlap_runs_twice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
