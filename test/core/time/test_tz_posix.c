/* SPDX-License-Identifier: Apache-2.0 */
/*
 * POSIX TZ rules (IEEE 1003.1, section 8.3, with the hours of RFC 9636).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/time/civil.h"
#include "core/time/tz_posix.h"

enum { H = 3600, M = 60 };

static int64_t utc(int year, int month, int day, int hour, int minute, int second)
{
    return day_of_date(year, month, day) * DAY_SECONDS + hour * H + minute * M + second;
}

static struct tz_posix parse(const char *text)
{
    struct tz_posix rule = {0};
    struct err err = {0};

    if (tz_posix_parse(str_of(text), &rule, &err) != RC_OK)
        fail_msg("%s: %s", text, err.text);
    return rule;
}

static void a_rule_without_dst_is_one_offset(void **state)
{
    static const struct {
        const char *text;
        int32_t offset;
    } cases[] = {
        {"UTC0", 0},
        {"EST5", -5 * H},
        {"JST-9", 9 * H},
        {"<+0545>-5:45", 5 * H + 45 * M},
        {"<-00>0", 0},
        {"LMT+4:56:02", -(4 * H + 56 * M + 2)},
        {"MMT00:44:30", -(44 * M + 30)},
        {"FAR24:59:59", -(24 * H + 59 * M + 59)},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tz_posix rule = parse(cases[i].text);

        assert_int_equal(rule.std_offset, cases[i].offset);
        assert_false(rule.has_dst);
    }
}

static void dst_is_an_hour_ahead_unless_said_otherwise(void **state)
{
    (void)state;
    assert_int_equal(parse("EST5EDT,M3.2.0,M11.1.0").dst_offset, -4 * H);
    assert_int_equal(parse("<+00>0<+02>-2,M3.5.0/1,M10.5.0/3").dst_offset, 2 * H);
    assert_int_equal(parse("IST-1GMT0,M10.5.0,M3.5.0/1").dst_offset, 0);
    assert_int_equal(parse("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0").dst_offset, 11 * H);
}

static void changes_come_at_two_unless_said_otherwise(void **state)
{
    (void)state;
    assert_int_equal(parse("EST5EDT,M3.2.0,M11.1.0").start.seconds, 2 * H);
    assert_int_equal(parse("EST5EDT,M3.2.0/0,M11.1.0").start.seconds, 0);
    assert_int_equal(parse("EST5EDT,M3.2.0/+3:04:05,M11.1.0").start.seconds, 3 * H + 4 * M + 5);
    assert_int_equal(parse("EST5EDT,M3.2.0/-167:59:59,M11.1.0").start.seconds,
                     -(167 * H + 59 * M + 59));
    assert_int_equal(parse("EST5EDT,M3.2.0,M11.1.0/167").end.seconds, 167 * H);
}

static void each_year_has_its_two_changes(void **state)
{
    static const struct {
        const char *text;
        int year;
        int start[5], end[5]; /* month, day, hour, minute, second in UTC */
    } cases[] = {
        /* The United States from 2007 on. */
        {"EST5EDT,M3.2.0,M11.1.0", 2007, {3, 11, 7, 0, 0}, {11, 4, 6, 0, 0}},
        {"EST5EDT,M3.2.0,M11.1.0", 2026, {3, 8, 7, 0, 0}, {11, 1, 6, 0, 0}},
        /* The European Union: the last Sunday, the fourth or the fifth. */
        {"CET-1CEST,M3.5.0,M10.5.0/3", 2024, {3, 31, 1, 0, 0}, {10, 27, 1, 0, 0}},
        {"CET-1CEST,M3.5.0,M10.5.0/3", 2026, {3, 29, 1, 0, 0}, {10, 25, 1, 0, 0}},
        /* Southern hemisphere: in a year DST ends before it begins. */
        {"AEST-10AEDT,M10.1.0,M4.1.0/3", 2024, {10, 5, 16, 0, 0}, {4, 6, 16, 0, 0}},
        /* Israel: the Friday before the last Sunday of March. */
        {"IST-2IDT,M3.4.4/26,M10.5.0", 2024, {3, 29, 0, 0, 0}, {10, 26, 23, 0, 0}},
        {"IST-2IDT,M3.4.4/26,M10.5.0", 2025, {3, 28, 0, 0, 0}, {10, 25, 23, 0, 0}},
        /* Greenland: on the evening before. */
        {"<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 2025, {3, 30, 1, 0, 0}, {10, 26, 1, 0, 0}},
        /* J59 is 28 February and J60 is 1 March in every year. */
        {"AAA0BBB,J59/0,J60/1", 2023, {2, 28, 0, 0, 0}, {3, 1, 0, 0, 0}},
        {"AAA0BBB,J59/0,J60/1", 2024, {2, 28, 0, 0, 0}, {3, 1, 0, 0, 0}},
        {"AAA0BBB,J1/0,J365/1", 2024, {1, 1, 0, 0, 0}, {12, 31, 0, 0, 0}},
        /* 59 is 1 March in a common year and 29 February in a leap year. */
        {"AAA0BBB,59/0,364/1", 2023, {3, 1, 0, 0, 0}, {12, 31, 0, 0, 0}},
        {"AAA0BBB,59/0,365/1", 2024, {2, 29, 0, 0, 0}, {12, 31, 0, 0, 0}},
        /* 1900 was not a leap year, 2000 was. */
        {"AAA0BBB,59/0,0/1", 1900, {3, 1, 0, 0, 0}, {1, 1, 0, 0, 0}},
        {"AAA0BBB,59/0,0/1", 2000, {2, 29, 0, 0, 0}, {1, 1, 0, 0, 0}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tz_posix rule = parse(cases[i].text);
        const int *s = cases[i].start, *e = cases[i].end;
        int64_t start, end;

        tz_posix_year(&rule, cases[i].year, &start, &end);
        assert_int_equal(start, utc(cases[i].year, s[0], s[1], s[2], s[3], s[4]));
        assert_int_equal(end, utc(cases[i].year, e[0], e[1], e[2], e[3], e[4]));
    }
}

static void every_year_begins_where_the_calendar_says(void **state)
{
    (void)state;
    for (int year = 1; year <= 9999; year++)
        assert_int_equal(tz_year_start(year), utc(year, 1, 1, 0, 0, 0));
    /* Outside of the calendar: year 0 is a leap year, like 400 and 10000. */
    assert_int_equal(tz_year_start(0), utc(1, 1, 1, 0, 0, 0) - 366 * INT64_C(86400));
    assert_int_equal(tz_year_start(10000), utc(9999, 12, 31, 0, 0, 0) + 86400);
    assert_int_equal(tz_year_start(10001), tz_year_start(10000) + 366 * INT64_C(86400));
    assert_int_equal(tz_year_start(-399), utc(1, 1, 1, 0, 0, 0) - CYCLE_DAYS * 86400);
}

static void a_wrong_rule_is_refused_where_it_is_wrong(void **state)
{
    static const struct {
        const char *text;
        int at;
    } cases[] = {
        {"", 0},
        {"5", 0},
        {"ES5", 0},
        {"<+1>-1", 1},
        {"<+0100-1", 8},
        {"EST", 3},
        {"EST25", 3},
        {"EST5:60", 5},
        {"EST5:", 5},
        {"EST5:00:60", 8},
        {"EST5E", 4},
        {"EST5 ", 4},
        {"EST5EDT", 7},
        {"EST5EDT,", 8},
        {"EST5EDT,M3.2.0", 14},
        {"EST5EDT,M3.2.0,", 15},
        {"EST5EDT,M3.2.0,M11.1.0,", 22},
        {"EST5EDT,M3.2.0,M11.1.0 ", 22},
        {"EST5EDT4:,M3.2.0,M11.1.0", 9},
        {"EST5EDT25,M3.2.0,M11.1.0", 7},
        {"EST5EDT,M0.2.0,M11.1.0", 9},
        {"EST5EDT,M13.2.0,M11.1.0", 9},
        {"EST5EDT,M3.0.0,M11.1.0", 11},
        {"EST5EDT,M3.6.0,M11.1.0", 11},
        {"EST5EDT,M3.2.7,M11.1.0", 13},
        {"EST5EDT,M3.2,M11.1.0", 12},
        {"EST5EDT,J0,J365", 9},
        {"EST5EDT,J1,J366", 12},
        {"EST5EDT,0,366", 10},
        {"EST5EDT,-1,3", 8},
        {"EST5EDT,M3.2.0/168,M11.1.0", 15},
        {"EST5EDT,M3.2.0/-168,M11.1.0", 16},
        {"EST5EDT,M3.2.0/,M11.1.0", 15},
        {"EST5EDT,M3.2.0/99999999999999999999,M11.1.0", 15},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tz_posix rule = {.std_offset = 77};
        struct err err;

        assert_int_equal(tz_posix_parse(str_of(cases[i].text), &rule, &err), RC_INVALID);
        if (err.at != cases[i].at)
            fail_msg("%s: at %d: %s", cases[i].text, err.at, err.text);
        assert_int_equal(rule.std_offset, 77);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rule_without_dst_is_one_offset),
        cmocka_unit_test(dst_is_an_hour_ahead_unless_said_otherwise),
        cmocka_unit_test(changes_come_at_two_unless_said_otherwise),
        cmocka_unit_test(each_year_has_its_two_changes),
        cmocka_unit_test(every_year_begins_where_the_calendar_says),
        cmocka_unit_test(a_wrong_rule_is_refused_where_it_is_wrong),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
