/* SPDX-License-Identifier: Apache-2.0 */
/* Intervals in cron texts.  Expected values: the rules of Go's durations and of AWS rates. */
#include "core/cron/cron_every.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void check(const char *text, enum cron_every rule, int64_t seconds, int64_t phase)
{
    span every = -1, offset = -1;
    struct err err = {.text = "untouched"};

    if (cron_every_parse(str_of(text), text, rule, &every, &offset, &err) != RC_OK)
        fail_msg("%s: %s", text, err.text);
    assert_int_equal(every, seconds * SPAN_S);
    assert_int_equal(offset, phase * SPAN_S);
    assert_string_equal(err.text, "untouched");
}

static void check_refused(const char *text, enum cron_every rule, int at, const char *words)
{
    span every = -1, phase = -1;
    struct err err;

    if (cron_every_parse(str_of(text), text, rule, &every, &phase, &err) != RC_INVALID)
        fail_msg("%s is accepted", text);
    assert_int_equal(every, -1);
    assert_int_equal(phase, -1);
    if (err.at != at || !strstr(err.text, words))
        fail_msg("%s: at %d: %s", text, err.at, err.text);
}

static void durations_are_sums_of_numbers_with_units(void **state)
{
    (void)state;
    check("90s", EVERY_WHOLE, 90, 0);
    check("1h30m", EVERY_WHOLE, 5400, 0);
    check("1.5h", EVERY_WHOLE, 5400, 0);
    check(".5m", EVERY_WHOLE, 30, 0);
    check("5.m", EVERY_WHOLE, 300, 0);
    check("1000ms", EVERY_WHOLE, 1, 0);
    check("999999us1000ns", EVERY_WHOLE, 1, 0);
    check("500ms1s500ms", EVERY_WHOLE, 2, 0); /* Go allows any order and repeated units */
    check("007s", EVERY_WHOLE, 7, 0);
    check("0.000277777777777778h1s", EVERY_ROUNDED, 1, 0);
    check("2562047h", EVERY_WHOLE, INT64_C(2562047) * 3600, 0); /* just below 2^63 ns */
}

static void the_native_form_accepts_only_whole_seconds(void **state)
{
    (void)state;
    check_refused("1500ms", EVERY_WHOLE, 0, "write \"1s\" or \"2s\"");
    check_refused("999ms", EVERY_WHOLE, 0, "use at least \"1s\"");
    check_refused("0s", EVERY_WHOLE, 0, "use at least \"1s\"");
}

static void the_go_form_is_cut_to_seconds_and_never_below_one(void **state)
{
    (void)state;
    check("1500ms", EVERY_ROUNDED, 1, 0);
    check("59.999s", EVERY_ROUNDED, 59, 0);
    check("10ms", EVERY_ROUNDED, 1, 0);
    check_refused("0s", EVERY_ROUNDED, 0, "too short");
    check_refused("-5m", EVERY_ROUNDED, 0, "is not a duration");
}

static void the_epoch_form_has_days_and_a_phase(void **state)
{
    (void)state;
    check("5d", EVERY_EPOCH, 5 * 86400, 0);
    check("1.5d", EVERY_EPOCH, 129600, 0);
    check("5h/45m", EVERY_EPOCH, 5 * 3600, 45 * 60);
    check("1h/0s", EVERY_EPOCH, 3600, 0);
    check("1.9s/1.2s", EVERY_EPOCH, 1, 0);
    check_refused("1h/2h", EVERY_EPOCH, 3, "shorter than the interval");
    check_refused("3h/3h", EVERY_EPOCH, 3, "shorter than the interval");
    check_refused("1h/", EVERY_EPOCH, 3, "a duration is missing");
    check_refused("1h/-1m", EVERY_EPOCH, 3, "is not a duration");
    check_refused("0.5s", EVERY_EPOCH, 0, "too short");
    check_refused("5d", EVERY_WHOLE, 1, "a unit is missing");
    check_refused("5h/45m", EVERY_WHOLE, 2, "is not a duration");
}

static void invalid_durations_are_refused_at_the_wrong_byte(void **state)
{
    (void)state;
    check_refused("", EVERY_WHOLE, 0, "write \"@every 90s\"");
    check_refused("h", EVERY_WHOLE, 0, "\"h\" is not a duration");
    check_refused("90", EVERY_WHOLE, 2, "a unit is missing");
    check_refused("90x", EVERY_WHOLE, 2, "a unit is missing");
    check_refused("1h 30m", EVERY_WHOLE, 2, "is not a duration");
    check_refused(".s", EVERY_WHOLE, 0, "is not a duration");
    check_refused("1h.", EVERY_WHOLE, 2, "is not a duration");
    check_refused("2562048h", EVERY_WHOLE, 0, "at most 292 years");
    check_refused("99999999999999999999999999h", EVERY_WHOLE, 0, "at most 292 years");
    check_refused("9223372036s9223372036s", EVERY_WHOLE, 11, "at most 292 years");
}

static void check_rate(const char *text, span expected)
{
    span rate = -1;
    struct err err;

    if (cron_rate_parse(str_of(text), text, &rate, &err) != RC_OK)
        fail_msg("%s: %s", text, err.text);
    assert_int_equal(rate, expected);
}

static void check_rate_refused(const char *text, int at, const char *words)
{
    span rate = -1;
    struct err err;

    if (cron_rate_parse(str_of(text), text, &rate, &err) != RC_INVALID)
        fail_msg("%s is accepted", text);
    assert_int_equal(rate, -1);
    if (err.at != at || !strstr(err.text, words))
        fail_msg("%s: at %d: %s", text, err.at, err.text);
}

static void rates_are_numbers_of_minutes_hours_or_days(void **state)
{
    (void)state;
    check_rate("5 minutes", 5 * SPAN_MIN);
    check_rate("1 minute", SPAN_MIN);
    check_rate("1 hour", SPAN_H);
    check_rate("24 hours", 24 * SPAN_H);
    check_rate("1 day", SPAN_DAY);
    check_rate("7 days", 7 * SPAN_DAY);
    check_rate(" 7  days ", 7 * SPAN_DAY);
}

static void the_unit_of_a_rate_agrees_with_its_number(void **state)
{
    (void)state;
    check_rate_refused("1 minutes", 2, "use minute, hour or day");
    check_rate_refused("5 minute", 2, "use minutes, hours or days");
    check_rate_refused("5 weeks", 2, "use minutes, hours or days");
    check_rate_refused("5 s", 2, "use minutes, hours or days");
    check_rate_refused("0 minutes", 0, "positive number");
    check_rate_refused("-1 minutes", 0, "positive number");
    check_rate_refused("minutes", 0, "positive number");
    check_rate_refused("5minutes", 0, "a space");
    check_rate_refused("5", 0, "a unit");
    check_rate_refused("", 0, "a unit");
    check_rate_refused("99999999999999999999 days", 0, "at most 292 years");
    check_rate_refused("1.5 hours", 0, "positive number, a space");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations_are_sums_of_numbers_with_units),
        cmocka_unit_test(the_native_form_accepts_only_whole_seconds),
        cmocka_unit_test(the_go_form_is_cut_to_seconds_and_never_below_one),
        cmocka_unit_test(the_epoch_form_has_days_and_a_phase),
        cmocka_unit_test(invalid_durations_are_refused_at_the_wrong_byte),
        cmocka_unit_test(rates_are_numbers_of_minutes_hours_or_days),
        cmocka_unit_test(the_unit_of_a_rate_agrees_with_its_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
