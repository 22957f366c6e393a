/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two nodes on one PostgreSQL plan all schedules again after calendars have changed, and one of
 * them dies.
 */
#include "harness.h"

enum { MUCH = 700 }; /* schedules: three batches */

static void name_job(char name[static 16], int i)
{
    snprintf(name, 16, "job-%02d", i);
}

/* Days are counted from 1970; 2022-06-01 is 19144. */
static void put_calendar(struct test_node *node, int32_t day)
{
    struct command command = command_for(COMMAND_CALENDAR, "holidays");
    struct turn_in in = {.commands = &command, .command_count = 1, .now = world.now};
    struct turn_out out;
    struct err err;

    command.days = (struct str){(const char *)&day, sizeof day};
    assert_int_equal(engine_turn(node->engine, &in, &out, &err), RC_OK);
    assert_int_equal(out.replies[0].rc, RC_OK);
}

/* Daily schedules without holidays, in more batches than one. */
static void create_daily(void)
{
    static struct str holidays = {"holidays", 8};
    struct test_schedule w = every(SPAN_DAY);
    char name[16];

    put_calendar(&world.nodes[0], 19150);
    w.def.not_named = &holidays;
    w.def.not_named_count = 1;
    for (int i = 0; i < MUCH; i++) {
        name_job(name, i);
        create(name, w);
    }
    settle();
}

/* All schedules skip 2 June. */
static void assert_planned(void)
{
    char name[16];

    for (int i = 0; i < MUCH; i++) {
        name_job(name, i);
        assert_at(cursor_of(name).next_at, "06-03 00:00");
    }
}

/*
 * Node b plans again after its own edit.  Before its last batch, a edits the calendar again,
 * and dies when it has planned the first schedules: b does not plan those that it has passed.
 */
static void a_pass_does_not_hide_the_unfinished_pass_of_another_node(void **state)
{
    struct test_node *a = &world.nodes[0], *b = world_join("b");

    (void)state;
    create_daily();
    put_calendar(b, 19151);
    turn(b);
    turn(b);
    put_calendar(a, 19145);
    turn(a);
    turn(b);
    turn(b);
    node_kill(a);
    node_boot(a);
    settle();
    assert_planned();
}

/* It never returns: the node that takes over its runs plans the rest. */
static void the_pass_of_a_node_that_never_returns_is_finished(void **state)
{
    struct test_node *a = &world.nodes[0];

    (void)state;
    (void)world_join("b");
    world.tick = SPAN_S;
    create_daily();
    put_calendar(a, 19145);
    turn(a);
    node_kill(a);
    run_to("00:01");
    assert_planned();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(a_pass_does_not_hide_the_unfinished_pass_of_another_node),
        TIMELINE(the_pass_of_a_node_that_never_returns_is_finished),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
