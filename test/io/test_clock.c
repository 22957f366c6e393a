/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two clocks, compared with the system's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "io/clock.h"

static void now_is_between_two_readings_of_the_system(void **state)
{
    struct timespec before, after;
    instant now;

    (void)state;
    assert_int_equal(clock_gettime(CLOCK_REALTIME, &before), 0);
    now = clock_now();
    assert_int_equal(clock_gettime(CLOCK_REALTIME, &after), 0);
    assert_true(now >= before.tv_sec * SPAN_S + before.tv_nsec / 1000);
    assert_true(now <= after.tv_sec * SPAN_S + after.tv_nsec / 1000);
}

static void the_time_since_boot_never_goes_back(void **state)
{
    struct timespec uptime;
    int64_t last = 0;

    (void)state;
    assert_int_equal(clock_gettime(CLOCK_BOOTTIME, &uptime), 0);
    for (int i = 0; i < 1000; i++) {
        int64_t now = clock_boot_us();

        assert_true(now >= last);
        last = now;
    }
    assert_true(last >= uptime.tv_sec * SPAN_S + uptime.tv_nsec / 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(now_is_between_two_readings_of_the_system),
        cmocka_unit_test(the_time_since_boot_never_goes_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
