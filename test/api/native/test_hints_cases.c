/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test cases of cronicorn, the adaptive scheduler, over the API and on a complete engine:
 * group 5 of test/mission/hints.txt has their numbers.  T is 10:00:00; a comment next to each
 * expected value shows its computation.
 */
#include "one_schedule.h"

/* ---- the next run ---- */

static void case_1_a_pause_wins_over_everything(void **state)
{
    (void)state;
    make_every("5s", "", "");
    assert_int_equal(hint("{'interval':'2s'}"), 200);
    assert_int_equal(pause_until("10:10:00"), 200);
    assert_next("10:10:00", "paused");
}

static void case_2_an_interval_counts_from_the_start_of_the_run(void **state)
{
    (void)state;
    make_every("300s", "", "");
    assert_next("10:05:00", "baseline-interval"); /* never at once: T + 300 s */
    run_at("10:05:00", "10:05:07", "complete");
    assert_next("10:10:00", "baseline-interval");
    assert_json("state.recent", "'s'");
    assert_json("state.lastSuccessAt", "'2026-01-05T10:05:07.000Z'");
    assert_json("state.lastLateness", "'0s'");
}

static void case_3_and_18_failures_do_not_delay_a_cron_line(void **state)
{
    static const char *const starts[] = {"10:01:00", "10:02:00", "10:03:00", "10:04:00",
                                         "10:05:00"};

    (void)state;
    assert_int_equal(put("{'cron':['* * * * *']}", ",'governor':{}"), 201);
    for (int i = 0; i < 5; i++) {
        assert_next(starts[i], "baseline-cron");
        run_at(starts[i], starts[i], "fail");
    }
    assert_next("10:06:00", "baseline-cron");
    assert_json("state.failures", "5");
    assert_json("state.recent", "'fffff'");
    assert_json("state.lastSuccessAt", "null");
}

static void case_4_an_interval_hint_replaces_the_interval(void **state)
{
    (void)state;
    make_every("300s", "", "");
    assert_int_equal(hint("{'interval':'60s'}"), 200);
    assert_next("10:01:00", "ai-interval"); /* T + 60 s */
    run_at("10:01:00", "10:01:01", "complete");
    assert_next("10:02:00", "ai-interval");
}

/* A longer interval counts from the next run on: a hint never delays the next run. */
static void case_4_an_interval_hint_may_slow_down(void **state)
{
    (void)state;
    make_every("15s", "", "");
    assert_int_equal(hint("{'interval':'30s'}"), 200);
    assert_next("10:00:15", "baseline-interval");
    run_at("10:00:15", "10:00:15", "complete");
    assert_next("10:00:45", "ai-interval");
}

static void case_5_a_one_shot_runs_once_and_then_the_interval(void **state)
{
    (void)state;
    make_every("300s", "", "");
    assert_int_equal(hint("{'at':'2026-01-05T10:02:00Z','reason':'look'}"), 200);
    assert_next("10:02:00", "ai-oneshot");
    run_at("10:02:00", "10:02:01", "complete");
    assert_next("10:07:00", "baseline-interval"); /* 10:02:00 + 300 s */
    assert_json("governor.hint.at", "null");
    pass_to("10:06:59");
    assert_int_equal(get("/api/v1/runs?schedule=s"), 200);
    assert_json("runs.0.source", "'ai-oneshot'");
    assert_json("runs.1", "absent");
}

/* A hint of 10 min that expires at 10:01:00 has no effect at 10:05:00. */
static void case_6_a_hint_that_has_expired_is_ignored(void **state)
{
    (void)state;
    make_every("300s", "", "");
    assert_int_equal(hint("{'interval':'10m','expires':'2026-01-05T10:01:00Z'}"), 200);
    run_at("10:05:00", "10:05:00", "complete");
    assert_next("10:10:00", "baseline-interval");
    assert_json("governor.hint.interval", "null");
}

static void case_7_and_8_bounds_hold(void **state)
{
    (void)state;
    make_every("10s", "'minInterval':'60s'", "");
    assert_next("10:01:00", "clamped-min"); /* T + 60 s */
    run_at("10:01:00", "10:01:00", "complete");
    assert_next("10:02:00", "clamped-min");
    assert_int_equal(
        put("{'intervals':[{'every':'600s'}]}", ",'governor':{'maxInterval':'180s'}"), 200);
    assert_next("10:04:00", "clamped-max"); /* 10:01:00 + 180 s */
}

/* The server was down for ten minutes: the run that was due at 10:01 starts at 10:10. */
static void case_9_the_interval_counts_from_a_late_start(void **state)
{
    struct claimed run;

    (void)state;
    make_every("60s", "", "");
    world.now += 10 * SPAN_MIN;
    pass_time(0);
    assert_int_equal(claim(&run, "w"), 1);
    assert_int_equal(claim(&run, "w"), 0); /* only once */
    assert_int_equal(report(&run, "complete"), 200);
    assert_next("10:11:00", "baseline-interval");
}

static void case_10_the_earlier_of_two_hints_is_used(void **state)
{
    (void)state;
    make_every("300s", "", "");
    assert_int_equal(hint("{'interval':'120s','at':'2026-01-05T10:01:30Z'}"), 200);
    assert_next("10:01:30", "ai-oneshot"); /* T + 120 s is later */
}

/*
 * The one-shot of 10:05:20 comes during the run from 10:05:00 to 10:05:45.  It runs after it,
 * with the 20 s that it would have waited.
 */
static void case_11_a_one_shot_that_came_during_a_run_is_not_lost(void **state)
{
    struct claimed run;

    (void)state;
    make_every("300s", "", "");
    pass_to("10:05:00");
    assert_int_equal(claim(&run, "w"), 1);
    assert_int_equal(hint("{'at':'2026-01-05T10:05:20Z'}"), 200);
    pass_to("10:05:45");
    assert_int_equal(report(&run, "complete"), 200);
    assert_next("10:06:05", "ai-oneshot");
    run_at("10:06:05", "10:06:06", "complete");
    assert_next("10:11:05", "baseline-interval"); /* 10:06:05 + 300 s */
}

static void case_12_a_one_shot_that_expired_during_a_run_is_ignored(void **state)
{
    struct claimed run;

    (void)state;
    make_every("300s", "", "");
    pass_to("10:05:00");
    assert_int_equal(claim(&run, "w"), 1);
    assert_int_equal(hint("{'at':'2026-01-05T10:05:20Z','expires':'2026-01-05T10:05:30Z'}"),
                     200);
    pass_to("10:05:45");
    assert_int_equal(report(&run, "complete"), 200);
    assert_next("10:10:00", "baseline-interval");
}

/* Without the hint, two failures would make it 60 s × 4. */
static void case_20_failures_do_not_delay_a_hint(void **state)
{
    (void)state;
    make_every("60s", "", "");
    run_at("10:01:00", "10:01:00", "fail");
    assert_int_equal(hint("{'interval':'120s'}"), 200);
    run_at("10:03:00", "10:03:00", "fail");
    assert_next("10:05:00", "ai-interval"); /* 10:03:00 + 120 s */
    assert_json("state.failures", "2");
}

static void without_backoff_failures_do_not_change_the_interval(void **state)
{
    (void)state;
    make_every("60s", "'backoff':false", "");
    run_at("10:01:00", "10:01:00", "fail");
    assert_next("10:02:00", "baseline-interval");
}

/* ---- after a run ---- */

static void a_used_one_shot_leaves_the_interval_and_the_reason(void **state)
{
    (void)state;
    make_every("300s", "", "");
    assert_int_equal(hint("{'interval':'90s','at':'2026-01-05T10:00:30Z','reason':'why'}"),
                     200);
    run_at("10:00:30", "10:00:31", "complete");
    assert_next("10:02:00", "ai-interval"); /* 10:00:30 + 90 s */
    assert_json("governor.hint", "{'interval':'1m30s','at':null,"
                                 "'expires':'2026-01-05T11:00:00.000Z','reason':'why'}");
}

static void a_one_shot_that_is_to_come_is_kept(void **state)
{
    (void)state;
    make_every("60s", "", "");
    assert_int_equal(hint("{'at':'2026-01-05T10:01:30Z'}"), 200);
    run_at("10:01:00", "10:01:01", "complete");
    assert_next("10:01:30", "ai-oneshot"); /* before 10:02:00 */
}

static void reset_failures_resets_the_backoff(void **state)
{
    (void)state;
    make_every("60s", "", "");
    run_at("10:01:00", "10:01:00", "fail");
    run_at("10:03:00", "10:03:00", "fail");       /* + 2 min */
    assert_next("10:07:00", "baseline-interval"); /* + 4 min */
    assert_int_equal(post("/api/v1/schedules/s/reset-failures", ""), 200);
    assert_json("state.failures", "0");
    run_at("10:07:00", "10:07:00", "fail");
    assert_next("10:09:00", "baseline-interval"); /* + 2 min: the first again */
}

/* ---- hints for an earlier run ---- */

/* It is valid when the run ends, but would fire at 10:02:00, after it has expired. */
static void a_hint_that_expires_before_its_run_is_not_used(void **state)
{
    (void)state;
    make_every("5m", "", "");
    assert_int_equal(hint("{'interval':'1m','expires':'2026-01-05T10:01:30Z'}"), 200);
    run_at("10:01:00", "10:01:20", "complete");
    assert_next("10:06:00", "baseline-interval");
}

static void a_hint_for_a_later_time_is_ignored(void **state)
{
    (void)state;
    make_every("300s", "", "");
    assert_int_equal(hint("{'at':'2026-01-05T10:20:00Z'}"), 200);
    assert_next("10:05:00", "baseline-interval");
}

static void a_hint_obeys_the_bounds(void **state)
{
    (void)state;
    make_every("300s", "'minInterval':'60s'", "");
    assert_int_equal(hint("{'at':'2026-01-05T10:00:30Z'}"), 200);
    assert_next("10:01:00", "clamped-min"); /* T + 60 s */
}

static void a_hint_for_a_time_in_a_pause_is_ignored(void **state)
{
    struct claimed run;

    (void)state;
    make_every("300s", "", "");
    assert_int_equal(pause_until("10:02:00"), 200);
    assert_int_equal(hint("{'at':'2026-01-05T10:01:00Z'}"), 200);
    pass_to("10:04:59");
    assert_int_equal(claim(&run, "w"), 0);
    run_at("10:05:00", "10:05:00", "complete");
}

/* ---- tests ---- */

/* It works during a pause and does not change the next run. */
static void a_test_run_changes_nothing_in_the_schedule(void **state)
{
    struct claimed run;

    (void)state;
    make_every("300s", "", "");
    assert_int_equal(pause_until("10:30:00"), 200);
    assert_int_equal(post("/api/v1/schedules/s/test", ""), 202);
    assert_int_equal(claim(&run, "w"), 1);
    assert_json("runs.0.kind", "'test'");
    assert_int_equal(report(&run, "fail"), 200);
    assert_next("10:30:00", "paused");
    assert_json("state.failures", "0");
    assert_json("state.lastRunAt", "null");
    assert_json("state.counters.failed", "0");
    assert_json("state.recent", "''");
    assert_json("state.lastLateness", "null");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(case_1_a_pause_wins_over_everything),
        API_TEST(case_2_an_interval_counts_from_the_start_of_the_run),
        API_TEST(case_3_and_18_failures_do_not_delay_a_cron_line),
        API_TEST(case_4_an_interval_hint_replaces_the_interval),
        API_TEST(case_4_an_interval_hint_may_slow_down),
        API_TEST(case_5_a_one_shot_runs_once_and_then_the_interval),
        API_TEST(case_6_a_hint_that_has_expired_is_ignored),
        API_TEST(case_7_and_8_bounds_hold),
        API_TEST(case_9_the_interval_counts_from_a_late_start),
        API_TEST(case_10_the_earlier_of_two_hints_is_used),
        API_TEST(case_11_a_one_shot_that_came_during_a_run_is_not_lost),
        API_TEST(case_12_a_one_shot_that_expired_during_a_run_is_ignored),
        API_TEST(case_20_failures_do_not_delay_a_hint),
        API_TEST(without_backoff_failures_do_not_change_the_interval),
        API_TEST(a_used_one_shot_leaves_the_interval_and_the_reason),
        API_TEST(a_one_shot_that_is_to_come_is_kept),
        API_TEST(reset_failures_resets_the_backoff),
        API_TEST(a_hint_that_expires_before_its_run_is_not_used),
        API_TEST(a_hint_for_a_later_time_is_ignored),
        API_TEST(a_hint_obeys_the_bounds),
        API_TEST(a_hint_for_a_time_in_a_pause_is_ignored),
        API_TEST(a_test_run_changes_nothing_in_the_schedule),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
