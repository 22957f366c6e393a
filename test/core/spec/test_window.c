/* SPDX-License-Identifier: Apache-2.0 */
/* Expected values: docs/semantics.md [T-60], and the published clock changes of the zones. */
#include "core/spec/window.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/aborts.h"
#include "from_text.h"

static void both_ends_are_inside(void **state)
{
    struct window_def w = {.is_set = true, .from = 2 * 3600, .to = 6 * 3600};
    const struct tz *utc = zone("UTC");

    (void)state;
    assert_int_equal(window_next(&w, utc, at("2024-01-10T02:00:00Z")),
                     at("2024-01-10T02:00:00Z"));
    assert_int_equal(window_next(&w, utc, at("2024-01-10T06:00:00Z")),
                     at("2024-01-10T06:00:00Z"));
    assert_int_equal(window_next(&w, utc, at("2024-01-10T06:00:00.001Z")),
                     at("2024-01-11T02:00:00Z"));
    assert_int_equal(window_next(&w, utc, at("2024-01-10T01:00:00Z")),
                     at("2024-01-10T02:00:00Z"));
    assert_int_equal(window_prev(&w, utc, at("2024-01-10T01:59:59Z")),
                     at("2024-01-09T06:00:00Z"));
    assert_int_equal(window_end(&w, utc, at("2024-01-10T03:00:00Z")),
                     at("2024-01-10T06:00:00Z"));
}

static void a_window_may_wrap_midnight(void **state)
{
    struct window_def w = {.is_set = true, .from = 22 * 3600, .to = 6 * 3600};
    const struct tz *utc = zone("UTC");

    (void)state;
    assert_int_equal(window_next(&w, utc, at("2024-01-10T23:00:00Z")),
                     at("2024-01-10T23:00:00Z"));
    assert_int_equal(window_next(&w, utc, at("2024-01-10T05:00:00Z")),
                     at("2024-01-10T05:00:00Z"));
    assert_int_equal(window_next(&w, utc, at("2024-01-10T12:00:00Z")),
                     at("2024-01-10T22:00:00Z"));
    assert_int_equal(window_prev(&w, utc, at("2024-01-10T12:00:00Z")),
                     at("2024-01-10T06:00:00Z"));
    assert_int_equal(window_end(&w, utc, at("2024-01-10T23:00:00Z")),
                     at("2024-01-11T06:00:00Z"));
    assert_int_equal(window_end(&w, utc, at("2024-01-10T01:00:00Z")),
                     at("2024-01-10T06:00:00Z"));
}

/* New York 2024-03-10: 02:00 to 03:00 do not exist; 07:00Z is 03:00. */
static void an_opening_in_a_gap_is_the_first_instant_after_it(void **state)
{
    struct window_def w = {.is_set = true, .from = 9000, .to = 4 * 3600};
    const struct tz *ny = zone("America/New_York");

    (void)state;
    assert_int_equal(window_next(&w, ny, at("2024-03-10T06:30:00Z")),
                     at("2024-03-10T07:00:00Z"));
    assert_int_equal(window_end(&w, ny, at("2024-03-10T07:00:00Z")),
                     at("2024-03-10T08:00:00Z"));
}

static void a_window_inside_a_gap_is_closed_that_day(void **state)
{
    struct window_def w = {.is_set = true, .from = 2 * 3600 + 600, .to = 2 * 3600 + 1200};
    const struct tz *ny = zone("America/New_York");

    (void)state;
    assert_int_equal(window_next(&w, ny, at("2024-03-10T06:30:00Z")),
                     at("2024-03-11T06:10:00Z"));
    assert_int_equal(window_prev(&w, ny, at("2024-03-11T06:00:00Z")),
                     at("2024-03-09T07:20:00Z"));
}

/* New York 2024-11-03: 01:00 to 02:00 occurs twice, from 05:00Z and from 06:00Z. */
static void a_repeated_hour_is_inside_twice(void **state)
{
    struct window_def w = {.is_set = true, .from = 3600, .to = 3600 + 1800};
    const struct tz *ny = zone("America/New_York");

    (void)state;
    assert_int_equal(window_next(&w, ny, at("2024-11-03T05:10:00Z")),
                     at("2024-11-03T05:10:00Z"));
    assert_int_equal(window_next(&w, ny, at("2024-11-03T05:31:00Z")),
                     at("2024-11-03T06:00:00Z"));
    assert_int_equal(window_prev(&w, ny, at("2024-11-03T05:45:00Z")),
                     at("2024-11-03T05:30:00Z"));
    assert_int_equal(window_end(&w, ny, at("2024-11-03T06:05:00Z")),
                     at("2024-11-03T06:30:00Z"));
}

static void a_window_open_at_a_fold_closes_at_its_end_or_at_the_change(void **state)
{
    struct window_def w = {.is_set = true, .from = 3600, .to = 7199};
    struct window_def late = {.is_set = true, .from = 5400, .to = 3 * 3600};
    const struct tz *ny = zone("America/New_York");

    (void)state;
    assert_int_equal(window_end(&w, ny, at("2024-11-03T05:10:00Z")),
                     at("2024-11-03T05:59:59Z"));
    /* Open from 01:30; at 06:00Z the clock falls back to 01:00, which is outside. */
    assert_int_equal(window_end(&late, ny, at("2024-11-03T05:40:00Z")),
                     at("2024-11-03T06:00:00Z") - 1);
    assert_int_equal(window_next(&late, ny, at("2024-11-03T06:00:00Z")),
                     at("2024-11-03T06:30:00Z"));
}

static void open_it(void *arg)
{
    window_next(arg, zone("UTC"), at("2024-01-01T00:00:00Z"));
}

static void a_window_lies_inside_the_day(void **state)
{
    struct window_def whole = {true, 0, 86399, WINDOW_FILTER};
    struct window_def early = {true, -1, 3600, WINDOW_FILTER};
    struct window_def late = {true, 3600, 86400, WINDOW_FILTER};

    (void)state;
    assert_false(aborts(open_it, &whole));
    assert_true(aborts(open_it, &early));
    assert_true(aborts(open_it, &late));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_window_lies_inside_the_day),
        cmocka_unit_test(both_ends_are_inside),
        cmocka_unit_test(a_window_may_wrap_midnight),
        cmocka_unit_test(an_opening_in_a_gap_is_the_first_instant_after_it),
        cmocka_unit_test(a_window_inside_a_gap_is_closed_that_day),
        cmocka_unit_test(a_repeated_hour_is_inside_twice),
        cmocka_unit_test(a_window_open_at_a_fold_closes_at_its_end_or_at_the_change),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
