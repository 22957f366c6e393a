/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of test/mission/conductor.txt of groups M (m_) and H (h_, the current Conductor)
 * that no other file has.  Where Conductor starts early, runs twice or loses a slot, the tests
 * show what Belfry does instead.  10:00 is 1767607200000.
 */
#include "conductor.h"

#include "core/time/text.h"

#define NEXT "/api/scheduler/nextFewSchedules"
#define BULK "/api/scheduler/bulk/"

static void save_cron(const char *name, const char *cron, const char *more)
{
    assert_int_equal(post(SCHEDULES, js("{'name':'%s','cronExpression':'%s',"
                                        "'startWorkflowRequest':{'name':'wf','version':1}%s}",
                                        name, cron, more)),
                     200);
}

static void begin_at(const char *text)
{
    struct err err;

    assert_int_equal(instant_parse(str_of(text), &world.now, &err), RC_OK);
}

/* ---- the next run ---- */

static void m_the_stored_next_run_time_is_the_one_returned(void **state)
{
    char said[32];

    (void)state;
    save_cron("a", "0 0 9 * * MON", "");
    snprintf(said, sizeof said, "%s", json_at("nextRunTime"));
    assert_string_equal(said, "1768208400000"); /* 2026-01-12T09:00Z */
    assert_int_equal(get(SCHEDULES "/a"), 200);
    assert_json("nextRunTime", said);
    assert_int_equal(get(SCHEDULES "/a/next-execution-times?count=1"), 200);
    assert_json("0", said);
}

static void h_a_daily_schedule_runs_at_midnight_and_shows_the_next_run(void **state)
{
    (void)state;
    save_cron("a", "0 0 0 * * *", "");
    assert_json("nextRunTime", "1767657600000"); /* 2026-01-06T00:00Z */
    pass_time(14 * SPAN_H);
    assert_count("a", 1);
    assert_json("0.scheduledTime", "1767657600000");
    assert_json("0.state", "'EXECUTED'");
    assert_int_equal(get(SCHEDULES "/a"), 200);
    assert_json("nextRunTime", "1767744000000");
}

static void h_a_start_twenty_seconds_ahead_is_the_first_run(void **state)
{
    (void)state;
    save_cron("a", "* * * * * *", ",'scheduleStartTime':1767607220000");
    assert_json("nextRunTime", "1767607220000");
}

static void h_at_the_end_there_is_no_next_run(void **state)
{
    (void)state;
    save_cron("a", "* * * * * *", ",'scheduleEndTime':1767607200000");
    assert_json("nextRunTime", "absent");
}

/* Nothing starts before its time, not even half a second. */
static void h_nothing_starts_before_its_slot(void **state)
{
    static const span early[] = {6500, 2500, 900, 500, 1};

    (void)state;
    save("a", "");
    for (int i = 0; i < 5; i++) {
        pass_time(INT64_C(1767607260000000) - early[i] * SPAN_MS - world.now);
        assert_count("a", 0);
    }
    pass_time(SPAN_MS);
    assert_count("a", 1);
    assert_json("0.executionTime", "1767607260000");
}

static void h_six_in_the_morning_stays_six_after_a_clock_change(void **state)
{
    (void)state;
    begin_at("2026-03-07T00:00:00Z");
    save_cron("a", "0 0 6 * * *", ",'zoneId':'America/New_York'");
    assert_int_equal(get(SCHEDULES "/a/next-execution-times?count=3"), 200);
    assert_json("", "[1772881200000,1772964000000,1773050400000]"); /* 11:00Z, 10:00Z, 10:00Z */
}

/* The server is down for 35 s and misses the slots at 10, 20 and 30 s. */
static void h_after_a_catch_up_the_next_run_is_the_next_slot(void **state)
{
    (void)state;
    save_cron("a", "*/10 * * * * *", ",'runCatchupScheduleInstances':true");
    be_down(35 * SPAN_S);
    pass_time(0);
    assert_count("a", 3);
    assert_json("2.scheduledTime", "1767607210000");
    assert_json("1.scheduledTime", "1767607220000");
    assert_json("0.scheduledTime", "1767607230000");
    assert_int_equal(get(SCHEDULES "/a"), 200);
    assert_json("nextRunTime", "1767607240000");
}

/* ---- previews ---- */

static void m_a_preview_has_up_to_the_limit(void **state)
{
    (void)state;
    assert_int_equal(get(NEXT "?cronExpression=0+*+*+*+*+*&limit=2"), 200);
    assert_json("", "[1767607260000,1767607320000]");
}

static void m_a_preview_from_a_start(void **state)
{
    (void)state;
    assert_int_equal(
        get(NEXT "?cronExpression=0+*+*+*+*+*&scheduleStartTime=1767610800000&limit=1"), 200);
    assert_json("", "[1767610800000]");
}

static void m_a_preview_of_none(void **state)
{
    (void)state;
    assert_int_equal(get(NEXT "?cronExpression=0+*+*+*+*+*&limit=0"), 200);
    assert_json("", "[]");
}

static void h_a_preview_stops_at_the_end(void **state)
{
    (void)state;
    assert_int_equal(
        get(NEXT "?cronExpression=0+*+*+*+*+*&limit=5&scheduleEndTime=1767607320000"), 200);
    assert_json("", "[1767607260000,1767607320000]");
}

/* ---- pause ---- */

static void h_a_schedule_that_is_made_paused_waits(void **state)
{
    (void)state;
    save("a", ",'paused':true");
    pass_time(SPAN_H);
    assert_count("a", 0);
}

static void h_an_update_to_paused_stops_it(void **state)
{
    (void)state;
    save("a", "");
    pass_time(SPAN_MIN);
    save("a", ",'paused':true");
    pass_time(SPAN_H);
    assert_count("a", 1);
}

static void h_a_slot_just_after_a_pause_does_not_run(void **state)
{
    (void)state;
    save("a", "");
    pass_time(SPAN_MIN - SPAN_MS);
    assert_int_equal(ask("PUT " SCHEDULES "/a/pause", NULL, NULL), 200);
    pass_time(30 * SPAN_S);
    assert_int_equal(ask("PUT " SCHEDULES "/a/resume", NULL, NULL), 200);
    pass_time(20 * SPAN_S);
    assert_count("a", 0);
}

/* Three equal expressions give one slot. */
static void h_run_pause_resume_and_delete_over_http(void **state)
{
    (void)state;
    assert_int_equal(post(SCHEDULES, js("{'name':'a','cronSchedules':["
                                        "{'cronExpression':'*/2 * * * * *'},"
                                        "{'cronExpression':'*/2 * * * * *'},"
                                        "{'cronExpression':'*/2 * * * * *'}],"
                                        "'startWorkflowRequest':{'name':'wf'}}")),
                     200);
    pass_time(15 * SPAN_S);
    assert_count("a", 7);
    assert_int_equal(ask("PUT " SCHEDULES "/a/pause", NULL, NULL), 200);
    assert_int_equal(get(SCHEDULES "/a"), 200);
    assert_json("paused", "true");
    pass_time(7 * SPAN_S);
    assert_count("a", 7);
    assert_int_equal(ask("PUT " SCHEDULES "/a/resume", NULL, NULL), 200);
    pass_time(4 * SPAN_S);
    assert_count("a", 9);
    assert_int_equal(ask("DELETE " SCHEDULES "/a", NULL, NULL), 200);
    assert_int_equal(get(SCHEDULES "/a"), 404);
}

/* ---- records ---- */

static void call_upstream(int minutes)
{
    world.upstream = "c";
    world.workflow_limit = 10;
    save("a", "");
    pass_time(minutes * SPAN_MIN);
    assert_int_equal(world.dispatch_count, minutes);
}

static void h_an_error_of_two_thousand_bytes_is_cut(void **state)
{
    static char error[2100];
    struct buf out = BUF(error);

    (void)state;
    buf_text(&out, "{\"code\":\"x\",\"message\":\"");
    for (int i = 0; i < 1000; i++)
        buf_text(&out, "\xC3\xA9"); /* two bytes: no character is cut in half */
    buf_text(&out, "\"}");
    call_upstream(1);
    report_dispatch(0, (struct report){.kind = REPORT_DONE,
                                       .outcome = OUTCOME_FAILED,
                                       .error = buf_as_str(&out)});
    assert_count("a", 1);
    assert_json("0.state", "'FAILED'");
    assert_int_equal(text_at("0.reason").len, 998);
    assert_json("0.stackTrace", "absent");
}

static void h_requeue_lists_three_pending_records(void **state)
{
    (void)state;
    call_upstream(3);
    assert_int_equal(get("/api/scheduler/admin/requeue"), 200);
    assert_int_equal(json_integer_value(json_object_get(world.json, "recordIds.size")), 3);
    assert_int_equal(json_array_size(json_object_get(world.json, "sampleIds")), 3);
}

static void h_what_is_executed_or_failed_is_not_pending(void **state)
{
    (void)state;
    call_upstream(2);
    report_dispatch(
        0, (struct report){.kind = REPORT_ALIVE, .progress = STR("{\"workflowId\":\"w\"}")});
    report_dispatch(1, (struct report){.kind = REPORT_DONE, .outcome = OUTCOME_FAILED});
    assert_int_equal(get("/api/scheduler/admin/requeue"), 200);
    assert_json("", "{'recordIds.size':0,'sampleIds':[]}");
}

/* Any number of heartbeats gives one record. */
static void h_repeated_heartbeats_give_one_record(void **state)
{
    (void)state;
    call_upstream(1);
    for (int i = 0; i < 3; i++)
        report_dispatch(0, (struct report){.kind = REPORT_ALIVE,
                                           .progress = STR("{\"workflowId\":\"w\"}")});
    assert_count("a", 1);
    assert_json("0.workflowId", "'w'");
}

static void h_fifty_records_are_found_in_pages(void **state)
{
    (void)state;
    save_cron("a", "* * * * * *", "");
    pass_time(50 * SPAN_S);
    assert_int_equal(get("/api/scheduler/search/executions?start=40&size=20"), 200);
    assert_json("totalHits", "50");
    assert_int_equal(json_array_size(json_object_get(world.json, "results")), 10);
    assert_json("results.9.scheduledTime", "1767607201000"); /* the oldest */
}

/* No worker claims them: all stay open. */
static void twelve_thousand_records_are_counted_and_paged(void **state)
{
    (void)state;
    save_cron("a", "* * * * * *", ",'runCatchupScheduleInstances':true");
    be_down(12000 * SPAN_S);
    pass_time(0);
    assert_int_equal(get("/api/scheduler/search/executions?start=11995&size=20"), 200);
    assert_json("totalHits", "12000");
    assert_int_equal(json_array_size(json_object_get(world.json, "results")), 5);
    assert_json("results.4.scheduledTime", "1767607201000");
    assert_int_equal(get("/api/scheduler/search/executions?size=2&sort=scheduledTime:ASC"),
                     200);
    assert_json("results.0.scheduledTime", "1767607201000");
    assert_json("results.1.scheduledTime", "1767607202000");
    assert_int_equal(get("/api/scheduler/search/executions?start=1000000&size=1000"), 200);
    assert_json("", "{'totalHits':12000,'results':[]}");
    assert_int_equal(get("/api/scheduler/search/executions?size=0"), 200);
    assert_json("", "{'totalHits':12000,'results':[]}");
}

static void h_with_keep_3_three_to_six_of_ten_records_are_kept(void **state)
{
    (void)state;
    world.context.conductor_keep = 3;
    save("a", "");
    pass_time(10 * SPAN_MIN);
    for (int i = 0; i < 10; i++)
        end_one();
    pass_time(0);
    assert_int_equal(get(SCHEDULES "/a/executions?limit=100"), 200);
    assert_in_range(json_array_size(world.json), 3, 6);
    assert_json("0.scheduledTime", "1767607800000");
}

/* ---- several expressions ---- */

static void save_two(void)
{
    assert_int_equal(
        post(SCHEDULES, js("{'name':'m','cronSchedules':["
                           "{'cronExpression':'0 5 * * * ?','zoneId':'UTC'},"
                           "{'cronExpression':'0 3 * * * ?','zoneId':'Asia/Kolkata'}],"
                           "'startWorkflowRequest':{'name':'wf'}}")),
        200);
}

static void h_of_several_expressions_each_runs(void **state)
{
    (void)state;
    save_two();
    pass_time(SPAN_H);
    assert_count("m", 2); /* 10:05, and 16:03 in India, which is 10:33 */
    assert_json("1.scheduledTime", "1767607500000");
    assert_json("0.scheduledTime", "1767609180000");
}

static void h_of_several_expressions_the_earliest_is_next(void **state)
{
    (void)state;
    save_two();
    assert_json("nextRunTime", "1767607500000");
    pass_time(10 * SPAN_MIN);
    assert_int_equal(get(SCHEDULES "/m"), 200);
    assert_json("nextRunTime", "1767609180000");
}

static void h_from_one_expression_to_several_nothing_of_the_old_is_left(void **state)
{
    (void)state;
    save("m", "");
    save_two();
    pass_time(SPAN_H);
    assert_count("m", 2);
}

/* A restart of the server repeats no slot. */
static void h_of_several_expressions_none_runs_again_after_a_restart(void **state)
{
    (void)state;
    save_two();
    pass_time(10 * SPAN_MIN);
    restart_server(0);
    pass_time(10 * SPAN_MIN);
    restart_server(0);
    pass_time(40 * SPAN_MIN);
    assert_count("m", 2);
}

/* ---- bulk requests ---- */

static void make_many(int count)
{
    for (int i = 0; i < count; i++)
        assert_int_equal(save(js("n%03d", i), ""), 200);
}

/* A JSON list of every `step`th of `count` names. */
static const char *names(int count, int step)
{
    static char text[8192];
    struct buf out = BUF(text);

    for (int i = 0; i < count; i += step)
        buf_printf(&out, "%s'n%03d'", i > 0 ? "," : "[", i);
    buf_text(&out, "]");
    assert_false(out.cut);
    return js("%s", text);
}

static size_t count_done(void)
{
    return json_array_size(json_object_get(world.json, "bulkSuccessfulResults"));
}

static void assert_paused_count(int count)
{
    assert_int_equal(get("/api/scheduler/schedules/search?paused=true&size=0"), 200);
    assert_string_equal(json_at("totalHits"), js("%d", count));
}

static size_t count_failed(void)
{
    return json_object_size(json_object_get(world.json, "bulkErrorResults"));
}

static void h_bulk_of_all(void **state)
{
    (void)state;
    make_many(3);
    assert_int_equal(ask("PUT " BULK "pause", NULL, names(3, 1)), 200);
    assert_int_equal(count_done(), 3);
    assert_int_equal(count_failed(), 0);
    assert_paused_count(3);
}

static void h_bulk_of_one(void **state)
{
    (void)state;
    make_many(1);
    assert_int_equal(ask("PUT " BULK "pause", NULL, names(1, 1)), 200);
    assert_json("", "{'bulkErrorResults':{},'bulkSuccessfulResults':['n000']}");
}

static void h_bulk_of_existing_and_missing_schedules(void **state)
{
    (void)state;
    make_many(2);
    assert_int_equal(ask("PUT " BULK "pause", NULL, names(4, 1)), 200);
    assert_json("bulkSuccessfulResults", "['n000','n001']");
    assert_json("bulkErrorResults.n003", "'Schedule 'n003' not found'");
    assert_int_equal(count_failed(), 2);
}

static void h_bulk_of_fifty_of_a_hundred(void **state)
{
    (void)state;
    make_many(100);
    assert_int_equal(ask("PUT " BULK "pause", NULL, names(100, 2)), 200);
    assert_int_equal(count_done(), 50);
    assert_json("bulkSuccessfulResults.49", "'n098'");
    assert_paused_count(50);
}

static void h_bulk_with_a_repeated_name_succeeds(void **state)
{
    (void)state;
    make_many(1);
    assert_int_equal(ask("PUT " BULK "pause", NULL, js("['n000','n000']")), 200);
    assert_json("bulkSuccessfulResults", "['n000','n000']");
    assert_int_equal(ask("PUT " BULK "resume", NULL, js("['n000']")), 200);
    assert_paused_count(0);
}

/* As many names as one request may have; only the last one exists. */
static void h_bulk_of_a_thousand(void **state)
{
    static char text[16 * 1024];
    struct buf out = BUF(text);

    (void)state;
    save("last", "");
    for (int i = 0; i < 999; i++)
        buf_printf(&out, "%s\"g%d\"", i > 0 ? "," : "[", i);
    buf_text(&out, ",\"last\"]");
    assert_int_equal(ask("PUT " BULK "pause", NULL, text), 200);
    assert_json("bulkSuccessfulResults", "['last']");
    assert_int_equal(count_failed(), 999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(m_the_stored_next_run_time_is_the_one_returned),
        API_TEST(h_a_daily_schedule_runs_at_midnight_and_shows_the_next_run),
        API_TEST(h_a_start_twenty_seconds_ahead_is_the_first_run),
        API_TEST(h_at_the_end_there_is_no_next_run),
        API_TEST(h_nothing_starts_before_its_slot),
        API_TEST(h_six_in_the_morning_stays_six_after_a_clock_change),
        API_TEST(h_after_a_catch_up_the_next_run_is_the_next_slot),
        API_TEST(m_a_preview_has_up_to_the_limit),
        API_TEST(m_a_preview_from_a_start),
        API_TEST(m_a_preview_of_none),
        API_TEST(h_a_preview_stops_at_the_end),
        API_TEST(h_a_schedule_that_is_made_paused_waits),
        API_TEST(h_an_update_to_paused_stops_it),
        API_TEST(h_a_slot_just_after_a_pause_does_not_run),
        API_TEST(h_run_pause_resume_and_delete_over_http),
        API_TEST(h_an_error_of_two_thousand_bytes_is_cut),
        API_TEST(h_requeue_lists_three_pending_records),
        API_TEST(h_what_is_executed_or_failed_is_not_pending),
        API_TEST(h_repeated_heartbeats_give_one_record),
        API_TEST(h_fifty_records_are_found_in_pages),
        API_TEST(twelve_thousand_records_are_counted_and_paged),
        API_TEST(h_with_keep_3_three_to_six_of_ten_records_are_kept),
        API_TEST(h_of_several_expressions_each_runs),
        API_TEST(h_of_several_expressions_the_earliest_is_next),
        API_TEST(h_from_one_expression_to_several_nothing_of_the_old_is_left),
        API_TEST(h_of_several_expressions_none_runs_again_after_a_restart),
        API_TEST(h_bulk_of_all),
        API_TEST(h_bulk_of_one),
        API_TEST(h_bulk_of_existing_and_missing_schedules),
        API_TEST(h_bulk_of_fifty_of_a_hundred),
        API_TEST(h_bulk_with_a_repeated_name_succeeds),
        API_TEST(h_bulk_of_a_thousand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
