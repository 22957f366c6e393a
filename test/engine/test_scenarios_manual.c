/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scenarios 36 to 50 of Temporal's schedules: triggers and backfills.
 * test_scenarios_overlap.c describes the list.
 */
#include "harness.h"

/*
 * A backfill may fill half of the buffer of 1000, less 50 that are reserved for automatic
 * starts.  The first 10 waiting runs do not count.
 */
enum { BATCH_MOST = 1000 / 2 - 50 + 10 };

static void scenario_36_trigger_respects_policy_unless_overridden(void **state)
{
    struct command command = command_for(COMMAND_TRIGGER, "myid");

    (void)state;
    ends("00:15", "00:40", OUTCOME_SUCCEEDED);
    create("myid", temporal(every(55 * SPAN_MIN)));
    run_to("00:20");
    (void)submit(&command); /* the dialect decides whether that is an error */
    assert_counts("myid", "started 1, skipped 1, open 1");
    run_to("00:30");
    trigger("myid", OVERLAP_ALLOW_ALL);
    assert_calls("00:15@00:15, t00:30@00:30");
}

static void scenario_37_trigger_with_full_buffer(void **state)
{
    struct test_schedule w = overlapping(temporal(every(5 * SPAN_MIN)), OVERLAP_BUFFER_ALL);

    (void)state;
    w.draft.plan.policies.buffer_limit = 2;
    ends("00:05", "00:18", OUTCOME_SUCCEEDED);
    create("myid", w);
    run_to("00:16");
    assert_counts("myid", "started 1, open 1, waiting 2");
    trigger("myid", OVERLAP_DEFAULT);
    run_to("00:19");
    assert_calls("00:05@00:05, 00:10@00:18, 00:15@00:18, t00:16@00:18");
    assert_counts("myid", "started 4");
}

static struct test_schedule last_evening(void)
{
    return temporal(cron("*/17 19 31 * *"));
}

static void scenario_38_sequential_backfill(void **state)
{
    (void)state;
    create("myid", last_evening());
    run_to("00:05");
    ends("05-31 19:00", "00:09", OUTCOME_SUCCEEDED);
    ends("05-31 19:17", "00:13", OUTCOME_SUCCEEDED);
    ends("05-31 19:34", "00:23", OUTCOME_SUCCEEDED);
    backfill("myid", "05-31 00:00", "00:00", OVERLAP_BUFFER_ALL);
    run_to("00:30");
    assert_calls("b05-31 19:00@00:05, b05-31 19:17@00:09, b05-31 19:34@00:13, "
                 "b05-31 19:51@00:23");
    assert_counts("myid", "started 4");
    down_to("07-31 18:59");
    run_to("07-31 19:00");
    assert_calls("07-31 19:00@07-31 19:00");
}

static void scenario_39_backfill_bounds_are_inclusive(void **state)
{
    (void)state;
    create("myid", last_evening());
    run_to("00:05");
    backfill("myid", "05-31 19:17:00", "05-31 19:17:00", OVERLAP_BUFFER_ALL);
    assert_calls("b05-31 19:17@00:05");
    backfill("myid", "05-31 19:17:00.001", "05-31 19:17:00.001", OVERLAP_BUFFER_ALL);
    backfill("myid", "05-31 19:17:00.500", "05-31 19:17:00.500", OVERLAP_BUFFER_ALL);
    run_to("00:06");
    assert_calls("");
    assert_counts("myid", "started 1");
}

static void create_paused_seconds(void)
{
    struct test_schedule w = temporal(every(SPAN_S));

    w.draft.is_paused = true;
    create("myid", w);
    run_to("00:00:30");
}

static void scenario_40_backfill_with_skip(void **state)
{
    (void)state;
    create_paused_seconds();
    world.call_length = SPAN_MIN;
    backfill("myid", "00:00:10", "00:00:15", OVERLAP_SKIP);
    run_to("00:00:40");
    assert_calls("b00:00:10@00:00:30");
    assert_counts("myid", "started 1, skipped 5, open 1, backfills 1");
}

static void scenario_41_backfill_on_paused_schedule(void **state)
{
    (void)state;
    create_paused_seconds();
    backfill("myid", "00:00:10", "00:00:15", OVERLAP_BUFFER_ALL);
    run_to("00:00:40");
    assert_calls("b00:00:10@00:00:30, b00:00:11@00:00:30, b00:00:12@00:00:30, "
                 "b00:00:13@00:00:30, b00:00:14@00:00:30, b00:00:15@00:00:30");
    assert_true(cursor_of("myid").flags & CURSOR_PAUSED);
}

static void scenario_42_backfill_narrower_than_the_interval(void **state)
{
    (void)state;
    create("myid", temporal(every(5 * SPAN_MIN)));
    run_to("00:12");
    count_calls();
    backfill("myid", "00:06", "00:09", OVERLAP_BUFFER_ALL);
    assert_calls("");
    assert_int_equal(cursor_of("myid").backfills, 0);
}

static void scenario_43_re_run_a_completed_time(void **state)
{
    struct test_schedule w = temporal(every(5 * SPAN_MIN));

    (void)state;
    w.draft.plan.policies.remaining_runs = 1;
    create("myid", w);
    run_to("00:07");
    assert_calls("00:05@00:05");
    backfill("myid", "00:05", "00:05", OVERLAP_BUFFER_ALL);
    assert_calls("b00:05@00:07");
    assert_counts("myid", "started 2");
    backfill("myid", "00:00", "00:10", OVERLAP_BUFFER_ALL);
    assert_calls("b00:00@00:07, b00:05@00:07, b00:10@00:07");
    assert_counts("myid", "started 5");
    run_to("00:20");
    assert_calls("");
}

static void scenario_44_two_ranges_in_one_request(void **state)
{
    struct command command = command_for(COMMAND_BACKFILL, "myid");
    struct test_schedule w = temporal(every(SPAN_MIN));
    struct range ranges[] = {
        {when("2019-06-01T00:00:00Z"), when("2019-06-01T00:02:00Z"),
         .overlap = OVERLAP_ALLOW_ALL},
        {when("00:00"), when("00:02"), .overlap = OVERLAP_ALLOW_ALL},
    };

    (void)state;
    w.draft.is_paused = true;
    create("myid", w);
    run_to("00:30");
    command.backfill.ranges = ranges;
    command.backfill.count = 2;
    assert_int_equal(submit(&command).rc, RC_OK);
    assert_calls("b2019-06-01 00:00@00:30, b2019-06-01 00:01@00:30, b2019-06-01 00:02@00:30, "
                 "b00:00@00:30, b00:01@00:30, b00:02@00:30");
    assert_counts("myid", "started 6");
}

/* Temporal's rate of about ten per second is a limit of its server, not of the policy. */
static void scenario_45_huge_allow_all_backfill(void **state)
{
    struct command command = command_for(COMMAND_BACKFILL, "myid");
    struct test_schedule w = temporal(every(SPAN_H));
    struct range ranges[4];

    (void)state;
    w.draft.plan.policies.buffer_limit = 30;
    w.draft.is_paused = true;
    create("myid", w);
    for (int i = 0; i < 4; i++)
        ranges[i] = (struct range){when("05-01 00:00") + i * 2 * SPAN_DAY,
                                   when("05-02 00:00") + i * 2 * SPAN_DAY,
                                   .overlap = OVERLAP_ALLOW_ALL};
    command.backfill.ranges = ranges;
    command.backfill.count = 4;
    assert_int_equal(submit(&command).rc, RC_OK);
    run_to("00:10");
    assert_int_equal(count_calls(), 100);
    assert_counts("myid", "started 100");
}

/* Checks backfilled runs in the order of their start; the schedule's own must be on time. */
static int check_sequence(instant first, span step)
{
    const struct call *before = NULL;
    int count = 0;

    for (int i = 0; i < world.call_count; i++) {
        const struct call *call = &world.calls[i];

        if (call->work.run.kind == RUN_SLOT) {
            assert_true(call->at == call->work.run.slot);
            continue;
        }
        assert_true(call->work.run.slot == first + count * step);
        if (before)
            assert_true(call->at >= before->ends_at);
        before = call;
        count++;
    }
    return count;
}

static void scenario_46_huge_buffer_all_backfill_with_automated_traffic(void **state)
{
    struct test_schedule w = overlapping(temporal(every(SPAN_H)), OVERLAP_ALLOW_ALL);

    (void)state;
    w.draft.plan.policies.buffer_limit = 30;
    create("myid", w);
    run_to("00:10");
    world.call_length = 56 * SPAN_S;
    backfill("myid", "05-01 00:00", "05-05 03:00", OVERLAP_BUFFER_ALL);
    run_to("03:00");
    assert_int_equal(check_sequence(when("05-01 00:00"), SPAN_H), 100);
    assert_int_equal(count_calls(), 103);
    assert_int_equal(cursor_of("myid").dropped, 0);
}

static void scenario_47_backfill_larger_than_capacity(void **state)
{
    struct test_schedule w = temporal(every(SPAN_MIN));

    (void)state;
    w.draft.is_paused = true;
    create("myid", w);
    run_to("00:10");
    world.call_length = INSTANT_NEVER;
    backfill("myid", "05-01 00:01", "05-01 16:40", OVERLAP_BUFFER_ALL);
    assert_in_range(cursor_of("myid").waiting, 450, BATCH_MOST);
    world.call_length = 0;
    end_now(call_of("05-01 00:01"), OUTCOME_SUCCEEDED);
    run_to("00:20");
    assert_int_equal(check_sequence(when("05-01 00:01"), SPAN_MIN), 1000);
    assert_counts("myid", "started 1000");
}

static void scenario_48_too_many_backfills(void **state)
{
    static struct range ranges[BACKFILLS_MAX];
    struct command command = command_for(COMMAND_BACKFILL, "myid");
    struct test_schedule w = temporal(every(SPAN_S));

    (void)state;
    w.draft.is_paused = true;
    create("myid", w);
    world.call_length = INSTANT_NEVER;
    for (int i = 0; i < BACKFILLS_MAX; i++)
        ranges[i] = (struct range){when("05-01 00:00"), when("05-02 00:00"),
                                   .overlap = OVERLAP_BUFFER_ALL};
    command.backfill.ranges = ranges;
    command.backfill.count = BACKFILLS_MAX;
    assert_int_equal(submit(&command).rc, RC_OK);
    assert_int_equal(cursor_of("myid").backfills, BACKFILLS_MAX);
    command.backfill.count = 1;
    assert_int_equal(submit(&command).rc, RC_LIMIT);
    assert_int_equal(cursor_of("myid").backfills, BACKFILLS_MAX);
}

/* A command is done in full or not at all. */
static void a_create_with_too_many_backfills_is_rejected(void **state)
{
    static struct range ranges[BACKFILLS_MAX + 1];
    struct command command = command_for(COMMAND_CREATE, "myid");
    struct test_schedule w = temporal(every(SPAN_S));

    (void)state;
    for (int i = 0; i <= BACKFILLS_MAX; i++)
        ranges[i] = (struct range){when("05-01 00:00"), when("05-02 00:00"),
                                   .overlap = OVERLAP_BUFFER_ALL};
    command.save.draft = draft_of(&w);
    command.save.backfill.ranges = ranges;
    command.save.backfill.count = BACKFILLS_MAX + 1;
    assert_int_equal(submit(&command).rc, RC_LIMIT);
    command = command_for(COMMAND_PAUSE, "myid");
    assert_int_equal(submit(&command).rc, RC_NOT_FOUND);
}

static void scenario_49_forward_dated_backfill(void **state)
{
    (void)state;
    create("myid", temporal(every(SPAN_H)));
    run_to("00:10");
    backfill("myid", "00:30", "07-12 16:30", OVERLAP_ALLOW_ALL);
    run_to("00:11");
    assert_int_equal(count_calls(), 1000);
    assert_counts("myid", "started 1000");
    assert_at(cursor_of("myid").next_at, "01:00");
}

/*
 * A backfill leaves room for automatic starts.  The vectors are in test/core/test_backfill.c.
 */
static void scenario_50_backfill_reserve(void **state)
{
    struct test_schedule w = overlapping(temporal(every(5 * SPAN_MIN)), OVERLAP_BUFFER_ALL);
    int64_t waiting;

    (void)state;
    world.call_length = INSTANT_NEVER;
    create("myid", w);
    run_to("00:06");
    backfill("myid", "05-01 00:00", "05-31 00:00", OVERLAP_BUFFER_ALL);
    waiting = cursor_of("myid").waiting;
    assert_in_range(waiting, 450, BATCH_MOST);
    run_to("04:15");
    assert_int_equal(cursor_of("myid").dropped, 0);
    assert_int_equal(cursor_of("myid").waiting, waiting + 50);
}

/* Other users of the database wait no longer than one batch of the backfill takes. */
static void a_turn_starts_at_most_one_backfill_portion(void **state)
{
    struct command command = command_for(COMMAND_BACKFILL, "myid");
    struct test_schedule w = temporal(every(SPAN_H));
    struct range ranges[2];

    (void)state;
    world.backfill_portion = 7;
    node_boot(&world.nodes[0]);
    w.draft.is_paused = true;
    create("myid", w);
    for (int i = 0; i < 2; i++)
        ranges[i] = (struct range){when("05-01 00:00") + i * 2 * SPAN_DAY,
                                   when("05-02 00:00") + i * 2 * SPAN_DAY,
                                   .overlap = OVERLAP_ALLOW_ALL};
    command.backfill.ranges = ranges;
    command.backfill.count = 2;
    assert_int_equal(submit(&command).rc, RC_OK);
    run_to("00:10");
    assert_int_equal(world.backfill_most, 7);
    assert_int_equal(count_calls(), 50);
    assert_counts("myid", "started 50");
    assert_int_equal(cursor_of("myid").backfills, 0);
}

/* One turn reads BUFFER_LIMIT_MAX of them; the next turns end the rest. */
static void a_delete_ends_more_waiting_runs_than_one_turn_reads(void **state)
{
    static struct command commands[TURN_COMMANDS_MAX];
    static enum rc codes[TURN_COMMANDS_MAX];

    (void)state;
    world.call_length = INSTANT_NEVER;
    create("myid", overlapping(no_slots(), OVERLAP_BUFFER_ALL));
    for (int i = 0; i < TURN_COMMANDS_MAX; i++)
        commands[i] = command_for(COMMAND_TRIGGER, "myid");
    for (int i = 0; i <= BUFFER_LIMIT_MAX / TURN_COMMANDS_MAX; i++)
        submit_together(commands, TURN_COMMANDS_MAX, codes);
    assert_int_equal(cursor_of("myid").waiting, BUFFER_LIMIT_MAX + TURN_COMMANDS_MAX - 1);
    submit_ok(COMMAND_DELETE, "myid");
    assert_int_equal(run_rows("myid"), 1); /* a claimed run continues */
    end_now(call_of("00:00"), OUTCOME_SUCCEEDED);
    assert_int_equal(run_rows("myid"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(scenario_36_trigger_respects_policy_unless_overridden),
        TIMELINE(scenario_37_trigger_with_full_buffer),
        TIMELINE(scenario_38_sequential_backfill),
        TIMELINE(scenario_39_backfill_bounds_are_inclusive),
        TIMELINE(scenario_40_backfill_with_skip),
        TIMELINE(scenario_41_backfill_on_paused_schedule),
        TIMELINE(scenario_42_backfill_narrower_than_the_interval),
        TIMELINE(scenario_43_re_run_a_completed_time),
        TIMELINE(scenario_44_two_ranges_in_one_request),
        TIMELINE(scenario_45_huge_allow_all_backfill),
        TIMELINE(scenario_46_huge_buffer_all_backfill_with_automated_traffic),
        TIMELINE(scenario_47_backfill_larger_than_capacity),
        TIMELINE(scenario_48_too_many_backfills),
        TIMELINE(a_create_with_too_many_backfills_is_rejected),
        TIMELINE(scenario_49_forward_dated_backfill),
        TIMELINE(scenario_50_backfill_reserve),
        TIMELINE(a_turn_starts_at_most_one_backfill_portion),
        TIMELINE(a_delete_ends_more_waiting_runs_than_one_turn_reads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
