/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Combinations of policies that no numbered scenario covers.  docs/semantics.md and the headers
 * of the engine define the results.  test_scenarios_holders.c tests runs and their holders.
 */
#include "harness.h"

static void now_is_one_run_at_creation(void **state)
{
    struct test_schedule w = no_slots();
    instant now = INSTANT_NONE;

    (void)state;
    down_to("00:03");
    w.def.at = &now;
    w.def.at_count = 1;
    create("job", w);
    assert_calls("00:03@00:03");
    run_to("00:30");
    assert_calls("");
    assert_counts("job", "started 1");
}

/* The seconds of 3,653 days; the last one is the late run. */
static void ten_years_of_missed_seconds_are_one_row(void **state)
{
    (void)state;
    create("job", every(SPAN_S));
    down_to("2032-06-01T00:00:00Z");
    assert_calls("2032-06-01 00:00@2032-06-01 00:00");
    assert_ledger("job", "missed(coalesced) 00:00:01-2032-05-31 23:59:59 x315619199");
    assert_counts("job", "started 1, missed 315619199");
}

static void mode_none_has_a_grace_of_thirty_seconds(void **state)
{
    struct test_schedule w = every(SPAN_MIN);

    (void)state;
    w.draft.plan.policies.catchup = CATCHUP_NONE;
    create("job", w);
    down_to("00:01:30");
    assert_calls("00:01@00:01:30");
    down_to("00:02:30.001");
    assert_calls("");
    assert_ledger("job", "missed(window) 00:02");
}

static void after_a_clock_jump_the_operator_can_skip_the_slots(void **state)
{
    struct command command = command_for(COMMAND_CLOCK, "");

    (void)state;
    create("job", every(SPAN_MIN));
    world.now = when("00:05:30");
    assert_int_equal(submit(&command).rc, RC_OK);
    run_to("00:06");
    assert_calls("00:06@00:06");
    assert_ledger("job", "missed(clock) 00:01-00:05 x5");
}

static void put_calendar(int32_t first, int32_t second)
{
    const int32_t days[] = {first, second};
    struct command command = command_for(COMMAND_CALENDAR, "holidays");

    command.days = (struct str){(const char *)days, sizeof days};
    assert_int_equal(submit(&command).rc, RC_OK);
}

/* Days are counted from 1970; 2022-06-01 is 19144. */
static void edits_of_a_named_calendar_take_effect_at_once(void **state)
{
    struct str name = STR("holidays");
    struct test_schedule w = every(SPAN_DAY);

    (void)state;
    put_calendar(19145, 19150);
    w.def.not_named = &name;
    w.def.not_named_count = 1;
    create("job", w);
    run_to("06-03 12:00");
    assert_calls("06-03 00:00@06-03 00:00");
    assert_int_equal(cursor_of("job").next_at, when("06-04 00:00"));
    put_calendar(19147, 19150);
    run_to("06-05 12:00");
    assert_calls("06-05 00:00@06-05 00:00");
    put_calendar(19150, 19151);
    run_to("06-06 12:00");
    assert_calls("06-06 00:00@06-06 00:00");
    assert_counts("job", "started 3");
    assert_ledger("job", "");
}

/* It has no next slot, also if calendars or zones change. */
static void an_archived_schedule_is_not_planned_again(void **state)
{
    (void)state;
    create("job", every(SPAN_DAY));
    assert_int_equal(submit_ok(COMMAND_CLOSE, "job").rc, RC_OK);
    put_calendar(19145, 19150);
    run_to("12:00");
    assert_int_equal(cursor_of("job").next_at, INSTANT_NEVER);
}

/* The edit is committed, and the node dies before it has planned any schedule again. */
static void a_calendar_edit_takes_effect_although_the_node_dies(void **state)
{
    static const int32_t days[] = {19146, 19150};
    struct str name = STR("holidays");
    struct command command = command_for(COMMAND_CALENDAR, "holidays");
    struct turn_in in = {.commands = &command, .command_count = 1};
    struct test_schedule w = every(SPAN_DAY);
    struct turn_out out;
    struct err err;

    (void)state;
    put_calendar(19145, 19146);
    w.def.not_named = &name;
    w.def.not_named_count = 1;
    create("job", w);
    assert_int_equal(cursor_of("job").next_at, when("06-04 00:00"));
    command.days = (struct str){(const char *)days, sizeof days};
    in.now = world.now;
    assert_int_equal(engine_turn(world.nodes[0].engine, &in, &out, &err), RC_OK);
    assert_int_equal(out.replies[0].rc, RC_OK);
    node_kill(&world.nodes[0]);
    node_boot(&world.nodes[0]);
    run_to("06-02 12:00");
    assert_calls("06-02 00:00@06-02 00:00");
}

/*
 * Nine o'clock is 07:00 UTC in summer; with the zone files that the node finds at its start,
 * 05:00.
 */
static void new_zone_files_take_effect_when_the_node_starts(void **state)
{
    struct test_schedule w = cron("0 9 * * *");

    (void)state;
    w.def.zone = STR("Europe/Berlin");
    create("job", w);
    assert_at(cursor_of("job").next_at, "07:00");
    node_kill(&world.nodes[0]);
    world.changed_zone = "Europe/Berlin";
    world.changed_to = "Asia/Dubai";
    node_boot(&world.nodes[0]);
    run_to("08:00");
    assert_calls("05:00@05:00");
    assert_ledger("job", "");
}

static void a_deleted_calendar_excludes_no_days(void **state)
{
    struct str name = STR("holidays");
    struct test_schedule w = every(SPAN_DAY);
    struct command command = command_for(COMMAND_UNCALENDAR, "holidays");

    (void)state;
    put_calendar(19145, 19146);
    w.def.not_named = &name;
    w.def.not_named_count = 1;
    create("job", w);
    assert_int_equal(cursor_of("job").next_at, when("06-04 00:00"));
    assert_int_equal(submit(&command).rc, RC_OK);
    assert_int_equal(submit(&command).rc, RC_NOT_FOUND);
    run_to("06-02 12:00");
    assert_calls("06-02 00:00@06-02 00:00");
}

/*
 * Days 19145 and 19150 are 06-02 and 06-07; a day that has passed does not get its slot back.
 */
static void days_removed_from_a_calendar_have_slots_unless_they_have_passed(void **state)
{
    struct str name = STR("holidays");
    struct test_schedule w = every(SPAN_DAY);

    (void)state;
    put_calendar(19145, 19150);
    w.def.not_named = &name;
    w.def.not_named_count = 1;
    w.def.end = when("06-02 00:00");
    create("last", w);
    assert_int_equal(cursor_of("last").next_at, INSTANT_NEVER);
    w.def.end = INSTANT_NEVER;
    create("job", w);
    put_calendar(19149, 19150);
    run_to("06-01 12:00");
    assert_int_equal(cursor_of("last").next_at, when("06-02 00:00"));
    assert_int_equal(cursor_of("job").next_at, when("06-02 00:00"));
    put_calendar(19145, 19150);
    run_to("06-02 12:00");
    put_calendar(19149, 19150);
    run_to("06-03 12:00");
    assert_counts("job", "started 1");
    assert_counts("last", "");
}

static void a_cancelled_slot_splits_the_range_of_a_pause(void **state)
{
    (void)state;
    create("job", every(SPAN_MIN));
    assert_int_equal(submit_run(COMMAND_SKIP, run_of("job", "00:03")).rc, RC_OK);
    pause_it("job", "x");
    run_to("00:05:30");
    resume("job");
    assert_ledger("job", "missed(paused) 00:01-00:02 x2, cancelled(user) 00:03, "
                         "missed(paused) 00:04-00:05 x2");
    assert_counts("job", "missed 4, cancelled 1");
}

/* Two commands in the same turn that accounts for the slot. */
static void a_slot_that_is_cancelled_twice_is_cancelled_once(void **state)
{
    struct command twice[2] = {command_for(COMMAND_SKIP, "job"),
                               command_for(COMMAND_RESUME, "job")};
    struct turn_in in = {.rows = TURN_ROWS_MAX, .commands = twice, .command_count = 2};
    struct turn_out out;
    struct err err = {.text = ""};

    (void)state;
    create("job", every(SPAN_MIN));
    pause_it("job", "x");
    for (int i = 4; i >= 2; i--) {
        char slot[] = "00:0?";

        slot[4] = (char)('0' + i);
        assert_int_equal(submit_run(COMMAND_SKIP, run_of("job", slot)).rc, RC_OK);
    }
    assert_int_equal(submit_run(COMMAND_UNSKIP, run_of("job", "00:03")).count, 1);
    assert_int_equal(submit_run(COMMAND_UNSKIP, run_of("job", "00:03")).count, 0);
    run_to("00:05:30");
    twice[0].run.id = run_of("job", "00:02");
    in.now = world.now;
    assert_int_equal(engine_turn(world.nodes[0].engine, &in, &out, &err), RC_OK);
    assert_int_equal(out.replies[0].rc, RC_OK);
    assert_int_equal(out.replies[0].count, 0);
    assert_int_equal(out.replies[1].rc, RC_OK);
    assert_ledger("job", "missed(paused) 00:01, cancelled(user) 00:02, missed(paused) 00:03, "
                         "cancelled(user) 00:04, missed(paused) 00:05");
    assert_counts("job", "missed 3, cancelled 2");
}

/* The first pause ends at 04:30; slots after it are decided before the second one begins. */
static void a_pause_after_one_that_has_ended_removes_no_slot(void **state)
{
    struct test_schedule w = every(20 * SPAN_MIN);
    struct command commands[] = {command_for(COMMAND_PAUSE, "job"),
                                 command_for(COMMAND_TRIGGER, "job"),
                                 command_for(COMMAND_PAUSE, "job")};
    enum rc rc[3];

    (void)state;
    w.def.intervals[0].anchor = ANCHOR_COMPLETION;
    w.draft.plan.policies.catchup = CATCHUP_LATEST;
    down_to("03:40");
    create("job", w);
    pause_it("job", "x");
    commands[0].pause.until = when("04:30");
    down_to("05:10");
    submit_together(commands, 3, rc);
    for (int i = 0; i < 3; i++)
        assert_int_equal(rc[i], RC_OK);
    run_to("05:11");
    assert_calls("t05:10@05:10");
    assert_ledger("job", "missed(paused) 04:00-04:20 x2, missed(coalesced) 04:40, "
                         "skipped(overlap) 05:00");
}

/* The reply has the new cursor, which no other command of the turn can have changed. */
static void the_reply_to_a_create_has_the_new_cursor(void **state)
{
    struct test_schedule w = every(SPAN_MIN);
    struct command pair[2] = {command_for(COMMAND_CREATE, "job"),
                              command_for(COMMAND_PAUSE, "job")};
    struct turn_in in = {.rows = TURN_ROWS_MAX, .commands = pair, .command_count = 2};
    struct turn_out out;
    struct err err = {.text = ""};

    (void)state;
    pair[0].save.draft = draft_of(&w);
    in.now = world.now;
    assert_int_equal(engine_turn(world.nodes[0].engine, &in, &out, &err), RC_OK);
    assert_int_equal(out.replies[0].rc, RC_OK);
    assert_int_equal(out.replies[1].rc, RC_NOT_FOUND);
    assert_non_null(out.replies[0].cursor);
    assert_int_equal(out.replies[0].cursor->id, out.replies[0].schedule);
    assert_int_equal(out.replies[0].cursor->version, 1);
    assert_int_equal(out.replies[0].cursor->active_at, world.now);
    assert_int_equal(out.replies[0].cursor->next_at, world.now + SPAN_MIN);
    assert_int_equal(out.replies[0].cursor->flags & CURSOR_PAUSED, 0);
    assert_null(out.replies[1].cursor);
}

static void a_cancelled_slot_survives_an_edit_that_keeps_it(void **state)
{
    (void)state;
    create("job", every(SPAN_H));
    assert_int_equal(submit_run(COMMAND_SKIP, run_of("job", "02:00")).rc, RC_OK);
    assert_int_equal(update("job", 0, every(30 * SPAN_MIN)).rc, RC_OK);
    run_to("02:30");
    assert_calls("00:30@00:30, 01:00@01:00, 01:30@01:30, 02:30@02:30");
    assert_ledger("job", "cancelled(user) 02:00");
}

static void a_waiting_slot_can_be_cancelled(void **state)
{
    (void)state;
    ends("00:01", "00:03:30", OUTCOME_SUCCEEDED);
    create("job", overlapping(every(SPAN_MIN), OVERLAP_BUFFER_ALL));
    run_to("00:03:10");
    assert_counts("job", "started 1, open 1, waiting 2");
    assert_int_equal(submit_run(COMMAND_CANCEL, run_of("job", "00:02")).rc, RC_OK);
    assert_counts("job", "started 1, cancelled 1, open 1, waiting 1");
    run_to("00:03:40");
    assert_calls("00:01@00:01, 00:03@00:03:30");
    assert_ledger("job", "cancelled(user) 00:02");
}

static void a_trigger_that_waits_survives_pause_and_restart(void **state)
{
    (void)state;
    create("job", pulled(overlapping(every(SPAN_H), OVERLAP_SKIP)));
    run_to("01:10");
    trigger("job", OVERLAP_BUFFER_ONE);
    pause_it("job", "x");
    node_kill(&world.nodes[0]);
    node_boot(&world.nodes[0]);
    settle();
    assert_counts("job", "started 1, open 1, waiting 1");
    poll_for("q", 2, "one");
    run_to("01:20");
    assert_calls("01:00@01:10, t01:10@01:10");
}

static void a_backfill_continues_after_a_restart(void **state)
{
    struct test_schedule w = every(SPAN_MIN);

    (void)state;
    w.draft.is_paused = true;
    world.call_length = SPAN_S;
    create("job", w);
    run_to("00:10");
    backfill("job", "05-01 00:01", "05-01 16:40", OVERLAP_BUFFER_ALL);
    run_to("00:15:00.500");
    node_kill(&world.nodes[0]);
    node_boot(&world.nodes[0]);
    run_to("01:00");
    assert_int_equal(cursor_of("job").backfills, 0);
    assert_counts("job", "started 1000");
    assert_int_equal(cursor_of("job").succeeded, 1000);
}

static void a_backfill_does_not_use_up_the_limit(void **state)
{
    struct test_schedule w = every(SPAN_MIN);

    (void)state;
    w.draft.plan.policies.remaining_runs = 2;
    create("job", w);
    run_to("00:00:30");
    backfill("job", "05-31 00:01", "05-31 00:03", OVERLAP_ALLOW_ALL);
    assert_int_equal(count_calls(), 3);
    run_to("00:05");
    assert_calls("00:01@00:01, 00:02@00:02");
}

static void the_limit_of_runs_counts_starts_of_waiting_slots(void **state)
{
    struct test_schedule w = overlapping(every(SPAN_MIN), OVERLAP_BUFFER_ALL);

    (void)state;
    w.draft.plan.policies.remaining_runs = 3;
    ends("00:01", "00:06:30", OUTCOME_SUCCEEDED);
    create("job", w);
    run_to("00:10");
    assert_calls("00:01@00:01, 00:02@00:06:30, 00:03@00:06:30");
    assert_int_equal(cursor_of("job").remaining, 0);
    assert_counts("job", "started 3");
}

static void a_delete_ends_backfills(void **state)
{
    (void)state;
    world.call_length = SPAN_MIN;
    create("job", overlapping(every(SPAN_MIN), OVERLAP_BUFFER_ALL));
    pause_it("job", "x");
    run_to("00:30");
    backfill("job", "00:01", "00:20", OVERLAP_BUFFER_ALL);
    submit_ok(COMMAND_DELETE, "job");
    run_to("01:00");
    assert_calls("b00:01@00:30");
    assert_int_equal(run_rows("job"), 0);
    assert_history("job", "b00:01 succeeded");
}

static void an_edit_to_another_overlap_policy_leaves_no_run_waiting(void **state)
{
    (void)state;
    ends("00:01", "00:05:30", OUTCOME_SUCCEEDED);
    create("job", overlapping(every(SPAN_MIN), OVERLAP_BUFFER_ALL));
    run_to("00:03:10");
    assert_counts("job", "started 1, open 1, waiting 2");
    assert_int_equal(update("job", 0, overlapping(every(SPAN_MIN), OVERLAP_SKIP)).rc, RC_OK);
    run_to("00:05:40");
    /* In any case each slot has one outcome, and no run stays open or waiting. */
    assert_int_equal(cursor_of("job").started + cursor_of("job").skipped, 5);
    assert_int_equal(cursor_of("job").open + cursor_of("job").waiting, 0);
}

static void a_disabled_schedule_still_takes_triggers(void **state)
{
    struct test_schedule w = every(SPAN_MIN);

    (void)state;
    w.draft.is_disabled = true;
    create("job", w);
    run_to("00:03:30");
    trigger("job", OVERLAP_DEFAULT);
    assert_calls("t00:03:30@00:03:30");
}

static void pause_on_failure_looks_at_the_last_attempt(void **state)
{
    struct test_schedule w = every(SPAN_H);

    (void)state;
    w.draft.plan.policies.pause_on_failure = true;
    w.draft.plan.policies.retry = (struct retry_policy){
        .attempts = 2, .backoff = BACKOFF_FIXED, .delay = SPAN_S, .max = SPAN_S};
    ends("01:00", "01:00", OUTCOME_FAILED);
    ends("02:00", "02:00", OUTCOME_FAILED);
    ends("02:00", "02:00", OUTCOME_FAILED);
    create("job", w);
    run_to("01:30");
    assert_false(cursor_of("job").flags & CURSOR_PAUSED);
    run_to("03:00");
    assert_true(cursor_of("job").flags & CURSOR_PAUSED);
    assert_calls("01:00@01:00, 01:00#2@01:00:01, 02:00@02:00, 02:00#2@02:00:01");
}

static void a_delete_or_pause_of_an_old_version_is_rejected(void **state)
{
    struct command command = command_for(COMMAND_DELETE, "job");

    (void)state;
    create("job", every(SPAN_H));
    assert_int_equal(update("job", 1, every(SPAN_MIN)).rc, RC_OK);
    command.version = 1;
    assert_int_equal(submit(&command).rc, RC_CONFLICT);
    command.kind = COMMAND_PAUSE;
    assert_int_equal(submit(&command).rc, RC_CONFLICT);
    run_to("00:01");
    assert_calls("00:01@00:01");
}

static void turn_and_hold(void)
{
    struct turn_in in = {.now = world.now, .rows = TURN_ROWS_MAX, .hold = true};
    struct turn_out out;
    struct err err;

    assert_int_equal(engine_turn(world.nodes[0].engine, &in, &out, &err), RC_OK);
}

/* A turn with `hold` does not scan for due schedules, so the next must: at boot and later. */
static void the_turn_after_a_hold_starts_overdue_slots(void **state)
{
    (void)state;
    create("job", every(SPAN_MIN));
    node_kill(&world.nodes[0]);
    world.now = when("00:03:30");
    node_boot(&world.nodes[0]);
    turn_and_hold();
    settle();
    assert_calls("00:03@00:03:30");
    run_to("00:04:59");
    assert_calls("00:04@00:04");
    world.now = when("00:05:01");
    turn_and_hold();
    settle();
    assert_calls("00:05@00:05:01");
}

static void a_token_with_an_id_that_is_taken_is_a_conflict(void **state)
{
    struct token token = {
        .id = 7, .role = ROLE_ADMIN, .name = STR("a"), .expires_at = INSTANT_NEVER};
    struct command c = {.kind = COMMAND_TOKEN, .by = STR("test"), .token = &token};
    struct reply reply;

    (void)state;
    assert_int_equal(submit(&c).rc, RC_OK);
    reply = submit(&c);
    assert_int_equal(reply.rc, RC_CONFLICT);
    assert_true(
        str_eq(reply.text, STR("another token has the same id; send the request again")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(now_is_one_run_at_creation),
        TIMELINE(ten_years_of_missed_seconds_are_one_row),
        TIMELINE(mode_none_has_a_grace_of_thirty_seconds),
        TIMELINE(after_a_clock_jump_the_operator_can_skip_the_slots),
        TIMELINE(edits_of_a_named_calendar_take_effect_at_once),
        TIMELINE(a_deleted_calendar_excludes_no_days),
        TIMELINE(new_zone_files_take_effect_when_the_node_starts),
        TIMELINE(an_archived_schedule_is_not_planned_again),
        TIMELINE(a_calendar_edit_takes_effect_although_the_node_dies),
        TIMELINE(days_removed_from_a_calendar_have_slots_unless_they_have_passed),
        TIMELINE(a_cancelled_slot_splits_the_range_of_a_pause),
        TIMELINE(a_slot_that_is_cancelled_twice_is_cancelled_once),
        TIMELINE(a_pause_after_one_that_has_ended_removes_no_slot),
        TIMELINE(the_reply_to_a_create_has_the_new_cursor),
        TIMELINE(a_cancelled_slot_survives_an_edit_that_keeps_it),
        TIMELINE(a_waiting_slot_can_be_cancelled),
        TIMELINE(a_trigger_that_waits_survives_pause_and_restart),
        TIMELINE(a_backfill_continues_after_a_restart),
        TIMELINE(a_backfill_does_not_use_up_the_limit),
        TIMELINE(the_limit_of_runs_counts_starts_of_waiting_slots),
        TIMELINE(a_delete_ends_backfills),
        TIMELINE(an_edit_to_another_overlap_policy_leaves_no_run_waiting),
        TIMELINE(a_disabled_schedule_still_takes_triggers),
        TIMELINE(pause_on_failure_looks_at_the_last_attempt),
        TIMELINE(a_delete_or_pause_of_an_old_version_is_rejected),
        TIMELINE(the_turn_after_a_hold_starts_overdue_slots),
        TIMELINE(a_token_with_an_id_that_is_taken_is_a_conflict),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
