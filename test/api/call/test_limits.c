/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The request rate limit per client.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "api/call/limits.h"

#define SECOND INT64_C(1000000)

static void a_minutes_worth_may_come_at_once_and_then_evenly(void **state)
{
    struct limits *limits = limits_new(7);
    struct limit got;
    int64_t now = 5 * SECOND;

    (void)state;
    for (int i = 0; i < 30; i++) {
        assert_true(limits_take(limits, 1, 30, now, &got));
        assert_int_equal(got.most, 30);
        assert_int_equal(got.left, 29 - i);
        assert_int_equal(got.reset_s, 2 * (i + 1));
    }
    assert_false(limits_take(limits, 1, 30, now, &got));
    assert_int_equal(got.left, 0);
    assert_int_equal(got.retry_s, 2); /* 30 per minute: one every two seconds */
    assert_false(limits_take(limits, 1, 30, now + 2 * SECOND - 1, &got));
    assert_true(limits_take(limits, 1, 30, now + 2 * SECOND, &got));
    assert_false(limits_take(limits, 1, 30, now + 2 * SECOND, &got));
    assert_true(limits_take(limits, 1, 30, now + 60 * SECOND, &got));
    limits_free(limits);
}

static void clients_have_separate_limits(void **state)
{
    struct limits *limits = limits_new(7);
    struct limit got;

    (void)state;
    assert_true(limits_take(limits, 1, 1, 0, &got));
    assert_false(limits_take(limits, 1, 1, 0, &got));
    assert_true(limits_take(limits, 2, 1, 0, &got));
    limits_free(limits);
}

/* A client's first request is allowed, whichever clients are forgotten. */
static void the_first_request_of_any_number_of_clients_is_allowed(void **state)
{
    struct limits *limits = limits_new(7);
    struct limit got;

    (void)state;
    for (uint64_t i = 1; i <= (uint64_t)4 * LIMITS_SETS * LIMITS_WAYS; i++)
        assert_true(limits_take(limits, i, 1, 0, &got));
    limits_free(limits);
}

static void the_highest_and_the_lowest_rate_are_enforced(void **state)
{
    struct limits *limits = limits_new(7);
    struct limit got;
    int count = 0;

    (void)state;
    while (count <= 1000000 && limits_take(limits, 1, 1000000, 0, &got))
        count++;
    assert_int_equal(count, 1000000);
    assert_true(limits_take(limits, 2, 1, 0, &got));
    assert_false(limits_take(limits, 2, 1, 0, &got));
    assert_int_equal(got.retry_s, 60);
    limits_free(limits);
}

/* 30 per minute are one every two seconds; a batch of 40 takes 80. */
static void a_batch_counts_its_items(void **state)
{
    struct limits *limits = limits_new(7);
    struct limit got;

    (void)state;
    assert_true(limits_take(limits, 1, 30, 0, &got));
    limits_charge(limits, 1, 30, 39);
    assert_false(limits_take(limits, 1, 30, 0, &got));
    assert_int_equal(got.retry_s, 22);
    assert_false(limits_take(limits, 1, 30, 22 * SECOND - 1, &got));
    assert_true(limits_take(limits, 1, 30, 22 * SECOND, &got));
    assert_true(limits_take(limits, 2, 30, 0, &got)); /* another client */
    limits_free(limits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_minutes_worth_may_come_at_once_and_then_evenly),
        cmocka_unit_test(clients_have_separate_limits),
        cmocka_unit_test(a_batch_counts_its_items),
        cmocka_unit_test(the_first_request_of_any_number_of_clients_is_allowed),
        cmocka_unit_test(the_highest_and_the_lowest_rate_are_enforced),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
