/* SPDX-License-Identifier: Apache-2.0 */
/* Expected values: a second implementation of Jenkins' algorithm. */
#include "core/cron/cron_hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { DRAWS = 10 };

static const int bounds[DRAWS] = {60, 24, 28, 12, 7, 1, 32, 15, 3, 1000000007};

/*
 * Drawn by a second implementation in Python (MD5 of hashlib).  The lengths are on both sides
 * of the block boundaries of MD5.
 */
static const struct {
    const char *unit;
    int times;
    int draws[DRAWS];
} rows[] = {
    {"build-all", 1, {59, 19, 14, 5, 6, 0, 1, 7, 2, 161676260}},
    {"my job", 1, {42, 7, 21, 8, 6, 0, 3, 14, 1, 689609608}},
    {"folder/nightly", 1, {56, 7, 14, 2, 4, 0, 19, 10, 0, 4602077}},
    {"x", 1, {33, 7, 20, 1, 0, 0, 27, 0, 0, 477981293}},
    {"\xc3\x9cn\xc3\xaf"
     "code/\xe4\xbd\x9c\xe4\xb8\x9a",
     1,
     {43, 2, 17, 4, 4, 0, 4, 9, 1, 40385028}},
    {"a", 55, {35, 5, 3, 9, 3, 0, 23, 0, 1, 42807503}},
    {"b", 56, {56, 7, 4, 5, 3, 0, 15, 1, 2, 612751225}},
    {"c", 64, {35, 21, 3, 5, 0, 0, 7, 7, 0, 611166226}},
    {"d", 200, {22, 19, 7, 8, 6, 0, 16, 2, 0, 865821779}},
};

static void draws_are_those_of_jenkins(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t len = strlen(rows[i].unit);
        struct cron_hash hash;
        char seed[256];

        for (int k = 0; k < rows[i].times; k++)
            memcpy(seed + (size_t)k * len, rows[i].unit, len);
        hash = cron_hash((struct str){seed, len * (size_t)rows[i].times});
        for (int k = 0; k < DRAWS; k++)
            assert_int_equal(cron_hash_draw(&hash, bounds[k]), rows[i].draws[k]);
    }
}

static void without_a_seed_every_draw_is_the_lowest(void **state)
{
    struct cron_hash hash = cron_hash(STR(""));

    (void)state;
    for (int bound = 1; bound < 100; bound++)
        assert_int_equal(cron_hash_draw(&hash, bound), 0);
}

static void draws_reach_every_value_and_stay_below_the_bound(void **state)
{
    struct cron_hash hash = cron_hash(STR("spread"));

    (void)state;
    for (int bound = 1; bound <= 60; bound++) {
        uint64_t seen = 0;

        for (int i = 0; i < 2000; i++) {
            int n = cron_hash_draw(&hash, bound);

            assert_in_range(n, 0, bound - 1);
            seen |= UINT64_C(1) << n;
        }
        assert_true(seen == (UINT64_C(1) << bound) - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_are_those_of_jenkins),
        cmocka_unit_test(without_a_seed_every_draw_is_the_lowest),
        cmocka_unit_test(draws_reach_every_value_and_stay_below_the_bound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
