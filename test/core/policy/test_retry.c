/* SPDX-License-Identifier: Apache-2.0 */
/* Expected values: docs/semantics.md [P-20] (attempts include the first; the wait doubles). */
#include "core/policy/retry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static instant after(const struct retry_policy *policy, int attempt)
{
    struct retry_failure failure = {
        .attempt = attempt, .is_retryable = true, .run = STR("r_1")};

    return retry_at(policy, &failure, 0);
}

static void fixed_waits_are_equal_and_attempts_count_the_first(void **state)
{
    struct retry_policy policy = {
        .attempts = 3, .backoff = BACKOFF_FIXED, .delay = SPAN_MIN, .max = SPAN_H};

    (void)state;
    assert_int_equal(after(&policy, 1), SPAN_MIN);
    assert_int_equal(after(&policy, 2), SPAN_MIN);
    assert_true(after(&policy, 3) == INSTANT_NEVER);
    policy.attempts = 1;
    assert_true(after(&policy, 1) == INSTANT_NEVER);
}

/* 1 s ×2 up to 60 s, ten attempts: the waits of a start whose server does not answer. */
static void exponential_waits_double_up_to_the_cap(void **state)
{
    static const int waits[] = {1, 2, 4, 8, 16, 32, 60, 60, 60};
    struct retry_policy policy = {
        .attempts = 10, .backoff = BACKOFF_EXPONENTIAL, .delay = SPAN_S, .max = 60 * SPAN_S};

    (void)state;
    for (int i = 0; i < 9; i++)
        assert_int_equal(after(&policy, i + 1), waits[i] * SPAN_S);
    assert_true(after(&policy, 10) == INSTANT_NEVER);
    policy.attempts = INT32_MAX;
    policy.max = INT64_MAX / 4;
    assert_int_equal(after(&policy, 1000000), INT64_MAX / 4);
}

static void the_target_may_ask_for_more_time_up_to_the_maximum(void **state)
{
    struct retry_policy policy = {
        .attempts = 3, .backoff = BACKOFF_FIXED, .delay = 2 * SPAN_S, .max = 60 * SPAN_S};
    struct retry_failure failure = {.attempt = 1, .is_retryable = true, .run = STR("r_1")};

    (void)state;
    failure.retry_after = SPAN_S;
    assert_int_equal(retry_at(&policy, &failure, 0), 2 * SPAN_S);
    failure.retry_after = 30 * SPAN_S;
    assert_int_equal(retry_at(&policy, &failure, 0), 30 * SPAN_S);
    failure.retry_after = SPAN_DAY;
    assert_int_equal(retry_at(&policy, &failure, 0), 60 * SPAN_S);
}

static void failures_that_are_not_retryable_are_not_retried(void **state)
{
    struct retry_policy policy = {
        .attempts = 3, .backoff = BACKOFF_FIXED, .delay = SPAN_S, .max = SPAN_H};
    struct retry_failure failure = {.attempt = 1, .is_retryable = false, .run = STR("r_1")};

    (void)state;
    assert_true(retry_at(&policy, &failure, 0) == INSTANT_NEVER);
}

static void jitter_is_added_and_is_the_same_each_time(void **state)
{
    struct retry_policy policy = {.attempts = 3,
                                  .backoff = BACKOFF_FIXED,
                                  .delay = SPAN_S,
                                  .max = SPAN_H,
                                  .jitter = 10 * SPAN_S};
    int distinct = 0;
    instant last = -1;

    (void)state;
    for (int i = 0; i < 50; i++) {
        char run[] = {'r', '_', (char)('0' + i), 0};
        struct retry_failure failure = {.attempt = 1, .is_retryable = true, .run = str_of(run)};
        instant at = retry_at(&policy, &failure, 0);

        assert_true(at >= SPAN_S && at < 11 * SPAN_S);
        assert_int_equal(at, retry_at(&policy, &failure, 0));
        distinct += at != last;
        last = at;
    }
    assert_true(distinct > 40);
}

static void names_are_read_back(void **state)
{
    enum backoff backoff = BACKOFF_EXPONENTIAL;
    struct err err;

    (void)state;
    assert_int_equal(backoff_parse(str_of(backoff_text(BACKOFF_FIXED)), &backoff, &err), RC_OK);
    assert_int_equal(backoff, BACKOFF_FIXED);
    assert_int_equal(backoff_parse(STR("exponential"), &backoff, &err), RC_OK);
    assert_int_equal(backoff, BACKOFF_EXPONENTIAL);
    assert_int_equal(backoff_parse(STR("linear"), &backoff, &err), RC_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_waits_are_equal_and_attempts_count_the_first),
        cmocka_unit_test(exponential_waits_double_up_to_the_cap),
        cmocka_unit_test(the_target_may_ask_for_more_time_up_to_the_maximum),
        cmocka_unit_test(failures_that_are_not_retryable_are_not_retried),
        cmocka_unit_test(jitter_is_added_and_is_the_same_each_time),
        cmocka_unit_test(names_are_read_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
