/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows that contradict each other, as after a restore of the wrong backup: the turn fails with
 * RC_CORRUPT and commits nothing.  The process does not abort.
 */
#include "harness.h"

/* A worker holds the run of 01:00; a new boot has nothing in its caches. */
static void make_held_run(struct test_schedule w)
{
    world.call_length = INSTANT_NEVER;
    create("job", pulled(w));
    poll_for("q", 1, "one");
    run_to("01:00");
    assert_calls("01:00@01:00");
    node_kill(&world.nodes[0]);
    node_boot(&world.nodes[0]);
    settle();
}

static void execute(const char *sql)
{
    struct err err = {.text = ""};

    if (db_exec(world.nodes[0].db, str_of(sql), &err) != RC_OK)
        fail_test("%s: %s", sql, err.text);
}

static void assert_corrupt(const struct command *command, const char *expected)
{
    struct turn_in in = {.now = world.now,
                         .rows = TURN_ROWS_MAX,
                         .commands = command,
                         .command_count = command ? 1 : 0};
    struct turn_out out;
    struct err err = {.text = ""};

    assert_int_equal(engine_turn(world.nodes[0].engine, &in, &out, &err), RC_CORRUPT);
    if (!strstr(err.text, expected))
        fail_test("the error is: %s", err.text);
}

static void assert_terminate_is_corrupt(const char *expected)
{
    struct command command = command_for(COMMAND_TERMINATE, "");

    command.run.id = run_of("job", "01:00");
    command.schedule = command.run.id.schedule;
    assert_corrupt(&command, expected);
    assert_history("job", "");
}

static void a_cursor_that_counts_too_few_open_runs(void **state)
{
    (void)state;
    make_held_run(every(SPAN_H));
    execute("UPDATE cursors SET open = 0");
    assert_terminate_is_corrupt("a cursor counts fewer open runs than there are: key ");
    assert_int_equal(run_rows("job"), 1);
}

static void a_counter_below_zero(void **state)
{
    (void)state;
    make_held_run(every(SPAN_H));
    execute("UPDATE cursors SET waiting = -1");
    assert_terminate_is_corrupt("a cursor is damaged: key ");
}

static void a_gate_that_counts_too_few_runs(void **state)
{
    struct test_schedule w = every(SPAN_H);

    (void)state;
    w.draft.plan.policies.gate = STR("db");
    w.draft.plan.policies.gate_limit = 1;
    make_held_run(w);
    execute("UPDATE gates SET open = 0");
    assert_terminate_is_corrupt("a gate counts fewer claimed runs than it has: key ");
}

static void a_run_in_a_state_that_does_not_exist(void **state)
{
    (void)state;
    make_held_run(every(SPAN_H));
    execute("UPDATE runs SET state = 9");
    assert_terminate_is_corrupt("a run is damaged: key ");
}

static void a_run_of_a_lane_that_does_not_exist(void **state)
{
    (void)state;
    make_held_run(every(SPAN_H));
    execute("UPDATE runs SET lane = 77");
    assert_terminate_is_corrupt("a run is damaged: key ");
}

static void a_next_slot_that_is_not_after_the_mark(void **state)
{
    (void)state;
    make_held_run(every(SPAN_H));
    execute("UPDATE cursors SET next_at = mark");
    world.now = when("02:00");
    assert_corrupt(NULL, "a cursor is damaged: key ");
}

/* The mark was set back: the run of the slot exists already. */
static void a_run_that_its_schedule_has_not_created_yet(void **state)
{
    struct command command = command_for(COMMAND_CANCEL, "");

    (void)state;
    make_held_run(overlapping(every(SPAN_H), OVERLAP_ALLOW_ALL));
    execute("UPDATE cursors SET mark = mark - 1000000, next_at = mark, wake_at = mark");
    command.run.id = run_of("job", "01:00");
    command.schedule = command.run.id.schedule;
    assert_corrupt(&command, "a run exists that its schedule has not created yet: key ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(a_cursor_that_counts_too_few_open_runs),
        TIMELINE(a_counter_below_zero),
        TIMELINE(a_gate_that_counts_too_few_runs),
        TIMELINE(a_run_in_a_state_that_does_not_exist),
        TIMELINE(a_run_of_a_lane_that_does_not_exist),
        TIMELINE(a_next_slot_that_is_not_after_the_mark),
        TIMELINE(a_run_that_its_schedule_has_not_created_yet),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
