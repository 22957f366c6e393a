/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the cursor says about the last runs: the end of the last success, the lateness of the
 * last automatic run, and how the last runs ended.
 */
#include "harness.h"

/* As a number of base 4: the newest run is the last digit. */
static void assert_recent(const char *name, int64_t expected)
{
    assert_int_equal(cursor_of(name).recent, expected);
}

static void a_new_schedule_has_none(void **state)
{
    (void)state;
    create("job", every(SPAN_H));
    assert_recent("job", 0);
    assert_int_equal(cursor_of("job").last_ok, INSTANT_NONE);
    assert_int_equal(cursor_of("job").last_late, CURSOR_LATE_UNKNOWN);
}

static void each_end_is_added_and_only_successes_move_the_last_one(void **state)
{
    (void)state;
    ends("01:00", "01:10", OUTCOME_SUCCEEDED);
    ends("02:00", "02:10", OUTCOME_FAILED);
    ends("03:00", "03:10", OUTCOME_TIMED_OUT);
    ends("04:00", "04:10", OUTCOME_UNKNOWN);
    create("job", every(SPAN_H));
    run_to("01:10");
    assert_recent("job", 1);
    assert_at(cursor_of("job").last_ok, "01:10");
    assert_int_equal(cursor_of("job").last_late, 0);
    run_to("04:10");
    assert_recent("job", 64 + 2 * 16 + 2 * 4 + 2);
    assert_at(cursor_of("job").last_ok, "01:10");
}

static void a_cancelled_run_is_neither_a_success_nor_a_failure(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("job", pulled(every(SPAN_H)));
    run_to("01:10");
    assert_int_equal(submit_run(COMMAND_CANCEL, run_of("job", "01:00")).rc, RC_OK);
    settle();
    assert_recent("job", 3);
    assert_int_equal(cursor_of("job").last_ok, INSTANT_NONE);
    assert_int_equal(cursor_of("job").last_late, CURSOR_LATE_UNKNOWN); /* it never began */
}

/* The run is ready at 01:00, and a worker takes it at 01:25. */
static void lateness_is_that_of_the_first_attempt_of_an_automatic_run(void **state)
{
    struct test_schedule w = pulled(every(SPAN_H));

    (void)state;
    w.draft.plan.policies.retry = (struct retry_policy){
        .attempts = 2, .backoff = BACKOFF_FIXED, .delay = SPAN_MIN, .max = SPAN_H};
    world.call_length = INSTANT_NEVER;
    create("job", w);
    run_to("01:25");
    poll_for("q", 1, "one");
    assert_int_equal(cursor_of("job").last_late, CURSOR_LATE_UNKNOWN); /* it has not ended */
    end_now(call_of("01:00"), OUTCOME_FAILED);
    assert_recent("job", 0);
    run_to("01:40");
    poll_for("q", 1, "one");
    end_now(call_of("01:00"), OUTCOME_SUCCEEDED);
    assert_recent("job", 1);
    assert_int_equal(cursor_of("job").last_late, 25 * SPAN_MIN);
}

static void a_trigger_counts_but_has_no_lateness(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("job", pulled(no_slots()));
    run_to("00:10");
    trigger("job", OVERLAP_DEFAULT);
    run_to("00:30");
    poll_for("q", 1, "one");
    end_now(call_of("00:10"), OUTCOME_SUCCEEDED);
    assert_recent("job", 1);
    assert_at(cursor_of("job").last_ok, "00:30");
    assert_int_equal(cursor_of("job").last_late, CURSOR_LATE_UNKNOWN);
}

static void a_test_run_does_not_count(void **state)
{
    struct command command = command_for(COMMAND_TEST, "job");

    (void)state;
    create("job", no_slots());
    run_to("00:10");
    assert_int_equal(submit(&command).rc, RC_OK);
    run_to("00:20");
    assert_int_equal(count_calls(), 1);
    assert_recent("job", 0);
    assert_int_equal(cursor_of("job").last_ok, INSTANT_NONE);
}

/* The upstream did not start the workflow: as in the counter, that is a failed run. */
static void a_workflow_that_was_not_started_is_a_failure(void **state)
{
    struct test_schedule w = every(SPAN_H);
    struct report report;

    (void)state;
    w.draft.plan.lane = LANE_FLOW;
    world.call_length = INSTANT_NEVER;
    create("job", w);
    run_to("01:00");
    report = make_report(call_of("01:00"), REPORT_DONE, OUTCOME_FAILED);
    report.reason = REASON_NOT_STARTED;
    assert_int_equal(send_report(call_of("01:00"), &report), RC_OK);
    assert_recent("job", 2);
}

static void a_skipped_slot_is_no_run(void **state)
{
    (void)state;
    ends("01:00", "02:30", OUTCOME_SUCCEEDED);
    create("job", every(SPAN_H));
    run_to("02:40");
    assert_ledger("job", "skipped(overlap) 02:00");
    assert_recent("job", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(a_new_schedule_has_none),
        TIMELINE(each_end_is_added_and_only_successes_move_the_last_one),
        TIMELINE(a_cancelled_run_is_neither_a_success_nor_a_failure),
        TIMELINE(lateness_is_that_of_the_first_attempt_of_an_automatic_run),
        TIMELINE(a_trigger_counts_but_has_no_lateness),
        TIMELINE(a_test_run_does_not_count),
        TIMELINE(a_workflow_that_was_not_started_is_a_failure),
        TIMELINE(a_skipped_slot_is_no_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
