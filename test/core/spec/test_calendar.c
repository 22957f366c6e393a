/* SPDX-License-Identifier: Apache-2.0 */
/* Calendar entries: the fields of the native and the temporal grammar. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/cron/cron_parse.h"

static const struct cron every_midnight = {
    .second = 1,
    .minute = 1,
    .hour = 1,
    .day = 0xfffffffe,
    .month = 0x1ffe,
    .weekday = 0x7f,
};

static struct cron parsed(struct calendar_text text, enum dialect dialect)
{
    struct cron cron;
    struct err err = {.text = "untouched"};

    if (calendar_parse(&text, dialect, &cron, &err) != RC_OK)
        fail_msg("%s: %s", err.field, err.text);
    assert_string_equal(err.text, "untouched");
    return cron;
}

static void refused(struct calendar_text text, enum dialect dialect, const char *field, int at,
                    const char *words)
{
    struct cron cron, before;
    struct err err;

    memset(&cron, 0x5a, sizeof cron);
    memcpy(&before, &cron, sizeof cron);
    assert_int_equal(calendar_parse(&text, dialect, &cron, &err), RC_INVALID);
    assert_memory_equal(&cron, &before, sizeof cron);
    assert_string_equal(err.field, field);
    if (err.at != at || !strstr(err.text, words))
        fail_msg("at %d: %s", err.at, err.text);
}

static void an_empty_calendar_is_every_midnight(void **state)
{
    static const enum dialect dialects[] = {DIALECT_BELFRY, DIALECT_TEMPORAL};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct cron cron = parsed((struct calendar_text){0}, dialects[i]);

        assert_true(cron.second == every_midnight.second &&
                    cron.minute == every_midnight.minute);
        assert_true(cron.hour == every_midnight.hour && cron.day == every_midnight.day &&
                    cron.month == every_midnight.month);
        assert_true(cron.weekday == every_midnight.weekday);
        assert_true(cron.flags & CRON_ANY_YEAR);
        assert_true(cron.flags & CRON_DAY_AND);
        assert_false(cron.flags & CRON_INTERVAL);
    }
}

static void a_blank_field_is_the_default_and_blanks_around_do_not_matter(void **state)
{
    struct calendar_text text = {.minute = STR("  "), .hour = STR(" 9\t"), .month = STR("\t")};
    struct cron cron = parsed(text, DIALECT_TEMPORAL);

    (void)state;
    assert_true(cron.minute == 1 && cron.hour == 1 << 9 && cron.month == every_midnight.month);
}

static void every_field_is_read_and_all_must_match(void **state)
{
    struct calendar_text text = {STR("1"), STR("2"),    STR("3"), STR("4"),
                                 STR("5"), STR("1971"), STR("6")};
    struct cron cron = parsed(text, DIALECT_BELFRY);

    (void)state;
    assert_true(cron.second == 1 << 1 && cron.minute == 1 << 2 && cron.hour == 1 << 3);
    assert_true(cron.day == 1 << 4 && cron.month == 1 << 5 && cron.weekday == 1 << 6);
    assert_true(cron.year[0] == 1 << 1);
    assert_int_equal(cron.flags & (CRON_DAY_AND | CRON_ANY_YEAR), CRON_DAY_AND);
}

static void the_native_grammar_accepts_what_cron_accepts(void **state)
{
    struct calendar_text text = {
        .hour = STR("22-4/3"), .day = STR("L-2,15W"), .weekday = STR("FRI-MON,TUE#2")};
    struct cron cron = parsed(text, DIALECT_BELFRY);

    (void)state;
    assert_true(cron.hour == (1 << 22 | 1 << 1 | 1 << 4));
    assert_true(cron.day == 0 && cron.last == 1 << 2 && cron.near == 1 << 15);
    assert_true(cron.weekday == (1 << 5 | 1 << 6 | 1 << 0 | 1 << 1));
    assert_true(cron.nth[2] == 1 << 2);
    /* Both day fields must match here, so `*` with a step is not ambiguous. */
    text = (struct calendar_text){.day = STR("*/2"), .weekday = STR("1")};
    assert_true(parsed(text, DIALECT_BELFRY).flags & CRON_DAY_AND);
}

static void a_calendar_has_no_hash_and_no_plus(void **state)
{
    (void)state;
    refused((struct calendar_text){.minute = STR("H")}, DIALECT_BELFRY, "minute", 0,
            "\"H\" is not a minute");
    refused((struct calendar_text){.minute = STR("1~5")}, DIALECT_BELFRY, "minute", 1,
            "unexpected \"~\"");
    refused((struct calendar_text){.weekday = STR("+1")}, DIALECT_BELFRY, "day-of-week", 0,
            "is not a weekday");
}

static void wildcards_of_the_time_make_an_interval(void **state)
{
    struct calendar_text text = {.second = STR("*/5")};

    (void)state;
    assert_true(parsed(text, DIALECT_BELFRY).flags & CRON_INTERVAL);
    text = (struct calendar_text){.minute = STR("0-5"), .hour = STR("3")};
    assert_true(parsed(text, DIALECT_BELFRY).flags & CRON_INTERVAL);
    text = (struct calendar_text){.minute = STR("0,5"), .hour = STR("3"), .day = STR("1-5")};
    assert_false(parsed(text, DIALECT_BELFRY).flags & CRON_INTERVAL);
}

static void errors_name_the_field_and_the_place_in_it(void **state)
{
    (void)state;
    refused((struct calendar_text){.minute = STR(" 1,,2")}, DIALECT_TEMPORAL, "minute", 3,
            "empty item");
    refused((struct calendar_text){.minute = STR("1, 2")}, DIALECT_TEMPORAL, "minute", 2,
            "may not contain blanks");
    refused((struct calendar_text){.hour = STR("1\t2")}, DIALECT_BELFRY, "hour", 1, "U+0009");
    refused((struct calendar_text){.day = STR("1\xe2\x80\x93"
                                              "5")},
            DIALECT_BELFRY, "day-of-month", 1, "use \"-\"");
    refused((struct calendar_text){.month = STR("13")}, DIALECT_TEMPORAL, "month", 0,
            "out of range 1–12");
    refused((struct calendar_text){.year = STR("22")}, DIALECT_TEMPORAL, "year", 0,
            "out of range 2000–2100");
    refused((struct calendar_text){.weekday = STR("6-0")}, DIALECT_TEMPORAL, "day-of-week", 0,
            "write \"6-7\"");
    refused((struct calendar_text){.year = STR("2030-2020")}, DIALECT_BELFRY, "year", 0,
            "write \"2020-2030\"");
}

static void a_huge_field_is_refused_with_its_length(void **state)
{
    enum { HUGE = 10 * 1024 * 1024 };
    char *bytes = malloc(HUGE);

    (void)state;
    assert_non_null(bytes);
    memset(bytes, '1', HUGE);
    refused((struct calendar_text){.hour = {bytes, HUGE}}, DIALECT_BELFRY, "hour", 1024,
            "has 10485760 bytes; use at most 1024");
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_calendar_is_every_midnight),
        cmocka_unit_test(a_blank_field_is_the_default_and_blanks_around_do_not_matter),
        cmocka_unit_test(every_field_is_read_and_all_must_match),
        cmocka_unit_test(the_native_grammar_accepts_what_cron_accepts),
        cmocka_unit_test(a_calendar_has_no_hash_and_no_plus),
        cmocka_unit_test(wildcards_of_the_time_make_an_interval),
        cmocka_unit_test(errors_name_the_field_and_the_place_in_it),
        cmocka_unit_test(a_huge_field_is_refused_with_its_length),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
