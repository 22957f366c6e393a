/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests workflows in Temporal: ending them early.
 */
#include "temporal_world.h"

static struct stop stop_of_run(bool is_terminated)
{
    return (struct stop){.run = {.schedule = 42, .slot_ms = 1790000000000},
                         .fence = 7,
                         .is_terminated = is_terminated};
}

static void stop(struct world *world, bool is_terminated)
{
    struct stop order = stop_of_run(is_terminated);

    dispatcher_stop(world->fixture->dispatcher, &order);
}

static void a_stop_requests_cancellation_and_waits_for_the_end(void **state)
{
    struct world *world = *state;
    const Temporal__RequestCancelWorkflowExecutionRequest *asked;
    const struct report *report;

    start(world, flow_order(world, WF));
    wait_long_poll(world);
    stop(world, false);
    wait_seen(world, CANCEL, 1);
    asked = (const void *)temporal_nth(world->server, CANCEL, 0)->message;
    assert_string_equal(asked->workflow_execution->workflow_id, FLOW);
    assert_string_equal(asked->workflow_execution->run_id, "");
    assert_string_equal(asked->first_execution_run_id, "run-1");
    assert_string_equal(asked->request_id, world->run);
    wait_seen(world, POLL, 3);
    assert_int_equal(world->fixture->report_count, 1);
    temporal_end(world->server, 0, TEMPORAL_CANCELED, NULL);
    report = wait_end(world);
    assert_int_equal(report->outcome, OUTCOME_CANCELLED);
    assert_int_equal(report->error.len, 0);
    assert_int_equal(temporal_count_seen(world->server, CANCEL), 1);
    assert_int_equal(temporal_count_seen(world->server, END), 0);
}

static void a_workflow_that_completes_after_a_stop_succeeds(void **state)
{
    struct world *world = *state;

    start(world, flow_order(world, WF));
    wait_long_poll(world);
    stop(world, false);
    wait_seen(world, CANCEL, 1);
    wait_seen(world, POLL, 3);
    temporal_end(world->server, 0, TEMPORAL_COMPLETED, NULL);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_SUCCEEDED);
}

static void a_termination_terminates_the_workflow(void **state)
{
    struct world *world = *state;
    const Temporal__TerminateWorkflowExecutionRequest *asked;

    start(world, flow_order(world, WF));
    wait_long_poll(world);
    stop(world, true);
    wait_seen(world, END, 1);
    asked = (const void *)temporal_nth(world->server, END, 0)->message;
    assert_string_equal(asked->first_execution_run_id, "run-1");
    assert_string_equal(asked->reason, "ended by Belfry: the run was terminated");
    assert_int_equal(world->server->runs[0].end, TEMPORAL_TERMINATED);
    while (dispatcher_followed(world->fixture->dispatcher) > 0)
        uv_run(loop_uv(world->fixture->loop), UV_RUN_ONCE);
    assert_int_equal(world->fixture->report_count, 1); /* no further report */
}

static void a_workflow_that_ignores_cancellation_can_be_terminated(void **state)
{
    struct world *world = *state;

    start(world, flow_order(world, WF));
    wait_long_poll(world);
    stop(world, false);
    wait_seen(world, POLL, 3);
    stop(world, true);
    wait_seen(world, END, 1);
    assert_int_equal(world->server->runs[0].end, TEMPORAL_TERMINATED);
}

static void a_workflow_that_takes_too_long_is_terminated(void **state)
{
    struct world *world = *state;
    struct dispatch_order *order = next_attempt(world);

    order->assignment.deadline = order->now + 10 * SPAN_MS;
    start(world, order);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_TIMED_OUT);
    assert_error(wait_end(world), "workflow_timeout", true,
                 "the workflow did not end in time and was terminated");
    assert_int_equal(world->server->runs[0].end, TEMPORAL_TERMINATED);
}

static void a_workflow_that_ended_before_the_stop_keeps_its_outcome(void **state)
{
    struct world *world = *state;

    start(world, flow_order(world, WF));
    wait_long_poll(world);
    world->server->runs[0].end = TEMPORAL_COMPLETED; /* without answering the poll */
    stop(world, false);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_SUCCEEDED);
    assert_int_equal(temporal_count_seen(world->server, CANCEL), 1);
}

static void a_stop_before_the_start_ends_at_once(void **state)
{
    struct world *world = *state;

    world->limits.retry_first = world->limits.retry_max = LONG;
    temporal_fail(world->server, 1,
                  (struct temporal_fault){.method = START, .status = GRPC_RESOURCE_EXHAUSTED});
    start(world, flow_order(world, WF));
    wait_seen(world, START, 1);
    stop(world, false);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_CANCELLED);
    assert_int_equal(temporal_count_seen(world->server, POLL), 0);
    assert_int_equal(world->server->count, 0);
}

/* The workflow is recognized by the identity of its starter. */
static void a_stop_finds_a_workflow_whose_start_was_not_answered(void **state)
{
    struct world *world = *state;

    temporal_fail(world->server, 1,
                  (struct temporal_fault){.method = START, .kind = FAULT_CUT, .is_done = true});
    start(world, flow_order(world, WF));
    wait_seen(world, START, 1);
    stop(world, false);
    wait_seen(world, CANCEL, 1);
    assert_true(world->server->runs[0].is_cancel_requested);
    temporal_end(world->server, 0, TEMPORAL_CANCELED, NULL);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_CANCELLED);
    assert_int_equal(temporal_count_seen(world->server, START), 1);
}

static void a_stop_does_not_end_a_foreign_workflow(void **state)
{
    struct world *world = *state;

    temporal_fail(world->server, 1,
                  (struct temporal_fault){.method = START, .kind = FAULT_CUT});
    create_foreign_flow(world);
    start(world, flow_order(world, WF));
    wait_seen(world, START, 1);
    stop(world, false);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_CANCELLED);
    assert_int_equal(temporal_count_seen(world->server, CANCEL), 0);
    assert_int_equal(world->server->runs[0].end, TEMPORAL_RUNNING);
}

static void a_stop_that_cannot_reach_the_upstream_is_reported(void **state)
{
    struct world *world = *state;
    const struct report *report;

    world->limits.end_patience = 20 * SPAN_MS;
    temporal_fail(world->server, 60,
                  (struct temporal_fault){.method = CANCEL, .status = GRPC_UNAVAILABLE});
    start(world, flow_order(world, WF));
    wait_long_poll(world);
    stop(world, false);
    report = wait_end(world);
    assert_int_equal(report->outcome, OUTCOME_CANCELLED);
    assert_error(report, "upstream_unreachable", false, "the upstream answered UNAVAILABLE");
}

static void closing_leaves_the_workflow_to_the_next_node(void **state)
{
    struct world *world = *state;

    start(world, flow_order(world, WF));
    wait_long_poll(world);
    fixture_close(world->fixture);
    fixture_wait_closed(world->fixture);
    assert_int_equal(world->fixture->report_count, 1); /* the next node takes it over */
    assert_int_equal(world->server->runs[0].end, TEMPORAL_RUNNING);
}

/* A trigger in the same second as the slot, so that it has the same workflow id. */
static struct dispatch_order *order_of_same_second(struct world *world)
{
    struct dispatch_order *order = flow_order(world, WF);
    struct run_id id = {.schedule = 42, .slot_ms = 1790000000500, .pass = 1};
    char text[RUN_ID_TEXT_MAX];

    run_id_format(&id, text);
    order->assignment.id = arena_str(order->arena, str_of(text));
    order->assignment.run.slot = id.slot_ms * SPAN_MS;
    order->assignment.run.pass = 1;
    order->assignment.run.kind = RUN_TRIGGER;
    return order;
}

/* With terminateOther, the run ends in the same turn that starts the next one. */
static void a_start_waits_for_the_end_of_the_workflow_that_it_replaces(void **state)
{
    struct world *world = *state;

    world->limits.id_wait = LONG;
    start(world, flow_order(world, WF));
    wait_long_poll(world);
    start(world, order_of_same_second(world));
    wait_seen(world, START, 3); /* rejected once */
    stop(world, true);
    while (world->server->count < 2)
        uv_run(loop_uv(world->fixture->loop), UV_RUN_ONCE);
    assert_int_equal(world->server->runs[0].end, TEMPORAL_TERMINATED);
    assert_string_equal(world->server->runs[1].id, FLOW);
    wait_long_poll(world);
    temporal_end(world->server, 1, TEMPORAL_COMPLETED, NULL);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_SUCCEEDED);
}

/* If no one ends it, the second start of a second is dropped, as in Temporal. */
static void the_wait_for_a_workflow_id_is_limited(void **state)
{
    struct world *world = *state;

    start(world, flow_order(world, WF));
    wait_long_poll(world);
    world->limits.id_wait = 2 * SPAN_S; /* for at least two requests on a busy machine */
    world->limits.retry_first = world->limits.retry_max = 100 * SPAN_MS;
    start(world, order_of_same_second(world));
    assert_error(wait_end(world), "workflow_exists", false, NULL);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_CANCELLED);
    assert_int_equal(world->server->runs[0].end, TEMPORAL_RUNNING);
    assert_int_equal(world->server->count, 1);
    assert_true(temporal_count_seen(world->server, START) > 2);
}

/*
 * temporal.api.failure.v1.Failure: message "oops", source "GoSDK", stack_trace "a\nb", an
 * application_failure_info with type "Disk", non_retryable and details, and a cause.
 */
static const char failure_bytes[] = "\x0a\x04oops\x12\x05GoSDK\x1a\x03"
                                    "a\nb"
                                    "\x2a\x0e\x0a\x04"
                                    "Disk\x10\x01\x1a\x04\x0a\x02\x12\x00"
                                    "\x22\x06\x0a\x04"
                                    "full";

static void a_failure_is_passed_on_unchanged(void **state)
{
    struct world *world = *state;
    struct str bytes = {failure_bytes, sizeof failure_bytes - 1}, passed;
    struct dispatch_order *order;
    const struct report *report;
    const Temporal__Failure *failure;

    start(world, flow_order(world, WF));
    wait_long_poll(world);
    world->server->runs[0].failure = bytes;
    temporal_end(world->server, 0, TEMPORAL_FAILED, "");
    report = wait_end(world);
    assert_error(report, "workflow_failed", true,
                 "workflow \"" FLOW "\" ended as FAILED: oops");
    assert_null(strstr(arena_str(world->server->arena, report->error).ptr, "failure\""));

    order = flow_order(world, WF);
    order->assignment.run.kind = RUN_TRIGGER;
    order->assignment.run.pass = 1;
    order->assignment.last_failure = arena_str(world->server->arena, report->failure);
    fixture_forget(world->fixture);
    start(world, order);
    wait_seen(world, START, 2);
    failure = ((const Temporal__StartWorkflowExecutionRequest *)(const void *)temporal_nth(
                   world->server, START, 1)
                   ->message)
                  ->continued_failure;
    assert_string_equal(failure->message, "oops");
    assert_string_equal(failure->application_failure_info->type, "Disk");
    passed = proto_pack(&failure->base, world->server->arena);
    assert_int_equal(passed.len, bytes.len);
    assert_memory_equal(passed.ptr, bytes.ptr, bytes.len);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(a_failure_is_passed_on_unchanged),
        IN_WORLD(a_stop_requests_cancellation_and_waits_for_the_end),
        IN_WORLD(a_workflow_that_completes_after_a_stop_succeeds),
        IN_WORLD(a_termination_terminates_the_workflow),
        IN_WORLD(a_workflow_that_ignores_cancellation_can_be_terminated),
        IN_WORLD(a_start_waits_for_the_end_of_the_workflow_that_it_replaces),
        IN_WORLD(the_wait_for_a_workflow_id_is_limited),
        IN_WORLD(a_workflow_that_takes_too_long_is_terminated),
        IN_WORLD(a_workflow_that_ended_before_the_stop_keeps_its_outcome),
        IN_WORLD(a_stop_before_the_start_ends_at_once),
        IN_WORLD(a_stop_finds_a_workflow_whose_start_was_not_answered),
        IN_WORLD(a_stop_does_not_end_a_foreign_workflow),
        IN_WORLD(a_stop_that_cannot_reach_the_upstream_is_reported),
        IN_WORLD(closing_leaves_the_workflow_to_the_next_node),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
