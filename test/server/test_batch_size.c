/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the size of turns.  Expected values: the target divided by the recent cost of a row. */
#include "server/batch_size.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { LEAST = 64, MOST = 4096, FIRST = 1024, MANY = 40, GOAL_MS = 25 };

/* Returns the rows after turns with this cost per row, in microseconds. */
static int rows_after(struct batch_size *batch, int turns, int goal_ms, int row_us)
{
    for (int i = 0; i < turns; i++) {
        const struct batch_turn turn = {.items = batch->rows,
                                        .rows = batch->rows,
                                        .took = (span)batch->rows * row_us,
                                        .target = goal_ms * SPAN_MS,
                                        .rows_max = MOST};

        batch_size_adapt(batch, &turn);
    }
    return batch->rows;
}

static struct batch_size new_batch(void)
{
    struct batch_size batch;

    batch_size_begin(&batch, MOST);
    return batch;
}

static void a_server_begins_with_a_guess_within_what_it_may(void **state)
{
    struct batch_size batch = new_batch();

    (void)state;
    assert_int_equal(batch.rows, FIRST);
    batch_size_begin(&batch, 100);
    assert_int_equal(batch.rows, 100);
}

/* 25 ms are 2,500 rows of 10 us; halfway from the initial 25 us is 17.5 us. */
static void rows_are_as_many_as_the_goal_has_room_for(void **state)
{
    struct batch_size batch = new_batch();

    (void)state;
    assert_int_equal(rows_after(&batch, 1, GOAL_MS, 10), 1428);
    assert_in_range(rows_after(&batch, MANY, GOAL_MS, 10), 2490, 2500);
}

static void they_stay_within_their_limits(void **state)
{
    struct batch_size batch = new_batch();

    (void)state;
    assert_int_equal(rows_after(&batch, MANY, GOAL_MS, 1), MOST);
    assert_int_equal(rows_after(&batch, MANY, GOAL_MS, 5000), LEAST);
}

/* turn_ms: the same row cost gives larger or smaller turns. */
static void the_goal_is_the_configurations(void **state)
{
    struct batch_size patient = new_batch(), hasty = new_batch();

    (void)state;
    assert_in_range(rows_after(&patient, MANY, 50, 25), 1990, 2000);
    assert_in_range(rows_after(&hasty, MANY, 10, 25), 395, 400);
}

/* Small turns take 10 ms: a large turn may take five times as long, with any target. */
static void what_every_turn_costs_is_no_reason_for_small_ones(void **state)
{
    const struct batch_turn small = {
        .items = 1, .took = 10 * SPAN_MS, .target = 10 * SPAN_MS, .rows_max = MOST};
    struct batch_size batch = new_batch();

    (void)state;
    for (int i = 0; i < 100; i++)
        batch_size_adapt(&batch, &small);
    assert_int_equal(batch.rows, FIRST);
    assert_in_range(rows_after(&batch, MANY, 10, 50), 980, 1000);
}

static void turns_of_few_rows_or_of_commands_say_nothing_about_rows(void **state)
{
    const struct batch_turn few = {
        .items = 63, .rows = 63, .took = SPAN_S, .target = GOAL_MS * SPAN_MS, .rows_max = MOST};
    const struct batch_turn commands = {.items = 1500,
                                        .rows = 500,
                                        .commands = 1000,
                                        .took = SPAN_S,
                                        .target = GOAL_MS * SPAN_MS,
                                        .rows_max = MOST};
    struct batch_size batch = new_batch();

    (void)state;
    batch_size_adapt(&batch, &few);
    batch_size_adapt(&batch, &commands);
    assert_int_equal(batch.rows, FIRST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_server_begins_with_a_guess_within_what_it_may),
        cmocka_unit_test(rows_are_as_many_as_the_goal_has_room_for),
        cmocka_unit_test(they_stay_within_their_limits),
        cmocka_unit_test(the_goal_is_the_configurations),
        cmocka_unit_test(what_every_turn_costs_is_no_reason_for_small_ones),
        cmocka_unit_test(turns_of_few_rows_or_of_commands_say_nothing_about_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
