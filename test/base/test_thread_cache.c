/* SPDX-License-Identifier: Apache-2.0 */
/* Expected values: the contract in base/thread_cache.h. */
#include "base/thread_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIZE_MAX_TRIED = 300, ROUNDS = 3 };

static void pieces_of_any_size_hold_what_is_put_into_them(void **state)
{
    unsigned char *pieces[SIZE_MAX_TRIED];

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < SIZE_MAX_TRIED; i++) {
            pieces[i] = thread_cache_alloc(i + 1);
            assert_non_null(pieces[i]);
            assert_int_equal((uintptr_t)pieces[i] % 16, 0);
            memset(pieces[i], (int)(i + (size_t)round) & 0xff, i + 1);
        }
        for (size_t i = 0; i < SIZE_MAX_TRIED; i++) {
            for (size_t n = 0; n <= i; n++)
                assert_int_equal(pieces[i][n], (i + (size_t)round) & 0xff);
            thread_cache_free(pieces[i]);
        }
    }
}

static void what_was_given_back_is_taken_again(void **state)
{
    void *first = thread_cache_alloc(40), *second;

    (void)state;
    thread_cache_free(first);
    second = thread_cache_alloc(33); /* of the same size: three steps */
    assert_ptr_equal(first, second);
    thread_cache_free(second);
}

static void nothing_may_be_given_and_pieces_may_be_freed(void **state)
{
    (void)state;
    thread_cache_free(NULL);
    free(thread_cache_alloc(20));
    free(thread_cache_alloc(2000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_of_any_size_hold_what_is_put_into_them),
        cmocka_unit_test(what_was_given_back_is_taken_again),
        cmocka_unit_test(nothing_may_be_given_and_pieces_may_be_freed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
