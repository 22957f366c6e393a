/* SPDX-License-Identifier: Apache-2.0 */
/* Expected values: the contract in base/arena.h. */
#include "base/arena.h"

#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "aborts.h"

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
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);

void *malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    allocations++;
    return __libc_calloc(count, size);
}
#endif

static bool is_zero(const void *bytes, size_t len)
{
    const unsigned char *p = bytes;

    for (size_t i = 0; i < len; i++)
        if (p[i] != 0)
            return false;
    return true;
}

static void allocations_are_aligned_zeroed_and_do_not_overlap(void **state)
{
    struct arena *arena = arena_new(16 << 20);
    unsigned char *before = NULL;
    size_t before_len = 0;

    (void)state;
    for (size_t len = 0; len < 3000; len++) {
        unsigned char *p = arena_take(arena, len);

        assert_non_null(p);
        assert_int_equal((uintptr_t)p % alignof(max_align_t), 0);
        assert_true(is_zero(p, len));
        memset(p, (int)(len % 251), len);
        for (size_t i = 0; i < before_len; i++)
            assert_int_equal(before[i], before_len % 251);
        before = p;
        before_len = len;
    }
    assert_null(arena_free(arena));
}

static void an_allocation_larger_than_a_block_gets_its_own(void **state)
{
    struct arena *arena = arena_new(8 << 20);
    unsigned char *small = arena_take(arena, 100), *large = arena_take(arena, 1 << 20);

    (void)state;
    assert_true(is_zero(large, 1 << 20));
    memset(large, 1, 1 << 20);
    assert_true(is_zero(small, 100));
    assert_true(is_zero(arena_take(arena, 100), 100));
    arena_free(arena);
}

static void used_bytes_are_rounded_up_and_a_reset_sets_them_to_zero(void **state)
{
    const size_t align = alignof(max_align_t);
    struct arena *arena = arena_new(1 << 20);

    (void)state;
    assert_int_equal(arena_used(arena), 0);
    arena_take(arena, 10 * align);
    assert_int_equal(arena_used(arena), 10 * align);
    arena_take(arena, 1);
    assert_in_range(arena_used(arena), 10 * align + 1, 11 * align);
    arena_reset(arena);
    assert_int_equal(arena_used(arena), 0);
    arena_free(arena);
}

static void allocations_after_a_reset_are_zeroed(void **state)
{
    struct arena *arena = arena_new(1 << 20);

    (void)state;
    arena_reset(arena);
    for (int round = 0; round < 5; round++) {
        for (size_t len = 1; len < 300; len++) {
            void *p = arena_take(arena, len);

            assert_true(is_zero(p, len));
            memset(p, 0xff, len);
        }
        arena_reset(arena);
    }
    arena_free(arena);
}

static void raw_memory_does_not_overlap_and_counts_as_used(void **state)
{
    struct arena *arena = arena_new(1 << 20);
    unsigned char *a = arena_take(arena, 100), *room = arena_take_raw(arena, 100), *b;

    (void)state;
    memset(room, 0xff, 100);
    b = arena_take(arena, 100);
    assert_true(is_zero(a, 100) && is_zero(b, 100));
    assert_true(arena_used(arena) >= 300);
    arena_free(arena);
}

/* Many small allocations, or one of `large` bytes. */
static void take_a_round(struct arena *arena, size_t large)
{
    for (int i = 0; i < 100 && large == 0; i++)
        arena_take(arena, 100);
    if (large > 0)
        arena_take(arena, large);
    arena_reset(arena);
}

static void a_reused_arena_does_not_allocate(void **state)
{
    static const size_t rounds[] = {0, 1 << 20, 100000};

    (void)state;
    if (IS_INSTRUMENTED)
        skip();
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++) {
        struct arena *arena = arena_new(2 << 20);
        long before;

        take_a_round(arena, rounds[i]);
        before = allocations;
        assert_true(before > 0);
        for (int n = 0; n < 50; n++)
            take_a_round(arena, rounds[i]);
        assert_int_equal(allocations, before);
        arena_free(arena);
    }
}

static void take_many(struct arena *arena)
{
    for (size_t i = 0; i < 4000; i++)
        memset(arena_take_raw(arena, i), 1, i);
    arena_reset(arena);
}

static void many_blocks_are_reused_without_a_new_allocation(void **state)
{
    struct arena *arena;
    long before;

    (void)state;
    if (IS_INSTRUMENTED)
        skip();
    arena = arena_new(16 << 20);
    take_many(arena);
    before = allocations;
    take_many(arena);
    assert_int_equal(allocations, before);
    arena_free(arena);
}

static void allocations_in_another_order_after_a_reset_do_not_overlap(void **state)
{
    static const size_t sizes[] = {10, 100000, 20000, 3, 400000, 16000};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    struct arena *arena = arena_new(4 << 20);

    (void)state;
    for (size_t round = 0; round < 2 * COUNT; round++) {
        unsigned char *taken[COUNT];

        for (size_t i = 0; i < COUNT; i++) {
            taken[i] = arena_take(arena, sizes[(i + round) % COUNT]);
            assert_true(is_zero(taken[i], sizes[(i + round) % COUNT]));
            memset(taken[i], (int)i + 1, sizes[(i + round) % COUNT]);
        }
        for (size_t i = 0; i < COUNT; i++)
            for (size_t at = 0; at < sizes[(i + round) % COUNT]; at++)
                assert_true(taken[i][at] == i + 1);
        arena_reset(arena);
    }
    arena_free(arena);
}

static void every_byte_up_to_the_limit_can_be_allocated_again_and_again(void **state)
{
    struct arena *arena = arena_new(1000);

    (void)state;
    for (int i = 0; i < 3; i++) {
        arena_take(arena, 600);
        arena_take(arena, 1000 - arena_used(arena));
        assert_int_equal(arena_used(arena), 1000);
        assert_non_null(arena_take(arena, 0));
        arena_reset(arena);
    }
    assert_true(is_zero(arena_take(arena, 1000), 1000));
    arena_free(arena);
}

static void take_one(void *arg)
{
    arena_take(arg, 1);
}

static void take_too_much(void *arg)
{
    arena_take(arg, 1001);
}

static void take_everything(void *arg)
{
    arena_take(arg, SIZE_MAX);
}

static void take_a_product_that_wraps(void *arg)
{
    /* (2^63 + 1) × 2 wraps to 2, which would fit into the arena. */
    arena_array(arg, SIZE_MAX / 2 + 2, 2);
}

static void take_a_string_too_long(void *arg)
{
    char text[1000] = "";

    arena_str(arg, (struct str){text, sizeof text});
}

static void an_allocation_above_the_limit_aborts(void **state)
{
    struct arena *arena = arena_new(1000);

    (void)state;
    assert_false(aborts(take_one, arena));
    assert_true(aborts(take_too_much, arena));
    assert_true(aborts(take_everything, arena));
    assert_true(aborts(take_a_product_that_wraps, arena));
    assert_true(aborts(take_a_string_too_long, arena));
    arena_take(arena, 1000);
    assert_true(aborts(take_one, arena));
    arena_free(arena);
}

/* Rounding up to the alignment must not wrap to zero. */
static void make_with_a_limit_that_overflows(void *arg)
{
    (void)arg;
    take_everything(arena_new(SIZE_MAX));
}

static void a_limit_that_would_overflow_aborts(void **state)
{
    (void)state;
    assert_true(aborts(make_with_a_limit_that_overflows, NULL));
}

static void an_array_has_count_times_size_bytes(void **state)
{
    struct arena *arena = arena_new(1 << 20);

    (void)state;
    assert_true(is_zero(arena_array(arena, 250, 40), 10000));
    assert_in_range(arena_used(arena), 10000, 10000 + alignof(max_align_t) - 1);
    assert_non_null(arena_array(arena, 0, 40));
    assert_non_null(arena_array(arena, 40, 0));
    assert_non_null(arena_array(arena, 0, SIZE_MAX));
    arena_free(arena);
}

static void a_string_is_copied_and_terminated(void **state)
{
    struct arena *arena = arena_new(1 << 20);
    char text[] = "a\0bell";
    struct str copy = arena_str(arena, (struct str){text, 6});
    struct str empty = arena_str(arena, (struct str){NULL, 0});

    (void)state;
    memset(text, 'x', sizeof text);
    assert_int_equal(copy.len, 6);
    assert_memory_equal(copy.ptr, "a\0bell", 7);
    assert_int_equal(empty.len, 0);
    assert_string_equal(empty.ptr, "");
    arena_free(arena);
}

static void freeing_null_does_nothing(void **state)
{
    (void)state;
    assert_null(arena_free(NULL));
    assert_null(arena_free(arena_new(0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_are_aligned_zeroed_and_do_not_overlap),
        cmocka_unit_test(an_allocation_larger_than_a_block_gets_its_own),
        cmocka_unit_test(used_bytes_are_rounded_up_and_a_reset_sets_them_to_zero),
        cmocka_unit_test(allocations_after_a_reset_are_zeroed),
        cmocka_unit_test(raw_memory_does_not_overlap_and_counts_as_used),
        cmocka_unit_test(a_reused_arena_does_not_allocate),
        cmocka_unit_test(many_blocks_are_reused_without_a_new_allocation),
        cmocka_unit_test(allocations_in_another_order_after_a_reset_do_not_overlap),
        cmocka_unit_test(every_byte_up_to_the_limit_can_be_allocated_again_and_again),
        cmocka_unit_test(an_allocation_above_the_limit_aborts),
        cmocka_unit_test(a_limit_that_would_overflow_aborts),
        cmocka_unit_test(an_array_has_count_times_size_bytes),
        cmocka_unit_test(a_string_is_copied_and_terminated),
        cmocka_unit_test(freeing_null_does_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
