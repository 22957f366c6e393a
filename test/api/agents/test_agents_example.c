/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The example of section 10 of the plan that the agents' API follows: one day of three agents,
 * in the local time of Denver, seven hours behind UTC.
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
    assert_int_equal(get(js(E "/future%s", query)), 200);
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
        pass(30 * SPAN_S);
        assert_int_equal(post(js("/api/v1/runs/%s/heartbeat", id), js("{'fence':%d}", held)),
                         200);
    }
    pass(time);
    assert_int_equal(
        post(js("/api/v1/runs/%s/complete", id), js("{'fence':%d,'refs':{%s}}", held, refs)),
        200);
}

static void example_midnight_plans_12_and_2_in_denver_and_48_in_utc(void **state)
{
    (void)state;
    make_all();
    pass(14 * SPAN_H); /* midnight in UTC */
    assert_int_equal(items("?agentId=distiller"), 48);
    pass(7 * SPAN_H); /* midnight in Denver */
    assert_int_equal(items("?agentId=reconciler&dateKey=2026-01-06"), 12);
    assert_told("0.scheduledAt", "'2026-01-06T07:00:00.000Z'");
    assert_int_equal(items("?agentId=thread-extractor"), 2);
    assert_told("0.scheduledAt", "'2026-01-06T16:00:00.000Z'");
    assert_told("1.scheduledAt", "'2026-01-07T00:00:00.000Z'");
}

static void example_at_nine_the_extractor_runs_and_its_item_is_gone(void **state)
{
    (void)state;
    make_all();
    pass(UNTIL(9, 0));
    assert_int_equal(items("?agentId=thread-extractor&execStatus=READY"), 2);
    work("thread-extractor", 45 * SPAN_S, "'reminderIds':['r1','r2','r3']");
    get(E "/past?agentId=thread-extractor");
    assert_told("totalElements", "1");
    assert_told("content.0.scheduledAt", "'2026-01-05T16:00:00.000Z'");
    assert_told("content.0.resultStatus", "'SUCCESS'");
    assert_told("content.0.durationMs", "45000");
    assert_told("content.0.responseRefs.reminderIds", "['r1','r2','r3']");
    assert_int_equal(items("?agentId=thread-extractor"), 1); /* the one of 17:00 */
    assert_told("0.plannedHour", "17");
}

/* No agent claimed those of 04:00 to 08:00. */
static void example_at_ten_the_reconciler_finds_two_blindspots(void **state)
{
    (void)state;
    make_all();
    ask("PUT " S "/agent:reconciler@xyz", NULL, js("{'enabled':false}"));
    pass(UNTIL(9, 30));
    ask("PUT " S "/agent:reconciler@xyz", NULL, js("{'enabled':true}"));
    pass(UNTIL(10, 0));
    work("reconciler", 120 * SPAN_S, "'blindspotIds':['b1','b2']");
    get(E "/past?agentId=reconciler");
    assert_told("content.0.scheduledAt", "'2026-01-05T17:00:00.000Z'");
    assert_told("content.0.projectId", "'xyz'");
    assert_told("content.0.resultStatus", "'SUCCESS'");
    assert_told("content.0.durationMs", "120000");
    assert_told("content.0.responseRefs.blindspotIds", "['b1','b2']");
    pass(UNTIL(10, 15));
    assert_int_equal(post(E "/trigger", js("{'agentId':'reconciler','projectId':'xyz'}")), 202);
    assert_told("execStatus", "'READY'");
    assert_told("immediate", "true");
    assert_told("plannedHour", "-1");
    assert_told("scheduledAt", "'2026-01-05T17:15:00.000Z'");
    work("reconciler", 10 * SPAN_S, "'blindspotIds':[]"); /* recorded like any other */
    get(E "/past?agentId=reconciler");
    assert_told("totalElements", "2");
    assert_told("content.0.scheduledAt", "'2026-01-05T17:15:00.000Z'");
}

static void example_at_half_past_ten_13_00_is_new_and_17_00_stays(void **state)
{
    char id[RUN_ID_TEXT_MAX], key[256];

    (void)state;
    make_all();
    pass(UNTIL(9, 0));
    work("thread-extractor", 45 * SPAN_S, "");
    pass(UNTIL(10, 30));
    assert_int_equal(items("?agentId=thread-extractor"), 1);
    snprintf(id, sizeof id, "%s", text_at("0.executionId").ptr);
    snprintf(key, sizeof key, "%s", text_at("0.idempotencyKey").ptr);
    ask("PUT " S "/agent:thread-extractor", NULL,
        js("{'timesOfDay':['09:00','13:00','17:00']}"));
    assert_told("version", "2");
    assert_int_equal(items("?agentId=thread-extractor"), 2);
    assert_told("0.plannedHour", "13");
    assert_told("0.execStatus", "'READY'");
    assert_string_equal(text_at("1.executionId").ptr, id);
    assert_string_equal(text_at("1.idempotencyKey").ptr, key);
    assert_string_equal(claim("thread-extractor"), ""); /* 09:00 is done */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(example_midnight_plans_12_and_2_in_denver_and_48_in_utc),
        SERVED(example_at_nine_the_extractor_runs_and_its_item_is_gone),
        SERVED(example_at_ten_the_reconciler_finds_two_blindspots),
        SERVED(example_at_half_past_ten_13_00_is_new_and_17_00_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
