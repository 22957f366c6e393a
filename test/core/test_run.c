/* SPDX-License-Identifier: Apache-2.0 */
/* The transitions of a run: a row per state, a letter per next state. */
#include "core/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* held, approval, ready, gated, leased, running, backoff, ended: x if the change is allowed. */
static const char *const steps[] = {
    [RUN_HELD] = ".xx....x",    [RUN_APPROVAL] = "..x....x", [RUN_READY] = "...xx..x",
    [RUN_GATED] = "..x....x",   [RUN_LEASED] = "..x..xxx",   [RUN_RUNNING] = "..x...xx",
    [RUN_BACKOFF] = "..x....x", [RUN_ENDED] = "........",
};

static void a_run_takes_the_steps_of_the_table_and_no_other(void **state)
{
    (void)state;
    for (int from = RUN_HELD; from <= RUN_ENDED; from++)
        for (int to = RUN_HELD; to <= RUN_ENDED; to++)
            if (run_may((enum run_state)from, (enum run_state)to) !=
                (steps[from][to - RUN_HELD] == 'x'))
                fail_msg("from %s to %s", run_state_text((enum run_state)from),
                         run_state_text((enum run_state)to));
}

static void setting_the_state_takes_each_step_of_the_table(void **state)
{
    (void)state;
    for (int from = RUN_HELD; from <= RUN_ENDED; from++)
        for (int to = RUN_HELD; to <= RUN_ENDED; to++) {
            struct run run = {.state = (enum run_state)from};

            if (steps[from][to - RUN_HELD] != 'x')
                continue;
            run_set_state(&run, (enum run_state)to);
            assert_int_equal(run.state, to);
        }
}

static void stored_numbers_have_the_words_of_the_model(void **state)
{
    static const char *const kinds[] = {"slot", "trigger", "backfill", "direct", "test"};
    static const char *const states[] = {"held",   "approval", "ready",   "held",
                                         "leased", "running",  "backoff", "ended"};

    (void)state;
    for (int i = 0; i < 5; i++)
        assert_string_equal(run_kind_text((enum run_kind)i), kinds[i]);
    for (int i = 0; i < 8; i++)
        assert_string_equal(run_state_text((enum run_state)(i + 1)), states[i]);
}

static void one_step_of_priority_is_worth_five_minutes_of_waiting(void **state)
{
    const instant due = INT64_C(1735689600000000);

    (void)state;
    assert_int_equal(run_rank(due, 5), due - 25 * SPAN_MIN);
    assert_int_equal(run_rank(due, 6), run_rank(due - 5 * SPAN_MIN, 5));
    assert_true(run_rank(due, 10) < run_rank(due, 1));
}

static void leased_and_running_runs_are_claimed(void **state)
{
    (void)state;
    for (int i = RUN_HELD; i <= RUN_ENDED; i++)
        assert_int_equal(run_is_claimed((enum run_state)i), i == 5 || i == 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_takes_the_steps_of_the_table_and_no_other),
        cmocka_unit_test(setting_the_state_takes_each_step_of_the_table),
        cmocka_unit_test(stored_numbers_have_the_words_of_the_model),
        cmocka_unit_test(one_step_of_priority_is_worth_five_minutes_of_waiting),
        cmocka_unit_test(leased_and_running_runs_are_claimed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
