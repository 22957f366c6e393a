/* SPDX-License-Identifier: Apache-2.0 */
/* Expected values: the contract in base/thread_cache.h. */
#include "base/thread_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LARGEST_SIZE = 300, ROUNDS = 3 };

static void blocks_of_any_size_keep_their_bytes(void **state)
{
    unsigned char *blocks[LARGEST_SIZE];

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < LARGEST_SIZE; i++) {
            blocks[i] = thread_cache_alloc(i + 1);
            assert_non_null(blocks[i]);
            assert_int_equal((uintptr_t)blocks[i] % 16, 0);
            memset(blocks[i], (int)(i + (size_t)round) & 0xff, i + 1);
        }
        for (size_t i = 0; i < LARGEST_SIZE; i++) {
            for (size_t n = 0; n <= i; n++)
                assert_int_equal(blocks[i][n], (i + (size_t)round) & 0xff);
            thread_cache_free(blocks[i]);
        }
    }
}

static void a_freed_block_is_reused(void **state)
{
    void *first = thread_cache_alloc(40), *second;

    (void)state;
    thread_cache_free(first);
    second = thread_cache_alloc(33); /* rounded up to 48 bytes, as 40 is */
    assert_ptr_equal(first, second);
    thread_cache_free(second);
}

static void null_may_be_freed_and_free_accepts_blocks(void **state)
{
    (void)state;
    thread_cache_free(NULL);
    free(thread_cache_alloc(20));
    free(thread_cache_alloc(2000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_any_size_keep_their_bytes),
        cmocka_unit_test(a_freed_block_is_reused),
        cmocka_unit_test(null_may_be_freed_and_free_accepts_blocks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
