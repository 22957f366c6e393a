/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows 67 to 97 and 115 to 124 of docs/mission.md: execution and retries.
 *
 * 79 is in test_doubt.c.  Tested in other layers: 80 (injected input: the codecs), 86 and 87
 * (http calls: io), 92 to 94 and 97 (fields inside a result, which the engine does not read).
 */
#include "core/run_id.h"
#include "harness.h"
#include "store/runs.h"

static void row_67_manual_trigger_now(void **state)
{
    struct command command = command_for(COMMAND_TRIGGER, "job");

    (void)state;
    create("job", every(SPAN_H));
    run_to("00:10");
    command.start.input = STR("{\"why\":\"now\"}");
    assert_int_equal(submit(&command).rc, RC_OK);
    assert_calls("t00:10@00:10");
    assert_string_equal(call_of("00:10")->work.run.input.ptr, "{\"why\":\"now\"}");
    assert_at(cursor_of("job").next_at, "01:00");
}

static void row_68_test_run_leaves_no_trace(void **state)
{
    struct command command = command_for(COMMAND_TEST, "job");
    struct cursor before, after;

    (void)state;
    create("job", governed(SPAN_H));
    pause_it("job", "x");
    run_to("00:10");
    before = cursor_of("job");
    ends("00:10", "00:11", OUTCOME_FAILED);
    assert_int_equal(submit(&command).rc, RC_OK);
    run_to("00:20");
    assert_calls("test 00:10@00:10");
    after = cursor_of("job");
    assert_int_equal(after.failures, 0);
    assert_int_equal(after.failed, 0);
    assert_int_equal(after.started, before.started);
    assert_true(after.next_at == before.next_at);
    assert_true(after.last_start == before.last_start);
    assert_history("job", "test 00:10 failed(target)");
}

static void row_69_backfill_of_a_past_range(void **state)
{
    (void)state;
    create("job", overlapping(every(SPAN_MIN), OVERLAP_SKIP));
    pause_it("job", "x");
    run_to("02:00");
    backfill("job", "00:01", "01:00", OVERLAP_BUFFER_ALL);
    assert_int_equal(count_calls(), 60);
    assert_counts("job", "started 60");
}

static void row_70_a_backfill_does_not_block_triggers_or_slots(void **state)
{
    (void)state;
    world.call_length = 50 * SPAN_S;
    create("job", overlapping(every(SPAN_H), OVERLAP_ALLOW_ALL));
    run_to("00:30");
    backfill("job", "05-01 00:00", "05-31 00:00", OVERLAP_BUFFER_ALL);
    count_calls();
    run_to("00:30:20");
    trigger("job", OVERLAP_ALLOW_ALL);
    assert_calls("t00:30:20@00:30:20");
    run_to("00:59:59");
    count_calls();
    run_to("01:00");
    assert_at(call_of("01:00")->at, "01:00");
}

static void row_71_a_backfill_removes_itself(void **state)
{
    (void)state;
    world.call_length = SPAN_MIN;
    create("job", every(SPAN_H));
    run_to("00:30");
    backfill("job", "05-31 00:00", "05-31 02:00", OVERLAP_BUFFER_ALL);
    run_to("00:40");
    assert_calls("b05-31 00:00@00:30, b05-31 01:00@00:31, b05-31 02:00@00:32");
    assert_counts("job", "started 3");
}

static enum run_state state_of(const char *name)
{
    struct db_result result = {0};
    struct run run;
    struct err err;

    runs_of_schedule(world.nodes[0].db, cursor_of(name).id, false, 2, &result);
    assert_int_equal(db_flush(world.nodes[0].db, world.arena, &err), RC_OK);
    assert_int_equal(result.rows, 1);
    runs_read(&result, 0, &run);
    return run.state;
}

static void row_72_cancel_a_queued_run(void **state)
{
    (void)state;
    create("job", pulled(every(SPAN_H)));
    run_to("01:10");
    assert_int_equal(submit_run(COMMAND_CANCEL, run_of("job", "01:00")).rc, RC_OK);
    poll_for("q", 1, "w");
    run_to("01:20");
    assert_calls("");
    assert_history("job", "01:00 cancelled(user)");
    assert_int_equal(cursor_of("job").open, 0);
}

static void row_72_cancel_a_planned_slot(void **state)
{
    (void)state;
    create("job", every(SPAN_H));
    assert_int_equal(submit_run(COMMAND_CANCEL, run_of("job", "02:00")).rc, RC_OK);
    run_to("03:00");
    assert_calls("01:00@01:00, 03:00@03:00");
    assert_ledger("job", "cancelled(user) 02:00");
    assert_counts("job", "started 2, cancelled 1");
}

static void row_72_a_skipped_slot_can_be_restored(void **state)
{
    (void)state;
    create("job", every(SPAN_H));
    assert_int_equal(submit_run(COMMAND_SKIP, run_of("job", "02:00")).rc, RC_OK);
    assert_int_equal(submit_run(COMMAND_UNSKIP, run_of("job", "02:00")).rc, RC_OK);
    run_to("02:00");
    assert_calls("01:00@01:00, 02:00@02:00");
    assert_ledger("job", "");
}

static void row_72_a_time_that_is_not_a_slot_cannot_be_skipped(void **state)
{
    (void)state;
    create("job", every(SPAN_H));
    assert_int_not_equal(submit_run(COMMAND_SKIP, run_of("job", "02:30")).rc, RC_OK);
}

static void row_73_an_ended_run_rejects_later_reports(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("job", every(SPAN_H));
    run_to("01:00");
    end_now(call_of("01:00"), OUTCOME_FAILED);
    assert_int_equal(report(call_of("01:00"), REPORT_DONE, OUTCOME_SUCCEEDED), RC_CONFLICT);
    assert_int_equal(report(call_of("01:00"), REPORT_RELEASE, OUTCOME_NONE), RC_CONFLICT);
    assert_history("job", "01:00 failed(target)");
}

static void row_74_ready_leased_running_done(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("job", pulled(every(SPAN_H)));
    run_to("01:00");
    assert_int_equal(state_of("job"), RUN_READY);
    poll_for("q", 1, "w");
    assert_int_equal(state_of("job"), RUN_LEASED);
    assert_int_equal(report(call_of("01:00"), REPORT_ALIVE, OUTCOME_NONE), RC_OK);
    assert_int_equal(state_of("job"), RUN_RUNNING);
    end_now(call_of("01:00"), OUTCOME_SUCCEEDED);
    assert_int_equal(run_rows("job"), 0);
}

static void row_75_outcomes_of_runs(void **state)
{
    static const enum outcome outcomes[] = {OUTCOME_SUCCEEDED, OUTCOME_FAILED,
                                            OUTCOME_TIMED_OUT, OUTCOME_CANCELLED,
                                            OUTCOME_UNKNOWN};
    static const char *const slots[] = {"00:01", "00:02", "00:03", "00:04", "00:05"};

    (void)state;
    for (int i = 0; i < 5; i++)
        ends(slots[i], slots[i], outcomes[i]);
    create("job", every(SPAN_MIN));
    run_to("00:05");
    assert_int_equal(count_calls(), 5);
    assert_int_equal(cursor_of("job").succeeded, 1);
    assert_int_equal(cursor_of("job").failed, 3);
    assert_int_equal(cursor_of("job").open, 0);
}

/* The process dies between the commit of the start and its dispatch. */
static void die_before_dispatch(struct test_schedule w)
{
    world.call_length = INSTANT_NEVER;
    create("job", w);
    run_to("01:00");
    assert_calls("01:00@01:00");
    node_kill(&world.nodes[0]);
    world.now += SPAN_S;
    world.call_length = 0;
    node_boot(&world.nodes[0]);
    settle();
    run_to("02:00");
}

static void row_76_the_slot_is_not_fired_again(void **state)
{
    (void)state;
    die_before_dispatch(every(SPAN_H));
    assert_calls("01:00#2@01:00:01, 02:00@02:00");
    assert_false(call_of("02:00")->work.is_once);
    assert_counts("job", "started 2");
}

static void row_76_at_most_once_is_not_sent_again(void **state)
{
    struct test_schedule w = every(SPAN_H);

    (void)state;
    w.draft.plan.policies.at_most_once = true;
    die_before_dispatch(w);
    assert_calls("02:00@02:00");
    assert_true(call_of("02:00")->work.is_once);
    assert_history("job", "01:00 unknown(node), 02:00 succeeded");
}

static void row_77_exactly_one_run_per_slot(void **state)
{
    (void)state;
    create("job", every(SPAN_S));
    world.tick = 100 * SPAN_MS;
    run_to("00:01");
    assert_int_equal(count_calls(), 60);
    for (int i = 0; i < 60; i++)
        assert_true(world.calls[i].work.run.slot == world.base + (i + 1) * SPAN_S);
}

/* An id encodes schedule, slot and pass, before the run exists and after an edit. */
static void row_78_idempotency_key_per_slot(void **state)
{
    struct run_id id;
    char text[RUN_ID_TEXT_MAX];

    (void)state;
    create("job", every(SPAN_H));
    id = run_of("job", "01:00");
    run_id_format(&id, text);
    assert_int_equal(update("job", 0, every(30 * SPAN_MIN)).rc, RC_OK);
    assert_int_equal(update("job", 0, every(SPAN_H)).rc, RC_OK);
    run_to("01:00");
    assert_string_equal(call_of("01:00")->work.id.ptr, text);
}

static void row_81_82_scheduled_and_execution_time(void **state)
{
    (void)state;
    create("job", every(SPAN_MIN));
    down_to("00:01:00.750");
    assert_at(call_of("00:01")->work.run.slot, "00:01");
    assert_at(call_of("00:01")->work.run.started_at, "00:01:00.750");
}

static void row_83_84_85_a_failing_job_keeps_its_cadence(void **state)
{
    static const char *const slots[] = {"00:01", "00:02", "00:03", "00:04", "00:05"};

    (void)state;
    for (int i = 0; i < 5; i++)
        ends(slots[i], slots[i], OUTCOME_FAILED);
    create("job", every(SPAN_MIN));
    run_to("00:05");
    assert_calls("00:01@00:01, 00:02@00:02, 00:03@00:03, 00:04@00:04, 00:05@00:05");
    assert_counts("job", "started 5, failed 5");
    assert_at(cursor_of("job").next_at, "00:06");
}

static void row_88_last_completion_result(void **state)
{
    struct test_schedule w = every(SPAN_MIN);

    (void)state;
    w.draft.plan.policies.wants_last = true;
    ends_with("00:01", "00:01", OUTCOME_SUCCEEDED, "{\"n\":1}");
    create("asks", w);
    w.draft.plan.policies.wants_last = false;
    run_to("00:02");
    assert_string_equal(call_of("00:02")->work.last_result.ptr, "{\"n\":1}");
    assert_int_equal(update("asks", 0, w).rc, RC_OK);
    run_to("00:03");
    assert_int_equal(call_of("00:03")->work.last_result.len, 0);
}

static struct history_row newest(const char *name)
{
    struct db_result result = {0};
    struct history_row row;
    struct err err;

    history_of_schedule(world.nodes[0].db, cursor_of(name).id, INT64_MAX, 1, &result);
    assert_int_equal(db_flush(world.nodes[0].db, world.arena, &err), RC_OK);
    assert_int_equal(result.rows, 1);
    history_read(&result, 0, &row);
    return row;
}

static void row_89_the_newest_run_is_first(void **state)
{
    (void)state;
    create("job", every(SPAN_MIN));
    run_to("00:12");
    assert_int_equal(count_calls(), 12);
    assert_at(newest("job").slot, "00:12");
}

static void row_90_91_times_outcome_and_error(void **state)
{
    struct history_row row;

    (void)state;
    ends_with("00:01", "00:01:45", OUTCOME_FAILED, "{\"code\":\"TOOL_FAILURE\"}");
    create("job", every(SPAN_MIN));
    run_to("00:01:50");
    row = newest("job");
    assert_at(row.started_at, "00:01");
    assert_at(row.ended_at, "00:01:45");
    assert_int_equal(row.outcome, OUTCOME_FAILED);
    assert_string_equal(row.error.ptr, "{\"code\":\"TOOL_FAILURE\"}");
    assert_true(row.last);
}

static void row_95_a_long_run_never_stacks(void **state)
{
    (void)state;
    ends("00:01", "00:02:30", OUTCOME_SUCCEEDED);
    create("job", governed(SPAN_MIN));
    run_to("00:03:30");
    assert_calls("00:01@00:01, 00:03:30@00:03:30");
}

/* The next run has a slot of the cron expression, never a time between two slots. */
static void row_96_cron_after_a_long_run_stays_on_the_grid(void **state)
{
    struct test_schedule w = cron("*/5 * * * *");

    (void)state;
    w.draft.plan.is_governed = true;
    ends("00:05", "00:15:30", OUTCOME_SUCCEEDED);
    create("job", w);
    run_to("00:25");
    assert_calls("00:05@00:05, 00:20@00:20, 00:25@00:25");
}

static struct test_schedule retried(int32_t attempts, enum backoff backoff, span delay)
{
    struct test_schedule w = every(SPAN_H);

    w.draft.plan.policies.retry = (struct retry_policy){
        .attempts = attempts, .backoff = backoff, .delay = delay, .max = SPAN_H};
    return w;
}

static void row_115_116_120_121_three_attempts_a_minute_apart(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        ends("01:00", "01:00", OUTCOME_FAILED);
    create("job", retried(3, BACKOFF_FIXED, SPAN_MIN));
    run_to("01:59");
    assert_calls("01:00@01:00, 01:00#2@01:01, 01:00#3@01:02");
    assert_history("job", "01:00 failed(target) retried, 01:00#2 failed(target) retried, "
                          "01:00#3 failed(target)");
    assert_counts("job", "started 1, failed 1");
    assert_int_equal(world.events[EVENT_RUN_RETRYING], 2);
    assert_int_equal(world.events[EVENT_RUN_ENDED], 1);
}

static void row_117_exponential_backoff(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        ends("01:00", "01:00", OUTCOME_FAILED);
    create("job", retried(4, BACKOFF_EXPONENTIAL, 2 * SPAN_S));
    run_to("01:10");
    assert_calls("01:00@01:00, 01:00#2@01:00:02, 01:00#3@01:00:06, 01:00#4@01:00:14");
}

/* maxRetries 2 of the jobs dialect means three attempts. */
static void row_118_three_attempts_two_seconds_apart(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        ends("01:00", "01:00", OUTCOME_FAILED);
    create("job", retried(2 + 1, BACKOFF_FIXED, 2 * SPAN_S));
    run_to("01:10");
    assert_calls("01:00@01:00, 01:00#2@01:00:02, 01:00#3@01:00:04");
}

static void row_119_a_retry_is_picked_up_by_a_worker(void **state)
{
    (void)state;
    ends("01:00", "01:00:10", OUTCOME_FAILED);
    create("job", pulled(retried(3, BACKOFF_FIXED, SPAN_MIN)));
    poll_for("q", 5, "w");
    run_to("01:05");
    assert_calls("01:00@01:00, 01:00#2@01:01:10");
    assert_history("job", "01:00 failed(target) retried, 01:00#2 succeeded");
    assert_counts("job", "started 1");
}

static void row_122_failure_counter_resets_on_success(void **state)
{
    (void)state;
    ends("00:01", "00:01", OUTCOME_FAILED);
    ends("00:02", "00:02", OUTCOME_FAILED);
    create("job", every(SPAN_MIN));
    run_to("00:02");
    assert_int_equal(cursor_of("job").failures, 2);
    run_to("00:03");
    assert_int_equal(cursor_of("job").failures, 0);
}

static void row_123_a_failed_fire_counts_once(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        ends("01:00", "01:00", OUTCOME_FAILED);
    create("job", retried(3, BACKOFF_FIXED, SPAN_S));
    run_to("02:00");
    assert_int_equal(cursor_of("job").started, 2);
    assert_int_equal(cursor_of("job").failed, 1);
    assert_int_equal(cursor_of("job").succeeded, 1);
}

static void row_124_last_run(void **state)
{
    (void)state;
    ends("00:01", "00:01:30", OUTCOME_FAILED);
    create("job", every(SPAN_MIN));
    run_to("00:01:40");
    assert_at(cursor_of("job").last_start, "00:01");
    assert_at(cursor_of("job").last_end, "00:01:30");
    assert_int_equal(cursor_of("job").last_outcome, OUTCOME_FAILED);
    run_to("00:02");
    assert_int_equal(cursor_of("job").last_outcome, OUTCOME_SUCCEEDED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(row_67_manual_trigger_now),
        TIMELINE(row_68_test_run_leaves_no_trace),
        TIMELINE(row_69_backfill_of_a_past_range),
        TIMELINE(row_70_a_backfill_does_not_block_triggers_or_slots),
        TIMELINE(row_71_a_backfill_removes_itself),
        TIMELINE(row_72_cancel_a_queued_run),
        TIMELINE(row_72_cancel_a_planned_slot),
        TIMELINE(row_72_a_skipped_slot_can_be_restored),
        TIMELINE(row_72_a_time_that_is_not_a_slot_cannot_be_skipped),
        TIMELINE(row_73_an_ended_run_rejects_later_reports),
        TIMELINE(row_74_ready_leased_running_done),
        TIMELINE(row_75_outcomes_of_runs),
        TIMELINE(row_76_the_slot_is_not_fired_again),
        TIMELINE(row_76_at_most_once_is_not_sent_again),
        TIMELINE(row_77_exactly_one_run_per_slot),
        TIMELINE(row_78_idempotency_key_per_slot),
        TIMELINE(row_81_82_scheduled_and_execution_time),
        TIMELINE(row_83_84_85_a_failing_job_keeps_its_cadence),
        TIMELINE(row_88_last_completion_result),
        TIMELINE(row_89_the_newest_run_is_first),
        TIMELINE(row_90_91_times_outcome_and_error),
        TIMELINE(row_95_a_long_run_never_stacks),
        TIMELINE(row_96_cron_after_a_long_run_stays_on_the_grid),
        TIMELINE(row_115_116_120_121_three_attempts_a_minute_apart),
        TIMELINE(row_117_exponential_backoff),
        TIMELINE(row_118_three_attempts_two_seconds_apart),
        TIMELINE(row_119_a_retry_is_picked_up_by_a_worker),
        TIMELINE(row_122_failure_counter_resets_on_success),
        TIMELINE(row_123_a_failed_fire_counts_once),
        TIMELINE(row_124_last_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
