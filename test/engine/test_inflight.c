/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls in flight of a node, compared with a plain list.
 */
#include "engine/inflight.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/prng.h"

enum { KEYS = 600, STEPS = 40000, ARENA_MAX = 16 << 20, MANY = 50 * 1000, BYTES_MAX = 512 };

/* Few schedules and slots, so that runs differ in one field only. */
static struct run run_of(int key)
{
    return (struct run){.id = 1000 + key,
                        .state = RUN_RUNNING,
                        .node = 1,
                        .schedule = 1 + key % 7,
                        .slot = (key / 7 % 11) * SPAN_MS,
                        .pass = key / 77,
                        .fence = key,
                        .worker = STR("w"),
                        .input = STR("{}")};
}

static struct run_id id_of(int key)
{
    struct run run = run_of(key);

    return (struct run_id){run.schedule, run.slot / SPAN_MS, (uint32_t)run.pass};
}

static void assert_found(const struct inflight *inflight, int key, bool expected)
{
    struct run_id id = id_of(key);
    const struct inflight_run *by_run = inflight_find(inflight, &id);
    const struct inflight_run *by_key = inflight_by_key(inflight, 1000 + key);

    assert_ptr_equal(by_run, by_key);
    assert_int_equal(by_key != NULL, expected);
    if (!by_key)
        return;
    assert_int_equal(by_key->run.fence, key);
    assert_int_equal(by_key->deadline, 5 * key);
    assert_int_equal(by_key->run.worker.len + by_key->run.input.len, 0);
}

static void calls_are_found_by_key_and_by_run_until_they_are_removed(void **state)
{
    struct arena *arena = arena_new(ARENA_MAX);
    struct inflight *inflight = inflight_new(arena);
    bool up[KEYS] = {false};
    int count = 0;
    struct prng prng;

    (void)state;
    prng_seed(&prng, 1);
    for (int step = 0; step < STEPS; step++) {
        int key = (int)prng_below(&prng, KEYS);
        struct run run = run_of(key);

        if (up[key])
            inflight_remove(inflight, run.id);
        else
            inflight_add(inflight, &run, 5 * key);
        up[key] = !up[key];
        count += up[key] ? 1 : -1;
        assert_int_equal(inflight_count(inflight), count);
        assert_found(inflight, key, up[key]);
        key = (int)prng_below(&prng, KEYS);
        assert_found(inflight, key, up[key]);
    }
    for (int i = 0; i < count; i++)
        assert_true(up[inflight_at(inflight, i)->run.fence]);
    inflight_clear(inflight);
    assert_int_equal(inflight_count(inflight), 0);
    for (int key = 0; key < KEYS; key++)
        assert_found(inflight, key, false);
    inflight_free(inflight);
    arena_free(arena);
}

static void removing_an_unknown_key_changes_nothing(void **state)
{
    struct arena *arena = arena_new(ARENA_MAX);
    struct inflight *inflight = inflight_new(arena);
    struct run run = run_of(3);

    (void)state;
    inflight_add(inflight, &run, 15);
    inflight_remove(inflight, 1);
    assert_found(inflight, 3, true);
    inflight_free(inflight);
    arena_free(arena);
}

static void overdue_calls_are_known_without_a_search(void **state)
{
    struct arena *arena = arena_new(ARENA_MAX);
    struct inflight *inflight = inflight_new(arena);
    struct run early = run_of(1), late = run_of(2), never = run_of(3);

    (void)state;
    assert_false(inflight_has_overdue(inflight, INSTANT_NEVER - 1));
    inflight_add(inflight, &never, INSTANT_NEVER);
    inflight_add(inflight, &late, 20);
    inflight_add(inflight, &early, 10);
    assert_false(inflight_has_overdue(inflight, 9));
    assert_true(inflight_has_overdue(inflight, 10));
    inflight_remove(inflight, early.id);
    assert_false(inflight_has_overdue(inflight, 19));
    assert_true(inflight_has_overdue(inflight, 20));
    inflight_remove(inflight, late.id);
    assert_false(inflight_has_overdue(inflight, INSTANT_NEVER - 1));
    inflight_free(inflight);
    arena_free(arena);
}

/* The address sanitizer has its own allocator, which mallinfo2() does not count. */
#ifdef __SANITIZE_ADDRESS__
size_t __sanitizer_get_current_allocated_bytes(void);
#endif

static size_t bytes_in_use(void)
{
#ifdef __SANITIZE_ADDRESS__
    return __sanitizer_get_current_allocated_bytes();
#else
    struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
#endif
}

/* Followed workflows are calls: each may use 2 KiB with all its parts. */
static void fifty_thousand_calls_fit_into_little_memory(void **state)
{
    struct arena *arena = arena_new(ARENA_MAX);
    struct inflight *inflight = inflight_new(arena);
    size_t before = bytes_in_use();

    (void)state;
    for (int key = 0; key < MANY; key++) {
        struct run run = run_of(key);

        inflight_add(inflight, &run, 5 * key);
    }
    assert_in_range(bytes_in_use() - before, 1, (size_t)MANY * BYTES_MAX);
    assert_found(inflight, MANY - 1, true);
    for (int key = 0; key < MANY; key++)
        inflight_remove(inflight, 1000 + key);
    assert_in_range(bytes_in_use() - before, 1, (size_t)MANY * BYTES_MAX / 4);
    inflight_free(inflight);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_found_by_key_and_by_run_until_they_are_removed),
        cmocka_unit_test(overdue_calls_are_known_without_a_search),
        cmocka_unit_test(fifty_thousand_calls_fit_into_little_memory),
        cmocka_unit_test(removing_an_unknown_key_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
