/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs whose workflow an upstream starts: what their reports change.
 */
#include "harness.h"

#define CONFIRMED "{\"workflowId\":\"wf-1\",\"workflows\":1,\"ended\":false}"

static struct test_schedule flow(struct test_schedule w)
{
    w.draft.plan.lane = LANE_FLOW;
    w.draft.plan.policies.overlap = OVERLAP_ALLOW_ALL;
    w.draft.plan.policies.max_run_time = 0;
    return w;
}

static void confirm(const char *slot)
{
    const struct call *call = call_of(slot);
    struct report report = make_report(call, REPORT_ALIVE, OUTCOME_NONE);

    report.progress = STR(CONFIRMED);
    assert_int_equal(send_report(call, &report), RC_OK);
}

static void refuse(const char *slot)
{
    const struct call *call = call_of(slot);
    struct report report = make_report(call, REPORT_DONE, OUTCOME_FAILED);

    report.reason = REASON_NOT_STARTED;
    assert_int_equal(send_report(call, &report), RC_OK);
}

static void a_workflow_that_was_not_started_does_not_pause_its_schedule(void **state)
{
    struct test_schedule w = flow(every(SPAN_H));

    (void)state;
    world.call_length = INSTANT_NEVER;
    w.draft.plan.policies.pause_on_failure = true;
    create("job", w);
    run_to("01:00");
    refuse("01:00");
    assert_int_equal(cursor_of("job").flags, CURSOR_UNSTARTED);
    assert_int_equal(cursor_of("job").unstarted, 1);
    run_to("02:00");
    assert_calls("01:00@01:00, 02:00@02:00");
    end_now(call_of("02:00"), OUTCOME_FAILED); /* a workflow failed */
    assert_int_equal(cursor_of("job").flags, CURSOR_PAUSED);
    assert_int_equal(cursor_of("job").unstarted, 1);
}

/* As in Temporal: the action is used up. */
static void a_workflow_that_was_not_started_takes_a_remaining_run(void **state)
{
    struct test_schedule w = flow(every(SPAN_H));

    (void)state;
    world.call_length = INSTANT_NEVER;
    w.draft.plan.policies.remaining_runs = 2;
    create("job", w);
    run_to("01:00");
    refuse("01:00");
    assert_int_equal(cursor_of("job").remaining, 1);
}

/* Its node stopped; the workflow goes on, and so does the time of the run. */
static void a_followed_workflow_that_is_released_has_begun(void **state)
{
    struct test_schedule w = flow(every(SPAN_H));

    (void)state;
    world.call_length = INSTANT_NEVER;
    w.draft.plan.policies.start_within = SPAN_MIN;
    w.draft.plan.policies.max_run_time = 30 * SPAN_MIN;
    create("job", w);
    run_to("01:00");
    confirm("01:00");
    world.capacity = 0;
    run_to("01:05");
    assert_int_equal(report(call_of("01:00"), REPORT_RELEASE, OUTCOME_NONE), RC_OK);
    run_to("01:10");
    assert_history("job", ""); /* startWithin has passed since 01:01 */
    world.capacity = CAPACITY;
    run_to("01:11");
    assert_at(call_of("01:00")->work.run.started_at, "01:00");
    assert_at(call_of("01:00")->work.deadline, "01:30");
    assert_string_equal(call_of("01:00")->work.run.progress.ptr, CONFIRMED);
}

/* Confirms the start, and gives the place back. */
static void follow(const char *slot)
{
    const struct call *call = call_of(slot);
    struct report report = make_report(call, REPORT_ALIVE, OUTCOME_NONE);

    report.progress = STR(CONFIRMED);
    report.is_followed = true;
    assert_int_equal(send_report(call, &report), RC_OK);
}

/* The attempt goes on: nothing was lost, and its limits are those of the first start. */
static void a_followed_workflow_survives_its_node(void **state)
{
    struct test_schedule w = flow(every(SPAN_H));
    int64_t fence;

    (void)state;
    world.call_length = INSTANT_NEVER;
    w.draft.plan.policies.max_run_time = 30 * SPAN_MIN;
    w.draft.plan.policies.at_most_once = true;
    create("job", w);
    run_to("01:00");
    follow("01:00");
    fence = call_of("01:00")->work.run.fence;
    node_kill(&world.nodes[0]);
    node_boot(&world.nodes[0]);
    run_to("01:01");
    assert_history("job", "");
    assert_int_equal(call_of("01:00")->work.run.fence, fence + 1);
    assert_int_equal(call_of("01:00")->work.run.attempt, 1);
    assert_int_equal(call_of("01:00")->work.run.losses, 0);
    assert_at(call_of("01:00")->work.deadline, "01:30");
    assert_string_equal(call_of("01:00")->work.run.progress.ptr, CONFIRMED);
    end_now(call_of("01:00"), OUTCOME_SUCCEEDED);
    assert_history("job", "01:00 succeeded");
}

/* Its lost start is looked up by the next attempt, as before. */
static void a_workflow_that_is_not_followed_yet_is_lost_with_its_node(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("job", flow(every(SPAN_H)));
    run_to("01:00");
    node_kill(&world.nodes[0]);
    node_boot(&world.nodes[0]);
    run_to("01:01");
    assert_int_equal(call_of("01:00")->work.run.losses, 1);
}

/* A batch leaves places for starts, and waits while there is none. */
static void followed_workflows_are_adopted_in_batches(void **state)
{
    struct test_schedule w = flow(every(10 * SPAN_MIN));

    (void)state;
    world.call_length = INSTANT_NEVER;
    create("job", w);
    run_to("01:00");
    for (int i = 0; i < world.call_count; i++) {
        struct report report = make_report(&world.calls[i], REPORT_ALIVE, OUTCOME_NONE);

        report.progress = STR(CONFIRMED);
        report.is_followed = true;
        assert_int_equal(send_report(&world.calls[i], &report), RC_OK);
    }
    assert_int_equal(count_calls(), 6);
    node_kill(&world.nodes[0]);
    world.capacity = 0;
    node_boot(&world.nodes[0]);
    run_to("01:01");
    assert_int_equal(count_calls(), 0);
    world.capacity = 5;
    turn(&world.nodes[0]);
    assert_int_equal(count_calls(), 3);
    world.capacity = CAPACITY;
    run_to("01:02");
    assert_int_equal(count_calls(), 3);
    assert_history("job", "");
}

/* The request to stop it is repeated: the workflow may not have got it. */
static void a_cancelled_workflow_is_cancelled_again_after_a_restart(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("job", flow(every(SPAN_H)));
    run_to("01:00");
    follow("01:00");
    assert_int_equal(submit_run(COMMAND_CANCEL, run_of("job", "01:00")).rc, RC_OK);
    assert_true(call_of("01:00")->is_stopping);
    node_kill(&world.nodes[0]);
    node_boot(&world.nodes[0]);
    run_to("01:01");
    assert_history("job", "");
    assert_true(call_of("01:00")->is_stopping);
    end_now(call_of("01:00"), OUTCOME_CANCELLED);
    assert_history("job", "01:00 cancelled(user)");
}

static struct test_schedule in_order(struct test_schedule w)
{
    w = flow(w);
    w.draft.plan.policies.catchup = CATCHUP_ALL;
    w.draft.plan.policies.gate = STR("start:job");
    w.draft.plan.policies.gate_limit = 1;
    w.draft.plan.policies.gate_until_started = true;
    return w;
}

static void a_gate_until_started_orders_the_starts(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("job", in_order(every(SPAN_H)));
    down_to("03:30");
    run_to("03:30");
    assert_calls("01:00@03:30");
    confirm("01:00");
    settle();
    assert_calls("02:00@03:30");
    refuse("02:00"); /* an answer, too */
    settle();
    assert_calls("03:00@03:30");
    assert_int_equal(run_rows("job"), 2); /* the workflow of 01:00 still runs */
    end_now(call_of("01:00"), OUTCOME_SUCCEEDED);
    confirm("03:00");
    end_now(call_of("03:00"), OUTCOME_SUCCEEDED);
    assert_int_equal(run_rows("job"), 0);
    run_to("04:00");
    assert_calls("04:00@04:00");
}

/* The confirmation and the end are in the same turn, or the id was never reported. */
static void a_workflow_that_ends_at_once_leaves_its_gate_once(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("job", in_order(every(SPAN_H)));
    down_to("02:30");
    run_to("02:30");
    end_now(call_of("01:00"), OUTCOME_SUCCEEDED);
    settle();
    assert_calls("01:00@02:30, 02:00@02:30");
}

/* The start of the dead node comes first again. */
static void a_lost_start_keeps_its_place_in_the_order(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("job", in_order(every(SPAN_H)));
    down_to("02:30");
    run_to("02:30");
    assert_int_equal(report(call_of("01:00"), REPORT_LOST, OUTCOME_NONE), RC_OK);
    settle();
    assert_calls("01:00@02:30, 01:00#2@02:30");
    confirm("01:00");
    settle();
    assert_calls("02:00@02:30");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(a_workflow_that_was_not_started_does_not_pause_its_schedule),
        TIMELINE(a_workflow_that_was_not_started_takes_a_remaining_run),
        TIMELINE(a_followed_workflow_that_is_released_has_begun),
        TIMELINE(a_followed_workflow_survives_its_node),
        TIMELINE(a_workflow_that_is_not_followed_yet_is_lost_with_its_node),
        TIMELINE(followed_workflows_are_adopted_in_batches),
        TIMELINE(a_cancelled_workflow_is_cancelled_again_after_a_restart),
        TIMELINE(a_gate_until_started_orders_the_starts),
        TIMELINE(a_workflow_that_ends_at_once_leaves_its_gate_once),
        TIMELINE(a_lost_start_keeps_its_place_in_the_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
