/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Conductor's tests of its DAO require of a database, tested through the API on both
 * databases.  A record here is a run; a POLLED one waits for an upstream.
 */
#include "conductor.h"

static const char *hits(const char *query)
{
    assert_int_equal(get(js("/api/scheduler/search/executions?%s", query)), 200);
    return json_at("totalHits");
}

/* Every minute a run that an upstream starts. */
static void save_for_upstream(const char *name)
{
    world.upstream = "c";
    world.workflow_limit = 10;
    assert_int_equal(save(name, ""), 200);
}

static void s_what_was_saved_is_found(void **state)
{
    (void)state;
    assert_int_equal(save("a", ",'description':'what for','zoneId':'Asia/Tokyo',"
                               "'runCatchupScheduleInstances':true,"
                               "'scheduleEndTime':1799143200000"),
                     200);
    assert_int_equal(get(SCHEDULES "/a"), 200);
    assert_json("name", "'a'");
    assert_json("description", "'what for'");
    assert_json("zoneId", "'Asia/Tokyo'");
    assert_json("runCatchupScheduleInstances", "true");
    assert_json("scheduleEndTime", "1799143200000");
    assert_json("startWorkflowRequest.input", "{'k':1}");
    assert_json("createTime", "1767607200000");
}

static void s_what_was_never_saved_is_not_found(void **state)
{
    (void)state;
    save("a", "");
    assert_int_equal(get(SCHEDULES "/b"), 404);
    assert_int_equal(get(SCHEDULES "/A"), 404); /* names differ by case */
}

static void s_saving_twice_is_one_row_with_the_new_values(void **state)
{
    (void)state;
    save("a", ",'description':'old'");
    save("a", ",'description':'new','paused':true");
    assert_int_equal(get(SCHEDULES), 200);
    assert_int_equal(json_array_size(world.json), 1);
    assert_json("0.description", "'new'");
    assert_json("0.paused", "true");
}

static void s_all_of_them_are_listed(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++)
        assert_int_equal(save(js("n%02d", i), ""), 200);
    assert_int_equal(get(SCHEDULES), 200);
    assert_int_equal(json_array_size(world.json), 100);
    assert_json("0.name", "'n00'");
    assert_json("99.name", "'n99'");
}

static void s_those_of_a_workflow_are_listed(void **state)
{
    static const char *const flows[] = {"one", "two", "Two", "two"};

    (void)state;
    for (int i = 0; i < 4; i++)
        post(SCHEDULES, js("{'name':'n%d','cronExpression':'0 * * * * ?',"
                           "'startWorkflowRequest':{'name':'%s'}}",
                           i, flows[i]));
    assert_int_equal(get(SCHEDULES "?workflowName=two"), 200);
    assert_int_equal(json_array_size(world.json), 2);
    assert_json("0.name", "'n1'");
    assert_json("1.name", "'n3'");
}

static void s_delete_deletes_five_records(void **state)
{
    (void)state;
    save("a", "");
    save("b", "");
    pass_time(5 * SPAN_MIN);
    assert_string_equal(hits("query=scheduleName%20IN%20(a)"), "5");
    assert_int_equal(ask("DELETE " SCHEDULES "/a", NULL, NULL), 200);
    assert_string_equal(hits("query=scheduleName%20IN%20(a)"), "0");
    assert_string_equal(hits(""), "5"); /* those of the other schedule */
}

static void s_a_record_is_read_as_it_was_written(void **state)
{
    char id[64];

    (void)state;
    save_for_upstream("a");
    pass_time(SPAN_MIN);
    report_dispatch(
        0, (struct report){.kind = REPORT_ALIVE, .progress = STR("{\"workflowId\":\"w-1\"}")});
    pass_time(2 * SPAN_S);
    report_dispatch(0, (struct report){.kind = REPORT_DONE,
                                       .outcome = OUTCOME_SUCCEEDED,
                                       .result = STR("{\"result\":{\"workflowId\":\"w-1\"}}")});
    assert_count("a", 1);
    snprintf(id, sizeof id, "%s", text_at("0.executionId").ptr);
    assert_string_equal(hits(js("query=executionId%%3D%s", id)), "1");
    assert_json("results.0.scheduleName", "'a'");
    assert_json("results.0.scheduledTime", "1767607260000");
    assert_json("results.0.executionTime", "1767607260000");
    assert_json("results.0.workflowName", "'wf'");
    assert_json("results.0.workflowId", "'w-1'");
    assert_json("results.0.state", "'EXECUTED'");
    assert_json("results.0.zoneId", "'UTC'");
    assert_json("results.0.orgId", "absent");
    assert_json("results.0.startWorkflowRequest.name", "'wf'");
    assert_json("results.0.startWorkflowRequest.input", "{'k':1}");
}

static void s_a_record_goes_from_polled_to_executed(void **state)
{
    (void)state;
    save_for_upstream("a");
    pass_time(SPAN_MIN);
    assert_string_equal(hits("query=state%20IN%20(POLLED)"), "1");
    report_dispatch(
        0, (struct report){.kind = REPORT_ALIVE, .progress = STR("{\"workflowId\":\"w-1\"}")});
    assert_string_equal(hits("query=state%20IN%20(POLLED)"), "0");
    assert_string_equal(hits("query=state%20IN%20(EXECUTED)"), "1");
}

/* Conductor's loop deletes records when it prunes; so does the engine. */
static void s_a_record_that_was_removed_is_not_found(void **state)
{
    char id[64];

    (void)state;
    world.context.conductor_keep = 1;
    save("a", "");
    run_and_end(1);
    assert_count("a", 1);
    snprintf(id, sizeof id, "%s", text_at("0.executionId").ptr);
    run_and_end(2);
    assert_count("a", 1);
    assert_string_equal(hits(js("query=executionId%%3D%s", id)), "0");
}

static void s_only_what_is_polled_is_pending(void **state)
{
    const json_t *ids;

    (void)state;
    save_for_upstream("a");
    pass_time(3 * SPAN_MIN);
    assert_int_equal(world.dispatch_count, 3);
    report_dispatch(
        0, (struct report){.kind = REPORT_ALIVE, .progress = STR("{\"workflowId\":\"w-1\"}")});
    report_dispatch(1, (struct report){.kind = REPORT_DONE, .outcome = OUTCOME_FAILED});
    assert_count("a", 3);
    assert_json("0.state", "'POLLED'");
    assert_json("1.state", "'FAILED'");
    assert_json("2.state", "'EXECUTED'");
    assert_int_equal(get("/api/scheduler/admin/requeue"), 200);
    assert_int_equal(json_integer_value(json_object_get(world.json, "recordIds.size")), 1);
    ids = json_object_get(world.json, "sampleIds");
    assert_int_equal(json_array_size(ids), 1);
}

static void s_records_come_newest_first_up_to_a_limit(void **state)
{
    (void)state;
    save("a", "");
    run_and_end(3); /* ended and open runs are in one list */
    pass_time(2 * SPAN_MIN);
    assert_int_equal(get(SCHEDULES "/a/executions?limit=4"), 200);
    assert_int_equal(json_array_size(world.json), 4);
    for (int i = 0; i < 4; i++)
        assert_string_equal(json_at(js("%d.scheduledTime", i)),
                            js("%lld", 1767607500000LL - i * 60000LL));
}

static void s_the_next_run_time_is_stored(void **state)
{
    (void)state;
    save("a", "");
    pass_time(90 * SPAN_S);
    assert_int_equal(get(SCHEDULES "/a"), 200);
    assert_json("nextRunTime", "1767607320000");
    restart_server(0);
    assert_int_equal(get(SCHEDULES "/a"), 200);
    assert_json("nextRunTime", "1767607320000");
    pass_time(30 * SPAN_S);
    assert_int_equal(get(SCHEDULES "/a"), 200);
    assert_json("nextRunTime", "1767607380000");
}

/* Conductor shows −1; Belfry omits the member, and nothing ever runs. */
static void s_without_a_next_slot_there_is_no_next_run_time(void **state)
{
    (void)state;
    save("a", ",'scheduleEndTime':1767607210000"); /* 10:00:10, before the first minute */
    assert_json("nextRunTime", "absent");
    pass_time(SPAN_H);
    assert_count("a", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(s_what_was_saved_is_found),
        API_TEST(s_what_was_never_saved_is_not_found),
        API_TEST(s_saving_twice_is_one_row_with_the_new_values),
        API_TEST(s_all_of_them_are_listed),
        API_TEST(s_those_of_a_workflow_are_listed),
        API_TEST(s_delete_deletes_five_records),
        API_TEST(s_a_record_is_read_as_it_was_written),
        API_TEST(s_a_record_goes_from_polled_to_executed),
        API_TEST(s_a_record_that_was_removed_is_not_found),
        API_TEST(s_only_what_is_polled_is_pending),
        API_TEST(s_records_come_newest_first_up_to_a_limit),
        API_TEST(s_the_next_run_time_is_stored),
        API_TEST(s_without_a_next_slot_there_is_no_next_run_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
