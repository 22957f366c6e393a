/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the size of turns.  Expected values: the target divided by the recent cost of a row. */
#include "server/batch_size.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "engine/turn.h"

enum { LEAST = 64, MOST = 4096, FIRST = 1024, MANY = 40, TARGET_MS = 25 };

/* Returns the rows after turns with this cost per row, in microseconds. */
static int rows_after(struct batch_size *batch, int turns, int target_ms, int row_us)
{
    for (int i = 0; i < turns; i++) {
        const struct batch_turn turn = {.items = batch->rows,
                                        .rows = batch->rows,
                                        .took = (span)batch->rows * row_us,
                                        .target = target_ms * SPAN_MS,
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

static void the_first_size_is_1024_or_the_configured_maximum(void **state)
{
    struct batch_size batch = new_batch();

    (void)state;
    assert_int_equal(batch.rows, FIRST);
    batch_size_begin(&batch, 100);
    assert_int_equal(batch.rows, 100);
}

/* 25 ms are 2,500 rows of 10 us; halfway from the initial 25 us is 17.5 us. */
static void rows_are_the_target_divided_by_the_cost_of_a_row(void **state)
{
    struct batch_size batch = new_batch();

    (void)state;
    assert_int_equal(rows_after(&batch, 1, TARGET_MS, 10), 1428);
    assert_in_range(rows_after(&batch, MANY, TARGET_MS, 10), 2490, 2500);
}

static void rows_stay_between_minimum_and_maximum(void **state)
{
    struct batch_size batch = new_batch();

    (void)state;
    assert_int_equal(rows_after(&batch, MANY, TARGET_MS, 1), MOST);
    assert_int_equal(rows_after(&batch, MANY, TARGET_MS, 5000), LEAST);
}

/* turn_ms: the same row cost gives larger or smaller turns. */
static void turn_ms_sets_the_target(void **state)
{
    struct batch_size slow = new_batch(), fast = new_batch();

    (void)state;
    assert_in_range(rows_after(&slow, MANY, 50, 25), 1990, 2000);
    assert_in_range(rows_after(&fast, MANY, 10, 25), 395, 400);
}

/* Small turns take 10 ms: a large turn may take five times as long, with any target. */
static void a_large_overhead_does_not_shrink_turns(void **state)
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

static void turns_with_few_rows_or_many_commands_do_not_change_the_size(void **state)
{
    const struct batch_turn few = {.items = 63,
                                   .rows = 63,
                                   .took = SPAN_S,
                                   .target = TARGET_MS * SPAN_MS,
                                   .rows_max = MOST};
    const struct batch_turn commands = {.items = 1500,
                                        .rows = 500,
                                        .commands = 1000,
                                        .took = SPAN_S,
                                        .target = TARGET_MS * SPAN_MS,
                                        .rows_max = MOST};
    struct batch_size batch = new_batch();

    (void)state;
    batch_size_adapt(&batch, &few);
    batch_size_adapt(&batch, &commands);
    assert_int_equal(batch.rows, FIRST);
}

/* A turn has 16 commands of large requests first; they may compute for a fifth of 25 ms. */
static void commands_of_large_requests_follow_the_processor_time_of_turns(void **state)
{
    struct batch_size batch = new_batch();
    struct batch_turn turn = {.items = 16,
                              .commands = 16,
                              .bulk = 16,
                              .took = SPAN_S, /* a slow disk does not matter */
                              .computed = 2 * SPAN_MS,
                              .target = TARGET_MS * SPAN_MS,
                              .rows_max = MOST};

    (void)state;
    assert_int_equal(batch.bulk, 16);
    batch_size_adapt(&batch, &turn);
    assert_int_equal(batch.bulk, 32);
    batch_size_adapt(&batch, &turn); /* 16 of 32: nothing is known about 32 */
    assert_int_equal(batch.bulk, 32);
    turn.computed = 6 * SPAN_MS;
    batch_size_adapt(&batch, &turn);
    assert_int_equal(batch.bulk, 16);
    for (int i = 0; i < MANY; i++)
        batch_size_adapt(&batch, &turn);
    assert_int_equal(batch.bulk, 1);
    turn.computed = SPAN_MS;
    for (int i = 0; i < MANY; i++) {
        turn.bulk = batch.bulk;
        batch_size_adapt(&batch, &turn);
    }
    assert_int_equal(batch.bulk, TURN_COMMANDS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_size_is_1024_or_the_configured_maximum),
        cmocka_unit_test(rows_are_the_target_divided_by_the_cost_of_a_row),
        cmocka_unit_test(rows_stay_between_minimum_and_maximum),
        cmocka_unit_test(turn_ms_sets_the_target),
        cmocka_unit_test(commands_of_large_requests_follow_the_processor_time_of_turns),
        cmocka_unit_test(a_large_overhead_does_not_shrink_turns),
        cmocka_unit_test(turns_with_few_rows_or_many_commands_do_not_change_the_size),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
