/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests workflows of a Conductor: ending them.
 */
#include "workflow_world.h"

static struct stop stop_of_run(bool is_terminated)
{
    return (struct stop){.run = {.schedule = 42, .slot_ms = 1790000000000},
                         .fence = 7,
                         .is_terminated = is_terminated};
}

static void stopping_terminates_the_workflow(void **state)
{
    struct world *world = *state;
    struct stop stop = stop_of_run(false);
    const struct report *report;

    start(world, flow_order(world, WF));
    wait_seen(world, "GET", 1);
    dispatcher_stop(world->dispatches->dispatcher, &stop);
    report = wait_end(world);
    assert_int_equal(report->outcome, OUTCOME_CANCELLED);
    assert_int_equal(report->error.len, 0);
    assert_string_equal(world->conductor->flows[0].status, "TERMINATED");
    assert_int_equal(conductor_seen(world->conductor,
                                    "DELETE /api/workflow/wf-1?reason=ended%20by%20Belfry"),
                     1);
}

static void stopping_while_it_starts_terminates_what_was_started(void **state)
{
    struct world *world = *state;
    struct stop stop = stop_of_run(false);

    start(world, flow_order(world, WF));
    dispatcher_stop(world->dispatches->dispatcher, &stop);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_CANCELLED);
    assert_int_equal(world->conductor->count, 1);
    assert_string_equal(world->conductor->flows[0].status, "TERMINATED");
}

static void stopping_what_was_not_started_ends_at_once(void **state)
{
    struct world *world = *state;
    struct stop stop = stop_of_run(false);

    world->limits.retry_first = world->limits.retry_max = LONG;
    conductor_fail(world->conductor, 1, (struct conductor_fault){"POST", 429, "", false});
    start(world, flow_order(world, WF));
    wait_seen(world, "POST", 1);
    dispatcher_stop(world->dispatches->dispatcher, &stop);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_CANCELLED);
    assert_int_equal(world->conductor->count, 0);
}

static void a_workflow_that_ended_before_the_stop_has_its_own_end(void **state)
{
    struct world *world = *state;
    struct stop stop = stop_of_run(false);

    world->limits.poll_first = world->limits.poll_max = LONG;
    start(world, flow_order(world, WF));
    dispatches_wait(world->dispatches, 1);
    end_flow(world, 0, "COMPLETED", NULL);
    dispatcher_stop(world->dispatches->dispatcher, &stop);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_SUCCEEDED);
}

static void a_stop_that_cannot_be_passed_on_says_so(void **state)
{
    struct world *world = *state;
    struct stop stop = stop_of_run(false);
    const struct report *report;

    world->limits.end_patience = 20 * SPAN_MS;
    conductor_fail(world->conductor, 60, (struct conductor_fault){"DELETE", 503, "", false});
    start(world, flow_order(world, WF));
    dispatches_wait(world->dispatches, 1);
    dispatcher_stop(world->dispatches->dispatcher, &stop);
    report = wait_end(world);
    assert_int_equal(report->outcome, OUTCOME_CANCELLED);
    assert_error(report, "upstream_unreachable", false, "the upstream answered 503");
}

static void a_terminated_run_takes_its_workflow_with_it_and_tells_nothing(void **state)
{
    struct world *world = *state;
    struct stop stop = stop_of_run(true);

    start(world, flow_order(world, WF));
    dispatches_wait(world->dispatches, 1);
    dispatcher_stop(world->dispatches->dispatcher, &stop);
    wait_seen(world, "DELETE", 1);
    while (dispatcher_count(world->dispatches->dispatcher, LANE_FLOW) > 0)
        uv_run(loop_uv(world->dispatches->loop), UV_RUN_ONCE);
    assert_string_equal(world->conductor->flows[0].status, "TERMINATED");
    assert_int_equal(world->dispatches->report_count, 1);
}

static void time_that_is_over_terminates_the_workflow_and_the_next_attempt_begins_anew(
    void **state)
{
    struct world *world = *state;
    struct dispatch_order *order = next_attempt(world);
    const struct report *report;

    order->assignment.deadline = order->now + 10 * SPAN_MS;
    start(world, order);
    report = wait_end(world);
    assert_int_equal(report->outcome, OUTCOME_TIMED_OUT);
    assert_error(report, "workflow_timeout", true,
                 "the workflow did not end in time and was terminated");
    assert_string_equal(world->conductor->flows[0].status, "TERMINATED");
    assert_text(world->dispatches->reports[0]->report.progress,
                "{\"workflowId\":\"wf-1\",\"workflows\":1,\"ended\":true}");
}

static void time_that_is_over_before_a_start_says_what_was_in_the_way(void **state)
{
    struct world *world = *state;
    struct dispatch_order *order = flow_order(world, WF);
    const struct report *report;

    world->limits.retry_first = world->limits.retry_max = LONG;
    conductor_fail(world->conductor, 1, (struct conductor_fault){"POST", 429, "", false});
    order->assignment.deadline = order->now + 10 * SPAN_MS;
    start(world, order);
    report = wait_end(world);
    assert_int_equal(report->outcome, OUTCOME_TIMED_OUT);
    assert_error(report, "workflow_timeout", true, "the upstream answered 429");
    assert_int_equal(world->conductor->count, 0);
}

static void a_workflow_that_belfry_ended_unheard_is_not_taken_for_the_next_attempts(
    void **state)
{
    struct world *world = *state;

    start(world, next_attempt(world));
    end_flow(world, 0, "TERMINATED", "ended by Belfry: its time was over");
    assert_text(dispatches_wait(world->dispatches, 1)->progress,
                "{\"workflowId\":\"wf-2\",\"workflows\":2,\"ended\":false}");
}

static void a_node_that_goes_leaves_the_workflow_to_the_next(void **state)
{
    struct world *world = *state;

    start(world, flow_order(world, WF));
    wait_seen(world, "GET", 1);
    dispatches_close(world->dispatches);
    dispatches_wait_closed(world->dispatches);
    assert_int_equal(wait_end(world)->kind, REPORT_RELEASE);
    assert_string_equal(world->conductor->flows[0].status, "RUNNING");
    assert_int_equal(conductor_seen(world->conductor, "DELETE"), 0);
}

static void a_node_that_goes_while_a_start_is_under_way_tells_of_a_loss(void **state)
{
    struct world *world = *state;

    conductor_fail(world->conductor, 1,
                   (struct conductor_fault){"POST", CONDUCTOR_HANGS, NULL, true});
    start(world, flow_order(world, WF));
    wait_seen(world, "POST", 1);
    dispatches_close(world->dispatches);
    dispatches_wait_closed(world->dispatches);
    assert_int_equal(world->dispatches->report_count, 1);
    assert_int_equal(wait_end(world)->kind, REPORT_LOST);
}

static void a_node_that_goes_while_a_stop_is_under_way_says_so(void **state)
{
    struct world *world = *state;
    struct stop stop = stop_of_run(false);

    conductor_fail(world->conductor, 1,
                   (struct conductor_fault){"DELETE", CONDUCTOR_HANGS, NULL, false});
    start(world, flow_order(world, WF));
    dispatches_wait(world->dispatches, 1);
    dispatcher_stop(world->dispatches->dispatcher, &stop);
    wait_seen(world, "DELETE", 1);
    dispatches_close(world->dispatches);
    dispatches_wait_closed(world->dispatches);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_CANCELLED);
    assert_error(wait_end(world), "upstream_unreachable", false,
                 "the server stopped before it terminated the workflow");
}

static void a_node_that_goes_waits_for_nothing_that_was_terminated(void **state)
{
    struct world *world = *state;
    struct stop stop = stop_of_run(true);

    conductor_fail(world->conductor, 1,
                   (struct conductor_fault){"DELETE", CONDUCTOR_HANGS, NULL, false});
    start(world, flow_order(world, WF));
    dispatches_wait(world->dispatches, 1);
    dispatcher_stop(world->dispatches->dispatcher, &stop);
    wait_seen(world, "DELETE", 1);
    dispatches_close(world->dispatches);
    dispatches_wait_closed(world->dispatches);
    assert_int_equal(world->dispatches->report_count, 1);
}

static void a_request_that_hangs_is_given_up_and_made_again(void **state)
{
    struct world *world = *state;

    world->limits.request = 50 * SPAN_MS;
    conductor_fail(world->conductor, 1,
                   (struct conductor_fault){"POST", CONDUCTOR_HANGS, NULL, true});
    start(world, flow_order(world, WF));
    dispatches_wait(world->dispatches, 1);
    assert_int_equal(world->conductor->count, 1);
}

static void nothing_is_started_after_the_lease(void **state)
{
    struct world *world = *state;
    struct dispatch_order *order = flow_order(world, WF);

    order->send_by_us = 1;
    start(world, order);
    assert_int_equal(wait_end(world)->kind, REPORT_RELEASE);
    assert_int_equal(world->conductor->server.connections, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, world_setup, world_teardown)
        CASE(stopping_terminates_the_workflow),
        CASE(stopping_while_it_starts_terminates_what_was_started),
        CASE(stopping_what_was_not_started_ends_at_once),
        CASE(a_workflow_that_ended_before_the_stop_has_its_own_end),
        CASE(a_stop_that_cannot_be_passed_on_says_so),
        CASE(a_terminated_run_takes_its_workflow_with_it_and_tells_nothing),
        CASE(time_that_is_over_terminates_the_workflow_and_the_next_attempt_begins_anew),
        CASE(time_that_is_over_before_a_start_says_what_was_in_the_way),
        CASE(a_workflow_that_belfry_ended_unheard_is_not_taken_for_the_next_attempts),
        CASE(a_node_that_goes_leaves_the_workflow_to_the_next),
        CASE(a_node_that_goes_while_a_start_is_under_way_tells_of_a_loss),
        CASE(a_node_that_goes_while_a_stop_is_under_way_says_so),
        CASE(a_node_that_goes_waits_for_nothing_that_was_terminated),
        CASE(a_request_that_hangs_is_given_up_and_made_again),
        CASE(nothing_is_started_after_the_lease),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
