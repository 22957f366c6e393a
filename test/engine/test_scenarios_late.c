/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs that start later than their schedule allows: policy latenessBudget.
 */
#include "harness.h"

static struct test_schedule pulled_hourly(void)
{
    return pulled(every(SPAN_H));
}

static void a_late_start_is_one_event(void **state)
{
    struct test_schedule w = pulled_hourly();

    (void)state;
    w.draft.plan.policies.lateness_budget = SPAN_MIN;
    create("job", w);
    run_to("01:10");
    poll_for("q", 1, "one");
    run_to("01:20");
    assert_int_equal(world.events[EVENT_RUN_LATE], 1);
}

static void a_run_without_a_worker_is_late_after_its_lateness_budget(void **state)
{
    struct test_schedule w = pulled_hourly();

    (void)state;
    w.draft.plan.policies.lateness_budget = SPAN_MIN;
    create("job", w);
    run_to("01:01");
    assert_int_equal(world.events[EVENT_RUN_LATE], 0);
    run_to("01:01:01");
    assert_int_equal(world.events[EVENT_RUN_LATE], 1);
    run_to("01:10");
    poll_for("q", 1, "one");
    assert_calls("01:00@01:10");
    assert_int_equal(world.events[EVENT_RUN_LATE], 1);
}

static void a_run_that_waits_for_another_run_is_late_too(void **state)
{
    struct test_schedule w = pulled_hourly();

    (void)state;
    w.draft.plan.policies.overlap = OVERLAP_BUFFER_ONE;
    w.draft.plan.policies.lateness_budget = SPAN_MIN;
    w.draft.plan.policies.lease = 3 * SPAN_H;
    create("job", w);
    run_to("01:00:01");
    poll_for("q", 1, "one");
    run_to("02:01");
    assert_int_equal(world.events[EVENT_RUN_LATE], 0);
    run_to("02:01:01");
    assert_int_equal(world.events[EVENT_RUN_LATE], 1);
    run_to("02:30");
    assert_int_equal(world.events[EVENT_RUN_LATE], 1);
}

static void a_late_run_ends_at_the_limit_of_start_within(void **state)
{
    struct test_schedule w = pulled_hourly();

    (void)state;
    w.draft.plan.policies.lateness_budget = SPAN_MIN;
    w.draft.plan.policies.start_within = 5 * SPAN_MIN;
    create("job", w);
    run_to("01:04:59");
    assert_int_equal(world.events[EVENT_RUN_LATE], 1);
    assert_int_equal(cursor_of("job").open, 1);
    run_to("01:05:01");
    assert_history("job", "01:00 timedOut(startWithin)");
    assert_int_equal(world.events[EVENT_RUN_LATE], 1);
}

enum { SLOTS = 100 }; /* one a minute; every second one is cancelled: a range for each */

static void create_with_cancelled_slots(void)
{
    char slot[16];

    create("job", every(SPAN_MIN));
    for (int i = 1; i <= SLOTS; i += 2) {
        snprintf(slot, sizeof slot, "%02d:%02d", i / 60, i % 60);
        assert_int_equal(submit_run(COMMAND_SKIP, run_of("job", slot)).rc, RC_OK);
    }
}

static void an_edit_accounts_for_all_overdue_slots(void **state)
{
    (void)state;
    create_with_cancelled_slots();
    world.now = when("01:40:30"); /* no turn in between */
    assert_int_equal(update("job", 1, every(SPAN_H)).rc, RC_OK);
    assert_counts("job", "missed 50, cancelled 50");
    assert_calls("");
}

static void the_end_of_a_pause_accounts_for_all_its_slots(void **state)
{
    (void)state;
    create_with_cancelled_slots();
    pause_it("job", "x");
    run_to("01:40:30");
    resume("job");
    run_to("01:40:40");
    assert_counts("job", "missed 50, cancelled 50");
    assert_calls("");
}

static void a_deletion_accounts_for_all_overdue_slots(void **state)
{
    (void)state;
    create_with_cancelled_slots();
    world.now = when("01:40:30"); /* no turn in between */
    submit_ok(COMMAND_DELETE, "job");
    assert_int_equal(world.events[EVENT_SLOT_DROPPED], 50);
    assert_int_equal(world.events[EVENT_SLOT_CANCELLED], 50);
}

/* 00:01 and 00:02 are in the pause, 00:03 and 00:04 after it; no turn comes before. */
static void a_deletion_after_a_pause_drops_the_later_slots(void **state)
{
    struct command command = command_for(COMMAND_PAUSE, "job");

    (void)state;
    create("job", every(SPAN_MIN));
    command.pause.until = when("00:02:30");
    assert_int_equal(submit(&command).rc, RC_OK);
    world.now = when("00:04:30");
    submit_ok(COMMAND_DELETE, "job");
    assert_int_equal(world.last_event[EVENT_SLOT_MISSED].count, 2);
    assert_int_equal(world.last_event[EVENT_SLOT_DROPPED].count, 2);
}

static struct test_schedule after_each_end(span length)
{
    struct test_schedule w = every(length);

    w.def.intervals[0].anchor = ANCHOR_COMPLETION;
    return w;
}

/* With whilePaused, 04:20 waits for the resume; 04:00 cannot, because a run began. */
static void the_last_slot_before_a_trigger_waits_for_the_end_of_a_pause(void **state)
{
    struct test_schedule w = after_each_end(20 * SPAN_MIN);

    (void)state;
    world.call_length = 5 * SPAN_MIN;
    down_to("03:40");
    w.draft.plan.policies.catchup_paused = true;
    create("job", w);
    pause_it("job", "");
    run_to("04:30");
    trigger("job", OVERLAP_DEFAULT);
    run_to("04:40");
    resume("job");
    run_to("04:41");
    assert_calls("t04:30@04:30, 04:20@04:40");
    assert_ledger("job", "missed(paused) 04:00");
}

/* Each of the three is due, and a triggered run begins before them. */
static void all_overdue_slots_are_skipped_after_a_trigger(void **state)
{
    struct test_schedule w = after_each_end(20 * SPAN_MIN);

    (void)state;
    world.call_length = INSTANT_NEVER;
    down_to("03:40");
    w.draft.plan.policies.catchup = CATCHUP_ALL;
    create("job", w);
    world.rows = 0;
    down_to("04:45");
    trigger("job", OVERLAP_DEFAULT);
    world.rows = TURN_ROWS_MAX;
    run_to("04:46");
    assert_calls("t04:45@04:45");
    assert_ledger("job", "skipped(overlap) 04:00-04:40 x3");
}

/* A turn wakes two runs; the first two cannot be retried, because their zone is missing. */
static void runs_without_a_zone_hold_up_no_others(void **state)
{
    struct test_schedule w = every(SPAN_MIN);

    (void)state;
    world.call_length = INSTANT_NEVER;
    w.draft.plan.policies.retry = (struct retry_policy){
        .attempts = 3, .backoff = BACKOFF_FIXED, .delay = 10 * SPAN_S, .max = SPAN_MIN};
    w.def.zone = STR("Europe/Berlin");
    w.def.window = (struct window_def){.is_set = true, .from = 0, .to = 86399};
    create("lost-1", w);
    create("lost-2", w);
    w.def.zone = STR("UTC");
    create("job", w);
    run_to("00:01:05");
    assert_int_equal(count_calls(), 3);
    for (int i = 0; i < 3; i++)
        end_now(&world.calls[i], OUTCOME_FAILED);
    run_to("00:01:06");
    world.changed_zone = "Europe/Berlin";
    world.rows = 2;
    run_to("00:01:20");
    assert_int_equal(count_calls(), 1);
    world.changed_zone = NULL;
    run_to("00:02:30");
    assert_true(count_calls() >= 2);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TIMELINE(a_late_start_is_one_event),
        TIMELINE(a_run_without_a_worker_is_late_after_its_lateness_budget),
        TIMELINE(a_run_that_waits_for_another_run_is_late_too),
        TIMELINE(a_late_run_ends_at_the_limit_of_start_within),
        TIMELINE(an_edit_accounts_for_all_overdue_slots),
        TIMELINE(the_end_of_a_pause_accounts_for_all_its_slots),
        TIMELINE(a_deletion_accounts_for_all_overdue_slots),
        TIMELINE(a_deletion_after_a_pause_drops_the_later_slots),
        TIMELINE(the_last_slot_before_a_trigger_waits_for_the_end_of_a_pause),
        TIMELINE(all_overdue_slots_are_skipped_after_a_trigger),
        TIMELINE(runs_without_a_zone_hold_up_no_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
