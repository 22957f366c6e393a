/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A slot of 6:00 without an account, turns after it, and a pause since 6:30: which of the turns
 * must have decided the slot (docs/invariants.md, "Paused or disabled at the end").
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "judging.h"

static struct world world;
static struct world *const w = &world;

static int make(void **state)
{
    (void)state;
    world_make(w);
    return 0;
}

static struct rec_turn *turn_of(const struct rec_command *command)
{
    return &w->turns[command->order];
}

static void pause_since(instant at)
{
    struct rec_command *c = world_command(w, at, COMMAND_PAUSE);

    c->command.pause.until = INSTANT_NEVER;
    c->reply.version = w->cursors[0].version = 2;
    world_close(w, at + 10 * SPAN_S, AT(5, 0));
    w->cursors[0].flags = CURSOR_PAUSED;
    w->cursors[0].wake_at = INSTANT_NEVER;
}

/* The disk was full from 5:50 on. */
static void fill_disk(const struct rec_command *before)
{
    w->faults[0] = (struct rec_fault){
        .order = before->order, .at = AT(5, 50), .kind = FAULT_DISK_FULL, .node = NODE};
    w->record.fault_count = 1;
}

static void a_small_turn_after_a_full_disk_need_not_see_all_schedules(void **state)
{
    struct rec_command *before = world_command(w, AT(5, 40), COMMAND_RESET);
    struct rec_command *after = world_command(w, AT(6, 20), COMMAND_RESET);

    (void)state;
    pause_since(AT(6, 30));
    assert_rejected(w, 25);
    fill_disk(before);
    assert_rejected(w, 25);
    turn_of(after)->is_partial = true;
    assert_accepted(w);
    w->faults[0].kind = FAULT_KILL;
    assert_rejected(w, 25);
}

static void a_turn_before_the_disk_was_full_sees_all_schedules(void **state)
{
    struct rec_command *before = world_command(w, AT(6, 20), COMMAND_RESET);

    (void)state;
    pause_since(AT(6, 30));
    turn_of(before)->is_partial = true;
    fill_disk(before);
    assert_rejected(w, 25);
}

static void a_turn_that_leaves_nothing_to_the_next_one_sees_all_schedules(void **state)
{
    struct rec_command *before = world_command(w, AT(5, 40), COMMAND_RESET);
    struct rec_command *small = world_command(w, AT(6, 20), COMMAND_RESET);

    (void)state;
    (void)world_command(w, AT(6, 21), COMMAND_RESET);
    pause_since(AT(6, 30));
    fill_disk(before);
    turn_of(small)->is_partial = true;
    assert_rejected(w, 25);
}

#define TEST(name) cmocka_unit_test_setup(name, make)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_small_turn_after_a_full_disk_need_not_see_all_schedules),
        TEST(a_turn_before_the_disk_was_full_sees_all_schedules),
        TEST(a_turn_that_leaves_nothing_to_the_next_one_sees_all_schedules),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
