/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conductor's schedules: save, get, list, delete, pause, resume.
 *
 * Names of tests that begin with s_ are lines of the acceptance list of Conductor's own tests
 * at the version that Belfry imitates; the expected values come from there, or follow from the
 * clock, which starts at 2026-01-05T10:00:00Z = 1767607200000.
 */
#include "conductor.h"

/* ---- save ---- */

static void s_save_sets_org_times_and_the_next_run(void **state)
{
    (void)state;
    assert_int_equal(save("a", ""), 200);
    assert_told("orgId", "'default'");
    assert_told("createTime", "1767607200000");
    assert_told("updatedTime", "1767607200000");
    assert_told("nextRunTime", "1767607260000");
    assert_told("name", "'a'");
    assert_told("cronExpression", "'0 * * * * ?'");
    assert_told("zoneId", "'UTC'");
    assert_told("cronSchedules", "[]");
    assert_told("paused", "false");
    assert_told("runCatchupScheduleInstances", "false");
    assert_told("startWorkflowRequest",
                "{'name':'wf','version':1,'input':{'k':1},'taskToDomain':{},'priority':0}");
    assert_told("pausedReason", "absent");
    assert_told("description", "absent");
    assert_told("scheduleStartTime", "absent");
    assert_string_equal(world.call.content_type, "application/json");
}

static void s_save_without_a_name_is_refused(void **state)
{
    (void)state;
    assert_wrong("{'cronExpression':'0 * * * * ?','startWorkflowRequest':{'name':'wf'}}",
                 "name: the name of a schedule is required");
}

static void s_save_with_a_blank_name_is_refused(void **state)
{
    (void)state;
    assert_int_equal(save("  ", ""), 400);
    assert_told("message", "'name: the name of a schedule is required'");
}

static void s_save_with_an_invalid_cron_is_refused_and_says_cron(void **state)
{
    (void)state;
    assert_wrong("{'name':'a','cronExpression':'not a cron',"
                 "'startWorkflowRequest':{'name':'wf'}}",
                 "Invalid cron expression 'not a cron': ");
    assert_wrong("{'name':'a','cronExpression':'0 61 * * * ?',"
                 "'startWorkflowRequest':{'name':'wf'}}",
                 "Invalid cron expression '0 61 * * * ?': ");
    assert_int_equal(get(S "/a"), 404);
}

static void s_save_without_a_workflow_is_refused(void **state)
{
    (void)state;
    assert_wrong("{'name':'a','cronExpression':'0 * * * * ?'}",
                 "startWorkflowRequest: is required");
    assert_wrong("{'name':'a','cronExpression':'0 * * * * ?','startWorkflowRequest':{}}",
                 "startWorkflowRequest.name: the name of a workflow is required");
}

static void s_save_with_an_unknown_zone_is_refused(void **state)
{
    (void)state;
    assert_wrong("{'name':'a','cronExpression':'0 * * * * ?','zoneId':'Mars/Phobos',"
                 "'startWorkflowRequest':{'name':'wf'}}",
                 "Invalid zoneId 'Mars/Phobos': ");
}

static void s_save_with_the_end_before_the_start_is_refused(void **state)
{
    (void)state;
    assert_int_equal(save("a", ",'scheduleStartTime':1767700000000,"
                               "'scheduleEndTime':1767600000000"),
                     400);
    assert_told("message", "'scheduleEndTime: must be later than scheduleStartTime'");
}

static void s_save_with_the_end_at_the_start_is_refused(void **state)
{
    (void)state;
    assert_int_equal(save("a", ",'scheduleStartTime':1767700000000,"
                               "'scheduleEndTime':1767700000000"),
                     400);
}

static void s_save_with_a_start_to_come_runs_from_then_on(void **state)
{
    (void)state;
    assert_int_equal(save("a", ",'scheduleStartTime':1767700000000"), 200);
    assert_told("nextRunTime", "1767700020000"); /* the first full minute after the start */
    assert_told("scheduleStartTime", "1767700000000");
    assert_int_equal(save("b", ",'scheduleStartTime':1767700020000"), 200);
    assert_told("nextRunTime", "1767700020000"); /* inclusive */
}

static void bounds_of_zero_and_of_no_text_are_none(void **state)
{
    (void)state;
    assert_int_equal(save("a", ",'scheduleStartTime':0,'scheduleEndTime':0"), 200);
    assert_told("nextRunTime", "1767607260000");
    assert_told("scheduleEndTime", "absent");
    assert_int_equal(save("b", ",'scheduleStartTime':'','scheduleEndTime':''"), 200);
    assert_told("nextRunTime", "1767607260000");
    assert_int_equal(save("c", ",'scheduleStartTime':'1767700000000'"), 200);
    assert_told("scheduleStartTime", "1767700000000");
    assert_int_equal(save("d", ",'scheduleStartTime':'soon'"), 400);
}

static void a_cron_of_five_fields_is_taken(void **state)
{
    (void)state;
    assert_int_equal(post(S, js("{'name':'a','cronExpression':'*/5 * * * *',"
                                "'startWorkflowRequest':{'name':'wf'}}")),
                     200);
    assert_told("cronExpression", "'0 */5 * * * *'");
    assert_told("nextRunTime", "1767607500000");
}

static void every_field_comes_back(void **state)
{
    (void)state;
    assert_int_equal(
        post(S, js("{'name':'all','cronExpression':'0 0 9 * * MON-FRI',"
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
    assert_int_equal(get(S "/all"), 200);
    assert_told("startWorkflowRequest",
                "{'name':'wf','version':3,'correlationId':'c-1',"
                "'input':{'a':{'b':[1,2.5,null,'x']}},'taskToDomain':{'*':'dom'},"
                "'priority':7,'workflowDef':{'name':'inline'},"
                "'externalInputPayloadStoragePath':'s3','createdBy':'me',"
                "'idempotencyKey':'k','idempotencyStrategy':'RETURN_EXISTING'}");
    assert_told("zoneId", "'America/New_York'");
    assert_told("cronExpression", "'0 0 9 * * MON-FRI'");
    assert_told("runCatchupScheduleInstances", "true");
    assert_told("scheduleStartTime", "1767607200000");
    assert_told("scheduleEndTime", "1799143200000");
    assert_told("description", "'each day'");
    assert_told("tags", "[{'key':'team','value':'x'}]");
    assert_told("createTime", "1767607200000");
    assert_told("unknownMember", "absent");
    assert_told("nextRunTime", "1767621600000"); /* 09:00 in New York is 14:00 UTC */
}

static void s_the_org_that_a_client_sends_does_not_count(void **state)
{
    (void)state;
    assert_int_equal(save("a", ",'orgId':'evil'"), 200);
    assert_told("orgId", "'default'");
    assert_int_equal(get(S "/a"), 200);
    assert_told("orgId", "'default'");
}

static void a_second_save_keeps_the_creation_and_moves_the_update(void **state)
{
    (void)state;
    assert_int_equal(save("a", ""), 200);
    world.now += 7 * SPAN_S;
    assert_int_equal(save("a", ",'description':'new'"), 200);
    assert_told("createTime", "1767607200000");
    assert_told("updatedTime", "1767607207000");
    assert_told("description", "'new'");
    assert_int_equal(get(S), 200);
    assert_told("1", "absent");
}

static void saving_pauses_and_resumes(void **state)
{
    (void)state;
    assert_int_equal(save("a", ",'paused':true,'pausedReason':'why'"), 200);
    assert_told("paused", "true");
    assert_told("pausedReason", "'why'");
    assert_int_equal(save("a", ""), 200);
    assert_told("paused", "false");
    assert_told("pausedReason", "absent");
    assert_told("nextRunTime", "1767607260000");
    assert_int_equal(save("a", ",'paused':'true'"), 200);
    assert_told("paused", "true");
    pass(5 * SPAN_MIN);
    assert_int_equal(get(S "/a/executions"), 200);
    assert_told("", "[]");
}

static void a_name_of_another_api_is_neither_seen_nor_taken(void **state)
{
    (void)state;
    assert_int_equal(
        post("/api/v1/schedules", js("{'id':'n','spec':{'intervals':[{'every':'1h'}]},"
                                     "'action':{'type':'queue','queue':'q'}}")),
        201);
    assert_int_equal(get(S "/n"), 404);
    assert_int_equal(save("n", ""), 409);
    assert_told("retryable", "false");
    assert_int_equal(ask("DELETE " S "/n", NULL, NULL), 404);
    assert_int_equal(ask("PUT " S "/n/pause", NULL, NULL), 404);
    assert_int_equal(get(S "/n/next-execution-times"), 404);
    assert_int_equal(get(S "/n/executions"), 404);
    assert_int_equal(get(S "/n/tags"), 404);
    assert_int_equal(get(S), 200);
    assert_told("", "[]");
    assert_int_equal(get("/api/v1/schedules/n"), 200);
    assert_told("state.status", "'active'");
}

static void the_native_api_sees_it_and_an_edit_there_does_not_take_it_away(void **state)
{
    (void)state;
    assert_int_equal(save("a", ""), 200);
    assert_int_equal(get("/api/v1/schedules/a"), 200);
    assert_told("state.dialect", "'conductor'");
    assert_told("policies.overlap", "'allowAll'");
    assert_told("policies.catchup.mode", "'oldest'");
    assert_told("policies.retry.attempts", "1");
    assert_told("policies.retention.count", "5");
    assert_int_equal(ask("PATCH /api/v1/schedules/a", NULL, js("{'description':'x'}")), 200);
    assert_told("state.dialect", "'conductor'");
    assert_int_equal(get(S "/a"), 200);
    assert_told("description", "'x'");
}

static void names_that_are_words_of_paths_are_refused(void **state)
{
    (void)state;
    assert_int_equal(save("search", ""), 400);
    assert_int_equal(save("tags", ""), 400);
    assert_int_equal(save("a b/c%", ""), 200);
    assert_int_equal(get(S "/a%20b%2Fc%25"), 200);
    assert_told("name", "'a b/c%'");
}

static void what_is_no_schedule_is_refused(void **state)
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
        if (post(S, js("%s", bodies[i])) != 400)
            fail_msg("%s: %d", bodies[i], world.call.status);
        assert_told("status", "400");
        assert_told("retryable", "false");
    }
}

/* The members that the action cannot express have a common size limit. */
static void a_request_that_is_too_large_is_refused_by_its_name(void **state)
{
    static char text[300 * 1024];

    (void)state;
    memset(text, 'x', sizeof text - 1);
    assert_int_equal(post(S, js("{'name':'a','cronExpression':'0 * * * * ?',"
                                "'startWorkflowRequest':{'name':'wf','workflowDef':'%s'}}",
                                text)),
                     400);
    assert_true(strstr(told("message"), "startWorkflowRequest: ") != NULL);
}

/* Just below the limit, a worker gets all of it. */
static void a_large_request_reaches_the_worker(void **state)
{
    static char text[250 * 1024];

    (void)state;
    memset(text, 'x', sizeof text - 1);
    assert_int_equal(post(S, js("{'name':'a','cronExpression':'0 * * * * ?',"
                                "'startWorkflowRequest':{'name':'wf','workflowDef':'%s',"
                                "'input':{'k':'%s'}}}",
                                text, text)),
                     200);
    pass(SPAN_MIN);
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['wf'],'worker':'w'}")), 200);
    assert_int_equal(strlen(told("runs.0.action.conductor.workflowDef")), sizeof text + 1);
}

/* ---- several expressions ---- */

static void the_list_of_expressions_counts_before_the_one(void **state)
{
    (void)state;
    assert_int_equal(post(S, js("{'name':'m','cronExpression':'0 0 0 1 1 *','cronSchedules':["
                                "{'cronExpression':'0 30 9 * * ?','zoneId':'America/New_York'},"
                                "{'cronExpression':'0 0 12 * * ?'}],"
                                "'startWorkflowRequest':{'name':'wf'}}")),
                     200);
    assert_told("cronSchedules",
                "[{'cronExpression':'0 30 9 * * ?','zoneId':'America/New_York'},"
                "{'cronExpression':'0 0 12 * * ?','zoneId':'UTC'}]");
    assert_told("cronExpression", "'0 0 0 1 1 *'");
    assert_told("nextRunTime", "1767614400000"); /* 12:00 UTC, before 14:30 UTC */
    assert_int_equal(get(S "/m/next-execution-times?count=3"), 200);
    assert_told("", "[1767614400000,1767623400000,1767700800000]");
}

static void a_list_of_one_stays_a_list_and_may_become_one_again(void **state)
{
    (void)state;
    assert_int_equal(post(S, js("{'name':'m','cronSchedules':["
                                "{'cronExpression':'0 0 12 * * ?','zoneId':'UTC'}],"
                                "'startWorkflowRequest':{'name':'wf'}}")),
                     200);
    assert_told("cronSchedules", "[{'cronExpression':'0 0 12 * * ?','zoneId':'UTC'}]");
    assert_told("cronExpression", "absent");
    assert_int_equal(save("m", ""), 200);
    assert_told("cronSchedules", "[]");
    assert_told("cronExpression", "'0 * * * * ?'");
}

static void one_wrong_expression_of_the_list_is_named(void **state)
{
    (void)state;
    assert_wrong("{'name':'m','cronSchedules':[{'cronExpression':'0 0 12 * * ?'},"
                 "{'cronExpression':'0 0 25 * * ?'}],'startWorkflowRequest':{'name':'wf'}}",
                 "Invalid cron expression '0 0 25 * * ?': ");
    assert_wrong("{'name':'m','cronSchedules':[{'cronExpression':'0 0 12 * * ?',"
                 "'zoneId':'Nowhere'}],'startWorkflowRequest':{'name':'wf'}}",
                 "Invalid zoneId 'Nowhere': ");
}

/* ---- get, list, delete ---- */

static void s_get_finds_it(void **state)
{
    (void)state;
    save("a", "");
    assert_int_equal(get(S "/a"), 200);
    assert_told("name", "'a'");
}

static void s_get_of_a_missing_one_is_404(void **state)
{
    (void)state;
    assert_int_equal(get(S "/ghost"), 404);
    assert_told("message", "'Schedule 'ghost' not found'");
    assert_told("status", "404");
    assert_told("retryable", "false");
}

static void save_of(const char *name, const char *workflow)
{
    assert_int_equal(post(S, js("{'name':'%s','cronExpression':'0 * * * * ?',"
                                "'startWorkflowRequest':{'name':'%s'}}",
                                name, workflow)),
                     200);
}

static void s_list_has_all(void **state)
{
    (void)state;
    save_of("b", "two");
    save_of("a", "one");
    assert_int_equal(get(S), 200);
    assert_told("0.name", "'a'");
    assert_told("1.name", "'b'");
    assert_told("2", "absent");
}

static void s_list_by_workflow_is_exact(void **state)
{
    (void)state;
    save_of("b", "two");
    save_of("a", "one");
    assert_int_equal(get(S "?workflowName=two"), 200);
    assert_told("0.name", "'b'");
    assert_told("1", "absent");
    assert_int_equal(get(S "?workflowName=TWO"), 200);
    assert_told("", "[]");
}

static void s_list_with_a_blank_filter_has_all(void **state)
{
    (void)state;
    save_of("b", "two");
    save_of("a", "one");
    assert_int_equal(get(S "?workflowName=%20"), 200);
    assert_told("1.name", "'b'");
    assert_int_equal(get(S "?workflowName="), 200);
    assert_told("1.name", "'b'");
}

static void s_delete_deletes(void **state)
{
    (void)state;
    save("a", "");
    assert_int_equal(ask("DELETE " S "/a", NULL, NULL), 200);
    assert_int_equal(world.call.answer.len, 0);
    assert_null(world.call.content_type);
    assert_int_equal(get(S "/a"), 404);
}

static void s_delete_of_a_missing_one_is_404(void **state)
{
    (void)state;
    assert_int_equal(ask("DELETE " S "/ghost", NULL, NULL), 404);
    assert_told("message", "'Schedule 'ghost' not found'");
}

static void s_delete_takes_its_records_along(void **state)
{
    (void)state;
    save("a", "");
    pass(3 * SPAN_MIN);
    assert_int_equal(get("/api/scheduler/search/executions?freeText=a"), 200);
    assert_told("totalHits", "3");
    assert_int_equal(ask("DELETE " S "/a", NULL, NULL), 200);
    assert_int_equal(get("/api/scheduler/search/executions"), 200);
    assert_told("totalHits", "0");
    assert_int_equal(save("a", ""), 200); /* the name is free again */
    assert_int_equal(get(S "/a/executions"), 200);
    assert_told("", "[]");
}

/* ---- pause and resume ---- */

static void s_pause_with_a_reason(void **state)
{
    (void)state;
    save("a", "");
    assert_int_equal(ask("PUT " S "/a/pause?reason=at%20night", NULL, NULL), 200);
    assert_int_equal(world.call.answer.len, 0);
    assert_int_equal(get(S "/a"), 200);
    assert_told("paused", "true");
    assert_told("pausedReason", "'at night'");
}

static void s_pause_without_a_reason(void **state)
{
    (void)state;
    save("a", "");
    assert_int_equal(ask("PUT " S "/a/pause", NULL, NULL), 200);
    assert_int_equal(get(S "/a"), 200);
    assert_told("paused", "true");
    assert_told("pausedReason", "absent");
}

static void s_pause_of_a_missing_one_is_404(void **state)
{
    (void)state;
    assert_int_equal(ask("PUT " S "/ghost/pause", NULL, NULL), 404);
    assert_int_equal(ask("PUT " S "/ghost/resume", NULL, NULL), 404);
    assert_int_equal(get(S "/ghost/pause"), 404);
    assert_told("message", "'Schedule 'ghost' not found'");
}

static void s_resume_clears_flag_and_reason(void **state)
{
    (void)state;
    save("a", "");
    ask("PUT " S "/a/pause?reason=x", NULL, NULL);
    assert_int_equal(ask("PUT " S "/a/resume", NULL, NULL), 200);
    assert_int_equal(get(S "/a"), 200);
    assert_told("paused", "false");
    assert_told("pausedReason", "absent");
}

static void pausing_and_resuming_work_by_get_and_twice(void **state)
{
    (void)state;
    save("a", "");
    assert_int_equal(get(S "/a/pause?reason=one"), 200);
    assert_int_equal(get(S "/a/pause?reason=two"), 200);
    assert_int_equal(get(S "/a"), 200);
    assert_told("pausedReason", "'two'");
    assert_int_equal(get(S "/a/resume"), 200);
    assert_int_equal(get(S "/a/resume"), 200); /* idempotent */
    assert_int_equal(get(S "/a"), 200);
    assert_told("paused", "false");
}

static void s_resume_without_catch_up_goes_on_in_the_future(void **state)
{
    (void)state;
    save("a", "");
    ask("PUT " S "/a/pause", NULL, NULL);
    pass(5 * SPAN_MIN + 30 * SPAN_S);
    assert_int_equal(ask("PUT " S "/a/resume", NULL, NULL), 200);
    assert_int_equal(get(S "/a"), 200);
    assert_told("nextRunTime", "1767607560000"); /* 10:06 */
    pass(0);
    assert_int_equal(get(S "/a/executions"), 200);
    assert_told("", "[]");
}

static void s_resume_with_catch_up_replays_what_was_missed(void **state)
{
    (void)state;
    save("a", ",'runCatchupScheduleInstances':true");
    ask("PUT " S "/a/pause", NULL, NULL);
    pass(5 * SPAN_MIN + 30 * SPAN_S);
    assert_int_equal(ask("PUT " S "/a/resume", NULL, NULL), 200);
    pass(0);
    assert_int_equal(get(S "/a/executions"), 200);
    assert_told("4.scheduledTime", "1767607260000"); /* 10:01 */
    assert_told("0.scheduledTime", "1767607500000"); /* 10:05 */
    assert_told("5", "absent");
}

static void saving_again_discards_what_was_missed(void **state)
{
    (void)state;
    save("a", ",'runCatchupScheduleInstances':true");
    ask("PUT " S "/a/pause", NULL, NULL);
    pass(5 * SPAN_MIN + 30 * SPAN_S);
    assert_int_equal(save("a", ",'runCatchupScheduleInstances':true"), 200);
    assert_told("nextRunTime", "1767607560000");
    pass(0);
    assert_int_equal(get(S "/a/executions"), 200);
    assert_told("", "[]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(s_save_sets_org_times_and_the_next_run),
        SERVED(s_save_without_a_name_is_refused),
        SERVED(s_save_with_a_blank_name_is_refused),
        SERVED(s_save_with_an_invalid_cron_is_refused_and_says_cron),
        SERVED(s_save_without_a_workflow_is_refused),
        SERVED(s_save_with_an_unknown_zone_is_refused),
        SERVED(s_save_with_the_end_before_the_start_is_refused),
        SERVED(s_save_with_the_end_at_the_start_is_refused),
        SERVED(s_save_with_a_start_to_come_runs_from_then_on),
        SERVED(bounds_of_zero_and_of_no_text_are_none),
        SERVED(a_cron_of_five_fields_is_taken),
        SERVED(every_field_comes_back),
        SERVED(s_the_org_that_a_client_sends_does_not_count),
        SERVED(a_second_save_keeps_the_creation_and_moves_the_update),
        SERVED(saving_pauses_and_resumes),
        SERVED(a_name_of_another_api_is_neither_seen_nor_taken),
        SERVED(the_native_api_sees_it_and_an_edit_there_does_not_take_it_away),
        SERVED(names_that_are_words_of_paths_are_refused),
        SERVED(what_is_no_schedule_is_refused),
        SERVED(a_request_that_is_too_large_is_refused_by_its_name),
        SERVED(a_large_request_reaches_the_worker),
        SERVED(the_list_of_expressions_counts_before_the_one),
        SERVED(a_list_of_one_stays_a_list_and_may_become_one_again),
        SERVED(one_wrong_expression_of_the_list_is_named),
        SERVED(s_get_finds_it),
        SERVED(s_get_of_a_missing_one_is_404),
        SERVED(s_list_has_all),
        SERVED(s_list_by_workflow_is_exact),
        SERVED(s_list_with_a_blank_filter_has_all),
        SERVED(s_delete_deletes),
        SERVED(s_delete_of_a_missing_one_is_404),
        SERVED(s_delete_takes_its_records_along),
        SERVED(s_pause_with_a_reason),
        SERVED(s_pause_without_a_reason),
        SERVED(s_pause_of_a_missing_one_is_404),
        SERVED(s_resume_clears_flag_and_reason),
        SERVED(pausing_and_resuming_work_by_get_and_twice),
        SERVED(s_resume_without_catch_up_goes_on_in_the_future),
        SERVED(s_resume_with_catch_up_replays_what_was_missed),
        SERVED(saving_again_discards_what_was_missed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
