/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `nextSource` of schedules and `source` of runs: which of seven rules set the time of a run.
 *
 * The expected times are computed by hand: the clock starts at 2026-01-05T10:00:00Z.
 */
#include "world.h"

#define GOVERNED     ",'governor':{}"
#define EVERY_10_MIN "{'intervals':[{'every':'10m'}]}"

static void make(const char *id, const char *spec, const char *rest)
{
    assert_int_equal(
        ask(js("PUT /api/v1/schedules/%s", id), NULL,
            js("{'spec':%s,'action':{'type':'queue','queue':'q-%s'}%s}", spec, id, rest)),
        201);
}

static void hint(const char *id, const char *body)
{
    assert_int_equal(ask(js("PUT /api/v1/schedules/%s/hint", id), NULL, js("%s", body)), 200);
}

/* Checks the source of the next slot, and after `time` that of the run, claimed and ended. */
static void assert_source(const char *id, span time, const char *slot, const char *source)
{
    char run[64], fence[16];

    assert_int_equal(get(js("/api/v1/schedules/%s", id)), 200);
    assert_true(str_eq(text_at("state.nextAt"), str_of(slot)));
    assert_true(str_eq(text_at("state.nextSource"), str_of(source)));
    pass_time(time);
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q-%s'],'worker':'w'}", id)),
                     200);
    assert_true(str_eq(text_at("runs.0.slot"), str_of(slot)));
    assert_true(str_eq(text_at("runs.0.source"), str_of(source)));
    snprintf(run, sizeof run, "%s", text_at("runs.0.id").ptr);
    snprintf(fence, sizeof fence, "%s", json_at("runs.0.fence"));
    assert_int_equal(post(js("/api/v1/runs/%s/complete", run), js("{'fence':%s}", fence)), 200);
    assert_int_equal(get(js("/api/v1/runs/%s", run)), 200);
    assert_json("state", "'ended'");
    assert_true(str_eq(text_at("source"), str_of(source)));
}

static void the_interval_of_the_schedule(void **state)
{
    (void)state;
    make("s", EVERY_10_MIN, GOVERNED);
    assert_source("s", 10 * SPAN_MIN, "2026-01-05T10:10:00.000Z", "baseline-interval");
}

static void the_expression_of_the_schedule(void **state)
{
    (void)state;
    make("s", "{'cron':['15 10 * * *']}", GOVERNED);
    assert_source("s", 15 * SPAN_MIN, "2026-01-05T10:15:00.000Z", "baseline-cron");
}

static void a_hint_of_another_interval(void **state)
{
    (void)state;
    make("s", EVERY_10_MIN, GOVERNED);
    hint("s", "{'interval':'2m'}");
    assert_source("s", 2 * SPAN_MIN, "2026-01-05T10:02:00.000Z", "ai-interval");
}

static void a_hint_of_one_moment(void **state)
{
    (void)state;
    make("s", EVERY_10_MIN, GOVERNED);
    hint("s", "{'at':'2026-01-05T10:03:00Z'}");
    assert_source("s", 3 * SPAN_MIN, "2026-01-05T10:03:00.000Z", "ai-oneshot");
}

/* Every minute, but at least five minutes after the last run; here after the creation. */
static void the_shortest_interval(void **state)
{
    (void)state;
    make("s", "{'intervals':[{'every':'1m'}]}", ",'governor':{'minInterval':'5m'}");
    assert_source("s", 5 * SPAN_MIN, "2026-01-05T10:05:00.000Z", "clamped-min");
}

static void the_longest_interval(void **state)
{
    (void)state;
    make("s", "{'intervals':[{'every':'1h'}]}", ",'governor':{'maxInterval':'7m'}");
    assert_source("s", 7 * SPAN_MIN, "2026-01-05T10:07:00.000Z", "clamped-max");
}

/* The pause ends at 10:30, and the delayed run starts then. */
static void the_end_of_a_pause(void **state)
{
    char run[64];

    (void)state;
    make("s", EVERY_10_MIN, GOVERNED);
    assert_int_equal(post("/api/v1/schedules/s/pause", js("{'until':'2026-01-05T10:30:00Z'}")),
                     200);
    pass_time(29 * SPAN_MIN);
    assert_int_equal(get("/api/v1/runs?schedule=s"), 200);
    assert_json("runs", "[]");
    pass_time(SPAN_MIN);
    assert_int_equal(get("/api/v1/runs?schedule=s"), 200);
    assert_json("runs.0.slot", "'2026-01-05T10:30:00.000Z'");
    assert_json("runs.1", "absent");
    snprintf(run, sizeof run, "%s", text_at("runs.0.id").ptr);
    assert_int_equal(get(js("/api/v1/runs/%s", run)), 200);
    assert_json("source", "'paused'");
}

/* Without a governor, runs have no label, but the rule of the next slot is shown. */
static void the_times_of_a_schedule_without_a_governor(void **state)
{
    static const struct {
        const char *spec, *source;
    } rows[] = {
        {"{'intervals':[{'every':'10m'}]}", "'baseline-interval'"},
        {"{'intervals':[{'every':'10m','anchor':'midnight'}],'jitter':'5s'}",
         "'baseline-interval'"},
        {"{'intervals':[{'every':'10m','anchor':'completion'}]}", "'baseline-interval'"},
        {"{'cron':['15 10 * * *']}", "'baseline-cron'"},
        {"{'timesOfDay':['11:00']}", "'baseline-cron'"},
        {"{'at':['2026-02-01T00:00:00Z']}", "'baseline-cron'"},
        {"{'cron':['5 10 * * *'],'intervals':[{'every':'10m'}]}", "'baseline-cron'"},
        {"{'cron':['15 10 * * *'],'intervals':[{'every':'10m'}]}", "'baseline-interval'"},
        {"{'intervals':[{'every':'10m'}],'exclude':{'calendars':[{'hour':'9'}]}}",
         "'baseline-interval'"},
        {"{}", "null"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *id = js("s%zu", i);

        make(id, rows[i].spec, ""); /* the answer to the create request */
        assert_json("state.nextSource", rows[i].source);
        assert_int_equal(get(js("/api/v1/schedules/s%zu", i)), 200);
        assert_json("state.nextSource", rows[i].source);
        assert_int_equal(get(js("/api/v1/schedules?prefix=s%zu", i)), 200);
        assert_json("schedules.0.state.nextSource", rows[i].source);
        assert_int_equal(get(js("/api/v1/schedules/s%zu/next", i)), 200);
        if (strcmp(rows[i].source, "null") != 0)
            assert_json("times.0.source", rows[i].source);
    }
    /* A skipped slot is not the next one. */
    assert_int_equal(post("/api/v1/schedules/s6/skip-next", ""), 200);
    assert_int_equal(get("/api/v1/schedules/s6"), 200);
    assert_json("state.nextAt", "'2026-01-05T10:10:00.000Z'");
    assert_json("state.nextSource", "'baseline-interval'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(the_interval_of_the_schedule),
        API_TEST(the_expression_of_the_schedule),
        API_TEST(a_hint_of_another_interval),
        API_TEST(a_hint_of_one_moment),
        API_TEST(the_shortest_interval),
        API_TEST(the_longest_interval),
        API_TEST(the_end_of_a_pause),
        API_TEST(the_times_of_a_schedule_without_a_governor),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
