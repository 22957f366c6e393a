/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scenarios 51 to 72 of Temporal's schedules: update, jitter, identity and lifetime.
 * test_scenarios_overlap.c describes the list.
 *
 * Tested with the codec of the Temporal API, because the engine does not decide them:
 *   57  a rejected start id     runs have their own ids here; 57 below tests the rest
 *   67  search attributes       stored as opaque JSON in `extra`; the codec merges them
 *   68  memo on update          likewise
 *   69  list caps               listing
 *   70  list by id              listing and its query language
 */
#include "harness.h"

static void scenario_51_update_changes_spec_and_policy(void **state)
{
    struct test_schedule w = overlapping(temporal(every(5 * SPAN_MIN)), OVERLAP_ALLOW_ALL);
    int64_t version;

    (void)state;
    ends("00:03", "00:07", OUTCOME_SUCCEEDED);
    create("myid", temporal(every(3 * SPAN_MIN)));
    run_to("00:09:07");
    assert_calls("00:03@00:03, 00:09@00:09");
    assert_counts("myid", "started 2, skipped 1");
    version = cursor_of("myid").version;
    world.call_length = INSTANT_NEVER;
    assert_int_equal(update("myid", version, w).rc, RC_OK);
    assert_int_equal(cursor_of("myid").version, version + 1);
    run_to("00:12:07");
    assert_int_equal(update("myid", version, temporal(every(SPAN_MIN))).rc, RC_CONFLICT);
    run_to("00:16");
    assert_calls("00:10@00:10, 00:15@00:15");
}

static void scenario_52_update_is_not_retroactive(void **state)
{
    (void)state;
    create("myid", temporal(every(SPAN_H)));
    run_to("01:07:10");
    assert_calls("01:00@01:00");
    assert_int_equal(update("myid", 0, temporal(every(20 * SPAN_S))).rc, RC_OK);
    assert_at(cursor_of("myid").next_at, "01:07:20");
    run_to("01:07:50");
    assert_calls("01:07:20@01:07:20, 01:07:40@01:07:40");
    assert_ledger("myid", "");
}

static struct test_schedule spread(void)
{
    struct test_schedule w = temporal(every(SPAN_H));

    w.def.jitter = SPAN_H;
    return w;
}

static void scenario_53_update_between_nominal_and_jittered_time(void **state)
{
    (void)state;
    create("myid", spread());
    run_to("03:22:10");
    assert_calls("01:00@01:49:22.594, 02:00@02:02:39.204");
    assert_int_equal(update("myid", 0, spread()).rc, RC_OK);
    run_to("05:00");
    assert_calls("03:00@03:37:29.538, 04:00@04:23:34.755");
    assert_ledger("myid", "");
}

static void scenario_54_unrelated_wake_up_inside_the_jitter_gap(void **state)
{
    (void)state;
    create("myid", spread());
    world.tick = 10 * SPAN_MIN;
    run_to("05:00");
    assert_calls("01:00@01:49:22.594, 02:00@02:02:39.204, 03:00@03:37:29.538, "
                 "04:00@04:23:34.755");
}

/* Temporal loses the slot.  Here it was not due while the schedule was paused. */
static void scenario_55_pause_and_unpause_inside_the_jitter_gap(void **state)
{
    (void)state;
    create("myid", spread());
    run_to("03:20");
    count_calls();
    pause_it("myid", "for a moment");
    run_to("03:30");
    resume("myid");
    run_to("04:00");
    assert_calls("03:00@03:37:29.538");
    assert_ledger("myid", "");
}

static void scenario_56_limit_in_one_pass(void **state)
{
    struct test_schedule w = overlapping(temporal(every(5 * SPAN_MIN)), OVERLAP_BUFFER_ALL);

    (void)state;
    world.call_length = INSTANT_NEVER;
    w.draft.plan.policies.buffer_limit = 2;
    create("myid", w);
    run_to("00:05");
    down_to("00:31");
    assert_counts("myid", "started 1, dropped 3, open 1, waiting 2");
    assert_at(cursor_of("myid").next_at, "00:35");
}

static void scenario_56_a_manual_range_waits_for_room(void **state)
{
    struct test_schedule w = overlapping(temporal(every(5 * SPAN_MIN)), OVERLAP_BUFFER_ALL);

    (void)state;
    w.draft.plan.policies.buffer_limit = 2;
    w.draft.is_paused = true;
    create("myid", w);
    run_to("00:31");
    world.call_length = SPAN_S;
    backfill("myid", "00:10", "00:30", OVERLAP_BUFFER_ALL);
    assert_true(cursor_of("myid").waiting <= 2);
    run_to("00:32");
    assert_calls("b00:10@00:31, b00:15@00:31:01, b00:20@00:31:02, b00:25@00:31:03, "
                 "b00:30@00:31:04");
    assert_counts("myid", "started 5");
}

static void scenario_57_a_repeated_request_starts_nothing_twice(void **state)
{
    struct command command = command_for(COMMAND_TRIGGER, "myid");
    struct reply first, second;

    (void)state;
    create("myid", overlapping(temporal(every(SPAN_H)), OVERLAP_ALLOW_ALL));
    command.request = STR("6f1c");
    command.fingerprint = 42;
    first = submit(&command);
    run_to("00:01");
    second = submit(&command);
    assert_int_equal(first.rc, RC_OK);
    assert_int_equal(second.rc, RC_OK);
    assert_false(first.is_repeated);
    assert_true(second.is_repeated);
    assert_memory_equal(&first.run, &second.run, sizeof first.run);
    assert_calls("t00:00@00:00");
    command.fingerprint = 43;
    assert_int_equal(submit(&command).rc, RC_CONFLICT);
    assert_counts("myid", "started 1");
}

static struct test_schedule stubborn(void)
{
    struct test_schedule w = temporal(every(SPAN_H));

    w.draft.plan.policies.retry = (struct retry_policy){
        .attempts = 10, .backoff = BACKOFF_EXPONENTIAL, .delay = SPAN_S, .max = 60 * SPAN_S};
    return w;
}

static void fail_attempts(const char *slot, int count)
{
    for (int i = 0; i < count; i++)
        ends(slot, slot, OUTCOME_FAILED);
}

static void scenario_58_the_tenth_attempt_may_succeed(void **state)
{
    (void)state;
    fail_attempts("01:00", 9);
    create("myid", stubborn());
    run_to("01:30");
    assert_calls("01:00@01:00, 01:00#2@01:00:01, 01:00#3@01:00:03, 01:00#4@01:00:07, "
                 "01:00#5@01:00:15, 01:00#6@01:00:31, 01:00#7@01:01:03, 01:00#8@01:02:03, "
                 "01:00#9@01:03:03, 01:00#10@01:04:03");
    assert_counts("myid", "started 1");
}

static void scenario_58_the_eleventh_attempt_is_not_made(void **state)
{
    (void)state;
    fail_attempts("01:00", 10);
    create("myid", stubborn());
    run_to("01:59");
    assert_int_equal(count_calls(), 10);
    assert_counts("myid", "started 1, failed 1");
    run_to("02:00");
    assert_calls("02:00@02:00");
}

static void scenario_58_a_duplicate_completion_is_ignored(void **state)
{
    struct call *call;

    (void)state;
    create("myid", temporal(every(SPAN_H)));
    run_to("01:00");
    call = call_of("01:00");
    assert_false(call->is_open);
    assert_int_equal(report(call, REPORT_DONE, OUTCOME_FAILED), RC_CONFLICT);
    assert_history("myid", "01:00 succeeded");
    assert_counts("myid", "started 1");
}

static void scenario_59_completion_without_a_heartbeat(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("myid", temporal(every(SPAN_H)));
    run_to("01:00");
    end_now(call_of("01:00"), OUTCOME_SUCCEEDED);
    assert_history("myid", "01:00 succeeded");
}

static void scenario_59_an_unknown_run_is_refused_and_changes_nothing(void **state)
{
    struct call stranger;

    (void)state;
    world.call_length = INSTANT_NEVER;
    create("myid", temporal(every(SPAN_H)));
    run_to("01:00");
    stranger = *call_of("01:00");
    stranger.work.run.slot += SPAN_H;
    assert_int_not_equal(report(&stranger, REPORT_DONE, OUTCOME_SUCCEEDED), RC_OK);
    assert_counts("myid", "started 1, open 1");
}

static bool is_closed(const char *name)
{
    return cursor_of(name).flags & CURSOR_CLOSED;
}

static void assert_closes_at(const char *name, const char *just_before, const char *at)
{
    down_to(just_before);
    assert_false(is_closed(name));
    run_to(at);
    assert_true(is_closed(name));
    assert_int_equal(world.events[EVENT_SCHEDULE_CLOSED], 1);
}

static void scenario_60_exhausted_by_limit(void **state)
{
    struct test_schedule w = temporal(every(15 * SPAN_MIN));

    (void)state;
    w.draft.plan.policies.remaining_runs = 2;
    create("myid", w);
    run_to("02:00");
    assert_calls("00:15@00:15, 00:30@00:30");
    assert_closes_at("myid", "06-08 00:29:59", "06-08 00:30");
    assert_int_not_equal(update("myid", 0, w).rc, RC_OK);
}

static void scenario_61_exhausted_by_spec(void **state)
{
    (void)state;
    create("myid", temporal(once("01:00")));
    run_to("02:00");
    assert_calls("01:00@01:00");
    assert_closes_at("myid", "06-08 00:59:59", "06-08 01:00");
}

static void scenario_62_empty_spec(void **state)
{
    (void)state;
    create("myid", temporal(no_slots()));
    assert_closes_at("myid", "06-07 23:59:59", "06-08 00:00");
    assert_calls("");
}

static void scenario_62_an_empty_spec_never_closes_while_paused(void **state)
{
    (void)state;
    create("myid", temporal(no_slots()));
    pause_it("myid", "paused");
    down_to("06-30 00:00");
    assert_false(is_closed("myid"));
}

static void scenario_63_pause_during_the_idle_period(void **state)
{
    struct test_schedule w = temporal(every(15 * SPAN_MIN));

    (void)state;
    w.draft.plan.policies.remaining_runs = 1;
    create("myid", w);
    run_to("00:20");
    down_to("06-05 00:00");
    pause_it("myid", "paused");
    down_to("06-10 00:00");
    assert_false(is_closed("myid"));
    resume("myid");
    assert_closes_at("myid", "06-16 23:59:59", "06-17 00:00");
    assert_calls("00:15@00:15");
}

static void scenario_64_backfill_delays_idle_close(void **state)
{
    struct test_schedule w = temporal(every(15 * SPAN_MIN));

    (void)state;
    w.draft.plan.policies.remaining_runs = 1;
    create("myid", w);
    run_to("00:20");
    down_to("06-07 00:00");
    world.call_length = SPAN_DAY;
    backfill("myid", "05-01 00:00", "05-01 00:30", OVERLAP_BUFFER_ALL);
    run_to("06-09 12:00");
    assert_calls("00:15@00:15, b05-01 00:00@06-07 00:00, b05-01 00:15@06-08 00:00, "
                 "b05-01 00:30@06-09 00:00");
    assert_false(is_closed("myid"));
    run_to("06-10 00:00");
    down_to("06-15 23:59:59");
    assert_false(is_closed("myid"));
    down_to("06-17 00:00");
    assert_true(is_closed("myid"));
}

static void scenario_65_delete(void **state)
{
    struct command command = command_for(COMMAND_TRIGGER, "myid");

    (void)state;
    create("myid", temporal(every(5 * SPAN_MIN)));
    run_to("00:06");
    submit_ok(COMMAND_DELETE, "myid");
    assert_int_equal(submit(&command).rc, RC_NOT_FOUND);
    assert_int_equal(update("myid", 0, temporal(every(SPAN_H))).rc, RC_NOT_FOUND);
    run_to("00:20");
    assert_calls("00:05@00:05");
    assert_history("myid", "00:05 succeeded");
}

static void scenario_66_duplicate_create(void **state)
{
    struct command command = command_for(COMMAND_CREATE, "myid");
    struct test_schedule w = temporal(every(5 * SPAN_MIN));
    struct reply first, reply;

    (void)state;
    command.save.draft = draft_of(&w);
    command.request = STR("one");
    first = submit(&command);
    assert_int_equal(first.rc, RC_OK);
    command.request = STR("two");
    reply = submit(&command);
    assert_int_equal(reply.rc, RC_CONFLICT);
    assert_non_null(strstr(reply.text.ptr, "myid"));
    command.request = STR("one");
    reply = submit(&command);
    assert_int_equal(reply.rc, RC_OK);
    assert_true(reply.is_repeated);
    assert_int_equal(reply.schedule, first.schedule);
}

static void scenario_71_over_excluded_spec(void **state)
{
    struct calendar_def all = {
        .text = {.second = STR("*"), .minute = STR("*"), .hour = STR("*")}};
    struct test_schedule w = cron("* * * * * *");

    (void)state;
    w.def.not_calendars = &all;
    w.def.not_calendar_count = 1;
    create("myid", w);
    assert_at(cursor_of("myid").next_at, "never");
    assert_at(cursor_of("myid").wake_at, "never");
    run_to("00:01");
    assert_calls("");
}

static void scenario_72_far_future(void **state)
{
    instant slot = when("06-07 00:00"); /* day 19150 */

    (void)state;
    create("myid", temporal(every(10 * SPAN_DAY)));
    for (int i = 0; i < 10; i++, slot += 10 * SPAN_DAY) {
        assert_true(cursor_of("myid").next_at == slot);
        world.now = slot;
        settle();
        assert_int_equal(count_calls(), 1);
        assert_true(world.calls[i].work.run.slot == slot);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(scenario_51_update_changes_spec_and_policy),
        TIMELINE(scenario_52_update_is_not_retroactive),
        TIMELINE(scenario_53_update_between_nominal_and_jittered_time),
        TIMELINE(scenario_54_unrelated_wake_up_inside_the_jitter_gap),
        TIMELINE(scenario_55_pause_and_unpause_inside_the_jitter_gap),
        TIMELINE(scenario_56_limit_in_one_pass),
        TIMELINE(scenario_56_a_manual_range_waits_for_room),
        TIMELINE(scenario_57_a_repeated_request_starts_nothing_twice),
        TIMELINE(scenario_58_the_tenth_attempt_may_succeed),
        TIMELINE(scenario_58_the_eleventh_attempt_is_not_made),
        TIMELINE(scenario_58_a_duplicate_completion_is_ignored),
        TIMELINE(scenario_59_completion_without_a_heartbeat),
        TIMELINE(scenario_59_an_unknown_run_is_refused_and_changes_nothing),
        TIMELINE(scenario_60_exhausted_by_limit),
        TIMELINE(scenario_61_exhausted_by_spec),
        TIMELINE(scenario_62_empty_spec),
        TIMELINE(scenario_62_an_empty_spec_never_closes_while_paused),
        TIMELINE(scenario_63_pause_during_the_idle_period),
        TIMELINE(scenario_64_backfill_delays_idle_close),
        TIMELINE(scenario_65_delete),
        TIMELINE(scenario_66_duplicate_create),
        TIMELINE(scenario_71_over_excluded_spec),
        TIMELINE(scenario_72_far_future),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
