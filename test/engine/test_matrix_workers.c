/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows 98 to 114 and 125 to 133 of docs/mission.md: workers, leases and concurrency.
 *
 * Several nodes are in test_two_nodes.c (77, 98, 112, 131).  Tested in other layers: 109 and
 * 128 (here a batch limits a transaction, not the number of runs).
 */
#include "harness.h"

static struct test_schedule job(void)
{
    return pulled(every(SPAN_H));
}

static void row_98_one_winner(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("job", job());
    poll_for("q", 1, "one");
    poll_for("q", 1, "two");
    run_to("01:00");
    assert_calls("01:00@01:00");
    assert_int_equal(calls_open(), 1);
}

static void row_99_101_a_dead_worker_is_replaced_after_lease_and_grace(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    down_to("00:59");
    world.tick = SPAN_S;
    create("job", job());
    poll_for("q", 1, "one");
    run_to("01:00");
    poll_for("q", 1, "two");
    run_to("01:01:59");
    assert_calls("01:00@01:00");
    run_to("01:02:05");
    assert_calls("01:00#2@01:02");
    assert_int_equal(world.events[EVENT_LEASE_EXPIRED], 1);
    assert_string_equal(world.calls[0].work.run.worker.ptr, "one");
    assert_string_equal(world.calls[1].work.run.worker.ptr, "two");
    assert_true(world.calls[1].work.run.fence > world.calls[0].work.run.fence);
}

static void row_100_heartbeats_keep_a_run_of_five_minutes(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    down_to("00:59");
    world.tick = SPAN_S;
    create("job", job());
    poll_for("q", 5, "one");
    run_to("01:00");
    for (int i = 1; i <= 10; i++) {
        run_until(when("01:00") + i * 30 * SPAN_S);
        assert_int_equal(report(call_of("01:00"), REPORT_ALIVE, OUTCOME_NONE), RC_OK);
        assert_true(world.last_report.lease_until == world.now + 90 * SPAN_S);
        assert_false(world.last_report.is_cancelled);
    }
    end_now(call_of("01:00"), OUTCOME_SUCCEEDED);
    assert_calls("01:00@01:00");
    assert_history("job", "01:00 succeeded");
}

static void row_102_owner_of_a_run(void **state)
{
    (void)state;
    create("job", job());
    poll_for("q", 1, "5f1c-uuid");
    run_to("01:00");
    assert_string_equal(call_of("01:00")->work.run.worker.ptr, "5f1c-uuid");
}

/* No run starts before its slot, however far ahead the engine reads. */
static void row_103_104_never_before_the_slot(void **state)
{
    (void)state;
    create("job", every(SPAN_MIN));
    world.tick = 500 * SPAN_MS;
    run_to("00:00:59.999");
    assert_calls("");
    run_to("00:01:30");
    assert_calls("00:01@00:01");
}

static void row_105_a_long_call_is_made_once(void **state)
{
    (void)state;
    ends("01:00", "01:03", OUTCOME_SUCCEEDED);
    down_to("00:59");
    world.tick = SPAN_S;
    create("job", every(SPAN_H));
    run_to("01:05");
    assert_calls("01:00@01:00");
}

static void row_106_oldest_due_first(void **state)
{
    (void)state;
    world.shows_names = true;
    world.capacity = 1;
    world.call_length = SPAN_S;
    create("third", cron("30 0 * * *"));
    create("first", cron("10 0 * * *"));
    create("second", cron("20 0 * * *"));
    down_to("01:00");
    run_to("01:01");
    assert_calls("first 00:10@01:00, second 00:20@01:00:01, third 00:30@01:00:02");
}

static struct test_schedule ranked(int32_t priority)
{
    struct test_schedule w = every(SPAN_H);

    w.draft.plan.policies.priority = priority;
    return w;
}

static void row_107_priority_first(void **state)
{
    (void)state;
    world.shows_names = true;
    world.capacity = 1;
    world.call_length = SPAN_S;
    create("low", ranked(1));
    create("middle", ranked(5));
    create("high", ranked(10));
    run_to("01:01");
    assert_calls("high 01:00@01:00, middle 01:00@01:00:01, low 01:00@01:00:02");
}

/* A triggered run may have a higher priority than its schedule, never a lower one. */
static void trigger_with(const char *name, int32_t priority)
{
    struct command command = command_for(COMMAND_TRIGGER, name);

    command.start.priority = priority;
    assert_int_equal(submit(&command).rc, RC_OK);
}

static void row_107_a_trigger_has_the_requested_priority(void **state)
{
    (void)state;
    world.shows_names = true;
    create("low", pulled(ranked(1)));
    create("middle", pulled(ranked(5)));
    create("high", pulled(ranked(10)));
    run_to("00:10");
    trigger_with("middle", 0);
    trigger_with("low", 8);
    trigger_with("high", 8);
    poll_for("q", 3, "one");
    run_to("00:11");
    assert_calls("high t00:10@00:10, low t00:10@00:10, middle t00:10@00:10");
}

static void row_108_a_zombie_run_fails(void **state)
{
    struct test_schedule w = every(SPAN_H);

    (void)state;
    w.draft.plan.policies.max_run_time = 10 * SPAN_MIN;
    world.call_length = INSTANT_NEVER;
    create("job", w);
    run_to("01:10:59"); /* the call has CALL_GRACE to end itself */
    assert_int_equal(cursor_of("job").open, 1);
    run_to("01:11:05");
    assert_history("job", "01:00 timedOut(maxRunTime)");
    assert_int_equal(cursor_of("job").open, 0);
    assert_true(call_of("01:00")->is_stopping);
}

static void row_110_thundering_herd(void **state)
{
    char name[16];

    (void)state;
    for (int i = 0; i < 50; i++) {
        snprintf(name, sizeof name, "job-%d", i);
        create(name, cron("* * * * *"));
    }
    run_to("00:01");
    assert_int_equal(count_calls(), 50);
    for (int i = 0; i < 50; i++)
        for (int j = 0; j < i; j++)
            assert_true(world.calls[i].work.run.schedule != world.calls[j].work.run.schedule);
}

static void row_111_the_engine_asks_to_be_woken_at_the_slot(void **state)
{
    (void)state;
    create("job", every(SPAN_H));
    assert_true(world.nodes[0].wake_at <= when("01:00"));
    run_to("01:00");
    assert_at(call_of("01:00")->at, "01:00");
}

static void row_113_completing_twice_is_refused(void **state)
{
    (void)state;
    create("job", job());
    poll_for("q", 1, "one");
    run_to("01:00");
    assert_history("job", "01:00 succeeded");
    assert_int_equal(report(call_of("01:00"), REPORT_DONE, OUTCOME_SUCCEEDED), RC_CONFLICT);
    assert_counts("job", "started 1");
}

static void row_114_a_late_worker_is_fenced_off(void **state)
{
    struct call late;

    (void)state;
    world.call_length = INSTANT_NEVER;
    down_to("00:59");
    world.tick = SPAN_S;
    create("job", job());
    poll_for("q", 1, "one");
    run_to("01:00");
    poll_for("q", 1, "two");
    run_to("01:02:05");
    late = world.calls[0];
    assert_int_equal(report(&late, REPORT_ALIVE, OUTCOME_NONE), RC_CONFLICT);
    assert_int_equal(report(&late, REPORT_DONE, OUTCOME_FAILED), RC_CONFLICT);
    assert_int_equal(world.events[EVENT_LEASE_STALE], 2);
    end_now(&world.calls[1], OUTCOME_SUCCEEDED);
    assert_counts("job", "started 1");
    assert_int_equal(cursor_of("job").last_outcome, OUTCOME_SUCCEEDED);
}

static struct test_schedule gated(const char *key, int32_t limit)
{
    struct test_schedule w = overlapping(every(SPAN_H), OVERLAP_ALLOW_ALL);

    w.draft.plan.policies.gate = str_of(key);
    w.draft.plan.policies.gate_limit = limit;
    return w;
}

static void row_125_a_cap_over_several_schedules(void **state)
{
    (void)state;
    world.shows_names = true;
    world.call_length = 10 * SPAN_S;
    create("one", gated("agent:7", 1));
    create("two", gated("agent:7", 1));
    create("free", gated("agent:8", 1));
    run_to("01:00");
    assert_calls("one 01:00@01:00, free 01:00@01:00");
    run_to("01:00:30");
    assert_calls("two 01:00@01:00:10");
}

static void row_125_a_cap_of_two_is_held_through_failures_and_kills(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    for (int i = 0; i < 6; i++) {
        char name[16];

        snprintf(name, sizeof name, "job-%d", i);
        create(name, gated("db", 2));
    }
    run_to("01:00");
    assert_int_equal(calls_open(), 2);
    end_now(&world.calls[0], OUTCOME_FAILED);
    assert_int_equal(calls_open(), 2);
    assert_int_equal(report(&world.calls[1], REPORT_RELEASE, OUTCOME_NONE), RC_OK);
    world.calls[1].is_open = false;
    settle();
    assert_int_equal(calls_open(), 2);
    node_kill(&world.nodes[0]);
    node_boot(&world.nodes[0]);
    settle();
    assert_int_equal(calls_open(), 2);
    for (int i = 0; calls_open() > 0 && i < 20; i++)
        for (int k = 0; k < world.call_count; k++)
            if (world.calls[k].is_open)
                end_now(&world.calls[k], OUTCOME_SUCCEEDED);
    for (int i = 0; i < 6; i++) {
        char name[16];

        snprintf(name, sizeof name, "job-%d", i);
        assert_int_equal(cursor_of(name).open, 0);
    }
}

static void row_126_a_node_makes_no_more_calls_than_its_capacity(void **state)
{
    (void)state;
    world.capacity = 8;
    world.call_length = SPAN_S;
    create("job", overlapping(every(SPAN_S), OVERLAP_ALLOW_ALL));
    pause_it("job", "x");
    run_to("00:01");
    backfill("job", "00:00:01", "00:00:40", OVERLAP_ALLOW_ALL);
    assert_int_equal(calls_open(), 8);
    run_to("00:01:10");
    assert_int_equal(count_calls(), 40);
    for (int i = 0; i + 8 < 40; i++)
        assert_true(world.calls[i + 8].at >= world.calls[i].at + SPAN_S);
}

static void row_127_a_flood_in_one_queue_does_not_block_another(void **state)
{
    struct test_schedule b = job();

    (void)state;
    world.shows_names = true;
    world.call_length = INSTANT_NEVER;
    b.draft.queue = STR("jobs:b");
    create("flood", pulled(overlapping(every(SPAN_S), OVERLAP_ALLOW_ALL)));
    create("b", b);
    run_to("01:00");
    poll_for("jobs:b", 1, "worker of b");
    assert_calls("b 01:00@01:00");
}

static void row_127_a_paused_queue_grants_nothing_until_it_is_resumed(void **state)
{
    struct command command = command_for(COMMAND_QUEUE_PAUSE, "");

    (void)state;
    create("job", job());
    command.key = queue_of("q");
    assert_int_equal(submit(&command).rc, RC_OK);
    poll_for("q", 1, "one");
    run_to("01:10");
    assert_calls("");
    command.kind = COMMAND_QUEUE_RESUME;
    assert_int_equal(submit(&command).rc, RC_OK);
    run_to("01:10:05");
    assert_int_equal(count_calls(), 1);
}

static void row_129_backpressure_drops_and_counts(void **state)
{
    struct test_schedule w = overlapping(every(SPAN_MIN), OVERLAP_BUFFER_ALL);

    (void)state;
    w.draft.plan.policies.buffer_limit = 3;
    w.draft.plan.policies.catchup = CATCHUP_ALL;
    w.draft.plan.policies.drop_when_full = true;
    world.call_length = INSTANT_NEVER;
    create("job", w);
    run_to("00:10");
    assert_counts("job", "started 1, dropped 6, open 1, waiting 3");
}

static void row_129_backpressure_waits(void **state)
{
    struct test_schedule w = overlapping(every(SPAN_MIN), OVERLAP_BUFFER_ALL);

    (void)state;
    w.draft.plan.policies.buffer_limit = 3;
    w.draft.plan.policies.catchup = CATCHUP_ALL;
    world.call_length = INSTANT_NEVER;
    create("job", w);
    run_to("00:10");
    assert_counts("job", "started 1, open 1, waiting 3");
    assert_at(cursor_of("job").mark, "00:04");
    world.call_length = 0;
    end_now(call_of("00:01"), OUTCOME_SUCCEEDED);
    assert_int_equal(count_calls(), 10);
    assert_counts("job", "started 10");
    assert_ledger("job", "");
}

/* Five minutes of waiting equal one step of priority: no run waits for ever. */
static void row_130_a_low_priority_is_not_starved(void **state)
{
    struct test_schedule high = overlapping(every(10 * SPAN_S), OVERLAP_ALLOW_ALL);
    int64_t low;

    (void)state;
    high.draft.plan.policies.priority = 6;
    world.capacity = 1;
    world.call_length = 10 * SPAN_S;
    low = create("low", ranked(5));
    create("high", high);
    run_to("01:06");
    for (int i = 0; i < world.call_count; i++)
        if (world.calls[i].work.run.schedule == low) {
            assert_in_range(world.calls[i].at, when("01:00"), when("01:05:20"));
            return;
        }
    fail_msg("the low one was never started");
}

static void row_132_resuming_twice_is_one_resume(void **state)
{
    (void)state;
    create("job", every(SPAN_MIN));
    pause_it("job", "x");
    run_to("00:02:30");
    resume("job");
    resume("job");
    run_to("00:03");
    assert_calls("00:03@00:03");
    assert_int_equal(world.events[EVENT_SCHEDULE_RESUMED], 1);
}

static void row_133_a_hint_written_during_a_run_is_kept(void **state)
{
    struct command command = command_for(COMMAND_HINT, "job");

    (void)state;
    world.call_length = 20 * SPAN_S;
    create("job", governed(SPAN_MIN));
    run_to("00:01:10");
    command.hint.interval = 30 * SPAN_S;
    command.hint.expires = when("01:00");
    assert_int_equal(submit(&command).rc, RC_OK);
    run_to("00:01:30");
    assert_calls("00:01@00:01, 00:01:30@00:01:30");
    assert_int_equal(cursor_of("job").hint_interval, 30 * SPAN_S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(row_98_one_winner),
        TIMELINE(row_99_101_a_dead_worker_is_replaced_after_lease_and_grace),
        TIMELINE(row_100_heartbeats_keep_a_run_of_five_minutes),
        TIMELINE(row_102_owner_of_a_run),
        TIMELINE(row_103_104_never_before_the_slot),
        TIMELINE(row_105_a_long_call_is_made_once),
        TIMELINE(row_106_oldest_due_first),
        TIMELINE(row_107_priority_first),
        TIMELINE(row_107_a_trigger_has_the_requested_priority),
        TIMELINE(row_108_a_zombie_run_fails),
        TIMELINE(row_110_thundering_herd),
        TIMELINE(row_111_the_engine_asks_to_be_woken_at_the_slot),
        TIMELINE(row_113_completing_twice_is_refused),
        TIMELINE(row_114_a_late_worker_is_fenced_off),
        TIMELINE(row_125_a_cap_over_several_schedules),
        TIMELINE(row_125_a_cap_of_two_is_held_through_failures_and_kills),
        TIMELINE(row_126_a_node_makes_no_more_calls_than_its_capacity),
        TIMELINE(row_127_a_flood_in_one_queue_does_not_block_another),
        TIMELINE(row_127_a_paused_queue_grants_nothing_until_it_is_resumed),
        TIMELINE(row_129_backpressure_drops_and_counts),
        TIMELINE(row_129_backpressure_waits),
        TIMELINE(row_130_a_low_priority_is_not_starved),
        TIMELINE(row_132_resuming_twice_is_one_resume),
        TIMELINE(row_133_a_hint_written_during_a_run_is_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
