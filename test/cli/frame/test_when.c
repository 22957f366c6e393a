/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of times for people.  Offsets are those of tzdata: Berlin has +01:00 in winter and
 * +02:00 in summer, Chatham +12:45 and +13:45, St. John's -03:30.
 */
#include "cli/frame/when.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static instant at(const char *text)
{
    struct err err;
    instant t = 0;

    assert_int_equal(instant_parse(str_of(text), &t, &err), RC_OK);
    return t;
}

static const char *shown(const char *zone, const char *time)
{
    static char text[WHEN_TEXT_MAX];
    struct buf out = BUF(text);
    struct when when;

    setenv("TZ", zone, 1);
    when_open(&when, false, 0);
    when_time(&when, at(time), &out);
    when_close(&when);
    return text;
}

static void times_are_shown_in_the_local_zone(void **state)
{
    struct when when;
    char text[WHEN_TEXT_MAX];
    struct buf out = BUF(text);

    (void)state;
    assert_string_equal(shown("Europe/Berlin", "2026-11-16T07:30:00Z"),
                        "2026-11-16 08:30:00 +01:00");
    assert_string_equal(shown(":Europe/Berlin", "2026-07-16T07:30:00.250Z"),
                        "2026-07-16 09:30:00.250 +02:00");
    assert_string_equal(shown("Pacific/Chatham", "2026-11-16T23:30:00Z"),
                        "2026-11-17 13:15:00 +13:45");
    assert_string_equal(shown("America/St_Johns", "2026-01-01T00:00:00Z"),
                        "2025-12-31 20:30:00 -03:30");
    assert_string_equal(shown("UTC", "2026-01-01T00:00:00Z"), "2026-01-01 00:00:00Z");
    assert_string_equal(shown("No/Where", "2026-01-01T00:00:00Z"), "2026-01-01 00:00:00Z");
    setenv("TZ", "Europe/Berlin", 1);
    when_open(&when, true, 0);
    when_time(&when, at("2026-11-16T07:30:00Z"), &out);
    assert_string_equal(text, "2026-11-16 07:30:00Z");
    when_close(&when);
}

static const char *away(span d)
{
    static char text[WHEN_TEXT_MAX];
    struct buf out = BUF(text);
    instant now = at("2026-11-16T07:30:00Z");

    when_distance(now + d, now, &out);
    return text;
}

static void distances_have_two_units(void **state)
{
    (void)state;
    assert_string_equal(away(0), "now");
    assert_string_equal(away(999 * SPAN_MS), "now");
    assert_string_equal(away(-999 * SPAN_MS), "now");
    assert_string_equal(away(SPAN_S), "in 1s");
    assert_string_equal(away(5 * SPAN_MIN), "in 5m");
    assert_string_equal(away(5 * SPAN_MIN + 7 * SPAN_S), "in 5m7s");
    assert_string_equal(away(-2 * SPAN_H - 10 * SPAN_MIN - 59 * SPAN_S), "2h10m ago");
    assert_string_equal(away(SPAN_DAY + 30 * SPAN_MIN), "in 1d");
    assert_string_equal(away(-400 * SPAN_DAY - 3 * SPAN_H), "400d3h ago");
}

static void typed_times_are_converted_to_the_format_of_the_api(void **state)
{
    static const struct {
        const char *typed, *meant;
    } cases[] = {
        {"2026-11-16T08:30:00+01:00", "2026-11-16T07:30:00.000Z"},
        {"now", "2026-11-16T12:00:00.000Z"},
        {"-2h", "2026-11-16T10:00:00.000Z"},
        {"+30m", "2026-11-16T12:30:00.000Z"},
        {"-7d", "2026-11-09T12:00:00.000Z"},
    };
    static const char *const wrong[] = {
        "",     "soon",       "2h", "-", "+", "-x", "--2h", "2026-11-16", "2026-11-16 08:30",
        "2026", "2026-11-16T"};
    char text[INSTANT_TEXT_MAX];
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(
            when_read(cases[i].typed, NULL, at("2026-11-16T12:00:00Z"), text, &err), RC_OK);
        assert_string_equal(text, cases[i].meant);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(when_read(wrong[i], NULL, 0, text, &err), RC_INVALID);
        assert_non_null(strstr(err.text, "-2h or +30m"));
    }
}

/* Berlin has no 02:30 on 2026-03-29, and two on 2026-10-25. */
static void local_times_and_times_copied_from_tables_are_read(void **state)
{
    static const struct {
        const char *zone, *typed, *meant;
    } cases[] = {
        {"Europe/Berlin", "2026-11-16", "2026-11-15T23:00:00.000Z"},
        {"Europe/Berlin", "2026-07-16T08:30", "2026-07-16T06:30:00.000Z"},
        {"Europe/Berlin", "2026-11-16 08:30:15", "2026-11-16T07:30:15.000Z"},
        {"Europe/Berlin", "2026-03-29 02:30", "2026-03-29T01:00:00.000Z"},
        {"Europe/Berlin", "2026-10-25 02:30", "2026-10-25T00:30:00.000Z"},
        {"Europe/Berlin", "2026-11-16T08:30:00Z", "2026-11-16T08:30:00.000Z"},
        {"Europe/Berlin", "2026-07-16 09:30:00.250 +02:00", "2026-07-16T07:30:00.250Z"},
        {"America/St_Johns", "2025-12-31 20:30:00 -03:30", "2026-01-01T00:00:00.000Z"},
        {"UTC", "2026-01-01", "2026-01-01T00:00:00.000Z"},
        {"UTC", "2026-01-01 00:00:00Z", "2026-01-01T00:00:00.000Z"},
    };
    static const char *const wrong[] = {
        "",          "soon", "2026-11", "2026-11-16T", "2026-11-16 25:00", "2026-11-16 + 01:00",
        "16.11.2026"};
    char text[INSTANT_TEXT_MAX];
    struct when when;
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        setenv("TZ", cases[i].zone, 1);
        assert_int_equal(when_read_here(cases[i].typed, false, text, &err), RC_OK);
        assert_string_equal(text, cases[i].meant);
    }
    setenv("TZ", "Europe/Berlin", 1);
    assert_int_equal(when_read_here("2026-11-16", true, text, &err), RC_OK);
    assert_string_equal(text, "2026-11-16T00:00:00.000Z");
    when_open(&when, false, 0);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(when_read(wrong[i], &when, 0, text, &err), RC_INVALID);
        assert_non_null(strstr(err.text, "2026-11-16, "));
    }
    when_close(&when);
}

static void a_span_beyond_the_calendar_is_invalid(void **state)
{
    char text[INSTANT_TEXT_MAX];
    struct err err;

    (void)state;
    assert_int_equal(when_read("+365000d", NULL, at("9998-01-01T00:00:00Z"), text, &err),
                     RC_INVALID);
    assert_int_equal(when_read("-365000d", NULL, at("0002-01-01T00:00:00Z"), text, &err),
                     RC_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_shown_in_the_local_zone),
        cmocka_unit_test(distances_have_two_units),
        cmocka_unit_test(typed_times_are_converted_to_the_format_of_the_api),
        cmocka_unit_test(local_times_and_times_copied_from_tables_are_read),
        cmocka_unit_test(a_span_beyond_the_calendar_is_invalid),
    };

    return cmocka_run_group_tests_name("when", tests, NULL, NULL);
}
