/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search in masks, compared with a walk over civil time, second by second, that tests
 * each field separately.
 */
#include "core/cron/cron.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static uint64_t random_state = 88172645463325252u;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static int below(int n)
{
    return (int)(random_bits() % (uint64_t)n);
}

static bool bit(uint64_t bits, int n)
{
    return bits >> n & 1;
}

static int nearest_working_day(int year, int month, int day)
{
    int64_t first = day_of_date(year, month, 1);
    int best = 0;

    for (int d = 1; d <= month_days(year, month); d++) {
        int weekday = day_weekday(first + d - 1);
        int distance = d > day ? d - day : day - d;
        int best_distance = best > day ? best - day : day - best;

        if (weekday == 0 || weekday == 6)
            continue;
        if (best == 0 || distance < best_distance)
            best = d;
    }
    return best;
}

/* The definition of each field as in cron.h, without arithmetic on masks. */
static bool day_matches(const struct cron *cron, int64_t number)
{
    struct date date = date_of_day(number);
    int n = month_days(date.year, date.month), weekday = day_weekday(number);
    bool by_day = bit(cron->day, date.day) || bit(cron->last, n - date.day);
    bool by_weekday = bit(cron->weekday, weekday);
    unsigned year = (unsigned)(date.year - 1970);

    for (int d = 1; d <= n; d++) {
        if (bit(cron->near, d) && nearest_working_day(date.year, date.month, d) == date.day)
            by_day = true;
        if (bit(cron->last_near, n - d) &&
            nearest_working_day(date.year, date.month, d) == date.day)
            by_day = true;
    }
    if (bit(cron->nth[(date.day - 1) / 7 + 1], weekday))
        by_weekday = true;
    if (date.day > n - 7 && bit(cron->nth[0], weekday))
        by_weekday = true;
    if (!bit(cron->month, date.month))
        return false;
    if (!(cron->flags & CRON_ANY_YEAR) &&
        (date.year < 1970 || date.year > 2199 || !bit(cron->year[year / 64], year % 64)))
        return false;
    return cron->flags & CRON_DAY_AND ? by_day && by_weekday : by_day || by_weekday;
}

static bool second_matches(const struct cron *cron, int64_t local)
{
    int64_t day = floor_div(local, DAY_SECONDS);
    int tod = (int)(local - day * DAY_SECONDS);

    return bit(cron->hour, tod / 3600) && bit(cron->minute, tod / 60 % 60) &&
           bit(cron->second, tod % 60) && day_matches(cron, day);
}

/* Some bits of `all`: one, many, or all. */
static uint64_t some(uint64_t all)
{
    uint64_t bits = below(3) == 0 ? all : random_bits() & random_bits() & all;

    if (below(3) == 0)
        bits = all & (UINT64_C(1) << below(64));
    return bits;
}

static uint64_t some_not_none(uint64_t all)
{
    uint64_t bits = 0;

    while (bits == 0)
        bits = some(all);
    return bits;
}

static struct cron random_cron(void)
{
    struct cron cron = {
        .second = some_not_none((UINT64_C(1) << 60) - 1),
        .minute = some_not_none((UINT64_C(1) << 60) - 1),
        .hour = (uint32_t)some_not_none((1u << 24) - 1),
        .day = (uint32_t)some(0xfffffffe),
        .month = (uint16_t)some_not_none(0x1ffe),
        .weekday = (uint8_t)some(0x7f),
        .flags = CRON_ANY_YEAR,
    };

    if (below(2))
        cron.flags |= CRON_DAY_AND;
    if (below(4) == 0) {
        cron.last = (uint32_t)(UINT64_C(1) << below(31));
        cron.near = (uint32_t)(UINT64_C(2) << below(31));
        cron.last_near = (uint32_t)(below(2) ? UINT64_C(1) << below(31) : 0);
    }
    if (below(4) == 0)
        cron.nth[below(6)] = (uint8_t)some_not_none(0x7f);
    if (below(5) == 0) {
        cron.flags &= (uint8_t)~CRON_ANY_YEAR;
        cron.year[0] = some(UINT64_MAX);
        cron.year[3] = some((UINT64_C(1) << 38) - 1);
    }
    assert_true(cron_is_valid(&cron));
    cron_seal(&cron);
    return cron;
}

static int64_t random_local(void)
{
    int64_t year = below(5) == 0 ? 1 + below(9998) : 1965 + below(80);

    return day_of_date((int)year, 1, 1) * DAY_SECONDS + below(366 * DAY_SECONDS);
}

enum { WALK_SECONDS = 3 * DAY_SECONDS };

static void next_and_prev_agree_with_a_walk_second_by_second(void **state)
{
    (void)state;
    for (int i = 0; i < 60; i++) {
        struct cron cron = random_cron();
        int64_t from = random_local(), next = cron_next_local(&cron, from);
        int64_t prev = cron_prev_local(&cron, from - 1);

        for (int64_t at = from; at < from + WALK_SECONDS; at++) {
            bool matches = second_matches(&cron, at);

            if (matches != cron_matches(&cron, at) || (at == next) != matches)
                fail_msg("case %d at %lld: next is %lld", i, (long long)at, (long long)next);
            if (matches) {
                assert_int_equal(cron_prev_local(&cron, at), at);
                assert_true(cron_prev_local(&cron, at - 1) == prev);
                prev = at;
                next = cron_next_local(&cron, at + 1);
            }
        }
        assert_true(next >= from + WALK_SECONDS);
    }
}

static void days_agree_with_a_walk_day_by_day(void **state)
{
    (void)state;
    for (int i = 0; i < 3000; i++) {
        struct cron cron = random_cron();
        int64_t from = floor_div(random_local(), DAY_SECONDS);
        int64_t next = cron_next_day(&cron, from), prev = cron_prev_day(&cron, from);

        for (int64_t day = from; day < from + 500; day++) {
            bool matches = day <= DAY_MAX && day_matches(&cron, day);

            if (matches) {
                assert_int_equal(next, day);
                next = cron_next_day(&cron, day + 1);
            }
        }
        assert_true(next >= from + 500);
        for (int64_t day = from; day > from - 500 && day >= DAY_MIN; day--) {
            if (day_matches(&cron, day)) {
                assert_int_equal(prev, day);
                prev = cron_prev_day(&cron, day - 1);
            }
        }
        assert_true(prev <= from - 500 || from - 500 < DAY_MIN);
    }
}

static void gaps_between_matches_are_found_in_both_directions(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) {
        struct cron cron = random_cron();
        int64_t from = random_local(), at = from;
        int64_t next = cron_next_unmatched(&cron, from),
                prev = cron_prev_unmatched(&cron, from);

        while (at - from < 400 && second_matches(&cron, at))
            at++;
        assert_true(at - from < 400 ? next == at : next >= at || next == LOCAL_NEVER);
        at = from;
        while (from - at < 400 && second_matches(&cron, at))
            at--;
        assert_true(from - at < 400 ? prev == at : prev <= at);
    }
}

static struct cron daily(int hour, uint32_t day, uint16_t month)
{
    struct cron cron = {.second = 1,
                        .minute = 1,
                        .hour = 1u << hour,
                        .day = day,
                        .month = month,
                        .weekday = 0x7f,
                        .flags = CRON_DAY_AND | CRON_ANY_YEAR};

    cron_seal(&cron);
    return cron;
}

static void the_29th_of_february_is_found_across_2100(void **state)
{
    struct cron cron = daily(0, 1u << 29, 1u << 2);
    int64_t after = day_of_date(2096, 3, 1) * DAY_SECONDS;

    (void)state;
    assert_int_equal(cron_next_local(&cron, after), day_of_date(2104, 2, 29) * DAY_SECONDS);
    assert_int_equal(cron_prev_local(&cron, day_of_date(2104, 2, 28) * DAY_SECONDS),
                     day_of_date(2096, 2, 29) * DAY_SECONDS);
}

static void impossible_dates_have_no_match(void **state)
{
    struct cron february = daily(0, 1u << 30, 1u << 2);
    struct cron short_months = daily(0, 1u << 31,
                                     1u << 2 | 1u << 4 | 1u << 6 | 1u << 9 | 1u << 11);

    (void)state;
    assert_true(cron_next_local(&february, 0) == LOCAL_NEVER);
    assert_true(cron_prev_local(&february, 0) == LOCAL_NONE);
    assert_true(cron_next_local(&short_months, 0) == LOCAL_NEVER);
}

static void the_calendar_ends_with_9999_and_begins_with_1(void **state)
{
    struct cron cron = daily(12, 0xfffffffe, 0x1ffe);
    int64_t last = DAY_MAX * DAY_SECONDS + 12 * 3600, first = DAY_MIN * DAY_SECONDS + 12 * 3600;

    (void)state;
    assert_int_equal(cron_next_local(&cron, last), last);
    assert_true(cron_next_local(&cron, last + 1) == LOCAL_NEVER);
    assert_int_equal(cron_next_local(&cron, INT64_MIN / 2), first);
    assert_int_equal(cron_prev_local(&cron, first), first);
    assert_true(cron_prev_local(&cron, first - 1) == LOCAL_NONE);
    assert_int_equal(cron_prev_local(&cron, INT64_MAX / 2), last);
}

static void invalid_masks_are_refused(void **state)
{
    struct cron good = daily(0, 0xfffffffe, 0x1ffe), bad;

    (void)state;
    good.flags = CRON_DAY_AND | CRON_ANY_YEAR;
    assert_true(cron_is_valid(&good));
    bad = good, bad.second = 0;
    assert_false(cron_is_valid(&bad));
    bad = good, bad.second = UINT64_C(1) << 60;
    assert_false(cron_is_valid(&bad));
    bad = good, bad.day |= 1;
    assert_false(cron_is_valid(&bad));
    bad = good, bad.month = 0;
    assert_false(cron_is_valid(&bad));
    bad = good, bad.weekday = 0x80;
    assert_false(cron_is_valid(&bad));
    bad = good, bad.flags |= CRON_EVERY_DAY;
    assert_false(cron_is_valid(&bad));
    bad = good, bad.parts = 1;
    assert_false(cron_is_valid(&bad));
    bad = good, bad.flags = CRON_DAY_AND, bad.year[3] = UINT64_C(1) << 38;
    assert_false(cron_is_valid(&bad));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(next_and_prev_agree_with_a_walk_second_by_second),
        cmocka_unit_test(days_agree_with_a_walk_day_by_day),
        cmocka_unit_test(gaps_between_matches_are_found_in_both_directions),
        cmocka_unit_test(the_29th_of_february_is_found_across_2100),
        cmocka_unit_test(impossible_dates_have_no_match),
        cmocka_unit_test(the_calendar_ends_with_9999_and_begins_with_1),
        cmocka_unit_test(invalid_masks_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
