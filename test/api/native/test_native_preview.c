/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The preview of a spec: times, clock changes and warnings.
 */
#include "world.h"

static int preview(const char *body)
{
    return post("/api/v1/preview", js("%s", body));
}

static void a_spec_in_words_with_its_next_times(void **state)
{
    (void)state;
    assert_int_equal(preview("{'spec':{'cron':['30 2 * * MON-FRI'],"
                             "'timezone':'America/New_York'},'count':2}"),
                     200);
    assert_non_null(strstr(json_at("description"), "02:30"));
    assert_json("timezone", "'America/New_York'");
    assert_json("next", "[{'slot':'2026-01-06T07:30:00.000Z','due':'2026-01-06T07:30:00.000Z',"
                        "'local':'2026-01-06T02:30:00-05:00','entry':'cron[0]'},"
                        "{'slot':'2026-01-07T07:30:00.000Z','due':'2026-01-07T07:30:00.000Z',"
                        "'local':'2026-01-07T02:30:00-05:00','entry':'cron[0]'}]");
    assert_json("perDay", "1");
    /* 2026-03-08 and 2026-11-01 are Sundays, so no weekday is affected. */
    assert_json("clockChanges.0.at", "'2026-03-08T07:00:00.000Z'");
    assert_json("clockChanges.0.touches", "false");
    assert_json("clockChanges.1.offsetAfter", "-18000");
    assert_json("warnings", "[]");
}

static void a_clock_change_that_affects_a_slot_is_marked(void **state)
{
    (void)state;
    assert_int_equal(preview("{'spec':{'cron':['30 2 * * *'],'timezone':'America/New_York'},"
                             "'from':'2026-03-08T00:00:00Z','count':1}"),
                     200);
    assert_json("next.0.slot", "'2026-03-08T07:00:00.000Z'");
    assert_json("clockChanges.0.touches", "true");
    assert_string_not_equal(json_at("clockChanges.0.effect"), "absent");
    assert_string_not_equal(json_at("next.0.note"), "absent");
}

/* Every second from 00:00 to 19:59:59 is 72,000 runs a day. */
static void many_runs_a_day_cause_a_warning(void **state)
{
    (void)state;
    assert_int_equal(preview("{'spec':{'cron':['* * 0-19 * * *']}}"), 200);
    assert_json("perDay", "72000");
    assert_non_null(strstr(json_at("warnings"), "72000 times a day"));
    world.context.plan_warn_per_day = 0;
    assert_int_equal(preview("{'spec':{'cron':['* * 0-19 * * *']}}"), 200);
    assert_null(strstr(json_at("warnings"), "times a day"));
    world.context.min_interval = SPAN_MIN;
    assert_int_equal(preview("{'spec':{'cron':['* * 0-19 * * *']}}"), 200);
    assert_non_null(strstr(json_at("warnings"), "its minimum interval is"));
}

static void a_spec_that_never_runs(void **state)
{
    (void)state;
    assert_int_equal(preview("{'spec':{'cron':['0 0 30 2 *']}}"), 200);
    assert_json("next", "[]");
    assert_json("perDay", "0");
    assert_non_null(strstr(json_at("warnings"), "it never runs"));
}

static void named_calendars_are_applied(void **state)
{
    (void)state;
    assert_int_equal(
        ask("PUT /api/v1/calendars/holidays", NULL, js("{'dates':['2026-01-06']}")), 201);
    assert_int_equal(
        preview("{'spec':{'cron':['0 9 * * *'],'exclude':{'named':['holidays']}},'count':1}"),
        200);
    assert_json("next.0.slot", "'2026-01-07T09:00:00.000Z'");
}

/* A missing calendar excludes no days; a mistyped name must cause a warning. */
static void a_missing_calendar_causes_a_warning(void **state)
{
    (void)state;
    assert_int_equal(ask("PUT /api/v1/calendars/empty", NULL, js("{'dates':[]}")), 201);
    assert_int_equal(preview("{'spec':{'cron':['0 9 * * *'],'exclude':{'named':"
                             "['empty','holydays']}},'count':1}"),
                     200);
    assert_json(
        "warnings",
        "['calendar \\'holydays\\' does not exist; until it is created, it excludes no day']");
}

/* The jitter is that of the schedule with this id. */
static void a_preview_has_the_jitter_of_the_schedule(void **state)
{
    char due[64];

    (void)state;
    assert_int_equal(preview("{'spec':{'cron':['0 * * * *'],'jitter':'30m'},'id':'s'}"), 200);
    snprintf(due, sizeof due, "%s", text_at("next.3.due").ptr);
    assert_int_equal(ask("PUT /api/v1/schedules/s", NULL,
                         js("{'spec':{'cron':['0 * * * *'],'jitter':'30m'},"
                            "'action':{'type':'queue','queue':'q'}}")),
                     201);
    assert_int_equal(get("/api/v1/schedules/s/next?from=2026-01-05T13:00:00Z&count=1"), 200);
    assert_string_equal(text_at("times.0.due").ptr, due);
}

/* Clock changes after the year 9999 are not shown. */
static void there_are_no_times_after_the_year_9999(void **state)
{
    (void)state;
    assert_int_equal(preview("{'spec':{'cron':['30 2 * * *'],'timezone':'America/New_York'},"
                             "'from':'9999-12-31T07:30:00Z'}"),
                     200);
    assert_json("next.0.slot", "'9999-12-31T07:30:00.000Z'");
    assert_json("next.1", "absent");
    assert_json("clockChanges", "[]");
    assert_int_equal(preview("{'spec':{'cron':['* * * * * *']},"
                             "'from':'9999-12-31T23:59:59Z'}"),
                     200);
    assert_json("next.0.slot", "'9999-12-31T23:59:59.000Z'");
    assert_json("next.1", "absent");
}

static void errors_name_the_field(void **state)
{
    (void)state;
    assert_refused(preview("{}"), 400, "invalid_spec", "spec");
    assert_refused(preview("{'spec':{'cron':['x']}}"), 400, "invalid_spec",
                   "spec.cron[0].expr");
    assert_refused(preview("{'spec':{'timezone':'No/Where'}}"), 400, "invalid_spec",
                   "spec.timezone");
    assert_refused(preview("{'spec':{'crons':[]}}"), 400, "invalid_spec", "spec.crons");
    assert_refused(preview("{'spec':{},'count':1001}"), 400, "invalid_field", "count");
    assert_refused(preview("{'spec':{},'n':1}"), 400, "invalid_field", "n");
}

/* Each run moves the slots of such intervals; the preview must not stop the server. */
static void intervals_that_depend_on_runs_have_a_preview(void **state)
{
    (void)state;
    assert_int_equal(preview("{'spec':{'intervals':[{'every':'1h','anchor':'start'}]}}"), 200);
    assert_int_equal(preview("{'spec':{'intervals':[{'every':'8921d','anchor':'start'},"
                             "{'every':'8921d','anchor':'start'}]}}"),
                     200);
    assert_int_equal(preview("{'spec':{'intervals':[{'every':'1h','anchor':'completion'},"
                             "{'every':'2h'}]}}"),
                     200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_spec_in_words_with_its_next_times),
        API_TEST(a_clock_change_that_affects_a_slot_is_marked),
        API_TEST(many_runs_a_day_cause_a_warning),
        API_TEST(a_spec_that_never_runs),
        API_TEST(named_calendars_are_applied),
        API_TEST(a_missing_calendar_causes_a_warning),
        API_TEST(a_preview_has_the_jitter_of_the_schedule),
        API_TEST(there_are_no_times_after_the_year_9999),
        API_TEST(intervals_that_depend_on_runs_have_a_preview),
        API_TEST(errors_name_the_field),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
