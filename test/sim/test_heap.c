/* SPDX-License-Identifier: Apache-2.0 */
/* Expected values: an unsorted array that is searched for its first item at each removal. */
#include "sim/heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

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
void *__libc_realloc(void *old, size_t size);

void *realloc(void *old, size_t size)
{
    allocations++;
    return __libc_realloc(old, size);
}
#endif

enum { MODEL_MAX = 2000 };

struct pair {
    struct heap *heap;
    struct heap_item model[MODEL_MAX];
    size_t count;
    uint64_t seq;
};

static int compare(const struct heap_item *a, const struct heap_item *b)
{
    int by_at = (a->at > b->at) - (a->at < b->at);
    int by_seq = (a->seq > b->seq) - (a->seq < b->seq);
    int by_index = (a->index > b->index) - (a->index < b->index);

    return by_at != 0 ? by_at : by_seq != 0 ? by_seq : by_index;
}

static void push(struct pair *pair, struct heap_item item)
{
    heap_push(pair->heap, item);
    pair->model[pair->count++] = item;
}

static size_t first_of(const struct pair *pair)
{
    size_t first = 0;

    for (size_t i = 1; i < pair->count; i++)
        if (compare(&pair->model[i], &pair->model[first]) < 0)
            first = i;
    return first;
}

static void check_pop(struct pair *pair)
{
    size_t first = first_of(pair);
    struct heap_item item;

    assert_non_null(heap_peek(pair->heap));
    assert_int_equal(compare(heap_peek(pair->heap), &pair->model[first]), 0);
    assert_true(heap_pop(pair->heap, &item));
    assert_int_equal(compare(&item, &pair->model[first]), 0);
    pair->model[first] = pair->model[--pair->count];
    assert_int_equal(heap_count(pair->heap), pair->count);
}

static void check_is_empty(struct heap *heap)
{
    struct heap_item item = {1, 2, 3};

    assert_int_equal(heap_count(heap), 0);
    assert_null(heap_peek(heap));
    assert_false(heap_pop(heap, &item));
    assert_true(item.at == 1 && item.seq == 2 && item.index == 3);
}

/* `pushes` of 100 changes push; times are in a range of `spread`, so that many are equal. */
static void act_at_random(struct pair *pair, struct prng *prng, uint64_t pushes, span spread)
{
    for (int i = 0; i < 3000; i++) {
        bool pushing = prng_chance(prng, pushes, 100);

        if (pushing && pair->count < MODEL_MAX)
            push(pair, (struct heap_item){.at = prng_between(prng, -spread, spread),
                                          .seq = pair->seq++,
                                          .index = (int32_t)prng_between(prng, -5, 5)});
        else if (pair->count > 0)
            check_pop(pair);
    }
}

static void items_come_out_as_a_search_would_find_them(void **state)
{
    static const span spreads[] = {0, 3, 1000, INT64_MAX};

    (void)state;
    for (size_t i = 0; i < sizeof spreads / sizeof *spreads; i++) {
        struct pair pair = {.heap = heap_new()};
        struct prng prng;

        prng_seed(&prng, i);
        check_is_empty(pair.heap);
        for (int round = 0; round < 3; round++) {
            act_at_random(&pair, &prng, 80, spreads[i]);
            act_at_random(&pair, &prng, 40, spreads[i]);
        }
        while (pair.count > 0)
            check_pop(&pair);
        check_is_empty(pair.heap);
        assert_null(heap_free(pair.heap));
    }
}

static void equal_times_come_out_in_the_order_of_seq(void **state)
{
    struct heap *heap = heap_new();
    struct heap_item item;

    (void)state;
    for (uint64_t i = 0; i < 1000; i++)
        heap_push(heap, (struct heap_item){.at = 7, .seq = i * 389 % 1000, .index = 0});
    heap_push(heap, (struct heap_item){.at = 7, .seq = UINT64_MAX, .index = 0});
    for (uint64_t i = 0; i < 1000; i++) {
        assert_true(heap_pop(heap, &item));
        assert_int_equal(item.seq, i);
    }
    assert_true(heap_pop(heap, &item));
    assert_int_equal(item.seq, UINT64_MAX);
    heap_free(heap);
}

static void all_times_are_ordered_from_none_to_never(void **state)
{
    static const instant order[] = {INSTANT_NONE, INSTANT_MIN,  -1, 0, 1,
                                    INSTANT_MAX,  INSTANT_NEVER};
    enum { COUNT = sizeof order / sizeof *order };
    struct heap *heap = heap_new();
    struct heap_item item;

    (void)state;
    /* A later item has a lower seq: the time must take precedence over seq. */
    for (int i = COUNT - 1; i >= 0; i--)
        heap_push(heap, (struct heap_item){order[i], (uint64_t)(COUNT - i), i});
    for (int i = 0; i < COUNT; i++) {
        assert_true(heap_pop(heap, &item));
        assert_int_equal(item.at, order[i]);
        assert_int_equal(item.index, i);
    }
    heap_free(heap);
}

static void the_order_of_pushing_does_not_matter(void **state)
{
    static const struct heap_item sorted[] = {{1, 1, -1}, {1, 1, 0}, {1, 1, 2},
                                              {1, 2, 0},  {1, 2, 0}, {2, 0, 0}};
    enum { COUNT = sizeof sorted / sizeof *sorted };
    struct heap *heap = heap_new();
    struct prng prng;

    (void)state;
    prng_seed(&prng, 1);
    for (int round = 0; round < 1000; round++) {
        struct heap_item left[COUNT], item;

        for (size_t i = 0; i < COUNT; i++)
            left[i] = sorted[i];
        for (size_t count = COUNT; count > 0; count--) {
            size_t pick = prng_below(&prng, count);

            heap_push(heap, left[pick]);
            left[pick] = left[count - 1];
        }
        for (size_t i = 0; i < COUNT; i++) {
            assert_true(heap_pop(heap, &item));
            assert_int_equal(compare(&item, &sorted[i]), 0);
        }
    }
    heap_free(heap);
}

static void fill(struct heap *heap, int32_t first, int32_t count)
{
    for (int32_t i = first + count - 1; i >= first; i--)
        heap_push(heap, (struct heap_item){.at = i, .seq = 0, .index = i});
    assert_int_equal(heap_count(heap), count);
    assert_int_equal(heap_peek(heap)->index, first);
}

static void a_cleared_heap_is_empty_and_does_not_allocate_again(void **state)
{
    struct heap *heap = heap_new();
    long before;

    (void)state;
    heap_clear(heap);
    check_is_empty(heap);
    allocations = 0;
    fill(heap, 0, 1000);
    before = allocations;
    assert_true(IS_INSTRUMENTED || (before > 0 && before <= 10)); /* it grew by a factor */
    for (int32_t round = 1; round <= 50; round++) {
        heap_clear(heap);
        check_is_empty(heap);
        fill(heap, round * 1000, 1000);
    }
    assert_int_equal(allocations, before);
    assert_null(heap_free(heap));
    assert_null(heap_free(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_come_out_as_a_search_would_find_them),
        cmocka_unit_test(equal_times_come_out_in_the_order_of_seq),
        cmocka_unit_test(all_times_are_ordered_from_none_to_never),
        cmocka_unit_test(the_order_of_pushing_does_not_matter),
        cmocka_unit_test(a_cleared_heap_is_empty_and_does_not_allocate_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
