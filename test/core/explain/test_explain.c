/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why an instant is or is not a slot.  Clock changes are facts of tzdata: New York changes from
 * 02:00 to 03:00 at 2026-03-08T07:00Z and from 02:00 to 01:00 at 2026-11-01T06:00Z.
 */
#include "core/explain/explain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/time/text.h"
#include "zones.h"

/* One spec and the data that it points to. */
struct fixture {
    struct cron_def cron[4];
    struct spec_def def;
    struct spec spec;
    struct spec_ctx ctx;
    struct arena *arena;
};

static instant at(const char *text)
{
    struct err err;
    instant t = 0;

    if (instant_parse(str_of(text), &t, &err) != RC_OK)
        fail_msg("%s: %s", text, err.text);
    return t;
}

static struct fixture *new_york(const char *expr, const char *more)
{
    static struct fixture f;

    f.def = spec_def_empty();
    f.def.cron = f.cron;
    f.cron[0] = (struct cron_def){.expr = str_of(expr)};
    f.cron[1] = (struct cron_def){.expr = str_of(more)};
    f.def.cron_count = more ? 2 : 1;
    f.def.zone = STR("America/New_York");
    return &f;
}

static void compile(struct fixture *f)
{
    struct zone_source zones = {zone_find, NULL};
    struct err err;

    f->arena = f->arena ? f->arena : arena_new((size_t)1 << 24);
    arena_reset(f->arena);
    if (spec_compile(&f->def, STR(""), &zones, f->arena, &f->spec, &err) != RC_OK)
        fail_msg("%s: %s", err.field, err.text);
    f->ctx = spec_ctx(at("2026-01-01T00:00:00Z"));
}

static void assert_answer(struct fixture *f, const char *t, enum why why, const char *text)
{
    struct explain explain;

    compile(f);
    explain_instant(&f->spec, &f->ctx, at(t), &explain);
    assert_string_equal(explain.text, text);
    assert_int_equal(explain.why, why);
}

static void a_slot_is_named_by_its_entry(void **state)
{
    (void)state;
    assert_answer(new_york("30 2 * * 1-5", NULL), "2026-03-09T06:30:00Z", WHY_SLOT,
                  "it is a slot of cron[0]");
    assert_answer(new_york("30 2 * * 1-5", "0 9 * * *"), "2026-03-09T13:00:00Z", WHY_SLOT,
                  "it is a slot of cron[1]");
}

static void the_field_that_does_not_match_is_named(void **state)
{
    (void)state;
    assert_answer(new_york("30 2 * * 1-5", NULL), "2026-03-09T06:31:00Z", WHY_NO_MATCH,
                  "minute is 31, the expression requires 30");
    assert_answer(new_york("0,15,30-40 2 * * *", NULL), "2026-03-09T06:41:00Z", WHY_NO_MATCH,
                  "minute is 41, the expression requires 0, 15 or 30 to 40");
    assert_answer(
        new_york("30 2 * * 1-5", NULL), "2026-03-09T07:31:05Z", WHY_NO_MATCH,
        "hour is 3, the expression requires 2; minute is 31, the expression requires 30; "
        "second is 5, the expression requires 0");
    assert_answer(new_york("30 2 * * 1-5", NULL), "2026-03-14T06:30:00Z", WHY_NO_MATCH,
                  "it is Saturday 14 March 2026, the expression runs on weekdays");
    assert_answer(
        new_york("30 2 * * *", NULL), "2026-03-14T06:30:00.250Z", WHY_NO_MATCH,
        "the second is right, its fraction is not: its slots are at 2026-03-14T06:30:00Z and "
        "then at 2026-03-15T06:30:00Z");
}

static void of_several_entries_the_nearest_is_named(void **state)
{
    (void)state;
    assert_answer(new_york("0 9 * * *", "0 17 * * *"), "2026-06-01T21:01:00Z", WHY_NO_MATCH,
                  "nearest is cron[1]: minute is 1, the expression requires 0");
}

static void a_time_in_a_gap_is_explained_at_the_end_of_the_gap(void **state)
{
    struct fixture *f = new_york("30 2 * * *", NULL);

    (void)state;
    assert_answer(f, "2026-03-08T07:00:00Z", WHY_SLOT,
                  "it is a slot of cron[0]; 02:30 does not exist that day: runs at 03:00");
    f->def.dst.name = DST_LITERAL;
    assert_answer(
        f, "2026-03-08T07:00:00Z", WHY_NO_MATCH,
        "hour is 3, the expression requires 2; minute is 0, the expression requires 30 (02:30 "
        "does not exist that day: skipped)");
    f->def.dst.name = DST_SHIFT;
    assert_answer(f, "2026-03-08T07:30:00Z", WHY_SLOT,
                  "it is a slot of cron[0]; 02:30 does not exist that day: runs at 03:30");
}

static void a_repeated_time_may_run_only_once(void **state)
{
    struct fixture *f = new_york("30 1 * * *", NULL);

    (void)state;
    assert_answer(
        f, "2026-11-01T05:30:00Z", WHY_SLOT,
        "it is a slot of cron[0]; 01:30 comes twice that day: this is the first, the only "
        "one to run");
    assert_answer(
        f, "2026-11-01T06:30:00Z", WHY_FOLD,
        "01:30 on 1 November 2026 comes twice in America/New_York: this is the second time, "
        "and only the first runs");
    f->def.dst.name = DST_LAST;
    assert_answer(
        f, "2026-11-01T05:30:00Z", WHY_FOLD,
        "01:30 on 1 November 2026 comes twice in America/New_York: this is the first time, "
        "and only the second runs");
    f->def.dst.name = DST_LITERAL;
    assert_answer(f, "2026-11-01T06:30:00Z", WHY_SLOT,
                  "it is a slot of cron[0]; 01:30 comes twice that day: this is the second");
}

static void a_wall_clock_time_has_zero_one_or_two_instants(void **state)
{
    struct fixture *f = new_york("30 2 * * *", NULL);
    struct explain explain;
    int64_t gap = day_of_date(2026, 3, 8) * DAY_SECONDS + 9000;
    int64_t fold = day_of_date(2026, 11, 1) * DAY_SECONDS + 5400;
    instant t[2];

    (void)state;
    compile(f);
    assert_int_equal(explain_local(&f->spec, gap + DAY_SECONDS, t), 1);
    assert_int_equal(t[0], at("2026-03-09T06:30:00Z"));
    assert_int_equal(explain_local(&f->spec, fold, t), 2);
    assert_int_equal(t[0], at("2026-11-01T05:30:00Z"));
    assert_int_equal(t[1], at("2026-11-01T06:30:00Z"));
    assert_int_equal(explain_local(&f->spec, gap, t), 0);
    explain_gap(&f->spec, &f->ctx, gap, &explain);
    assert_int_equal(explain.why, WHY_GAP);
    assert_string_equal(
        explain.text,
        "02:30 on 8 March 2026 does not exist in America/New_York: clocks go from "
        "02:00 to 03:00; the slot runs at 03:00 instead");
    assert_true(explain.has_prev && explain.prev.at == at("2026-03-07T07:30:00Z"));
    assert_true(explain.has_next && explain.next.at == at("2026-03-08T07:00:00Z"));
    f->def.dst.name = DST_ONCE;
    compile(f);
    explain_gap(&f->spec, &f->ctx, gap, &explain);
    assert_non_null(strstr(explain.text, "; the slot is skipped"));
    explain_gap(&f->spec, &f->ctx, gap + 60, &explain);
    assert_non_null(strstr(explain.text, "; no entry has this time"));
}

static void bounds_are_named(void **state)
{
    struct fixture *f = new_york("30 2 * * *", NULL);
    int32_t date = (int32_t)day_of_date(2026, 6, 2);

    (void)state;
    f->def.start = at("2026-06-01T00:00:00Z");
    f->def.end = at("2026-07-01T00:00:00Z");
    assert_answer(f, "2026-05-31T06:30:00Z", WHY_BEFORE_START,
                  "it is before the start, 2026-06-01T00:00:00Z");
    assert_answer(f, "2026-07-01T06:30:00Z", WHY_AFTER_END,
                  "it is after the end, 2026-07-01T00:00:00Z");
    assert_answer(f, "2026-06-01T06:30:00Z", WHY_SLOT, "it is a slot of cron[0]");
    /* Both ends are inclusive, so another reason must exclude them. */
    f->def.start = f->def.end = at("2026-06-02T06:30:00Z");
    f->def.not_dates = &date;
    f->def.not_date_count = 1;
    assert_answer(f, "2026-06-02T06:30:00Z", WHY_EXCLUDED_DATE,
                  "2 June 2026 is an excluded date");
}

static void exclusions_are_named(void **state)
{
    struct fixture *f = new_york("30 2 * * *", NULL);
    int32_t date = (int32_t)day_of_date(2027, 12, 25), holiday = date + 1;
    struct day_set calendar = {&holiday, 1};
    struct calendar_def december = {
        .text = {STR("*"), STR("*"), STR("*"), STR("27"), STR("12"), STR("*"), STR("*")}};
    struct str name = STR("us-holidays");
    struct explain explain;

    (void)state;
    f->def.not_dates = &date;
    f->def.not_date_count = 1;
    f->def.not_named = &name;
    f->def.not_named_count = 1;
    f->def.not_calendars = &december;
    f->def.not_calendar_count = 1;
    assert_answer(f, "2027-12-25T07:30:00Z", WHY_EXCLUDED_DATE,
                  "25 December 2027 is an excluded date");
    assert_answer(f, "2027-12-27T07:30:00Z", WHY_EXCLUDED_CALENDAR,
                  "exclude.calendars[0] excludes it: every second on 27 December");
    f->ctx.calendars = &calendar;
    explain_instant(&f->spec, &f->ctx, at("2027-12-26T07:30:00Z"), &explain);
    assert_int_equal(explain.why, WHY_EXCLUDED_NAMED);
    assert_string_equal(explain.text, "26 December 2027 is a day of us-holidays");
    f->def.not_calendar_count = f->def.not_named_count = 0;
    f->def.shift = SHIFT_NEXT;
    assert_answer(f, "2027-12-25T07:30:00Z", WHY_EXCLUDED_DATE,
                  "25 December 2027 is an excluded date; its slots move to the next free day");
}

static void intervals_that_count_from_a_run_are_not_always_moved_back(void **state)
{
    struct interval_def interval = {.every = 18 * SPAN_H, .anchor = ANCHOR_COMPLETION};
    struct fixture *f = new_york("30 2 * * *", NULL);
    int32_t date = (int32_t)day_of_date(2027, 12, 25);

    (void)state;
    f->def.not_dates = &date;
    f->def.not_date_count = 1;
    f->def.shift = SHIFT_PREVIOUS;
    assert_answer(
        f, "2027-12-25T07:30:00Z", WHY_EXCLUDED_DATE,
        "25 December 2027 is an excluded date; its slots move to the previous free day");
    f->def.intervals = &interval;
    f->def.interval_count = 1;
    assert_answer(
        f, "2027-12-25T07:30:00Z", WHY_EXCLUDED_DATE,
        "25 December 2027 is an excluded date; its slots move to the previous free day, "
        "except those that count from a run of that day");
}

static void moved_slots_say_so(void **state)
{
    struct fixture *f = new_york("30 2 * * 6", NULL);
    int32_t date = (int32_t)day_of_date(2027, 12, 25); /* a Saturday */

    (void)state;
    f->def.not_dates = &date;
    f->def.not_date_count = 1;
    f->def.shift = SHIFT_NEXT;
    assert_answer(f, "2027-12-26T07:30:00Z", WHY_SLOT,
                  "it is a slot of cron[0]; moved from an excluded day");
    f = new_york("30 2 * * *", NULL);
    f->def.window = (struct window_def){true, 22 * 3600, 23 * 3600, WINDOW_CLAMP};
    assert_answer(f, "2026-06-02T02:00:00Z", WHY_SLOT,
                  "it is a slot of cron[0]; moved into the window");
    assert_answer(f, "2026-06-01T06:30:00Z", WHY_OUTSIDE_WINDOW,
                  "02:30 is outside the window from 22:00 to 23:00; the slot moves to 22:00");
    f->def.window.rule = WINDOW_FILTER;
    assert_answer(f, "2026-06-01T06:30:00Z", WHY_OUTSIDE_WINDOW,
                  "02:30 is outside the window from 22:00 to 23:00");
}

static void jitter_is_explained_for_the_slot_and_for_its_due_time(void **state)
{
    struct fixture *f = new_york("0 0 1 * *", NULL);
    struct explain explain;
    struct slot slot;

    (void)state;
    f->def.jitter = SPAN_H;
    compile(f);
    f->ctx.seed = STR("nightly");
    assert_true(spec_next(&f->spec, &f->ctx, at("2026-06-15T00:00:00Z"), &slot));
    assert_true(slot.due > slot.at);
    explain_instant(&f->spec, &f->ctx, slot.due, &explain);
    assert_int_equal(explain.why, WHY_DUE);
    assert_string_equal(explain.text,
                        "the slot of 2026-07-01T04:00:00Z is delayed by jitter and runs then");
    explain_instant(&f->spec, &f->ctx, slot.at, &explain);
    assert_int_equal(explain.why, WHY_SLOT);
    assert_non_null(strstr(explain.text, "it is a slot of cron[0], delayed to 2026-07-01T04:"));
}

static void other_entries_name_their_slots(void **state)
{
    struct fixture *f = new_york("@every 90m", NULL);

    (void)state;
    assert_answer(f, "2026-01-01T02:00:00Z", WHY_NO_MATCH,
                  "its slots are at 2026-01-01T01:30:00Z and then at 2026-01-01T03:00:00Z");
    f->def.cron_count = 0;
    assert_answer(f, "2026-01-01T02:00:00Z", WHY_EMPTY,
                  "the spec has no entries, so there are no automatic runs");
}

static void never_has_a_reason(void **state)
{
    static const struct {
        const char *expr, *reason;
    } table[] = {
        {"0 0 30 2 *", "February has no day 30"},
        {"0 0 31 4,6,9,11 *", "April, June, September and November have no day 31"},
        {"0 0 0 1 1 * 2020", "its last year is 2020"},
        {"0 0 0 29 2 * 2023", "its last year is 2023"},
        {"0 0 1 * +MON#5", "no day of any year matches"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct fixture *f = new_york(table[i].expr, NULL);
        char text[EXPLAIN_TEXT_MAX];
        struct buf out = BUF(text);

        compile(f);
        explain_never(&f->spec, &f->ctx, at("2026-01-01T00:00:00Z"), &out);
        assert_string_equal(text, table[i].reason);
    }
}

static void bounds_of_the_spec_explain_never(void **state)
{
    struct fixture *f = new_york("30 2 * * *", NULL);
    char text[EXPLAIN_TEXT_MAX];
    struct buf out = BUF(text);

    (void)state;
    f->def.end = at("2026-01-01T00:00:00Z");
    compile(f);
    explain_never(&f->spec, &f->ctx, at("2026-01-02T00:00:00Z"), &out);
    assert_string_equal(text,
                        "its next time would be 2026-01-02T07:30:00Z, but it is after the "
                        "end, 2026-01-01T00:00:00Z");
}

static int changes_of(struct fixture *f, const char *from, struct explain_change *ret)
{
    compile(f);
    return explain_changes(&f->spec, &f->ctx, at(from), at(from) + 366 * SPAN_DAY, ret);
}

static void clock_changes_say_what_they_do(void **state)
{
    static struct explain_change changes[EXPLAIN_CHANGES_MAX];
    struct fixture *f = new_york("30 2 * * *", NULL);

    (void)state;
    assert_int_equal(changes_of(f, "2026-01-01T00:00:00Z", changes), 2);
    assert_int_equal(changes[0].at, at("2026-03-08T07:00:00Z") / SPAN_S);
    assert_int_equal(changes[1].at, at("2026-11-01T06:00:00Z") / SPAN_S);
    assert_true(changes[0].touches);
    assert_string_equal(changes[0].text, "02:30 does not exist that day: runs at 03:00");
    assert_false(changes[1].touches);
    f = new_york("*/15 * * * *", NULL);
    changes_of(f, "2026-01-01T00:00:00Z", changes);
    assert_string_equal(changes[0].text,
                        "02:00, 02:15, 02:30 and 02:45 do not exist that day: skipped");
    assert_string_equal(changes[1].text,
                        "01:00, 01:15, 01:30 and 01:45 come twice that day: run both times");
    f = new_york("0 9 * * *", "15 1 * * *");
    changes_of(f, "2026-01-01T00:00:00Z", changes);
    assert_false(changes[0].touches);
    assert_string_equal(changes[1].text,
                        "cron[1]: 01:15 comes twice that day: runs the first time only");
}

static void clock_changes_do_not_affect_excluded_times(void **state)
{
    static struct explain_change changes[EXPLAIN_CHANGES_MAX];
    struct fixture *f = new_york("30 2 * * *", NULL);
    int32_t date = (int32_t)day_of_date(2026, 3, 8);

    (void)state;
    f->def.not_dates = &date;
    f->def.not_date_count = 1;
    assert_int_equal(changes_of(f, "2026-01-01T00:00:00Z", changes), 2);
    assert_false(changes[0].touches);
    f->def.not_date_count = 0;
    f->def.window = (struct window_def){true, 22 * 3600, 23 * 3600, WINDOW_FILTER};
    changes_of(f, "2026-01-01T00:00:00Z", changes);
    assert_false(changes[0].touches);
    f->def.window = (struct window_def){true, 22 * 3600, 6 * 3600, WINDOW_FILTER};
    changes_of(f, "2026-01-01T00:00:00Z", changes);
    assert_true(changes[0].touches);
}

static void an_interval_from_midnight_depends_on_the_length_of_the_day(void **state)
{
    static struct explain_change changes[EXPLAIN_CHANGES_MAX];
    struct interval_def interval = {SPAN_H, 0, ANCHOR_MIDNIGHT};
    struct fixture *f = new_york("", NULL);

    (void)state;
    f->def.cron_count = 0;
    f->def.intervals = &interval;
    f->def.interval_count = 1;
    assert_int_equal(changes_of(f, "2026-01-01T00:00:00Z", changes), 2);
    assert_string_equal(changes[0].text,
                        "that day is 23h long, and the interval counts elapsed time");
}

static void assert_warning(const char *expr, const char *text)
{
    static struct explain_warning warnings[EXPLAIN_WARNINGS_MAX];
    struct fixture *f = new_york(expr, NULL);

    compile(f);
    assert_int_equal(explain_warnings(&f->spec, &f->def, warnings), text ? 1 : 0);
    if (text)
        assert_string_equal(warnings[0].text, text);
}

static void likely_mistakes_are_pointed_out(void **state)
{
    (void)state;
    assert_warning("*/35 * * * *",
                   "the step of 35 minutes is uneven: 0 follows 35 after 25 minutes; for "
                   "an even step use an interval of 35m");
    assert_warning("0 */5 * * *",
                   "the step of 5 hours is uneven: 0 follows 20 after 4 hours; for an even "
                   "step use an interval of 5h");
    assert_warning("* 9 * * *",
                   "it runs in every minute of hour 9; for once an hour write a number in "
                   "the minute field, such as 0");
    assert_warning("0 0 31 * *",
                   "months without day 31 are skipped; for the last day of every month "
                   "write \"L\"");
    assert_warning("0 0 13 * FRI",
                   "day of month and day of week are both given: either of them is "
                   "enough; for both at once write \"+\" before the day of week");
    assert_warning("0 0 13 * +FRI", NULL);
    assert_warning("*/15 9-17 * * 1-5", NULL);
    assert_warning("* 9-17 * * *", NULL);
    assert_warning("0,35 * * * *", NULL);
    assert_warning("0 0 1-31/2 * *", NULL);
    assert_warning("0 0 L * *", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slot_is_named_by_its_entry),
        cmocka_unit_test(the_field_that_does_not_match_is_named),
        cmocka_unit_test(of_several_entries_the_nearest_is_named),
        cmocka_unit_test(a_time_in_a_gap_is_explained_at_the_end_of_the_gap),
        cmocka_unit_test(a_repeated_time_may_run_only_once),
        cmocka_unit_test(a_wall_clock_time_has_zero_one_or_two_instants),
        cmocka_unit_test(bounds_are_named),
        cmocka_unit_test(exclusions_are_named),
        cmocka_unit_test(intervals_that_count_from_a_run_are_not_always_moved_back),
        cmocka_unit_test(moved_slots_say_so),
        cmocka_unit_test(jitter_is_explained_for_the_slot_and_for_its_due_time),
        cmocka_unit_test(other_entries_name_their_slots),
        cmocka_unit_test(never_has_a_reason),
        cmocka_unit_test(bounds_of_the_spec_explain_never),
        cmocka_unit_test(clock_changes_say_what_they_do),
        cmocka_unit_test(clock_changes_do_not_affect_excluded_times),
        cmocka_unit_test(an_interval_from_midnight_depends_on_the_length_of_the_day),
        cmocka_unit_test(likely_mistakes_are_pointed_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
