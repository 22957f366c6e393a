/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dates of HTTP.  The forms and their meaning are those of RFC 9110 sections 5.6.7 and 10.2.3;
 * the seconds were computed by date(1) of GNU coreutils 9.1.
 */
#include "wire/http1/http1_date.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* Mon, 16 Nov 2026 00:00:00 GMT */
static const instant in_2026 = INT64_C(1794787200) * SPAN_S;
static const instant in_2099 = INT64_C(4083955200) * SPAN_S;

struct moment {
    int64_t seconds;
    const char *text;
};

static const struct moment moments[] = {
    {INT64_C(-62135596800), "Mon, 01 Jan 0001 00:00:00 GMT"},
    {INT64_C(-62135510401), "Mon, 01 Jan 0001 23:59:59 GMT"},
    {INT64_C(-2203891201), "Wed, 28 Feb 1900 23:59:59 GMT"},
    {INT64_C(-2203891200), "Thu, 01 Mar 1900 00:00:00 GMT"},
    {-1, "Wed, 31 Dec 1969 23:59:59 GMT"},
    {0, "Thu, 01 Jan 1970 00:00:00 GMT"},
    {784111777, "Sun, 06 Nov 1994 08:49:37 GMT"}, /* the RFC's example */
    {951782399, "Mon, 28 Feb 2000 23:59:59 GMT"},
    {951782400, "Tue, 29 Feb 2000 00:00:00 GMT"},
    {951868800, "Wed, 01 Mar 2000 00:00:00 GMT"},
    {1709164800, "Thu, 29 Feb 2024 00:00:00 GMT"},
    {1709251200, "Fri, 01 Mar 2024 00:00:00 GMT"},
    {INT64_C(2147483648), "Tue, 19 Jan 2038 03:14:08 GMT"},
    {INT64_C(4107542399), "Sun, 28 Feb 2100 23:59:59 GMT"},
    {INT64_C(4107542400), "Mon, 01 Mar 2100 00:00:00 GMT"},
    {INT64_C(253402300799), "Fri, 31 Dec 9999 23:59:59 GMT"},
};

static instant parse(const char *text, instant now)
{
    struct err err = {0};
    instant t = INSTANT_NEVER;

    if (http1_date_parse(str_of(text), now, &t, &err) != RC_OK)
        fail_msg("%s: %s", text, err.text);
    return t;
}

static void dates_are_written_and_read_to_the_second(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(moments); i++) {
        char text[HTTP1_DATE_LEN + 1];
        struct buf out = BUF(text);

        http1_date_format(moments[i].seconds * SPAN_S, &out);
        assert_false(out.cut);
        assert_string_equal(text, moments[i].text);
        assert_int_equal(parse(moments[i].text, in_2026), moments[i].seconds * SPAN_S);
    }
}

static void a_fraction_of_a_second_is_dropped_also_before_1970(void **state)
{
    char text[100];
    struct buf out = BUF(text);

    (void)state;
    http1_date_format(SPAN_S - 1, &out);
    http1_date_format(-1, &out);
    assert_string_equal(text, "Thu, 01 Jan 1970 00:00:00 GMT"
                              "Wed, 31 Dec 1969 23:59:59 GMT");
}

static bool is_leap(int year)
{
    return year % 400 == 0 || (year % 4 == 0 && year % 100 != 0);
}

/* Walking the calendar day by day uses no formula that could be wrong in the same way. */
static void each_day_of_400_years_follows_the_one_before(void **state)
{
    static const char *const names[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    static const char *const weekdays[] = {"Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"};
    int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year = 1970, month = 0, day = 1;

    (void)state;
    for (int64_t n = 0; n < 146097; n++) {
        char text[HTTP1_DATE_LEN + 1], expected[64];
        struct buf out = BUF(text), want = BUF(expected);

        buf_printf(&want, "%s, %02d %s %d 12:34:56 GMT", weekdays[n % 7], day, names[month],
                   year);
        http1_date_format(n * SPAN_DAY + 12 * SPAN_H + 34 * SPAN_MIN + 56 * SPAN_S, &out);
        assert_string_equal(text, expected);
        assert_int_equal(parse(text, in_2026) / SPAN_DAY, n);
        days[1] = is_leap(year) ? 29 : 28;
        day = day % days[month] + 1;
        month = day > 1 ? month : (month + 1) % 12;
        year += day == 1 && month == 0;
    }
    assert_int_equal(year, 2370);
}

static void the_two_old_forms_are_read(void **state)
{
    (void)state;
    assert_int_equal(parse("Sunday, 06-Nov-94 08:49:37 GMT", in_2026), 784111777 * SPAN_S);
    assert_int_equal(parse("Sun Nov  6 08:49:37 1994", in_2026), 784111777 * SPAN_S);
    assert_int_equal(parse("Mon Nov 16 00:00:00 2026", in_2026), in_2026);
}

/* A year that would be more than 50 years ahead is in the past.  "05" in 2099 is 2105. */
static void a_year_of_two_digits_is_at_most_50_years_ahead(void **state)
{
    (void)state;
    assert_int_equal(parse("Wednesday, 01-Jan-76 00:00:00 GMT", in_2026),
                     INT64_C(3345062400) * SPAN_S);
    assert_int_equal(parse("Saturday, 01-Jan-77 00:00:00 GMT", in_2026), 220924800 * SPAN_S);
    assert_int_equal(parse("Thursday, 01-Jan-05 00:00:00 GMT", in_2099),
                     INT64_C(4260211200) * SPAN_S);
}

static void a_leap_second_is_the_second_after(void **state)
{
    (void)state;
    assert_int_equal(parse("Sat, 31 Dec 2016 23:59:60 GMT", in_2026), 1483228800 * SPAN_S);
}

static void invalid_dates_are_refused_with_an_example(void **state)
{
    static const char *const wrong[] = {
        "",
        "x",
        "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 +0000",
        "Sun, 06 Nov 1994 08:49:37 GMT ",
        " Sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun,  6 Nov 1994 08:49:37 GMT",
        "Sun 06 Nov 1994 08:49:37 GMT",
        "sun, 06 nov 1994 08:49:37 gmt",
        "Mon, 06 Nov 1994 08:49:37 GMT", /* it was a Sunday */
        "Sunday, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 06-Nov-94 08:49:37 GMT",
        "Sun, 06 Nob 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 06 Nov 1994 8:49:37 GMT",
        "Thu, 30 Feb 2023 00:00:00 GMT",
        "Wed, 29 Feb 2023 00:00:00 GMT",
        "Thu, 00 Jan 1970 00:00:00 GMT",
        "Sat, 01 Jan 0000 00:00:00 GMT",
        "Fri, 31 Dec 9999 23:59:60 GMT",
        "Sun Nov 06 08:49:37 94",
        "1994-11-06T08:49:37Z",
    };

    (void)state;
    for (int i = 0; i < COUNT(wrong); i++) {
        struct err err = {0};
        instant t = 7;

        if (http1_date_parse(str_of(wrong[i]), in_2026, &t, &err) != RC_INVALID)
            fail_msg("%s is accepted", wrong[i]);
        assert_int_equal(t, 7);
        assert_non_null(strstr(err.text, "Sun, 06 Nov 1994 08:49:37 GMT"));
    }
}

static instant retry_after(const char *text)
{
    struct err err = {0};
    instant t = INSTANT_NEVER;

    if (http1_date_retry_after(str_of(text), in_2026, &t, &err) != RC_OK)
        fail_msg("%s: %s", text, err.text);
    return t;
}

static void retry_after_is_seconds_or_a_date(void **state)
{
    (void)state;
    assert_int_equal(retry_after("0"), in_2026);
    assert_int_equal(retry_after("120"), in_2026 + 120 * SPAN_S);
    assert_int_equal(retry_after("Fri, 31 Dec 1999 23:59:59 GMT"), 946684799 * SPAN_S);
    assert_int_equal(retry_after("251607513599"), INSTANT_MAX - (SPAN_S - 1));
    assert_int_equal(retry_after("251607513600"), INSTANT_MAX);
    assert_int_equal(retry_after("99999999999999999999999999"), INSTANT_MAX);
}

static void invalid_values_of_retry_after_are_refused(void **state)
{
    static const char *const wrong[] = {"",   "-1",  "+1",  "1.5",  " 1",   "1 ",
                                        "1s", "0x5", "1e3", "soon", "1, 2", "nan"};

    (void)state;
    for (int i = 0; i < COUNT(wrong); i++) {
        struct err err = {0};
        instant t = 7;

        assert_int_equal(http1_date_retry_after(str_of(wrong[i]), in_2026, &t, &err),
                         RC_INVALID);
        assert_int_equal(t, 7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates_are_written_and_read_to_the_second),
        cmocka_unit_test(a_fraction_of_a_second_is_dropped_also_before_1970),
        cmocka_unit_test(each_day_of_400_years_follows_the_one_before),
        cmocka_unit_test(the_two_old_forms_are_read),
        cmocka_unit_test(a_year_of_two_digits_is_at_most_50_years_ahead),
        cmocka_unit_test(a_leap_second_is_the_second_after),
        cmocka_unit_test(invalid_dates_are_refused_with_an_example),
        cmocka_unit_test(retry_after_is_seconds_or_a_date),
        cmocka_unit_test(invalid_values_of_retry_after_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
