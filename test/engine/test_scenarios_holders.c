/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs and their holders: leases, stops, limits, losses, gates and approval, beyond the
 * numbered scenarios and rows.
 */
#include "harness.h"
#include "store/named_objects.h"

static struct test_schedule pulled_hourly(void)
{
    return pulled(every(SPAN_H));
}

/* A worker holds the run of 01:00 from 01:00 on. */
static struct call *held_by_a_worker(struct test_schedule w)
{
    world.call_length = INSTANT_NEVER;
    down_to("00:59");
    world.tick = SPAN_S;
    create("job", w);
    poll_for("q", 1, "one");
    run_to("01:00");
    assert_calls("01:00@01:00");
    return call_of("01:00");
}

/* Sends a heartbeat every 30 seconds, while the worker holds the run. */
static void heartbeat_until(const char *text, const struct call *call)
{
    while (world.now + 30 * SPAN_S < when(text)) {
        run_until(world.now + 30 * SPAN_S);
        assert_int_equal(report(call, REPORT_ALIVE, OUTCOME_NONE), RC_OK);
    }
}

static void a_worker_learns_of_a_cancel_at_its_heartbeat(void **state)
{
    struct call *call;

    (void)state;
    call = held_by_a_worker(pulled_hourly());
    assert_int_equal(submit_run(COMMAND_CANCEL, run_of("job", "01:00")).rc, RC_OK);
    assert_int_equal(report(call, REPORT_ALIVE, OUTCOME_NONE), RC_OK);
    assert_true(world.last_report.is_cancelled);
    end_now(call, OUTCOME_CANCELLED);
    assert_history("job", "01:00 cancelled(user)");
}

/* The worker had finished before it learned of the cancel. */
static void a_run_that_succeeds_while_it_is_cancelled_has_succeeded(void **state)
{
    struct call *call;

    (void)state;
    call = held_by_a_worker(pulled_hourly());
    assert_int_equal(submit_run(COMMAND_CANCEL, run_of("job", "01:00")).rc, RC_OK);
    end_now(call, OUTCOME_SUCCEEDED);
    assert_history("job", "01:00 succeeded");
}

static void terminate_ends_a_workers_run_at_once(void **state)
{
    struct call *call;

    (void)state;
    call = held_by_a_worker(pulled_hourly());
    assert_int_equal(submit_run(COMMAND_TERMINATE, run_of("job", "01:00")).rc, RC_OK);
    assert_history("job", "01:00 terminated(user)");
    assert_int_equal(report(call, REPORT_ALIVE, OUTCOME_NONE), RC_CONFLICT);
    assert_int_equal(report(call, REPORT_DONE, OUTCOME_SUCCEEDED), RC_CONFLICT);
    assert_history("job", "01:00 terminated(user)");
    assert_int_equal(cursor_of("job").open, 0);
}

static struct reply cancel_unless_started(void)
{
    struct command command = command_for(COMMAND_CANCEL, "");

    command.run.id = run_of("job", "01:00");
    command.schedule = command.run.id.schedule;
    command.run.keeps_started = true;
    return submit(&command);
}

static void cancel_with_keeps_started_ends_a_run_that_has_not_begun(void **state)
{
    struct call *call;

    (void)state;
    call = held_by_a_worker(pulled_hourly());
    assert_int_equal(cancel_unless_started().rc, RC_OK);
    assert_history("job", "01:00 terminated(user)");
    assert_int_equal(report(call, REPORT_ALIVE, OUTCOME_NONE), RC_CONFLICT);
}

static void cancel_with_keeps_started_is_rejected_after_a_heartbeat(void **state)
{
    struct call *call;

    (void)state;
    call = held_by_a_worker(pulled_hourly());
    assert_int_equal(report(call, REPORT_ALIVE, OUTCOME_NONE), RC_OK);
    assert_int_equal(cancel_unless_started().rc, RC_CONFLICT);
    assert_int_equal(report(call, REPORT_ALIVE, OUTCOME_NONE), RC_OK);
    assert_false(world.last_report.is_cancelled);
    end_now(call, OUTCOME_SUCCEEDED);
    assert_history("job", "01:00 succeeded");
    assert_int_equal(cancel_unless_started().rc, RC_NOT_FOUND);
}

static void a_worker_may_ask_for_a_longer_lease(void **state)
{
    struct call *call;
    struct report sent;

    (void)state;
    call = held_by_a_worker(pulled_hourly());
    poll_for("q", 1, "two");
    sent = make_report(call, REPORT_ALIVE, OUTCOME_NONE);
    sent.extend = 10 * SPAN_MIN;
    assert_int_equal(send_report(call, &sent), RC_OK);
    assert_at(world.last_report.lease_until, "01:10");
    run_to("01:10:29");
    assert_calls("");
    run_to("01:10:31");
    assert_calls("01:00#2@01:10:30");
}

static void heartbeats_do_not_pass_the_hard_limit(void **state)
{
    struct test_schedule w = pulled_hourly();
    struct call *call;

    (void)state;
    w.draft.plan.policies.max_run_time = 5 * SPAN_MIN;
    call = held_by_a_worker(w);
    heartbeat_until("01:05", call);
    run_to("01:05:02");
    assert_int_equal(report(call, REPORT_ALIVE, OUTCOME_NONE), RC_CONFLICT);
    assert_history("job", "01:00 timedOut(maxRunTime)");
    assert_int_equal(cursor_of("job").open, 0);
}

static struct test_schedule limited_and_retried(span delay)
{
    struct test_schedule w = pulled_hourly();

    w.draft.plan.policies.max_run_time = 5 * SPAN_MIN;
    w.draft.plan.policies.retry = (struct retry_policy){
        .attempts = 9, .backoff = BACKOFF_FIXED, .delay = delay, .max = SPAN_H};
    return w;
}

static void the_hard_limit_counts_all_attempts(void **state)
{
    (void)state;
    ends("01:00", "01:01", OUTCOME_FAILED);
    held_by_a_worker(limited_and_retried(2 * SPAN_MIN));
    poll_for("q", 1, "two");
    run_to("01:03");
    assert_calls("01:00#2@01:03");
    run_to("01:04:20");
    assert_int_equal(report(call_of("01:00"), REPORT_ALIVE, OUTCOME_NONE), RC_OK);
    run_to("01:05:01");
    assert_history("job", "01:00 failed(target) retried, 01:00#2 timedOut(maxRunTime)");
}

/* An attempt that could only begin after the limit does not start. */
static void no_attempt_begins_after_the_hard_limit(void **state)
{
    (void)state;
    ends("01:00", "01:04", OUTCOME_FAILED);
    heartbeat_until("01:04", held_by_a_worker(limited_and_retried(2 * SPAN_MIN)));
    poll_for("q", 1, "two");
    run_to("01:10");
    assert_calls("");
    assert_int_equal(cursor_of("job").open, 0);
    assert_int_equal(cursor_of("job").failed, 1);
}

static void an_attempt_of_a_worker_times_out(void **state)
{
    struct test_schedule w = pulled_hourly();
    struct call *call;

    (void)state;
    w.draft.plan.policies.timeout = SPAN_MIN;
    call = held_by_a_worker(w);
    run_to("01:00:50");
    assert_int_equal(report(call, REPORT_ALIVE, OUTCOME_NONE), RC_OK);
    run_to("01:01:02");
    assert_history("job", "01:00 timedOut(timeout)");
    assert_int_equal(report(call, REPORT_DONE, OUTCOME_SUCCEEDED), RC_CONFLICT);
}

static void an_at_most_once_run_is_not_sent_again_after_its_lease(void **state)
{
    struct test_schedule w = pulled_hourly();

    (void)state;
    w.draft.plan.policies.at_most_once = true;
    w.draft.plan.policies.retry.attempts = 3;
    held_by_a_worker(w);
    poll_for("q", 1, "two");
    run_to("01:10");
    assert_calls("");
    assert_history("job", "01:00 unknown(lease)");
}

static void a_run_that_nobody_begins_times_out(void **state)
{
    struct test_schedule w = pulled_hourly();

    (void)state;
    w.draft.plan.policies.start_within = 5 * SPAN_MIN;
    create("job", w);
    run_to("01:04:59");
    assert_int_equal(cursor_of("job").open, 1);
    run_to("01:05:01");
    assert_int_equal(cursor_of("job").open, 0);
    poll_for("q", 1, "one");
    assert_calls("");
    assert_history("job", "01:00 timedOut(startWithin)");
    assert_counts("job", "started 1, failed 1");
}

static void a_permanent_failure_is_not_tried_again(void **state)
{
    struct test_schedule w = every(SPAN_H);
    struct report sent;

    (void)state;
    world.call_length = INSTANT_NEVER;
    w.draft.plan.policies.retry.attempts = 5;
    create("job", w);
    run_to("01:00");
    sent = make_report(call_of("01:00"), REPORT_DONE, OUTCOME_FAILED);
    sent.error = STR("404");
    assert_int_equal(send_report(call_of("01:00"), &sent), RC_OK);
    call_of("01:00")->is_open = false;
    run_to("01:30");
    assert_calls("01:00@01:00");
    assert_history("job", "01:00 failed(target)");
}

static void retry_after_of_a_report_delays_the_next_attempt(void **state)
{
    struct test_schedule w = every(SPAN_H);
    struct report sent;

    (void)state;
    world.call_length = INSTANT_NEVER;
    w.draft.plan.policies.retry.attempts = 5;
    create("job", w);
    run_to("01:00");
    sent = make_report(call_of("01:00"), REPORT_DONE, OUTCOME_FAILED);
    sent.is_retryable = true;
    sent.retry_after = 7 * SPAN_MIN;
    assert_int_equal(send_report(call_of("01:00"), &sent), RC_OK);
    call_of("01:00")->is_open = false;
    run_to("01:30");
    assert_calls("01:00@01:00, 01:00#2@01:07");
}

static void cancel_while_it_waits_for_its_next_attempt(void **state)
{
    struct test_schedule w = every(SPAN_H);

    (void)state;
    w.draft.plan.policies.retry = (struct retry_policy){
        .attempts = 5, .backoff = BACKOFF_FIXED, .delay = SPAN_MIN, .max = SPAN_H};
    ends("01:00", "01:00", OUTCOME_FAILED);
    create("job", w);
    run_to("01:00:30");
    assert_int_equal(submit_run(COMMAND_CANCEL, run_of("job", "01:00")).rc, RC_OK);
    run_to("01:10");
    assert_calls("01:00@01:00");
    assert_int_equal(cursor_of("job").open, 0);
    assert_int_equal(cursor_of("job").last_outcome, OUTCOME_CANCELLED);
}

static void a_run_that_waits_for_approval_is_open(void **state)
{
    struct test_schedule w = every(SPAN_H);

    (void)state;
    w.draft.plan.policies.approval = true;
    create("job", w);
    run_to("02:30");
    assert_counts("job", "started 1, skipped 1, open 1");
    assert_int_equal(submit_run(COMMAND_CANCEL, run_of("job", "01:00")).rc, RC_OK);
    assert_history("job", "01:00 cancelled(user)");
    run_to("03:00");
    assert_counts("job", "started 2, skipped 1, open 1");
    assert_calls("");
}

static struct gate gate_of(const char *name)
{
    struct db *db = world.nodes[0].db;
    struct db_result found = {0}, row = {0};
    struct gate gate;
    struct err err;

    gates_find(db, world.namespace, str_of(name), &found);
    assert_int_equal(db_flush(db, world.arena, &err), RC_OK);
    gates_lock(db, db_int_at(&found, 0, 0), &row);
    assert_int_equal(db_flush(db, world.arena, &err), RC_OK);
    gates_read(&row, 0, &gate);
    return gate;
}

static struct test_schedule behind_gate(struct test_schedule w, int32_t limit)
{
    w.draft.plan.policies.gate = STR("db");
    w.draft.plan.policies.gate_limit = limit;
    return w;
}

static struct test_schedule gated(int32_t limit)
{
    return behind_gate(overlapping(every(SPAN_H), OVERLAP_ALLOW_ALL), limit);
}

static void assert_gate(int64_t open, int64_t waiting)
{
    assert_int_equal(gate_of("db").open, open);
    assert_int_equal(gate_of("db").waiting, waiting);
}

static void a_higher_limit_of_a_gate_admits_waiting_runs(void **state)
{
    struct command command = command_for(COMMAND_GATE, "db");

    (void)state;
    world.call_length = INSTANT_NEVER;
    create("one", gated(1));
    create("two", gated(1));
    create("three", gated(1));
    run_to("01:00");
    assert_int_equal(calls_open(), 1);
    command.limit = 2;
    assert_int_equal(submit(&command).rc, RC_OK);
    run_to("01:00:02");
    assert_int_equal(calls_open(), 2);
    assert_int_equal(gate_of("db").open, 2);
}

/* A worker that waits for the run may have polled at another node. */
static void other_nodes_are_notified_when_a_gate_admits_a_run(void **state)
{
    int before;

    (void)state;
    world.call_length = INSTANT_NEVER;
    create("one", behind_gate(once("01:00"), 1));
    create("two", pulled(behind_gate(once("01:30"), 1)));
    poll_for("q", 1, "w");
    run_to("01:30:02");
    assert_gate(1, 1);
    poll_none();
    before = world.ready_turns;
    end_now(call_of("01:00"), OUTCOME_SUCCEEDED);
    assert_gate(0, 0);
    assert_true(world.ready_turns > before);
}

/* Only the insert of the other schedule shows that the name is taken. */
static void a_rejected_create_does_not_change_the_limit_of_its_gate(void **state)
{
    struct command both[2] = {command_for(COMMAND_CREATE, "new"),
                              command_for(COMMAND_CREATE, "new")};
    struct test_schedule plain = every(24 * SPAN_H), wide = gated(2);
    enum rc codes[2];

    (void)state;
    world.call_length = INSTANT_NEVER;
    create("one", gated(1));
    create("two", gated(1));
    run_to("01:00");
    assert_gate(1, 1);
    both[0].save.draft = draft_of(&plain);
    both[1].save.draft = draft_of(&wide);
    submit_together(both, 2, codes);
    assert_int_equal(codes[0], RC_OK);
    assert_int_equal(codes[1], RC_CONFLICT);
    run_to("01:00:02");
    assert_int_equal(gate_of("db").most, 1);
    assert_gate(1, 1);
    assert_int_equal(calls_open(), 1);
}

static void the_last_command_of_a_turn_sets_the_limit_of_a_gate(void **state)
{
    struct command all[3] = {command_for(COMMAND_GATE, "db"),
                             command_for(COMMAND_CREATE, "two"),
                             command_for(COMMAND_GATE, "db")};
    struct test_schedule w = gated(3);
    enum rc codes[3];

    (void)state;
    create("one", gated(1));
    all[0].limit = all[2].limit = 2;
    all[1].save.draft = draft_of(&w);
    submit_together(all, 2, codes);
    assert_int_equal(codes[1], RC_OK);
    assert_int_equal(gate_of("db").most, 3);
    all[1].name = STR("three");
    submit_together(&all[1], 2, codes);
    assert_int_equal(codes[0], RC_OK);
    assert_int_equal(gate_of("db").most, 2);
}

static void a_run_that_waits_at_a_gate_can_be_cancelled_or_deleted(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    world.shows_names = true;
    create("one", gated(1));
    create("two", gated(1));
    create("three", gated(1));
    create("four", gated(1));
    run_to("01:00");
    assert_calls("one 01:00@01:00");
    assert_int_equal(submit_run(COMMAND_CANCEL, run_of("two", "01:00")).rc, RC_OK);
    submit_ok(COMMAND_DELETE, "three");
    world.call_length = 0;
    end_now(&world.calls[0], OUTCOME_SUCCEEDED);
    assert_calls("four 01:00@01:00");
    assert_gate(0, 0);
}

/* A run that waits for its next attempt does not occupy the gate. */
static void a_gate_is_left_between_attempts(void **state)
{
    struct test_schedule w = gated(1);

    (void)state;
    world.shows_names = true;
    w.draft.plan.policies.retry = (struct retry_policy){
        .attempts = 2, .backoff = BACKOFF_FIXED, .delay = 5 * SPAN_MIN, .max = SPAN_H};
    ends("01:00", "01:01", OUTCOME_FAILED);
    create("one", w);
    run_to("00:59");
    create("two", gated(1));
    run_to("01:30");
    assert_calls("one 01:00@01:00, two 01:00@01:01, one 01:00#2@01:06");
    assert_gate(0, 0);
}

static void a_terminated_run_leaves_its_gate(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("one", gated(1));
    run_to("01:00");
    assert_gate(1, 0);
    assert_int_equal(submit_run(COMMAND_TERMINATE, run_of("one", "01:00")).rc, RC_OK);
    assert_gate(0, 0);
}

static void a_run_keeps_its_gate_when_its_schedule_changes_it(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("one", gated(1));
    run_to("01:00");
    assert_int_equal(update("one", 0, every(SPAN_H)).rc, RC_OK);
    assert_gate(1, 0);
    end_now(call_of("01:00"), OUTCOME_SUCCEEDED);
    assert_gate(0, 0);
}

static void waiting_workers_are_answered_in_order_of_rank(void **state)
{
    struct test_schedule urgent = pulled_hourly();

    (void)state;
    world.shows_names = true;
    world.call_length = INSTANT_NEVER;
    urgent.draft.plan.policies.priority = 9;
    create("usual", pulled_hourly());
    create("urgent", urgent);
    run_to("01:00");
    poll_for("q", 1, "one");
    assert_calls("urgent 01:00@01:00");
    poll_for("q", 5, "two");
    assert_calls("usual 01:00@01:00");
}

static void runs_wait_while_a_node_can_make_no_calls(void **state)
{
    (void)state;
    world.capacity = 0;
    create("job", every(SPAN_H));
    run_to("01:10");
    assert_calls("");
    assert_counts("job", "started 1, open 1");
    world.capacity = 1;
    run_to("01:10:02");
    assert_int_equal(count_calls(), 1);
}

static void a_repeated_request_creates_one_direct_run(void **state)
{
    struct command command = command_for(COMMAND_DIRECT, "");
    struct test_schedule w = pulled(no_slots());
    struct reply first, second;

    (void)state;
    command.save.draft = draft_of(&w);
    command.request = STR("once");
    command.save.start.input = STR("{\"n\":1}");
    first = submit(&command);
    second = submit(&command);
    assert_int_equal(first.rc, RC_OK);
    assert_true(second.is_repeated);
    assert_int_equal(first.run.schedule, second.run.schedule);
    poll_for("q", 5, "one");
    assert_calls("d00:00@00:00");
    assert_string_equal(call_of("00:00")->work.run.input.ptr, "{\"n\":1}");
    assert_int_equal(calls_open(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(a_worker_learns_of_a_cancel_at_its_heartbeat),
        TIMELINE(a_run_that_succeeds_while_it_is_cancelled_has_succeeded),
        TIMELINE(terminate_ends_a_workers_run_at_once),
        TIMELINE(cancel_with_keeps_started_ends_a_run_that_has_not_begun),
        TIMELINE(cancel_with_keeps_started_is_rejected_after_a_heartbeat),
        TIMELINE(a_worker_may_ask_for_a_longer_lease),
        TIMELINE(heartbeats_do_not_pass_the_hard_limit),
        TIMELINE(the_hard_limit_counts_all_attempts),
        TIMELINE(no_attempt_begins_after_the_hard_limit),
        TIMELINE(an_attempt_of_a_worker_times_out),
        TIMELINE(an_at_most_once_run_is_not_sent_again_after_its_lease),
        TIMELINE(a_run_that_nobody_begins_times_out),
        TIMELINE(a_permanent_failure_is_not_tried_again),
        TIMELINE(retry_after_of_a_report_delays_the_next_attempt),
        TIMELINE(cancel_while_it_waits_for_its_next_attempt),
        TIMELINE(a_run_that_waits_for_approval_is_open),
        TIMELINE(a_higher_limit_of_a_gate_admits_waiting_runs),
        TIMELINE(other_nodes_are_notified_when_a_gate_admits_a_run),
        TIMELINE(a_rejected_create_does_not_change_the_limit_of_its_gate),
        TIMELINE(the_last_command_of_a_turn_sets_the_limit_of_a_gate),
        TIMELINE(a_run_that_waits_at_a_gate_can_be_cancelled_or_deleted),
        TIMELINE(a_gate_is_left_between_attempts),
        TIMELINE(a_terminated_run_leaves_its_gate),
        TIMELINE(a_run_keeps_its_gate_when_its_schedule_changes_it),
        TIMELINE(waiting_workers_are_answered_in_order_of_rank),
        TIMELINE(runs_wait_while_a_node_can_make_no_calls),
        TIMELINE(a_repeated_request_creates_one_direct_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
