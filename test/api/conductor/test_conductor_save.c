/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conductor's schedules: save, get, list, delete, pause, resume.
 *
 * Tests whose names begin with s_ are rows of test/mission/conductor.txt.  The expected values
 * come from Conductor's own tests, or follow from the clock, which starts at
 * 2026-01-05T10:00:00Z = 1767607200000.
 */
#include "conductor.h"

#include "model/action.h"

/* ---- save ---- */

static void s_save_sets_times_and_the_next_run(void **state)
{
    (void)state;
    assert_int_equal(save("a", ""), 200);
    assert_json("orgId", "absent");
    assert_json("createTime", "1767607200000");
    assert_json("updatedTime", "1767607200000");
    assert_json("nextRunTime", "1767607260000");
    assert_json("name", "'a'");
    assert_json("cronExpression", "'0 * * * * ?'");
    assert_json("zoneId", "'UTC'");
    assert_json("cronSchedules", "[]");
    assert_json("paused", "false");
    assert_json("runCatchupScheduleInstances", "false");
    assert_json("startWorkflowRequest",
                "{'name':'wf','version':1,'input':{'k':1},'taskToDomain':{},'priority':0}");
    assert_json("pausedReason", "absent");
    assert_json("description", "absent");
    assert_json("scheduleStartTime", "absent");
    assert_string_equal(world.call.content_type, "application/json");
}

static void s_save_without_a_name_is_refused(void **state)
{
    (void)state;
    assert_save_refused("{'cronExpression':'0 * * * * ?','startWorkflowRequest':{'name':'wf'}}",
                        "name: the name of a schedule is required");
}

static void s_save_with_a_blank_name_is_refused(void **state)
{
    (void)state;
    assert_int_equal(save("  ", ""), 400);
    assert_json("message", "'name: the name of a schedule is required'");
}

static void s_save_with_an_invalid_cron_is_refused_and_says_cron(void **state)
{
    (void)state;
    assert_save_refused("{'name':'a','cronExpression':'not a cron',"
                        "'startWorkflowRequest':{'name':'wf'}}",
                        "Invalid cron expression 'not a cron': ");
    assert_save_refused("{'name':'a','cronExpression':'0 61 * * * ?',"
                        "'startWorkflowRequest':{'name':'wf'}}",
                        "Invalid cron expression '0 61 * * * ?': ");
    assert_int_equal(get(SCHEDULES "/a"), 404);
}

static void s_save_without_a_workflow_is_refused(void **state)
{
    (void)state;
    assert_save_refused("{'name':'a','cronExpression':'0 * * * * ?'}",
                        "startWorkflowRequest: is required");
    assert_save_refused("{'name':'a','cronExpression':'0 * * * * ?','startWorkflowRequest':{}}",
                        "startWorkflowRequest.name: the name of a workflow is required");
}

static void s_save_with_an_unknown_zone_is_refused(void **state)
{
    (void)state;
    assert_save_refused("{'name':'a','cronExpression':'0 * * * * ?','zoneId':'Mars/Phobos',"
                        "'startWorkflowRequest':{'name':'wf'}}",
                        "Invalid zoneId 'Mars/Phobos': ");
}

static void s_save_with_the_end_before_the_start_is_refused(void **state)
{
    (void)state;
    assert_int_equal(save("a", ",'scheduleStartTime':1767700000000,"
                               "'scheduleEndTime':1767600000000"),
                     400);
    assert_json("message", "'scheduleEndTime: must be later than scheduleStartTime'");
}

static void s_save_with_the_end_at_the_start_is_refused(void **state)
{
    (void)state;
    assert_int_equal(save("a", ",'scheduleStartTime':1767700000000,"
                               "'scheduleEndTime':1767700000000"),
                     400);
}

static void s_save_with_a_future_start_runs_from_then_on(void **state)
{
    (void)state;
    assert_int_equal(save("a", ",'scheduleStartTime':1767700000000"), 200);
    assert_json("nextRunTime", "1767700020000"); /* the first full minute after the start */
    assert_json("scheduleStartTime", "1767700000000");
    assert_int_equal(save("b", ",'scheduleStartTime':1767700020000"), 200);
    assert_json("nextRunTime", "1767700020000"); /* inclusive */
}

static void bounds_that_are_zero_or_empty_are_ignored(void **state)
{
    (void)state;
    assert_int_equal(save("a", ",'scheduleStartTime':0,'scheduleEndTime':0"), 200);
    assert_json("nextRunTime", "1767607260000");
    assert_json("scheduleEndTime", "absent");
    assert_int_equal(save("b", ",'scheduleStartTime':'','scheduleEndTime':''"), 200);
    assert_json("nextRunTime", "1767607260000");
    assert_int_equal(save("c", ",'scheduleStartTime':'1767700000000'"), 200);
    assert_json("scheduleStartTime", "1767700000000");
    assert_int_equal(save("d", ",'scheduleStartTime':'soon'"), 400);
}

static void a_cron_expression_of_five_fields_is_accepted(void **state)
{
    (void)state;
    assert_int_equal(post(SCHEDULES, js("{'name':'a','cronExpression':'*/5 * * * *',"
                                        "'startWorkflowRequest':{'name':'wf'}}")),
                     200);
    assert_json("cronExpression", "'0 */5 * * * *'");
    assert_json("nextRunTime", "1767607500000");
}

static void every_field_comes_back(void **state)
{
    (void)state;
    assert_int_equal(
        post(SCHEDULES,
             js("{'name':'all','cronExpression':'0 0 9 * * MON-FRI',"
                "'zoneId':'America/New_York','runCatchupScheduleInstances':true,"
                "'scheduleStartTime':1767607200000,'scheduleEndTime':1799143200000,"
                "'description':'each day','tags':[{'key':'team','value':'x'}],"
                "'unknownMember':[1],'orgId':'mine','createTime':1,"
                "'startWorkflowRequest':{'name':'wf','version':3,'correlationId':'c-1',"
                "'input':{'a':{'b':[1,2.5,null,'x']}},'taskToDomain':{'*':'dom'},"
                "'priority':7,'workflowDef':{'name':'inline'},"
                "'externalInputPayloadStoragePath':'s3','createdBy':'me',"
                "'idempotencyKey':'k','idempotencyStrategy':'RETURN_EXISTING'}}")),
        200);
    assert_int_equal(get(SCHEDULES "/all"), 200);
    assert_json("startWorkflowRequest",
                "{'name':'wf','version':3,'correlationId':'c-1',"
                "'input':{'a':{'b':[1,2.5,null,'x']}},'taskToDomain':{'*':'dom'},"
                "'priority':7,'workflowDef':{'name':'inline'},"
                "'externalInputPayloadStoragePath':'s3','createdBy':'me',"
                "'idempotencyKey':'k','idempotencyStrategy':'RETURN_EXISTING'}");
    assert_json("zoneId", "'America/New_York'");
    assert_json("cronExpression", "'0 0 9 * * MON-FRI'");
    assert_json("runCatchupScheduleInstances", "true");
    assert_json("scheduleStartTime", "1767607200000");
    assert_json("scheduleEndTime", "1799143200000");
    assert_json("description", "'each day'");
    assert_json("tags", "[{'key':'team','value':'x'}]");
    assert_json("createTime", "1767607200000");
    assert_json("unknownMember", "absent");
    assert_json("nextRunTime", "1767621600000"); /* 09:00 in New York is 14:00 UTC */
}

static void s_the_org_of_a_request_is_ignored(void **state)
{
    (void)state;
    assert_int_equal(save("a", ",'orgId':'evil'"), 200);
    assert_json("orgId", "absent");
    assert_int_equal(get(SCHEDULES "/a"), 200);
    assert_json("orgId", "absent");
}

static void a_second_save_keeps_create_time_and_sets_updated_time(void **state)
{
    (void)state;
    assert_int_equal(save("a", ""), 200);
    world.now += 7 * SPAN_S;
    assert_int_equal(save("a", ",'description':'new'"), 200);
    assert_json("createTime", "1767607200000");
    assert_json("updatedTime", "1767607207000");
    assert_json("description", "'new'");
    assert_int_equal(get(SCHEDULES), 200);
    assert_json("1", "absent");
}

static void saving_pauses_and_resumes(void **state)
{
    (void)state;
    assert_int_equal(save("a", ",'paused':true,'pausedReason':'why'"), 200);
    assert_json("paused", "true");
    assert_json("pausedReason", "'why'");
    assert_int_equal(save("a", ""), 200);
    assert_json("paused", "false");
    assert_json("pausedReason", "absent");
    assert_json("nextRunTime", "1767607260000");
    assert_int_equal(save("a", ",'paused':'true'"), 200);
    assert_json("paused", "true");
    pass_time(5 * SPAN_MIN);
    assert_int_equal(get(SCHEDULES "/a/executions"), 200);
    assert_json("", "[]");
}

static void a_name_of_another_api_is_neither_seen_nor_taken(void **state)
{
    (void)state;
    assert_int_equal(
        post("/api/v1/schedules", js("{'id':'n','spec':{'intervals':[{'every':'1h'}]},"
                                     "'action':{'type':'queue','queue':'q'}}")),
        201);
    assert_int_equal(get(SCHEDULES "/n"), 404);
    assert_int_equal(save("n", ""), 409);
    assert_json("retryable", "false");
    assert_int_equal(ask("DELETE " SCHEDULES "/n", NULL, NULL), 404);
    assert_int_equal(ask("PUT " SCHEDULES "/n/pause", NULL, NULL), 404);
    assert_int_equal(get(SCHEDULES "/n/next-execution-times"), 404);
    assert_int_equal(get(SCHEDULES "/n/executions"), 404);
    assert_int_equal(get(SCHEDULES "/n/tags"), 404);
    assert_int_equal(get(SCHEDULES), 200);
    assert_json("", "[]");
    assert_int_equal(get("/api/v1/schedules/n"), 200);
    assert_json("state.status", "'active'");
}

static void a_native_edit_keeps_the_dialect_of_a_schedule(void **state)
{
    (void)state;
    assert_int_equal(save("a", ""), 200);
    assert_int_equal(get("/api/v1/schedules/a"), 200);
    assert_json("state.dialect", "'conductor'");
    assert_json("policies.overlap", "'allowAll'");
    assert_json("policies.catchup.mode", "'oldest'");
    assert_json("policies.retry.attempts", "1");
    assert_json("policies.retention.count", "5");
    assert_int_equal(ask("PATCH /api/v1/schedules/a", NULL, js("{'description':'x'}")), 200);
    assert_json("state.dialect", "'conductor'");
    assert_int_equal(get(SCHEDULES "/a"), 200);
    assert_json("description", "'x'");
}

static void names_that_are_path_segments_are_refused(void **state)
{
    (void)state;
    assert_int_equal(save("search", ""), 400);
    assert_int_equal(save("tags", ""), 400);
    assert_int_equal(save("a b/c%", ""), 200);
    assert_int_equal(get(SCHEDULES "/a%20b%2Fc%25"), 200);
    assert_json("name", "'a b/c%'");
}

static void invalid_schedules_are_refused(void **state)
{
    static const char *const bodies[] = {
        "",
        "[]",
        "nonsense",
        "{'name':1}",
        "{'name':'a','cronExpression':7}",
        "{'name':'a','cronExpression':'0 * * * * ?','startWorkflowRequest':[]}",
        "{'name':'a','cronExpression':'0 * * * * ?','paused':3,"
        "'startWorkflowRequest':{'name':'w'}}",
        "{'name':'a','cronExpression':'0 * * * * ?',"
        "'startWorkflowRequest':{'name':'w','input':[]}}",
        "{'name':'a','cronExpression':'0 * * * * ?',"
        "'startWorkflowRequest':{'name':'w','version':'x'}}",
        "{'name':'a','cronSchedules':7,'startWorkflowRequest':{'name':'w'}}",
        "{'name':'a','cronSchedules':[{}],'startWorkflowRequest':{'name':'w'}}",
        "{'name':'a','cronExpression':'0 * * * * ?','scheduleEndTime':-1,"
        "'startWorkflowRequest':{'name':'w'}}",
        "{'name':'a','cronExpression':'0 * * * * ?','tags':[{'value':'x'}],"
        "'startWorkflowRequest':{'name':'w'}}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        if (post(SCHEDULES, js("%s", bodies[i])) != 400)
            fail_msg("%s: %d", bodies[i], world.call.status);
        assert_json("status", "400");
        assert_json("retryable", "false");
    }
}

/* The members that the action cannot express have a common size limit. */
static void a_start_request_that_is_too_large_is_refused(void **state)
{
    static char text[WORKFLOW_INPUT_MAX];

    (void)state;
    memset(text, 'x', sizeof text - 1);
    assert_int_equal(
        post(SCHEDULES, js("{'name':'a','cronExpression':'0 * * * * ?',"
                           "'startWorkflowRequest':{'name':'wf','workflowDef':'%s'}}",
                           text)),
        400);
    assert_true(strstr(json_at("message"), "startWorkflowRequest: ") != NULL);
}

/* Just below the limit, a worker gets all of it. */
static void a_large_request_reaches_the_worker(void **state)
{
    static char text[250 * 1024];

    (void)state;
    memset(text, 'x', sizeof text - 1);
    assert_int_equal(
        post(SCHEDULES, js("{'name':'a','cronExpression':'0 * * * * ?',"
                           "'startWorkflowRequest':{'name':'wf','workflowDef':'%s',"
                           "'input':{'k':'%s'}}}",
                           text, text)),
        200);
    pass_time(SPAN_MIN);
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['wf'],'worker':'w'}")), 200);
    assert_int_equal(strlen(json_at("runs.0.action.conductor.workflowDef")), sizeof text + 1);
}

/* ---- several expressions ---- */

static void cron_schedules_override_cron_expression(void **state)
{
    (void)state;
    assert_int_equal(
        post(SCHEDULES, js("{'name':'m','cronExpression':'0 0 0 1 1 *','cronSchedules':["
                           "{'cronExpression':'0 30 9 * * ?','zoneId':'America/New_York'},"
                           "{'cronExpression':'0 0 12 * * ?'}],"
                           "'startWorkflowRequest':{'name':'wf'}}")),
        200);
    assert_json("cronSchedules",
                "[{'cronExpression':'0 30 9 * * ?','zoneId':'America/New_York'},"
                "{'cronExpression':'0 0 12 * * ?','zoneId':'UTC'}]");
    assert_json("cronExpression", "'0 0 0 1 1 *'");
    assert_json("nextRunTime", "1767614400000"); /* 12:00 UTC, before 14:30 UTC */
    assert_int_equal(get(SCHEDULES "/m/next-execution-times?count=3"), 200);
    assert_json("", "[1767614400000,1767623400000,1767700800000]");
}

static void a_list_of_one_expression_stays_a_list_until_it_is_replaced(void **state)
{
    (void)state;
    assert_int_equal(post(SCHEDULES, js("{'name':'m','cronSchedules':["
                                        "{'cronExpression':'0 0 12 * * ?','zoneId':'UTC'}],"
                                        "'startWorkflowRequest':{'name':'wf'}}")),
                     200);
    assert_json("cronSchedules", "[{'cronExpression':'0 0 12 * * ?','zoneId':'UTC'}]");
    assert_json("cronExpression", "absent");
    assert_int_equal(save("m", ""), 200);
    assert_json("cronSchedules", "[]");
    assert_json("cronExpression", "'0 * * * * ?'");
}

static void errors_name_the_expression_of_a_list(void **state)
{
    (void)state;
    assert_save_refused(
        "{'name':'m','cronSchedules':[{'cronExpression':'0 0 12 * * ?'},"
        "{'cronExpression':'0 0 25 * * ?'}],'startWorkflowRequest':{'name':'wf'}}",
        "Invalid cron expression '0 0 25 * * ?': ");
    assert_save_refused("{'name':'m','cronSchedules':[{'cronExpression':'0 0 12 * * ?',"
                        "'zoneId':'Nowhere'}],'startWorkflowRequest':{'name':'wf'}}",
                        "Invalid zoneId 'Nowhere': ");
}

/* ---- get, list, delete ---- */

static void s_get_finds_it(void **state)
{
    (void)state;
    save("a", "");
    assert_int_equal(get(SCHEDULES "/a"), 200);
    assert_json("name", "'a'");
}

static void s_get_of_a_missing_one_is_404(void **state)
{
    (void)state;
    assert_int_equal(get(SCHEDULES "/ghost"), 404);
    assert_json("message", "'Schedule 'ghost' not found'");
    assert_json("status", "404");
    assert_json("retryable", "false");
}

static void save_of(const char *name, const char *workflow)
{
    assert_int_equal(post(SCHEDULES, js("{'name':'%s','cronExpression':'0 * * * * ?',"
                                        "'startWorkflowRequest':{'name':'%s'}}",
                                        name, workflow)),
                     200);
}

static void s_list_has_all(void **state)
{
    (void)state;
    save_of("b", "two");
    save_of("a", "one");
    assert_int_equal(get(SCHEDULES), 200);
    assert_json("0.name", "'a'");
    assert_json("1.name", "'b'");
    assert_json("2", "absent");
}

static void s_list_by_workflow_is_exact(void **state)
{
    (void)state;
    save_of("b", "two");
    save_of("a", "one");
    assert_int_equal(get(SCHEDULES "?workflowName=two"), 200);
    assert_json("0.name", "'b'");
    assert_json("1", "absent");
    assert_int_equal(get(SCHEDULES "?workflowName=TWO"), 200);
    assert_json("", "[]");
}

static void s_list_with_a_blank_filter_has_all(void **state)
{
    (void)state;
    save_of("b", "two");
    save_of("a", "one");
    assert_int_equal(get(SCHEDULES "?workflowName=%20"), 200);
    assert_json("1.name", "'b'");
    assert_int_equal(get(SCHEDULES "?workflowName="), 200);
    assert_json("1.name", "'b'");
}

static void s_delete_deletes(void **state)
{
    (void)state;
    save("a", "");
    assert_int_equal(ask("DELETE " SCHEDULES "/a", NULL, NULL), 200);
    assert_int_equal(world.call.answer.len, 0);
    assert_null(world.call.content_type);
    assert_int_equal(get(SCHEDULES "/a"), 404);
}

static void s_delete_of_a_missing_one_is_404(void **state)
{
    (void)state;
    assert_int_equal(ask("DELETE " SCHEDULES "/ghost", NULL, NULL), 404);
    assert_json("message", "'Schedule 'ghost' not found'");
}

static void s_delete_deletes_its_records(void **state)
{
    (void)state;
    save("a", "");
    pass_time(3 * SPAN_MIN);
    assert_int_equal(get("/api/scheduler/search/executions?freeText=a"), 200);
    assert_json("totalHits", "3");
    assert_int_equal(ask("DELETE " SCHEDULES "/a", NULL, NULL), 200);
    assert_int_equal(get("/api/scheduler/search/executions"), 200);
    assert_json("totalHits", "0");
    assert_int_equal(save("a", ""), 200); /* the name is free again */
    assert_int_equal(get(SCHEDULES "/a/executions"), 200);
    assert_json("", "[]");
}

/* ---- pause and resume ---- */

static void s_pause_with_a_reason(void **state)
{
    (void)state;
    save("a", "");
    assert_int_equal(ask("PUT " SCHEDULES "/a/pause?reason=at%20night", NULL, NULL), 200);
    assert_int_equal(world.call.answer.len, 0);
    assert_int_equal(get(SCHEDULES "/a"), 200);
    assert_json("paused", "true");
    assert_json("pausedReason", "'at night'");
}

static void s_pause_without_a_reason(void **state)
{
    (void)state;
    save("a", "");
    assert_int_equal(ask("PUT " SCHEDULES "/a/pause", NULL, NULL), 200);
    assert_int_equal(get(SCHEDULES "/a"), 200);
    assert_json("paused", "true");
    assert_json("pausedReason", "absent");
}

static void s_pause_of_a_missing_one_is_404(void **state)
{
    (void)state;
    assert_int_equal(ask("PUT " SCHEDULES "/ghost/pause", NULL, NULL), 404);
    assert_int_equal(ask("PUT " SCHEDULES "/ghost/resume", NULL, NULL), 404);
    assert_int_equal(get(SCHEDULES "/ghost/pause"), 404);
    assert_json("message", "'Schedule 'ghost' not found'");
}

static void s_resume_clears_flag_and_reason(void **state)
{
    (void)state;
    save("a", "");
    ask("PUT " SCHEDULES "/a/pause?reason=x", NULL, NULL);
    assert_int_equal(ask("PUT " SCHEDULES "/a/resume", NULL, NULL), 200);
    assert_int_equal(get(SCHEDULES "/a"), 200);
    assert_json("paused", "false");
    assert_json("pausedReason", "absent");
}

static void pause_and_resume_work_by_get_and_are_idempotent(void **state)
{
    (void)state;
    save("a", "");
    assert_int_equal(get(SCHEDULES "/a/pause?reason=one"), 200);
    assert_int_equal(get(SCHEDULES "/a/pause?reason=two"), 200);
    assert_int_equal(get(SCHEDULES "/a"), 200);
    assert_json("pausedReason", "'two'");
    assert_int_equal(get(SCHEDULES "/a/resume"), 200);
    assert_int_equal(get(SCHEDULES "/a/resume"), 200); /* idempotent */
    assert_int_equal(get(SCHEDULES "/a"), 200);
    assert_json("paused", "false");
}

static void s_resume_without_catch_up_continues_with_the_next_slot(void **state)
{
    (void)state;
    save("a", "");
    ask("PUT " SCHEDULES "/a/pause", NULL, NULL);
    pass_time(5 * SPAN_MIN + 30 * SPAN_S);
    assert_int_equal(ask("PUT " SCHEDULES "/a/resume", NULL, NULL), 200);
    assert_int_equal(get(SCHEDULES "/a"), 200);
    assert_json("nextRunTime", "1767607560000"); /* 10:06 */
    pass_time(0);
    assert_int_equal(get(SCHEDULES "/a/executions"), 200);
    assert_json("", "[]");
}

static void s_resume_with_catch_up_replays_what_was_missed(void **state)
{
    (void)state;
    save("a", ",'runCatchupScheduleInstances':true");
    ask("PUT " SCHEDULES "/a/pause", NULL, NULL);
    pass_time(5 * SPAN_MIN + 30 * SPAN_S);
    assert_int_equal(ask("PUT " SCHEDULES "/a/resume", NULL, NULL), 200);
    pass_time(0);
    assert_int_equal(get(SCHEDULES "/a/executions"), 200);
    assert_json("4.scheduledTime", "1767607260000"); /* 10:01 */
    assert_json("0.scheduledTime", "1767607500000"); /* 10:05 */
    assert_json("5", "absent");
}

static void saving_again_discards_what_was_missed(void **state)
{
    (void)state;
    save("a", ",'runCatchupScheduleInstances':true");
    ask("PUT " SCHEDULES "/a/pause", NULL, NULL);
    pass_time(5 * SPAN_MIN + 30 * SPAN_S);
    assert_int_equal(save("a", ",'runCatchupScheduleInstances':true"), 200);
    assert_json("nextRunTime", "1767607560000");
    pass_time(0);
    assert_int_equal(get(SCHEDULES "/a/executions"), 200);
    assert_json("", "[]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(s_save_sets_times_and_the_next_run),
        API_TEST(s_save_without_a_name_is_refused),
        API_TEST(s_save_with_a_blank_name_is_refused),
        API_TEST(s_save_with_an_invalid_cron_is_refused_and_says_cron),
        API_TEST(s_save_without_a_workflow_is_refused),
        API_TEST(s_save_with_an_unknown_zone_is_refused),
        API_TEST(s_save_with_the_end_before_the_start_is_refused),
        API_TEST(s_save_with_the_end_at_the_start_is_refused),
        API_TEST(s_save_with_a_future_start_runs_from_then_on),
        API_TEST(bounds_that_are_zero_or_empty_are_ignored),
        API_TEST(a_cron_expression_of_five_fields_is_accepted),
        API_TEST(every_field_comes_back),
        API_TEST(s_the_org_of_a_request_is_ignored),
        API_TEST(a_second_save_keeps_create_time_and_sets_updated_time),
        API_TEST(saving_pauses_and_resumes),
        API_TEST(a_name_of_another_api_is_neither_seen_nor_taken),
        API_TEST(a_native_edit_keeps_the_dialect_of_a_schedule),
        API_TEST(names_that_are_path_segments_are_refused),
        API_TEST(invalid_schedules_are_refused),
        API_TEST(a_start_request_that_is_too_large_is_refused),
        API_TEST(a_large_request_reaches_the_worker),
        API_TEST(cron_schedules_override_cron_expression),
        API_TEST(a_list_of_one_expression_stays_a_list_until_it_is_replaced),
        API_TEST(errors_name_the_expression_of_a_list),
        API_TEST(s_get_finds_it),
        API_TEST(s_get_of_a_missing_one_is_404),
        API_TEST(s_list_has_all),
        API_TEST(s_list_by_workflow_is_exact),
        API_TEST(s_list_with_a_blank_filter_has_all),
        API_TEST(s_delete_deletes),
        API_TEST(s_delete_of_a_missing_one_is_404),
        API_TEST(s_delete_deletes_its_records),
        API_TEST(s_pause_with_a_reason),
        API_TEST(s_pause_without_a_reason),
        API_TEST(s_pause_of_a_missing_one_is_404),
        API_TEST(s_resume_clears_flag_and_reason),
        API_TEST(pause_and_resume_work_by_get_and_are_idempotent),
        API_TEST(s_resume_without_catch_up_continues_with_the_next_slot),
        API_TEST(s_resume_with_catch_up_replays_what_was_missed),
        API_TEST(saving_again_discards_what_was_missed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
