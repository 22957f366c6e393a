/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scenarios 21 to 35 of Temporal's schedules: catch-up, pause, limits and failure.
 * test_scenarios_overlap.c describes the list.
 */
#include "harness.h"

static struct test_schedule hourly_at_17(void)
{
    struct test_schedule w = temporal(cron("17 * * * *"));

    w.draft.plan.policies.catchup_window = SPAN_H;
    return w;
}

static void scenario_21_downtime_with_one_hour_window(void **state)
{
    (void)state;
    down_to("05-31 18:00");
    create("myid", hourly_at_17());
    down_to("00:00");
    assert_calls("05-31 23:17@00:00");
    assert_counts("myid", "started 1, missed 5");
    assert_ledger("myid", "missed(window) 05-31 18:17-05-31 22:17 x5");
    run_to("00:20");
    assert_calls("00:17@00:17");
}

/*
 * Temporal counts nothing.  Here each of these slots has the outcome missed(paused), and
 * none is missed(window), because every slot has an outcome: docs/semantics.md [P-14].
 */
static void scenario_22_downtime_while_paused(void **state)
{
    (void)state;
    down_to("05-31 18:00");
    create("myid", hourly_at_17());
    pause_it("myid", "for the night");
    down_to("00:00");
    assert_calls("");
    assert_ledger("myid", "");
    run_to("00:03");
    resume("myid");
    assert_ledger("myid", "missed(paused) 05-31 18:17-05-31 23:17 x6");
    run_to("00:20");
    assert_calls("00:17@00:17");
}

/* The codec decides what an absent, zero or too small window means. */
static void scenario_23_no_window(void **state)
{
    struct test_schedule w = overlapping(temporal(every(SPAN_MIN)), OVERLAP_ALLOW_ALL);

    (void)state;
    w.draft.plan.policies.catchup_window = CATCHUP_WINDOW_NONE;
    create("myid", w);
    down_to("00:05:30");
    assert_calls("00:01@00:05:30, 00:02@00:05:30, 00:03@00:05:30, 00:04@00:05:30, "
                 "00:05@00:05:30");
    assert_counts("myid", "started 5");
}

static void scenario_23_window_of_ten_seconds(void **state)
{
    struct test_schedule w = overlapping(temporal(every(SPAN_MIN)), OVERLAP_ALLOW_ALL);

    (void)state;
    w.draft.plan.policies.catchup_window = 10 * SPAN_S;
    create("myid", w);
    down_to("00:05:05");
    assert_calls("00:05@00:05:05");
    assert_counts("myid", "started 1, missed 4");
}

static void scenario_24_window_counted_per_action(void **state)
{
    struct test_schedule w = overlapping(temporal(every(2 * SPAN_MIN)), OVERLAP_ALLOW_ALL);

    (void)state;
    w.draft.plan.policies.catchup_window = 10 * SPAN_MIN;
    create("myid", w);
    down_to("00:20");
    assert_calls(
        "00:10@00:20, 00:12@00:20, 00:14@00:20, 00:16@00:20, 00:18@00:20, 00:20@00:20");
    assert_ledger("myid", "missed(window) 00:02-00:08 x4");
}

static void scenario_25_an_expired_start_does_not_use_a_limited_slot(void **state)
{
    struct test_schedule w = overlapping(temporal(every(55 * SPAN_MIN)), OVERLAP_BUFFER_ONE);

    (void)state;
    w.draft.plan.policies.catchup_window = 10 * SPAN_MIN;
    w.draft.plan.policies.remaining_runs = 4;
    ends("00:15", "01:25", OUTCOME_SUCCEEDED);
    create("myid", w);
    run_to("01:30");
    assert_calls("00:15@00:15");
    assert_counts("myid", "started 1, missed 1");
    assert_int_equal(cursor_of("myid").remaining, 3);
}

static void scenario_26_pause_window(void **state)
{
    (void)state;
    create("myid", overlapping(temporal(every(3 * SPAN_MIN)), OVERLAP_ALLOW_ALL));
    run_to("00:07:07");
    pause_it("myid", "paused");
    assert_string_equal(row_of("myid").reason.ptr, "paused");
    run_to("00:26:07");
    assert_calls("00:03@00:03, 00:06@00:06");
    resume("myid");
    assert_false(cursor_of("myid").flags & CURSOR_PAUSED);
    run_to("00:28");
    assert_calls("00:27@00:27");
    assert_ledger("myid", "missed(paused) 00:09-00:24 x6");
}

static void scenario_27_pause_drops_a_one_shot(void **state)
{
    (void)state;
    create("myid", temporal(once("00:10")));
    pause_it("myid", "paused");
    run_to("00:20");
    resume("myid");
    assert_at(cursor_of("myid").next_at, "never");
    assert_ledger("myid", "missed(paused) 00:10");
    run_to("00:30");
    assert_calls("");
    down_to("06-08 00:19");
    assert_false(cursor_of("myid").flags & CURSOR_CLOSED);
    down_to("06-08 00:20");
    assert_true(cursor_of("myid").flags & CURSOR_CLOSED);
}

/* A start with allowAll never waits here, so the waiting ones are buffered. */
static void scenario_28_paused_automated_dropped_manual_kept(void **state)
{
    (void)state;
    ends("00:05", "00:13", OUTCOME_SUCCEEDED);
    create("myid", overlapping(temporal(every(5 * SPAN_MIN)), OVERLAP_BUFFER_ALL));
    run_to("00:11");
    trigger("myid", OVERLAP_BUFFER_ALL);
    assert_counts("myid", "started 1, open 1, waiting 2");
    pause_it("myid", "paused");
    run_to("00:14");
    assert_calls("00:05@00:05, t00:11@00:13");
    assert_ledger("myid", "missed(paused) 00:10");
    assert_counts("myid", "started 2, missed 1");
}

static void scenario_29_trigger_while_paused(void **state)
{
    (void)state;
    create("myid", temporal(every(SPAN_S)));
    pause_it("myid", "paused");
    run_to("00:00:05");
    assert_calls("");
    trigger("myid", OVERLAP_DEFAULT);
    run_to("00:00:10");
    assert_calls("t00:00:05@00:00:05");
    assert_true(cursor_of("myid").flags & CURSOR_PAUSED);
    assert_history("myid", "t00:00:05 succeeded");
}

static struct test_schedule limited(span length, int64_t runs)
{
    struct test_schedule w = temporal(every(length));

    w.draft.plan.policies.remaining_runs = runs;
    return w;
}

static void scenario_30_limited_actions(void **state)
{
    (void)state;
    create("myid", limited(3 * SPAN_MIN, 2));
    run_to("00:01");
    assert_int_equal(cursor_of("myid").remaining, 2);
    assert_at(cursor_of("myid").next_at, "00:03");
    run_to("00:05");
    assert_int_equal(cursor_of("myid").remaining, 1);
    assert_at(cursor_of("myid").next_at, "00:06");
    run_to("00:07");
    assert_int_equal(cursor_of("myid").remaining, 0);
    assert_at(cursor_of("myid").next_at, "never");
    run_to("00:20");
    assert_calls("00:03@00:03, 00:06@00:06");
}

static void scenario_31_trigger_after_exhaustion(void **state)
{
    (void)state;
    create("myid", limited(3 * SPAN_MIN, 0));
    run_to("00:07");
    assert_calls("");
    trigger("myid", OVERLAP_DEFAULT);
    assert_calls("t00:07@00:07");
    assert_int_equal(cursor_of("myid").remaining, 0);
}

static void scenario_32_limited_and_skipped(void **state)
{
    (void)state;
    ends("00:03", "00:11", OUTCOME_SUCCEEDED);
    create("myid", limited(3 * SPAN_MIN, 2));
    run_to("00:10");
    assert_int_equal(cursor_of("myid").remaining, 1);
    assert_counts("myid", "started 1, skipped 2, open 1");
    run_to("00:20");
    assert_calls("00:03@00:03, 00:12@00:12");
}

static struct test_schedule pausing(void)
{
    struct test_schedule w = temporal(every(5 * SPAN_MIN));

    w.draft.plan.policies.pause_on_failure = true;
    return w;
}

static void scenario_33_pause_on_failure(void **state)
{
    int64_t version;

    (void)state;
    ends_with("00:05", "00:06", OUTCOME_FAILED, "oops");
    create("myid", pausing());
    version = cursor_of("myid").version;
    run_to("00:20");
    assert_calls("00:05@00:05");
    assert_true(cursor_of("myid").flags & CURSOR_PAUSED);
    assert_non_null(strstr(row_of("myid").reason.ptr, "fail"));
    assert_int_equal(update("myid", version, pausing()).rc, RC_CONFLICT);
    assert_true(cursor_of("myid").flags & CURSOR_PAUSED);
    assert_history("myid", "00:05 failed(target)");
}

static void scenario_34_cancel_is_not_a_failure(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("myid", pausing());
    run_to("00:06");
    assert_int_equal(submit_run(COMMAND_CANCEL, run_of("myid", "00:05")).rc, RC_OK);
    assert_true(call_of("00:05")->is_stopping);
    end_now(call_of("00:05"), OUTCOME_CANCELLED);
    assert_false(cursor_of("myid").flags & CURSOR_PAUSED);
    assert_history("myid", "00:05 cancelled(user)");
    run_to("00:10");
    assert_calls("00:05@00:05, cancel 00:05@00:06, 00:10@00:10");
}

static void scenario_34_terminate_is_not_a_failure(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("myid", pausing());
    run_to("00:06");
    assert_int_equal(submit_run(COMMAND_TERMINATE, run_of("myid", "00:05")).rc, RC_OK);
    assert_history("myid", "00:05 terminated(user)");
    assert_false(cursor_of("myid").flags & CURSOR_PAUSED);
    run_to("00:10");
    assert_calls("00:05@00:05, terminate 00:05@00:06, 00:10@00:10");
}

static void assert_last(const char *slot, const char *result, const char *failure)
{
    const struct assignment *work = &call_of(slot)->work;

    assert_string_equal(work->last_result.ptr, result);
    assert_string_equal(work->last_failure.ptr, failure);
}

static void scenario_35_last_result_and_failure(void **state)
{
    (void)state;
    ends_with("00:05", "00:06", OUTCOME_SUCCEEDED, "[\"res1\"]");
    ends_with("00:10", "00:11", OUTCOME_FAILED, "oops");
    ends_with("00:15", "00:16", OUTCOME_SUCCEEDED, "[\"works again\"]");
    create("myid", temporal(every(5 * SPAN_MIN)));
    run_to("00:21");
    assert_calls("00:05@00:05, 00:10@00:10, 00:15@00:15, 00:20@00:20");
    assert_last("00:05", "", "");
    assert_last("00:10", "[\"res1\"]", "");
    assert_last("00:15", "[\"res1\"]", "oops");
    assert_last("00:20", "[\"works again\"]", "");
}

/* The slot of 02:00 waits for the run of 01:00; the pause ends before it was set. */
static void a_pause_that_has_already_expired_drops_no_waiting_slot(void **state)
{
    struct command command = command_for(COMMAND_UPDATE, "job");
    struct test_schedule w = overlapping(every(SPAN_H), OVERLAP_BUFFER_ONE);

    (void)state;
    ends("01:00", "02:30", OUTCOME_SUCCEEDED);
    create("job", w);
    run_to("02:10");
    assert_calls("01:00@01:00");
    w.draft.sets_pause = w.draft.is_paused = true;
    command.save.draft = draft_of(&w);
    command.save.pause_until = when("01:50");
    assert_int_equal(submit(&command).rc, RC_OK);
    run_to("02:31");
    assert_calls("02:00@02:30");
    assert_ledger("job", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(scenario_21_downtime_with_one_hour_window),
        TIMELINE(scenario_22_downtime_while_paused),
        TIMELINE(scenario_23_no_window),
        TIMELINE(scenario_23_window_of_ten_seconds),
        TIMELINE(scenario_24_window_counted_per_action),
        TIMELINE(scenario_25_an_expired_start_does_not_use_a_limited_slot),
        TIMELINE(scenario_26_pause_window),
        TIMELINE(scenario_27_pause_drops_a_one_shot),
        TIMELINE(scenario_28_paused_automated_dropped_manual_kept),
        TIMELINE(scenario_29_trigger_while_paused),
        TIMELINE(scenario_30_limited_actions),
        TIMELINE(scenario_31_trigger_after_exhaustion),
        TIMELINE(scenario_32_limited_and_skipped),
        TIMELINE(scenario_33_pause_on_failure),
        TIMELINE(scenario_34_cancel_is_not_a_failure),
        TIMELINE(scenario_34_terminate_is_not_a_failure),
        TIMELINE(scenario_35_last_result_and_failure),
        TIMELINE(a_pause_that_has_already_expired_drops_no_waiting_slot),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
