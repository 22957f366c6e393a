/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole specs: one test for each rule [T-40] to [T-61] of docs/semantics.md, named by its
 * number.  Expected instants are computed by hand.
 */
#include "core/spec/window.h"
#include "draft.h"

static void t40_epoch_counts_from_1970_with_its_phase(void **state)
{
    struct draft d;

    (void)state;
    begin_draft(&d, "America/New_York");
    add_every(&d, 7 * SPAN_H, SPAN_H, ANCHOR_EPOCH);
    compile(&d);
    assert_slots(
        &d, utc(1970, 1, 1, 0), utc(1970, 1, 1, 1700),
        (instant[]){utc(1970, 1, 1, 100), utc(1970, 1, 1, 800), utc(1970, 1, 1, 1500), 0});
    assert_slots(&d, utc(1969, 12, 31, 900), utc(1969, 12, 31, 2300),
                 (instant[]){utc(1969, 12, 31, 1100), utc(1969, 12, 31, 1800), 0});
}

static void t40_midnight_counts_elapsed_hours(void **state)
{
    struct draft d;

    (void)state;
    begin_draft(&d, "America/New_York");
    add_every(&d, SPAN_H, 0, ANCHOR_MIDNIGHT);
    compile(&d);
    assert_int_equal(
        spec_count(&d.spec, &d.ctx, utc(2024, 3, 10, 500) - 1, utc(2024, 3, 11, 400) - 1), 23);
    assert_int_equal(
        spec_count(&d.spec, &d.ctx, utc(2024, 11, 3, 400) - 1, utc(2024, 11, 4, 500) - 1), 25);
    begin_draft(&d, "America/New_York");
    add_every(&d, 10 * SPAN_H, SPAN_H, ANCHOR_MIDNIGHT);
    compile(&d);
    assert_slots(&d, utc(2024, 3, 10, 500), utc(2024, 3, 11, 500),
                 (instant[]){utc(2024, 3, 10, 600), utc(2024, 3, 10, 1600),
                             utc(2024, 3, 11, 200), utc(2024, 3, 11, 500), 0});
}

static void t40_a_phase_longer_than_24_hours_needs_a_longer_day(void **state)
{
    struct draft d;

    (void)state;
    begin_draft(&d, "America/New_York");
    add_every(&d, 2 * SPAN_DAY, 24 * SPAN_H + 30 * SPAN_MIN, ANCHOR_MIDNIGHT);
    compile(&d);
    assert_slots(&d, utc(2023, 11, 10, 0), utc(2025, 10, 1, 0),
                 (instant[]){utc(2024, 11, 4, 430), 0});
    begin_draft(&d, "America/New_York");
    add_every(&d, 2 * SPAN_DAY, 25 * SPAN_H, ANCHOR_MIDNIGHT);
    compile(&d);
    assert_never(&d, utc(2024, 1, 1, 0));
}

static void t40_start_counts_from_the_last_start_or_creation(void **state)
{
    struct draft d;

    (void)state;
    begin_draft(&d, "UTC");
    add_every(&d, SPAN_H, 0, ANCHOR_START);
    compile(&d);
    assert_slots(&d, utc(2023, 12, 31, 0), utc(2024, 1, 1, 200),
                 (instant[]){utc(2024, 1, 1, 100), utc(2024, 1, 1, 200), 0});
    d.ctx.last_start = utc(2024, 1, 1, 130);
    assert_slots(&d, utc(2024, 1, 1, 0), utc(2024, 1, 1, 300),
                 (instant[]){utc(2024, 1, 1, 230), 0});
}

static void t40_completion_has_no_slot_while_a_run_is_open(void **state)
{
    struct draft d;

    (void)state;
    begin_draft(&d, "UTC");
    add_every(&d, SPAN_H, 0, ANCHOR_COMPLETION);
    compile(&d);
    assert_slots(&d, utc(2024, 1, 1, 0), utc(2024, 1, 1, 100),
                 (instant[]){utc(2024, 1, 1, 100), 0});
    d.ctx.last_start = utc(2024, 1, 1, 100);
    assert_slots(&d, utc(2024, 1, 1, 0), utc(2030, 1, 1, 0), (instant[]){0});
    d.ctx.last_end = utc(2024, 1, 1, 120);
    assert_slots(&d, utc(2024, 1, 1, 120), utc(2024, 1, 1, 300),
                 (instant[]){utc(2024, 1, 1, 220), 0});
}

static void t41_times_of_day_are_fixed_entries(void **state)
{
    struct draft d;

    (void)state;
    begin_draft(&d, "America/New_York");
    d.times[d.def.time_count++] = 2 * HOUR_SECONDS + 1800;
    compile(&d);
    /* A fixed entry under vixie: moved out of the gap, once in a fold. */
    assert_slots(
        &d, utc(2024, 3, 9, 0), utc(2024, 3, 11, 1200),
        (instant[]){utc(2024, 3, 9, 730), utc(2024, 3, 10, 700), utc(2024, 3, 11, 630), 0});
}

static void t42_one_offs_are_instants_and_now_is_creation(void **state)
{
    struct draft d;

    (void)state;
    begin_draft(&d, "America/New_York");
    d.at[d.def.at_count++] = utc(2024, 5, 1, 0) + 7 * SPAN_MS;
    d.at[d.def.at_count++] = INSTANT_NONE;
    compile(&d);
    d.ctx.created = utc(2024, 4, 1, 0) + 1234567;
    assert_slots(
        &d, utc(2024, 1, 1, 0), utc(2025, 1, 1, 0),
        (instant[]){utc(2024, 4, 1, 0) + 1234 * SPAN_MS, utc(2024, 5, 1, 0) + 7 * SPAN_MS, 0});
}

static void t42_now_before_1970_is_rounded_down(void **state)
{
    struct draft d;

    (void)state;
    begin_draft(&d, "UTC");
    d.at[d.def.at_count++] = INSTANT_NONE;
    compile(&d);
    d.ctx.created = utc(1960, 1, 1, 0) + 1234567;
    assert_slots(&d, utc(1950, 1, 1, 0), utc(1970, 1, 1, 0),
                 (instant[]){utc(1960, 1, 1, 0) + 1234 * SPAN_MS, 0});
}

static void t50_coinciding_entries_are_one_slot_named_by_the_first_list(void **state)
{
    struct draft d;
    struct slot slot;

    (void)state;
    begin_draft(&d, "UTC");
    add_every(&d, 6 * SPAN_H, 0, ANCHOR_EPOCH);
    d.times[d.def.time_count++] = 6 * HOUR_SECONDS;
    d.at[d.def.at_count++] = utc(2024, 2, 1, 300);
    add_cron(&d, "0 12 * * *", DIALECT_BELFRY);
    compile(&d);
    assert_slots(
        &d, utc(2024, 2, 1, 0), utc(2024, 2, 1, 1200),
        (instant[]){utc(2024, 2, 1, 300), utc(2024, 2, 1, 600), utc(2024, 2, 1, 1200), 0});
    assert_true(spec_next(&d.spec, &d.ctx, utc(2024, 2, 1, 0), &slot));
    assert_int_equal(slot.entry, d.spec.entry_count);
    assert_true(spec_next(&d.spec, &d.ctx, utc(2024, 2, 1, 500), &slot));
    assert_int_equal(d.spec.entries[slot.entry].list, LIST_INTERVALS);
    assert_true(spec_next(&d.spec, &d.ctx, utc(2024, 2, 1, 700), &slot));
    assert_int_equal(d.spec.entries[slot.entry].list, LIST_CRON);
}

static void t51_exclusions_are_matched_literally_in_the_specs_zone(void **state)
{
    struct draft d;
    struct calendar_text hour = {.second = STR("*"), .minute = STR("*"), .hour = STR("1")};

    (void)state;
    begin_draft(&d, "America/New_York");
    add_cron(&d, "*/30 * * * *", DIALECT_BELFRY);
    exclude(&d, hour);
    d.not_dates[d.def.not_date_count++] = date(2024, 11, 4);
    compile(&d);
    /* Both passes of the repeated hour are excluded, and so is the date in New York. */
    assert_slots(
        &d, utc(2024, 11, 3, 430) - 1, utc(2024, 11, 3, 730),
        (instant[]){utc(2024, 11, 3, 430), utc(2024, 11, 3, 700), utc(2024, 11, 3, 730), 0});
    assert_slots(&d, utc(2024, 11, 4, 430) - 1, utc(2024, 11, 5, 500),
                 (instant[]){utc(2024, 11, 4, 430), utc(2024, 11, 5, 500), 0});
}

static void t52_shift_moves_a_whole_excluded_day(void **state)
{
    struct calendar_text weekend = whole_days();
    struct draft d;

    (void)state;
    weekend.weekday = STR("SAT,SUN");
    begin_draft(&d, "Europe/London");
    add_cron(&d, "0 9 1 * *", DIALECT_BELFRY);
    exclude(&d, weekend);
    d.not_dates[d.def.not_date_count++] = date(2024, 6, 3);
    d.def.shift = SHIFT_NEXT;
    compile(&d);
    /* 1 June 2024 was a Saturday, and Monday the 3rd is excluded by date. */
    assert_slots(&d, utc(2024, 5, 15, 0), utc(2024, 7, 1, 2359),
                 (instant[]){utc(2024, 6, 4, 800), utc(2024, 7, 1, 800), 0});
    d.def.shift = SHIFT_PREVIOUS;
    compile(&d);
    assert_slots(&d, utc(2024, 5, 15, 0), utc(2024, 7, 1, 2359),
                 (instant[]){utc(2024, 5, 31, 800), utc(2024, 7, 1, 800), 0});
}

static void t52_shift_by_a_named_calendar(void **state)
{
    static const int32_t days[] = {19859}; /* 2024-05-16 */
    const struct day_set set = {days, 1};
    struct draft d;

    (void)state;
    begin_draft(&d, "UTC");
    add_cron(&d, "0 9 16 * *", DIALECT_BELFRY);
    d.not_named[d.def.not_named_count++] = STR("bank");
    d.def.shift = SHIFT_NEXT;
    compile(&d);
    d.ctx.calendars = &set;
    assert_slots(&d, utc(2024, 5, 1, 0), utc(2024, 6, 1, 0),
                 (instant[]){utc(2024, 5, 17, 900), 0});
}

/* An interval from `run`, which has ended; slots on weekends move back to Friday. */
static void begin_without_weekends(struct draft *d, span every, enum anchor anchor, instant run)
{
    struct calendar_text weekend = whole_days();

    weekend.weekday = STR("SAT,SUN");
    begin_draft(d, "UTC");
    add_every(d, every, 0, anchor);
    exclude(d, weekend);
    d->def.shift = SHIFT_PREVIOUS;
    compile(d);
    d->ctx.last_start = d->ctx.last_end = run;
}

/*
 * 31 May 2024 was a Friday.  Saturday 10:00 would move to Friday 10:00, before the end of the
 * run, and Sunday 22:00 to Friday 22:00, soon after it.
 */
static void t52_a_slot_that_counts_from_a_run_is_not_moved_to_its_day(void **state)
{
    struct draft d;

    (void)state;
    begin_without_weekends(&d, 18 * SPAN_H, ANCHOR_COMPLETION, utc(2024, 5, 31, 1600));
    assert_slots(&d, utc(2024, 5, 31, 900), utc(2024, 6, 4, 1200),
                 (instant[]){utc(2024, 6, 3, 1600), utc(2024, 6, 4, 1000), 0});
    /* Saturday 12:00 would move to two hours after the run. */
    begin_without_weekends(&d, 26 * SPAN_H, ANCHOR_START, utc(2024, 5, 31, 1000));
    assert_slots(&d, utc(2024, 5, 31, 1000), utc(2024, 6, 4, 2359),
                 (instant[]){utc(2024, 6, 3, 1600), utc(2024, 6, 4, 1800), 0});
    /* Saturday 11:00, 25 hours after the run, would move before the first slot. */
    begin_without_weekends(&d, 5 * SPAN_H, ANCHOR_COMPLETION, utc(2024, 5, 31, 1000));
    assert_slots(
        &d, utc(2024, 5, 31, 1000), utc(2024, 6, 3, 500),
        (instant[]){utc(2024, 5, 31, 1500), utc(2024, 5, 31, 2000), utc(2024, 6, 3, 300), 0});
}

/* 30 days after 2 May is a Saturday, 60 days after it a Monday. */
static void t52_a_slot_that_counts_from_an_earlier_day_is_moved(void **state)
{
    struct draft d;

    (void)state;
    begin_without_weekends(&d, 30 * SPAN_DAY, ANCHOR_COMPLETION, utc(2024, 5, 2, 1000));
    assert_slots(&d, utc(2024, 5, 2, 1000), utc(2024, 7, 5, 0),
                 (instant[]){utc(2024, 5, 31, 1000), utc(2024, 7, 1, 1000), 0});
    /* Two days after Thursday is a Saturday; Friday, its target, has had no run. */
    begin_without_weekends(&d, 2 * SPAN_DAY, ANCHOR_COMPLETION, utc(2024, 5, 30, 1600));
    assert_slots(&d, utc(2024, 5, 30, 1600), utc(2024, 6, 4, 0),
                 (instant[]){utc(2024, 5, 31, 1600), utc(2024, 6, 3, 1600), 0});
}

/* A one-off is at the same time, 26 hours after Friday 10:00; only the one-off is moved. */
static void t52_a_one_off_at_the_time_of_such_a_slot_is_moved(void **state)
{
    struct draft d;

    (void)state;
    begin_without_weekends(&d, 26 * SPAN_H, ANCHOR_COMPLETION, utc(2024, 5, 31, 1000));
    d.at[d.def.at_count++] = utc(2024, 6, 1, 1200);
    compile(&d);
    assert_slots(&d, utc(2024, 5, 31, 1000), utc(2024, 6, 3, 2359),
                 (instant[]){utc(2024, 5, 31, 1200), utc(2024, 6, 3, 1600), 0});
}

static void t52_a_moved_time_in_a_gap_is_the_first_instant_after_it(void **state)
{
    struct draft d;

    (void)state;
    begin_draft(&d, "America/New_York");
    add_cron(&d, "*-*-09 02:30:00.5", DIALECT_SYSTEMD);
    d.not_dates[d.def.not_date_count++] = date(2024, 3, 9);
    d.def.shift = SHIFT_NEXT;
    compile(&d);
    assert_slots(&d, utc(2024, 3, 1, 0), utc(2024, 3, 31, 0),
                 (instant[]){utc(2024, 3, 10, 700), 0});
}

/* Hour 2 is excluded on each day, but a shifted 02:30 in the gap becomes 03:00. */
static void t52_a_time_that_is_always_excluded_may_be_moved_out_of_it(void **state)
{
    struct calendar_text second_hour = whole_days();
    struct draft d;

    (void)state;
    second_hour.hour = STR("2");
    begin_draft(&d, "America/New_York");
    add_cron(&d, "0 30 2 * * *", DIALECT_SPRING);
    exclude(&d, second_hour);
    d.not_dates[d.def.not_date_count++] = date(2024, 3, 9);
    d.def.shift = SHIFT_NEXT;
    compile(&d);
    assert_slots(&d, utc(2024, 3, 1, 0), utc(2024, 3, 31, 0),
                 (instant[]){utc(2024, 3, 10, 700), 0});
}

static void t52_excluded_years_do_not_end_a_schedule(void **state)
{
    struct calendar_text years = whole_days();
    struct draft d;

    (void)state;
    years.year = STR("2025-2026");
    begin_draft(&d, "UTC");
    add_cron(&d, "0 12 1 6 *", DIALECT_BELFRY);
    exclude(&d, years);
    d.def.shift = SHIFT_NEXT;
    compile(&d);
    /* June 2026 is moved; June 2025 is further than 366 days away and is lost. */
    assert_slots(&d, utc(2024, 7, 1, 0), utc(2027, 12, 31, 0),
                 (instant[]){utc(2027, 1, 1, 1200), utc(2027, 6, 1, 1200), 0});
    assert_slots(&d, utc(2025, 3, 1, 0), utc(2027, 3, 1, 0),
                 (instant[]){utc(2027, 1, 1, 1200), 0});
    d.def.shift = SHIFT_PREVIOUS;
    compile(&d);
    assert_slots(&d, utc(2024, 7, 1, 0), utc(2027, 12, 31, 0),
                 (instant[]){utc(2024, 12, 31, 1200), utc(2027, 6, 1, 1200), 0});
}

static void t53_start_and_end_are_inclusive(void **state)
{
    struct draft d;

    (void)state;
    begin_draft(&d, "UTC");
    add_cron(&d, "0 * * * *", DIALECT_BELFRY);
    d.def.start = utc(2024, 2, 1, 300);
    d.def.end = utc(2024, 2, 1, 500);
    compile(&d);
    assert_slots(
        &d, INSTANT_NONE, INSTANT_MAX,
        (instant[]){utc(2024, 2, 1, 300), utc(2024, 2, 1, 400), utc(2024, 2, 1, 500), 0});
}

static void t53_slots_before_the_start_are_not_moved_after_it(void **state)
{
    struct draft d;

    (void)state;
    begin_draft(&d, "UTC");
    add_cron(&d, "0 6 * * *", DIALECT_BELFRY);
    d.def.window = (struct window_def){true, 9 * HOUR_SECONDS, 17 * HOUR_SECONDS, WINDOW_CLAMP};
    d.def.start = utc(2024, 2, 1, 700);
    d.def.end = utc(2024, 2, 3, 800);
    compile(&d);
    /* A slot that the window moves after the end is dropped. */
    assert_slots(&d, utc(2024, 1, 1, 0), utc(2024, 3, 1, 0),
                 (instant[]){utc(2024, 2, 2, 900), 0});
    begin_draft(&d, "UTC");
    add_cron(&d, "0 6 1 * *", DIALECT_BELFRY);
    d.not_dates[d.def.not_date_count++] = date(2024, 2, 1);
    d.def.shift = SHIFT_NEXT;
    d.def.start = utc(2024, 2, 1, 700);
    compile(&d);
    assert_slots(&d, utc(2024, 1, 15, 0), utc(2024, 3, 1, 600),
                 (instant[]){utc(2024, 3, 1, 600), 0});
}

static void t60_filter_keeps_what_the_clock_shows_inside(void **state)
{
    struct draft d;

    (void)state;
    begin_draft(&d, "America/New_York");
    add_cron(&d, "*/30 * * * *", DIALECT_BELFRY);
    d.def.window = (struct window_def){true, HOUR_SECONDS, 2 * HOUR_SECONDS, WINDOW_FILTER};
    compile(&d);
    /* The repeated hour is inside twice, both ends are inclusive. */
    assert_slots(&d, utc(2024, 11, 3, 0), utc(2024, 11, 4, 0),
                 (instant[]){utc(2024, 11, 3, 500), utc(2024, 11, 3, 530),
                             utc(2024, 11, 3, 600), utc(2024, 11, 3, 630),
                             utc(2024, 11, 3, 700), 0});
}

static void t60_clamp_moves_slots_to_the_opening_and_may_wrap_midnight(void **state)
{
    struct draft d;

    (void)state;
    begin_draft(&d, "UTC");
    add_cron(&d, "0 */3 * * *", DIALECT_BELFRY);
    d.def.window = (struct window_def){true, 22 * HOUR_SECONDS, 6 * HOUR_SECONDS, WINDOW_CLAMP};
    compile(&d);
    /* 09, 12, 15, 18 and 21 o'clock all go to 22:00. */
    assert_slots(&d, utc(2024, 2, 1, 600), utc(2024, 2, 2, 600),
                 (instant[]){utc(2024, 2, 1, 2200), utc(2024, 2, 2, 0), utc(2024, 2, 2, 300),
                             utc(2024, 2, 2, 600), 0});
}

static void t60_a_slot_that_is_clamped_to_an_excluded_time_is_dropped(void **state)
{
    struct calendar_text minute = {.second = STR("*"), .minute = STR("0"), .hour = STR("22")};
    struct draft d;

    (void)state;
    begin_draft(&d, "UTC");
    add_cron(&d, "0 */3 * * *", DIALECT_BELFRY);
    d.def.window = (struct window_def){true, 22 * HOUR_SECONDS, 6 * HOUR_SECONDS, WINDOW_CLAMP};
    exclude(&d, minute);
    compile(&d);
    assert_slots(&d, utc(2024, 2, 1, 600), utc(2024, 2, 2, 300),
                 (instant[]){utc(2024, 2, 2, 0), utc(2024, 2, 2, 300), 0});
}

static void t61_jitter_is_stable_and_stays_before_the_next_and_in_the_window(void **state)
{
    struct draft d;
    struct slot slot, again;
    instant t = utc(2024, 2, 1, 0);
    int moved = 0;

    (void)state;
    begin_draft(&d, "America/New_York");
    add_cron(&d, "*/10 * * * *", DIALECT_BELFRY);
    d.def.jitter = SPAN_H;
    d.def.window = (struct window_def){true, 9 * HOUR_SECONDS, 17 * HOUR_SECONDS + 180,
                                       WINDOW_FILTER};
    compile(&d);
    for (int i = 0; i < 500; i++) {
        assert_true(spec_next(&d.spec, &d.ctx, t, &slot));
        assert_true(slot.due >= slot.at && slot.due < slot.at + 10 * SPAN_MIN);
        assert_true(slot.due % SPAN_MS == 0);
        assert_true(window_next(&d.def.window, d.spec.zones[0].tz, slot.due) == slot.due);
        assert_true(spec_prev(&d.spec, &d.ctx, slot.at + 1, &again));
        assert_true(again.at == slot.at && again.due == slot.due);
        assert_true((slot.at / SPAN_S) % 600 == 0);
        moved += slot.due > slot.at;
        t = slot.at;
    }
    assert_true(moved > 400);
}

static void t61_jitter_ends_with_the_calendar(void **state)
{
    struct draft d;
    struct slot slot;
    int count = 0;

    (void)state;
    begin_draft(&d, "UTC");
    for (int i = 0; i < 3; i++)
        d.at[d.def.at_count++] = utc(9999, 12, 31, 2359) + i * 15 * SPAN_S;
    d.def.jitter = SPAN_DAY;
    compile(&d);
    for (instant t = utc(9999, 1, 1, 0); spec_next(&d.spec, &d.ctx, t, &slot); t = slot.at) {
        assert_true(slot.due <= INSTANT_MAX);
        count++;
    }
    assert_int_equal(count, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t40_epoch_counts_from_1970_with_its_phase),
        cmocka_unit_test(t40_midnight_counts_elapsed_hours),
        cmocka_unit_test(t40_a_phase_longer_than_24_hours_needs_a_longer_day),
        cmocka_unit_test(t40_start_counts_from_the_last_start_or_creation),
        cmocka_unit_test(t40_completion_has_no_slot_while_a_run_is_open),
        cmocka_unit_test(t41_times_of_day_are_fixed_entries),
        cmocka_unit_test(t42_one_offs_are_instants_and_now_is_creation),
        cmocka_unit_test(t42_now_before_1970_is_rounded_down),
        cmocka_unit_test(t50_coinciding_entries_are_one_slot_named_by_the_first_list),
        cmocka_unit_test(t51_exclusions_are_matched_literally_in_the_specs_zone),
        cmocka_unit_test(t52_shift_moves_a_whole_excluded_day),
        cmocka_unit_test(t52_shift_by_a_named_calendar),
        cmocka_unit_test(t52_a_slot_that_counts_from_a_run_is_not_moved_to_its_day),
        cmocka_unit_test(t52_a_slot_that_counts_from_an_earlier_day_is_moved),
        cmocka_unit_test(t52_a_one_off_at_the_time_of_such_a_slot_is_moved),
        cmocka_unit_test(t52_a_moved_time_in_a_gap_is_the_first_instant_after_it),
        cmocka_unit_test(t52_a_time_that_is_always_excluded_may_be_moved_out_of_it),
        cmocka_unit_test(t52_excluded_years_do_not_end_a_schedule),
        cmocka_unit_test(t53_start_and_end_are_inclusive),
        cmocka_unit_test(t53_slots_before_the_start_are_not_moved_after_it),
        cmocka_unit_test(t60_filter_keeps_what_the_clock_shows_inside),
        cmocka_unit_test(t60_clamp_moves_slots_to_the_opening_and_may_wrap_midnight),
        cmocka_unit_test(t60_a_slot_that_is_clamped_to_an_excluded_time_is_dropped),
        cmocka_unit_test(t61_jitter_is_stable_and_stays_before_the_next_and_in_the_window),
        cmocka_unit_test(t61_jitter_ends_with_the_calendar),
    };

    return cmocka_run_group_tests(tests, start_arena, end_arena);
}
