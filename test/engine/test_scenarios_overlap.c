/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scenarios 1 to 20 of Temporal's schedules: first actions and overlap.
 *
 * The scenarios are 72 timelines that describe how Temporal's schedules behave.  The number of
 * a scenario is in the name of its test; a comment says where Belfry differs from Temporal.
 */
#include "harness.h"

static void scenario_01_first_action(void **state)
{
    const struct assignment *work;

    (void)state;
    create("myid", temporal(every(55 * SPAN_MIN)));
    run_to("00:20");
    assert_calls("00:15@00:15");
    work = &call_of("00:15")->work;
    assert_int_equal(work->last_result.len, 0);
    assert_int_equal(work->last_failure.len, 0);
    assert_int_equal(work->run.attempt, 1);
    assert_history("myid", "00:15 succeeded");
}

static void scenario_02_initial_trigger(void **state)
{
    struct test_schedule w = temporal(every(55 * SPAN_MIN));

    (void)state;
    w.draft.trigger = true;
    ends("00:00", "00:10", OUTCOME_SUCCEEDED);
    create("myid", w);
    assert_calls("t00:00@00:00");
    run_to("00:20");
    assert_calls("00:15@00:15");
}

/* The codec decides that an initial unpause creates an unpaused schedule. */
static void scenario_03_initial_pause(void **state)
{
    struct command command = command_for(COMMAND_CREATE, "myid");
    struct test_schedule w = temporal(every(5 * SPAN_MIN));
    struct reply reply;

    (void)state;
    w.draft.is_paused = true;
    command.save.reason = STR("maintenance");
    command.save.draft = draft_of(&w);
    reply = submit(&command);
    assert_int_equal(reply.rc, RC_OK);
    assert_int_equal(reply.version, 1);
    assert_true(cursor_of("myid").flags & CURSOR_PAUSED);
    assert_string_equal(row_of("myid").reason.ptr, "maintenance");
    run_to("00:06");
    assert_calls("");
}

static void scenario_04_creation_is_not_retroactive(void **state)
{
    (void)state;
    run_to("00:07");
    create("myid", temporal(every(5 * SPAN_MIN)));
    assert_calls("");
    run_to("00:12");
    assert_calls("00:10@00:10");
    assert_ledger("myid", "");
    assert_counts("myid", "started 1");
}

static void scenario_05_overlap_skip(void **state)
{
    (void)state;
    ends("00:05", "00:12", OUTCOME_SUCCEEDED);
    create("myid", temporal(every(5 * SPAN_MIN)));
    run_to("00:11");
    assert_calls("00:05@00:05");
    assert_counts("myid", "started 1, skipped 1, open 1");
    run_to("00:16");
    assert_calls("00:15@00:15");
    assert_ledger("myid", "skipped(overlap) 00:10");
}

static void scenario_06_overlap_buffer_one(void **state)
{
    (void)state;
    ends("00:05", "00:27", OUTCOME_SUCCEEDED);
    ends("00:10", "00:29", OUTCOME_SUCCEEDED);
    create("myid", overlapping(temporal(every(5 * SPAN_MIN)), OVERLAP_BUFFER_ONE));
    run_to("00:11");
    assert_counts("myid", "started 1, open 1, waiting 1");
    run_to("00:16");
    assert_counts("myid", "started 1, skipped 1, open 1, waiting 1");
    run_to("00:26");
    assert_counts("myid", "started 1, skipped 3, open 1, waiting 1");
    run_to("00:31");
    assert_calls("00:05@00:05, 00:10@00:27, 00:30@00:30");
    assert_counts("myid", "started 3, skipped 3");
    assert_ledger("myid", "skipped(overlap) 00:15-00:25 x3");
}

static void scenario_07_buffer_one_keeps_the_same_entry(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("myid", overlapping(temporal(every(SPAN_S)), OVERLAP_BUFFER_ONE));
    run_to("00:00:10");
    assert_calls("00:00:01@00:00:01");
    assert_counts("myid", "started 1, skipped 8, open 1, waiting 1");
    end_now(call_of("00:00:01"), OUTCOME_SUCCEEDED);
    assert_calls("00:00:02@00:00:10");
}

static void scenario_08_overlap_buffer_all(void **state)
{
    (void)state;
    ends("00:05", "00:17", OUTCOME_SUCCEEDED);
    ends("00:10", "00:19", OUTCOME_SUCCEEDED);
    ends("00:15", "00:22", OUTCOME_SUCCEEDED);
    ends("00:20", "00:23", OUTCOME_SUCCEEDED);
    create("myid", overlapping(temporal(every(5 * SPAN_MIN)), OVERLAP_BUFFER_ALL));
    run_to("00:16");
    assert_counts("myid", "started 1, open 1, waiting 2");
    run_to("00:26");
    assert_calls("00:05@00:05, 00:10@00:17, 00:15@00:19, 00:20@00:22, 00:25@00:25");
    assert_counts("myid", "started 5");
}

/* One turn gets the end of a run and a command that names a later waiting run. */
static void a_waiting_run_named_by_a_command_does_not_start_first(void **state)
{
    (void)state;
    ends("00:05", "00:22", OUTCOME_SUCCEEDED);
    create("myid", overlapping(temporal(every(5 * SPAN_MIN)), OVERLAP_BUFFER_ALL));
    run_to("00:21");
    assert_calls("00:05@00:05");
    assert_counts("myid", "started 1, open 1, waiting 3");
    world.now = when("00:22");
    assert_int_equal(submit_run(COMMAND_REJECT, run_of("myid", "00:20")).rc, RC_CONFLICT);
    assert_calls("00:10@00:22, 00:15@00:22, 00:20@00:22");
}

/* With catchup.whilePaused: waiting slots may start after the pause. */
static struct test_schedule kept_over_a_pause(enum overlap overlap)
{
    struct test_schedule w = overlapping(temporal(every(5 * SPAN_MIN)), overlap);

    w.draft.plan.policies.catchup_paused = true;
    return w;
}

/* One turn gets the pause and a slot that was due before it; one slot waits already. */
static void under_buffer_one_a_second_slot_due_at_a_pause_is_skipped(void **state)
{
    (void)state;
    ends("00:05", "00:20", OUTCOME_SUCCEEDED);
    create("myid", kept_over_a_pause(OVERLAP_BUFFER_ONE));
    run_to("00:11");
    assert_counts("myid", "started 1, open 1, waiting 1");
    world.now = when("00:15");
    pause_it("myid", "maintenance");
    assert_counts("myid", "started 1, skipped 1, open 1, waiting 1");
    assert_ledger("myid", "skipped(overlap) 00:15");
    run_to("00:22");
    assert_calls("00:05@00:05");
    resume("myid");
    assert_calls("00:10@00:22, 00:20@00:22");
}

static void under_buffer_one_a_second_slot_due_at_a_disable_is_skipped(void **state)
{
    struct test_schedule w = kept_over_a_pause(OVERLAP_BUFFER_ONE);

    (void)state;
    ends("00:05", "00:20", OUTCOME_SUCCEEDED);
    create("myid", w);
    run_to("00:11");
    world.now = when("00:15");
    w.draft.is_disabled = true;
    assert_int_equal(update("myid", 1, w).rc, RC_OK);
    assert_counts("myid", "started 1, skipped 1, open 1, waiting 1");
    assert_ledger("myid", "skipped(overlap) 00:15");
    run_to("00:22");
    assert_calls("00:05@00:05");
}

/* The turn also gets the end of the open run: the slot that waits longest starts. */
static void a_slot_due_at_a_pause_does_not_start_before_an_older_one(void **state)
{
    (void)state;
    ends("00:05", "00:15", OUTCOME_SUCCEEDED);
    ends("00:10", "00:20", OUTCOME_SUCCEEDED);
    create("myid", kept_over_a_pause(OVERLAP_BUFFER_ALL));
    run_to("00:11");
    assert_counts("myid", "started 1, open 1, waiting 1");
    world.now = when("00:15");
    pause_it("myid", "maintenance");
    assert_calls("00:05@00:05, 00:10@00:15");
    assert_counts("myid", "started 2, open 1, waiting 1");
    run_to("00:22");
    assert_calls("");
    resume("myid");
    assert_calls("00:15@00:22, 00:20@00:22");
}

/* The slot was due before the pause and starts; a later start in that turn ends its run. */
static void a_run_of_this_turn_is_ended_for_another(enum overlap overlap, const char *history)
{
    struct command commands[] = {command_for(COMMAND_PAUSE, "myid"),
                                 command_for(COMMAND_TRIGGER, "myid")};
    enum rc rc[2];

    commands[1].start.overlap = overlap;
    create("myid", kept_over_a_pause(OVERLAP_SKIP));
    world.now = when("00:05");
    submit_together(commands, 2, rc);
    assert_int_equal(rc[0], RC_OK);
    assert_int_equal(rc[1], RC_OK);
    assert_calls("t00:05@00:05");
    assert_counts("myid", "started 2");
    assert_history("myid", history);
}

static void a_run_created_in_this_turn_is_terminated_for_another(void **state)
{
    (void)state;
    a_run_of_this_turn_is_ended_for_another(OVERLAP_TERMINATE_OTHER,
                                            "00:05 terminated(other), t00:05 succeeded");
}

static void a_run_created_in_this_turn_is_cancelled_for_another(void **state)
{
    (void)state;
    a_run_of_this_turn_is_ended_for_another(OVERLAP_CANCEL_OTHER,
                                            "00:05 cancelled(other), t00:05 succeeded");
}

static struct test_schedule buffered(int32_t limit)
{
    struct test_schedule w = overlapping(temporal(every(5 * SPAN_MIN)), OVERLAP_BUFFER_ALL);

    w.draft.plan.policies.buffer_limit = limit;
    return w;
}

static void scenario_09_buffer_limit(void **state)
{
    (void)state;
    ends("00:05", "00:22", OUTCOME_SUCCEEDED);
    ends("00:10", "00:23", OUTCOME_SUCCEEDED);
    ends("00:15", "00:24", OUTCOME_SUCCEEDED);
    create("myid", buffered(2));
    run_to("00:20:30");
    assert_counts("myid", "started 1, dropped 1, open 1, waiting 2");
    run_to("00:26");
    assert_calls("00:05@00:05, 00:10@00:22, 00:15@00:23, 00:25@00:25");
    assert_counts("myid", "started 4, dropped 1");
    assert_ledger("myid", "dropped(buffer) 00:20");
}

static void scenario_10_buffer_limit_of_several_due_at_once(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("myid", buffered(2));
    run_to("00:05");
    down_to("00:30");
    assert_counts("myid", "started 1, dropped 3, open 1, waiting 2");
    assert_ledger("myid", "dropped(buffer) 00:20-00:30 x3");
    assert_at(cursor_of("myid").mark, "00:30");
    down_to("00:40");
    assert_counts("myid", "started 1, dropped 5, open 1, waiting 2");
    assert_ledger("myid", "dropped(buffer) 00:20-00:40 x5");
    assert_at(cursor_of("myid").mark, "00:40");
}

static void scenario_10_no_limit(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("myid", buffered(0));
    run_to("00:05");
    down_to("00:30");
    assert_counts("myid", "started 1, open 1, waiting 5");
}

static void scenario_11_overlap_cancel_other(void **state)
{
    (void)state;
    ends("00:15", "01:10:15", OUTCOME_CANCELLED);
    create("myid", overlapping(temporal(every(55 * SPAN_MIN)), OVERLAP_CANCEL_OTHER));
    run_to("01:10:10");
    assert_calls("00:15@00:15, cancel 00:15@01:10");
    assert_counts("myid", "started 1, open 1, waiting 1");
    run_to("01:11");
    assert_calls("01:10@01:10:15");
    assert_history("myid", "00:15 cancelled(other), 01:10 succeeded");
}

/*
 * Temporal starts the new run when it has seen the old one close, a second later.  Here the
 * engine ends a terminated run at once (row 32 of docs/mission.md).
 */
static void scenario_12_overlap_terminate_other_starts_at_once(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("myid", overlapping(temporal(every(55 * SPAN_MIN)), OVERLAP_TERMINATE_OTHER));
    run_to("01:11");
    assert_calls("00:15@00:15, terminate 00:15@01:10, 01:10@01:10");
    assert_counts("myid", "started 2, open 1");
    assert_history("myid", "00:15 terminated(other)");
}

static void scenario_13_overlap_allow_all(void **state)
{
    (void)state;
    ends("00:05", "00:27", OUTCOME_SUCCEEDED);
    ends("00:10", "00:11", OUTCOME_SUCCEEDED);
    ends("00:15", "00:22", OUTCOME_SUCCEEDED);
    ends("00:20", "00:29", OUTCOME_SUCCEEDED);
    create("myid", overlapping(temporal(every(5 * SPAN_MIN)), OVERLAP_ALLOW_ALL));
    run_to("00:21");
    assert_calls("00:05@00:05, 00:10@00:10, 00:15@00:15, 00:20@00:20");
    assert_counts("myid", "started 4, open 3");
}

static void scenario_14_allow_all_carries_no_history(void **state)
{
    (void)state;
    ends_with("00:05", "00:06", OUTCOME_SUCCEEDED, "\"res1\"");
    ends_with("00:10", "00:11", OUTCOME_FAILED, "oops");
    create("myid", overlapping(temporal(every(5 * SPAN_MIN)), OVERLAP_ALLOW_ALL));
    run_to("00:15");
    assert_calls("00:05@00:05, 00:10@00:10, 00:15@00:15");
    assert_int_equal(call_of("00:10")->work.last_result.len, 0);
    assert_int_equal(call_of("00:15")->work.last_result.len, 0);
    assert_int_equal(call_of("00:15")->work.last_failure.len, 0);
}

static void trigger_as(const char *name, enum overlap overlap)
{
    struct command command = command_for(COMMAND_TRIGGER, name);

    command.start.overlap = overlap;
    (void)submit(&command); /* the counters show the decision */
}

static void scenario_15_mixed_buffer(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("myid", temporal(every(55 * SPAN_MIN)));
    run_to("00:16");
    trigger_as("myid", OVERLAP_SKIP);
    run_to("00:17");
    trigger_as("myid", OVERLAP_BUFFER_ONE);
    run_to("00:18");
    trigger_as("myid", OVERLAP_DEFAULT);
    run_to("00:19");
    trigger_as("myid", OVERLAP_DEFAULT);
    assert_calls("00:15@00:15");
    assert_counts("myid", "started 1, skipped 3, open 1, waiting 1");
    end_now(call_of("00:15"), OUTCOME_SUCCEEDED);
    assert_calls("t00:17@00:19");
}

/*
 * In Temporal replaced starts vanish.  Here they have an outcome like all slots, and the
 * counters include it (docs/semantics.md [P-2]).
 */
static void scenario_16_several_cancel_starts_while_idle(void **state)
{
    (void)state;
    create("myid", overlapping(temporal(every(5 * SPAN_MIN)), OVERLAP_CANCEL_OTHER));
    down_to("00:16");
    assert_calls("00:15@00:16");
    assert_counts("myid", "started 1, skipped 2");
    assert_ledger("myid", "skipped(overlap) 00:05-00:10 x2");
}

static void scenario_16_several_terminate_starts_while_idle(void **state)
{
    (void)state;
    create("myid", overlapping(temporal(every(5 * SPAN_MIN)), OVERLAP_TERMINATE_OTHER));
    down_to("00:16");
    assert_calls("00:15@00:16");
    assert_counts("myid", "started 1, skipped 2");
}

static void scenario_17_several_cancel_starts_while_running(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("myid", overlapping(temporal(every(5 * SPAN_MIN)), OVERLAP_CANCEL_OTHER));
    run_to("00:05");
    down_to("00:21");
    assert_calls("00:05@00:05, cancel 00:05@00:21");
    assert_counts("myid", "started 1, open 1, waiting 3");
    end_now(call_of("00:05"), OUTCOME_CANCELLED);
    assert_calls("00:20@00:21");
    assert_counts("myid", "started 2, skipped 2, open 1");
    /* Each slot that has waited has its own row. */
    assert_ledger("myid", "skipped(overlap) 00:10, skipped(overlap) 00:15");
}

static void scenario_18_deferred_start_expires(void **state)
{
    struct test_schedule w = overlapping(temporal(every(55 * SPAN_MIN)), OVERLAP_BUFFER_ONE);

    (void)state;
    w.draft.plan.policies.catchup_window = 10 * SPAN_MIN;
    ends("00:15", "01:25", OUTCOME_SUCCEEDED);
    create("myid", w);
    run_to("02:06");
    assert_calls("00:15@00:15, 02:05@02:05");
    assert_counts("myid", "started 2, missed 1");
    assert_ledger("myid", "missed(window) 01:10");
}

/* Scenario 19 has a paused workflow; here it is an open run that does not report. */
static void check_silent_run(enum overlap overlap, const char *expected, const char *counts)
{
    world.call_length = INSTANT_NEVER;
    create(overlap_text(overlap), overlapping(temporal(every(5 * SPAN_MIN)), overlap));
    run_to("00:17");
    assert_calls(expected);
    assert_counts(overlap_text(overlap), counts);
}

static void scenario_19_a_silent_run_keeps_the_slot_under_skip(void **state)
{
    (void)state;
    check_silent_run(OVERLAP_SKIP, "00:05@00:05", "started 1, skipped 2, open 1");
}

static void scenario_19_a_silent_run_keeps_the_slot_under_buffer_one(void **state)
{
    (void)state;
    check_silent_run(OVERLAP_BUFFER_ONE, "00:05@00:05",
                     "started 1, skipped 1, open 1, waiting 1");
}

static void scenario_19_a_silent_run_keeps_the_slot_under_buffer_all(void **state)
{
    (void)state;
    check_silent_run(OVERLAP_BUFFER_ALL, "00:05@00:05", "started 1, open 1, waiting 2");
}

static void scenario_19_a_silent_run_keeps_the_slot_under_cancel_other(void **state)
{
    (void)state;
    check_silent_run(OVERLAP_CANCEL_OTHER, "00:05@00:05, cancel 00:05@00:10",
                     "started 1, open 1, waiting 2");
}

static void scenario_19_allow_all_keeps_going(void **state)
{
    (void)state;
    check_silent_run(OVERLAP_ALLOW_ALL, "00:05@00:05, 00:10@00:10, 00:15@00:15",
                     "started 3, open 3");
}

static void scenario_19_terminate_other_keeps_going(void **state)
{
    (void)state;
    check_silent_run(OVERLAP_TERMINATE_OTHER,
                     "00:05@00:05, terminate 00:05@00:10, 00:10@00:10, terminate 00:10@00:15, "
                     "00:15@00:15",
                     "started 3, open 1");
}

static void scenario_20_retries_are_one_run(void **state)
{
    struct test_schedule w = temporal(every(5 * SPAN_MIN));

    (void)state;
    w.draft.plan.policies.retry = (struct retry_policy){
        .attempts = 3, .backoff = BACKOFF_FIXED, .delay = 2 * SPAN_MIN, .max = SPAN_H};
    ends("00:05", "00:06", OUTCOME_FAILED);
    ends("00:05", "00:12", OUTCOME_SUCCEEDED);
    create("myid", w);
    run_to("00:11");
    assert_counts("myid", "started 1, skipped 1, open 1");
    run_to("00:16");
    assert_calls("00:05@00:05, 00:05#2@00:08, 00:15@00:15");
    assert_history("myid", "00:05 failed(target) retried, 00:05#2 succeeded, 00:15 succeeded");
    assert_counts("myid", "started 2, skipped 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(scenario_01_first_action),
        TIMELINE(scenario_02_initial_trigger),
        TIMELINE(scenario_03_initial_pause),
        TIMELINE(scenario_04_creation_is_not_retroactive),
        TIMELINE(scenario_05_overlap_skip),
        TIMELINE(scenario_06_overlap_buffer_one),
        TIMELINE(scenario_07_buffer_one_keeps_the_same_entry),
        TIMELINE(scenario_08_overlap_buffer_all),
        TIMELINE(a_waiting_run_named_by_a_command_does_not_start_first),
        TIMELINE(under_buffer_one_a_second_slot_due_at_a_pause_is_skipped),
        TIMELINE(under_buffer_one_a_second_slot_due_at_a_disable_is_skipped),
        TIMELINE(a_slot_due_at_a_pause_does_not_start_before_an_older_one),
        TIMELINE(a_run_created_in_this_turn_is_terminated_for_another),
        TIMELINE(a_run_created_in_this_turn_is_cancelled_for_another),
        TIMELINE(scenario_09_buffer_limit),
        TIMELINE(scenario_10_buffer_limit_of_several_due_at_once),
        TIMELINE(scenario_10_no_limit),
        TIMELINE(scenario_11_overlap_cancel_other),
        TIMELINE(scenario_12_overlap_terminate_other_starts_at_once),
        TIMELINE(scenario_13_overlap_allow_all),
        TIMELINE(scenario_14_allow_all_carries_no_history),
        TIMELINE(scenario_15_mixed_buffer),
        TIMELINE(scenario_16_several_cancel_starts_while_idle),
        TIMELINE(scenario_16_several_terminate_starts_while_idle),
        TIMELINE(scenario_17_several_cancel_starts_while_running),
        TIMELINE(scenario_18_deferred_start_expires),
        TIMELINE(scenario_19_a_silent_run_keeps_the_slot_under_skip),
        TIMELINE(scenario_19_a_silent_run_keeps_the_slot_under_buffer_one),
        TIMELINE(scenario_19_a_silent_run_keeps_the_slot_under_buffer_all),
        TIMELINE(scenario_19_a_silent_run_keeps_the_slot_under_cancel_other),
        TIMELINE(scenario_19_allow_all_keeps_going),
        TIMELINE(scenario_19_terminate_other_keeps_going),
        TIMELINE(scenario_20_retries_are_one_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
