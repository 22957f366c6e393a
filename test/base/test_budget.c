/* SPDX-License-Identifier: Apache-2.0 */
/* Trials: work that is done again, with more steps, if it is not complete. */
#include "base/budget.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void only_a_trial_counts_other_work(void **state)
{
    struct budget trial = {.left = 10, .is_trial = true}, other = {.left = 10};

    (void)state;
    assert_true(budget_try(&trial, 10));
    assert_false(budget_try(&trial, 1));
    assert_true(trial.is_over);
    assert_true(budget_try(&other, 11));
    assert_int_equal(other.left, 10);
    assert_true(budget_try(NULL, 1));
}

/* An item may have 10 steps, and gets half of what is left if that is less. */
static bool item_is_over_after(struct budget *whole, int64_t steps)
{
    struct budget part = budget_part(whole, 10);
    int64_t given = part.left;

    (void)!budget_spend(&part, steps);
    budget_join(whole, given, &part);
    return part.is_over;
}

static void a_trial_is_over_if_an_item_got_too_few_steps(void **state)
{
    struct budget trial = {.left = 30, .is_trial = true}, other = {.left = 30};

    (void)state;
    assert_true(item_is_over_after(&trial, 11)); /* it would have no more elsewhere */
    assert_false(trial.is_over);
    assert_false(item_is_over_after(&trial, 5));
    assert_true(item_is_over_after(&trial, 9));
    assert_true(trial.is_over);
    assert_true(item_is_over_after(&other, 11));
    assert_false(item_is_over_after(&other, 5));
    assert_true(item_is_over_after(&other, 9));
    assert_false(other.is_over);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_a_trial_counts_other_work),
        cmocka_unit_test(a_trial_is_over_if_an_item_got_too_few_steps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
