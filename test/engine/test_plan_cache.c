/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/plan_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum {
    BLOCK = 512, /* room for some plans as put() makes them */
    ARENA_MAX = 1 << 20,
    MANY = 400, /* more than there is room for */
};

static struct plans *make(struct arena **ret_arena)
{
    *ret_arena = arena_new(ARENA_MAX);
    return plans_new(*ret_arena, (size_t)PLANS_BLOCKS * BLOCK);
}

static void unmake(struct plans *plans, struct arena *arena)
{
    plans_free(plans);
    arena_free(arena);
}

static void put(struct plans *plans, int64_t schedule, int64_t version, const char *packed)
{
    plans_put(plans, schedule, version,
              &(struct plan_text){.namespace = schedule * 10,
                                  .packed = str_of(packed),
                                  .action = STR("{\"type\":\"http\"}"),
                                  .name = STR("nightly")});
}

static void assert_kept(const struct plans *plans, int64_t schedule, int64_t version,
                        const char *packed)
{
    struct plan_text text;

    assert_true(plans_has(plans, schedule));
    assert_true(plans_find(plans, schedule, version, &text));
    assert_int_equal(text.namespace, schedule * 10);
    assert_true(str_eq(text.packed, str_of(packed)));
    assert_true(str_eq(text.action, STR("{\"type\":\"http\"}")));
    assert_true(str_eq(text.name, STR("nightly")));
}

static void a_plan_is_found_at_its_version_only(void **state)
{
    struct arena *arena;
    struct plans *plans = make(&arena);
    struct plan_text text;

    (void)state;
    assert_false(plans_has(plans, 7));
    put(plans, 7, 3, "seven");
    assert_kept(plans, 7, 3, "seven");
    assert_false(plans_find(plans, 7, 4, &text));
    assert_false(plans_find(plans, 7, 2, &text));
    put(plans, 7, 4, "seven again");
    assert_kept(plans, 7, 4, "seven again");
    assert_false(plans_find(plans, 7, 3, &text));
    unmake(plans, arena);
}

/* The plans that were put last are all there, and none of those that were put first. */
static void the_oldest_make_room(void **state)
{
    struct arena *arena;
    struct plans *plans = make(&arena);
    int64_t first = 1;
    size_t used;

    (void)state;
    for (int64_t id = 1; id <= MANY; id++)
        put(plans, id, 1, "p");
    while (!plans_has(plans, first))
        first++;
    assert_in_range(first, 2, MANY - PLANS_BLOCKS);
    for (int64_t id = first; id <= MANY; id++)
        assert_kept(plans, id, 1, "p");
    used = arena_used(arena);
    for (int64_t id = 1; id <= MANY; id++)
        put(plans, id, 2, "q");
    assert_int_equal(arena_used(arena), used);
    assert_kept(plans, MANY, 2, "q");
    unmake(plans, arena);
}

/* Its old place goes when the block does; the new one stays. */
static void a_new_version_outlives_the_place_of_the_old_one(void **state)
{
    struct arena *arena;
    struct plans *plans = make(&arena);
    int64_t id = 100;

    (void)state;
    put(plans, 1, 1, "old");
    put(plans, 2, 1, "two");
    while (id < 100 + PLANS_BLOCKS)
        put(plans, id++, 1, "p"); /* the first block is full long ago */
    put(plans, 1, 2, "new");
    while (plans_has(plans, 2) && id < 100 + MANY)
        put(plans, id++, 1, "p");
    assert_false(plans_has(plans, 2));
    assert_kept(plans, 1, 2, "new");
    unmake(plans, arena);
}

static void what_is_large_is_not_kept(void **state)
{
    struct arena *arena;
    struct plans *plans = make(&arena);
    struct plan_text text;
    char large[BLOCK];

    (void)state;
    memset(large, 'x', sizeof large);
    put(plans, 1, 1, "small");
    plans_put(plans, 1, 2,
              &(struct plan_text){.packed = {large, sizeof large}, .action = STR("{}")});
    assert_false(plans_find(plans, 1, 2, &text));
    assert_false(plans_find(plans, 1, 3, &text));
    unmake(plans, arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_is_found_at_its_version_only),
        cmocka_unit_test(the_oldest_make_room),
        cmocka_unit_test(a_new_version_outlives_the_place_of_the_old_one),
        cmocka_unit_test(what_is_large_is_not_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
