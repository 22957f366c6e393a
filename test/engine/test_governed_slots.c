/* SPDX-License-Identifier: Apache-2.0 */
/*
 * docs/semantics.md [P-33]: the slots of governed schedules are the grid and the picks that
 * came due, and each has one outcome.  Grids of cron lines; times are computed by hand.
 */
#include "harness.h"

/* Every three seconds. */
static struct test_schedule governed_cron(span min, span max)
{
    struct test_schedule w = cron("*/3 * * * * *");

    w.draft.plan.is_governed = true;
    w.draft.plan.governor_min = min;
    w.draft.plan.governor_max = max;
    return w;
}

static void create_at(const char *at, struct test_schedule w)
{
    down_to(at);
    create("job", w);
}

static void a_grid_time_that_passes_in_a_run_is_skipped(void **state)
{
    (void)state;
    world.call_length = 3700 * SPAN_MS;
    create_at("00:00:01", governed_cron(0, 0));
    run_to("00:00:16");
    assert_calls("00:00:03@00:00:03, 00:00:09@00:00:09, 00:00:15@00:00:15");
    assert_ledger("job", "skipped(governor) 00:00:06, skipped(governor) 00:00:12");
    assert_counts("job", "started 3, skipped 2, open 1");
}

static void grid_times_before_a_clamped_pick_are_skipped(void **state)
{
    (void)state;
    world.call_length = SPAN_S;
    create_at("00:00:01", governed_cron(7 * SPAN_S, 0));
    run_to("00:00:16"); /* 1 + 7, 8 + 7 */
    assert_calls("00:00:08@00:00:08, 00:00:15@00:00:15");
    assert_ledger("job", "skipped(governor) 00:00:03-00:00:06 x2, "
                         "skipped(governor) 00:00:09-00:00:12 x2");
}

/* 00:00:06 starts late; the four times after it have passed, and 00:00:21 is the next pick. */
static void downtime_skips_the_grid_after_the_pick(void **state)
{
    (void)state;
    world.call_length = SPAN_S;
    create_at("00:00:01", governed_cron(0, 0));
    run_to("00:00:05");
    down_to("00:00:20");
    settle();
    run_to("00:00:21");
    assert_calls("00:00:03@00:00:03, 00:00:06@00:00:20, 00:00:21@00:00:21");
    assert_ledger("job", "skipped(governor) 00:00:09-00:00:18 x4");
}

static void a_pick_in_a_pause_is_missed_and_the_resume_runs_at_once(void **state)
{
    (void)state;
    world.call_length = SPAN_S;
    create_at("00:00:01", governed_cron(0, 0));
    run_to("00:00:05");
    pause_it("job", "");
    run_to("00:00:13");
    resume("job");
    run_to("00:00:14");
    assert_calls("00:00:03@00:00:03, 00:00:13@00:00:13");
    assert_ledger("job", "missed(paused) 00:00:06-00:00:12 x3");
    assert_at(cursor_of("job").next_at, "00:00:15");
}

static void with_while_paused_the_pick_itself_starts(void **state)
{
    struct test_schedule w = governed_cron(0, 0);

    (void)state;
    world.call_length = SPAN_S;
    w.draft.plan.policies.catchup_paused = true;
    create_at("00:00:01", w);
    run_to("00:00:05");
    pause_it("job", "");
    run_to("00:00:13");
    resume("job");
    run_to("00:00:14");
    assert_calls("00:00:03@00:00:03, 00:00:06@00:00:13");
    assert_ledger("job", "skipped(governor) 00:00:09-00:00:12 x2");
}

/* What passed before the pause was the governor's, what passed in it the pause's. */
static void a_pause_during_a_run_divides_the_grid(void **state)
{
    (void)state;
    world.call_length = 15 * SPAN_S;
    create_at("00:00:01", governed_cron(0, 0));
    run_to("00:00:10");
    pause_it("job", "");
    run_to("00:00:13");
    resume("job");
    run_to("00:00:20");
    assert_calls("00:00:03@00:00:03");
    assert_ledger("job", "skipped(governor) 00:00:06-00:00:09 x2, missed(paused) 00:00:12, "
                         "skipped(governor) 00:00:15-00:00:18 x2");
    assert_at(cursor_of("job").next_at, "00:00:21");
}

static void an_edit_keeps_what_has_passed(void **state)
{
    (void)state;
    world.call_length = 15 * SPAN_S;
    create_at("00:00:01", governed_cron(0, 0));
    run_to("00:00:10");
    assert_int_equal(update("job", 0, governed_cron(0, 5 * SPAN_S)).rc, RC_OK);
    assert_ledger("job", "skipped(governor) 00:00:06-00:00:09 x2");
    run_to("00:00:18");
    assert_ledger("job", "skipped(governor) 00:00:06-00:00:18 x5");
    assert_at(cursor_of("job").next_at, "00:00:21");
}

static void an_overdue_pick_is_missed_by_an_edit_with_the_grid_after_it(void **state)
{
    (void)state;
    world.call_length = SPAN_S;
    create_at("00:00:01", governed_cron(4 * SPAN_S, 0)); /* the pick is 00:00:05 */
    world.rows = 0;
    down_to("00:00:13");
    assert_int_equal(update("job", 0, governed_cron(0, 0)).rc, RC_OK);
    assert_ledger("job", "skipped(governor) 00:00:03, missed(edited) 00:00:05-00:00:12 x4");
    assert_at(cursor_of("job").next_at, "00:00:15");
}

static void a_deletion_drops_an_overdue_pick_and_the_grid_after_it(void **state)
{
    (void)state;
    create_at("00:00:01", governed_cron(4 * SPAN_S, 0));
    world.rows = 0;
    down_to("00:00:10");
    submit_ok(COMMAND_DELETE, "job");
    assert_int_equal(world.events[EVENT_SLOT_SKIPPED], 1);
    assert_at(world.last_event[EVENT_SLOT_SKIPPED].slot, "00:00:03");
    assert_at(world.last_event[EVENT_SLOT_DROPPED].slot, "00:00:05");
    assert_int_equal(world.last_event[EVENT_SLOT_DROPPED].count, 3);
}

static void a_cancelled_grid_time_is_cancelled_and_not_skipped(void **state)
{
    (void)state;
    world.call_length = 3700 * SPAN_MS;
    create_at("00:00:01", governed_cron(0, 0));
    run_to("00:00:04");
    assert_int_equal(submit_run(COMMAND_SKIP, run_of("job", "00:00:06")).rc, RC_OK);
    assert_int_equal(submit_run(COMMAND_SKIP, run_of("job", "00:00:09")).rc, RC_OK);
    run_to("00:00:06.500");
    assert_int_equal(submit_run(COMMAND_SKIP, run_of("job", "00:00:06")).count, 0);
    run_to("00:00:12");
    assert_calls("00:00:03@00:00:03, 00:00:12@00:00:12");
    assert_ledger("job", "cancelled(user) 00:00:06-00:00:09 x2");
}

/* An overdue pick and the times after it are missed; those before it were skipped. */
static void a_clock_jump_takes_precedence(void **state)
{
    struct command clock = command_for(COMMAND_CLOCK, "");

    (void)state;
    world.call_length = SPAN_S;
    create_at("00:00:01", governed_cron(4 * SPAN_S, 0)); /* the pick is 00:00:05 */
    world.rows = 0;
    down_to("00:00:16");
    assert_int_equal(submit(&clock).rc, RC_OK);
    world.rows = 100;
    settle();
    assert_ledger("job", "skipped(governor) 00:00:03, missed(clock) 00:00:05-00:00:15 x5");
    assert_at(cursor_of("job").next_at, "00:00:20");
}

static void a_trigger_does_not_move_the_pick(void **state)
{
    (void)state;
    world.call_length = SPAN_MIN;
    create_at("03:40", governed(20 * SPAN_MIN));
    run_to("03:50");
    trigger("job", OVERLAP_DEFAULT);
    assert_at(cursor_of("job").next_at, "04:00");
    run_to("04:00");
    assert_calls("t03:50@03:50, 04:00@04:00");
    assert_ledger("job", "");
}

/* 04:00 is skipped while the trigger runs; the next pick follows its end: 03:50 + 20 min. */
static void a_pick_that_meets_a_trigger_is_decided_by_the_overlap_policy(void **state)
{
    (void)state;
    world.call_length = 15 * SPAN_MIN;
    create_at("03:40", governed(20 * SPAN_MIN));
    run_to("03:50");
    trigger("job", OVERLAP_DEFAULT);
    run_to("04:11");
    assert_calls("t03:50@03:50, 04:10@04:10");
    assert_ledger("job", "skipped(overlap) 04:00");
}

static void nothing_runs_after_the_end(void **state)
{
    struct test_schedule w = governed_cron(0, 2 * SPAN_S);

    (void)state;
    world.call_length = 0;
    w.def.end = when("00:00:08");
    create_at("00:00:01", w);
    run_to("00:00:30");
    assert_calls("00:00:03@00:00:03, 00:00:05@00:00:05, 00:00:06@00:00:06, "
                 "00:00:08@00:00:08");
    assert_at(cursor_of("job").next_at, "never");
    assert_ledger("job", "");
}

/* 1:00, the last grid time, passes while a run is open: the maximum counts from its end. */
static void after_the_last_grid_time_the_maximum_counts(void **state)
{
    struct test_schedule w = governed_cron(0, 20 * SPAN_S);

    (void)state;
    world.call_length = 15 * SPAN_S;
    w.def.cron[0].expr = STR("0 * * * * *");
    w.def.end = when("00:01:55");
    create_at("00:00:30", w);
    run_to("00:05:00");
    assert_calls("00:00:50@00:00:50, 00:01:25@00:01:25, 00:01:45@00:01:45");
    assert_at(cursor_of("job").next_at, "never");
    assert_ledger("job", "skipped(governor) 00:01");
}

static void nothing_runs_at_an_excluded_time(void **state)
{
    struct test_schedule w = governed_cron(0, 10 * SPAN_MIN);
    static int32_t day;

    (void)state;
    world.call_length = 0;
    w.def.cron[0].expr = STR("0 */20 * * * *");
    day = (int32_t)(when("06-02 00:00") / SPAN_DAY);
    w.def.not_dates = &day;
    w.def.not_date_count = 1;
    create_at("06-01 23:45", w);
    run_to("06-03 00:05");
    assert_calls("23:55@23:55, 06-03 00:00@06-03 00:00");
    assert_ledger("job", "");
}

static void without_remaining_runs_there_are_no_grid_times(void **state)
{
    struct test_schedule w = governed_cron(7 * SPAN_S, 0);

    (void)state;
    world.call_length = SPAN_S;
    w.draft.plan.policies.remaining_runs = 1;
    create_at("00:00:01", w);
    run_to("00:00:30");
    assert_calls("00:00:08@00:00:08");
    assert_ledger("job", "skipped(governor) 00:00:03-00:00:06 x2");
    assert_at(cursor_of("job").next_at, "never");
}

static void an_expired_hint_does_not_fire(void **state)
{
    struct command hint = command_for(COMMAND_HINT, "job");

    (void)state;
    world.call_length = 0;
    create_at("00:00", governed(SPAN_MIN));
    hint.hint = (struct hint_args){.at = when("00:00:12"), .expires = when("00:00:04")};
    assert_int_equal(submit(&hint).rc, RC_OK);
    hint.hint = (struct hint_args){
        .interval = 12 * SPAN_S, .at = INSTANT_NEVER, .expires = when("00:00:04")};
    assert_int_equal(submit(&hint).rc, RC_OK);
    run_to("00:01");
    assert_calls("00:01@00:01");
}

/*
 * 00:12 was the pick and is overdue at the edit, which gives it its outcome.  The hint is used
 * up: it does not start a second, late run.
 */
static void an_edit_does_not_repeat_a_hint_whose_time_has_passed(void **state)
{
    struct command hint = command_for(COMMAND_HINT, "job");

    (void)state;
    world.call_length = 0;
    create_at("00:00", governed(SPAN_H));
    hint.hint = (struct hint_args){.at = when("00:12"), .expires = when("02:00")};
    assert_int_equal(submit(&hint).rc, RC_OK);
    assert_at(cursor_of("job").next_at, "00:12");
    world.now = when("00:20");
    assert_int_equal(update("job", 0, governed(SPAN_H)).rc, RC_OK);
    assert_at(cursor_of("job").hint_at, "never");
    assert_at(cursor_of("job").next_at, "01:20");
    run_to("01:30");
    assert_calls("01:20@01:20");
    assert_ledger("job", "missed(edited) 00:12");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(a_grid_time_that_passes_in_a_run_is_skipped),
        TIMELINE(grid_times_before_a_clamped_pick_are_skipped),
        TIMELINE(downtime_skips_the_grid_after_the_pick),
        TIMELINE(a_pick_in_a_pause_is_missed_and_the_resume_runs_at_once),
        TIMELINE(with_while_paused_the_pick_itself_starts),
        TIMELINE(a_pause_during_a_run_divides_the_grid),
        TIMELINE(an_edit_keeps_what_has_passed),
        TIMELINE(an_overdue_pick_is_missed_by_an_edit_with_the_grid_after_it),
        TIMELINE(a_deletion_drops_an_overdue_pick_and_the_grid_after_it),
        TIMELINE(a_cancelled_grid_time_is_cancelled_and_not_skipped),
        TIMELINE(a_clock_jump_takes_precedence),
        TIMELINE(a_trigger_does_not_move_the_pick),
        TIMELINE(a_pick_that_meets_a_trigger_is_decided_by_the_overlap_policy),
        TIMELINE(nothing_runs_after_the_end),
        TIMELINE(after_the_last_grid_time_the_maximum_counts),
        TIMELINE(nothing_runs_at_an_excluded_time),
        TIMELINE(without_remaining_runs_there_are_no_grid_times),
        TIMELINE(an_expired_hint_does_not_fire),
        TIMELINE(an_edit_does_not_repeat_a_hint_whose_time_has_passed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
