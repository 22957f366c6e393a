/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole specs at their limits: searches without a result, and the ends of the calendar.
 * docs/semantics.md [T-2], [T-36], [T-70].  Expected instants are computed by hand.
 */
#include "draft.h"

static void t21_a_fraction_is_shifted_with_its_second(void **state)
{
    struct draft d;

    (void)state;
    begin_draft(&d, "America/New_York");
    add_cron(&d, "*-*-* 02:30:00.5", DIALECT_SYSTEMD);
    d.def.dst.name = DST_SHIFT;
    compile(&d);
    assert_slots(&d, utc(2024, 3, 10, 0), utc(2024, 3, 11, 0),
                 (instant[]){utc(2024, 3, 10, 730) + 500 * SPAN_MS, 0});
}

static void t36_a_listed_year_is_found_from_any_distance(void **state)
{
    struct draft d;
    struct slot slot;

    (void)state;
    begin_draft(&d, "UTC");
    add_cron(&d, "0 0 0 1 6 * 2030", DIALECT_BELFRY);
    compile(&d);
    assert_true(spec_next(&d.spec, &d.ctx, INSTANT_NONE, &slot));
    assert_true(slot.at == utc(2030, 6, 1, 0));
    assert_true(spec_prev(&d.spec, &d.ctx, INSTANT_NEVER, &slot));
    assert_true(slot.at == utc(2030, 6, 1, 0));
}

/* An unlimited search would run for hours here; the time limit of the test detects it. */
static void t70_the_search_ends_if_everything_is_excluded(void **state)
{
    static const char *const halves[][2] = {{"0-29", "30-59"}, {"*/2", "1/2"}};
    struct draft d;
    struct slot slot;

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct calendar_text a = whole_days(), b = whole_days();
        struct str *first = i < 2 ? &a.second : &a.minute;
        struct str *second = i < 2 ? &b.second : &b.minute;

        *first = str_of(halves[i % 2][0]);
        *second = str_of(halves[i % 2][1]);
        begin_draft(&d, "America/New_York");
        add_cron(&d, "* * * * * *", DIALECT_BELFRY);
        add_every(&d, 90 * SPAN_S, 0, ANCHOR_EPOCH);
        exclude(&d, a);
        exclude(&d, b);
        compile(&d);
        assert_never(&d, utc(2024, 1, 1, 0));
        assert_false(spec_prev(&d.spec, &d.ctx, utc(2024, 1, 1, 0), &slot));
        /* The same on weekdays only, which the masks cannot decide in advance. */
        d.not_calendars[0].text.weekday = STR("MON-FRI");
        exclude(&d, whole_days());
        d.not_calendars[2].text.weekday = STR("SAT,SUN");
        compile(&d);
        assert_never(&d, utc(2024, 1, 1, 0));
    }
}

static void t70_weekdays_and_weekends_excluded_leave_nothing(void **state)
{
    struct calendar_text week = whole_days(), weekend = whole_days();
    struct draft d;

    (void)state;
    week.weekday = STR("MON-FRI");
    weekend.weekday = STR("SAT,SUN");
    for (enum shift shift = SHIFT_NONE; shift <= SHIFT_PREVIOUS; shift++) {
        begin_draft(&d, "America/New_York");
        add_cron(&d, "30 2 * * *", DIALECT_BELFRY);
        exclude(&d, week);
        exclude(&d, weekend);
        d.def.shift = shift;
        compile(&d);
        assert_never(&d, utc(2024, 1, 1, 0));
    }
}

static void a_rare_day_is_found_after_many_excluded_ones(void **state)
{
    struct calendar_text days = whole_days();
    struct draft d;

    (void)state;
    /* Every 29 February except Mondays is excluded: 2024 is a Thursday, 2044 a Monday. */
    days.weekday = STR("TUE-SUN");
    begin_draft(&d, "Europe/London");
    add_cron(&d, "0 9 29 2 *", DIALECT_BELFRY);
    exclude(&d, days);
    compile(&d);
    assert_slots(&d, utc(2024, 1, 1, 0), utc(2050, 1, 1, 0),
                 (instant[]){utc(2044, 2, 29, 900), 0});
}

static void the_first_and_the_last_second_of_the_calendar_are_slots(void **state)
{
    struct draft d;
    struct slot slot;

    (void)state;
    for (int i = 0; i < 2; i++) {
        begin_draft(&d, "UTC");
        add_cron(&d, "0 0 1 1 *", DIALECT_BELFRY);
        if (i == 1)
            add_cron(&d, "59 59 23 31 12 *", DIALECT_BELFRY);
        compile(&d);
        assert_true(spec_next(&d.spec, &d.ctx, INSTANT_NONE, &slot));
        assert_true(slot.at == INSTANT_MIN);
        assert_true(spec_prev(&d.spec, &d.ctx, utc(1, 6, 1, 0), &slot));
        assert_true(slot.at == INSTANT_MIN);
    }
    assert_true(spec_prev(&d.spec, &d.ctx, INSTANT_NEVER, &slot));
    assert_true(slot.at == utc(9999, 12, 31, 2359) + 59 * SPAN_S);
    assert_never(&d, slot.at);
}

static void no_slot_is_after_the_last_second(void **state)
{
    struct draft d;
    struct slot slot;
    struct spec_walk walk;
    int n = 0;

    (void)state;
    /* West of Greenwich the last local day continues after the last instant. */
    begin_draft(&d, "UTC-05:00");
    add_cron(&d, "0 * * * *", DIALECT_BELFRY);
    compile(&d);
    spec_walk_begin(&walk, &d.spec, &d.ctx, utc(9999, 12, 31, 0));
    for (; n < 100 && spec_walk_next(&walk, &slot); n++)
        assert_true(slot.at <= INSTANT_MAX);
    assert_int_equal(n, 23);
    begin_draft(&d, "UTC-05:00");
    add_cron(&d, "*-*-* *:00:00.5", DIALECT_SYSTEMD);
    compile(&d);
    assert_never(&d, utc(9999, 12, 31, 2300) + SPAN_S);
    begin_draft(&d, "UTC-05:00");
    add_cron(&d, "0 * * * *", DIALECT_BELFRY);
    d.def.window = (struct window_def){true, 20 * HOUR_SECONDS, 21 * HOUR_SECONDS,
                                       WINDOW_CLAMP};
    compile(&d);
    assert_never(&d, utc(9999, 12, 31, 300));
}

static void searches_from_the_ends_of_the_calendar_end(void **state)
{
    struct draft d;
    struct slot slot;

    (void)state;
    for (int i = 0; i < 6; i++) {
        begin_draft(&d, i % 2 ? "America/New_York" : "UTC");
        add_cron(&d, "0 12 * * *", DIALECT_BELFRY);
        d.def.window = (struct window_def){true, 3600, 7200,
                                           i < 3 ? WINDOW_CLAMP : WINDOW_FILTER};
        d.def.shift = (enum shift)(i % 3);
        d.def.jitter = SPAN_MIN;
        d.not_dates[d.def.not_date_count++] = date(2024, 1, 1);
        compile(&d);
        assert_int_equal(spec_next(&d.spec, &d.ctx, INSTANT_NONE, &slot), i < 3);
        assert_int_equal(spec_prev(&d.spec, &d.ctx, INSTANT_NEVER, &slot), i < 3);
        assert_never(&d, INSTANT_NEVER);
        assert_never(&d, INSTANT_MAX);
        assert_false(spec_prev(&d.spec, &d.ctx, INSTANT_NONE, &slot));
        assert_false(spec_prev(&d.spec, &d.ctx, INSTANT_MIN, &slot));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t21_a_fraction_is_shifted_with_its_second),
        cmocka_unit_test(t36_a_listed_year_is_found_from_any_distance),
        cmocka_unit_test(t70_the_search_ends_if_everything_is_excluded),
        cmocka_unit_test(t70_weekdays_and_weekends_excluded_leave_nothing),
        cmocka_unit_test(a_rare_day_is_found_after_many_excluded_ones),
        cmocka_unit_test(the_first_and_the_last_second_of_the_calendar_are_slots),
        cmocka_unit_test(no_slot_is_after_the_last_second),
        cmocka_unit_test(searches_from_the_ends_of_the_calendar_end),
    };

    return cmocka_run_group_tests(tests, start_arena, end_arena);
}
