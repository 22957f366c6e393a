/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expected values: the outputs of the reference code of xoshiro256** from the state 1, 2, 3,
 * 4, as published with several libraries; for seeds, a second implementation in Python that
 * gives those and the published outputs of splitmix64.
 */
#include "base/prng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "aborts.h"

static void the_generator_is_the_published_one(void **state)
{
    static const uint64_t published[] = {
        UINT64_C(11520),
        UINT64_C(0),
        UINT64_C(1509978240),
        UINT64_C(1215971899390074240),
        UINT64_C(1216172134540287360),
        UINT64_C(607988272756665600),
        UINT64_C(16172922978634559625),
        UINT64_C(8476171486693032832),
        UINT64_C(10595114339597558777),
        UINT64_C(2904607092377533576),
    };
    struct prng prng = {{1, 2, 3, 4}};

    (void)state;
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        assert_int_equal(prng_next(&prng), published[i]);
}

static void the_state_is_filled_by_splitmix64(void **state)
{
    /* The first four outputs of splitmix64 for the seed 1234567, as published. */
    static const uint64_t published[] = {
        UINT64_C(6457827717110365317),
        UINT64_C(3203168211198807973),
        UINT64_C(9817491932198370423),
        UINT64_C(4593380528125082431),
    };
    struct prng prng;

    (void)state;
    prng_seed(&prng, 1234567);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(prng.s[i], published[i]);
}

static void every_seed_has_its_own_sequence(void **state)
{
    static const struct {
        uint64_t seed;
        uint64_t expected[4];
    } sequences[] = {
        {0,
         {UINT64_C(0x99ec5f36cb75f2b4), UINT64_C(0xbf6e1f784956452a),
          UINT64_C(0x1a5f849d4933e6e0), UINT64_C(0x6aa594f1262d2d2c)}},
        {1,
         {UINT64_C(0xb3f2af6d0fc710c5), UINT64_C(0x853b559647364cea),
          UINT64_C(0x92f89756082a4514), UINT64_C(0x642e1c7bc266a3a7)}},
        {42,
         {UINT64_C(0x15780b2e0c2ec716), UINT64_C(0x6104d9866d113a7e),
          UINT64_C(0xae17533239e499a1), UINT64_C(0xecb8ad4703b360a1)}},
        {UINT64_MAX,
         {UINT64_C(0x8f5520d52a7ead08), UINT64_C(0xc476a018caa1802d),
          UINT64_C(0x81de31c0d260469e), UINT64_C(0xbf658d7e065f3c2f)}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++) {
        struct prng prng;

        prng_seed(&prng, sequences[i].seed);
        for (int n = 0; n < 4; n++)
            assert_int_equal(prng_next(&prng), sequences[i].expected[n]);
    }
}

static void the_thousandth_draw_is_that_of_the_second_implementation(void **state)
{
    struct prng prng;

    (void)state;
    prng_seed(&prng, 42);
    for (int i = 1; i < 1000; i++)
        prng_next(&prng);
    assert_int_equal(prng_next(&prng), UINT64_C(0x8de5848c61ab8968));
}

static void small_numbers_are_drawn_equally_often(void **state)
{
    /* Per number; five standard deviations are allowed, each at most 100. */
    enum { DRAWS = 10000 };
    struct prng prng;

    (void)state;
    prng_seed(&prng, 7);
    for (uint64_t n = 1; n <= 12; n++) {
        int seen[12] = {0};

        for (uint64_t i = 0; i < DRAWS * n; i++) {
            uint64_t x = prng_below(&prng, n);

            assert_true(x < n);
            seen[x]++;
        }
        for (uint64_t x = 0; x < n; x++)
            assert_in_range(seen[x], DRAWS - 500, DRAWS + 500);
    }
}

static void large_bounds_do_not_favour_small_numbers(void **state)
{
    /* With n of 3/4 of 2^64, a plain remainder would give the lowest third half of all. */
    const uint64_t n = UINT64_C(3) << 62;
    struct prng prng;
    int low = 0;

    (void)state;
    prng_seed(&prng, 8);
    for (int i = 0; i < 30000; i++) {
        uint64_t x = prng_below(&prng, n);

        assert_true(x < n);
        low += x < n / 3;
    }
    assert_in_range(low, 10000 - 500, 10000 + 500);
}

static void a_chance_comes_true_as_often_as_it_says(void **state)
{
    struct prng prng;

    (void)state;
    prng_seed(&prng, 9);
    for (uint64_t num = 0; num <= 5; num++) {
        int yes = 0;

        for (int i = 0; i < 10000; i++)
            yes += prng_chance(&prng, num, 5);
        if (num == 0 || num == 5)
            assert_int_equal(yes, num * 2000);
        else
            assert_in_range(yes, num * 2000 - 250, num * 2000 + 250);
    }
}

static void what_a_chance_draws_does_not_depend_on_how_likely_it_is(void **state)
{
    struct prng never, always;

    (void)state;
    prng_seed(&never, 10);
    prng_seed(&always, 10);
    for (int i = 0; i < 1000; i++) {
        assert_false(prng_chance(&never, 0, UINT64_C(3) << 62));
        assert_true(prng_chance(&always, UINT64_C(3) << 62, UINT64_C(3) << 62));
    }
    assert_int_equal(prng_next(&never), prng_next(&always));
}

static void both_ends_of_a_range_are_reached_and_never_left(void **state)
{
    static const struct {
        int64_t lo, hi;
    } ranges[] = {{-3, 3},
                  {5, 5},
                  {-9, -7},
                  {0, 1},
                  {INT64_MIN, INT64_MIN + 2},
                  {INT64_MAX - 2, INT64_MAX}};
    struct prng prng;

    (void)state;
    prng_seed(&prng, 11);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        bool low = false, high = false;

        for (int n = 0; n < 1000; n++) {
            int64_t x = prng_between(&prng, ranges[i].lo, ranges[i].hi);

            assert_true(x >= ranges[i].lo && x <= ranges[i].hi);
            low = low || x == ranges[i].lo;
            high = high || x == ranges[i].hi;
        }
        assert_true(low && high);
    }
}

static void the_widest_ranges_do_not_wrap(void **state)
{
    struct prng prng;
    int negative = 0;

    (void)state;
    prng_seed(&prng, 12);
    for (int i = 0; i < 10000; i++) {
        negative += prng_between(&prng, INT64_MIN, INT64_MAX) < 0;
        assert_true(prng_between(&prng, INT64_MIN, INT64_MAX - 1) < INT64_MAX);
        assert_true(prng_between(&prng, -1, INT64_MAX) >= -1);
    }
    assert_in_range(negative, 5000 - 250, 5000 + 250);
}

static void draw(void *arg)
{
    prng_next(arg);
}

static void draw_below_nothing(void *arg)
{
    prng_below(arg, 0);
}

static void draw_more_than_certain(void *arg)
{
    prng_chance(arg, 6, 5);
}

static void draw_from_a_reversed_range(void *arg)
{
    prng_between(arg, 1, 0);
}

static void misuse_aborts(void **state)
{
    struct prng unseeded = {{0}}, seeded;

    (void)state;
    prng_seed(&seeded, 0);
    assert_false(aborts(draw, &seeded));
    assert_true(aborts(draw, &unseeded));
    assert_true(aborts(draw_below_nothing, &seeded));
    assert_true(aborts(draw_more_than_certain, &seeded));
    assert_true(aborts(draw_from_a_reversed_range, &seeded));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_generator_is_the_published_one),
        cmocka_unit_test(the_state_is_filled_by_splitmix64),
        cmocka_unit_test(every_seed_has_its_own_sequence),
        cmocka_unit_test(the_thousandth_draw_is_that_of_the_second_implementation),
        cmocka_unit_test(small_numbers_are_drawn_equally_often),
        cmocka_unit_test(large_bounds_do_not_favour_small_numbers),
        cmocka_unit_test(a_chance_comes_true_as_often_as_it_says),
        cmocka_unit_test(what_a_chance_draws_does_not_depend_on_how_likely_it_is),
        cmocka_unit_test(both_ends_of_a_range_are_reached_and_never_left),
        cmocka_unit_test(the_widest_ranges_do_not_wrap),
        cmocka_unit_test(misuse_aborts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
