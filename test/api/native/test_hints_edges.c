/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edge cases of adaptive schedules, from the analysis of cronicorn in test/mission/hints.txt:
 * what it found safe, what it found broken, and its known limits.  Each test shows the safe
 * outcome.  The computations are in the comments; the clock starts at 10:00:00.
 */
#include <stdlib.h>

#include "one_schedule.h"

/* ---- found safe ---- */

/* Every 60 s; the run of T = 10:01:00 takes 90 s: T + 90 s + 60 s = T + 150 s = 10:03:30. */
static void a_run_that_outlasts_its_interval_is_followed_a_whole_interval_later(void **state)
{
    struct claimed run, other;

    (void)state;
    make_every("60s", "", "");
    pass_to("10:01:00");
    assert_int_equal(claim(&run, "w"), 1);
    pass_to("10:02:00"); /* when the next one would have been */
    assert_int_equal(claim(&other, "v"), 0);
    pass_to("10:02:30");
    assert_int_equal(report(&run, "complete"), 200);
    assert_next("10:03:30", "baseline-interval");
    pass_to("10:03:29");
    assert_int_equal(claim(&other, "v"), 0);
    pass_to("10:03:30");
    assert_int_equal(claim(&other, "v"), 1);
}

/* Also without a governor: slots during a run are skipped, not queued. */
static void slots_that_come_during_a_long_run_are_skipped_and_counted(void **state)
{
    struct claimed run, other;

    (void)state;
    assert_int_equal(put("{'intervals':[{'every':'60s'}]}", ""), 201);
    pass_to("10:01:00");
    assert_int_equal(claim(&run, "w"), 1);
    pass_to("10:02:30"); /* 10:02 has passed */
    assert_int_equal(claim(&other, "v"), 0);
    assert_int_equal(report(&run, "complete"), 200);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.counters.skipped", "1");
    assert_json("state.nextAt", "'2026-01-05T10:03:00.000Z'");
}

static void a_paused_schedule_gives_no_run_to_a_worker(void **state)
{
    struct claimed run;

    (void)state;
    make_every("60s", "", "");
    assert_int_equal(pause_until("10:05:00"), 200);
    assert_next("10:05:00", "paused");
    pass_to("10:04:59");
    assert_int_equal(claim(&run, "w"), 0);
    assert_next("10:05:00", "paused");
    pass_to("10:05:00"); /* overdue since 10:01:00: runs at once, one time */
    assert_int_equal(claim(&run, "w"), 1);
    assert_json("runs.0.source", "'paused'");
    assert_int_equal(claim(&run, "w"), 0);
}

/* For cron: the first slot after the pause. */
static void a_pause_with_an_end_shows_the_next_slot(void **state)
{
    (void)state;
    assert_int_equal(put("{'cron':['*/5 * * * *']}", ""), 201);
    assert_int_equal(pause_until("10:07:00"), 200);
    assert_json("state.pausedUntil", "'2026-01-05T10:07:00.000Z'");
    assert_next("10:10:00", "baseline-cron"); /* 10:05 is left out */
    assert_int_equal(get("/api/v1/schedules/s/next?count=1"), 200);
    assert_json("times.0.slot", "'2026-01-05T10:10:00.000Z'");
    assert_int_equal(post("/api/v1/schedules/s/pause", js("{'reason':'x'}")), 200); /* no end */
    assert_json("state.nextAt", "null");
    assert_json("state.nextSource", "null");
}

/* The run of 10:01:00 ends at 10:01:45, the pause at 10:01:30: the pause has no effect. */
static void a_pause_that_ends_during_a_run_changes_nothing_after_it(void **state)
{
    struct claimed run;

    (void)state;
    make_every("60s", "", "");
    pass_to("10:01:00");
    assert_int_equal(claim(&run, "w"), 1);
    pass_to("10:01:10");
    assert_int_equal(pause_until("10:01:30"), 200);
    pass_to("10:01:45");
    assert_int_equal(report(&run, "complete"), 200);
    assert_next("10:02:00", "baseline-interval");
}

/* The run of 10:01:00 ends at 10:01:30, the pause at 10:05:00: nothing starts before. */
static void a_pause_that_outlasts_a_run_is_kept(void **state)
{
    struct claimed run;

    (void)state;
    make_every("60s", "", "");
    pass_to("10:01:00");
    assert_int_equal(claim(&run, "w"), 1);
    assert_int_equal(pause_until("10:05:00"), 200);
    pass_to("10:01:30");
    assert_int_equal(report(&run, "complete"), 200);
    pass_to("10:04:59");
    assert_int_equal(claim(&run, "w"), 0);
    pass_to("10:05:00");
    assert_int_equal(claim(&run, "w"), 1);
    pass_to("10:05:10");
    assert_int_equal(report(&run, "complete"), 200);
    assert_next("10:06:00", "baseline-interval"); /* 10:05:00 + 60 s */
}

/*
 * Every 5 min, hint 1 min until 10:01:30.  The run of 10:01:00 ends at 10:01:45, when the hint
 * has expired: 10:01:00 + 5 min, not + 1 min.
 */
static void a_hint_that_ends_during_a_run_is_not_used_after_it(void **state)
{
    (void)state;
    make_every("5m", "", "");
    assert_int_equal(hint("{'interval':'1m','expires':'2026-01-05T10:01:30Z','reason':'load'}"),
                     200);
    assert_next("10:01:00", "ai-interval");
    run_at("10:01:00", "10:01:45", "complete");
    assert_next("10:06:00", "baseline-interval");
    assert_json("governor.hint", "{'interval':null,'at':null,'expires':null,'reason':null}");
}

/* The same hint is used if the run ends in time: 10:01:00 + 1 min. */
static void a_hint_that_outlasts_a_run_is_used_after_it(void **state)
{
    (void)state;
    make_every("5m", "", "");
    assert_int_equal(hint("{'interval':'1m','expires':'2026-01-05T10:02:30Z'}"), 200);
    run_at("10:01:00", "10:01:20", "complete");
    assert_next("10:02:00", "ai-interval");
}

/* A new hint that is set while the old one expires is used: 10:01:00 + 2 min. */
static void a_hint_that_is_renewed_during_a_run_is_used_after_it(void **state)
{
    struct claimed run;

    (void)state;
    make_every("5m", "", "");
    assert_int_equal(hint("{'interval':'1m','expires':'2026-01-05T10:01:30Z'}"), 200);
    pass_to("10:01:00");
    assert_int_equal(claim(&run, "w"), 1);
    pass_to("10:01:40");
    assert_int_equal(hint("{'interval':'2m','expires':'2026-01-05T11:00:00Z'}"), 200);
    pass_to("10:01:45");
    assert_int_equal(report(&run, "complete"), 200);
    assert_next("10:03:00", "ai-interval");
}

static void of_two_workers_one_gets_the_run(void **state)
{
    struct claimed run, other;

    (void)state;
    make_every("60s", "", "");
    pass_to("10:01:00");
    assert_int_equal(claim(&run, "a"), 1);
    assert_json("runs.0.fence", "1");
    for (int i = 0; i < 5; i++)
        assert_int_equal(claim(&other, "b"), 0);
    assert_int_equal(report(&run, "complete"), 200);
    assert_int_equal(claim(&other, "b"), 0); /* and not after it: the next run is at 10:02:00 */
}

/*
 * Every minute: the wait after n failures in a row is 1 min × 2^n, at most 32 min.  Starts, all
 * failing at once: 10:01, +2, +4, +8, +16, +32, +32 min.
 */
static void waits_after_failures_double_up_to_32_times(void **state)
{
    static const char *const starts[] = {"10:01:00", "10:03:00", "10:07:00", "10:15:00",
                                         "10:31:00", "11:03:00", "11:35:00"};

    (void)state;
    make_every("1m", "", "");
    for (int i = 0; i < 7; i++) {
        assert_next(starts[i], "baseline-interval");
        run_at(starts[i], starts[i], "fail");
    }
    assert_next("12:07:00", "baseline-interval");
    assert_json("state.failures", "7");
    run_at("12:07:00", "12:07:00", "complete"); /* one success resets the count */
    assert_next("12:08:00", "baseline-interval");
    assert_json("state.failures", "0");
}

/* 3 failures: 1 min × 8 = 8 min, but at most 5: the clamp is applied after the doubling. */
static void max_interval_limits_the_backoff(void **state)
{
    (void)state;
    make_every("1m", "'maxInterval':'5m'", "");
    run_at("10:01:00", "10:01:00", "fail");
    run_at("10:03:00", "10:03:00", "fail");
    run_at("10:07:00", "10:07:00", "fail");
    assert_next("10:12:00", "clamped-max");
}

/* A cron line of 5 min and a run from 10:05 to 10:16: the next run is at a slot of the line. */
static void a_cron_line_continues_at_its_slots_after_a_long_run(void **state)
{
    (void)state;
    assert_int_equal(put("{'cron':['*/5 * * * *']}", ",'governor':{}"), 201);
    run_at("10:05:00", "10:16:00", "complete");
    assert_next("10:20:00", "baseline-cron");
    run_at("10:20:00", "10:20:01", "complete");
    assert_next("10:25:00", "baseline-cron");
}

/* With another policy the late slot runs at once, and then the slots of the line. */
static void a_cron_line_may_run_one_late_slot_at_once(void **state)
{
    struct claimed run;

    (void)state;
    assert_int_equal(put("{'cron':['*/5 * * * *']}", ",'policies':{'overlap':'bufferOne'}"),
                     201);
    run_at("10:05:00", "10:16:00", "complete"); /* 10:10 waits, 10:15 finds the buffer full */
    assert_int_equal(claim(&run, "w"), 1);
    assert_claimed_slot("10:10:00");
    assert_int_equal(report(&run, "complete"), 200);
    assert_int_equal(claim(&run, "w"), 0);
    run_at("10:20:00", "10:20:01", "complete");
}

/*
 * A hint that is set during a run counts after it.  10:05:00 + 20 s is in the past by then, so
 * the next run is at the end plus the wait of the hint: 10:05:30 + 20 s.
 */
static void a_hint_that_is_written_during_a_run_is_not_lost(void **state)
{
    struct claimed run;

    (void)state;
    make_every("5m", "", "");
    pass_to("10:05:00");
    assert_int_equal(claim(&run, "w"), 1);
    pass_to("10:05:10");
    assert_int_equal(hint("{'interval':'20s','reason':'spike'}"), 200);
    pass_to("10:05:30");
    assert_int_equal(report(&run, "complete"), 200);
    assert_next("10:05:50", "ai-interval");
    assert_json("governor.hint", "{'interval':'20s','at':null,"
                                 "'expires':'2026-01-05T11:05:10.000Z','reason':'spike'}");
    assert_json("state.lastOutcome", "'succeeded'");
    assert_json("state.failures", "0");
}

/* ---- found broken ---- */

/* A run of three minutes with a heartbeat every half minute: its worker keeps it. */
static void a_worker_keeps_a_long_run_while_it_sends_heartbeats(void **state)
{
    struct claimed run, other;

    (void)state;
    make_every("60s", "", "");
    pass_to("10:01:00");
    assert_int_equal(claim(&run, "a"), 1);
    for (int i = 0; i < 6; i++) {
        pass_time(30 * SPAN_S);
        assert_int_equal(claim(&other, "b"), 0);
        assert_int_equal(report(&run, "heartbeat"), 200);
    }
    assert_int_equal(report(&run, "complete"), 200);
    assert_next("10:05:00", "baseline-interval"); /* 10:04:00 + 60 s */
    assert_json("state.counters.started", "1");
    assert_json("state.counters.succeeded", "1");
}

/* A worker without heartbeats can set a long lease: five minutes, of which four are used. */
static void a_lease_may_be_as_long_as_the_run(void **state)
{
    struct claimed run, other;

    (void)state;
    make_every("60s", "", ",'policies':{'lease':{'for':'5m','heartbeat':'5m'}}");
    pass_to("10:01:00");
    assert_int_equal(claim(&run, "a"), 1);
    pass_to("10:05:00");
    assert_int_equal(claim(&other, "b"), 0);
    assert_int_equal(report(&run, "complete"), 200);
    assert_next("10:06:00", "baseline-interval");
    assert_json("state.counters.started", "1");
}

/*
 * A worker sends nothing after 10:01:00: its lease of 90 s and the grace of 30 s end at
 * 10:03:00.  Another worker gets the run with a new fence, and reports of the first worker are
 * rejected.
 */
static void the_run_of_a_silent_worker_goes_to_another_and_counts_once(void **state)
{
    struct claimed run, other;

    (void)state;
    make_every("60s", "", "");
    pass_to("10:01:00");
    assert_int_equal(claim(&run, "a"), 1);
    pass_in_seconds(119 * SPAN_S);
    assert_int_equal(claim(&other, "b"), 0);
    pass_in_seconds(2 * SPAN_S);
    assert_int_equal(claim(&other, "b"), 1);
    assert_string_equal(other.id, run.id);
    assert_true(atoi(other.fence) > atoi(run.fence));
    assert_refused(report(&run, "complete"), 409, "stale_fence", "");
    assert_int_equal(report(&other, "complete"), 200);
    assert_refused(report(&run, "complete"), 409, "stale_fence", "");
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.counters.started", "1");
    assert_json("state.counters.succeeded", "1");
    assert_int_equal(get("/api/v1/events?type=lease.*"), 200);
    assert_json("events.0.type", "'lease.expired'");
    assert_json("events.1.type", "'lease.stale'");
}

/* No worker reports on it again: after ten minutes it ends, with the reason. */
static void a_run_that_nobody_ends_is_ended_with_a_message(void **state)
{
    struct claimed run, fresh;

    (void)state;
    make_every("60s", "",
               ",'policies':{'maxRunTime':'10m','lease':{'for':'30m','heartbeat':'30m'}}");
    pass_to("10:01:00");
    assert_int_equal(claim(&run, "a"), 1);
    pass_to("10:10:59");
    assert_int_equal(get(js("/api/v1/runs/%s", run.id)), 200);
    assert_json("state", "'leased'");
    pass_to("10:11:01");
    assert_int_equal(get(js("/api/v1/runs/%s", run.id)), 200);
    assert_json("state", "'ended'");
    assert_json("outcome", "'timedOut'");
    assert_json("reason", "'maxRunTime'");
    assert_json("error", "{'code':'maxRunTime',"
                         "'message':'the run took longer than its maxRunTime',"
                         "'retryable':null}");
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.open", "0");
    assert_json("state.failures", "1"); /* one failure; the schedule continues */
    assert_refused(report(&run, "complete"), 409, "stale_fence", "");
    pass_to("10:14:00");
    assert_int_equal(claim(&fresh, "b"), 1);
    assert_int_equal(get("/api/v1/runs?state=leased"), 200);
    assert_true(str_eq(text_at("runs.0.id"), str_of(fresh.id)));
    assert_json("runs.1", "absent");
}

/* A run that crashes its workers is given to at most three. */
static void a_run_that_crashes_its_workers_ends_as_unknown(void **state)
{
    struct claimed run;

    (void)state;
    make_every("1h", "", "");
    pass_to("11:00:00");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(claim(&run, "w"), 1);
        pass_in_seconds(121 * SPAN_S); /* 90 + 30 */
    }
    assert_int_equal(claim(&run, "w"), 0);
    assert_int_equal(get(js("/api/v1/runs/%s", run.id)), 200);
    assert_json("state", "'ended'");
    assert_json("outcome", "'unknown'");
    assert_json("reason", "'lease'");
    assert_true(strstr(json_at("error.message"), "the worker sent no heartbeat") != NULL);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.failures", "1");
}

/* A minimum of 60 s and a maximum of 30 s contradict each other. */
static void min_interval_above_max_interval_is_refused(void **state)
{
    const char *const paradox = ",'governor':{'minInterval':'60s','maxInterval':'30s'}";

    (void)state;
    assert_refused(put("{'intervals':[{'every':'45s'}]}", paradox), 400, "invalid_policy",
                   "governor.minInterval");
    assert_true(strstr(json_at("detail"), "maxInterval") != NULL);
    assert_int_equal(get("/api/v1/schedules/s"), 404); /* nothing was stored */
    make_every("45s", "'minInterval':'30s','maxInterval':'60s'", "");
    assert_refused(
        ask("PATCH /api/v1/schedules/s", NULL, js("{'governor':{'minInterval':'61s'}}")), 400,
        "invalid_policy", "governor.minInterval");
    assert_int_equal(post("/api/v1/bulk/schedules",
                          js("{'items':[{'id':'t','spec':{'intervals':[{'every':'45s'}]},"
                             "'action':{'type':'queue','queue':'q'}%s}]}",
                             paradox)),
                     200);
    assert_json("results.0.status", "'error'");
    assert_json("results.0.error.field", "'items[0].governor.minInterval'");
    assert_int_equal(
        ask("PATCH /api/v1/schedules/s", NULL, js("{'governor':{'minInterval':'60s'}}")),
        200); /* equal bounds are valid */
    assert_next("10:01:00", "clamped-min");
}

/* With both hints the earlier one counts; the interval if they are equal. */
static void of_two_hints_the_earlier_counts(void **state)
{
    (void)state;
    make_every("30s", "", "");
    assert_int_equal(hint("{'interval':'2m','at':'2026-01-05T10:02:00Z'}"), 200);
    run_at("10:00:30", "10:00:31", "complete");
    assert_next("10:02:00", "ai-oneshot"); /* 10:00:30 + 2 min is later */
    run_at("10:02:00", "10:02:01", "complete");
    assert_next("10:04:00", "ai-interval"); /* the one-shot is used up */
    assert_int_equal(hint("{'interval':'2m','at':'2026-01-05T10:06:00Z'}"), 200);
    run_at("10:04:00", "10:04:01", "complete");
    assert_next("10:06:00", "ai-interval"); /* 10:04:00 + 2 min: a tie */
}

/* ---- known limits ---- */

/* The clock is set back by ten minutes after a run: the slot is not run again. */
static void a_clock_that_is_set_back_runs_nothing_twice(void **state)
{
    struct claimed run;

    (void)state;
    assert_int_equal(put("{'cron':['*/5 * * * *']}", ""), 201);
    run_at("10:05:00", "10:05:01", "complete");
    run_at("10:10:00", "10:10:01", "complete");
    world.now -= 10 * SPAN_MIN;
    pass_to("10:14:59"); /* past 10:05 and 10:10 a second time */
    assert_int_equal(claim(&run, "w"), 0);
    pass_to("10:15:00");
    assert_int_equal(claim(&run, "w"), 1);
    assert_claimed_slot("10:15:00");
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.counters.started", "3");
    assert_json("state.counters.missed", "0");
}

/* Set forward over three slots: one runs late, the others are recorded as missed. */
static void a_clock_that_is_set_ahead_loses_no_slot(void **state)
{
    struct claimed run;

    (void)state;
    assert_int_equal(put("{'cron':['*/5 * * * *']}", ""), 201);
    world.now += 17 * SPAN_MIN; /* past 10:05, 10:10 and 10:15 */
    pass_time(0);
    assert_int_equal(claim(&run, "w"), 1);
    assert_claimed_slot("10:15:00");
    assert_int_equal(claim(&run, "w"), 0);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.counters.started", "1");
    assert_json("state.counters.missed", "2");
    assert_json("state.nextAt", "'2026-01-05T10:20:00.000Z'");
}

/* An interval is a duration and does not depend on local time: no hour is lost or doubled. */
static void an_interval_does_not_depend_on_summer_time(void **state)
{
    (void)state;
    world.now = INT64_C(1774746000000000); /* 2026-03-29T01:00Z: Berlin's 02:00 becomes 03:00 */
    world.now -= 30 * SPAN_MIN;
    assert_int_equal(
        put("{'intervals':[{'every':'20m'}],'timezone':'Europe/Berlin'}", ",'governor':{}"),
        201);
    for (int i = 1; i <= 3; i++) {
        struct claimed run;

        assert_int_equal(get("/api/v1/schedules/s"), 200);
        assert_json("state.nextAt", i == 1   ? "'2026-03-29T00:50:00.000Z'"
                                    : i == 2 ? "'2026-03-29T01:10:00.000Z'"
                                             : "'2026-03-29T01:30:00.000Z'");
        pass_time(20 * SPAN_MIN);
        assert_int_equal(claim(&run, "w"), 1);
        assert_int_equal(report(&run, "complete"), 200);
    }
}

enum { SCHEDULES = 120, BATCH = 10 };

/* Claims and completes a batch; `counts` has the completed runs of each schedule. */
static int complete_batch(int counts[static SCHEDULES], char last[static 40])
{
    static char ids[BATCH][64], fences[BATCH][24];
    int count;

    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q'],'max':%d}", BATCH)), 200);
    count = world.call.grant_count;
    for (int i = 0; i < count; i++) {
        int n;

        assert_int_equal(sscanf(text_at(js("runs.%d.schedule", i)).ptr, "s%d", &n), 1);
        counts[n]++;
        /* Runs are claimed in the order of their due times. */
        assert_true(strcmp(json_at(js("runs.%d.slot", i)), last) >= 0);
        snprintf(last, 40, "%s", json_at(js("runs.%d.slot", i)));
        snprintf(ids[i], sizeof ids[i], "%s", text_at(js("runs.%d.id", i)).ptr);
        snprintf(fences[i], sizeof fences[i], "%s", json_at(js("runs.%d.fence", i)));
    }
    for (int i = 0; i < count; i++)
        assert_int_equal(
            post(js("/api/v1/runs/%s/complete", ids[i]), js("{'fence':%s}", fences[i])), 200);
    return count;
}

/*
 * 120 schedules are due each minute and a worker claims 10 every 10 s: twice as many as it can
 * process.  All runs of 10:01 are served by 10:03, before any schedule is served again.
 */
static void runs_are_claimed_in_the_order_of_their_due_times(void **state)
{
    int counts[SCHEDULES] = {0};
    char last[40] = "";

    (void)state;
    for (int i = 0; i < SCHEDULES; i++)
        assert_int_equal(ask(js("PUT /api/v1/schedules/s%d", i), NULL,
                             js("{'spec':{'cron':['* * * * *']},"
                                "'action':{'type':'queue','queue':'q'}}")),
                         201);
    pass_to("10:01:00");
    for (int round = 0; round < SCHEDULES / BATCH; round++, pass_time(10 * SPAN_S))
        assert_int_equal(complete_batch(counts, last), BATCH);
    for (int i = 0; i < SCHEDULES; i++)
        assert_int_equal(counts[i], 1);
    assert_string_equal(last, "'2026-01-05T10:01:00.000Z'");
    assert_int_equal(complete_batch(counts, last), BATCH);
    assert_string_equal(last, "'2026-01-05T10:02:00.000Z'");
}

/* Jitter spreads the starts up to 5 s after the slot, always the same for the same slot. */
static void jitter_spreads_the_starts(void **state)
{
    char last[40] = "";
    int different = 0;

    (void)state;
    for (int i = 0; i < 20; i++) {
        const char *next = js("/api/v1/schedules/s%d/next?count=1", i);
        char due[40];

        assert_int_equal(ask(js("PUT /api/v1/schedules/s%d", i), NULL,
                             js("{'spec':{'cron':['* * * * *'],'jitter':'5s'},"
                                "'action':{'type':'queue','queue':'q'}}")),
                         201);
        assert_int_equal(get(next), 200);
        assert_json("times.0.slot", "'2026-01-05T10:01:00.000Z'");
        snprintf(due, sizeof due, "%s", json_at("times.0.due"));
        assert_true(strcmp(due, "'2026-01-05T10:01:00.000Z'") >= 0);
        assert_true(strcmp(due, "'2026-01-05T10:01:05.000Z'") <= 0);
        assert_int_equal(get(next), 200);
        assert_json("times.0.due", due);
        different += strcmp(due, last) != 0;
        memcpy(last, due, sizeof last);
    }
    assert_true(different > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_run_that_outlasts_its_interval_is_followed_a_whole_interval_later),
        API_TEST(slots_that_come_during_a_long_run_are_skipped_and_counted),
        API_TEST(a_paused_schedule_gives_no_run_to_a_worker),
        API_TEST(a_pause_with_an_end_shows_the_next_slot),
        API_TEST(a_pause_that_ends_during_a_run_changes_nothing_after_it),
        API_TEST(a_pause_that_outlasts_a_run_is_kept),
        API_TEST(a_hint_that_ends_during_a_run_is_not_used_after_it),
        API_TEST(a_hint_that_outlasts_a_run_is_used_after_it),
        API_TEST(a_hint_that_is_renewed_during_a_run_is_used_after_it),
        API_TEST(of_two_workers_one_gets_the_run),
        API_TEST(waits_after_failures_double_up_to_32_times),
        API_TEST(max_interval_limits_the_backoff),
        API_TEST(a_cron_line_continues_at_its_slots_after_a_long_run),
        API_TEST(a_cron_line_may_run_one_late_slot_at_once),
        API_TEST(a_hint_that_is_written_during_a_run_is_not_lost),
        API_TEST(a_worker_keeps_a_long_run_while_it_sends_heartbeats),
        API_TEST(a_lease_may_be_as_long_as_the_run),
        API_TEST(the_run_of_a_silent_worker_goes_to_another_and_counts_once),
        API_TEST(a_run_that_nobody_ends_is_ended_with_a_message),
        API_TEST(a_run_that_crashes_its_workers_ends_as_unknown),
        API_TEST(min_interval_above_max_interval_is_refused),
        API_TEST(of_two_hints_the_earlier_counts),
        API_TEST(a_clock_that_is_set_back_runs_nothing_twice),
        API_TEST(a_clock_that_is_set_ahead_loses_no_slot),
        API_TEST(an_interval_does_not_depend_on_summer_time),
        API_TEST(runs_are_claimed_in_the_order_of_their_due_times),
        API_TEST(jitter_spreads_the_starts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
