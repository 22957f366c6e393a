/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times as text.  Expected instants: the examples of RFC 3339, section 5.8, and values of
 * another implementation (Python's datetime).
 */
#include "core/time/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/limits.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct known {
    const char *text;
    int64_t value;
};

/* A text that must be rejected, the position, and a part of the message. */
struct wrong {
    const char *text;
    int at;
    const char *says;
};

static void check_refusal(const struct wrong *w, enum rc rc, const struct err *err)
{
    if (rc != RC_INVALID || err->at != w->at || !strstr(err->text, w->says) ||
        err->field[0] != '\0' || err->at + err->len > (int)strlen(w->text))
        fail_msg("\"%s\": rc %d, at %d, len %d: %s", w->text, rc, err->at, err->len, err->text);
}

static instant instant_of(const char *text)
{
    struct err err;
    instant t = 0;

    if (instant_parse(str_of(text), &t, &err) != RC_OK)
        fail_msg("%s: %s", text, err.text);
    return t;
}

static void instants_have_the_values_of_rfc_3339(void **state)
{
    static const struct known cases[] = {
        {"1985-04-12T23:20:50.52Z", 482196050520000},
        {"1996-12-19T16:39:57-08:00", 851042397000000},
        {"1996-12-20T00:39:57Z", 851042397000000},
        {"1937-01-01T12:00:27.87+00:20", -1041337172130000},
        {"2027-01-01T00:00:00.000Z", 1798761600000000},
        {"2027-01-01t00:00:00z", 1798761600000000},
        {"2027-01-01T00:00:00-00:00", 1798761600000000},
        {"2000-02-29T12:34:56.789Z", 951827696789000},
        {"1969-12-31T23:59:59.999Z", -1000},
        {"1970-01-01T00:00:00Z", 0},
        {"1970-01-01T00:00:00+23:59", -86340000000},
        {"0001-01-01T00:00:00Z", INSTANT_MIN},
        {"9999-12-31T23:59:59.999999Z", INSTANT_MAX},
        {"9999-12-31T23:59:59.999999999Z", INSTANT_MAX},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        if (instant_of(cases[i].text) != cases[i].value)
            fail_msg("%s is %lld", cases[i].text, (long long)instant_of(cases[i].text));
}

static void a_fraction_is_cut_to_microseconds(void **state)
{
    (void)state;
    assert_int_equal(instant_of("1970-01-01T00:00:00.1Z"), 100000);
    assert_int_equal(instant_of("1970-01-01T00:00:00.000001Z"), 1);
    assert_int_equal(instant_of("1970-01-01T00:00:00.0000019Z"), 1);
    assert_int_equal(instant_of("1970-01-01T00:00:00.999999999Z"), 999999);
    assert_int_equal(instant_of("1969-12-31T23:59:59.0000009Z"), -1000000);
}

static void wrong_instants_are_refused_where_they_are_wrong(void **state)
{
    static const struct wrong cases[] = {
        {"", 0, "the year needs 4 digits"},
        {"2027", 4, "'-' is missing"},
        {"27-01-01T00:00:00Z", 2, "the year needs 4 digits"},
        {"02027-01-01T00:00:00Z", 4, "'-' is missing"},
        {"+2027-01-01T00:00:00Z", 0, "the year needs 4 digits"},
        {"0000-01-01T00:00:00Z", 0, "year 0000 is out of range 1-9999"},
        {"2027-1-01T00:00:00Z", 6, "the month needs 2 digits"},
        {"2027-13-01T00:00:00Z", 5, "month 13 is out of range 1-12"},
        {"2027-00-01T00:00:00Z", 5, "month 00 is out of range 1-12"},
        {"2027-01-00T00:00:00Z", 8, "day 00 is out of range 1-31"},
        {"2027-02-29T00:00:00Z", 8, "2027-02 has no day 29, only 1-28"},
        {"2100-02-29T00:00:00Z", 8, "only 1-28"},
        {"2027-04-31T00:00:00Z", 8, "only 1-30"},
        {"2027-01-01 00:00:00Z", 10, "'T' is missing"},
        {"2027-01-01", 10, "'T' is missing"},
        {"2027-01-01T24:00:00Z", 11, "hour 24 is out of range 0-23"},
        {"2027-01-01T00:60:00Z", 14, "minute 60 is out of range 0-59"},
        {"1990-12-31T23:59:60Z", 17, "second 60 is out of range 0-59"},
        {"2027-01-01T00:00Z", 16, "':' is missing"},
        {"2027-01-01T00:00:00", 19, "Z or an offset"},
        {"2027-01-01T00:00:00.Z", 20, "digits must follow the point"},
        {"2027-01-01T00:00:00,5Z", 19, "Z or an offset"},
        {"2027-01-01T00:00:00.1234567890Z", 29, "at most 9 digits"},
        {"2027-01-01T00:00:00+2", 21, "the hour of the offset needs 2 digits"},
        {"2027-01-01T00:00:00+0200", 22, "':' is missing"},
        {"2027-01-01T00:00:00+24:00", 20, "hour of the offset 24 is out of range 0-23"},
        {"2027-01-01T00:00:00+02:60", 23, "minute of the offset 60 is out of range"},
        {"2027-01-01T00:00:00ZZ", 20, "nothing may follow"},
        {"2027-01-01T00:00:00Z ", 20, "nothing may follow"},
        {" 2027-01-01T00:00:00Z", 0, "the year needs 4 digits"},
        {"0001-01-01T00:00:00+00:01", 0, "out of the years 1-9999"},
        {"9999-12-31T23:59:59-00:01", 0, "out of the years 1-9999"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct err err = {0};
        instant t = 7;
        enum rc rc = instant_parse(str_of(cases[i].text), &t, &err);

        check_refusal(&cases[i], rc, &err);
        assert_int_equal(t, 7);
    }
}

static void a_zero_byte_in_an_instant_is_refused(void **state)
{
    const char text[] = "2027-01-01T00:00:00Z\0";
    struct err err = {0};
    instant t;

    (void)state;
    assert_int_equal(instant_parse((struct str){text, sizeof text - 1}, &t, &err), RC_INVALID);
    assert_int_equal(err.at, 20);
}

/* The output of each writer, in one string for comparison. */
static const char *forms(instant t)
{
    static char text[200];
    struct buf out = BUF(text);

    instant_format(t, &out);
    buf_char(&out, ' ');
    instant_format_ms(t, &out);
    assert_false(out.cut);
    return text;
}

static void instants_are_written_in_their_two_forms(void **state)
{
    (void)state;
    assert_string_equal(forms(1798761600000000),
                        "2027-01-01T00:00:00Z 2027-01-01T00:00:00.000Z");
    assert_string_equal(forms(482196050520000),
                        "1985-04-12T23:20:50.52Z 1985-04-12T23:20:50.520Z");
    assert_string_equal(forms(-1000), "1969-12-31T23:59:59.999Z 1969-12-31T23:59:59.999Z");
    assert_string_equal(forms(-1), "1969-12-31T23:59:59.999Z 1969-12-31T23:59:59.999Z");
    assert_string_equal(forms(INSTANT_MIN), "0001-01-01T00:00:00Z 0001-01-01T00:00:00.000Z");
    assert_string_equal(forms(INSTANT_MAX),
                        "9999-12-31T23:59:59.999Z 9999-12-31T23:59:59.999Z");
}

/* Such as the end of a lease that was granted on the last day. */
static void instants_beyond_the_years_are_written_as_the_nearest_within(void **state)
{
    (void)state;
    assert_string_equal(forms(INSTANT_MAX + 90 * SPAN_S),
                        "9999-12-31T23:59:59.999Z 9999-12-31T23:59:59.999Z");
    assert_string_equal(forms(INSTANT_NEVER),
                        "9999-12-31T23:59:59.999Z 9999-12-31T23:59:59.999Z");
    assert_string_equal(forms(INSTANT_MIN - 1),
                        "0001-01-01T00:00:00Z 0001-01-01T00:00:00.000Z");
}

static const char *local_form(instant t, int32_t offset)
{
    static char text[INSTANT_TEXT_MAX];
    struct buf out = BUF(text);

    instant_format_local(t, offset, &out);
    assert_false(out.cut);
    return text;
}

static void a_local_time_is_written_with_its_offset(void **state)
{
    (void)state;
    assert_string_equal(local_form(1772953200000000, -4 * 3600), "2026-03-08T03:00:00-04:00");
    assert_string_equal(local_form(1798761600000000, 0), "2027-01-01T00:00:00+00:00");
    assert_string_equal(local_form(1798761600250000, 20700), "2027-01-01T05:45:00.25+05:45");
    assert_string_equal(local_form(851042397000000, -8 * 3600), "1996-12-19T16:39:57-08:00");
    /* Local mean time of New York, before zones: an offset with seconds is not rounded. */
    assert_string_equal(local_form(-2717650800000000, -17762), "1883-11-18T12:03:58-04:56:02");
}

static void a_wall_clock_beyond_the_last_year_is_written_in_full(void **state)
{
    (void)state;
    assert_string_equal(local_form(INSTANT_MAX, 14 * 3600), "10000-01-01T13:59:59.999+14:00");
    assert_string_equal(local_form(INSTANT_MIN, -12 * 3600), "0000-12-31T12:00:00-12:00");
}

static void what_is_written_reads_back_as_the_same_instant(void **state)
{
    uint64_t chance = 88172645463325252u;

    (void)state;
    for (int i = 0; i < 100000; i++) {
        char text[INSTANT_TEXT_MAX];
        struct buf utc = BUF(text);
        uint64_t range = (uint64_t)(INSTANT_MAX - INSTANT_MIN) / 1000 + 1;
        instant t;

        chance ^= chance << 13;
        chance ^= chance >> 7;
        chance ^= chance << 17;
        t = INSTANT_MIN + (int64_t)(chance % range) * 1000;
        instant_format_ms(t, &utc);
        assert_int_equal(instant_of(text), t);
        if (t < INSTANT_MIN + SPAN_DAY || t > INSTANT_MAX - SPAN_DAY)
            continue;
        assert_int_equal(instant_of(local_form(t, (int32_t)(chance % 1439) * 60 - 43200)), t);
    }
}

static void durations_have_their_lengths(void **state)
{
    static const struct known cases[] = {
        {"0s", 0},
        {"250ms", 250 * SPAN_MS},
        {"90s", 90 * SPAN_S},
        {"1h30m", 90 * SPAN_MIN},
        {"7d", 7 * SPAN_DAY},
        {"1d2h3m4s5ms6us", 93784005006},
        {"1.5h", 90 * SPAN_MIN},
        {"0.5d0.5h", 12 * SPAN_H + 30 * SPAN_MIN},
        {"1.000001s", SPAN_S + 1},
        {"0.00000000125d", 108},
        {"1000ns", 1},
        {"0.5us500ns", 1},
        {"007m", 7 * SPAN_MIN},
        {"36h", 36 * SPAN_H},
        {"1.500000000000000000000s", SPAN_S + SPAN_S / 2},
        {"365250d", 365250 * SPAN_DAY},
        {"8766000h", 365250 * SPAN_DAY},
        {"9000000000000000000ns", 9000000000000000},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct err err = {0};
        span d = -1;

        if (duration_parse(str_of(cases[i].text), &d, &err) != RC_OK || d != cases[i].value)
            fail_msg("%s is %lld: %s", cases[i].text, (long long)d, err.text);
    }
}

static void wrong_durations_are_refused_where_they_are_wrong(void **state)
{
    static const struct wrong cases[] = {
        {"", 0, "a duration is missing"},
        {"90", 2, "a number needs a unit"},
        {"0", 1, "a number needs a unit"},
        {"1h30", 4, "a number needs a unit"},
        {"-5s", 0, "cannot be negative"},
        {"+5s", 0, "a number is missing"},
        {"h", 0, "a number is missing"},
        {" 5s", 0, "a number is missing"},
        {"5 s", 1, "a number needs a unit"},
        {"5s ", 2, "a number is missing"},
        {".5s", 0, "a number is missing"},
        {"5.s", 2, "digits must follow the point"},
        {"5min", 1, "unknown unit; use d, h, m, s, ms, us or ns"},
        {"5M", 1, "unknown unit"},
        {"1w", 1, "unknown unit"},
        {"1e3s", 1, "unknown unit"},
        {"30m1h", 3, "in the order d h m s ms us ns, each at most once"},
        {"1h1h", 2, "each at most once"},
        {"1ns", 0, "whole number of microseconds"},
        {"1.5us", 0, "whole number of microseconds"},
        {"1.5ns", 2, "less than a nanosecond"},
        {"1.0000000001s", 11, "less than a nanosecond"},
        {"365251d", 0, "at most 1000 years"},
        {"365250d1us", 7, "at most 1000 years"},
        {"99999999999999999999999999s", 0, "at most 1000 years"},
        {"99999999999999999999999999ns", 0, "at most 1000 years"},
        {"365250.5d", 0, "at most 1000 years"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct err err = {0};
        span d = 7;
        enum rc rc = duration_parse(str_of(cases[i].text), &d, &err);

        check_refusal(&cases[i], rc, &err);
        assert_int_equal(d, 7);
    }
}

static void durations_are_written_in_their_canonical_form(void **state)
{
    static const struct known cases[] = {
        {"0s", 0},
        {"1m30s", 90 * SPAN_S},
        {"7d", 7 * SPAN_DAY},
        {"1d12h", 36 * SPAN_H},
        {"250ms", 250 * SPAN_MS},
        {"1s500ms", 1500 * SPAN_MS},
        {"1us", 1},
        {"1d2h3m4s5ms6us", 93784005006},
        {"365250d", 365250 * SPAN_DAY},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[DURATION_TEXT_MAX];
        struct buf out = BUF(text);
        struct err err = {0};
        span d = -1;

        duration_format(cases[i].value, &out);
        assert_false(out.cut);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(duration_parse(buf_as_str(&out), &d, &err), RC_OK);
        assert_int_equal(d, cases[i].value);
    }
}

static void times_of_day_are_hours_minutes_and_maybe_seconds(void **state)
{
    static const struct known right[] = {
        {"00:00", 0},        {"09:00", 32400},    {"17:00:30", 61230},
        {"23:59:59", 86399}, {"06:00:00", 21600},
    };
    static const struct wrong wrong[] = {
        {"", 0, "the hour needs 2 digits"},
        {"9:00", 1, "the hour needs 2 digits"},
        {"24:00", 0, "hour 24 is out of range 0-23"},
        {"12:60", 3, "minute 60"},
        {"12:00:60", 6, "second 60"},
        {"12", 2, "':' is missing"},
        {"12:00:", 6, "the second needs 2 digits"},
        {"12:00Z", 5, "':' is missing"},
        {"12:00:00.5", 8, "nothing may follow"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(right); i++) {
        struct err err = {0};
        int32_t tod = -1;

        assert_int_equal(time_of_day_parse(str_of(right[i].text), &tod, &err), RC_OK);
        assert_int_equal(tod, right[i].value);
    }
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct err err = {0};
        int32_t tod = 7;

        check_refusal(&wrong[i], time_of_day_parse(str_of(wrong[i].text), &tod, &err), &err);
        assert_int_equal(tod, 7);
    }
}

static void a_time_of_day_is_written_with_seconds_only_when_there_are_some(void **state)
{
    char text[40];
    struct buf out = BUF(text);

    (void)state;
    time_of_day_format(32400, &out);
    buf_char(&out, ' ');
    time_of_day_format(61230, &out);
    buf_char(&out, ' ');
    time_of_day_format(0, &out);
    assert_string_equal(text, "09:00 17:00:30 00:00");
}

static void dates_are_days_that_exist(void **state)
{
    static const struct known right[] = {
        {"1970-01-01", 0},       {"2000-02-29", 11016},   {"1969-12-31", -1},
        {"0001-01-01", DAY_MIN}, {"9999-12-31", DAY_MAX}, {"2027-12-25", 21177},
    };
    static const struct wrong wrong[] = {
        {"", 0, "the year needs 4 digits"},
        {"2027-12", 7, "'-' is missing"},
        {"2023-02-29", 8, "2023-02 has no day 29, only 1-28"},
        {"2027-12-32", 8, "day 32 is out of range 1-31"},
        {"0000-12-25", 0, "year 0000"},
        {"10000-01-01", 4, "'-' is missing"},
        {"2027-12-25T", 10, "nothing may follow"},
        {"20271225", 4, "'-' is missing"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(right); i++) {
        char text[20];
        struct buf out = BUF(text);
        struct err err = {0};
        int64_t day = -1;

        assert_int_equal(date_parse(str_of(right[i].text), &day, &err), RC_OK);
        assert_int_equal(day, right[i].value);
        date_format(day, &out);
        assert_string_equal(text, right[i].text);
    }
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct err err = {0};
        int64_t day = 7;

        check_refusal(&wrong[i], date_parse(str_of(wrong[i].text), &day, &err), &err);
        assert_int_equal(day, 7);
    }
}

static void success_does_not_change_the_error(void **state)
{
    struct err err, before;
    instant t;
    span d;

    (void)state;
    memset(&err, 0x5a, sizeof err);
    memcpy(&before, &err, sizeof err);
    assert_int_equal(instant_parse(STR("2027-01-01T00:00:00Z"), &t, &err), RC_OK);
    assert_int_equal(duration_parse(STR("1h"), &d, &err), RC_OK);
    assert_memory_equal(&err, &before, sizeof err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instants_have_the_values_of_rfc_3339),
        cmocka_unit_test(a_fraction_is_cut_to_microseconds),
        cmocka_unit_test(wrong_instants_are_refused_where_they_are_wrong),
        cmocka_unit_test(a_zero_byte_in_an_instant_is_refused),
        cmocka_unit_test(instants_are_written_in_their_two_forms),
        cmocka_unit_test(instants_beyond_the_years_are_written_as_the_nearest_within),
        cmocka_unit_test(a_local_time_is_written_with_its_offset),
        cmocka_unit_test(a_wall_clock_beyond_the_last_year_is_written_in_full),
        cmocka_unit_test(what_is_written_reads_back_as_the_same_instant),
        cmocka_unit_test(durations_have_their_lengths),
        cmocka_unit_test(wrong_durations_are_refused_where_they_are_wrong),
        cmocka_unit_test(durations_are_written_in_their_canonical_form),
        cmocka_unit_test(times_of_day_are_hours_minutes_and_maybe_seconds),
        cmocka_unit_test(a_time_of_day_is_written_with_seconds_only_when_there_are_some),
        cmocka_unit_test(dates_are_days_that_exist),
        cmocka_unit_test(success_does_not_change_the_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
