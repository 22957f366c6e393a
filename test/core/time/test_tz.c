/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lookups in a zone.  Zones come from test/data/zoneinfo; expected values are published clock
 * changes or come from another implementation.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/time/civil.h"
#include "core/time/tz.h"

enum { H = 3600, M = 60 };

static int64_t utc(int year, int month, int day, int hour, int minute, int second)
{
    struct civil civil = {{year, month, day}, hour, minute, second};

    return local_of_civil(&civil);
}

static struct tz *load(const char *name)
{
    static uint8_t bytes[TZ_FILE_MAX];
    struct tz *tz = test_malloc(TZ_BYTES_MAX);
    struct err err = {0};
    char path[128];
    FILE *file;
    size_t len;

    snprintf(path, sizeof path, "test/data/zoneinfo/%s", name);
    file = fopen(path, "rb");
    assert_non_null(file);
    len = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    if (tz_parse(str_of(name), bytes, len, tz, TZ_BYTES_MAX, &err) != RC_OK)
        fail_msg("%s", err.text);
    assert_string_equal(tz->name, name);
    return tz;
}

/* The first change after `s` is at `when`, from one offset to the other. */
static void check_change(const struct tz *tz, int64_t s, int64_t when, int32_t before,
                         int32_t after)
{
    int32_t was = 0, is = 0;
    int64_t at = 0;

    assert_true(tz_next_change(tz, s, &at, &was, &is));
    assert_int_equal(at, when);
    assert_int_equal(was, before);
    assert_int_equal(is, after);
    assert_int_equal(tz_offset(tz, when - 1), before);
    assert_int_equal(tz_offset(tz, when), after);
}

static void check_no_change(const struct tz *tz, int64_t s)
{
    int64_t at = 1;
    int32_t was = 2, is = 3;

    assert_false(tz_next_change(tz, s, &at, &was, &is));
    assert_true(at == 1 && was == 2 && is == 3);
}

static void offsets_agree_with_another_implementation(void **state)
{
    FILE *file = fopen("test/data/tz_facts.tsv", "r");
    char line[128], name[64], loaded[64] = "";
    struct tz *tz = NULL;
    long long s;
    int offset, facts = 0;

    (void)state;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#')
            continue;
        assert_int_equal(sscanf(line, "%63s %lld %d", name, &s, &offset), 3);
        if (strcmp(name, loaded) != 0) {
            test_free(tz);
            tz = load(name);
            memcpy(loaded, name, sizeof loaded);
        }
        if (tz_offset(tz, s) != offset)
            fail_msg("%s at %lld: %d, not %d", name, s, tz_offset(tz, s), offset);
        facts++;
    }
    fclose(file);
    test_free(tz);
    assert_int_equal(facts, 848);
}

static void new_york_changes_at_two_in_the_morning(void **state)
{
    struct tz *tz = load("America/New_York");

    (void)state;
    check_change(tz, utc(2024, 1, 1, 0, 0, 0), utc(2024, 3, 10, 7, 0, 0), -5 * H, -4 * H);
    check_change(tz, utc(2024, 3, 10, 7, 0, 0), utc(2024, 11, 3, 6, 0, 0), -4 * H, -5 * H);
    /* The Eastern zone began at noon on 18 November 1883. */
    check_change(tz, utc(1800, 1, 1, 0, 0, 0), utc(1883, 11, 18, 17, 0, 0),
                 -(4 * H + 56 * M + 2), -5 * H);
    test_free(tz);
}

static void new_york_changes_in_the_last_year_of_the_calendar(void **state)
{
    struct tz *tz = load("America/New_York");

    (void)state;
    /* 9999 begins on a Friday: its second Sunday of March is the 14th. */
    check_change(tz, utc(9999, 1, 1, 0, 0, 0), utc(9999, 3, 14, 7, 0, 0), -5 * H, -4 * H);
    check_change(tz, utc(9999, 7, 1, 0, 0, 0), utc(9999, 11, 7, 6, 0, 0), -4 * H, -5 * H);
    test_free(tz);
}

static void lord_howe_changes_by_half_an_hour(void **state)
{
    struct tz *tz = load("Australia/Lord_Howe");

    (void)state;
    check_change(tz, utc(2024, 1, 1, 0, 0, 0), utc(2024, 4, 6, 15, 0, 0), 11 * H,
                 10 * H + 30 * M);
    check_change(tz, utc(2024, 7, 1, 0, 0, 0), utc(2024, 10, 5, 15, 30, 0), 10 * H + 30 * M,
                 11 * H);
    test_free(tz);
}

static void apia_has_no_30_december_2011(void **state)
{
    struct tz *tz = load("Pacific/Apia");
    int64_t change = utc(2011, 12, 30, 10, 0, 0);

    (void)state;
    check_change(tz, utc(2011, 12, 1, 0, 0, 0), change, -10 * H, 14 * H);
    assert_int_equal(tz_utc_of_local(tz, utc(2011, 12, 29, 23, 59, 59)), change - 1);
    assert_int_equal(tz_utc_of_local(tz, utc(2011, 12, 30, 0, 0, 0)), change);
    assert_int_equal(tz_utc_of_local(tz, utc(2011, 12, 30, 23, 59, 59)), change);
    assert_int_equal(tz_utc_of_local(tz, utc(2011, 12, 31, 0, 0, 0)), change);
    assert_int_equal(tz_utc_of_local(tz, utc(2011, 12, 31, 0, 0, 1)), change + 1);
    test_free(tz);
}

static void kwajalein_repeated_23_hours_in_1969(void **state)
{
    struct tz *tz = load("Pacific/Kwajalein");
    int64_t change = utc(1969, 9, 30, 13, 0, 0);

    (void)state;
    check_change(tz, utc(1969, 6, 1, 0, 0, 0), change, 11 * H, -12 * H);
    assert_int_equal(tz_utc_of_local(tz, utc(1969, 9, 30, 12, 0, 0)),
                     utc(1969, 9, 30, 1, 0, 0));
    assert_int_equal(tz_utc_of_local(tz, utc(1969, 10, 1, 0, 0, 0)),
                     utc(1969, 10, 1, 12, 0, 0));
    test_free(tz);
}

static void dublin_has_negative_dst_in_winter(void **state)
{
    struct tz *tz = load("Europe/Dublin");

    (void)state;
    check_change(tz, utc(2024, 1, 1, 0, 0, 0), utc(2024, 3, 31, 1, 0, 0), 0, 1 * H);
    check_change(tz, utc(2024, 7, 1, 0, 0, 0), utc(2024, 10, 27, 1, 0, 0), 1 * H, 0);
    check_change(tz, utc(2099, 7, 1, 0, 0, 0), utc(2099, 10, 25, 1, 0, 0), 1 * H, 0);
    /* All of 1969 and 1970 was summer time. */
    check_change(tz, utc(1968, 11, 1, 0, 0, 0), utc(1971, 10, 31, 2, 0, 0), 1 * H, 0);
    test_free(tz);
}

static void monrovia_was_44_minutes_30_seconds_west_of_utc_until_1972(void **state)
{
    struct tz *tz = load("Africa/Monrovia");

    (void)state;
    check_change(tz, utc(1960, 1, 1, 0, 0, 0), utc(1972, 1, 7, 0, 44, 30), -(44 * M + 30), 0);
    check_no_change(tz, utc(1972, 1, 7, 0, 44, 30));
    test_free(tz);
}

static void moscow_changes_its_offset_without_summer_time(void **state)
{
    struct tz *tz = load("Europe/Moscow");

    (void)state;
    check_change(tz, utc(2011, 1, 1, 0, 0, 0), utc(2011, 3, 26, 23, 0, 0), 3 * H, 4 * H);
    check_change(tz, utc(2012, 1, 1, 0, 0, 0), utc(2014, 10, 25, 22, 0, 0), 4 * H, 3 * H);
    check_no_change(tz, utc(2015, 1, 1, 0, 0, 0));
    test_free(tz);
}

static void nuuk_changes_on_the_evening_before(void **state)
{
    struct tz *tz = load("America/Nuuk");

    (void)state;
    check_change(tz, utc(2025, 1, 1, 0, 0, 0), utc(2025, 3, 30, 1, 0, 0), -2 * H, -1 * H);
    check_change(tz, utc(2500, 1, 1, 0, 0, 0), utc(2500, 3, 28, 1, 0, 0), -2 * H, -1 * H);
    test_free(tz);
}

static void gaza_changes_two_days_after_a_thursday(void **state)
{
    struct tz *tz = load("Asia/Gaza");

    (void)state;
    /* M3.4.4/50 and M10.4.4/50; 1 March 2100 is a Monday, 1 October a Friday. */
    check_change(tz, utc(2100, 1, 1, 0, 0, 0), utc(2100, 3, 27, 0, 0, 0), 2 * H, 3 * H);
    check_change(tz, utc(2100, 7, 1, 0, 0, 0), utc(2100, 10, 29, 23, 0, 0), 3 * H, 2 * H);
    test_free(tz);
}

static void casablanca_keeps_its_last_offset(void **state)
{
    struct tz *tz = load("Africa/Casablanca");

    (void)state;
    check_change(tz, utc(2087, 5, 1, 0, 0, 0), utc(2087, 5, 11, 2, 0, 0), 0, 1 * H);
    check_no_change(tz, utc(2088, 1, 1, 0, 0, 0));
    assert_int_equal(tz_offset(tz, utc(9999, 12, 31, 23, 59, 59)), 1 * H);
    test_free(tz);
}

static const char *const zones[] = {
    "Africa/Casablanca", "Africa/Monrovia",     "America/New_York", "America/Nuuk",
    "America/St_Johns",  "Antarctica/Troll",    "Asia/Gaza",        "Asia/Kolkata",
    "Asia/Pyongyang",    "Australia/Lord_Howe", "Europe/Dublin",    "Europe/Moscow",
    "Pacific/Apia",      "Pacific/Chatham",     "Pacific/Honolulu", "Pacific/Kwajalein",
};
enum { ZONES = sizeof zones / sizeof zones[0] };

static int find_by_walking(const struct tz *tz, int64_t s)
{
    int i = 0;

    while (i + 1 < tz->count && s >= tz->seg[i + 1].start)
        i++;
    return i;
}

static void the_quick_search_finds_what_walking_finds(void **state)
{
    (void)state;
    for (int z = 0; z < ZONES; z++) {
        struct tz *tz = load(zones[z]);

        for (int i = 1; i < tz->count; i++)
            for (int64_t s = tz->seg[i].start - 1; s <= tz->seg[i].start + 1; s++)
                assert_int_equal(tz_find(tz, s), find_by_walking(tz, s));
        for (int b = -1; b <= TZ_BUCKETS; b++) {
            int64_t s = TZ_BUCKET_BASE + b * (INT64_C(1) << TZ_BUCKET_SHIFT);

            assert_int_equal(tz_find(tz, s), find_by_walking(tz, s));
            assert_int_equal(tz_find(tz, s - 1), find_by_walking(tz, s - 1));
        }
        assert_int_equal(tz_find(tz, TZ_TIME_MIN), 0);
        test_free(tz);
    }
}

static void segments_are_in_order_and_calm_between_their_changes(void **state)
{
    (void)state;
    for (int z = 0; z < ZONES; z++) {
        struct tz *tz = load(zones[z]);
        const struct tz_seg *seg = tz->seg;

        assert_true(seg[0].start == TZ_TIME_MIN && seg[0].calm_from == TZ_TIME_MIN);
        for (int i = 1; i < tz->count; i++) {
            int32_t size = abs(seg[i].offset - seg[i - 1].offset);

            assert_true(seg[i].start > seg[i - 1].start);
            assert_int_not_equal(size, 0);
            assert_int_equal(seg[i].calm_from, seg[i].start + size);
            assert_int_equal(seg[i - 1].calm_until, seg[i].start - size);
        }
        assert_true(seg[tz->count - 1].calm_until == TZ_TIME_MAX);
        assert_true(seg[tz->count].start == TZ_TIME_MAX);
        test_free(tz);
    }
}

/* By definition: the earliest second with this local time, or the first after the gap. */
static int64_t utc_of_local_by_walking(const struct tz *tz, int64_t local)
{
    int64_t after_gap = 0;

    for (int64_t s = local - TZ_OFFSET_MAX; s <= local + TZ_OFFSET_MAX; s++) {
        int64_t shown = s + tz_offset(tz, s), before = s - 1 + tz_offset(tz, s - 1);

        if (shown == local)
            return s;
        if (before < local && shown > local)
            after_gap = s;
    }
    return after_gap;
}

static void check_local(const struct tz *tz, int64_t local)
{
    assert_int_equal(tz_utc_of_local(tz, local), utc_of_local_by_walking(tz, local));
}

static void local_time_is_found_through_every_kind_of_change(void **state)
{
    static const struct {
        const char *zone;
        int year;
    } cases[] = {
        {"America/New_York", 2024}, {"Australia/Lord_Howe", 2024}, {"Antarctica/Troll", 2024},
        {"Pacific/Apia", 2011},     {"Pacific/Kwajalein", 1969},   {"Europe/Dublin", 2437},
        {"Africa/Monrovia", 1972},  {"Pacific/Chatham", 9998},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tz *tz = load(cases[i].zone);
        int64_t at = utc(cases[i].year, 1, 1, 0, 0, 0) - 1, end = at + 366 * DAY_SECONDS;
        int32_t before, after;
        int changes = 0;

        while (tz_next_change(tz, at, &at, &before, &after) && at < end) {
            changes++;
            for (int d = -1; d <= 1; d++) {
                check_local(tz, at + before + d);
                check_local(tz, at + after + d);
                check_local(tz, at + (before + after) / 2 + d);
            }
        }
        assert_true(changes > 0);
        test_free(tz);
    }
}

static void after_the_table_every_400_years_are_alike(void **state)
{
    int with_rule = 0;

    (void)state;
    for (int z = 0; z < ZONES; z++) {
        struct tz *tz = load(zones[z]);
        int64_t s = tz->cycle_from, end = s + TZ_CYCLE_SECONDS, at, later;
        int32_t before, after, before_later, after_later;

        if (s == TZ_TIME_MAX) {
            test_free(tz);
            continue;
        }
        for (int steps = 0; s < end; steps++) {
            assert_true(steps < 2 * CYCLE_YEARS + 2);
            assert_true(tz_next_change(tz, s, &at, &before, &after));
            assert_true(
                tz_next_change(tz, s + TZ_CYCLE_SECONDS, &later, &before_later, &after_later));
            assert_int_equal(later, at + TZ_CYCLE_SECONDS);
            assert_true(before == before_later && after == after_later);
            s = at;
        }
        with_rule++;
        test_free(tz);
    }
    assert_int_equal(with_rule, 8);
}

static void a_zone_is_copied_by_its_size(void **state)
{
    struct tz *tz = load("Pacific/Chatham");
    struct tz *copy = test_malloc(tz_size(tz));

    (void)state;
    memcpy(copy, tz, tz_size(tz));
    test_free(tz);
    assert_int_equal(tz_offset(copy, utc(2024, 1, 1, 0, 0, 0)), 13 * H + 45 * M);
    assert_int_equal(tz_offset(copy, utc(9000, 7, 1, 0, 0, 0)), 12 * H + 45 * M);
    test_free(copy);
}

static void offsets_from_utc_are_zones_without_changes(void **state)
{
    static const struct {
        const char *text, *name;
        int32_t offset;
    } cases[] = {
        {"UTC", "UTC", 0},
        {"GMT", "UTC", 0},
        {"Z", "UTC", 0},
        {"UTC+0", "UTC", 0},
        {"-00:00", "UTC", 0},
        {"UTC+05:30", "UTC+05:30", 5 * H + 30 * M},
        {"UTC+5:30", "UTC+05:30", 5 * H + 30 * M},
        {"UTC+5", "UTC+05:00", 5 * H},
        {"GMT-3", "UTC-03:00", -3 * H},
        {"+05:30", "UTC+05:30", 5 * H + 30 * M},
        {"-0330", "UTC-03:30", -(3 * H + 30 * M)},
        {"+14", "UTC+14:00", 14 * H},
        {"UTC-00:44", "UTC-00:44", -44 * M},
        {"UTC+24:00", "UTC+24:00", 24 * H},
        {"UTC-24", "UTC-24:00", -24 * H},
    };
    struct tz *tz = test_malloc(TZ_FIXED_BYTES);
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(tz_fixed(str_of(cases[i].text), tz, TZ_FIXED_BYTES, &err), RC_OK);
        assert_string_equal(tz->name, cases[i].name);
        assert_int_equal(tz_size(tz), TZ_FIXED_BYTES);
        for (int year = YEAR_MIN; year <= YEAR_MAX; year += 101)
            assert_int_equal(tz_offset(tz, utc(year, 7, 1, 0, 0, 0)), cases[i].offset);
        assert_int_equal(tz_utc_of_local(tz, 1000000), 1000000 - cases[i].offset);
        check_no_change(tz, 0);
    }
    test_free(tz);
}

static void text_that_is_not_an_offset_is_refused(void **state)
{
    static const struct {
        const char *text;
        enum rc rc;
    } cases[] = {
        {"", RC_NOT_FOUND},
        {"Europe/Berlin", RC_NOT_FOUND},
        {"Etc/GMT+5", RC_NOT_FOUND},
        {"GMT0", RC_NOT_FOUND},
        {"utc", RC_NOT_FOUND},
        {"z", RC_NOT_FOUND},
        {"Zulu", RC_NOT_FOUND},
        {"05:30", RC_NOT_FOUND},
        {"UTC+", RC_INVALID},
        {"+", RC_INVALID},
        {"UTC+25", RC_INVALID},
        {"UTC+24:01", RC_INVALID},
        {"UTC+05:60", RC_INVALID},
        {"UTC+5:3", RC_INVALID},
        {"UTC+05:30:00", RC_INVALID},
        {"UTC+530", RC_INVALID},
        {"UTC+05300", RC_INVALID},
        {"UTC+0530:", RC_INVALID},
        {"UTC+5 ", RC_INVALID},
        {"UTC--5", RC_INVALID},
        {"UTC+99999999999999999999", RC_INVALID},
    };
    struct tz *tz = test_calloc(1, TZ_FIXED_BYTES);
    struct tz *before = test_calloc(1, TZ_FIXED_BYTES);
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(tz_fixed(str_of(cases[i].text), tz, TZ_FIXED_BYTES, &err),
                         cases[i].rc);
        assert_int_equal(err.rc, cases[i].rc);
        assert_memory_equal(tz, before, TZ_FIXED_BYTES);
    }
    test_free(tz);
    test_free(before);
}

static void only_names_that_stay_below_the_directory_are_safe(void **state)
{
    static const char *const safe[] = {
        "UTC",
        "Europe/Berlin",
        "America/Argentina/ComodRivadavia",
        "Etc/GMT+12",
        "Etc/GMT-14",
        "a",
        "W-SU",
        "a.b/c.",
        "1234567890123456789012345678901234567890123456789012345678901234",
    };
    static const char *const unsafe[] = {
        "",
        "/",
        "/etc/passwd",
        "..",
        "../etc",
        "a/..",
        "a/../b",
        ".",
        "./a",
        "a/./b",
        "a//b",
        "a/",
        "a b",
        "a\nb",
        "a\\b",
        "a:b",
        ".hide",
        "a/.b",
        "caf\xc3\xa9",
        "a\x7f",
        "a\x01",
        "*",
        "~",
        "%2e",
        "12345678901234567890123456789012345678901234567890123456789012345",
    };

    (void)state;
    for (size_t i = 0; i < sizeof safe / sizeof safe[0]; i++)
        if (!tz_name_is_safe(str_of(safe[i])))
            fail_msg("%s is refused", safe[i]);
    for (size_t i = 0; i < sizeof unsafe / sizeof unsafe[0]; i++)
        if (tz_name_is_safe(str_of(unsafe[i])))
            fail_msg("%s is accepted", unsafe[i]);
    assert_false(tz_name_is_safe((struct str){"a\0b", 3}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offsets_agree_with_another_implementation),
        cmocka_unit_test(new_york_changes_at_two_in_the_morning),
        cmocka_unit_test(new_york_changes_in_the_last_year_of_the_calendar),
        cmocka_unit_test(lord_howe_changes_by_half_an_hour),
        cmocka_unit_test(apia_has_no_30_december_2011),
        cmocka_unit_test(kwajalein_repeated_23_hours_in_1969),
        cmocka_unit_test(dublin_has_negative_dst_in_winter),
        cmocka_unit_test(monrovia_was_44_minutes_30_seconds_west_of_utc_until_1972),
        cmocka_unit_test(moscow_changes_its_offset_without_summer_time),
        cmocka_unit_test(nuuk_changes_on_the_evening_before),
        cmocka_unit_test(gaza_changes_two_days_after_a_thursday),
        cmocka_unit_test(casablanca_keeps_its_last_offset),
        cmocka_unit_test(the_quick_search_finds_what_walking_finds),
        cmocka_unit_test(segments_are_in_order_and_calm_between_their_changes),
        cmocka_unit_test(local_time_is_found_through_every_kind_of_change),
        cmocka_unit_test(after_the_table_every_400_years_are_alike),
        cmocka_unit_test(a_zone_is_copied_by_its_size),
        cmocka_unit_test(offsets_from_utc_are_zones_without_changes),
        cmocka_unit_test(text_that_is_not_an_offset_is_refused),
        cmocka_unit_test(only_names_that_stay_below_the_directory_are_safe),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
