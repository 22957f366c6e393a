/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Test cases of cronicorn, the adaptive scheduler, on the whole engine: when runs start
 * (timing_), which are claimed (claim_), what is stored after a run (after_run_), hints that
 * move the next slot (nudge_) and calls that never report (zombie_).  The cases of the governor
 * alone are in test/core/policy/test_governor.c.
 */
#include "harness.h"

/* The first run starts at 12:00:00. */
static void begin_at_noon(struct test_schedule w)
{
    down_to("11:59:45");
    create("job", w);
}

static struct reply hint(span interval, const char *at, const char *expires)
{
    struct command command = command_for(COMMAND_HINT, "job");

    command.hint.interval = interval;
    command.hint.at = at ? when(at) : INSTANT_NEVER;
    command.hint.expires = when(expires);
    return submit(&command);
}

static void timing_run_of_one_second(void **state)
{
    (void)state;
    world.call_length = SPAN_S;
    begin_at_noon(governed(15 * SPAN_S));
    run_to("12:00:15");
    assert_calls("12:00@12:00, 12:00:15@12:00:15");
}

static void timing_hint_and_a_short_run(void **state)
{
    (void)state;
    world.call_length = 500 * SPAN_MS;
    begin_at_noon(governed(15 * SPAN_S));
    assert_int_equal(hint(30 * SPAN_S, NULL, "13:00").rc, RC_OK);
    run_to("12:00:31");
    assert_calls("12:00@12:00, 12:00:30@12:00:30");
}

static void timing_run_of_twenty_seconds(void **state)
{
    (void)state;
    world.call_length = 20 * SPAN_S;
    begin_at_noon(governed(15 * SPAN_S));
    run_to("12:00:40");
    assert_calls("12:00@12:00, 12:00:35@12:00:35");
}

static void timing_run_of_thirty_seconds(void **state)
{
    (void)state;
    world.call_length = 30 * SPAN_S;
    begin_at_noon(governed(15 * SPAN_S));
    run_to("12:00:50");
    assert_calls("12:00@12:00, 12:00:45@12:00:45");
}

static void timing_hint_and_a_long_run(void **state)
{
    (void)state;
    world.call_length = 35 * SPAN_S;
    begin_at_noon(governed(15 * SPAN_S));
    assert_int_equal(hint(30 * SPAN_S, NULL, "13:00").rc, RC_OK);
    run_to("12:01:06");
    assert_calls("12:00@12:00, 12:01:05@12:01:05");
}

/*
 * The failure that ends the run counts, so after the second failure in a row the interval is
 * 4 times as long.
 */
static void timing_two_failures(void **state)
{
    (void)state;
    down_to("11:59:15");
    ends("11:59:30", "11:59:30", OUTCOME_FAILED);
    ends("12:00", "12:00:25", OUTCOME_FAILED);
    create("job", governed(15 * SPAN_S));
    run_to("12:01:01");
    assert_calls("11:59:30@11:59:30, 12:00@12:00, 12:01@12:01");
}

static void timing_the_interval_counts_from_the_end_of_a_long_run(void **state)
{
    (void)state;
    ends("12:00", "12:00:01", OUTCOME_SUCCEEDED);
    ends("12:00:15", "12:00:33", OUTCOME_SUCCEEDED);
    ends("12:00:48", "12:00:53", OUTCOME_SUCCEEDED);
    ends("12:01:03", "12:01:25", OUTCOME_SUCCEEDED);
    begin_at_noon(governed(15 * SPAN_S));
    run_to("12:01:41");
    assert_calls("12:00@12:00, 12:00:15@12:00:15, 12:00:48@12:00:48, 12:01:03@12:01:03, "
                 "12:01:40@12:01:40");
}

static void timing_counts_from_the_start_not_from_the_slot(void **state)
{
    (void)state;
    down_to("11:49:45");
    create("job", governed(15 * SPAN_S));
    down_to("12:00");
    assert_calls("11:50@12:00");
    run_to("12:00:16");
    assert_calls("12:00:15@12:00:15");
}

static void timing_a_tiny_interval_leaves_a_second(void **state)
{
    (void)state;
    down_to("11:59:59.900");
    ends("12:00", "12:00:15.100", OUTCOME_SUCCEEDED);
    create("job", governed(100 * SPAN_MS));
    run_to("12:00:15.100");
    assert_calls("12:00@12:00");
    assert_at(cursor_of("job").next_at, "12:00:16.100");
}

static void claim_past_due_and_not_future(void **state)
{
    (void)state;
    world.shows_names = true;
    create("past", cron("10 0 * * *"));
    create("future", cron("30 0 * * *"));
    down_to("00:20");
    assert_calls("past 00:10@00:20");
}

/* A slot may be read ten seconds ahead, but must not start. */
static void claim_within_the_horizon_does_not_start(void **state)
{
    (void)state;
    create("job", cron("10 0 * * *"));
    down_to("00:09:51");
    assert_calls("");
    run_to("00:15");
    assert_calls("00:10@00:10");
}

static void claim_one_of_two_is_the_earlier(void **state)
{
    (void)state;
    world.shows_names = true;
    world.capacity = 1;
    world.call_length = INSTANT_NEVER;
    create("later", cron("20 0 * * *"));
    create("earlier", cron("10 0 * * *"));
    down_to("00:30");
    assert_calls("earlier 00:10@00:30");
}

static void claim_paused_is_left_out(void **state)
{
    (void)state;
    create("job", governed(SPAN_MIN));
    pause_it("job", "x");
    run_to("00:05");
    assert_calls("");
}

static void claim_after_the_pause_expired(void **state)
{
    struct command command = command_for(COMMAND_PAUSE, "job");

    (void)state;
    create("job", governed(SPAN_MIN));
    command.pause.until = when("00:05");
    assert_int_equal(submit(&command).rc, RC_OK);
    run_to("00:05:30");
    assert_calls("00:05@00:05");
}

static void claim_a_second_time_gives_nothing(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("job", governed(SPAN_MIN));
    run_to("00:01");
    assert_calls("00:01@00:01");
    for (int i = 0; i < 5; i++)
        settle();
    run_to("00:03");
    assert_calls("");
}

static void claim_handed_back_is_claimed_again(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("job", pulled(every(SPAN_H)));
    run_to("01:00");
    poll_for("q", 1, "one");
    assert_int_equal(report(call_of("01:00"), REPORT_RELEASE, OUTCOME_NONE), RC_OK);
    world.calls[0].is_open = false;
    poll_for("q", 1, "two");
    assert_int_equal(world.call_count, 2);
    assert_true(world.calls[1].work.run.fence > world.calls[0].work.run.fence);
    assert_string_equal(world.calls[1].work.run.worker.ptr, "two");
}

/* A paused job is a paused queue here; an archived one is deleted. */
static void claim_of_a_paused_or_archived_job_gives_nothing(void **state)
{
    struct command command = command_for(COMMAND_QUEUE_PAUSE, "");

    (void)state;
    create("paused", pulled(every(SPAN_H)));
    create("archived", pulled(every(SPAN_H)));
    command.key = queue_of("q");
    assert_int_equal(submit(&command).rc, RC_OK);
    submit_ok(COMMAND_DELETE, "archived");
    run_to("01:00");
    poll_for("q", 2, "one");
    run_to("01:10");
    assert_calls("");
}

static void claim_without_a_schedule(void **state)
{
    struct command command = command_for(COMMAND_DIRECT, "");
    struct test_schedule w = no_slots();

    (void)state;
    run_to("00:10");
    command.save.draft = draft_of(&w);
    assert_int_equal(submit(&command).rc, RC_OK);
    assert_calls("d00:10@00:10");
    assert_int_equal(calls_open(), 0);
}

/* Each run has its own maxRunTime, not the longest of its batch. */
static void claim_in_one_batch_each_has_its_own_limit(void **state)
{
    struct test_schedule w = every(SPAN_H);

    (void)state;
    world.call_length = INSTANT_NEVER;
    w.draft.plan.policies.max_run_time = 5 * SPAN_MIN;
    create("five", w);
    w.draft.plan.policies.max_run_time = SPAN_MIN;
    create("one", w);
    run_to("01:00");
    assert_int_equal(world.call_count, 2);
    assert_at(world.calls[0].work.deadline, "01:05");
    assert_at(world.calls[1].work.deadline, "01:01");
}

static void after_run_times_are_stored(void **state)
{
    (void)state;
    world.call_length = 2 * SPAN_S;
    begin_at_noon(governed(15 * SPAN_S));
    run_to("12:00:05");
    assert_at(cursor_of("job").last_start, "12:00");
    assert_at(cursor_of("job").last_end, "12:00:02");
    assert_at(cursor_of("job").next_at, "12:00:15");
}

/* Runs at 12:00:00, then 30, 60 and 120 seconds after each other. */
static void fail_three_times(void)
{
    ends("12:00", "12:00", OUTCOME_FAILED);
    ends("12:00:30", "12:00:30", OUTCOME_FAILED);
    ends("12:01:30", "12:01:30", OUTCOME_FAILED);
    begin_at_noon(governed(15 * SPAN_S));
    run_to("12:01");
    assert_int_equal(cursor_of("job").failures, 2);
    run_to("12:02");
    assert_int_equal(cursor_of("job").failures, 3);
}

static void after_run_failures_count_and_reset(void **state)
{
    (void)state;
    fail_three_times();
    run_to("12:03:30");
    assert_calls("12:00@12:00, 12:00:30@12:00:30, 12:01:30@12:01:30, 12:03:30@12:03:30");
    assert_int_equal(cursor_of("job").failures, 0);
}

static void after_run_failures_can_be_reset(void **state)
{
    (void)state;
    fail_three_times();
    submit_ok(COMMAND_RESET, "job");
    assert_int_equal(cursor_of("job").failures, 0);
}

static void after_run_expired_hints_are_cleared(void **state)
{
    (void)state;
    begin_at_noon(governed(15 * SPAN_S));
    assert_int_equal(hint(5 * SPAN_MIN, "12:10", "11:59:50").rc, RC_OK);
    run_to("12:00");
    assert_int_equal(cursor_of("job").hint_interval, 0);
    assert_at(cursor_of("job").hint_at, "never");
    assert_at(cursor_of("job").next_at, "12:00:15");
}

static void after_run_fresh_hints_are_kept(void **state)
{
    (void)state;
    begin_at_noon(governed(15 * SPAN_S));
    assert_int_equal(hint(30 * SPAN_S, "12:10", "13:00").rc, RC_OK);
    run_to("12:00");
    assert_int_equal(cursor_of("job").hint_interval, 30 * SPAN_S);
    assert_at(cursor_of("job").hint_at, "12:10");
    assert_at(cursor_of("job").hint_expires, "13:00");
}

static void after_run_a_used_one_shot_is_cleared_and_the_interval_kept(void **state)
{
    (void)state;
    begin_at_noon(governed(15 * SPAN_S));
    assert_int_equal(hint(30 * SPAN_S, "11:59:50", "13:00").rc, RC_OK);
    run_to("11:59:55");
    assert_calls("11:59:50@11:59:50");
    assert_at(cursor_of("job").hint_at, "never");
    assert_int_equal(cursor_of("job").hint_interval, 30 * SPAN_S);
    assert_at(cursor_of("job").next_at, "12:00:20");
}

static void after_run_hints_can_be_removed(void **state)
{
    (void)state;
    begin_at_noon(governed(15 * SPAN_S));
    assert_int_equal(hint(30 * SPAN_S, NULL, "13:00").rc, RC_OK);
    submit_ok(COMMAND_UNHINT, "job");
    run_to("12:00:16");
    assert_calls("12:00@12:00, 12:00:15@12:00:15");
}

static void writing_a_hint_replaces_the_other(void **state)
{
    (void)state;
    begin_at_noon(governed(5 * SPAN_MIN));
    assert_int_equal(hint(4 * SPAN_MIN, NULL, "13:00").rc, RC_OK);
    assert_int_equal(hint(0, "12:03", "12:30").rc, RC_OK);
    assert_int_equal(cursor_of("job").hint_interval, 0);
    assert_at(cursor_of("job").hint_at, "12:03");
    assert_at(cursor_of("job").hint_expires, "12:30");
}

static void nudge_to_earlier(void **state)
{
    (void)state;
    down_to("12:00");
    create("job", governed(10 * SPAN_MIN));
    assert_int_equal(hint(0, "12:02", "13:00").rc, RC_OK);
    assert_at(cursor_of("job").next_at, "12:02");
}

static void nudge_to_later_is_ignored(void **state)
{
    (void)state;
    down_to("12:00");
    create("job", governed(10 * SPAN_MIN));
    assert_int_equal(hint(0, "12:20", "13:00").rc, RC_OK);
    assert_at(cursor_of("job").next_at, "12:10");
}

static void nudge_is_clamped_to_the_minimum(void **state)
{
    struct test_schedule w = governed(10 * SPAN_MIN);

    (void)state;
    down_to("12:00");
    w.draft.plan.governor_min = SPAN_MIN;
    create("job", w);
    assert_int_equal(hint(0, "12:00:30", "13:00").rc, RC_OK);
    assert_at(cursor_of("job").next_at, "12:01");
}

/* The maximum of two minutes makes 12:02 the next slot; the hint asks for 12:06. */
static void nudge_beyond_the_maximum_is_ignored(void **state)
{
    struct test_schedule w = governed(10 * SPAN_MIN);
    struct command command = command_for(COMMAND_HINT, "job");

    (void)state;
    down_to("12:00");
    w.draft.plan.governor_max = 2 * SPAN_MIN;
    create("job", w);
    assert_at(cursor_of("job").next_at, "12:02");
    run_to("12:01");
    command.hint.at = when("12:06");
    command.hint.expires = when("13:00");
    assert_int_equal(submit(&command).rc, RC_OK);
    assert_at(cursor_of("job").next_at, "12:02");
}

static void nudge_while_paused_is_ignored(void **state)
{
    instant before;

    (void)state;
    down_to("12:00");
    create("job", governed(10 * SPAN_MIN));
    pause_it("job", "x");
    before = cursor_of("job").next_at;
    assert_int_equal(hint(0, "12:02", "13:00").rc, RC_OK);
    assert_true(cursor_of("job").next_at == before);
    run_to("12:09");
    assert_calls("");
}

static struct test_schedule bounded(void)
{
    struct test_schedule w = every(SPAN_H);

    w.draft.plan.policies.max_run_time = 2 * SPAN_H;
    return w;
}

static void zombie_runs_fail_and_others_are_untouched(void **state)
{
    (void)state;
    down_to("00:30");
    ends("01:00", "02:30", OUTCOME_SUCCEEDED);
    create("finished", bounded());
    run_to("01:30");
    pause_it("finished", "x");
    world.call_length = INSTANT_NEVER;
    create("old", bounded());
    run_to("02:10");
    pause_it("old", "x");
    create("fresh", bounded());
    run_to("04:01:05"); /* with CALL_GRACE */
    assert_history("old", "02:00 timedOut(maxRunTime)");
    assert_history("finished", "01:00 succeeded");
    assert_history("fresh", "");
    assert_int_equal(cursor_of("fresh").open, 1);
}

/* The slot of 12:00:15 is due, and the edit comes before any turn has seen it. */
static void an_edit_starts_a_slot_that_became_due_half_a_second_ago(void **state)
{
    (void)state;
    down_to("12:00");
    create("job", governed(15 * SPAN_S));
    world.rows = 0;
    down_to("12:00:15.500");
    world.rows = TURN_ROWS_MAX;
    assert_int_equal(update("job", 1, governed(60 * SPAN_S)).rc, RC_OK);
    assert_calls("12:00:15@12:00:15.500");
    assert_ledger("job", "");
}

static void an_edit_misses_a_slot_that_became_due_five_seconds_ago(void **state)
{
    (void)state;
    down_to("12:00");
    create("job", governed(15 * SPAN_S));
    world.rows = 0;
    down_to("12:00:20");
    world.rows = TURN_ROWS_MAX;
    assert_int_equal(update("job", 1, governed(60 * SPAN_S)).rc, RC_OK);
    assert_calls("");
    assert_ledger("job", "missed(edited) 12:00:15");
    assert_at(cursor_of("job").next_at, "12:01:20");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(an_edit_starts_a_slot_that_became_due_half_a_second_ago),
        TIMELINE(an_edit_misses_a_slot_that_became_due_five_seconds_ago),
        TIMELINE(timing_run_of_one_second),
        TIMELINE(timing_hint_and_a_short_run),
        TIMELINE(timing_run_of_twenty_seconds),
        TIMELINE(timing_run_of_thirty_seconds),
        TIMELINE(timing_hint_and_a_long_run),
        TIMELINE(timing_two_failures),
        TIMELINE(timing_the_interval_counts_from_the_end_of_a_long_run),
        TIMELINE(timing_counts_from_the_start_not_from_the_slot),
        TIMELINE(timing_a_tiny_interval_leaves_a_second),
        TIMELINE(claim_past_due_and_not_future),
        TIMELINE(claim_within_the_horizon_does_not_start),
        TIMELINE(claim_one_of_two_is_the_earlier),
        TIMELINE(claim_paused_is_left_out),
        TIMELINE(claim_after_the_pause_expired),
        TIMELINE(claim_a_second_time_gives_nothing),
        TIMELINE(claim_handed_back_is_claimed_again),
        TIMELINE(claim_of_a_paused_or_archived_job_gives_nothing),
        TIMELINE(claim_without_a_schedule),
        TIMELINE(claim_in_one_batch_each_has_its_own_limit),
        TIMELINE(after_run_times_are_stored),
        TIMELINE(after_run_failures_count_and_reset),
        TIMELINE(after_run_failures_can_be_reset),
        TIMELINE(after_run_expired_hints_are_cleared),
        TIMELINE(after_run_fresh_hints_are_kept),
        TIMELINE(after_run_a_used_one_shot_is_cleared_and_the_interval_kept),
        TIMELINE(after_run_hints_can_be_removed),
        TIMELINE(writing_a_hint_replaces_the_other),
        TIMELINE(nudge_to_earlier),
        TIMELINE(nudge_to_later_is_ignored),
        TIMELINE(nudge_is_clamped_to_the_minimum),
        TIMELINE(nudge_beyond_the_maximum_is_ignored),
        TIMELINE(nudge_while_paused_is_ignored),
        TIMELINE(zombie_runs_fail_and_others_are_untouched),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
