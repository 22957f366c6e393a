/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bounded cache, compared with a plain array.
 */
#include "engine/bounded_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/prng.h"

enum { MOST = 700, KEYS = 650, STEPS = 40000, ARENA_MAX = 1 << 20 };

struct thing {
    int64_t a, b, c;
};

static void put(struct bounded_cache *cache, int64_t key, int64_t value)
{
    bounded_cache_put(cache, key, &(struct thing){key, value, key + value});
}

static void assert_known(const struct bounded_cache *cache, int64_t key, int64_t value)
{
    const struct thing *thing = bounded_cache_find(cache, key);

    assert_non_null(thing);
    assert_int_equal(thing->a, key);
    assert_int_equal(thing->b, value);
    assert_int_equal(thing->c, key + value);
}

static void a_find_returns_the_last_value_put_until_a_drop(void **state)
{
    struct arena *arena = arena_new(ARENA_MAX);
    struct bounded_cache *cache = bounded_cache_new(arena, sizeof(struct thing), MOST);
    int64_t values[KEYS] = {0}; /* 0: not cached */
    struct prng prng;

    (void)state;
    prng_seed(&prng, 7);
    for (int64_t step = 1; step <= STEPS; step++) {
        int64_t key = prng_between(&prng, 0, KEYS - 1);
        bool drops = prng_chance(&prng, 1, 3);

        if (drops)
            bounded_cache_drop(cache, key);
        else
            put(cache, key, step);
        values[key] = drops ? 0 : step;
        key = prng_between(&prng, 0, KEYS - 1);
        if (values[key] == 0)
            assert_null(bounded_cache_find(cache, key));
        else
            assert_known(cache, key, values[key]);
    }
    bounded_cache_clear(cache);
    for (int64_t key = 0; key < KEYS; key++)
        assert_null(bounded_cache_find(cache, key));
    bounded_cache_free(cache);
    arena_free(arena);
}

static void a_full_cache_evicts_the_oldest_and_does_not_grow(void **state)
{
    struct arena *arena = arena_new(ARENA_MAX);
    struct bounded_cache *cache = bounded_cache_new(arena, sizeof(struct thing), MOST);
    size_t used;

    (void)state;
    for (int64_t key = 1; key <= MOST; key++)
        put(cache, key, 1);
    used = arena_used(arena);
    for (int64_t key = MOST + 1; key <= 5 * MOST; key++) {
        put(cache, key, 2);
        assert_null(bounded_cache_find(cache, key - MOST));
        assert_known(cache, key, 2);
    }
    for (int64_t key = 4 * MOST + 1; key <= 5 * MOST; key++)
        assert_known(cache, key, 2);
    bounded_cache_clear(cache);
    put(cache, 1, 3);
    assert_known(cache, 1, 3);
    assert_int_equal(arena_used(arena), used);
    bounded_cache_free(cache);
    arena_free(arena);
}

static void a_dropped_entry_is_reused_before_the_oldest_is_evicted(void **state)
{
    struct arena *arena = arena_new(ARENA_MAX);
    struct bounded_cache *cache = bounded_cache_new(arena, sizeof(struct thing), MOST);

    (void)state;
    for (int64_t key = 1; key <= MOST; key++)
        put(cache, key, 1);
    bounded_cache_drop(cache, 50);
    bounded_cache_drop(cache, 60);
    put(cache, 1001, 1);
    put(cache, 1002, 1);
    assert_known(cache, 1, 1);
    put(cache, 1003, 1);
    assert_null(bounded_cache_find(cache, 1));
    assert_known(cache, 2, 1);
    bounded_cache_free(cache);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_find_returns_the_last_value_put_until_a_drop),
        cmocka_unit_test(a_full_cache_evicts_the_oldest_and_does_not_grow),
        cmocka_unit_test(a_dropped_entry_is_reused_before_the_oldest_is_evicted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
