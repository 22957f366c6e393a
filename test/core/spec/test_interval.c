/* SPDX-License-Identifier: Apache-2.0 */
/* Intervals with the four anchors, docs/semantics.md [T-40]; expected values by hand. */
#include "core/spec/interval.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "from_text.h"

/* The next slot after `from` is `to`, and the search backwards from after `to` finds it too. */
static void assert_step(const struct interval_def *interval,
                        const struct interval_origin *origin, const char *from, const char *to)
{
    assert_int_equal(interval_next(interval, origin, at(from)), at(to));
    assert_int_equal(interval_prev(interval, origin, at(to) + 1), at(to));
}

/* As in Temporal: n × every + phase from 1970. */
static void epoch_counts_from_1970_with_a_phase(void **state)
{
    struct interval_def i = {.every = 5400 * SPAN_S, .phase = 344 * SPAN_S};
    struct interval_origin origin = {0};

    (void)state;
    assert_step(&i, &origin, "2022-03-23T12:53:02.000001Z", "2022-03-23T13:35:44Z");
    assert_step(&i, &origin, "2022-03-23T13:35:44Z", "2022-03-23T15:05:44Z");
    assert_step(&i, &origin, "1969-12-31T22:00:00Z", "1969-12-31T22:35:44Z");
}

/* 0, n, 2n … from local 00:00; 30 minutes give 48 slots per day. */
static void midnight_restarts_each_local_day(void **state)
{
    struct interval_def i = {.every = 7 * SPAN_H, .anchor = ANCHOR_MIDNIGHT};
    struct interval_origin origin = {.tz = zone("America/New_York")};

    (void)state;
    assert_step(&i, &origin, "2024-01-10T04:59:59Z", "2024-01-10T05:00:00Z");
    assert_step(&i, &origin, "2024-01-10T05:00:00Z", "2024-01-10T12:00:00Z");
    assert_step(&i, &origin, "2024-01-10T19:00:00Z", "2024-01-11T02:00:00Z");
    assert_step(&i, &origin, "2024-01-11T02:00:00Z", "2024-01-11T05:00:00Z");
}

static int slots_between(const struct interval_def *interval,
                         const struct interval_origin *origin, const char *from, const char *to)
{
    instant t = at(from) - 1;
    int count = 0;

    while ((t = interval_next(interval, origin, t)) < at(to))
        count++;
    return count;
}

/* A local day has 23, 24 or 25 hours of elapsed time. */
static void a_day_of_23_or_25_hours_has_46_or_50_half_hours(void **state)
{
    struct interval_def i = {.every = 30 * SPAN_MIN, .anchor = ANCHOR_MIDNIGHT};
    struct interval_origin origin = {.tz = zone("America/New_York")};

    (void)state;
    assert_int_equal(slots_between(&i, &origin, "2024-01-10T05:00:00Z", "2024-01-11T05:00:00Z"),
                     48);
    assert_int_equal(slots_between(&i, &origin, "2024-03-10T05:00:00Z", "2024-03-11T04:00:00Z"),
                     46);
    assert_int_equal(slots_between(&i, &origin, "2024-11-03T04:00:00Z", "2024-11-04T05:00:00Z"),
                     50);
}

/* Sao Paulo 2018-11-04 begins at 01:00 (03:00Z); the 3rd lasts 24 hours. */
static void a_day_whose_midnight_is_in_a_gap_begins_after_it(void **state)
{
    struct interval_def i = {.every = 10 * SPAN_H, .anchor = ANCHOR_MIDNIGHT};
    struct interval_origin origin = {.tz = zone("America/Sao_Paulo")};

    (void)state;
    assert_step(&i, &origin, "2018-11-03T23:00:00Z", "2018-11-04T03:00:00Z");
    assert_step(&i, &origin, "2018-11-04T03:00:00Z", "2018-11-04T13:00:00Z");
}

/* St John's left DST at 00:01 until 2011: the clock showed the old date for another hour. */
static void a_fold_over_midnight_does_not_begin_the_day_twice(void **state)
{
    struct interval_def i = {.every = 6 * SPAN_H, .anchor = ANCHOR_MIDNIGHT};
    struct interval_origin origin = {.tz = zone("America/St_Johns")};

    (void)state;
    /* 2010-11-07T00:00-02:30 is 02:30Z; at 02:31Z the clock goes back to 23:01. */
    assert_step(&i, &origin, "2010-11-07T02:29:59Z", "2010-11-07T02:30:00Z");
    assert_step(&i, &origin, "2010-11-07T02:30:00Z", "2010-11-07T08:30:00Z");
    assert_step(&i, &origin, "2010-11-07T02:45:00Z", "2010-11-07T08:30:00Z");
}

static void start_counts_from_the_last_start_or_from_creation(void **state)
{
    struct interval_def i = {.every = 90 * SPAN_S, .anchor = ANCHOR_START};
    struct interval_origin origin = {.created = at("2024-01-15T12:00:00Z"),
                                     .last_start = INSTANT_NONE,
                                     .last_end = INSTANT_NONE};

    (void)state;
    assert_step(&i, &origin, "2024-01-15T12:00:00Z", "2024-01-15T12:01:30Z");
    assert_step(&i, &origin, "2024-01-15T12:01:30Z", "2024-01-15T12:03:00Z");
    assert_step(&i, &origin, "2020-01-01T00:00:00Z", "2024-01-15T12:01:30Z");
    assert_true(interval_prev(&i, &origin, at("2024-01-15T12:01:30Z")) == INSTANT_NONE);
    origin.last_start = at("2024-01-15T12:10:10.500Z");
    assert_step(&i, &origin, "2024-01-15T12:10:11Z", "2024-01-15T12:11:40.500Z");
}

static void completion_waits_for_the_run_to_end(void **state)
{
    struct interval_def i = {.every = SPAN_MIN, .anchor = ANCHOR_COMPLETION};
    struct interval_origin origin = {.created = at("2024-01-15T12:00:00Z"),
                                     .last_start = at("2024-01-15T12:05:00Z"),
                                     .last_end = INSTANT_NONE};

    (void)state;
    assert_true(interval_next(&i, &origin, at("2024-01-15T12:05:00Z")) == INSTANT_NEVER);
    assert_true(interval_prev(&i, &origin, at("2025-01-15T12:05:00Z")) == INSTANT_NONE);
    origin.last_end = at("2024-01-15T12:07:20Z");
    assert_step(&i, &origin, "2024-01-15T12:07:20Z", "2024-01-15T12:08:20Z");
}

static void nothing_comes_after_the_year_9999(void **state)
{
    struct interval_def i = {.every = SPAN_DAY};
    struct interval_origin origin = {0};

    (void)state;
    assert_true(interval_next(&i, &origin, at("9999-12-31T00:00:00Z")) == INSTANT_NEVER);
    i.anchor = ANCHOR_MIDNIGHT;
    origin.tz = zone("Asia/Tokyo");
    assert_true(interval_next(&i, &origin, at("9999-12-31T15:00:00Z")) == INSTANT_NEVER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(epoch_counts_from_1970_with_a_phase),
        cmocka_unit_test(midnight_restarts_each_local_day),
        cmocka_unit_test(a_day_of_23_or_25_hours_has_46_or_50_half_hours),
        cmocka_unit_test(a_day_whose_midnight_is_in_a_gap_begins_after_it),
        cmocka_unit_test(a_fold_over_midnight_does_not_begin_the_day_twice),
        cmocka_unit_test(start_counts_from_the_last_start_or_from_creation),
        cmocka_unit_test(completion_waits_for_the_run_to_end),
        cmocka_unit_test(nothing_comes_after_the_year_9999),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
