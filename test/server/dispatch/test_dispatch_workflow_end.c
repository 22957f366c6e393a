/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests workflows in Conductor: ending them.
 */
#include "workflow_world.h"

static struct stop stop_of_run(bool is_terminated)
{
    return (struct stop){.run = {.schedule = 42, .slot_ms = 1790000000000},
                         .fence = 7,
                         .is_terminated = is_terminated};
}

static void a_stop_terminates_the_workflow(void **state)
{
    struct world *world = *state;
    struct stop stop = stop_of_run(false);
    const struct report *report;

    start(world, flow_order(world, WF));
    wait_seen(world, "GET", 1);
    dispatcher_stop(world->fixture->dispatcher, &stop);
    report = wait_end(world);
    assert_int_equal(report->outcome, OUTCOME_CANCELLED);
    assert_int_equal(report->error.len, 0);
    assert_string_equal(world->conductor->flows[0].status, "TERMINATED");
    assert_int_equal(conductor_seen(world->conductor,
                                    "DELETE /api/workflow/wf-1?reason=ended%20by%20Belfry"),
                     1);
}

static void a_stop_during_the_start_terminates_the_workflow(void **state)
{
    struct world *world = *state;
    struct stop stop = stop_of_run(false);

    start(world, flow_order(world, WF));
    dispatcher_stop(world->fixture->dispatcher, &stop);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_CANCELLED);
    assert_int_equal(world->conductor->count, 1);
    assert_string_equal(world->conductor->flows[0].status, "TERMINATED");
}

static void a_stop_before_the_start_ends_at_once(void **state)
{
    struct world *world = *state;
    struct stop stop = stop_of_run(false);

    world->limits.retry_first = world->limits.retry_max = LONG;
    conductor_fail(world->conductor, 1, (struct conductor_fault){"POST", 429, "", false});
    start(world, flow_order(world, WF));
    wait_seen(world, "POST", 1);
    dispatcher_stop(world->fixture->dispatcher, &stop);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_CANCELLED);
    assert_int_equal(world->conductor->count, 0);
}

static void a_workflow_that_ended_before_the_stop_keeps_its_outcome(void **state)
{
    struct world *world = *state;
    struct stop stop = stop_of_run(false);

    world->limits.poll_first = world->limits.poll_max = LONG;
    start(world, flow_order(world, WF));
    fixture_wait(world->fixture, 1);
    end_flow(world, 0, "COMPLETED", NULL);
    dispatcher_stop(world->fixture->dispatcher, &stop);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_SUCCEEDED);
}

static void a_stop_that_cannot_reach_the_upstream_is_reported(void **state)
{
    struct world *world = *state;
    struct stop stop = stop_of_run(false);
    const struct report *report;

    world->limits.end_patience = 20 * SPAN_MS;
    conductor_fail(world->conductor, 60, (struct conductor_fault){"DELETE", 503, "", false});
    start(world, flow_order(world, WF));
    fixture_wait(world->fixture, 1);
    dispatcher_stop(world->fixture->dispatcher, &stop);
    report = wait_end(world);
    assert_int_equal(report->outcome, OUTCOME_CANCELLED);
    assert_error(report, "upstream_unreachable", false, "the upstream answered 503");
}

static void a_terminated_run_ends_its_workflow_and_sends_no_report(void **state)
{
    struct world *world = *state;
    struct stop stop = stop_of_run(true);

    start(world, flow_order(world, WF));
    fixture_wait(world->fixture, 1);
    dispatcher_stop(world->fixture->dispatcher, &stop);
    wait_seen(world, "DELETE", 1);
    while (dispatcher_followed(world->fixture->dispatcher) > 0)
        uv_run(loop_uv(world->fixture->loop), UV_RUN_ONCE);
    assert_string_equal(world->conductor->flows[0].status, "TERMINATED");
    assert_int_equal(world->fixture->report_count, 1);
}

static void a_timeout_terminates_the_workflow(void **state)
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
    assert_text(world->fixture->reports[1]->report.progress,
                "{\"workflowId\":\"wf-1\",\"workflows\":1,\"ended\":true,\"clean\":2}");
}

static void a_timeout_before_the_start_reports_the_last_error(void **state)
{
    struct world *world = *state;
    struct dispatch_order *order = flow_order(world, WF);
    const struct report *report;

    world->limits.retry_first = world->limits.retry_max = LONG;
    conductor_fail(world->conductor, 1, (struct conductor_fault){"POST", 429, "", false});
    order->assignment.deadline = order->now + 2 * SPAN_S; /* after the first answer */
    start(world, order);
    report = wait_end(world);
    assert_int_equal(report->outcome, OUTCOME_TIMED_OUT);
    assert_error(report, "workflow_timeout", true, "the upstream answered 429");
    assert_int_equal(world->conductor->count, 0);
}

/* The run is released, and the next claim starts another workflow. */
static void a_workflow_that_belfry_ended_is_not_followed_again(void **state)
{
    struct world *world = *state;
    struct dispatch_order *order = flow_order(world, WF);

    start(world, next_attempt(world));
    end_flow(world, 0, "TERMINATED", "ended by Belfry: the run timed out");
    assert_int_equal(wait_end(world)->kind, REPORT_RELEASE);
    order->assignment.run.attempt = 2;
    order->assignment.run.progress = arena_str(order->arena,
                                               world->fixture->reports[1]->report.progress);
    fixture_forget(world->fixture);
    start(world, order);
    assert_text(fixture_wait(world->fixture, 1)->progress,
                "{\"workflowId\":\"wf-2\",\"firstWorkflowId\":\"wf-1\",\"workflows\":2,"
                "\"ended\":false}");
}

static void closing_leaves_the_workflow_to_the_next_node(void **state)
{
    struct world *world = *state;

    start(world, flow_order(world, WF));
    wait_seen(world, "GET", 1);
    fixture_close(world->fixture);
    fixture_wait_closed(world->fixture);
    assert_int_equal(world->fixture->report_count, 1); /* the next node takes it over */
    assert_string_equal(world->conductor->flows[0].status, "RUNNING");
    assert_int_equal(conductor_seen(world->conductor, "DELETE"), 0);
}

static void closing_during_a_start_reports_a_loss(void **state)
{
    struct world *world = *state;

    conductor_fail(world->conductor, 1,
                   (struct conductor_fault){"POST", CONDUCTOR_HANGS, NULL, true});
    start(world, flow_order(world, WF));
    wait_seen(world, "POST", 1);
    fixture_close(world->fixture);
    fixture_wait_closed(world->fixture);
    assert_int_equal(wait_end(world)->kind, REPORT_LOST);
    assert_string_equal(fixture_log(world->fixture),
                        "2 start 1: not answered: the call was cancelled\n");
}

static void closing_during_a_stop_leaves_it_to_the_next_node(void **state)
{
    struct world *world = *state;
    struct stop stop = stop_of_run(false);

    conductor_fail(world->conductor, 1,
                   (struct conductor_fault){"DELETE", CONDUCTOR_HANGS, NULL, false});
    start(world, flow_order(world, WF));
    fixture_wait(world->fixture, 1);
    dispatcher_stop(world->fixture->dispatcher, &stop);
    wait_seen(world, "DELETE", 1);
    fixture_close(world->fixture);
    fixture_wait_closed(world->fixture);
    assert_int_equal(world->fixture->report_count, 1);
}

static void an_aborted_dispatcher_ends_no_workflow(void **state)
{
    struct world *world = *state;

    start(world, flow_order(world, WF));
    wait_seen(world, "GET", 1);
    dispatcher_abort_all(world->fixture->dispatcher);
    fixture_close(world->fixture);
    fixture_wait_closed(world->fixture);
    assert_int_equal(world->fixture->report_count, 1);
    assert_string_equal(world->conductor->flows[0].status, "RUNNING");
    assert_int_equal(conductor_seen(world->conductor, "DELETE"), 0);
}

/* Following needs no place: a start that comes later finds one. */
static void followed_workflows_have_no_place(void **state)
{
    enum { MANY = 300 };
    struct world *world = *state;
    struct dispatcher *dispatcher = world->fixture->dispatcher;

    for (int i = 0; i < MANY; i++) {
        struct dispatch_order *order = flow_order(world, WF);

        order->assignment.run.pass = i;
        order->assignment.run.flags = RUN_FOLLOWED;
        order->assignment.run.progress = STR("{\"workflowId\":\"wf-1\",\"workflows\":1}");
        start(world, order);
        assert_int_equal(dispatcher_count(dispatcher, LANE_FLOW), 0);
    }
    world->conductor->flows[0] = (struct conductor_flow){
        .id = "wf-1", .input = "{}", .status = "RUNNING", .output = "{}"};
    world->conductor->count = 1;
    assert_int_equal(dispatcher_followed(dispatcher), MANY);
    wait_seen(world, "GET", 20);
    assert_int_equal(dispatcher_followed(dispatcher), MANY);
    dispatcher_drain(dispatcher);
    while (dispatcher_followed(dispatcher) > 0)
        uv_run(loop_uv(world->fixture->loop), UV_RUN_ONCE);
    assert_int_equal(world->fixture->report_count, 0);
}

static void closing_does_not_wait_for_a_termination(void **state)
{
    struct world *world = *state;
    struct stop stop = stop_of_run(true);

    conductor_fail(world->conductor, 1,
                   (struct conductor_fault){"DELETE", CONDUCTOR_HANGS, NULL, false});
    start(world, flow_order(world, WF));
    fixture_wait(world->fixture, 1);
    dispatcher_stop(world->fixture->dispatcher, &stop);
    wait_seen(world, "DELETE", 1);
    fixture_close(world->fixture);
    fixture_wait_closed(world->fixture);
    assert_int_equal(world->fixture->report_count, 1);
}

static void a_request_that_hangs_is_repeated(void **state)
{
    struct world *world = *state;

    world->limits.request = 50 * SPAN_MS;
    conductor_fail(world->conductor, 1,
                   (struct conductor_fault){"POST", CONDUCTOR_HANGS, NULL, true});
    start(world, flow_order(world, WF));
    fixture_wait(world->fixture, 1);
    assert_int_equal(world->conductor->count, 1);
}

static void nothing_starts_after_the_lease_expired(void **state)
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
        CASE(a_stop_terminates_the_workflow),
        CASE(a_stop_during_the_start_terminates_the_workflow),
        CASE(a_stop_before_the_start_ends_at_once),
        CASE(a_workflow_that_ended_before_the_stop_keeps_its_outcome),
        CASE(a_stop_that_cannot_reach_the_upstream_is_reported),
        CASE(a_terminated_run_ends_its_workflow_and_sends_no_report),
        CASE(a_timeout_terminates_the_workflow),
        CASE(a_timeout_before_the_start_reports_the_last_error),
        CASE(a_workflow_that_belfry_ended_is_not_followed_again),
        CASE(closing_leaves_the_workflow_to_the_next_node),
        CASE(closing_during_a_start_reports_a_loss),
        CASE(closing_during_a_stop_leaves_it_to_the_next_node),
        CASE(an_aborted_dispatcher_ends_no_workflow),
        CASE(followed_workflows_have_no_place),
        CASE(closing_does_not_wait_for_a_termination),
        CASE(a_request_that_hangs_is_repeated),
        CASE(nothing_starts_after_the_lease_expired),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
