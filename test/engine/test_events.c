/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every step of a run has an event, for calls and for workers; so has a step of the clock.
 */
#include "harness.h"

static void assert_steps(int ready, int claimed, int started, int ended)
{
    assert_int_equal(world.events[EVENT_RUN_READY], ready);
    assert_int_equal(world.events[EVENT_RUN_CLAIMED], claimed);
    assert_int_equal(world.events[EVENT_RUN_STARTED], started);
    assert_int_equal(world.events[EVENT_RUN_ENDED], ended);
}

static void a_call_of_this_node_is_started_when_it_is_claimed(void **state)
{
    (void)state;
    world.call_length = SPAN_MIN;
    create("job", no_slots());
    trigger("job", OVERLAP_DEFAULT);
    settle();
    assert_steps(1, 1, 1, 0);
    assert_int_equal(world.last_event[EVENT_RUN_STARTED].fence, 1);
    run_to("00:02");
    assert_steps(1, 1, 1, 1);
}

static void a_workers_run_is_started_at_its_first_report(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("job", pulled(no_slots()));
    poll_for("q", 1, "one");
    trigger("job", OVERLAP_DEFAULT);
    settle();
    assert_steps(1, 1, 0, 0);
    assert_int_equal(report(&world.calls[0], REPORT_ALIVE, OUTCOME_NONE), RC_OK);
    assert_int_equal(report(&world.calls[0], REPORT_ALIVE, OUTCOME_NONE), RC_OK);
    assert_steps(1, 1, 1, 0);
    assert_int_equal(report(&world.calls[0], REPORT_DONE, OUTCOME_SUCCEEDED), RC_OK);
    assert_steps(1, 1, 1, 1);
}

static void a_workers_run_whose_first_report_is_its_end_was_started_too(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("job", pulled(no_slots()));
    poll_for("q", 1, "one");
    trigger("job", OVERLAP_DEFAULT);
    settle();
    assert_int_equal(report(&world.calls[0], REPORT_DONE, OUTCOME_SUCCEEDED), RC_OK);
    assert_steps(1, 1, 1, 1);
}

static void a_step_of_the_clock_is_one_event(void **state)
{
    struct test_node *a = &world.nodes[0];

    (void)state;
    a->in = (struct turn_in){.rows = TURN_ROWS_MIN, .jump = -90 * SPAN_S};
    a->is_pending = true; /* turn() hands `in` in unchanged */
    turn(a);
    turn(a);
    assert_int_equal(world.events[EVENT_CLOCK_JUMP], 1);
    assert_int_equal(world.last_event[EVENT_CLOCK_JUMP].count, -90000);
    assert_int_equal(world.last_event[EVENT_CLOCK_JUMP].detail, a->out.node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(a_call_of_this_node_is_started_when_it_is_claimed),
        TIMELINE(a_workers_run_is_started_at_its_first_report),
        TIMELINE(a_workers_run_whose_first_report_is_its_end_was_started_too),
        TIMELINE(a_step_of_the_clock_is_one_event),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
