/* SPDX-License-Identifier: Apache-2.0 */
/* Expected values: an array of the indexes of all keys, changed by the rules of base/map.h. */
#include "base/map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>

#include <cmocka.h>

#include "aborts.h"
#include "base/prng.h"

#if defined(__has_feature)
#define IS_INSTRUMENTED __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define IS_INSTRUMENTED 1
#else
#define IS_INSTRUMENTED 0
#endif

static long allocations;

/* The sanitizer has its own allocator, which the test must not replace. */
#if !IS_INSTRUMENTED
void *__libc_calloc(size_t count, size_t size);

void *calloc(size_t count, size_t size)
{
    allocations++;
    return __libc_calloc(count, size);
}
#endif

enum { KEYS_MAX = 3000 };

/* The map and its expected content; key number k is key_of(k). */
struct pair {
    struct map *map;
    int32_t expected[KEYS_MAX]; /* MAP_NONE if the key is absent */
    size_t count;
    int keys;
    int64_t step;
};

/* Keys of both signs, and with a large step near both ends of int64. */
static int64_t key_of(const struct pair *pair, int k)
{
    return (int64_t)((uint64_t)(k - pair->keys / 2) * (uint64_t)pair->step);
}

static void expect_nothing(struct pair *pair)
{
    for (int k = 0; k < KEYS_MAX; k++)
        pair->expected[k] = MAP_NONE;
    pair->count = 0;
}

static void put(struct pair *pair, int k, int32_t index)
{
    map_put(pair->map, key_of(pair, k), index);
    pair->count += pair->expected[k] == MAP_NONE;
    pair->expected[k] = index;
}

static void drop(struct pair *pair, int k)
{
    assert_int_equal(map_remove(pair->map, key_of(pair, k)), pair->expected[k]);
    pair->count -= pair->expected[k] != MAP_NONE;
    pair->expected[k] = MAP_NONE;
}

static void compare_all(const struct pair *pair)
{
    assert_int_equal(map_count(pair->map), pair->count);
    for (int k = 0; k < pair->keys; k++)
        assert_int_equal(map_find(pair->map, key_of(pair, k)), pair->expected[k]);
}

/* `puts` of 100 changes put: above 50 the map fills up, below 50 it stays sparse. */
static void act_at_random(struct pair *pair, struct prng *prng, int actions, uint64_t puts)
{
    for (int i = 0; i < actions; i++) {
        int k = (int)prng_below(prng, (uint64_t)pair->keys);

        if (prng_chance(prng, 1, 3))
            assert_int_equal(map_find(pair->map, key_of(pair, k)), pair->expected[k]);
        else if (prng_chance(prng, puts, 100))
            put(pair, k, (int32_t)prng_between(prng, 0, INT32_MAX));
        else
            drop(pair, k);
        assert_int_equal(map_count(pair->map), pair->count);
    }
}

static void compare_with_an_array(uint64_t seed, int keys, int64_t step)
{
    struct pair pair = {.map = map_new(0), .keys = keys, .step = step};
    struct prng prng;

    prng_seed(&prng, seed);
    expect_nothing(&pair);
    for (int round = 0; round < 4; round++) {
        act_at_random(&pair, &prng, 5000, 90);
        compare_all(&pair);
        act_at_random(&pair, &prng, 5000, 20);
        compare_all(&pair);
        if (round % 2 == 1) {
            map_clear(pair.map);
            expect_nothing(&pair);
            compare_all(&pair);
        }
    }
    assert_null(map_free(pair.map));
}

static void random_changes_leave_what_an_array_would_hold(void **state)
{
    static const int keys[] = {1, 2, 11, 12, 13, 100, KEYS_MAX};
    static const int64_t steps[] = {1, 16, 1000000, INT64_MAX / (KEYS_MAX / 2)};
    uint64_t seed = 1;

    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        for (size_t n = 0; n < sizeof steps / sizeof *steps; n++)
            compare_with_an_array(seed++, keys[i], steps[n]);
}

static void a_map_grows_key_by_key_and_loses_none(void **state)
{
    struct pair pair = {.map = map_new(0), .keys = KEYS_MAX, .step = 1};

    (void)state;
    expect_nothing(&pair);
    for (int k = 0; k < KEYS_MAX; k++) {
        put(&pair, k, k);
        if (k % 100 == 0)
            compare_all(&pair);
    }
    compare_all(&pair);
    for (int k = 0; k < KEYS_MAX; k += 3)
        drop(&pair, k);
    compare_all(&pair);
    map_free(pair.map);
}

static void a_second_put_replaces_the_index(void **state)
{
    struct map *map = map_new(0);

    (void)state;
    map_put(map, INT64_MIN, 0);
    map_put(map, INT64_MIN, INT32_MAX);
    map_put(map, INT64_MAX, 0);
    assert_int_equal(map_count(map), 2);
    assert_int_equal(map_find(map, INT64_MIN), INT32_MAX);
    assert_int_equal(map_find(map, INT64_MAX), 0);
    assert_int_equal(map_remove(map, INT64_MIN), INT32_MAX);
    assert_int_equal(map_remove(map, INT64_MIN), MAP_NONE);
    assert_int_equal(map_count(map), 1);
    map_free(map);
}

static void a_new_map_has_no_key_not_even_zero(void **state)
{
    struct map *map = map_new(1000);

    (void)state;
    assert_int_equal(map_count(map), 0);
    for (int64_t key = -100; key <= 100; key++) {
        assert_int_equal(map_find(map, key), MAP_NONE);
        assert_int_equal(map_remove(map, key), MAP_NONE);
    }
    assert_null(map_free(map));
    assert_null(map_free(NULL));
}

static void cleared_keys_stay_absent(void **state)
{
    struct map *map = map_new(0);

    (void)state;
    /* Three times as many rounds as a slot can distinguish; in some of them a key stays. */
    for (int32_t round = 0; round < 200000; round++) {
        if (round % 10000 == 0)
            map_put(map, round / 10000, round);
        map_clear(map);
        assert_int_equal(map_count(map), 0);
        for (int64_t key = 0; key <= round / 10000; key++)
            assert_int_equal(map_find(map, key), MAP_NONE);
    }
    map_free(map);
}

/* Keys and indexes are all different, so that an old one would be detected. */
static void fill(struct map *map, int32_t first, int32_t count)
{
    for (int32_t i = first; i < first + count; i++)
        map_put(map, i, i);
    for (int32_t i = first; i < first + count; i++)
        assert_int_equal(map_find(map, i), i);
    assert_int_equal(map_count(map), count);
}

static void a_cleared_map_does_not_allocate_again(void **state)
{
    struct map *map;
    long before;

    (void)state;
    if (IS_INSTRUMENTED)
        skip();
    map = map_new(0);
    before = allocations;
    fill(map, 0, 1000);
    assert_true(allocations > before);
    before = allocations;
    for (int32_t round = 1; round <= 50; round++) {
        map_clear(map);
        fill(map, round * 1000, 1000);
    }
    assert_int_equal(allocations, before);
    map_free(map);
}

static void the_hinted_number_of_keys_fits_without_an_allocation(void **state)
{
    static const int32_t hints[] = {1, 12, 13, 768, 769, 10000};

    (void)state;
    if (IS_INSTRUMENTED)
        skip();
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        struct map *map = map_new((size_t)hints[i]);
        long before = allocations;

        fill(map, 0, hints[i]);
        assert_int_equal(allocations, before);
        map_free(map);
    }
}

static void removing_and_putting_keys_does_not_allocate(void **state)
{
    struct map *map;
    long before;

    (void)state;
    if (IS_INSTRUMENTED)
        skip();
    map = map_new(100);
    before = allocations;
    assert_true(before > 0);
    fill(map, 0, 100);
    for (int32_t i = 100; i < 100000; i++) {
        assert_int_equal(map_remove(map, i - 100), i - 100);
        map_put(map, i, i);
    }
    assert_int_equal(map_count(map), 100);
    assert_int_equal(allocations, before);
    map_free(map);
}

static void put_no_index(void *arg)
{
    map_put(arg, 1, MAP_NONE);
}

static void put_an_index(void *arg)
{
    map_put(arg, 1, 0);
}

static void hint_too_much(void *arg)
{
    (void)arg;
    map_new((size_t)MAP_MAX + 1);
}

static void misuse_aborts(void **state)
{
    struct map *map = map_new(0);

    (void)state;
    assert_false(aborts(put_an_index, map));
    assert_true(aborts(put_no_index, map));
    assert_true(aborts(hint_too_much, NULL));
    map_free(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_changes_leave_what_an_array_would_hold),
        cmocka_unit_test(a_map_grows_key_by_key_and_loses_none),
        cmocka_unit_test(a_second_put_replaces_the_index),
        cmocka_unit_test(a_new_map_has_no_key_not_even_zero),
        cmocka_unit_test(cleared_keys_stay_absent),
        cmocka_unit_test(a_cleared_map_does_not_allocate_again),
        cmocka_unit_test(the_hinted_number_of_keys_fits_without_an_allocation),
        cmocka_unit_test(removing_and_putting_keys_does_not_allocate),
        cmocka_unit_test(misuse_aborts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
