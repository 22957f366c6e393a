/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows 28 to 49 of docs/mission.md: policies.
 *
 * Tested in other layers: 47 (inputs policy: the agents' codec and workers).
 */
#include "harness.h"

/* Every minute a run of 90 seconds. */
static void slow_job(struct test_schedule w, const char *until)
{
    world.call_length = 90 * SPAN_S;
    create("job", w);
    run_to(until);
}

static void row_28_overlap_skip(void **state)
{
    (void)state;
    slow_job(overlapping(every(SPAN_MIN), OVERLAP_SKIP), "00:06");
    assert_calls("00:01@00:01, 00:03@00:03, 00:05@00:05");
    assert_counts("job", "started 3, skipped 3, open 1");
    assert_ledger("job", "skipped(overlap) 00:02, skipped(overlap) 00:04, "
                         "skipped(overlap) 00:06");
}

static void three_slots_during_a_run(enum overlap overlap)
{
    ends("00:01", "00:04:30", OUTCOME_SUCCEEDED);
    create("job", overlapping(every(SPAN_MIN), overlap));
    run_to("00:04:40");
}

static void row_29_overlap_buffer_one_keeps_the_first(void **state)
{
    (void)state;
    three_slots_during_a_run(OVERLAP_BUFFER_ONE);
    assert_calls("00:01@00:01, 00:02@00:04:30");
    assert_counts("job", "started 2, skipped 2");
}

static void row_30_overlap_buffer_all(void **state)
{
    (void)state;
    three_slots_during_a_run(OVERLAP_BUFFER_ALL);
    assert_calls("00:01@00:01, 00:02@00:04:30, 00:03@00:04:30, 00:04@00:04:30");
}

static void row_31_overlap_cancel_other(void **state)
{
    (void)state;
    ends("00:01", "00:02:05", OUTCOME_CANCELLED);
    create("job", overlapping(every(SPAN_MIN), OVERLAP_CANCEL_OTHER));
    run_to("00:02:30");
    assert_calls("00:01@00:01, cancel 00:01@00:02, 00:02@00:02:05");
    assert_history("job", "00:01 cancelled(other), 00:02 succeeded");
}

static void row_32_overlap_terminate_other(void **state)
{
    (void)state;
    slow_job(overlapping(every(SPAN_MIN), OVERLAP_TERMINATE_OTHER), "00:02");
    assert_calls("00:01@00:01, terminate 00:01@00:02, 00:02@00:02");
    assert_history("job", "00:01 terminated(other)");
}

static void row_33_overlap_allow_all(void **state)
{
    (void)state;
    slow_job(overlapping(every(SPAN_MIN), OVERLAP_ALLOW_ALL), "00:03:10");
    assert_calls("00:01@00:01, 00:02@00:02, 00:03@00:03");
    assert_counts("job", "started 3, open 2");
}

static void row_34_overlap_override_per_request(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("job", overlapping(every(SPAN_H), OVERLAP_SKIP));
    run_to("01:10");
    trigger("job", OVERLAP_ALLOW_ALL);
    assert_calls("01:00@01:00, t01:10@01:10");
    run_to("02:00");
    assert_calls("");
    assert_counts("job", "started 2, skipped 1, open 2");
}

static struct test_schedule caught_up(span length, enum catchup mode)
{
    struct test_schedule w = overlapping(every(length), OVERLAP_ALLOW_ALL);

    w.draft.plan.policies.catchup = mode;
    return w;
}

static void row_35_catch_up_flag(void **state)
{
    (void)state;
    create("job", caught_up(SPAN_MIN, CATCHUP_ALL));
    down_to("00:03:30");
    assert_calls("00:01@00:03:30, 00:02@00:03:30, 00:03@00:03:30");
    run_to("00:04");
    assert_calls("00:04@00:04");
}

static void row_36_catch_up_window(void **state)
{
    struct test_schedule w = caught_up(SPAN_MIN, CATCHUP_ALL);

    (void)state;
    w.draft.plan.policies.catchup_window = SPAN_H;
    create("job", w);
    down_to("03:00:30");
    assert_int_equal(count_calls(), 60);
    assert_counts("job", "started 60, missed 120");
    assert_ledger("job", "missed(window) 00:01-02:00 x120");
}

static void row_37_missed_counter(void **state)
{
    struct test_schedule w = caught_up(SPAN_MIN, CATCHUP_LATEST);

    (void)state;
    w.draft.plan.policies.catchup_window = 0;
    create("job", w);
    down_to("00:05:30");
    assert_calls("");
    assert_counts("job", "missed 5");
    assert_int_equal(world.events[EVENT_SLOT_MISSED], 1);
    assert_int_equal(world.last_event[EVENT_SLOT_MISSED].count, 5);
}

static void row_38_oldest_one_late_run_then_future(void **state)
{
    (void)state;
    create("job", caught_up(SPAN_MIN, CATCHUP_OLDEST));
    down_to("00:10:30");
    assert_calls("00:01@00:10:30");
    assert_ledger("job", "missed(coalesced) 00:02-00:10 x9");
    run_to("00:11");
    assert_calls("00:11@00:11");
}

static void row_38_mode_none_starts_no_late_run(void **state)
{
    (void)state;
    create("job", caught_up(SPAN_MIN, CATCHUP_NONE));
    down_to("00:10:45");
    assert_calls("");
    assert_ledger("job", "missed(window) 00:01-00:10 x10");
    run_to("00:11");
    assert_calls("00:11@00:11");
}

static void row_38_latest_is_the_default(void **state)
{
    (void)state;
    create("job", every(SPAN_MIN));
    down_to("00:10:30");
    assert_calls("00:10@00:10:30");
    assert_ledger("job", "missed(coalesced) 00:01-00:09 x9");
}

/* The first failure already doubles the interval; the run at 00:01 is the first. */
static void row_39_exponential_backoff_on_failures(void **state)
{
    static const int minutes[] = {2, 4, 8, 16, 32, 32};
    instant t = when("00:01");

    (void)state;
    create("job", governed(SPAN_MIN));
    world.call_length = INSTANT_NEVER;
    run_until(t);
    for (int i = 0; i < 6; i++) {
        end_now(&world.calls[i], OUTCOME_FAILED);
        assert_int_equal(cursor_of("job").failures, i + 1);
        t += minutes[i] * SPAN_MIN;
        assert_true(cursor_of("job").next_at == t);
        run_until(t);
        assert_int_equal(world.call_count, i + 2);
    }
    end_now(&world.calls[6], OUTCOME_SUCCEEDED);
    assert_true(cursor_of("job").next_at == t + SPAN_MIN);
}

static struct reply hint(const char *name, span interval, const char *at, const char *expires)
{
    struct command command = command_for(COMMAND_HINT, name);

    command.hint.interval = interval;
    command.hint.at = at ? when(at) : INSTANT_NEVER;
    command.hint.expires = when(expires);
    return submit(&command);
}

static void row_40_interval_hint(void **state)
{
    (void)state;
    create("job", governed(15 * SPAN_S));
    assert_int_equal(hint("job", 30 * SPAN_S, NULL, "01:00").rc, RC_OK);
    run_to("00:01:20");
    assert_calls("00:00:15@00:00:15, 00:00:45@00:00:45, 00:01:15@00:01:15");
}

static void row_41_one_shot_hint_runs_once(void **state)
{
    (void)state;
    create("job", governed(SPAN_MIN));
    run_to("00:01:10");
    assert_int_equal(hint("job", 0, "00:01:12", "01:00").rc, RC_OK);
    run_to("00:02:15");
    assert_calls("00:01@00:01, 00:01:12@00:01:12, 00:02:12@00:02:12");
}

static void row_42_both_hints_the_earlier(void **state)
{
    (void)state;
    create("job", governed(5 * SPAN_MIN));
    run_to("00:04:59");
    assert_int_equal(hint("job", 2 * SPAN_MIN, "00:06:30", "01:00").rc, RC_OK);
    run_to("00:06:59");
    assert_calls("00:05@00:05, 00:06:30@00:06:30");
    run_to("00:08:30");
    assert_calls("00:08:30@00:08:30");
}

static void row_43_hint_expiry(void **state)
{
    (void)state;
    create("job", governed(5 * SPAN_MIN));
    assert_int_equal(hint("job", 10 * SPAN_MIN, NULL, "00:04").rc, RC_OK);
    run_to("00:05");
    assert_at(cursor_of("job").next_at, "00:10");
    assert_int_equal(cursor_of("job").hint_interval, 0);
}

static void row_44_pause_until(void **state)
{
    struct command command = command_for(COMMAND_PAUSE, "job");

    (void)state;
    create("job", governed(5 * SPAN_S));
    command.pause.until = when("00:10");
    assert_int_equal(submit(&command).rc, RC_OK);
    run_to("00:09:59");
    assert_calls("");
    run_to("00:10:01");
    assert_calls("00:10@00:10");
    assert_false(cursor_of("job").flags & CURSOR_PAUSED);
    run_to("00:10:05");
    assert_calls("00:10:05@00:10:05");
}

static void row_44_pause_until_on_the_wall_clock(void **state)
{
    struct command command = command_for(COMMAND_PAUSE, "job");

    (void)state;
    create("job", cron("* * * * *"));
    command.pause.until = when("00:03:30");
    assert_int_equal(submit(&command).rc, RC_OK);
    run_to("00:04");
    assert_calls("00:04@00:04");
    assert_ledger("job", "missed(paused) 00:01-00:03 x3");
}

/* The node was down when the pause ended: slots after it are late, not paused. */
static void row_44_slots_after_the_end_of_a_pause_are_late_not_paused(void **state)
{
    struct command command = command_for(COMMAND_PAUSE, "job");

    (void)state;
    create("job", cron("* * * * *"));
    command.pause.until = when("00:03");
    assert_int_equal(submit(&command).rc, RC_OK);
    down_to("00:05:30");
    assert_calls("00:05@00:05:30");
    assert_ledger("job", "missed(paused) 00:01-00:02 x2, missed(coalesced) 00:03-00:04 x2");
}

static void row_44_a_slot_at_the_end_of_a_pause_starts(void **state)
{
    struct command command = command_for(COMMAND_PAUSE, "job");

    (void)state;
    create("job", cron("* * * * *"));
    command.pause.until = when("00:03");
    assert_int_equal(submit(&command).rc, RC_OK);
    run_to("00:03");
    assert_calls("00:03@00:03");
    assert_ledger("job", "missed(paused) 00:01-00:02 x2");
}

/* The next pause ends the expired one, and starts the slots between the two. */
static void row_44_slots_between_two_pauses_start(void **state)
{
    struct command command = command_for(COMMAND_PAUSE, "job");

    (void)state;
    create("job", cron("* * * * *"));
    command.pause.until = when("00:03");
    assert_int_equal(submit(&command).rc, RC_OK);
    world.rows = 0;
    down_to("00:04:30");
    command.pause.until = INSTANT_NEVER;
    assert_int_equal(submit(&command).rc, RC_OK);
    world.rows = TURN_ROWS_MAX;
    settle();
    assert_calls("00:04@00:04:30");
    assert_ledger("job", "missed(paused) 00:01-00:02 x2, missed(coalesced) 00:03");
}

static void row_44_a_slot_between_a_pause_and_an_edit_starts(void **state)
{
    struct command command = command_for(COMMAND_PAUSE, "job");

    (void)state;
    create("job", cron("* * * * *"));
    command.pause.until = when("00:03");
    assert_int_equal(submit(&command).rc, RC_OK);
    world.rows = 0;
    down_to("00:04:00.500");
    world.rows = TURN_ROWS_MAX;
    assert_int_equal(update("job", 2, cron("*/10 * * * *")).rc, RC_OK);
    assert_calls("00:04@00:04:00.500");
    assert_ledger("job", "missed(paused) 00:01-00:02 x2, missed(edited) 00:03");
    assert_at(cursor_of("job").next_at, "00:10");
}

static void row_45_source_label_of_each_decision(void **state)
{
    struct test_schedule w = governed(10 * SPAN_S);

    (void)state;
    w.draft.plan.governor_min = SPAN_MIN;
    create("plain", governed(7 * SPAN_S));
    create("clamped", w);
    run_to("00:01");
    assert_int_equal(world.calls[0].work.run.source, SOURCE_BASELINE_INTERVAL + 1);
    assert_int_equal(call_of("00:01")->work.run.source, SOURCE_CLAMPED_MIN + 1);
}

static void row_46_jitter_spreads_starts_and_keeps_slots_exact(void **state)
{
    char name[16];

    (void)state;
    for (int i = 0; i < 50; i++) {
        struct test_schedule w = every(SPAN_MIN);

        snprintf(name, sizeof name, "job-%d", i);
        w.def.jitter = 200 * SPAN_MS;
        w.draft.plan.seed = str_of(name);
        create(name, w);
    }
    run_to("00:01:30");
    assert_int_equal(count_calls(), 50);
    for (int i = 0; i < 50; i++) {
        assert_at(world.calls[i].work.run.slot, "00:01");
        assert_in_range(world.calls[i].at - when("00:01"), 0, 200 * SPAN_MS);
    }
    assert_true(world.calls[0].at < world.calls[49].at);
    assert_at(cursor_of("job-7").next_at, "00:02");
}

static struct test_schedule approved(void)
{
    struct test_schedule w = every(SPAN_H);

    w.draft.plan.policies.approval = true;
    return w;
}

static void row_48_approval(void **state)
{
    (void)state;
    create("job", approved());
    run_to("01:30");
    assert_calls("");
    assert_counts("job", "started 1, open 1");
    assert_int_equal(submit_run(COMMAND_APPROVE, run_of("job", "01:00")).rc, RC_OK);
    assert_calls("01:00@01:30");
    assert_int_not_equal(submit_run(COMMAND_APPROVE, run_of("job", "01:00")).rc, RC_OK);
}

static void row_48_rejection(void **state)
{
    (void)state;
    create("job", approved());
    run_to("01:30");
    assert_int_equal(submit_run(COMMAND_REJECT, run_of("job", "01:00")).rc, RC_OK);
    assert_calls("");
    assert_history("job", "01:00 cancelled(rejected)");
    assert_int_equal(cursor_of("job").open, 0);
}

static void row_49_timeout_is_recorded_with_its_reason(void **state)
{
    struct test_schedule w = every(SPAN_H);

    (void)state;
    w.draft.plan.policies.timeout = 30 * SPAN_S;
    ends("01:00", "01:00:30", OUTCOME_TIMED_OUT);
    create("job", w);
    run_to("01:01");
    assert_int_equal(call_of("01:00")->work.timeout, 30 * SPAN_S);
    assert_history("job", "01:00 timedOut(timeout)");
    assert_counts("job", "started 1, failed 1");
}

static void row_49_the_engine_ends_a_call_that_never_reports(void **state)
{
    struct test_schedule w = every(SPAN_H);

    (void)state;
    w.draft.plan.policies.timeout = 30 * SPAN_S;
    world.call_length = INSTANT_NEVER;
    down_to("00:59");
    world.tick = SPAN_S;
    create("job", w);
    run_to("01:02");
    assert_true(call_of("01:00")->is_stopping);
    assert_history("job", "01:00 timedOut(timeout)");
    assert_int_equal(cursor_of("job").open, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(row_28_overlap_skip),
        TIMELINE(row_29_overlap_buffer_one_keeps_the_first),
        TIMELINE(row_30_overlap_buffer_all),
        TIMELINE(row_31_overlap_cancel_other),
        TIMELINE(row_32_overlap_terminate_other),
        TIMELINE(row_33_overlap_allow_all),
        TIMELINE(row_34_overlap_override_per_request),
        TIMELINE(row_35_catch_up_flag),
        TIMELINE(row_36_catch_up_window),
        TIMELINE(row_37_missed_counter),
        TIMELINE(row_38_oldest_one_late_run_then_future),
        TIMELINE(row_38_mode_none_starts_no_late_run),
        TIMELINE(row_38_latest_is_the_default),
        TIMELINE(row_39_exponential_backoff_on_failures),
        TIMELINE(row_40_interval_hint),
        TIMELINE(row_41_one_shot_hint_runs_once),
        TIMELINE(row_42_both_hints_the_earlier),
        TIMELINE(row_43_hint_expiry),
        TIMELINE(row_44_pause_until),
        TIMELINE(row_44_pause_until_on_the_wall_clock),
        TIMELINE(row_44_slots_after_the_end_of_a_pause_are_late_not_paused),
        TIMELINE(row_44_a_slot_at_the_end_of_a_pause_starts),
        TIMELINE(row_44_slots_between_two_pauses_start),
        TIMELINE(row_44_a_slot_between_a_pause_and_an_edit_starts),
        TIMELINE(row_45_source_label_of_each_decision),
        TIMELINE(row_46_jitter_spreads_starts_and_keeps_slots_exact),
        TIMELINE(row_48_approval),
        TIMELINE(row_48_rejection),
        TIMELINE(row_49_timeout_is_recorded_with_its_reason),
        TIMELINE(row_49_the_engine_ends_a_call_that_never_reports),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
