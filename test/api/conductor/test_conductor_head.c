/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of the acceptance lists of the current Conductor (h_) and of the version before it
 * (m_) that no other file has.  Where Conductor starts early, runs twice or loses a slot, the
 * tests show what Belfry decided to do.  10:00 is 1767607200000.
 */
#include "conductor.h"

#include "core/time/text.h"

#define NEXT "/api/scheduler/nextFewSchedules"
#define BULK "/api/scheduler/bulk/"

static void save_cron(const char *name, const char *cron, const char *more)
{
    assert_int_equal(post(S, js("{'name':'%s','cronExpression':'%s',"
                                "'startWorkflowRequest':{'name':'wf','version':1}%s}",
                                name, cron, more)),
                     200);
}

static void begin_at(const char *text)
{
    struct err err;

    assert_int_equal(instant_parse(str_of(text), &world.now, &err), RC_OK);
}

/* ---- pointers ---- */

static void m_the_pointer_that_is_stored_is_the_one_that_was_told(void **state)
{
    char said[32];

    (void)state;
    save_cron("a", "0 0 9 * * MON", "");
    snprintf(said, sizeof said, "%s", told("nextRunTime"));
    assert_string_equal(said, "1768208400000"); /* 2026-01-12T09:00Z */
    assert_int_equal(get(S "/a"), 200);
    assert_told("nextRunTime", said);
    assert_int_equal(get(S "/a/next-execution-times?count=1"), 200);
    assert_told("0", said);
}

static void h_a_daily_one_runs_at_midnight_and_points_to_the_next(void **state)
{
    (void)state;
    save_cron("a", "0 0 0 * * *", "");
    assert_told("nextRunTime", "1767657600000"); /* 2026-01-06T00:00Z */
    pass(14 * SPAN_H);
    assert_count("a", 1);
    assert_told("0.scheduledTime", "1767657600000");
    assert_told("0.state", "'EXECUTED'");
    assert_int_equal(get(S "/a"), 200);
    assert_told("nextRunTime", "1767744000000");
}

static void h_a_start_twenty_seconds_ahead_is_the_first_run(void **state)
{
    (void)state;
    save_cron("a", "* * * * * *", ",'scheduleStartTime':1767607220000");
    assert_told("nextRunTime", "1767607220000");
}

static void h_at_the_end_there_is_no_next_run(void **state)
{
    (void)state;
    save_cron("a", "* * * * * *", ",'scheduleEndTime':1767607200000");
    assert_told("nextRunTime", "absent");
}

/* C18: nothing starts before its time, not even half a second. */
static void h_nothing_starts_before_its_slot(void **state)
{
    static const span early[] = {6500, 2500, 900, 500, 1};

    (void)state;
    save("a", "");
    for (int i = 0; i < 5; i++) {
        pass(INT64_C(1767607260000000) - early[i] * SPAN_MS - world.now);
        assert_count("a", 0);
    }
    pass(SPAN_MS);
    assert_count("a", 1);
    assert_told("0.executionTime", "1767607260000");
}

static void h_six_in_the_morning_stays_six_over_the_change_of_the_clock(void **state)
{
    (void)state;
    begin_at("2026-03-07T00:00:00Z");
    save_cron("a", "0 0 6 * * *", ",'zoneId':'America/New_York'");
    assert_int_equal(get(S "/a/next-execution-times?count=3"), 200);
    assert_told("", "[1772881200000,1772964000000,1773050400000]"); /* 11:00Z, 10:00Z, 10:00Z */
}

/* Slots at 10, 20 and 30 s; after 35 s each follows from the previous one. */
static void h_with_catch_up_the_next_is_the_one_after_the_last(void **state)
{
    (void)state;
    save_cron("a", "*/10 * * * * *", ",'runCatchupScheduleInstances':true");
    be_down(35 * SPAN_S);
    pass(0);
    assert_count("a", 3);
    assert_told("2.scheduledTime", "1767607210000");
    assert_told("1.scheduledTime", "1767607220000");
    assert_told("0.scheduledTime", "1767607230000");
    assert_int_equal(get(S "/a"), 200);
    assert_told("nextRunTime", "1767607240000");
}

/* ---- previews ---- */

static void m_a_preview_has_up_to_the_limit(void **state)
{
    (void)state;
    assert_int_equal(get(NEXT "?cronExpression=0+*+*+*+*+*&limit=2"), 200);
    assert_told("", "[1767607260000,1767607320000]");
}

static void m_a_preview_from_a_start(void **state)
{
    (void)state;
    assert_int_equal(
        get(NEXT "?cronExpression=0+*+*+*+*+*&scheduleStartTime=1767610800000&limit=1"), 200);
    assert_told("", "[1767610800000]");
}

static void m_a_preview_of_none(void **state)
{
    (void)state;
    assert_int_equal(get(NEXT "?cronExpression=0+*+*+*+*+*&limit=0"), 200);
    assert_told("", "[]");
}

static void h_an_end_that_allows_two_shows_two(void **state)
{
    (void)state;
    assert_int_equal(
        get(NEXT "?cronExpression=0+*+*+*+*+*&limit=5&scheduleEndTime=1767607320000"), 200);
    assert_told("", "[1767607260000,1767607320000]");
}

/* ---- pause ---- */

static void h_a_schedule_that_is_made_paused_waits(void **state)
{
    (void)state;
    save("a", ",'paused':true");
    pass(SPAN_H);
    assert_count("a", 0);
}

static void h_an_update_to_paused_stops_it(void **state)
{
    (void)state;
    save("a", "");
    pass(SPAN_MIN);
    save("a", ",'paused':true");
    pass(SPAN_H);
    assert_count("a", 1);
}

static void h_what_comes_due_a_moment_after_a_pause_does_not_run(void **state)
{
    (void)state;
    save("a", "");
    pass(SPAN_MIN - SPAN_MS);
    assert_int_equal(ask("PUT " S "/a/pause", NULL, NULL), 200);
    pass(30 * SPAN_S);
    assert_int_equal(ask("PUT " S "/a/resume", NULL, NULL), 200);
    pass(20 * SPAN_S);
    assert_count("a", 0);
}

/* Three equal expressions give one slot; run, pause, resume and delete are as in Conductor. */
static void h_a_life_over_http(void **state)
{
    (void)state;
    assert_int_equal(post(S, js("{'name':'a','cronSchedules':["
                                "{'cronExpression':'*/2 * * * * *'},"
                                "{'cronExpression':'*/2 * * * * *'},"
                                "{'cronExpression':'*/2 * * * * *'}],"
                                "'startWorkflowRequest':{'name':'wf'}}")),
                     200);
    pass(15 * SPAN_S);
    assert_count("a", 7);
    assert_int_equal(ask("PUT " S "/a/pause", NULL, NULL), 200);
    assert_int_equal(get(S "/a"), 200);
    assert_told("paused", "true");
    pass(7 * SPAN_S);
    assert_count("a", 7);
    assert_int_equal(ask("PUT " S "/a/resume", NULL, NULL), 200);
    pass(4 * SPAN_S);
    assert_count("a", 9);
    assert_int_equal(ask("DELETE " S "/a", NULL, NULL), 200);
    assert_int_equal(get(S "/a"), 404);
}

/* ---- records ---- */

static void call_upstream(int minutes)
{
    world.upstream = "c";
    world.flows = 10;
    save("a", "");
    pass(minutes * SPAN_MIN);
    assert_int_equal(world.dispatch_count, minutes);
}

static void h_an_error_of_two_thousand_letters_is_cut(void **state)
{
    static char error[2100];
    struct buf out = BUF(error);

    (void)state;
    buf_text(&out, "{\"code\":\"x\",\"message\":\"");
    for (int i = 0; i < 1000; i++)
        buf_text(&out, "\xC3\xA9"); /* two bytes: no character is cut in half */
    buf_text(&out, "\"}");
    call_upstream(1);
    report_call(0, (struct report){.kind = REPORT_DONE,
                                   .outcome = OUTCOME_FAILED,
                                   .error = buf_as_str(&out)});
    assert_count("a", 1);
    assert_told("0.state", "'FAILED'");
    assert_int_equal(text_at("0.reason").len, 998);
    assert_told("0.stackTrace", "absent");
}

static void h_requeue_tells_of_three(void **state)
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
    report_call(
        0, (struct report){.kind = REPORT_ALIVE, .progress = STR("{\"workflowId\":\"w\"}")});
    report_call(1, (struct report){.kind = REPORT_DONE, .outcome = OUTCOME_FAILED});
    assert_int_equal(get("/api/scheduler/admin/requeue"), 200);
    assert_told("", "{'recordIds.size':0,'sampleIds':[]}");
}

/* Any number of heartbeats gives one record. */
static void h_a_record_that_is_told_twice_is_one(void **state)
{
    (void)state;
    call_upstream(1);
    for (int i = 0; i < 3; i++)
        report_call(0, (struct report){.kind = REPORT_ALIVE,
                                       .progress = STR("{\"workflowId\":\"w\"}")});
    assert_count("a", 1);
    assert_told("0.workflowId", "'w'");
}

static void h_fifty_records_are_found_in_pages(void **state)
{
    (void)state;
    save_cron("a", "* * * * * *", "");
    pass(50 * SPAN_S);
    assert_int_equal(get("/api/scheduler/search/executions?start=40&size=20"), 200);
    assert_told("totalHits", "50");
    assert_int_equal(json_array_size(json_object_get(world.json, "results")), 10);
    assert_told("results.9.scheduledTime", "1767607201000"); /* the oldest */
}

/* No worker claims them: all stay open. */
static void twelve_thousand_records_are_counted_and_the_last_page_is_theirs(void **state)
{
    (void)state;
    save_cron("a", "* * * * * *", ",'runCatchupScheduleInstances':true");
    be_down(12000 * SPAN_S);
    pass(0);
    assert_int_equal(get("/api/scheduler/search/executions?start=11995&size=20"), 200);
    assert_told("totalHits", "12000");
    assert_int_equal(json_array_size(json_object_get(world.json, "results")), 5);
    assert_told("results.4.scheduledTime", "1767607201000");
    assert_int_equal(get("/api/scheduler/search/executions?size=2&sort=scheduledTime:ASC"),
                     200);
    assert_told("results.0.scheduledTime", "1767607201000");
    assert_told("results.1.scheduledTime", "1767607202000");
    assert_int_equal(get("/api/scheduler/search/executions?start=1000000&size=1000"), 200);
    assert_told("", "{'totalHits':12000,'results':[]}");
    assert_int_equal(get("/api/scheduler/search/executions?size=0"), 200);
    assert_told("", "{'totalHits':12000,'results':[]}");
}

static void h_of_three_to_keep_ten_records_leave_three(void **state)
{
    (void)state;
    world.context.conductor_keep = 3;
    save("a", "");
    pass(10 * SPAN_MIN);
    for (int i = 0; i < 10; i++)
        end_one();
    pass(0);
    assert_int_equal(get(S "/a/executions?limit=100"), 200);
    assert_in_range(json_array_size(world.json), 3, 6);
    assert_told("0.scheduledTime", "1767607800000");
}

/* ---- several expressions ---- */

static void save_two(void)
{
    assert_int_equal(post(S, js("{'name':'m','cronSchedules':["
                                "{'cronExpression':'0 5 * * * ?','zoneId':'UTC'},"
                                "{'cronExpression':'0 3 * * * ?','zoneId':'Asia/Kolkata'}],"
                                "'startWorkflowRequest':{'name':'wf'}}")),
                     200);
}

static void h_of_several_expressions_each_runs(void **state)
{
    (void)state;
    save_two();
    pass(SPAN_H);
    assert_count("m", 2); /* 10:05, and 16:03 in India, which is 10:33 */
    assert_told("1.scheduledTime", "1767607500000");
    assert_told("0.scheduledTime", "1767609180000");
}

static void h_of_several_expressions_the_earliest_is_next(void **state)
{
    (void)state;
    save_two();
    assert_told("nextRunTime", "1767607500000");
    pass(10 * SPAN_MIN);
    assert_int_equal(get(S "/m"), 200);
    assert_told("nextRunTime", "1767609180000");
}

static void h_from_one_expression_to_several_nothing_of_the_old_is_left(void **state)
{
    (void)state;
    save("m", "");
    save_two();
    pass(SPAN_H);
    assert_count("m", 2);
}

/* Neither a restart of the server nor a lost pointer repeats a slot. */
static void h_of_several_expressions_none_runs_again_after_a_restart(void **state)
{
    (void)state;
    save_two();
    pass(10 * SPAN_MIN);
    start_again(0);
    pass(10 * SPAN_MIN);
    start_again(0);
    pass(40 * SPAN_MIN);
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

static size_t done(void)
{
    return json_array_size(json_object_get(world.json, "bulkSuccessfulResults"));
}

/* Exactly this many schedules are paused. */
static void assert_names_paused(int count)
{
    assert_int_equal(get("/api/scheduler/schedules/search?paused=true&size=0"), 200);
    assert_string_equal(told("totalHits"), js("%d", count));
}

static size_t failed(void)
{
    return json_object_size(json_object_get(world.json, "bulkErrorResults"));
}

static void h_bulk_of_all(void **state)
{
    (void)state;
    make_many(3);
    assert_int_equal(ask("PUT " BULK "pause", NULL, names(3, 1)), 200);
    assert_int_equal(done(), 3);
    assert_int_equal(failed(), 0);
    assert_names_paused(3);
}

static void h_bulk_of_one(void **state)
{
    (void)state;
    make_many(1);
    assert_int_equal(ask("PUT " BULK "pause", NULL, names(1, 1)), 200);
    assert_told("", "{'bulkErrorResults':{},'bulkSuccessfulResults':['n000']}");
}

static void h_bulk_of_some_that_are_there_and_some_that_are_not(void **state)
{
    (void)state;
    make_many(2);
    assert_int_equal(ask("PUT " BULK "pause", NULL, names(4, 1)), 200);
    assert_told("bulkSuccessfulResults", "['n000','n001']");
    assert_told("bulkErrorResults.n003", "'Schedule 'n003' not found'");
    assert_int_equal(failed(), 2);
}

static void h_bulk_of_fifty_of_a_hundred(void **state)
{
    (void)state;
    make_many(100);
    assert_int_equal(ask("PUT " BULK "pause", NULL, names(100, 2)), 200);
    assert_int_equal(done(), 50);
    assert_told("bulkSuccessfulResults.49", "'n098'");
    assert_names_paused(50);
}

static void h_bulk_twice_the_same_is_fine(void **state)
{
    (void)state;
    make_many(1);
    assert_int_equal(ask("PUT " BULK "pause", NULL, js("['n000','n000']")), 200);
    assert_told("bulkSuccessfulResults", "['n000','n000']");
    assert_int_equal(ask("PUT " BULK "resume", NULL, js("['n000']")), 200);
    assert_names_paused(0);
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
    assert_told("bulkSuccessfulResults", "['last']");
    assert_int_equal(failed(), 999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(m_the_pointer_that_is_stored_is_the_one_that_was_told),
        SERVED(h_a_daily_one_runs_at_midnight_and_points_to_the_next),
        SERVED(h_a_start_twenty_seconds_ahead_is_the_first_run),
        SERVED(h_at_the_end_there_is_no_next_run),
        SERVED(h_nothing_starts_before_its_slot),
        SERVED(h_six_in_the_morning_stays_six_over_the_change_of_the_clock),
        SERVED(h_with_catch_up_the_next_is_the_one_after_the_last),
        SERVED(m_a_preview_has_up_to_the_limit),
        SERVED(m_a_preview_from_a_start),
        SERVED(m_a_preview_of_none),
        SERVED(h_an_end_that_allows_two_shows_two),
        SERVED(h_a_schedule_that_is_made_paused_waits),
        SERVED(h_an_update_to_paused_stops_it),
        SERVED(h_what_comes_due_a_moment_after_a_pause_does_not_run),
        SERVED(h_a_life_over_http),
        SERVED(h_an_error_of_two_thousand_letters_is_cut),
        SERVED(h_requeue_tells_of_three),
        SERVED(h_what_is_executed_or_failed_is_not_pending),
        SERVED(h_a_record_that_is_told_twice_is_one),
        SERVED(h_fifty_records_are_found_in_pages),
        SERVED(twelve_thousand_records_are_counted_and_the_last_page_is_theirs),
        SERVED(h_of_three_to_keep_ten_records_leave_three),
        SERVED(h_of_several_expressions_each_runs),
        SERVED(h_of_several_expressions_the_earliest_is_next),
        SERVED(h_from_one_expression_to_several_nothing_of_the_old_is_left),
        SERVED(h_of_several_expressions_none_runs_again_after_a_restart),
        SERVED(h_bulk_of_all),
        SERVED(h_bulk_of_one),
        SERVED(h_bulk_of_some_that_are_there_and_some_that_are_not),
        SERVED(h_bulk_of_fifty_of_a_hundred),
        SERVED(h_bulk_twice_the_same_is_fine),
        SERVED(h_bulk_of_a_thousand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
