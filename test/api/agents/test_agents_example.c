/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The example in the specification of the agents' API (test/mission/agents.txt, 10.1 to 10.4):
 * one day of three agents, in the local time of Denver, seven hours behind UTC.
 */
#include "agents.h"

/* 2026-01-05T10:00:00Z is 03:00 in Denver. */
#define UNTIL(hours, minutes) \
    ((hours)*SPAN_H + (minutes)*SPAN_MIN - (world.now - started) - 3 * SPAN_H)

static instant started;

static void make_all(void)
{
    started = world.now;
    assert_int_equal(schedule("reconciler", ",'scheduleType':'CRON',"
                                            "'cronExpr':'0 0 */2 * * *',"
                                            "'timezone':'America/Denver',"
                                            "'projectScope':'PROJECT','projectId':'xyz'"),
                     201);
    assert_int_equal(schedule("thread-extractor", ",'scheduleType':'FIXED_TIMES',"
                                                  "'timesOfDay':['09:00','17:00'],"
                                                  "'timezone':'America/Denver'"),
                     201);
    assert_int_equal(schedule("distiller", ",'scheduleType':'INTERVAL','intervalMinutes':30,"
                                           "'timezone':'UTC','projectScope':'GLOBAL'"),
                     201);
}

static int items(const char *query)
{
    assert_int_equal(get(js(EXECUTIONS "/future%s", query)), 200);
    return count();
}

/* An agent claims its run, works for this time, and reports its result. */
static void work(const char *agent, span time, const char *refs)
{
    char id[RUN_ID_TEXT_MAX];
    int held;

    snprintf(id, sizeof id, "%s", claim(agent));
    assert_true(strlen(id) > 0);
    held = (int)fence();
    for (; time > 30 * SPAN_S; time -= 30 * SPAN_S) {
        pass_time(30 * SPAN_S);
        assert_int_equal(post(js("/api/v1/runs/%s/heartbeat", id), js("{'fence':%d}", held)),
                         200);
    }
    pass_time(time);
    assert_int_equal(
        post(js("/api/v1/runs/%s/complete", id), js("{'fence':%d,'refs':{%s}}", held, refs)),
        200);
}

static void example_midnight_plans_12_and_2_in_denver_and_48_in_utc(void **state)
{
    (void)state;
    make_all();
    pass_time(14 * SPAN_H); /* midnight in UTC */
    assert_int_equal(items("?agentId=distiller"), 48);
    pass_time(7 * SPAN_H); /* midnight in Denver */
    assert_int_equal(items("?agentId=reconciler&dateKey=2026-01-06"), 12);
    assert_json("0.scheduledAt", "'2026-01-06T07:00:00.000Z'");
    assert_int_equal(items("?agentId=thread-extractor"), 2);
    assert_json("0.scheduledAt", "'2026-01-06T16:00:00.000Z'");
    assert_json("1.scheduledAt", "'2026-01-07T00:00:00.000Z'");
}

static void example_at_nine_the_extractor_runs_and_its_item_is_gone(void **state)
{
    (void)state;
    make_all();
    pass_time(UNTIL(9, 0));
    assert_int_equal(items("?agentId=thread-extractor&execStatus=READY"), 2);
    work("thread-extractor", 45 * SPAN_S, "'reminderIds':['r1','r2','r3']");
    get(EXECUTIONS "/past?agentId=thread-extractor");
    assert_json("totalElements", "1");
    assert_json("content.0.scheduledAt", "'2026-01-05T16:00:00.000Z'");
    assert_json("content.0.resultStatus", "'SUCCESS'");
    assert_json("content.0.durationMs", "45000");
    assert_json("content.0.responseRefs.reminderIds", "['r1','r2','r3']");
    assert_int_equal(items("?agentId=thread-extractor"), 1); /* the one of 17:00 */
    assert_json("0.plannedHour", "17");
}

/* The schedule is disabled until 09:30, so that the run of 10:00 is its first one. */
static void example_at_ten_the_reconciler_finds_two_blindspots(void **state)
{
    (void)state;
    make_all();
    ask("PUT " SCHEDULES "/agent:reconciler@xyz", NULL, js("{'enabled':false}"));
    pass_time(UNTIL(9, 30));
    ask("PUT " SCHEDULES "/agent:reconciler@xyz", NULL, js("{'enabled':true}"));
    pass_time(UNTIL(10, 0));
    work("reconciler", 120 * SPAN_S, "'blindspotIds':['b1','b2']");
    get(EXECUTIONS "/past?agentId=reconciler");
    assert_json("content.0.scheduledAt", "'2026-01-05T17:00:00.000Z'");
    assert_json("content.0.projectId", "'xyz'");
    assert_json("content.0.resultStatus", "'SUCCESS'");
    assert_json("content.0.durationMs", "120000");
    assert_json("content.0.responseRefs.blindspotIds", "['b1','b2']");
    pass_time(UNTIL(10, 15));
    assert_int_equal(
        post(EXECUTIONS "/trigger", js("{'agentId':'reconciler','projectId':'xyz'}")), 202);
    assert_json("execStatus", "'READY'");
    assert_json("immediate", "true");
    assert_json("plannedHour", "-1");
    assert_json("scheduledAt", "'2026-01-05T17:15:00.000Z'");
    work("reconciler", 10 * SPAN_S, "'blindspotIds':[]"); /* recorded like any other */
    get(EXECUTIONS "/past?agentId=reconciler");
    assert_json("totalElements", "2");
    assert_json("content.0.scheduledAt", "'2026-01-05T17:15:00.000Z'");
}

static void example_at_half_past_ten_13_00_is_new_and_17_00_stays(void **state)
{
    char id[RUN_ID_TEXT_MAX], key[256];

    (void)state;
    make_all();
    pass_time(UNTIL(9, 0));
    work("thread-extractor", 45 * SPAN_S, "");
    pass_time(UNTIL(10, 30));
    assert_int_equal(items("?agentId=thread-extractor"), 1);
    snprintf(id, sizeof id, "%s", text_at("0.executionId").ptr);
    snprintf(key, sizeof key, "%s", text_at("0.idempotencyKey").ptr);
    ask("PUT " SCHEDULES "/agent:thread-extractor", NULL,
        js("{'timesOfDay':['09:00','13:00','17:00']}"));
    assert_json("version", "2");
    assert_int_equal(items("?agentId=thread-extractor"), 2);
    assert_json("0.plannedHour", "13");
    assert_json("0.execStatus", "'READY'");
    assert_string_equal(text_at("1.executionId").ptr, id);
    assert_string_equal(text_at("1.idempotencyKey").ptr, key);
    assert_string_equal(claim("thread-extractor"), ""); /* 09:00 is done */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(example_midnight_plans_12_and_2_in_denver_and_48_in_utc),
        API_TEST(example_at_nine_the_extractor_runs_and_its_item_is_gone),
        API_TEST(example_at_ten_the_reconciler_finds_two_blindspots),
        API_TEST(example_at_half_past_ten_13_00_is_new_and_17_00_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
