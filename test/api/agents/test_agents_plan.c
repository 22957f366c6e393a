/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The daily plan of agents, in each zone.
 *
 * Names of tests that begin with plan_ are lines of section 13 of the plan that the API
 * follows.
 */
#include "agents.h"

static void plan_given_a_cron_schedule_correct_times_are_generated(void **state)
{
    (void)state;
    schedule("reconciler", ",'scheduleType':'CRON','cronExpr':'0 0 */2 * * *',"
                           "'timezone':'America/Denver','projectScope':'PROJECT',"
                           "'projectId':'xyz'");
    assert_int_equal(get(E "/future?dateKey=2026-01-06"), 200);
    assert_int_equal(count(), 12); /* 00:00 is one of them */
    assert_told("0.scheduledAt", "'2026-01-06T07:00:00.000Z'");
    assert_told("0.plannedHour", "0");
    assert_told("0.plannedMinute", "0");
    assert_told("0.immediate", "false");
    assert_told("0.execStatus", "'READY'");
    assert_told("0.attempt", "0");
    assert_told("0.lockOwner", "null");
    assert_told("0.agentId", "'reconciler'");
    assert_told("0.projectId", "'xyz'");
    assert_told("0.scheduleId", "'agent:reconciler@xyz'");
    assert_told("0.dateKey", "'2026-01-06'");
    assert_told("0.idempotencyKey", "'2026-01-06|reconciler|xyz|2026-01-06T07:00:00.000Z'");
    assert_told("11.scheduledAt", "'2026-01-07T05:00:00.000Z'");
    assert_told("11.plannedHour", "22");
}

static void plan_given_fixed_times_there_is_an_item_for_each(void **state)
{
    (void)state;
    schedule("thread-extractor", ",'scheduleType':'FIXED_TIMES',"
                                 "'timesOfDay':['09:00','17:00'],"
                                 "'timezone':'America/Denver'");
    assert_int_equal(get(E "/future"), 200); /* 03:00 in Denver */
    assert_int_equal(count(), 2);
    assert_told("0.scheduledAt", "'2026-01-05T16:00:00.000Z'");
    assert_told("0.plannedHour", "9");
    assert_told("0.projectId", "null");
    assert_told("0.idempotencyKey",
                "'2026-01-05|thread-extractor|GLOBAL|2026-01-05T16:00:00.000Z'");
    assert_told("1.scheduledAt", "'2026-01-06T00:00:00.000Z'");
    assert_told("1.plannedHour", "17");
}

static void plan_given_an_interval_items_are_at_correct_times(void **state)
{
    (void)state;
    schedule("distiller", ",'scheduleType':'INTERVAL','intervalMinutes':30,'timezone':'UTC'");
    assert_int_equal(get(E "/future?dateKey=2026-01-06"), 200);
    assert_int_equal(count(), 48);
    assert_told("0.scheduledAt", "'2026-01-06T00:00:00.000Z'");
    assert_told("1.scheduledAt", "'2026-01-06T00:30:00.000Z'");
    assert_told("47.plannedMinute", "30");
    assert_int_equal(get(E "/future"), 200); /* from 10:30 on: past slots are not caught up */
    assert_int_equal(count(), 27);
    assert_told("0.scheduledAt", "'2026-01-05T10:30:00.000Z'");
}

static void plan_version_drift_cancels_stale_items(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['12:00','17:00'],"
                  "'timezone':'UTC'");
    get(E "/future");
    assert_told("1.plannedHour", "17");
    ask("PUT " S "/agent:a", NULL, js("{'timesOfDay':['13:00','17:00']}"));
    get(E "/future");
    assert_int_equal(count(), 2);
    assert_told("0.plannedHour", "13");
    assert_told("1.plannedHour", "17");
    pass(2 * SPAN_H);
    assert_string_equal(claim("a"), ""); /* nothing at 12:00 */
}

static void plan_midnight_clears_and_regenerates(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['12:00'],'timezone':'UTC'");
    get(E "/future");
    assert_told("0.dateKey", "'2026-01-05'");
    pass(14 * SPAN_H);
    get(E "/future");
    assert_int_equal(count(), 1);
    assert_told("0.dateKey", "'2026-01-06'");
    assert_told("0.scheduledAt", "'2026-01-06T12:00:00.000Z'");
    get(E "/future?dateKey=2026-01-05"); /* not claimed yet */
    assert_int_equal(count(), 1);
    assert_told("0.execStatus", "'READY'");
}

/* Otherwise all of them would run when the agent returns. */
static void what_nobody_has_begun_within_a_day_is_given_up(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'INTERVAL','intervalMinutes':60,'timezone':'UTC',"
                  "'executorPolicy':{'maxConcurrent':100}");
    for (int i = 0; i < 50; i++)
        pass(SPAN_H);
    get(E "/future?dateKey=2026-01-06&execStatus=CANCELLED"); /* now: the 7th, 12:00 */
    assert_int_equal(count(), 13);
    post("/api/v1/queues/claim", js("{'queues':['a'],'max':100,'worker':'w-1'}"));
    assert_int_equal(world.call.grant_count, 24);
    get(E "/past?size=1");
    assert_told("totalElements", "26");
    assert_told("content.0.resultStatus", "'FAIL'");
}

static void plan_the_key_prevents_duplicates_whenever_it_is_planned(void **state)
{
    char first[256];

    (void)state;
    schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['12:00'],'timezone':'UTC'");
    get(E "/future");
    snprintf(first, sizeof first, "%s %s", text_at("0.idempotencyKey").ptr,
             text_at("0.executionId").ptr);
    for (int i = 0; i < 10; i++) {
        char again[256];

        ask("PUT " S "/agent:a", NULL, js("{'executorPolicy':{'priority':%d}}", i % 10 + 1));
        get(E "/future");
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
    get(E "/future?dateKey=2026-01-20");
    assert_told("0.scheduledAt", "'2026-01-20T16:00:00.000Z'"); /* MST */
    get(E "/future?dateKey=2026-07-20");
    assert_told("0.scheduledAt", "'2026-07-20T15:00:00.000Z'"); /* MDT */
}

static void plan_midnight_is_that_of_each_zone(void **state)
{
    (void)state;
    schedule("d", ",'scheduleType':'INTERVAL','intervalMinutes':720,"
                  "'timezone':'America/Denver'");
    schedule("u", ",'scheduleType':'INTERVAL','intervalMinutes':720,'timezone':'UTC'");
    pass(15 * SPAN_H); /* 2026-01-06 01:00 in UTC, still the 5th in Denver */
    get(E "/future?agentId=d");
    assert_told("0.dateKey", "'2026-01-05'");
    get(E "/future?agentId=u");
    assert_told("0.dateKey", "'2026-01-06'");
}

static void row_140_the_planner_tells_when_it_last_planned(void **state)
{
    (void)state;
    get(E "/planner");
    assert_told("lastMidnightRebuilds", "{}");
    schedule("d", ",'scheduleType':'INTERVAL','intervalMinutes':720,"
                  "'timezone':'America/Denver'");
    pass(SPAN_H);
    schedule("u", ",'scheduleType':'INTERVAL','intervalMinutes':720,'timezone':'UTC'");
    get(E "/planner"); /* no midnight yet in either zone */
    assert_told("", "{'lastReconcileAt':'2026-01-05T11:00:00.000Z','lastMidnightRebuilds':"
                    "{'America/Denver':null,'UTC':null}}");
    pass(13 * SPAN_H); /* to midnight in UTC */
    get(E "/planner");
    assert_told("", "{'lastReconcileAt':'2026-01-06T00:00:00.000Z','lastMidnightRebuilds':"
                    "{'America/Denver':null,'UTC':'2026-01-06T00:00:00.000Z'}}");
    pass(7 * SPAN_H); /* midnight in Denver */
    get(E "/planner");
    assert_told("lastMidnightRebuilds", "{'America/Denver':'2026-01-06T07:00:00.000Z',"
                                        "'UTC':'2026-01-06T00:00:00.000Z'}");
}

/* Rows 24 and 26: a list has one day, the day of each zone. */
static void row_26_the_plan_ends_with_the_day(void **state)
{
    (void)state;
    schedule("d", ",'scheduleType':'INTERVAL','intervalMinutes':60,"
                  "'timezone':'America/Denver'");
    schedule("u", ",'scheduleType':'INTERVAL','intervalMinutes':60,'timezone':'UTC'");
    get(E "/future");
    for (int i = 0; i < count(); i++) {
        bool is_utc = strcmp(told(js("%d.agentId", i)), "'u'") == 0;

        assert_told(js("%d.dateKey", i), "'2026-01-05'");
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
    get(E "/future?agentId=a&dateKey=2026-03-08");
    assert_int_equal(count(), 0);
    get(E "/future?agentId=a&dateKey=2026-03-09");
    assert_told("0.scheduledAt", "'2026-03-09T08:30:00.000Z'");
    get(E "/future?agentId=b&dateKey=2026-11-01");
    assert_int_equal(count(), 2);
    assert_told("0.scheduledAt", "'2026-11-01T07:30:00.000Z'");
    assert_told("1.scheduledAt", "'2026-11-01T08:30:00.000Z'");
}

static void filters_narrow_together(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['12:00'],'timezone':'UTC'");
    schedule("b", ",'scheduleType':'FIXED_TIMES','timesOfDay':['13:00'],'timezone':'UTC'");
    schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['14:00'],'timezone':'UTC',"
                  "'projectId':'p','enabled':false");
    get(E "/future");
    assert_int_equal(count(), 3);
    get(E "/future?agentId=a&execStatus=READY");
    assert_int_equal(count(), 1);
    assert_told("0.plannedHour", "12");
    get(E "/future?agentId=a&execStatus=SKIPPED&dateKey=2026-01-05"); /* disabled */
    assert_int_equal(count(), 1);
    assert_told("0.plannedHour", "14");
    assert_refused(get(E "/future?execStatus=DONE"), 400, "invalid_field", "execStatus");
    assert_refused(get(E "/future?dateKey=today"), 400, "invalid_field", "dateKey");
    assert_refused(get(E "/future?dateKey=2026-02-30"), 400, "invalid_field", "dateKey");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(plan_given_a_cron_schedule_correct_times_are_generated),
        SERVED(plan_given_fixed_times_there_is_an_item_for_each),
        SERVED(plan_given_an_interval_items_are_at_correct_times),
        SERVED(plan_version_drift_cancels_stale_items),
        SERVED(plan_midnight_clears_and_regenerates),
        SERVED(what_nobody_has_begun_within_a_day_is_given_up),
        SERVED(plan_the_key_prevents_duplicates_whenever_it_is_planned),
        SERVED(plan_in_denver_times_are_right_for_a_server_in_utc),
        SERVED(plan_midnight_is_that_of_each_zone),
        SERVED(row_140_the_planner_tells_when_it_last_planned),
        SERVED(row_26_the_plan_ends_with_the_day),
        SERVED(plan_changes_of_the_clock_are_handled),
        SERVED(filters_narrow_together),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
