/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quarantine: which schedules get into it when nodes die, and how they get out.
 */
#include "harness.h"

static struct test_schedule program(void)
{
    struct test_schedule w = every(SPAN_H);

    w.draft.plan.lane = LANE_EXEC;
    return w;
}

/* The node dies and is back a second later. */
static void crash(void)
{
    node_kill(&world.nodes[0]);
    world.now += SPAN_S;
    node_boot(&world.nodes[0]);
    settle();
}

static bool is_called(const char *name)
{
    for (int i = 0; i < world.call_count; i++)
        if (world.calls[i].is_open && world.calls[i].work.run.schedule == cursor_of(name).id)
            return true;
    return false;
}

/* The run of 01:00 of "job" ends: it was the only program when nodes died. */
static void crash_until_quarantined(void)
{
    world.call_length = INSTANT_NEVER;
    create("job", program());
    run_to("01:00");
    for (int i = 0; i < BLAMES_MAX; i++) {
        crash();
        run_until(world.now + SPAN_MIN);
    }
}

/* BLAMES_MAX nodes have died while it was the only program: it is the cause. */
static void a_program_that_takes_nodes_down_is_quarantined(void **state)
{
    (void)state;
    crash_until_quarantined();
    assert_int_equal(count_calls(), BLAMES_MAX);
    assert_true(cursor_of("job").flags & CURSOR_QUARANTINED);
    assert_int_equal(cursor_of("job").open, 0);
    assert_int_equal(world.events[EVENT_SCHEDULE_QUARANTINED], 1);
    run_to("03:30");
    assert_ledger("job", "dropped(quarantined) 02:00-03:00 x2");
    assert_int_equal(count_calls(), 0);
    resume("job");
    run_to("04:00");
    assert_calls("04:00@04:00");
}

/* A crash loop with twenty calls under way: none of them is to blame. */
static void a_crash_loop_quarantines_no_calls(void **state)
{
    char name[16];

    (void)state;
    world.call_length = INSTANT_NEVER;
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "job%d", i);
        create(name, every(SPAN_H));
    }
    run_to("01:00");
    for (int i = 0; i < 2 * BLAMES_MAX; i++)
        crash();
    assert_int_equal(count_calls(), 20 * (2 * BLAMES_MAX + 1));
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "job%d", i);
        assert_int_equal(cursor_of(name).flags & CURSOR_QUARANTINED, 0);
        assert_int_equal(cursor_of(name).open, 1);
    }
    assert_int_equal(world.events[EVENT_SCHEDULE_QUARANTINED], 0);
}

/* Two programs run when nodes die.  Once they run apart, the evidence is against one. */
static void the_program_that_runs_at_each_crash_is_found(void **state)
{
    int crashes = 0;

    (void)state;
    world.call_length = INSTANT_NEVER;
    create("innocent", program());
    create("culprit", program());
    run_to("01:00");
    assert_int_equal(count_calls(), 2);
    for (; crashes < 50 && !(cursor_of("culprit").flags & CURSOR_QUARANTINED); crashes++) {
        crash();
        while (!is_called("culprit") && !(cursor_of("culprit").flags & CURSOR_QUARANTINED))
            run_until(world.now + SPAN_S);
    }
    assert_in_range(crashes, BLAMES_MAX + 1, 20);
    assert_false(cursor_of("innocent").flags & CURSOR_QUARANTINED);
    run_until(world.now + 5 * SPAN_MIN);
    assert_true(is_called("innocent"));
}

/* The slots of the quarantine are dropped; those after the release run. */
static void a_release_ends_the_quarantine_and_accounts_for_its_slots(void **state)
{
    int64_t version;

    (void)state;
    crash_until_quarantined();
    run_to("02:30");
    version = cursor_of("job").version;
    world.call_length = 0;
    assert_int_equal(submit_ok(COMMAND_RELEASE, "job").version, version + 1);
    assert_int_equal(cursor_of("job").version, version + 1);
    assert_int_equal(cursor_of("job").flags & CURSOR_QUARANTINED, 0);
    assert_int_equal(world.events[EVENT_SCHEDULE_RELEASED], 1);
    assert_int_equal(world.last_event[EVENT_SCHEDULE_RELEASED].count, version + 1);
    assert_ledger("job", "dropped(quarantined) 02:00");
    run_to("03:00");
    assert_history("job", "01:00 unknown(node) retried, 01:00#2 unknown(node) retried, "
                          "01:00#3 unknown(node), 03:00 succeeded");
    assert_ledger("job", "dropped(quarantined) 02:00");
}

static void only_a_quarantined_schedule_can_be_released(void **state)
{
    struct command command = command_for(COMMAND_RELEASE, "job");

    (void)state;
    create("job", program());
    assert_int_equal(submit(&command).rc, RC_CONFLICT);
    pause_it("job", "a while");
    assert_int_equal(submit(&command).rc, RC_CONFLICT);
    assert_true(cursor_of("job").flags & CURSOR_PAUSED);
    assert_int_equal(world.events[EVENT_SCHEDULE_RELEASED], 0);
    command = command_for(COMMAND_RELEASE, "none");
    assert_int_equal(submit(&command).rc, RC_NOT_FOUND);
}

/* A pause is a decision of its own: the slots after the release are still paused. */
static void a_release_keeps_a_pause(void **state)
{
    (void)state;
    crash_until_quarantined();
    assert_int_equal(count_calls(), BLAMES_MAX);
    pause_it("job", "a while");
    run_to("02:30");
    submit_ok(COMMAND_RELEASE, "job");
    assert_true(cursor_of("job").flags & CURSOR_PAUSED);
    assert_int_equal(cursor_of("job").flags & CURSOR_QUARANTINED, 0);
    run_to("03:30");
    assert_int_equal(count_calls(), 0);
    resume("job");
    assert_ledger("job", "missed(paused) 02:00-03:00 x2");
}

/* An edit may have corrected the program. */
static void an_edit_ends_the_quarantine(void **state)
{
    (void)state;
    crash_until_quarantined();
    assert_int_equal(update("job", 0, program()).rc, RC_OK);
    assert_int_equal(cursor_of("job").flags & CURSOR_QUARANTINED, 0);
    run_to("02:00");
    assert_true(is_called("job"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(a_program_that_takes_nodes_down_is_quarantined),
        TIMELINE(a_crash_loop_quarantines_no_calls),
        TIMELINE(the_program_that_runs_at_each_crash_is_found),
        TIMELINE(a_release_ends_the_quarantine_and_accounts_for_its_slots),
        TIMELINE(only_a_quarantined_schedule_can_be_released),
        TIMELINE(a_release_keeps_a_pause),
        TIMELINE(an_edit_ends_the_quarantine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
