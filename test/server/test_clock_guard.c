/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests when the wall clock is trusted.  Expected values: the contract in server/clock_guard.h.
 */
#include "server/clock_guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define START INT64_C(1700000000000000)
#define LIMIT SPAN_H

static struct clock_guard new_guard(void)
{
    struct clock_guard guard;

    clock_guard_begin(&guard, LIMIT, INSTANT_NONE);
    clock_guard_read(&guard, START, 0);
    return guard;
}

static void a_clock_without_a_step_is_trusted(void **state)
{
    struct clock_guard guard = new_guard();
    struct clock_reading r = clock_guard_read(&guard, START + SPAN_S, SPAN_S);

    (void)state;
    assert_int_equal(r.now, START + SPAN_S);
    assert_false(r.is_held);
    assert_false(r.has_changed);
    assert_int_equal(r.jump, 0);
}

static void a_small_step_is_followed_and_reported_once(void **state)
{
    struct clock_guard guard = new_guard();
    struct clock_reading r = clock_guard_read(&guard, START + SPAN_S + 10 * SPAN_MIN, SPAN_S);

    (void)state;
    assert_int_equal(r.now, START + SPAN_S + 10 * SPAN_MIN);
    assert_false(r.is_held);
    assert_int_equal(r.jump, 10 * SPAN_MIN);
    r = clock_guard_read(&guard, START + 2 * SPAN_S + 10 * SPAN_MIN, 2 * SPAN_S);
    assert_int_equal(r.jump, 0);
}

static void a_step_of_exactly_the_limit_is_followed(void **state)
{
    struct clock_guard guard = new_guard();

    (void)state;
    assert_false(clock_guard_read(&guard, START + LIMIT, 0).is_held);
}

static void a_step_beyond_the_limit_is_not_followed(void **state)
{
    struct clock_guard guard = new_guard();
    struct clock_reading r = clock_guard_read(&guard, START + LIMIT + 2 * SPAN_S, SPAN_S);

    (void)state;
    assert_true(r.is_held);
    assert_true(r.has_changed);
    assert_int_equal(r.jump, LIMIT + SPAN_S);
    assert_int_equal(r.now, START + SPAN_S);
    r = clock_guard_read(&guard, START + LIMIT + 3 * SPAN_S, 2 * SPAN_S);
    assert_true(r.is_held);
    assert_false(r.has_changed);
    assert_int_equal(r.jump, 0);
    assert_int_equal(r.now, START + 2 * SPAN_S);
}

static void a_step_back_beyond_the_limit_is_not_followed(void **state)
{
    struct clock_guard guard = new_guard();
    struct clock_reading r = clock_guard_read(&guard, START - 2 * SPAN_H, 0);

    (void)state;
    assert_true(r.is_held);
    assert_int_equal(r.jump, -2 * SPAN_H);
    assert_int_equal(r.now, START);
}

static void a_clock_that_steps_back_to_the_right_time_is_trusted_again(void **state)
{
    struct clock_guard guard = new_guard();
    struct clock_reading r;

    (void)state;
    clock_guard_read(&guard, START + SPAN_DAY, 0);
    r = clock_guard_read(&guard, START + SPAN_S, SPAN_S);
    assert_false(r.is_held);
    assert_true(r.has_changed);
    assert_int_equal(r.now, START + SPAN_S);
}

static void an_accepted_clock_is_trusted(void **state)
{
    struct clock_guard guard = new_guard();
    struct clock_reading r;

    (void)state;
    clock_guard_read(&guard, START + SPAN_DAY, 0);
    clock_guard_accept(&guard);
    r = clock_guard_read(&guard, START + SPAN_DAY + SPAN_S, SPAN_S);
    assert_false(r.is_held);
    assert_true(r.has_changed);
    assert_int_equal(r.now, START + SPAN_DAY + SPAN_S);
}

static void a_start_long_after_the_last_turn_is_not_a_step(void **state)
{
    struct clock_guard guard;

    (void)state;
    clock_guard_begin(&guard, LIMIT, START - 30 * SPAN_DAY);
    assert_false(clock_guard_read(&guard, START, 0).is_held);
}

static void a_start_long_before_the_last_turn_is_not_trusted(void **state)
{
    struct clock_guard guard;
    struct clock_reading r;

    (void)state;
    clock_guard_begin(&guard, LIMIT, START);
    r = clock_guard_read(&guard, START - SPAN_DAY, 7);
    assert_true(r.is_held);
    assert_int_equal(r.now, START);
    clock_guard_begin(&guard, LIMIT, START);
    assert_false(clock_guard_read(&guard, START - SPAN_MIN, 7).is_held);
}

static void many_small_steps_in_one_direction_are_followed(void **state)
{
    struct clock_guard guard = new_guard();

    (void)state;
    for (int i = 1; i <= 100; i++)
        assert_false(clock_guard_read(&guard, START + i * (LIMIT - 1), 0).is_held);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clock_without_a_step_is_trusted),
        cmocka_unit_test(a_small_step_is_followed_and_reported_once),
        cmocka_unit_test(a_step_of_exactly_the_limit_is_followed),
        cmocka_unit_test(a_step_beyond_the_limit_is_not_followed),
        cmocka_unit_test(a_step_back_beyond_the_limit_is_not_followed),
        cmocka_unit_test(a_clock_that_steps_back_to_the_right_time_is_trusted_again),
        cmocka_unit_test(an_accepted_clock_is_trusted),
        cmocka_unit_test(a_start_long_after_the_last_turn_is_not_a_step),
        cmocka_unit_test(a_start_long_before_the_last_turn_is_not_trusted),
        cmocka_unit_test(many_small_steps_in_one_direction_are_followed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
