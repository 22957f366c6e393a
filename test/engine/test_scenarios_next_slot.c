/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intervals that count from the start or the end of a run: docs/semantics.md [T-40], [T-52],
 * [T-61] and [P-16], docs/decisions/0045.
 */
#include "harness.h"

static struct test_schedule anchored(span length, enum anchor anchor)
{
    struct test_schedule w = every(length);

    w.def.intervals[0].anchor = anchor;
    return w;
}

static void an_interval_from_the_start_does_not_drift(void **state)
{
    (void)state;
    down_to("00:03");
    ends("00:13", "00:17", OUTCOME_SUCCEEDED);
    create("job", anchored(10 * SPAN_MIN, ANCHOR_START));
    run_to("00:34");
    assert_calls("00:13@00:13, 00:23@00:23, 00:33@00:33");
}

static void an_interval_from_completion_waits_for_the_end(void **state)
{
    (void)state;
    down_to("00:03");
    ends("00:13", "00:20", OUTCOME_SUCCEEDED);
    create("job", anchored(10 * SPAN_MIN, ANCHOR_COMPLETION));
    run_to("00:19");
    assert_at(cursor_of("job").next_at, "never");
    run_to("00:41");
    assert_calls("00:13@00:13, 00:30@00:30, 00:40@00:40");
}

/*
 * On the hour, and twenty minutes after each end, with a jitter of an hour.  In scenario 53,
 * where the next slot is an hour away, jitter delays 04:00 to 04:23:34.755; the same share of
 * twenty minutes is 04:07:51.585.
 */
static struct test_schedule spread_and_anchored(enum overlap overlap)
{
    struct test_schedule w = overlapping(no_slots(), overlap);

    w.def.intervals = arena_array(world.arena, 2, sizeof *w.def.intervals);
    w.def.intervals[0] = (struct interval_def){.every = SPAN_H, .anchor = ANCHOR_EPOCH};
    w.def.intervals[1] = (struct interval_def){.every = 20 * SPAN_MIN,
                                               .anchor = ANCHOR_COMPLETION};
    w.def.interval_count = 2;
    w.def.jitter = SPAN_H;
    return w;
}

/* A triggered run that is open at 04:00. */
static struct call *open_before_four(enum overlap overlap)
{
    world.call_length = INSTANT_NEVER;
    down_to("03:50");
    create("job", spread_and_anchored(overlap));
    trigger("job", OVERLAP_DEFAULT);
    assert_calls("t03:50@03:50");
    assert_at(cursor_of("job").next_at, "04:00");
    assert_at(cursor_of("job").wake_at, "04:07:51.585");
    return call_of("03:50");
}

static void the_due_time_stays_when_a_run_ends_after_the_slot(void **state)
{
    struct call *call = open_before_four(OVERLAP_SKIP);

    (void)state;
    run_to("04:05");
    end_now(call, OUTCOME_SUCCEEDED);
    assert_at(cursor_of("job").next_at, "04:00");
    assert_at(cursor_of("job").wake_at, "04:07:51.585");
    run_to("04:10");
    assert_calls("04:00@04:07:51.585");
    assert_at(call_of("04:00")->work.run.due, "04:07:51.585");
}

/* An end at 04:20 makes 04:40 the next slot; jitter as a share of that would be in the past. */
static void an_end_between_slots_does_not_make_the_earlier_slot_late(void **state)
{
    struct call *call = open_before_four(OVERLAP_ALLOW_ALL);

    (void)state;
    run_to("04:20");
    end_now(call, OUTCOME_SUCCEEDED);
    run_to("04:30");
    assert_calls("04:00@04:07:51.585");
    assert_at(call_of("04:00")->work.run.due, "04:07:51.585");
}

/* 04:00 is not due yet and may move earlier, because the slot after the end is nearer. */
static void an_end_before_the_slot_shortens_its_jitter(void **state)
{
    struct call *call = open_before_four(OVERLAP_SKIP);

    (void)state;
    run_to("03:55");
    end_now(call, OUTCOME_SUCCEEDED);
    /* The next slot is 04:15: the jitter is 0.39299 of fifteen minutes. */
    assert_at(cursor_of("job").wake_at, "04:05:53.688");
    run_to("04:10");
    assert_calls("04:00@04:05:53.688");
}

/* The edit gives 04:00; the end later in the same turn gives an earlier time. */
static void after_an_edit_and_an_end_in_one_turn_the_end_sets_the_next_slot(void **state)
{
    struct command commands[] = {command_for(COMMAND_UPDATE, "job"),
                                 command_for(COMMAND_CANCEL, "")};
    struct test_schedule w = pulled(spread_and_anchored(OVERLAP_SKIP));
    enum rc rc[2];

    (void)state;
    w.def.jitter = 0;
    down_to("03:10");
    create("job", w);
    commands[0].save.draft = draft_of(&w);
    commands[1].run.id = trigger("job", OVERLAP_DEFAULT);
    commands[1].schedule = commands[1].run.id.schedule;
    assert_at(cursor_of("job").next_at, "04:00");
    submit_together(commands, 2, rc);
    assert_int_equal(rc[0], RC_OK);
    assert_int_equal(rc[1], RC_OK);
    assert_at(cursor_of("job").next_at, "03:30");
    assert_at(cursor_of("job").wake_at, "03:30");
}

/*
 * Twenty minutes after each end, first after the creation at 03:40, with a jitter of an hour:
 * 04:00 is due at 04:07:51.585.
 */
static struct test_schedule spread_from_ends(enum overlap overlap)
{
    struct test_schedule w = overlapping(anchored(20 * SPAN_MIN, ANCHOR_COMPLETION), overlap);

    w.def.jitter = SPAN_H;
    return w;
}

/* It is 04:03, no run is open, and the slot of 04:00 is due at 04:07:51.585. */
static void wait_for_four(enum overlap overlap)
{
    world.call_length = INSTANT_NEVER;
    down_to("03:40");
    create("job", spread_from_ends(overlap));
    assert_at(cursor_of("job").next_at, "04:00");
    assert_at(cursor_of("job").wake_at, "04:07:51.585");
    run_to("04:03");
    assert_calls("");
}

static void a_trigger_does_not_remove_a_slot_whose_time_has_come(void **state)
{
    (void)state;
    wait_for_four(OVERLAP_SKIP);
    trigger("job", OVERLAP_DEFAULT);
    assert_at(cursor_of("job").next_at, "04:00");
    assert_at(cursor_of("job").wake_at, "04:07:51.585");
    run_to("04:10");
    assert_calls("t04:03@04:03");
    assert_ledger("job", "skipped(overlap) 04:00");
    assert_at(cursor_of("job").next_at, "never");
    end_now(call_of("04:03"), OUTCOME_SUCCEEDED);
    assert_at(cursor_of("job").next_at, "04:30");
    assert_counts("job", "started 1, skipped 1");
}

static void a_slot_starts_after_a_triggered_run_has_ended(void **state)
{
    (void)state;
    wait_for_four(OVERLAP_SKIP);
    trigger("job", OVERLAP_DEFAULT);
    run_to("04:05");
    end_now(call_of("04:03"), OUTCOME_SUCCEEDED);
    assert_at(cursor_of("job").next_at, "04:00");
    assert_at(cursor_of("job").wake_at, "04:07:51.585");
    run_to("04:10");
    assert_calls("t04:03@04:03, 04:00@04:07:51.585");
    end_now(call_of("04:00"), OUTCOME_SUCCEEDED);
    assert_at(cursor_of("job").next_at, "04:30");
    assert_counts("job", "started 2");
}

/* A slot in the future moves: 04:00 to twenty minutes after the end. */
static void a_trigger_moves_a_slot_whose_time_has_not_come(void **state)
{
    (void)state;
    world.call_length = 2 * SPAN_MIN;
    down_to("03:40");
    create("job", spread_from_ends(OVERLAP_SKIP));
    run_to("03:59:59.999");
    trigger("job", OVERLAP_DEFAULT);
    assert_at(cursor_of("job").next_at, "never");
    run_to("04:03");
    assert_at(cursor_of("job").next_at, "04:21:59.999");
    assert_counts("job", "started 1");
}

static void an_edit_during_a_triggered_run_keeps_the_waiting_slot(void **state)
{
    (void)state;
    wait_for_four(OVERLAP_SKIP);
    trigger("job", OVERLAP_DEFAULT);
    run_to("04:04");
    assert_int_equal(update("job", 1, spread_from_ends(OVERLAP_BUFFER_ALL)).rc, RC_OK);
    assert_at(cursor_of("job").next_at, "04:00");
    assert_at(cursor_of("job").wake_at, "04:07:51.585");
    run_to("04:10");
    end_now(call_of("04:03"), OUTCOME_SUCCEEDED);
    assert_calls("t04:03@04:03, 04:00@04:10");
}

/* The slot is 04:00; the backfill has its own run of 04:00. */
static void a_backfill_does_not_remove_a_slot_whose_time_has_come(void **state)
{
    (void)state;
    wait_for_four(OVERLAP_ALLOW_ALL);
    assert_int_equal(backfill("job", "03:45", "04:02", OVERLAP_ALLOW_ALL).rc, RC_OK);
    run_to("04:10");
    assert_calls("b04:00@04:03, 04:00@04:07:51.585");
    assert_counts("job", "started 2, open 2, backfills 1");
}

/*
 * 04:00 and 04:20 pass in the pause, a triggered run lasts from 04:30 to 04:35, 04:55 passes,
 * too.
 */
static void slots_of_a_pause_are_missed_although_a_trigger_ran_in_it(void **state)
{
    (void)state;
    world.call_length = 5 * SPAN_MIN;
    down_to("03:40");
    create("job", anchored(20 * SPAN_MIN, ANCHOR_COMPLETION));
    pause_it("job", "");
    run_to("04:30");
    trigger("job", OVERLAP_DEFAULT);
    run_to("05:00");
    resume("job");
    assert_calls("t04:30@04:30");
    /* Two rows: the first was closed so that it could be counted. */
    assert_ledger("job", "missed(paused) 04:00-04:20 x2, missed(paused) 04:55");
    assert_at(cursor_of("job").next_at, "05:15");
}

/* With rows = 0 a turn does not scan for due cursors. */
static void overdue_slots_are_decided_before_a_trigger(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    down_to("03:40");
    create("job", anchored(20 * SPAN_MIN, ANCHOR_COMPLETION));
    world.rows = 0;
    down_to("04:30");
    trigger("job", OVERLAP_DEFAULT);
    assert_calls("t04:30@04:30");
    assert_ledger("job", "missed(coalesced) 04:00, skipped(overlap) 04:20");
    assert_counts("job", "started 1, skipped 1, missed 1, open 1");
}

/* A turn with `hold`: the overdue slot must wait, and stays the next one. */
static void a_trigger_in_a_turn_with_hold_keeps_the_overdue_slot(void **state)
{
    struct command command = command_for(COMMAND_TRIGGER, "job");
    struct turn_in in = {.rows = TURN_ROWS_MAX, .hold = true, .command_count = 1};
    struct turn_out out;
    struct err err;

    (void)state;
    world.call_length = INSTANT_NEVER;
    down_to("03:40");
    create("job", anchored(20 * SPAN_MIN, ANCHOR_COMPLETION));
    in.now = world.now = when("04:10");
    command.schedule = cursor_of("job").id;
    in.commands = &command;
    assert_int_equal(engine_turn(world.nodes[0].engine, &in, &out, &err), RC_OK);
    world.nodes[0].last_event += out.event_count;
    assert_int_equal(cursor_of("job").open, 1);
    assert_at(cursor_of("job").next_at, "04:00");
    settle();
    assert_ledger("job", "skipped(overlap) 04:00");
}

/*
 * 04:00 waits for the triggered run of 03:50, and still waits in the pause.  Twenty minutes
 * after the end, 04:31 becomes a slot before another run opens; it is not due yet.
 */
static void a_run_that_waited_during_a_pause_does_not_remove_a_slot(void **state)
{
    struct test_schedule w = spread_and_anchored(OVERLAP_BUFFER_ALL);

    (void)state;
    w.draft.plan.policies.catchup_paused = true;
    world.call_length = INSTANT_NEVER;
    down_to("03:50");
    create("job", w);
    trigger("job", OVERLAP_DEFAULT);
    run_to("04:10");
    pause_it("job", "");
    run_to("04:11");
    end_now(call_of("03:50"), OUTCOME_SUCCEEDED);
    run_to("04:31:01");
    resume("job");
    assert_calls("t03:50@03:50, 04:00@04:31:01");
    assert_at(cursor_of("job").next_at, "04:31");
    run_to("04:52");
    end_now(call_of("04:00"), OUTCOME_SUCCEEDED);
    assert_calls("04:31@04:52");
}

/* The governor gives one slot at a time: 04:00, twenty minutes after the creation. */
static void an_overdue_governed_slot_is_decided_before_a_trigger(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    down_to("03:40");
    create("job", governed(20 * SPAN_MIN));
    world.rows = 0;
    down_to("04:10");
    trigger("job", OVERLAP_DEFAULT);
    assert_calls("t04:10@04:10");
    assert_ledger("job", "skipped(overlap) 04:00");
}

/* Both commands are in one turn, which does not scan for due cursors. */
static void a_trigger_and_a_delete_in_one_turn_remove_no_slot(void **state)
{
    struct command commands[] = {command_for(COMMAND_TRIGGER, "job"),
                                 command_for(COMMAND_DELETE, "job")};
    enum rc rc[2];

    (void)state;
    world.call_length = INSTANT_NEVER;
    down_to("03:40");
    create("job", pulled(anchored(20 * SPAN_MIN, ANCHOR_COMPLETION)));
    commands[0].schedule = commands[1].schedule = cursor_of("job").id;
    world.rows = 0;
    down_to("04:30");
    submit_together(commands, 2, rc);
    assert_int_equal(rc[0], RC_OK);
    assert_int_equal(rc[1], RC_OK);
    assert_int_equal(world.events[EVENT_SLOT_DROPPED], 1);
    assert_at(world.last_event[EVENT_SLOT_DROPPED].slot, "04:00");
    assert_int_equal(world.last_event[EVENT_SLOT_DROPPED].count, 2);
}

/* On the hour, and 25 minutes after each start. */
static struct test_schedule hourly_and_from_starts(enum overlap overlap)
{
    struct test_schedule w = overlapping(no_slots(), overlap);

    w.def.intervals = arena_array(world.arena, 2, sizeof *w.def.intervals);
    w.def.intervals[0] = (struct interval_def){.every = SPAN_H, .anchor = ANCHOR_EPOCH};
    w.def.intervals[1] = (struct interval_def){.every = 25 * SPAN_MIN, .anchor = ANCHOR_START};
    w.def.interval_count = 2;
    return w;
}

/*
 * 01:00 waits for the end of 00:55, at 01:26.  The slot after it counts from 01:00 as soon as
 * it waits, so its start does not change 01:25.
 */
static void the_start_of_a_waiting_run_does_not_move_the_next_slot(void **state)
{
    (void)state;
    down_to("00:30");
    ends("00:55", "01:26", OUTCOME_SUCCEEDED);
    ends("01:00", "01:30", OUTCOME_SUCCEEDED);
    create("job", hourly_and_from_starts(OVERLAP_BUFFER_ONE));
    run_to("01:10");
    assert_calls("00:55@00:55");
    assert_at(cursor_of("job").next_at, "01:25");
    run_to("01:25:30");
    assert_ledger("job", "skipped(overlap) 01:25");
    assert_at(cursor_of("job").next_at, "01:50");
    run_to("01:27");
    assert_calls("01:00@01:26");
    assert_at(cursor_of("job").next_at, "01:50");
    assert_at(cursor_of("job").wake_at, "01:50");
    run_to("02:16");
    assert_calls("01:50@01:50, 02:00@02:00");
    assert_ledger("job", "skipped(overlap) 01:25");
    assert_counts("job", "started 4, skipped 1");
}

/* 01:00, 01:25 and 01:50 wait; each counts from the slot before, started or not. */
static void the_next_slot_counts_from_the_last_waiting_slot(void **state)
{
    (void)state;
    down_to("00:30");
    ends("00:55", "02:05", OUTCOME_SUCCEEDED);
    create("job", hourly_and_from_starts(OVERLAP_BUFFER_ALL));
    run_to("02:04");
    assert_calls("00:55@00:55");
    assert_at(cursor_of("job").next_at, "02:25");
    run_to("02:24");
    assert_calls("01:00@02:05, 01:25@02:05, 01:50@02:05, 02:00@02:05");
    assert_at(cursor_of("job").next_at, "02:25");
    assert_counts("job", "started 5");
}

/* At 01:36 the slot 01:00 has waited too long; slots that count from it stay. */
static void the_next_slot_counts_from_a_waiting_slot_that_was_missed(void **state)
{
    struct test_schedule w = hourly_and_from_starts(OVERLAP_BUFFER_ONE);

    (void)state;
    w.draft.plan.policies.catchup_window = 30 * SPAN_MIN;
    down_to("00:30");
    ends("00:55", "01:36", OUTCOME_SUCCEEDED);
    create("job", w);
    run_to("01:51");
    assert_calls("00:55@00:55, 01:50@01:50");
    assert_counts("job", "started 2, skipped 1, missed 1");
}

/*
 * 30 hours after each end; if that day is not free, on the last free day before it.  1 June
 * 2022 is day 19144; 4 and 5 June are not free.  30 hours after 3 June, 14:00, is 4 June,
 * 20:00, but 3 June has had its run; 60 hours after is 6 June, 02:00.
 */
static void a_slot_after_an_end_is_not_moved_before_it_or_to_its_day(void **state)
{
    static int32_t days[] = {19147, 19148};
    struct test_schedule w = anchored(30 * SPAN_H, ANCHOR_COMPLETION);

    (void)state;
    w.def.not_dates = days;
    w.def.not_date_count = 2;
    w.def.shift = SHIFT_PREVIOUS;
    world.call_length = SPAN_H;
    create("job", w);
    run_to("06-03 23:00");
    assert_calls("06-02 06:00@06-02 06:00, 06-03 13:00@06-03 13:00");
    assert_at(cursor_of("job").next_at, "06-06 02:00");
    run_to("06-06 03:00");
    assert_calls("06-06 02:00@06-06 02:00");
    assert_counts("job", "started 3");
}

/* 4 June, two days after 2 June, is a day of the calendar, and so is 5 June; 3 June is free. */
static void a_slot_after_an_end_is_moved_to_a_day_between(void **state)
{
    static const int32_t days[] = {19147, 19148};
    struct command command = command_for(COMMAND_CALENDAR, "holidays");
    struct str name = STR("holidays");
    struct test_schedule w = anchored(2 * SPAN_DAY, ANCHOR_COMPLETION);

    (void)state;
    command.days = (struct str){(const char *)days, sizeof days};
    assert_int_equal(submit(&command).rc, RC_OK);
    w.def.not_named = &name;
    w.def.not_named_count = 1;
    w.def.shift = SHIFT_PREVIOUS;
    world.call_length = SPAN_H;
    down_to("06-02 10:00");
    create("job", w);
    assert_at(cursor_of("job").next_at, "06-03 10:00");
    run_to("06-03 11:00");
    assert_calls("06-03 10:00@06-03 10:00");
    /* 5 June, two days after 3 June, is excluded; the next slot is 7 June. */
    assert_at(cursor_of("job").next_at, "06-07 11:00");
}

/* Days 19144 and 19145 are 1 and 2 June: both are freed, and then excluded again. */
static void a_calendar_edit_takes_effect_at_once_for_anchored_intervals(void **state)
{
    static const int32_t days[] = {19144, 19145};
    struct command command = command_for(COMMAND_CALENDAR, "freeze");
    struct str name = STR("freeze");
    struct test_schedule w = anchored(20 * SPAN_MIN, ANCHOR_COMPLETION);

    (void)state;
    command.days = (struct str){(const char *)days, sizeof days};
    assert_int_equal(submit(&command).rc, RC_OK);
    w.def.not_named = &name;
    w.def.not_named_count = 1;
    down_to("03:40");
    create("job", w);
    assert_at(cursor_of("job").next_at, "06-03 00:00");
    run_to("04:10");
    command.days.len = sizeof *days;
    command.days.ptr = (const char *)&days[1];
    assert_int_equal(submit(&command).rc, RC_OK);
    run_to("04:15");
    assert_at(cursor_of("job").next_at, "04:20");
    assert_at(cursor_of("job").wake_at, "04:20");
    command.days = (struct str){(const char *)days, sizeof days};
    assert_int_equal(submit(&command).rc, RC_OK);
    run_to("04:30");
    assert_calls("");
    assert_at(cursor_of("job").next_at, "06-03 00:00");
    assert_ledger("job", "");
}

/* On the hour in a zone that gets lost later, and twenty minutes after each end. */
static struct test_schedule of_a_zone(void)
{
    struct test_schedule w = spread_and_anchored(OVERLAP_SKIP);

    w.def.jitter = 0;
    w.def.zone = STR("Europe/Berlin");
    w.def.window = (struct window_def){.is_set = true, .from = 0, .to = 86399};
    return w;
}

/* The run of 04:00 ends at 04:05, when its plan is not available; 04:25 follows once it is. */
static void the_next_slot_is_computed_when_a_missing_zone_is_back(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    down_to("03:50");
    create("job", of_a_zone());
    run_to("04:00");
    world.changed_zone = "Europe/Berlin";
    run_to("04:05");
    end_now(call_of("04:00"), OUTCOME_SUCCEEDED);
    run_to("04:20");
    assert_calls("04:00@04:00");
    assert_int_equal(cursor_of("job").open, 0);
    world.changed_zone = NULL;
    run_to("04:26");
    assert_calls("04:25@04:25");
}

static void a_delete_without_a_zone_ends_waiting_runs(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    down_to("03:50");
    create("job", pulled(of_a_zone()));
    trigger("job", OVERLAP_DEFAULT);
    trigger("job", OVERLAP_BUFFER_ALL);
    world.changed_zone = "Europe/Berlin";
    run_to("03:55");
    (void)submit_ok(COMMAND_DELETE, "job");
    settle();
    assert_calls("");
    assert_int_equal(world.events[EVENT_RUN_CANCELLED], 1);
    assert_int_equal(world.events[EVENT_SLOT_DROPPED], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(an_interval_from_the_start_does_not_drift),
        TIMELINE(an_interval_from_completion_waits_for_the_end),
        TIMELINE(the_due_time_stays_when_a_run_ends_after_the_slot),
        TIMELINE(an_end_between_slots_does_not_make_the_earlier_slot_late),
        TIMELINE(an_end_before_the_slot_shortens_its_jitter),
        TIMELINE(after_an_edit_and_an_end_in_one_turn_the_end_sets_the_next_slot),
        TIMELINE(a_trigger_does_not_remove_a_slot_whose_time_has_come),
        TIMELINE(a_slot_starts_after_a_triggered_run_has_ended),
        TIMELINE(a_trigger_moves_a_slot_whose_time_has_not_come),
        TIMELINE(an_edit_during_a_triggered_run_keeps_the_waiting_slot),
        TIMELINE(a_backfill_does_not_remove_a_slot_whose_time_has_come),
        TIMELINE(slots_of_a_pause_are_missed_although_a_trigger_ran_in_it),
        TIMELINE(overdue_slots_are_decided_before_a_trigger),
        TIMELINE(a_trigger_in_a_turn_with_hold_keeps_the_overdue_slot),
        TIMELINE(a_run_that_waited_during_a_pause_does_not_remove_a_slot),
        TIMELINE(an_overdue_governed_slot_is_decided_before_a_trigger),
        TIMELINE(a_trigger_and_a_delete_in_one_turn_remove_no_slot),
        TIMELINE(the_start_of_a_waiting_run_does_not_move_the_next_slot),
        TIMELINE(the_next_slot_counts_from_the_last_waiting_slot),
        TIMELINE(the_next_slot_counts_from_a_waiting_slot_that_was_missed),
        TIMELINE(a_slot_after_an_end_is_not_moved_before_it_or_to_its_day),
        TIMELINE(a_slot_after_an_end_is_moved_to_a_day_between),
        TIMELINE(the_next_slot_is_computed_when_a_missing_zone_is_back),
        TIMELINE(a_delete_without_a_zone_ends_waiting_runs),
        TIMELINE(a_calendar_edit_takes_effect_at_once_for_anchored_intervals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
