/* SPDX-License-Identifier: Apache-2.0 */
/* The judge's slots compared with lists made by hand from docs/semantics.md and a calendar. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "sim/judge_slots.h"

enum { LIST_MAX = 16, ARENA_BYTES = 8 << 20 };

#define DAY_2024_03_09 (INT64_C(1709942400) * SPAN_S)
#define DAY_2024_03_10 (DAY_2024_03_09 + SPAN_DAY)
#define DAY_2024_03_30 (INT64_C(1711756800) * SPAN_S)
#define DAY_2024_11_03 (INT64_C(1730592000) * SPAN_S)

static struct str new_york = {"America/New_York", 16};

/* Compiles the spec and compares all its slots in (after, until] with a list. */
static void expect_from(const struct spec_def *def, const struct judge_origin *origin,
                        instant after, instant until, const instant *list, int count)
{
    struct judge_zones *zones = judge_zones_new();
    struct arena *arena = arena_new(ARENA_BYTES);
    struct judge_spec *spec = NULL;
    struct err err = {0};
    instant at = after;

    if (judge_spec_make(def, zones, arena, &spec, &err) != RC_OK)
        fail_msg("%s", err.text);
    for (int i = 0; i < count; i++) {
        assert_true(judge_spec_next(spec, origin, at, until, &at));
        assert_int_equal(at, list[i]);
    }
    assert_false(judge_spec_next(spec, origin, at, until, &at));
    arena_free(arena);
    judge_zones_free(zones);
}

static void expect(const struct spec_def *def, instant after, instant until,
                   const instant *list, int count)
{
    struct judge_origin origin = {after, INSTANT_NONE, INSTANT_NONE};

    expect_from(def, &origin, after, until, list, count);
}

#define COUNT(list) ((int)(sizeof(list) / sizeof((list)[0])))

static struct spec_def cron_of(struct cron_def *cron, const char *expr, struct str zone)
{
    struct spec_def def = spec_def_empty();

    *cron = (struct cron_def){.expr = str_of(expr), .dialect = DIALECT_BELFRY};
    def.cron = cron;
    def.cron_count = 1;
    def.zone = zone;
    return def;
}

static struct spec_def every_of(struct interval_def *interval, span every, enum anchor anchor)
{
    struct spec_def def = spec_def_empty();

    *interval = (struct interval_def){.every = every, .anchor = anchor};
    def.intervals = interval;
    def.interval_count = 1;
    return def;
}

/* 02:30 does not exist on 10 March: once, at 03:00 EDT. */
static void a_daily_time_in_a_gap_runs_at_its_end(void **state)
{
    struct cron_def cron;
    struct spec_def def = cron_of(&cron, "30 2 * * *", new_york);
    const instant list[] = {DAY_2024_03_09 + 7 * SPAN_H + 30 * SPAN_MIN,
                            DAY_2024_03_10 + 7 * SPAN_H,
                            DAY_2024_03_10 + SPAN_DAY + 6 * SPAN_H + 30 * SPAN_MIN};

    (void)state;
    expect(&def, DAY_2024_03_09, DAY_2024_03_10 + 2 * SPAN_DAY, list, COUNT(list));
}

/* 01:00 to 02:00 occurs twice on 3 November: a wildcard runs in both. */
static void a_wildcard_runs_in_both_passes_of_a_fold(void **state)
{
    struct cron_def cron;
    struct spec_def def = cron_of(&cron, "*/30 1 * * *", new_york);
    const instant list[] = {
        DAY_2024_11_03 + 5 * SPAN_H, DAY_2024_11_03 + 5 * SPAN_H + 30 * SPAN_MIN,
        DAY_2024_11_03 + 6 * SPAN_H, DAY_2024_11_03 + 6 * SPAN_H + 30 * SPAN_MIN};

    (void)state;
    expect(&def, DAY_2024_11_03, DAY_2024_11_03 + SPAN_DAY, list, COUNT(list));
}

static void the_dst_rule_of_the_spec_applies(void **state)
{
    struct cron_def cron;
    struct spec_def def = cron_of(&cron, "30 2 * * *", new_york);
    const instant shifted[] = {DAY_2024_03_10 + 7 * SPAN_H + 30 * SPAN_MIN};

    (void)state;
    def.dst.name = DST_LITERAL;
    expect(&def, DAY_2024_03_10, DAY_2024_03_10 + SPAN_DAY, NULL, 0);
    def.dst = (struct dst_rule){.name = DST_CUSTOM, .custom = {GAP_SHIFT, FOLD_FIRST}};
    expect(&def, DAY_2024_03_10, DAY_2024_03_10 + SPAN_DAY, shifted, COUNT(shifted));
}

/* 09:00 in Berlin is 08:00 UTC in winter and 07:00 from 31 March on. */
static void times_of_day_follow_the_zone(void **state)
{
    struct spec_def def = spec_def_empty();
    int32_t nine = 9 * 3600;
    const instant list[] = {DAY_2024_03_30 + 8 * SPAN_H,
                            DAY_2024_03_30 + SPAN_DAY + 7 * SPAN_H};

    (void)state;
    def.times = &nine;
    def.time_count = 1;
    def.zone = STR("Europe/Berlin");
    expect(&def, DAY_2024_03_30, DAY_2024_03_30 + 2 * SPAN_DAY, list, COUNT(list));
}

static void an_interval_counts_from_the_epoch_with_its_phase(void **state)
{
    struct interval_def interval;
    struct spec_def def = every_of(&interval, 90 * SPAN_S, ANCHOR_EPOCH);
    /* 2024-03-09 is a multiple of 90 s: 1,709,942,400 / 90 = 18,999,360. */
    const instant list[] = {DAY_2024_03_09 + 15 * SPAN_S, DAY_2024_03_09 + 105 * SPAN_S,
                            DAY_2024_03_09 + 195 * SPAN_S};

    (void)state;
    interval.phase = 15 * SPAN_S;
    expect(&def, DAY_2024_03_09, DAY_2024_03_09 + 200 * SPAN_S, list, COUNT(list));
}

/* The 10th of March has 23 hours in New York, the 3rd of November 25. */
static void an_interval_from_midnight_restarts_each_day(void **state)
{
    struct interval_def interval;
    struct spec_def def = every_of(&interval, 6 * SPAN_H, ANCHOR_MIDNIGHT);
    const instant spring[] = {DAY_2024_03_10 + 5 * SPAN_H, DAY_2024_03_10 + 11 * SPAN_H,
                              DAY_2024_03_10 + 17 * SPAN_H, DAY_2024_03_10 + 23 * SPAN_H,
                              DAY_2024_03_10 + 28 * SPAN_H};
    const instant autumn[] = {DAY_2024_11_03 + 4 * SPAN_H,  DAY_2024_11_03 + 10 * SPAN_H,
                              DAY_2024_11_03 + 16 * SPAN_H, DAY_2024_11_03 + 22 * SPAN_H,
                              DAY_2024_11_03 + 28 * SPAN_H, DAY_2024_11_03 + 29 * SPAN_H};

    (void)state;
    def.zone = new_york;
    expect(&def, DAY_2024_03_10 + 4 * SPAN_H, DAY_2024_03_10 + 28 * SPAN_H, spring,
           COUNT(spring));
    expect(&def, DAY_2024_11_03 + 3 * SPAN_H, DAY_2024_11_03 + 29 * SPAN_H, autumn,
           COUNT(autumn));
}

static void intervals_follow_starts_and_ends(void **state)
{
    struct interval_def interval;
    struct spec_def def = every_of(&interval, 10 * SPAN_MIN, ANCHOR_START);
    instant t = DAY_2024_03_09;
    struct judge_origin origin = {t, INSTANT_NONE, INSTANT_NONE};
    const instant fresh[] = {t + 10 * SPAN_MIN, t + 20 * SPAN_MIN};
    const instant started[] = {t + 12 * SPAN_MIN, t + 22 * SPAN_MIN};
    const instant ended[] = {t + 14 * SPAN_MIN, t + 24 * SPAN_MIN};

    (void)state;
    expect_from(&def, &origin, t, t + 25 * SPAN_MIN, fresh, COUNT(fresh));
    origin = (struct judge_origin){t, t + 2 * SPAN_MIN, t + 4 * SPAN_MIN};
    expect_from(&def, &origin, t, t + 25 * SPAN_MIN, started, COUNT(started));
    interval.anchor = ANCHOR_COMPLETION;
    expect_from(&def, &origin, t, t + 25 * SPAN_MIN, ended, COUNT(ended));
    origin.last_end = INSTANT_NEVER;
    expect_from(&def, &origin, t, t + 25 * SPAN_MIN, NULL, 0);
}

static void a_window_filters_or_moves(void **state)
{
    struct cron_def cron;
    struct spec_def def = cron_of(&cron, "0 */4 * * *", (struct str){NULL, 0});
    instant day = DAY_2024_03_30;
    const instant filtered[] = {day + 12 * SPAN_H, day + 16 * SPAN_H, day + 36 * SPAN_H};
    const instant moved[] = {day + 9 * SPAN_H, day + 12 * SPAN_H, day + 16 * SPAN_H,
                             day + 33 * SPAN_H, day + 36 * SPAN_H};

    (void)state;
    def.window = (struct window_def){true, 9 * 3600, 17 * 3600, WINDOW_FILTER};
    expect(&def, day, day + 38 * SPAN_H, filtered, COUNT(filtered));
    def.window.rule = WINDOW_CLAMP;
    expect(&def, day, day + 38 * SPAN_H, moved, COUNT(moved));
    /* From outside the window, the moved ones are still to come. */
    expect(&def, day + 5 * SPAN_H, day + 38 * SPAN_H, moved, COUNT(moved));
}

static void exclusions_and_bounds_remove_slots(void **state)
{
    struct interval_def interval;
    struct spec_def def = every_of(&interval, 12 * SPAN_H, ANCHOR_EPOCH);
    int32_t no_date = (int32_t)(DAY_2024_03_10 / SPAN_DAY);
    struct calendar_def noon = {
        .text = {.second = STR("*"), .minute = STR("*"), .hour = STR("12")}};
    instant day = DAY_2024_03_09;
    const instant bounded[] = {day + 12 * SPAN_H, day + 24 * SPAN_H, day + 36 * SPAN_H};
    const instant without[] = {day + 12 * SPAN_H, day + 48 * SPAN_H};
    const instant nights[] = {day + 24 * SPAN_H, day + 48 * SPAN_H};

    (void)state;
    def.start = day + 12 * SPAN_H;
    def.end = day + 36 * SPAN_H;
    expect(&def, day - SPAN_DAY, day + 3 * SPAN_DAY, bounded, COUNT(bounded));
    def.start = INSTANT_NONE;
    def.end = INSTANT_NEVER;
    def.not_dates = &no_date;
    def.not_date_count = 1;
    expect(&def, day, day + 50 * SPAN_H, without, COUNT(without));
    def.not_date_count = 0;
    def.not_calendars = &noon;
    def.not_calendar_count = 1;
    expect(&def, day, day + 50 * SPAN_H, nights, COUNT(nights));
}

static void one_offs_and_now_are_slots(void **state)
{
    struct spec_def def = spec_def_empty();
    instant t = DAY_2024_03_09 + 123456;
    instant at[] = {DAY_2024_03_10, INSTANT_NONE};
    struct judge_origin origin = {t, INSTANT_NONE, INSTANT_NONE};
    const instant list[] = {DAY_2024_03_09 + 123000, DAY_2024_03_10};

    (void)state;
    def.at = at;
    def.at_count = 2;
    expect_from(&def, &origin, t - SPAN_MS, t + 2 * SPAN_DAY, list, COUNT(list));
}

static void entries_that_coincide_are_one_slot(void **state)
{
    struct interval_def interval;
    struct cron_def cron;
    struct spec_def def = every_of(&interval, SPAN_H, ANCHOR_EPOCH);
    struct spec_def other = cron_of(&cron, "0,30 * * * *", (struct str){NULL, 0});
    instant day = DAY_2024_03_09;
    const instant list[] = {day + 30 * SPAN_MIN, day + SPAN_H};

    (void)state;
    def.cron = other.cron;
    def.cron_count = 1;
    expect(&def, day, day + SPAN_H, list, COUNT(list));
}

/* 02:30 of 9 March falls into the gap of the 10th, where that day's own is as well. */
static void a_shift_moves_slots_of_an_excluded_date(void **state)
{
    struct cron_def cron;
    struct spec_def def = cron_of(&cron, "30 2 * * *", new_york);
    instant before = DAY_2024_03_09 - SPAN_DAY, time = 7 * SPAN_H + 30 * SPAN_MIN;
    int32_t date = (int32_t)(DAY_2024_03_09 / SPAN_DAY);
    const instant list[] = {before + time, DAY_2024_03_10 + 7 * SPAN_H};

    (void)state;
    def.not_dates = &date;
    def.not_date_count = 1;
    def.shift = SHIFT_NEXT;
    expect(&def, before, DAY_2024_03_10 + SPAN_DAY, list, COUNT(list));
    def.shift = SHIFT_PREVIOUS;
    expect(&def, before, DAY_2024_03_10 + SPAN_DAY, list, COUNT(list));
}

/* From 8 March, 16:00, on: 18 hours reach the 9th, 36 and 54 the 10th, 72 the 11th. */
static void a_shift_does_not_move_a_slot_to_the_day_of_its_origin(void **state)
{
    struct interval_def interval;
    struct spec_def def = every_of(&interval, 18 * SPAN_H, ANCHOR_COMPLETION);
    instant end = DAY_2024_03_09 - 8 * SPAN_H;
    struct judge_origin origin = {end - SPAN_DAY, end - SPAN_H, end};
    int32_t dates[] = {(int32_t)(DAY_2024_03_09 / SPAN_DAY),
                       (int32_t)(DAY_2024_03_10 / SPAN_DAY)};
    const instant list[] = {end + 72 * SPAN_H};
    const instant longer[] = {DAY_2024_03_09 - 12 * SPAN_H};

    (void)state;
    def.not_dates = dates;
    def.not_date_count = 2;
    def.shift = SHIFT_PREVIOUS;
    expect_from(&def, &origin, end - SPAN_H, end + 72 * SPAN_H, list, COUNT(list));
    interval.every = 44 * SPAN_H;
    origin.last_end = origin.last_start = end - SPAN_DAY; /* 44 hours reach the 9th, 12:00 */
    expect_from(&def, &origin, origin.last_end, end + 48 * SPAN_H, longer, COUNT(longer));
}

static void unsupported_specs_are_rejected(void **state)
{
    struct judge_zones *zones = judge_zones_new();
    struct arena *arena = arena_new(ARENA_BYTES);
    struct judge_spec *spec = NULL;
    struct cron_def cron;
    struct spec_def def = cron_of(&cron, "61 * * * *", (struct str){NULL, 0});
    struct err err = {0};

    (void)state;
    assert_int_equal(judge_spec_make(&def, zones, arena, &spec, &err), RC_INVALID);
    def = cron_of(&cron, "0 * * * *", STR("Nowhere/Land"));
    assert_int_equal(judge_spec_make(&def, zones, arena, &spec, &err), RC_INVALID);
    def = cron_of(&cron, "0 * * * *", (struct str){NULL, 0});
    def.shift = SHIFT_NEXT;
    def.not_calendar_count = 1;
    assert_int_equal(judge_spec_make(&def, zones, arena, &spec, &err), RC_INVALID);
    assert_null(spec);
    arena_free(arena);
    judge_zones_free(zones);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_daily_time_in_a_gap_runs_at_its_end),
        cmocka_unit_test(a_wildcard_runs_in_both_passes_of_a_fold),
        cmocka_unit_test(the_dst_rule_of_the_spec_applies),
        cmocka_unit_test(times_of_day_follow_the_zone),
        cmocka_unit_test(an_interval_counts_from_the_epoch_with_its_phase),
        cmocka_unit_test(an_interval_from_midnight_restarts_each_day),
        cmocka_unit_test(intervals_follow_starts_and_ends),
        cmocka_unit_test(a_window_filters_or_moves),
        cmocka_unit_test(exclusions_and_bounds_remove_slots),
        cmocka_unit_test(one_offs_and_now_are_slots),
        cmocka_unit_test(entries_that_coincide_are_one_slot),
        cmocka_unit_test(a_shift_moves_slots_of_an_excluded_date),
        cmocka_unit_test(a_shift_does_not_move_a_slot_to_the_day_of_its_origin),
        cmocka_unit_test(unsupported_specs_are_rejected),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
