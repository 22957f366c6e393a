/* SPDX-License-Identifier: Apache-2.0 */
/* The calendar, compared with a walk over every day of ten thousand years. */
#include "core/time/civil.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Walks every day by the rules of the calendar, without a formula. */
static void each_day_of_ten_thousand_years_follows_the_previous_one(void **state)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year = 1, month = 1, day = 1, weekday = 1; /* 0001-01-01 was a Monday */

    (void)state;
    for (int64_t n = DAY_MIN; n <= DAY_MAX; n++) {
        struct date date = date_of_day(n);
        bool is_leap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0);
        int length = lengths[month - 1] + (month == 2 && is_leap);

        if (date.year != year || date.month != month || date.day != day ||
            day_of_date(year, month, day) != n || day_weekday(n) != weekday ||
            month_days(year, month) != length)
            fail_msg("day %lld is %d-%d-%d, expected %d-%d-%d", (long long)n, date.year,
                     date.month, date.day, year, month, day);
        weekday = (weekday + 1) % 7;
        if (++day > length) {
            day = 1;
            month = month % 12 + 1;
            year += month == 1;
        }
    }
    assert_int_equal(year, 10000);
}

static void known_days_have_their_numbers(void **state)
{
    (void)state;
    assert_int_equal(day_of_date(1970, 1, 1), 0);
    assert_int_equal(day_of_date(2000, 2, 29), 11016);
    assert_int_equal(day_of_date(1969, 12, 31), -1);
    assert_int_equal(day_of_date(1, 1, 1), DAY_MIN);
    assert_int_equal(day_of_date(9999, 12, 31), DAY_MAX);
}

static void dates_that_do_not_exist_are_refused(void **state)
{
    (void)state;
    assert_true(date_is_valid(2024, 2, 29));
    assert_false(date_is_valid(2023, 2, 29));
    assert_false(date_is_valid(1900, 2, 29));
    assert_true(date_is_valid(2000, 2, 29));
    assert_false(date_is_valid(2024, 0, 1));
    assert_false(date_is_valid(2024, 13, 1));
    assert_false(date_is_valid(2024, 4, 31));
    assert_false(date_is_valid(2024, 4, 0));
    assert_false(date_is_valid(0, 1, 1));
    assert_false(date_is_valid(10000, 1, 1));
}

static void local_seconds_split_and_join_before_and_after_1970(void **state)
{
    static const int64_t locals[] = {0, -1, 86399, -86400, -86401, 951782399, -62135596800};

    (void)state;
    for (size_t i = 0; i < sizeof locals / sizeof *locals; i++) {
        struct civil civil = civil_of_local(locals[i]);

        assert_int_equal(local_of_civil(&civil), locals[i]);
    }
    struct civil eve = civil_of_local(-1);

    assert_int_equal(eve.date.year, 1969);
    assert_int_equal(eve.date.month, 12);
    assert_int_equal(eve.date.day, 31);
    assert_int_equal(eve.hour, 23);
    assert_int_equal(eve.minute, 59);
    assert_int_equal(eve.second, 59);
}

/* The proof of "never" [T-36] needs this: leap year or not, and the weekday of 1 January. */
static void any_forty_years_hold_every_kind_of_year(void **state)
{
    (void)state;
    for (int from = 1; from + ALL_KINDS_YEARS <= 10000; from++) {
        unsigned kinds = 0;

        for (int year = from; year < from + ALL_KINDS_YEARS; year++)
            kinds |= 1u << (day_weekday(day_of_date(year, 1, 1)) + 7 * year_is_leap(year));
        assert_int_equal(kinds, (1 << 14) - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_day_of_ten_thousand_years_follows_the_previous_one),
        cmocka_unit_test(known_days_have_their_numbers),
        cmocka_unit_test(dates_that_do_not_exist_are_refused),
        cmocka_unit_test(any_forty_years_hold_every_kind_of_year),
        cmocka_unit_test(local_seconds_split_and_join_before_and_after_1970),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
