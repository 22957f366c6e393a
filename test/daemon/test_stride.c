/* SPDX-License-Identifier: Apache-2.0 */
/* Expected values follow from the contract: doubled below half of the goal, halved above it. */
#include "daemon/stride.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { LEAST = 64, MOST = 4096, MUCH = 1000 };

/* The rows after turns of so many ms, each with much to do. */
static int after(struct stride *stride, int turns, int goal_ms, int spent_ms)
{
    const struct stride_turn turn = {
        .done = MUCH, .spent = spent_ms * SPAN_MS, .goal = goal_ms * SPAN_MS, .most = MOST};

    for (int i = 0; i < turns; i++)
        stride_adapt(stride, &turn);
    return stride->rows;
}

static void quick_turns_become_larger_up_to_the_most(void **state)
{
    struct stride stride;

    (void)state;
    stride_begin(&stride);
    assert_int_equal(stride.rows, LEAST);
    assert_int_equal(after(&stride, 1, 25, 12), 2 * LEAST);
    assert_int_equal(after(&stride, 5, 25, 12), MOST);
    assert_int_equal(after(&stride, 5, 25, 12), MOST);
}

static void slow_turns_become_smaller_down_to_the_least(void **state)
{
    struct stride stride = {.rows = 300};

    (void)state;
    assert_int_equal(after(&stride, 1, 25, 26), 150);
    assert_int_equal(after(&stride, 1, 25, 26), 75);
    assert_int_equal(after(&stride, 3, 25, 26), LEAST);
}

/* turn_ms: of the same turns one server makes larger ones, another smaller ones. */
static void the_goal_is_the_configurations(void **state)
{
    struct stride same = {.rows = 1024}, patient = same, hasty = same;

    (void)state;
    assert_int_equal(after(&same, 3, 25, 20), 1024);
    assert_int_equal(after(&patient, 1, 100, 20), 2048);
    assert_int_equal(after(&hasty, 1, 10, 20), 512);
}

/* Small turns of 10 ms: a large one may take five times as long, whatever the goal is. */
static void what_every_turn_costs_is_no_reason_for_small_ones(void **state)
{
    const struct stride_turn small = {
        .done = 1, .spent = 10 * SPAN_MS, .goal = 10 * SPAN_MS, .most = MOST};
    struct stride stride;

    (void)state;
    stride_begin(&stride);
    for (int i = 0; i < 100; i++)
        stride_adapt(&stride, &small);
    stride.rows = 1024;
    assert_int_equal(after(&stride, 3, 10, 48), 1024);
    assert_int_equal(after(&stride, 1, 10, 51), 512);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quick_turns_become_larger_up_to_the_most),
        cmocka_unit_test(slow_turns_become_smaller_down_to_the_least),
        cmocka_unit_test(the_goal_is_the_configurations),
        cmocka_unit_test(what_every_turn_costs_is_no_reason_for_small_ones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
