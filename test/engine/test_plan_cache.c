/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan cache: versions, eviction and large plans.
 */
#include "engine/plan_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum {
    BLOCK = 512, /* room for some plans of put() */
    ARENA_MAX = 1 << 20,
    MANY = 400, /* more than fit */
};

static struct plan_cache *make(struct arena **ret_arena)
{
    *ret_arena = arena_new(ARENA_MAX);
    return plan_cache_new(*ret_arena, (size_t)PLAN_CACHE_BLOCKS * BLOCK);
}

static void unmake(struct plan_cache *plan_cache, struct arena *arena)
{
    plan_cache_free(plan_cache);
    arena_free(arena);
}

static void put(struct plan_cache *plan_cache, int64_t schedule, int64_t version,
                const char *packed)
{
    plan_cache_put(plan_cache, schedule, version,
                   &(struct plan_text){.namespace = schedule * 10,
                                       .packed = str_of(packed),
                                       .action = STR("{\"type\":\"http\"}"),
                                       .name = STR("nightly")});
}

static void assert_kept(const struct plan_cache *plan_cache, int64_t schedule, int64_t version,
                        const char *packed)
{
    struct plan_text text;

    assert_true(plan_cache_has(plan_cache, schedule));
    assert_true(plan_cache_find(plan_cache, schedule, version, &text));
    assert_int_equal(text.namespace, schedule * 10);
    assert_true(str_eq(text.packed, str_of(packed)));
    assert_true(str_eq(text.action, STR("{\"type\":\"http\"}")));
    assert_true(str_eq(text.name, STR("nightly")));
}

static void a_plan_is_found_at_its_version_only(void **state)
{
    struct arena *arena;
    struct plan_cache *plan_cache = make(&arena);
    struct plan_text text;

    (void)state;
    assert_false(plan_cache_has(plan_cache, 7));
    put(plan_cache, 7, 3, "seven");
    assert_kept(plan_cache, 7, 3, "seven");
    assert_false(plan_cache_find(plan_cache, 7, 4, &text));
    assert_false(plan_cache_find(plan_cache, 7, 2, &text));
    put(plan_cache, 7, 4, "seven again");
    assert_kept(plan_cache, 7, 4, "seven again");
    assert_false(plan_cache_find(plan_cache, 7, 3, &text));
    unmake(plan_cache, arena);
}

/* The last plans that were put are cached, the first are not. */
static void the_oldest_plans_are_evicted_first(void **state)
{
    struct arena *arena;
    struct plan_cache *plan_cache = make(&arena);
    int64_t first = 1;
    size_t used;

    (void)state;
    for (int64_t id = 1; id <= MANY; id++)
        put(plan_cache, id, 1, "p");
    while (!plan_cache_has(plan_cache, first))
        first++;
    assert_in_range(first, 2, MANY - PLAN_CACHE_BLOCKS);
    for (int64_t id = first; id <= MANY; id++)
        assert_kept(plan_cache, id, 1, "p");
    used = arena_used(arena);
    for (int64_t id = 1; id <= MANY; id++)
        put(plan_cache, id, 2, "q");
    assert_int_equal(arena_used(arena), used);
    assert_kept(plan_cache, MANY, 2, "q");
    unmake(plan_cache, arena);
}

/* The old version goes with its block; the new one stays. */
static void a_new_version_stays_when_the_block_of_the_old_one_is_evicted(void **state)
{
    struct arena *arena;
    struct plan_cache *plan_cache = make(&arena);
    int64_t id = 100;

    (void)state;
    put(plan_cache, 1, 1, "old");
    put(plan_cache, 2, 1, "two");
    while (id < 100 + PLAN_CACHE_BLOCKS)
        put(plan_cache, id++, 1, "p"); /* until the first block is full */
    put(plan_cache, 1, 2, "new");
    while (plan_cache_has(plan_cache, 2) && id < 100 + MANY)
        put(plan_cache, id++, 1, "p");
    assert_false(plan_cache_has(plan_cache, 2));
    assert_kept(plan_cache, 1, 2, "new");
    unmake(plan_cache, arena);
}

static void a_plan_larger_than_a_block_is_not_cached(void **state)
{
    struct arena *arena;
    struct plan_cache *plan_cache = make(&arena);
    struct plan_text text;
    char large[BLOCK];

    (void)state;
    memset(large, 'x', sizeof large);
    put(plan_cache, 1, 1, "small");
    plan_cache_put(plan_cache, 1, 2,
                   &(struct plan_text){.packed = {large, sizeof large}, .action = STR("{}")});
    assert_false(plan_cache_find(plan_cache, 1, 2, &text));
    assert_false(plan_cache_find(plan_cache, 1, 3, &text));
    unmake(plan_cache, arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_is_found_at_its_version_only),
        cmocka_unit_test(the_oldest_plans_are_evicted_first),
        cmocka_unit_test(a_new_version_stays_when_the_block_of_the_old_one_is_evicted),
        cmocka_unit_test(a_plan_larger_than_a_block_is_not_cached),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
