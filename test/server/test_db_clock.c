/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the offset to the clock of a database server.  Expected values: computed from the rule
 * "never ahead of the server".
 */
#include "server/db_clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/prng.h"

static void the_first_sample_sets_the_earliest_offset(void **state)
{
    struct db_clock db_clock = {0};

    (void)state;
    db_clock_sample(&db_clock, 100, 5000, 140);
    assert_true(db_clock.is_known);
    assert_int_equal(db_clock.offset, 4860);
}

static void a_faster_sample_improves_the_offset(void **state)
{
    struct db_clock db_clock = {0};

    (void)state;
    db_clock_sample(&db_clock, 100, 5000, 200);
    db_clock_sample(&db_clock, 300, 5190, 310);
    assert_int_equal(db_clock.offset, 4880);
    db_clock_sample(&db_clock, 400, 5300, 900); /* slow, so less exact: no change */
    assert_int_equal(db_clock.offset, 4880);
}

static void a_server_clock_that_was_set_back_is_followed(void **state)
{
    struct db_clock db_clock = {0};

    (void)state;
    db_clock_sample(&db_clock, 100, 5000, 110);
    db_clock_sample(&db_clock, 200, 3000, 210);
    assert_int_equal(db_clock.offset, 2790);
}

/* A server with a known offset, sampled with random delays. */
static void the_clock_is_never_ahead_and_converges(void **state)
{
    struct db_clock db_clock = {0};
    struct prng prng;
    int64_t boot = 0;

    (void)state;
    prng_seed(&prng, 7);
    for (int i = 0; i < 10000; i++) {
        int64_t before = boot + prng_between(&prng, 1, 1000);
        int64_t at = before + prng_between(&prng, 1, 500);
        int64_t after = at + prng_between(&prng, 1, 500);

        db_clock_sample(&db_clock, before, at + 123456, after);
        assert_true(db_clock.offset <= 123456);
        boot = after;
    }
    assert_in_range(db_clock.offset, 123456 - 5, 123456);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_sample_sets_the_earliest_offset),
        cmocka_unit_test(a_faster_sample_improves_the_offset),
        cmocka_unit_test(a_server_clock_that_was_set_back_is_followed),
        cmocka_unit_test(the_clock_is_never_ahead_and_converges),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
