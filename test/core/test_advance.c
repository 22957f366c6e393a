/* SPDX-License-Identifier: Apache-2.0 */
/*
 * docs/semantics.md [P-10], [P-14] to [P-16]: due slots, pauses and edits, schedules that
 * follow their runs, backfills.  Times are computed by hand.  Scenarios have the numbers of
 * test/engine.
 */
#include "core/advance.h"

#include "advancing.h"
#include "base/aborts.h"
#include "core/backfill.h"

static struct fixture f;

#define EXPECT(actual, expected) assert_string_equal(actual, expected)

static void a_due_slot_is_listed_and_the_next_one_named(void **state)
{
    (void)state;
    make_cron_plan(&f, "0 * * * *", "2022-06-01T00:00:00Z");
    EXPECT(advanced(&f, "2022-06-01T00:59:59.999Z"), "mark 01 00:00; next 01 01:00");
    EXPECT(advanced(&f, "2022-06-01T01:00:00Z"),
           "start 01 01:00; mark 01 01:00; next 01 02:00");
    f.cursor.next_at = at("2022-06-01T01:00:00Z");
    EXPECT(advanced(&f, "2022-06-01T00:30:00Z"), "mark 01 00:00; next 01 01:00");
    EXPECT(advanced(&f, "2022-06-01T01:00:03Z"),
           "start 01 01:00; mark 01 01:00; next 01 02:00");
}

static void the_last_slot_has_no_next(void **state)
{
    (void)state;
    begin_draft(&f.d, "UTC");
    f.d.at[f.d.def.at_count++] = at("2022-06-01T01:00:00Z");
    make_plan(&f, "2022-06-01T00:00:00Z");
    EXPECT(advanced(&f, "2022-06-01T01:00:00Z"), "start 01 01:00; mark 01 01:00; next never");
    f.cursor.mark = at("2022-06-01T01:00:00Z");
    EXPECT(advanced(&f, "2022-06-01T02:00:00Z"), "mark 01 01:00; next never");
}

static void a_clock_that_went_back_before_the_mark_changes_nothing(void **state)
{
    (void)state;
    make_cron_plan(&f, "0 * * * *", "2022-06-01T05:00:00Z");
    EXPECT(advanced(&f, "2022-06-01T02:30:00Z"), "mark 01 05:00; next 01 06:00");
    EXPECT(accounted(&f, "2022-06-01T02:30:00Z", REASON_CLOCK), "mark 01 05:00; next 01 06:00");
    EXPECT(begun(&f, "2022-06-01T02:30:00Z"), "mark 01 05:00; next 01 06:00");
}

static void a_cursor_without_a_next_slot_is_used_and_a_stale_one_is_not(void **state)
{
    (void)state;
    make_cron_plan(&f, "0 * * * *", "2022-06-01T00:00:00Z");
    f.cursor.next_at = INSTANT_NEVER;
    EXPECT(advanced(&f, "2022-06-01T01:00:00Z"), "mark 01 00:00; next never");
    f.cursor.next_at = at("2022-05-30T07:00:00Z");
    EXPECT(advanced(&f, "2022-06-01T01:00:00Z"),
           "start 01 01:00; mark 01 01:00; next 01 02:00");
}

static void without_remaining_runs_there_are_no_slots(void **state)
{
    (void)state;
    make_cron_plan(&f, "0 * * * *", "2022-06-01T00:00:00Z");
    f.cursor.remaining = 0;
    EXPECT(advanced(&f, "2022-06-01T05:00:00Z"), "mark 01 00:00; next never");
    EXPECT(accounted(&f, "2022-06-01T05:00:00Z", REASON_PAUSED), "mark 01 00:00; next never");
    EXPECT(begun(&f, "2022-06-01T05:00:00Z"), "mark 01 05:00; next never");
}

static void scenario_22_downtime_while_paused(void **state)
{
    (void)state;
    make_cron_plan(&f, "17 * * * *", "2022-05-31T18:00:00Z");
    EXPECT(accounted(&f, "2022-06-01T00:03:00Z", REASON_PAUSED),
           "missed(paused) 31 18:17-31 23:17 x6; mark 31 23:17; next 01 00:17");
}

static void scenario_26_pause_window(void **state)
{
    (void)state;
    make_every_plan(&f, 3 * SPAN_MIN, ANCHOR_EPOCH, "2022-06-01T00:06:00Z");
    EXPECT(accounted(&f, "2022-06-01T00:26:07Z", REASON_PAUSED),
           "missed(paused) 01 00:09-01 00:24 x6; mark 01 00:24; next 01 00:27");
}

static void scenario_52_update_is_not_retroactive(void **state)
{
    (void)state;
    make_every_plan(&f, 20 * SPAN_S, ANCHOR_EPOCH, "2022-06-01T01:00:00Z");
    EXPECT(begun(&f, "2022-06-01T01:07:10Z"), "mark 01 01:07:10; next 01 01:07:20");
}

static void make_jittered_plan(const char *mark)
{
    begin_draft(&f.d, "UTC");
    add_every(&f.d, SPAN_H, 0, ANCHOR_EPOCH);
    f.d.def.jitter = SPAN_H;
    make_plan(&f, mark);
    f.plan.seed = STR("mynsid-myschedule");
}

static void scenario_53_update_between_nominal_and_jittered_time(void **state)
{
    (void)state;
    make_jittered_plan("2022-06-01T00:00:00Z");
    EXPECT(advanced(&f, "2022-06-01T01:49:22.593Z"),
           "mark 01 00:00; next 01 01:00 @ 01 01:49:22.594");
    EXPECT(advanced(&f, "2022-06-01T01:49:22.594Z"),
           "start 01 01:00 @ 01 01:49:22.594; mark 01 01:00; next 01 02:00 @ 01 02:02:39.204");
    f.cursor.mark = at("2022-06-01T02:00:00Z");
    EXPECT(accounted(&f, "2022-06-01T03:22:10Z", REASON_EDITED),
           "mark 01 02:00; next 01 03:00 @ 01 03:37:29.538");
    EXPECT(begun(&f, "2022-06-01T03:22:10Z"),
           "mark 01 02:59:59.999; next 01 03:00 @ 01 03:37:29.538");
    f.cursor.mark = f.a.mark;
    f.cursor.next_at = f.a.next_at;
    EXPECT(advanced(&f, "2022-06-01T03:37:29.538Z"),
           "start 01 03:00 @ 01 03:37:29.538; mark 01 03:00; next 01 04:00 @ 01 04:23:34.755");
}

static void scenario_55_pause_and_resume_inside_the_jitter_gap(void **state)
{
    (void)state;
    make_jittered_plan("2022-06-01T02:00:00Z");
    EXPECT(accounted(&f, "2022-06-01T03:30:00Z", REASON_PAUSED),
           "mark 01 02:00; next 01 03:00 @ 01 03:37:29.538");
    EXPECT(accounted(&f, "2022-06-01T03:38:00Z", REASON_PAUSED),
           "missed(paused) 01 03:00; mark 01 03:00; next 01 04:00 @ 01 04:23:34.755");
}

static void late_slots_do_not_include_one_that_is_not_yet_due(void **state)
{
    (void)state;
    make_jittered_plan("2022-06-01T00:00:00Z");
    EXPECT(advanced(&f, "2022-06-01T03:30:00Z"),
           "missed(coalesced) 01 01:00, start 01 02:00 @ 01 02:02:39.204; mark 01 02:00; "
           "next 01 03:00 @ 01 03:37:29.538");
}

static void an_edit_in_the_gap_does_not_bring_a_slot_back(void **state)
{
    (void)state;
    make_jittered_plan("2022-06-01T03:00:00Z");
    EXPECT(begun(&f, "2022-06-01T03:22:10Z"),
           "mark 01 03:22:10; next 01 04:00 @ 01 04:23:34.755");
}

static void scenario_4_a_schedule_that_is_made_in_the_gap_waits_for_its_first_slot(void **state)
{
    (void)state;
    make_jittered_plan("1970-01-01T00:00:00Z");
    f.plan.created = at("2022-06-01T03:22:10Z");
    EXPECT(begun(&f, "2022-06-01T03:22:10Z"),
           "mark 01 03:22:10; next 01 04:00 @ 01 04:23:34.755");
    make_cron_plan(&f, "0 * * * *", "1970-01-01T00:00:00Z");
    f.plan.created = at("2022-06-01T03:00:00Z");
    EXPECT(begun(&f, "2022-06-01T03:00:00Z"), "mark 01 03:00; next 01 04:00");
}

static void now_is_a_slot_of_a_new_schedule_and_of_no_edit_of_it(void **state)
{
    (void)state;
    begin_draft(&f.d, "UTC");
    f.d.at[f.d.def.at_count++] = INSTANT_NONE;
    make_plan(&f, "2022-06-01T03:00:00Z");
    f.plan.created = at("2022-06-01T03:00:00.250Z") + 17;
    prepare(&f, "2022-06-01T03:00:00Z")->now = f.plan.created;
    advance_begin(&f.a);
    EXPECT(result_text(&f), "mark 01 03:00:00.249; next 01 03:00:00.250");
    f.cursor.mark = f.a.mark;
    f.cursor.next_at = f.a.next_at;
    EXPECT(advanced(&f, "2022-06-01T03:00:01Z"),
           "start 01 03:00:00.250; mark 01 03:00:00.250; next never");
    f.cursor.mark = f.a.mark;
    EXPECT(begun(&f, "2022-06-01T03:00:02Z"), "mark 01 03:00:02; next never");
}

static void a_pick_is_started_and_the_grid_around_it_is_accounted_for(void **state)
{
    (void)state;
    make_cron_plan(&f, "0 * * * *", "2022-06-01T00:00:00Z");
    f.plan.is_governed = f.plan.follows = true;
    f.plan.policies.catchup_window = 0;
    f.cursor.next_at = at("2022-06-01T02:07:30Z");
    EXPECT(advanced(&f, "2022-06-01T02:07:29Z"), "mark 01 00:00; next 01 02:07:30");
    EXPECT(advanced(&f, "2022-06-01T05:00:00Z"),
           "skipped(governor) 01 01:00-01 02:00 x2, start 01 02:07:30; mark 01 02:07:30; "
           "next never");
    EXPECT(accounted(&f, "2022-06-01T02:07:29Z", REASON_PAUSED),
           "missed(paused) 01 01:00-01 02:00 x2; mark 01 02:00; next 01 02:07:30");
    EXPECT(accounted(&f, "2022-06-01T05:00:00Z", REASON_PAUSED),
           "missed(paused) 01 01:00-01 05:00 x6; mark 01 05:00; next never");
    EXPECT(begun(&f, "2022-06-01T05:00:00Z"), "mark 01 05:00; next never");
    f.cursor.next_at = INSTANT_NEVER; /* a run is open */
    EXPECT(advanced(&f, "2022-06-01T05:00:00Z"), "mark 01 00:00; next never");
    EXPECT(accounted(&f, "2022-06-01T02:00:00Z", REASON_PAUSED),
           "missed(paused) 01 01:00-01 02:00 x2; mark 01 02:00; next never");
    f.cursor.next_at = at("2022-06-01T02:00:00Z"); /* on the grid: one slot */
    EXPECT(advanced(&f, "2022-06-01T05:00:00Z"),
           "skipped(governor) 01 01:00, start 01 02:00; mark 01 02:00; next never");
}

static void an_interval_is_no_grid(void **state)
{
    (void)state;
    make_every_plan(&f, 10 * SPAN_MIN, ANCHOR_EPOCH, "2022-06-01T00:00:00Z");
    f.plan.is_governed = f.plan.follows = true;
    f.plan.governor_interval = 10 * SPAN_MIN;
    f.cursor.next_at = at("2022-06-01T02:07:30Z");
    EXPECT(advanced(&f, "2022-06-01T05:00:00Z"),
           "start 01 02:07:30; mark 01 02:07:30; next never");
    EXPECT(accounted(&f, "2022-06-01T02:00:00Z", REASON_PAUSED),
           "mark 01 00:00; next 01 02:07:30");
}

/* The times of an interval from the last end or start are picks, not grid times. */
static void times_that_count_from_runs_are_not_in_the_grid(void **state)
{
    (void)state;
    begin_draft(&f.d, "UTC");
    add_cron(&f.d, "0 * * * *", DIALECT_BELFRY);
    add_every(&f.d, 10 * SPAN_MIN, 0, ANCHOR_COMPLETION);
    add_every(&f.d, 7 * SPAN_MIN, 0, ANCHOR_START);
    make_plan(&f, "2022-06-01T00:00:00Z");
    f.plan.is_governed = f.plan.follows = true;
    f.cursor.last_end = at("2022-06-01T00:00:00Z");
    f.cursor.next_at = at("2022-06-01T02:07:30Z");
    EXPECT(advanced(&f, "2022-06-01T05:00:00Z"),
           "skipped(governor) 01 01:00-01 02:00 x2, start 01 02:07:30; mark 01 02:07:30; "
           "next never");
}

static void a_pick_can_be_cancelled_wait_or_be_dropped(void **state)
{
    (void)state;
    make_cron_plan(&f, "0 * * * *", "2022-06-01T00:00:00Z");
    f.plan.is_governed = f.plan.follows = true;
    f.cursor.next_at = at("2022-06-01T00:07:30Z");
    f.a.slots_max = 0;
    EXPECT(advanced(&f, "2022-06-01T01:00:00Z"), "mark 01 00:00; next 01 00:07:30");
    f.plan.policies.drop_when_full = true;
    EXPECT(advanced(&f, "2022-06-01T01:00:00Z"),
           "dropped(buffer) 01 00:07:30; mark 01 00:07:30; next never");
    except(&f, "2022-06-01T00:07:30Z");
    except(&f, "2022-06-01T01:00:00Z");
    EXPECT(advanced(&f, "2022-06-01T01:00:00Z"),
           "cancelled(user) 01 00:07:30; mark 01 00:07:30; next never");
    EXPECT(accounted(&f, "2022-06-01T02:00:00Z", REASON_EDITED),
           "cancelled(user) 01 00:07:30-01 01:00 x2, missed(edited) 01 02:00; mark 01 02:00; "
           "next never");
    f.cursor.remaining = 0;
    EXPECT(advanced(&f, "2022-06-01T01:00:00Z"), "mark 01 00:00; next never");
    EXPECT(accounted(&f, "2022-06-01T05:00:00Z", REASON_PAUSED), "mark 01 00:00; next never");
}

static void an_interval_from_the_last_start_does_not_drift(void **state)
{
    (void)state;
    make_every_plan(&f, 10 * SPAN_MIN, ANCHOR_START, "2022-06-01T00:05:00Z");
    f.cursor.last_slot = at("2022-06-01T00:05:00Z");
    f.cursor.last_start = at("2022-06-01T00:05:04Z");
    f.cursor.open = 1;
    EXPECT(advanced(&f, "2022-06-01T00:15:07Z"),
           "start 01 00:15; mark 01 00:15; next 01 00:25");
}

/* The run of 00:12, of another entry, waits; it counts as started before it starts. */
static void an_interval_from_the_last_start_counts_from_what_waits(void **state)
{
    (void)state;
    make_every_plan(&f, 10 * SPAN_MIN, ANCHOR_START, "2022-06-01T00:12:00Z");
    f.cursor.last_slot = at("2022-06-01T00:05:00Z");
    f.cursor.last_held = at("2022-06-01T00:12:00Z");
    f.cursor.open = f.cursor.waiting = 1;
    EXPECT(advanced(&f, "2022-06-01T00:15:00Z"), "mark 01 00:12; next 01 00:22");
    f.cursor.last_slot = at("2022-06-01T00:12:00Z");
    f.cursor.waiting = 0;
    EXPECT(advanced(&f, "2022-06-01T00:15:00Z"), "mark 01 00:12; next 01 00:22");
}

static void an_interval_from_completion_has_no_slot_while_a_run_is_open(void **state)
{
    (void)state;
    make_every_plan(&f, 10 * SPAN_MIN, ANCHOR_COMPLETION, "2022-06-01T00:05:00Z");
    f.cursor.last_slot = at("2022-06-01T00:05:00Z");
    f.cursor.last_end = at("2022-06-01T00:04:00Z");
    f.cursor.open = 1;
    EXPECT(advanced(&f, "2022-06-01T09:00:00Z"), "mark 01 00:05; next never");
    f.cursor.last_slot = INSTANT_NONE; /* the open run was triggered */
    EXPECT(advanced(&f, "2022-06-01T09:00:00Z"), "mark 01 00:05; next never");
    f.cursor.open = 0;
    f.cursor.last_slot = at("2022-06-01T00:05:00Z");
    f.cursor.last_end = at("2022-06-01T00:08:00Z");
    EXPECT(advanced(&f, "2022-06-01T00:18:00Z"),
           "start 01 00:18; mark 01 00:18; next 01 00:28");
}

static void an_end_before_its_start_does_not_mean_an_open_run(void **state)
{
    (void)state;
    make_every_plan(&f, 10 * SPAN_MIN, ANCHOR_COMPLETION, "2022-06-01T00:05:00Z");
    f.cursor.last_slot = at("2022-06-01T00:05:00Z");
    f.cursor.last_end = at("2022-06-01T00:04:00Z");
    EXPECT(advanced(&f, "2022-06-01T00:10:00Z"), "mark 01 00:05; next 01 00:15");
}

static void a_plan_that_follows_its_runs_lists_one_slot_at_a_time(void **state)
{
    (void)state;
    make_every_plan(&f, 10 * SPAN_MIN, ANCHOR_START, "2022-06-01T00:05:00Z");
    f.cursor.last_slot = at("2022-06-01T00:05:00Z");
    f.plan.policies.catchup = CATCHUP_ALL;
    f.plan.policies.drop_when_full = true;
    EXPECT(advanced(&f, "2022-06-01T00:40:00Z"),
           "start 01 00:15; mark 01 00:15; next 01 00:25");
}

static void scenario_39_backfill_bounds_are_inclusive(void **state)
{
    struct spec_ctx ctx;
    instant t = at("2022-05-31T19:17:00Z");

    (void)state;
    make_cron_plan(&f, "*/17 19 31 * *", "2022-06-01T00:00:00Z");
    ctx = advance_ctx(&f.plan, &f.cursor);
    assert_int_equal(backfill_slots(&f.plan, &ctx, t - 1, t, f.slots, 10), 1);
    assert_true(f.slots[0].at == t && f.slots[0].due == t);
    assert_int_equal(backfill_slots(&f.plan, &ctx, t, t + SPAN_MS, f.slots, 10), 0);
}

static void scenario_38_a_backfill_lists_its_slots_in_portions(void **state)
{
    instant from = at("2022-05-31T00:00:00Z"), until = at("2022-06-01T00:00:00Z");
    struct spec_ctx ctx;

    (void)state;
    make_cron_plan(&f, "*/17 19 31 * *", "2022-06-01T00:00:00Z");
    ctx = advance_ctx(&f.plan, &f.cursor);
    assert_int_equal(backfill_slots(&f.plan, &ctx, from - 1, until, f.slots, 3), 3);
    assert_true(f.slots[0].at == at("2022-05-31T19:00:00Z"));
    assert_true(f.slots[2].at == at("2022-05-31T19:34:00Z"));
    assert_int_equal(backfill_slots(&f.plan, &ctx, f.slots[2].at, until, f.slots, 3), 1);
    assert_true(f.slots[0].at == at("2022-05-31T19:51:00Z"));
}

static void ten_years_of_missed_seconds_are_one_account(void **state)
{
    (void)state;
    make_cron_plan(&f, "* * * * * *", "2012-01-01T00:00:00Z");
    /* 3,653 days: ten years with the leap days of 2012, 2016 and 2020. */
    EXPECT(accounted(&f, "2022-01-01T00:00:00Z", REASON_PAUSED),
           "missed(paused) 01 00:00:01-01 00:00 x315619200; mark 01 00:00; next 01 00:00:01");
    EXPECT(advanced(&f, "2022-01-01T00:00:00Z"),
           "missed(coalesced) 01 00:00:01-31 23:59:59 x315619199, start 01 00:00; "
           "mark 01 00:00; next 01 00:00:01");
}

static void ten_years_of_seconds_with_exclusions_are_one_account(void **state)
{
    struct calendar_text nights = whole_days();

    (void)state;
    begin_draft(&f.d, "Europe/London");
    add_cron(&f.d, "* * * * * *", DIALECT_BELFRY);
    nights.hour = STR("2-23");
    exclude(&f.d, nights);
    f.d.not_dates[f.d.def.not_date_count++] = date(2012, 7, 1);
    make_plan(&f, "2012-01-01T00:00:00Z");
    /*
     * The hours 0 and 1 of 3,652 days.  The hour from 1 to 2 is missing ten times and occurs
     * twice ten times.  Midnight is the mark at one end and is counted at the other.
     */
    EXPECT(accounted(&f, "2022-01-01T00:00:00Z", REASON_PAUSED),
           "missed(paused) 01 00:00:01-01 00:00 x26294400; mark 01 00:00; next 01 00:00:01");
}

static void slots_that_must_be_counted_singly_take_several_calls(void **state)
{
    int64_t count = 0;
    int calls = 0;

    (void)state;
    begin_draft(&f.d, "UTC");
    add_cron(&f.d, "* * * * * *", DIALECT_BELFRY);
    f.d.not_dates[f.d.def.not_date_count++] = date(2022, 6, 2);
    f.d.def.shift = SHIFT_NEXT;
    make_plan(&f, "2022-06-01T00:00:00Z");
    do {
        advance_account_due(prepare(&f, "2022-06-04T00:00:00Z"), OUTCOME_MISSED, REASON_PAUSED);
        assert_int_equal(f.a.account_count, 1);
        count += f.a.accounts[0].count;
        f.cursor.mark = f.a.mark;
        calls++;
    } while (f.a.next_due <= f.a.now && calls < 100);
    /* The slots of the second day coincide with those of the third: two days remain. */
    assert_int_equal(count, 2 * 86400);
    assert_true(calls > 1);
    assert_true(f.a.mark == at("2022-06-04T00:00:00Z"));
}

static void advance_it(void *arg)
{
    advance(arg);
}

static void account_with_an_invalid_reason(void *arg)
{
    advance_account_due(arg, OUTCOME_MISSED, REASON_BUFFER);
}

static void a_broken_contract_aborts(void **state)
{
    (void)state;
    make_every_plan(&f, SPAN_MIN, ANCHOR_START, "2022-06-01T00:00:00Z");
    assert_false(aborts(advance_it, prepare(&f, "2022-06-01T00:05:00Z")));
    assert_true(aborts(account_with_an_invalid_reason, &f.a));
    f.plan.follows = false; /* several slots would start, though each start moves the next */
    assert_true(aborts(advance_it, &f.a));
}

/* All calls on a cursor that may hold any numbers: none of them may end the process. */
static void use_cursor(bool is_governed, instant mark, instant next_at)
{
    f.plan.is_governed = f.plan.follows = is_governed;
    f.cursor.mark = mark;
    f.cursor.next_at = next_at;
    advance(prepare(&f, "2022-06-01T00:05:00Z"));
    assert_true(is_governed || f.a.mark >= mark);
    advance_account_due(prepare(&f, "2022-06-01T00:05:00Z"), OUTCOME_MISSED, REASON_PAUSED);
    assert_true(is_governed || f.a.mark >= mark);
    advance_begin(prepare(&f, "2022-06-01T00:05:00Z"));
    assert_true(f.a.mark >= mark);
}

static void a_damaged_cursor_does_not_abort(void **state)
{
    static const instant odd[] = {INSTANT_NONE,
                                  INSTANT_MIN - 1,
                                  INSTANT_MIN,
                                  -1,
                                  0,
                                  INT64_C(1654041900000001),
                                  INSTANT_MAX,
                                  INSTANT_MAX + 1,
                                  INSTANT_NEVER - 1,
                                  INSTANT_NEVER};
    size_t count = sizeof odd / sizeof *odd;

    (void)state;
    begin_draft(&f.d, "UTC");
    add_cron(&f.d, "*/2 * * * *", DIALECT_BELFRY);
    f.d.def.start = at("2022-06-01T00:00:00Z"); /* so that few slots are to be counted */
    make_plan(&f, "2022-06-01T00:00:00Z");
    except(&f, "2022-06-01T00:04:00Z");
    except(&f, "2022-06-01T00:04:00Z"); /* twice, and not in order */
    except(&f, "2022-06-01T00:02:00Z");
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++)
            for (int remaining = -2; remaining <= 1; remaining++) {
                f.cursor.remaining = remaining;
                use_cursor(false, odd[i], odd[k]);
                use_cursor(true, odd[i], odd[k]);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_broken_contract_aborts),
        cmocka_unit_test(a_damaged_cursor_does_not_abort),
        cmocka_unit_test(a_due_slot_is_listed_and_the_next_one_named),
        cmocka_unit_test(the_last_slot_has_no_next),
        cmocka_unit_test(a_clock_that_went_back_before_the_mark_changes_nothing),
        cmocka_unit_test(a_cursor_without_a_next_slot_is_used_and_a_stale_one_is_not),
        cmocka_unit_test(without_remaining_runs_there_are_no_slots),
        cmocka_unit_test(scenario_22_downtime_while_paused),
        cmocka_unit_test(scenario_26_pause_window),
        cmocka_unit_test(scenario_52_update_is_not_retroactive),
        cmocka_unit_test(scenario_53_update_between_nominal_and_jittered_time),
        cmocka_unit_test(scenario_55_pause_and_resume_inside_the_jitter_gap),
        cmocka_unit_test(late_slots_do_not_include_one_that_is_not_yet_due),
        cmocka_unit_test(an_edit_in_the_gap_does_not_bring_a_slot_back),
        cmocka_unit_test(
            scenario_4_a_schedule_that_is_made_in_the_gap_waits_for_its_first_slot),
        cmocka_unit_test(now_is_a_slot_of_a_new_schedule_and_of_no_edit_of_it),
        cmocka_unit_test(a_pick_is_started_and_the_grid_around_it_is_accounted_for),
        cmocka_unit_test(an_interval_is_no_grid),
        cmocka_unit_test(times_that_count_from_runs_are_not_in_the_grid),
        cmocka_unit_test(a_pick_can_be_cancelled_wait_or_be_dropped),
        cmocka_unit_test(an_interval_from_the_last_start_does_not_drift),
        cmocka_unit_test(an_interval_from_the_last_start_counts_from_what_waits),
        cmocka_unit_test(an_interval_from_completion_has_no_slot_while_a_run_is_open),
        cmocka_unit_test(an_end_before_its_start_does_not_mean_an_open_run),
        cmocka_unit_test(a_plan_that_follows_its_runs_lists_one_slot_at_a_time),
        cmocka_unit_test(scenario_39_backfill_bounds_are_inclusive),
        cmocka_unit_test(scenario_38_a_backfill_lists_its_slots_in_portions),
        cmocka_unit_test(ten_years_of_missed_seconds_are_one_account),
        cmocka_unit_test(ten_years_of_seconds_with_exclusions_are_one_account),
        cmocka_unit_test(slots_that_must_be_counted_singly_take_several_calls),
    };

    return cmocka_run_group_tests(tests, start_arena, end_arena);
}
