/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole specs in English: zones, unions, exclusions, windows, bounds, and the shortening of
 * long lists.
 */
#include "core/describe/describe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "zones.h"

struct sentence {
    const char *zone, *english;
};

/* The description of a compiled spec; valid until the next call. */
static const char *spec_in_words(const struct spec_def *def)
{
    static char text[DESCRIBE_SPEC_MAX];
    static struct arena *arena;
    struct zone_source zones = {zone_find, NULL};
    struct buf out = BUF(text);
    struct spec spec;
    struct err err;

    arena = arena ? arena : arena_new((size_t)1 << 24);
    arena_reset(arena);
    if (spec_compile(def, STR("seed"), &zones, arena, &spec, &err) != RC_OK)
        fail_msg("%s: %s", err.field, err.text);
    describe_spec(&spec, &out);
    assert_false(out.cut);
    return text;
}

static struct spec_def one_cron(const char *expr, const char *zone)
{
    static struct cron_def cron;
    struct spec_def def = spec_def_empty();

    cron = (struct cron_def){.expr = str_of(expr), .dialect = DIALECT_BELFRY};
    def.cron = &cron;
    def.cron_count = 1;
    def.zone = str_of(zone);
    return def;
}

static void zones_are_named_as_people_say_them(void **state)
{
    static const struct sentence table[] = {
        {"America/New_York", "At 02:30 on weekdays, New York time"},
        {"Europe/London", "At 02:30 on weekdays, London time"},
        {"America/Argentina/Buenos_Aires",
         "At 02:30 on weekdays, Buenos Aires time (Argentina)"},
        {"UTC", "At 02:30 on weekdays, UTC"},
        {"UTC+05:30", "At 02:30 on weekdays, UTC+05:30"},
        {"Etc/UTC", "At 02:30 on weekdays, UTC"},
        {"Etc/GMT+5", "At 02:30 on weekdays, Etc/GMT+5"},
        {"Japan", "At 02:30 on weekdays, Japan time"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct spec_def def = one_cron("30 2 * * 1-5", table[i].zone);

        assert_string_equal(spec_in_words(&def), table[i].english);
    }
}

static void the_zone_is_left_out_where_it_cannot_matter(void **state)
{
    struct spec_def def = one_cron("*/15 * * * *", "UTC");

    (void)state;
    assert_string_equal(spec_in_words(&def), "Every 15 minutes");
    def = one_cron("*/15 * * * *", "Asia/Kolkata");
    assert_string_equal(spec_in_words(&def), "Every 15 minutes, Kolkata time");
}

static void intervals_name_what_they_count_from(void **state)
{
    static const struct {
        struct interval_def interval;
        const char *english;
    } table[] = {
        {{90 * SPAN_MIN, 0, ANCHOR_START}, "Every 1h30m from the last start"},
        {{SPAN_H, 0, ANCHOR_COMPLETION}, "Every hour from the end of the last run"},
        {{15 * SPAN_MIN, 5 * SPAN_MIN, ANCHOR_EPOCH},
         "Every 15 minutes, counted from 00:05 UTC"},
        {{7 * SPAN_H, 0, ANCHOR_EPOCH},
         "Every 7 hours, counted from 00:00 on 1 January 1970 UTC"},
        {{7 * SPAN_H, SPAN_H, ANCHOR_MIDNIGHT},
         "Every 7 hours of each day, from 1 hour after midnight on, Tokyo time"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct interval_def interval = table[i].interval;
        struct spec_def def = spec_def_empty();

        def.intervals = &interval;
        def.interval_count = 1;
        def.zone = STR("Asia/Tokyo");
        assert_string_equal(spec_in_words(&def), table[i].english);
    }
}

static void exclusions_come_after_the_times(void **state)
{
    struct spec_def def = one_cron("30 2 * * 1-5", "America/New_York");
    int32_t dates[] = {(int32_t)day_of_date(2027, 12, 25), (int32_t)day_of_date(2028, 1, 1)};
    struct str named[] = {STR("us-holidays")};
    struct calendar_def christmas = {
        .text = {STR("*"), STR("*"), STR("*"), STR("24-26"), STR("12"), STR("*"), STR("*")}};

    (void)state;
    def.not_dates = dates;
    def.not_date_count = 1;
    assert_string_equal(spec_in_words(&def),
                        "At 02:30 on weekdays, New York time, except on 25 "
                        "December 2027");
    def.not_date_count = 2;
    def.shift = SHIFT_NEXT;
    assert_string_equal(spec_in_words(&def),
                        "At 02:30 on weekdays, New York time, except on 25 December 2027 and 1 "
                        "January 2028 (then on the next free day)");
    def.not_date_count = 0;
    def.shift = SHIFT_NONE;
    def.not_named = named;
    def.not_named_count = 1;
    def.not_calendars = &christmas;
    def.not_calendar_count = 1;
    assert_string_equal(
        spec_in_words(&def),
        "At 02:30 on weekdays, New York time, except on the 24th to the 26th of "
        "December, except on the days of us-holidays");
}

static void windows_bounds_and_jitter_are_described(void **state)
{
    struct spec_def def = one_cron("30 2 * * *", "UTC");

    (void)state;
    def.window = (struct window_def){true, 22 * 3600, 6 * 3600, WINDOW_FILTER};
    def.jitter = 30 * SPAN_S;
    assert_string_equal(spec_in_words(&def), "At 02:30 every day, UTC, only between 22:00 and "
                                             "06:00, delayed by up to 30s (jitter)");
    def.window.is_set = false;
    def.jitter = 366 * SPAN_DAY; /* acts as 2^32 - 1 ms, which is all that Temporal uses */
    assert_string_equal(spec_in_words(&def), "At 02:30 every day, UTC, delayed by up to "
                                             "49d17h2m47s295ms (jitter)");
    def.window.is_set = true;
    def.window.rule = WINDOW_CLAMP;
    def.jitter = 0;
    assert_string_equal(spec_in_words(&def), "At 02:30 every day, UTC, moved to 22:00 when "
                                             "outside 22:00–06:00");
    def.window.is_set = false;
    def.start = instant_of_seconds(day_of_date(2027, 1, 1) * DAY_SECONDS);
    def.end = instant_of_seconds(day_of_date(2027, 4, 1) * DAY_SECONDS - 1);
    assert_string_equal(spec_in_words(&def),
                        "At 02:30 every day, UTC, not before 00:00 on 1 January 2027 UTC, not "
                        "after 23:59:59 on 31 March 2027 UTC");
}

static void exclusions_apply_to_all_entries_of_a_union(void **state)
{
    struct spec_def def = one_cron("30 2 * * 1-5", "America/New_York");
    int32_t times[] = {9 * 3600, 17 * 3600 + 30}, date = (int32_t)day_of_date(2027, 12, 25);
    instant at[] = {instant_of_seconds(day_of_date(2027, 1, 1) * DAY_SECONDS), INSTANT_NONE};

    (void)state;
    def.times = times;
    def.time_count = 2;
    def.not_dates = &date;
    def.not_date_count = 1;
    assert_string_equal(spec_in_words(&def),
                        "At 02:30 on weekdays, New York time; and at 09:00 and 17:00:30 every "
                        "day, New York time; all of this except on 25 December 2027");
    def = spec_def_empty();
    def.at = at;
    def.at_count = 2;
    assert_string_equal(spec_in_words(&def), "Once as soon as it is created and at 00:00 on 1 "
                                             "January 2027 UTC");
    def.at_count = 0;
    assert_string_equal(spec_in_words(&def), "No automatic runs");
}

static void a_window_names_its_zone_if_no_entry_does(void **state)
{
    struct interval_def hourly = {SPAN_H, 0, ANCHOR_START};
    struct spec_def def = spec_def_empty();

    (void)state;
    def.intervals = &hourly;
    def.interval_count = 1;
    def.zone = STR("Europe/Paris");
    def.window = (struct window_def){true, 8 * 3600, 20 * 3600, WINDOW_FILTER};
    assert_string_equal(spec_in_words(&def),
                        "Every hour from the last start, only between 08:00 "
                        "and 20:00 Paris time");
}

static void long_specs_say_how_much_is_left_out(void **state)
{
    static struct cron_def crons[SPEC_ENTRIES_MAX];
    static int32_t dates[SPEC_DATES_MAX];
    struct spec_def def = spec_def_empty();
    const char *text;

    (void)state;
    for (int i = 0; i < SPEC_ENTRIES_MAX; i++)
        crons[i] = (struct cron_def){
            .expr = STR("1,3,6,8,11,13,16,18,21,23,26,28,31 1,3,6,8,11,13,16,18,21 "
                        "1,3,6,8,11,13,16,18,21,L-3W,L,LW,15W,17W,20W 1,3,6,8,11 "
                        "+MON#1,MON#3,TUE#2,TUE#4,WED#5,THU,FRI,SUN#L")};
    for (int i = 0; i < SPEC_DATES_MAX; i++)
        dates[i] = 2 * i;
    def.cron = crons;
    def.cron_count = SPEC_ENTRIES_MAX;
    def.not_dates = dates;
    def.not_date_count = SPEC_DATES_MAX;
    text = spec_in_words(&def);
    assert_non_null(strstr(text, "; and 248 more"));
    assert_non_null(strstr(text, " and 4085 more"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zones_are_named_as_people_say_them),
        cmocka_unit_test(the_zone_is_left_out_where_it_cannot_matter),
        cmocka_unit_test(intervals_name_what_they_count_from),
        cmocka_unit_test(exclusions_come_after_the_times),
        cmocka_unit_test(windows_bounds_and_jitter_are_described),
        cmocka_unit_test(exclusions_apply_to_all_entries_of_a_union),
        cmocka_unit_test(a_window_names_its_zone_if_no_entry_does),
        cmocka_unit_test(long_specs_say_how_much_is_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
