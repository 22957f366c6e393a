/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The daily plan of agents, in each zone.
 *
 * Tests whose names begin with plan_ are rows of test/mission/agents.txt.
 */
#include "agents.h"

static void plan_given_a_cron_schedule_correct_times_are_generated(void **state)
{
    (void)state;
    schedule("reconciler", ",'scheduleType':'CRON','cronExpr':'0 0 */2 * * *',"
                           "'timezone':'America/Denver','projectScope':'PROJECT',"
                           "'projectId':'xyz'");
    assert_int_equal(get(EXECUTIONS "/future?dateKey=2026-01-06"), 200);
    assert_int_equal(count(), 12); /* 00:00 is one of them */
    assert_json("0.scheduledAt", "'2026-01-06T07:00:00.000Z'");
    assert_json("0.plannedHour", "0");
    assert_json("0.plannedMinute", "0");
    assert_json("0.immediate", "false");
    assert_json("0.execStatus", "'READY'");
    assert_json("0.attempt", "0");
    assert_json("0.lockOwner", "null");
    assert_json("0.agentId", "'reconciler'");
    assert_json("0.projectId", "'xyz'");
    assert_json("0.scheduleId", "'agent:reconciler@xyz'");
    assert_json("0.dateKey", "'2026-01-06'");
    assert_json("0.idempotencyKey", "'2026-01-06|reconciler|xyz|2026-01-06T07:00:00.000Z'");
    assert_json("11.scheduledAt", "'2026-01-07T05:00:00.000Z'");
    assert_json("11.plannedHour", "22");
}

static void plan_given_fixed_times_there_is_an_item_for_each(void **state)
{
    (void)state;
    schedule("thread-extractor", ",'scheduleType':'FIXED_TIMES',"
                                 "'timesOfDay':['09:00','17:00'],"
                                 "'timezone':'America/Denver'");
    assert_int_equal(get(EXECUTIONS "/future"), 200); /* 03:00 in Denver */
    assert_int_equal(count(), 2);
    assert_json("0.scheduledAt", "'2026-01-05T16:00:00.000Z'");
    assert_json("0.plannedHour", "9");
    assert_json("0.projectId", "null");
    assert_json("0.idempotencyKey",
                "'2026-01-05|thread-extractor|GLOBAL|2026-01-05T16:00:00.000Z'");
    assert_json("1.scheduledAt", "'2026-01-06T00:00:00.000Z'");
    assert_json("1.plannedHour", "17");
}

static void plan_given_an_interval_items_are_at_correct_times(void **state)
{
    (void)state;
    schedule("distiller", ",'scheduleType':'INTERVAL','intervalMinutes':30,'timezone':'UTC'");
    assert_int_equal(get(EXECUTIONS "/future?dateKey=2026-01-06"), 200);
    assert_int_equal(count(), 48);
    assert_json("0.scheduledAt", "'2026-01-06T00:00:00.000Z'");
    assert_json("1.scheduledAt", "'2026-01-06T00:30:00.000Z'");
    assert_json("47.plannedMinute", "30");
    assert_int_equal(get(EXECUTIONS "/future"),
                     200); /* from 10:30 on: past slots are not caught up */
    assert_int_equal(count(), 27);
    assert_json("0.scheduledAt", "'2026-01-05T10:30:00.000Z'");
}

static void plan_version_drift_cancels_stale_items(void **state)
{
    char noon[RUN_ID_TEXT_MAX];

    (void)state;
    schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['12:00','17:00'],"
                  "'timezone':'UTC'");
    get(EXECUTIONS "/future");
    assert_json("1.plannedHour", "17");
    snprintf(noon, sizeof noon, "%s", text_at("0.executionId").ptr);
    ask("PUT " SCHEDULES "/agent:a", NULL, js("{'timesOfDay':['13:00','17:00']}"));
    assert_json("replaced", "absent");
    get(EXECUTIONS "/future");
    assert_int_equal(count(), 3);
    assert_json("0.plannedHour", "13");
    assert_json("0.execStatus", "'READY'");
    assert_json("1.plannedHour", "17");
    assert_json("1.execStatus", "'READY'");
    assert_json("2.plannedHour", "12");
    assert_json("2.execStatus", "'CANCELLED'");
    assert_string_equal(text_at("2.executionId").ptr, noon);
    pass_time(2 * SPAN_H);
    assert_string_equal(claim("a"), ""); /* nothing at 12:00 */
    get(EXECUTIONS "/future?execStatus=CANCELLED");
    assert_int_equal(count(), 1);
    pass_time(12 * SPAN_H);
    get(EXECUTIONS "/future"); /* the plan of the next day has only its own items */
    assert_int_equal(count(), 2);
}

/* Seed 003, section 10: at 10:30 an edit keeps 17:00, adds 13:00, does not repeat 09:00. */
static void several_edits_of_a_day_void_each_item_once(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['09:00','12:00','17:00'],"
                  "'timezone':'UTC'");
    ask("PUT " SCHEDULES "/agent:a", NULL, js("{'timesOfDay':['13:00']}"));
    ask("PUT " SCHEDULES "/agent:a", NULL, js("{'timesOfDay':['09:00','13:00','17:00']}"));
    ask("PUT " SCHEDULES "/agent:a", NULL, js("{'executorPolicy':{'priority':7}}"));
    get(EXECUTIONS "/future?execStatus=READY");
    assert_int_equal(count(), 2); /* 13:00, and 17:00, which is planned again */
    get(EXECUTIONS "/future?execStatus=CANCELLED");
    assert_int_equal(count(), 1);
    assert_json("0.plannedHour", "12");
    ask("PUT " SCHEDULES "/agent:a", NULL,
        js("{'scheduleType':'CRON','cronExpr':'0 0 12 * * *'}"));
    get(EXECUTIONS "/future?execStatus=CANCELLED");
    assert_int_equal(count(), 2); /* those of the earlier edit first */
    assert_json("0.plannedHour", "17");
    assert_json("1.plannedHour", "13");
    pass_time(2 * SPAN_H);
    assert_true(strlen(claim("a")) > 0); /* 12:00 */
}

/* Seed 003, section 6a: an edit cancels items that are neither RUNNING nor PENDING. */
static void an_edit_voids_items_that_are_due_and_unclaimed(void **state)
{
    char late[64];

    (void)state;
    schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['12:00','12:30'],"
                  "'timezone':'UTC'");
    schedule("b", ",'scheduleType':'FIXED_TIMES','timesOfDay':['12:00'],'timezone':'UTC'");
    pass_time(2 * SPAN_H);
    assert_true(strlen(claim("a")) > 0);
    pass_time(30 * SPAN_MIN);
    get(EXECUTIONS "/future?agentId=a&execStatus=READY");
    assert_int_equal(count(), 1);
    snprintf(late, sizeof late, "%s", text_at("0.executionId").ptr);
    assert_int_equal(ask("PUT " SCHEDULES "/agent:a", NULL, js("{'timesOfDay':['17:00']}")),
                     200);
    assert_json("timesOfDay", "['17:00']");
    get(EXECUTIONS "/future?agentId=a&execStatus=CANCELLED");
    assert_int_equal(count(), 1);
    assert_string_equal(text_at("0.executionId").ptr, late);
    get(EXECUTIONS "/future?agentId=a&execStatus=PENDING");
    assert_int_equal(count(), 1); /* its worker has it */
    get(js(EXECUTIONS "/events?executionId=%s&type=EXEC_CANCELLED", late));
    assert_json("events.0.payload.reason", "'schedule changed'");
    assert_json("events.1", "absent");
    ask("PUT " SCHEDULES "/agent:b", NULL, js("{'timesOfDay':['12:00','18:00']}"));
    assert_true(strlen(claim("b")) > 0); /* the schedule still has this time */
}

/* A client cannot write what only the server stores; a disabled schedule has no items. */
static void only_items_that_were_planned_are_voided(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['12:00'],'timezone':'UTC',"
                  "'replaced':[{'at':1767607200000,'scheduleType':'FIXED_TIMES',"
                  "'timesOfDay':['15:00']}]");
    get(EXECUTIONS "/future");
    assert_int_equal(count(), 1);
    ask("PUT " SCHEDULES "/agent:a", NULL, js("{'enabled':false}"));
    ask("PUT " SCHEDULES "/agent:a", NULL, js("{'timesOfDay':['14:00'],'enabled':true}"));
    get(EXECUTIONS "/future");
    assert_int_equal(count(), 1);
    assert_json("0.plannedHour", "14");
}

static void plan_midnight_clears_and_regenerates(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['12:00'],'timezone':'UTC'");
    get(EXECUTIONS "/future");
    assert_json("0.dateKey", "'2026-01-05'");
    pass_time(14 * SPAN_H);
    get(EXECUTIONS "/future");
    assert_int_equal(count(), 1);
    assert_json("0.dateKey", "'2026-01-06'");
    assert_json("0.scheduledAt", "'2026-01-06T12:00:00.000Z'");
    get(EXECUTIONS "/future?dateKey=2026-01-05"); /* not claimed yet */
    assert_int_equal(count(), 1);
    assert_json("0.execStatus", "'READY'");
}

/* Otherwise all of them would run when the agent returns. */
static void executions_that_are_not_begun_within_a_day_fail(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'INTERVAL','intervalMinutes':60,'timezone':'UTC',"
                  "'executorPolicy':{'maxConcurrent':100}");
    for (int i = 0; i < 50; i++)
        pass_time(SPAN_H);
    get(EXECUTIONS "/future?dateKey=2026-01-06&execStatus=CANCELLED"); /* now: the 7th, 12:00 */
    assert_int_equal(count(), 13);
    post("/api/v1/queues/claim", js("{'queues':['a'],'max':100,'worker':'w-1'}"));
    assert_int_equal(world.call.grant_count, 24);
    get(EXECUTIONS "/past?size=1");
    assert_json("totalElements", "26");
    assert_json("content.0.resultStatus", "'FAIL'");
}

static void plan_the_key_prevents_duplicates_whenever_it_is_planned(void **state)
{
    char first[256];

    (void)state;
    schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['12:00'],'timezone':'UTC'");
    get(EXECUTIONS "/future");
    snprintf(first, sizeof first, "%s %s", text_at("0.idempotencyKey").ptr,
             text_at("0.executionId").ptr);
    for (int i = 0; i < 10; i++) {
        char again[256];

        ask("PUT " SCHEDULES "/agent:a", NULL,
            js("{'executorPolicy':{'priority':%d}}", i % 10 + 1));
        get(EXECUTIONS "/future");
        assert_int_equal(count(), 1);
        snprintf(again, sizeof again, "%s %s", text_at("0.idempotencyKey").ptr,
                 text_at("0.executionId").ptr);
        assert_string_equal(first, again);
    }
}

static void plan_in_denver_times_are_right_for_a_server_in_utc(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['09:00'],"
                  "'timezone':'America/Denver'");
    get(EXECUTIONS "/future?dateKey=2026-01-20");
    assert_json("0.scheduledAt", "'2026-01-20T16:00:00.000Z'"); /* MST */
    get(EXECUTIONS "/future?dateKey=2026-07-20");
    assert_json("0.scheduledAt", "'2026-07-20T15:00:00.000Z'"); /* MDT */
}

static void plan_midnight_is_that_of_each_zone(void **state)
{
    (void)state;
    schedule("d", ",'scheduleType':'INTERVAL','intervalMinutes':720,"
                  "'timezone':'America/Denver'");
    schedule("u", ",'scheduleType':'INTERVAL','intervalMinutes':720,'timezone':'UTC'");
    pass_time(15 * SPAN_H); /* 2026-01-06 01:00 in UTC, still the 5th in Denver */
    get(EXECUTIONS "/future?agentId=d");
    assert_json("0.dateKey", "'2026-01-05'");
    get(EXECUTIONS "/future?agentId=u");
    assert_json("0.dateKey", "'2026-01-06'");
}

static void row_140_the_planner_shows_when_it_last_planned(void **state)
{
    (void)state;
    get(EXECUTIONS "/planner");
    assert_json("lastMidnightRebuilds", "{}");
    schedule("d", ",'scheduleType':'INTERVAL','intervalMinutes':720,"
                  "'timezone':'America/Denver'");
    pass_time(SPAN_H);
    schedule("u", ",'scheduleType':'INTERVAL','intervalMinutes':720,'timezone':'UTC'");
    get(EXECUTIONS "/planner"); /* no midnight yet in either zone */
    assert_json("", "{'lastReconcileAt':'2026-01-05T11:00:00.000Z','lastMidnightRebuilds':"
                    "{'America/Denver':null,'UTC':null}}");
    pass_time(13 * SPAN_H); /* to midnight in UTC */
    get(EXECUTIONS "/planner");
    assert_json("", "{'lastReconcileAt':'2026-01-06T00:00:00.000Z','lastMidnightRebuilds':"
                    "{'America/Denver':null,'UTC':'2026-01-06T00:00:00.000Z'}}");
    pass_time(7 * SPAN_H); /* midnight in Denver */
    get(EXECUTIONS "/planner");
    assert_json("lastMidnightRebuilds", "{'America/Denver':'2026-01-06T07:00:00.000Z',"
                                        "'UTC':'2026-01-06T00:00:00.000Z'}");
}

/* Rows 24 and 26 of test/mission/rows.txt: a list has the current day of each zone. */
static void row_26_the_plan_ends_with_the_day(void **state)
{
    (void)state;
    schedule("d", ",'scheduleType':'INTERVAL','intervalMinutes':60,"
                  "'timezone':'America/Denver'");
    schedule("u", ",'scheduleType':'INTERVAL','intervalMinutes':60,'timezone':'UTC'");
    get(EXECUTIONS "/future");
    for (int i = 0; i < count(); i++) {
        bool is_utc = strcmp(json_at(js("%d.agentId", i)), "'u'") == 0;

        assert_json(js("%d.dateKey", i), "'2026-01-05'");
        assert_true(strcmp(text_at(js("%d.scheduledAt", i)).ptr,
                           is_utc ? "2026-01-06T00:00:00.000Z" : "2026-01-06T07:00:00.000Z") <
                    0);
    }
    assert_int_equal(count(), 20 + 13); /* from 04:00 in Denver, and from 11:00 in UTC */
}

/* In Denver 02:30 does not exist on 2026-03-08, and 01:30 exists twice on 2026-11-01. */
static void plan_changes_of_the_clock_are_handled(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'CRON','cronExpr':'0 30 2 * * *',"
                  "'timezone':'America/Denver'");
    schedule("b", ",'scheduleType':'FIXED_TIMES','timesOfDay':['01:30'],"
                  "'timezone':'America/Denver'");
    get(EXECUTIONS "/future?agentId=a&dateKey=2026-03-08");
    assert_int_equal(count(), 0);
    get(EXECUTIONS "/future?agentId=a&dateKey=2026-03-09");
    assert_json("0.scheduledAt", "'2026-03-09T08:30:00.000Z'");
    get(EXECUTIONS "/future?agentId=b&dateKey=2026-11-01");
    assert_int_equal(count(), 2);
    assert_json("0.scheduledAt", "'2026-11-01T07:30:00.000Z'");
    assert_json("1.scheduledAt", "'2026-11-01T08:30:00.000Z'");
}

static void filters_are_combined(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['12:00'],'timezone':'UTC'");
    schedule("b", ",'scheduleType':'FIXED_TIMES','timesOfDay':['13:00'],'timezone':'UTC'");
    schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['14:00'],'timezone':'UTC',"
                  "'projectId':'p','enabled':false");
    get(EXECUTIONS "/future");
    assert_int_equal(count(), 3);
    get(EXECUTIONS "/future?agentId=a&execStatus=READY");
    assert_int_equal(count(), 1);
    assert_json("0.plannedHour", "12");
    get(EXECUTIONS "/future?agentId=a&execStatus=SKIPPED&dateKey=2026-01-05"); /* disabled */
    assert_int_equal(count(), 1);
    assert_json("0.plannedHour", "14");
    assert_refused(get(EXECUTIONS "/future?execStatus=DONE"), 400, "invalid_field",
                   "execStatus");
    assert_refused(get(EXECUTIONS "/future?dateKey=today"), 400, "invalid_field", "dateKey");
    assert_refused(get(EXECUTIONS "/future?dateKey=2026-02-30"), 400, "invalid_field",
                   "dateKey");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(plan_given_a_cron_schedule_correct_times_are_generated),
        API_TEST(plan_given_fixed_times_there_is_an_item_for_each),
        API_TEST(plan_given_an_interval_items_are_at_correct_times),
        API_TEST(plan_version_drift_cancels_stale_items),
        API_TEST(several_edits_of_a_day_void_each_item_once),
        API_TEST(an_edit_voids_items_that_are_due_and_unclaimed),
        API_TEST(only_items_that_were_planned_are_voided),
        API_TEST(plan_midnight_clears_and_regenerates),
        API_TEST(executions_that_are_not_begun_within_a_day_fail),
        API_TEST(plan_the_key_prevents_duplicates_whenever_it_is_planned),
        API_TEST(plan_in_denver_times_are_right_for_a_server_in_utc),
        API_TEST(plan_midnight_is_that_of_each_zone),
        API_TEST(row_140_the_planner_shows_when_it_last_planned),
        API_TEST(row_26_the_plan_ends_with_the_day),
        API_TEST(plan_changes_of_the_clock_are_handled),
        API_TEST(filters_are_combined),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
