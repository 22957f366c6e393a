/* SPDX-License-Identifier: Apache-2.0 */
/*
 * docs/semantics.md [P-11] to [P-13]: slots that are late, have no room or were cancelled.
 * Times are computed by hand.  Scenarios have the numbers of test/engine.
 */
#include "core/advance.h"

#include "advancing.h"

static struct fixture f;

#define EXPECT(actual, expected) assert_string_equal(actual, expected)

static void scenario_21_downtime_with_one_hour_window(void **state)
{
    (void)state;
    make_cron_plan(&f, "17 * * * *", "2022-05-31T18:00:00Z");
    f.plan.policies.catchup = CATCHUP_ALL;
    f.plan.policies.catchup_window = SPAN_H;
    EXPECT(advanced(&f, "2022-06-01T00:00:00Z"),
           "missed(window) 31 18:17-31 22:17 x5, start 31 23:17; mark 31 23:17; next 01 00:17");
}

static void scenario_23_window_not_set_and_window_of_ten_seconds(void **state)
{
    (void)state;
    make_cron_plan(&f, "* * * * *", "2022-06-01T00:00:00Z");
    f.plan.policies.catchup = CATCHUP_ALL;
    EXPECT(advanced(&f, "2022-06-01T00:05:30Z"),
           "start 01 00:01, start 01 00:02, start 01 00:03, start 01 00:04, start 01 00:05; "
           "mark 01 00:05; next 01 00:06");
    f.plan.policies.catchup_window = 10 * SPAN_S;
    EXPECT(advanced(&f, "2022-06-01T00:05:30Z"),
           "missed(window) 01 00:01-01 00:05 x5; mark 01 00:05; next 01 00:06");
}

static void scenario_24_the_window_counts_for_each_slot(void **state)
{
    (void)state;
    make_every_plan(&f, 10 * SPAN_MIN, ANCHOR_EPOCH, "2022-06-01T00:00:00Z");
    f.plan.policies.catchup = CATCHUP_ALL;
    f.plan.policies.catchup_window = 30 * SPAN_MIN;
    EXPECT(advanced(&f, "2022-06-01T01:00:00Z"),
           "missed(window) 01 00:10-01 00:20 x2, start 01 00:30, start 01 00:40, "
           "start 01 00:50, start 01 01:00; mark 01 01:00; next 01 01:10");
}

static void a_slot_as_old_as_the_window_still_runs_and_one_older_does_not(void **state)
{
    (void)state;
    make_cron_plan(&f, "0 1 * * *", "2022-06-01T00:00:00Z");
    f.plan.policies.catchup_window = SPAN_MIN;
    EXPECT(advanced(&f, "2022-06-01T01:01:00Z"),
           "start 01 01:00; mark 01 01:00; next 02 01:00");
    EXPECT(advanced(&f, "2022-06-01T01:01:00.001Z"),
           "missed(window) 01 01:00; mark 01 01:00; next 02 01:00");
    f.plan.policies.catchup_window = 0;
    EXPECT(advanced(&f, "2022-06-01T01:00:00Z"),
           "start 01 01:00; mark 01 01:00; next 02 01:00");
    EXPECT(advanced(&f, "2022-06-01T01:00:00.001Z"),
           "missed(window) 01 01:00; mark 01 01:00; next 02 01:00");
}

static void lateness_counts_from_the_jittered_time(void **state)
{
    (void)state;
    begin_draft(&f.d, "UTC");
    add_cron(&f.d, "0 * * * *", DIALECT_BELFRY);
    f.d.def.jitter = SPAN_H;
    make_plan(&f, "2022-06-01T00:00:00Z");
    f.plan.seed = STR("mynsid-myschedule");
    f.plan.policies.catchup = CATCHUP_ALL;
    f.plan.policies.catchup_window = 20 * SPAN_MIN;
    EXPECT(advanced(&f, "2022-06-01T02:00:00Z"),
           "start 01 01:00 @ 01 01:49:22.594; mark 01 01:00; next 01 02:00 @ 01 02:02:39.204");
    /* Due at 01:49:22.594 and 02:02:39.204: 23 and 10 minutes ago. */
    EXPECT(advanced(&f, "2022-06-01T02:12:39.204Z"),
           "missed(window) 01 01:00, start 01 02:00 @ 01 02:02:39.204; mark 01 02:00; "
           "next 01 03:00 @ 01 03:37:29.538");
    EXPECT(advanced(&f, "2022-06-01T02:09:22.594Z"),
           "start 01 01:00 @ 01 01:49:22.594, start 01 02:00 @ 01 02:02:39.204; "
           "mark 01 02:00; next 01 03:00 @ 01 03:37:29.538");
}

static void mode_none_starts_what_is_on_time_and_nothing_later_than_its_grace(void **state)
{
    (void)state;
    make_cron_plan(&f, "* * * * *", "2022-06-01T00:00:00Z");
    f.plan.policies.catchup = CATCHUP_NONE;
    EXPECT(advanced(&f, "2022-06-01T00:01:30Z"),
           "start 01 00:01; mark 01 00:01; next 01 00:02");
    EXPECT(advanced(&f, "2022-06-01T00:01:31Z"),
           "missed(window) 01 00:01; mark 01 00:01; next 01 00:02");
    EXPECT(advanced(&f, "2022-06-01T00:10:20Z"),
           "missed(window) 01 00:01-01 00:09 x9, start 01 00:10; mark 01 00:10; "
           "next 01 00:11");
    f.plan.policies.catchup_window = 5 * SPAN_S;
    EXPECT(advanced(&f, "2022-06-01T00:01:06Z"),
           "missed(window) 01 00:01; mark 01 00:01; next 01 00:02");
    f.plan.policies.catchup_window = SPAN_H;
    EXPECT(advanced(&f, "2022-06-01T00:01:31Z"),
           "missed(window) 01 00:01; mark 01 00:01; next 01 00:02");
}

static void mode_latest_starts_the_last_and_misses_those_before(void **state)
{
    (void)state;
    make_cron_plan(&f, "0 * * * *", "2022-06-01T00:00:00Z");
    EXPECT(advanced(&f, "2022-06-01T02:30:00Z"),
           "missed(coalesced) 01 01:00, start 01 02:00; mark 01 02:00; next 01 03:00");
    EXPECT(advanced(&f, "2022-06-01T10:30:00Z"),
           "missed(coalesced) 01 01:00-01 09:00 x9, start 01 10:00; mark 01 10:00; "
           "next 01 11:00");
    f.plan.policies.catchup_window = 4 * SPAN_H;
    EXPECT(advanced(&f, "2022-06-01T10:30:00Z"),
           "missed(window) 01 01:00-01 06:00 x6, missed(coalesced) 01 07:00-01 09:00 x3, "
           "start 01 10:00; mark 01 10:00; next 01 11:00");
}

static void mode_oldest_starts_the_first_and_misses_those_after(void **state)
{
    (void)state;
    make_cron_plan(&f, "0 * * * *", "2022-06-01T00:00:00Z");
    f.plan.policies.catchup = CATCHUP_OLDEST;
    EXPECT(advanced(&f, "2022-06-01T10:30:00Z"),
           "start 01 01:00, missed(coalesced) 01 02:00-01 10:00 x9; mark 01 10:00; "
           "next 01 11:00");
    f.plan.policies.catchup_window = 4 * SPAN_H;
    EXPECT(advanced(&f, "2022-06-01T10:30:00Z"),
           "missed(window) 01 01:00-01 06:00 x6, start 01 07:00, "
           "missed(coalesced) 01 08:00-01 10:00 x3; mark 01 10:00; next 01 11:00");
}

static void mode_all_stops_when_full_and_continues_from_there(void **state)
{
    (void)state;
    make_cron_plan(&f, "0 * * * *", "2022-06-01T00:00:00Z");
    f.plan.policies.catchup = CATCHUP_ALL;
    f.a.slots_max = 2;
    EXPECT(advanced(&f, "2022-06-01T04:30:00Z"),
           "start 01 01:00, start 01 02:00; mark 01 02:00; next 01 03:00");
    f.cursor.mark = f.a.mark;
    f.cursor.next_at = f.a.next_at;
    EXPECT(advanced(&f, "2022-06-01T04:30:00Z"),
           "start 01 03:00, start 01 04:00; mark 01 04:00; next 01 05:00");
}

static void scenario_56_slots_without_room_are_dropped_if_the_policy_says_so(void **state)
{
    (void)state;
    make_cron_plan(&f, "* * * * *", "2022-06-01T00:00:00Z");
    f.plan.policies.catchup = CATCHUP_ALL;
    f.plan.policies.drop_when_full = true;
    f.a.slots_max = 2;
    EXPECT(advanced(&f, "2022-06-01T00:05:00Z"),
           "start 01 00:01, start 01 00:02, dropped(buffer) 01 00:03-01 00:05 x3; "
           "mark 01 00:05; next 01 00:06");
    f.a.slots_max = 0;
    EXPECT(advanced(&f, "2022-06-01T00:05:00Z"),
           "dropped(buffer) 01 00:01-01 00:05 x5; mark 01 00:05; next 01 00:06");
    EXPECT(advanced(&f, "2022-06-01T00:01:00Z"),
           "dropped(buffer) 01 00:01; mark 01 00:01; next 01 00:02");
}

static void without_room_the_slot_of_latest_or_oldest_waits_or_is_dropped(void **state)
{
    (void)state;
    make_cron_plan(&f, "0 * * * *", "2022-06-01T00:00:00Z");
    f.a.slots_max = 0;
    EXPECT(advanced(&f, "2022-06-01T01:00:00Z"), "mark 01 00:00; next 01 01:00");
    EXPECT(advanced(&f, "2022-06-01T03:00:00Z"), "mark 01 00:00; next 01 01:00");
    f.plan.policies.drop_when_full = true;
    EXPECT(advanced(&f, "2022-06-01T03:00:00Z"),
           "missed(coalesced) 01 01:00-01 02:00 x2, dropped(buffer) 01 03:00; mark 01 03:00; "
           "next 01 04:00");
    f.plan.policies.catchup = CATCHUP_OLDEST;
    EXPECT(advanced(&f, "2022-06-01T03:00:00Z"),
           "dropped(buffer) 01 01:00, missed(coalesced) 01 02:00-01 03:00 x2; mark 01 03:00; "
           "next 01 04:00");
    f.plan.policies.drop_when_full = false;
    EXPECT(advanced(&f, "2022-06-01T03:00:00Z"), "mark 01 00:00; next 01 01:00");
}

static void slots_that_wait_for_room_still_grow_too_old(void **state)
{
    (void)state;
    make_cron_plan(&f, "0 * * * *", "2022-06-01T00:00:00Z");
    f.plan.policies.catchup = CATCHUP_ALL;
    f.plan.policies.catchup_window = 2 * SPAN_H;
    f.a.slots_max = 0;
    EXPECT(advanced(&f, "2022-06-01T05:00:00Z"),
           "missed(window) 01 01:00-01 02:00 x2; mark 01 02:00; next 01 03:00");
}

static void slots_after_the_last_remaining_run_are_not_dropped(void **state)
{
    (void)state;
    make_cron_plan(&f, "0 * * * *", "2022-06-01T00:00:00Z");
    f.plan.policies.catchup = CATCHUP_ALL;
    f.plan.policies.drop_when_full = true;
    f.cursor.remaining = 2;
    f.a.slots_max = 2;
    EXPECT(advanced(&f, "2022-06-01T05:00:00Z"),
           "start 01 01:00, start 01 02:00; mark 01 02:00; next 01 03:00");
    f.a.slots_max = 1;
    EXPECT(advanced(&f, "2022-06-01T05:00:00Z"),
           "start 01 01:00, dropped(buffer) 01 02:00-01 05:00 x4; mark 01 05:00; "
           "next 01 06:00");
}

static void a_cancelled_slot_has_the_reason_user_in_every_mode(void **state)
{
    (void)state;
    make_cron_plan(&f, "0 * * * *", "2022-06-01T00:00:00Z");
    except(&f, "2022-06-01T01:00:00Z");
    except(&f, "2022-06-01T03:00:00Z");
    except(&f, "2022-06-01T05:00:00Z");
    EXPECT(advanced(&f, "2022-06-01T01:00:00Z"),
           "cancelled(user) 01 01:00; mark 01 01:00; next 01 02:00");
    EXPECT(advanced(&f, "2022-06-01T05:30:00Z"),
           "cancelled(user) 01 01:00, missed(coalesced) 01 02:00, cancelled(user) 01 03:00, "
           "start 01 04:00, cancelled(user) 01 05:00; mark 01 05:00; next 01 06:00");
    f.plan.policies.catchup = CATCHUP_OLDEST;
    EXPECT(advanced(&f, "2022-06-01T05:30:00Z"),
           "cancelled(user) 01 01:00, start 01 02:00, cancelled(user) 01 03:00, "
           "missed(coalesced) 01 04:00, cancelled(user) 01 05:00; mark 01 05:00; "
           "next 01 06:00");
    f.plan.policies.catchup = CATCHUP_ALL;
    EXPECT(advanced(&f, "2022-06-01T05:30:00Z"),
           "cancelled(user) 01 01:00, start 01 02:00, cancelled(user) 01 03:00, "
           "start 01 04:00, cancelled(user) 01 05:00; mark 01 05:00; next 01 06:00");
    f.plan.policies.catchup_window = SPAN_MIN;
    EXPECT(advanced(&f, "2022-06-01T01:30:00Z"),
           "cancelled(user) 01 01:00; mark 01 01:00; next 01 02:00");
    EXPECT(advanced(&f, "2022-06-01T04:30:00Z"),
           "cancelled(user) 01 01:00, missed(window) 01 02:00, cancelled(user) 01 03:00, "
           "missed(window) 01 04:00; mark 01 04:00; next 01 05:00");
}

static void consecutive_cancelled_slots_are_one_account(void **state)
{
    (void)state;
    make_cron_plan(&f, "0 * * * *", "2022-06-01T00:00:00Z");
    except(&f, "2022-06-01T01:00:00Z");
    except(&f, "2022-06-01T02:00:00Z");
    except(&f, "2022-06-01T03:00:00Z");
    for (int mode = 0; mode < CATCHUP_COUNT; mode++) {
        f.plan.policies.catchup = (enum catchup)mode;
        EXPECT(advanced(&f, "2022-06-01T03:00:00Z"),
               "cancelled(user) 01 01:00-01 03:00 x3; mark 01 03:00; next 01 04:00");
    }
    EXPECT(accounted(&f, "2022-06-01T05:00:00Z", REASON_EDITED),
           "cancelled(user) 01 01:00-01 03:00 x3, missed(edited) 01 04:00-01 05:00 x2; "
           "mark 01 05:00; next 01 06:00");
}

static void a_cancelled_slot_before_or_between_takes_no_room(void **state)
{
    (void)state;
    make_cron_plan(&f, "0 * * * *", "2022-06-01T00:00:00Z");
    f.plan.policies.catchup = CATCHUP_ALL;
    f.a.slots_max = 1;
    f.cursor.remaining = 1;
    except(&f, "2022-06-01T01:00:00Z");
    except(&f, "2022-06-01T03:00:00Z");
    EXPECT(advanced(&f, "2022-06-01T04:00:00Z"),
           "cancelled(user) 01 01:00, start 01 02:00, cancelled(user) 01 03:00; "
           "mark 01 03:00; next 01 04:00");
    f.a.slots_max = 0;
    EXPECT(advanced(&f, "2022-06-01T04:00:00Z"),
           "cancelled(user) 01 01:00; mark 01 01:00; next 01 02:00");
}

static void an_exception_that_matches_no_slot_is_ignored(void **state)
{
    (void)state;
    make_cron_plan(&f, "0 * * * *", "2022-06-01T00:00:00Z");
    except(&f, "2022-06-01T00:00:00Z");
    except(&f, "2022-06-01T01:30:00Z");
    except(&f, "2022-06-01T09:00:00Z");
    EXPECT(accounted(&f, "2022-06-01T03:00:00Z", REASON_CLOCK),
           "missed(clock) 01 01:00-01 03:00 x3; mark 01 03:00; next 01 04:00");
}

static void more_accounts_than_fit_are_finished_by_the_next_calls(void **state)
{
    instant first;
    int64_t count = 0, cancelled = 0;
    int calls = 0;

    (void)state;
    make_cron_plan(&f, "* * * * *", "2022-06-01T00:00:00Z");
    first = at("2022-06-01T00:02:00Z");
    for (int i = 0; i < 100; i++) /* every other minute: 00:02, 00:04 ... 03:20 */
        f.exceptions[f.a.exception_count++] = first + i * 2 * SPAN_MIN;
    do {
        advance_account_due(prepare(&f, "2022-06-01T04:00:00Z"), OUTCOME_MISSED, REASON_PAUSED);
        assert_in_range(f.a.account_count, 1, ADVANCE_ACCOUNTS_MAX);
        for (int i = 0; i < f.a.account_count; i++) {
            count += f.a.accounts[i].count;
            if (f.a.accounts[i].outcome == OUTCOME_SLOT_CANCELLED)
                cancelled += f.a.accounts[i].count;
        }
        if (f.a.next_due <= f.a.now)
            assert_int_equal(f.a.account_count, ADVANCE_ACCOUNTS_MAX);
        f.cursor.mark = f.a.mark;
        calls++;
    } while (f.a.next_due <= f.a.now && calls < 10);
    /* 200 accounts for the pairs and one for the 40 minutes after them. */
    assert_int_equal(calls, 4);
    assert_int_equal(count, 240);
    assert_int_equal(cancelled, 100);
    EXPECT(result_text(&f) + strlen(result_text(&f)) - strlen("; mark 01 04:00; next 01 04:01"),
           "; mark 01 04:00; next 01 04:01");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenario_21_downtime_with_one_hour_window),
        cmocka_unit_test(scenario_23_window_not_set_and_window_of_ten_seconds),
        cmocka_unit_test(scenario_24_the_window_counts_for_each_slot),
        cmocka_unit_test(a_slot_as_old_as_the_window_still_runs_and_one_older_does_not),
        cmocka_unit_test(lateness_counts_from_the_jittered_time),
        cmocka_unit_test(mode_none_starts_what_is_on_time_and_nothing_later_than_its_grace),
        cmocka_unit_test(mode_latest_starts_the_last_and_misses_those_before),
        cmocka_unit_test(mode_oldest_starts_the_first_and_misses_those_after),
        cmocka_unit_test(mode_all_stops_when_full_and_continues_from_there),
        cmocka_unit_test(scenario_56_slots_without_room_are_dropped_if_the_policy_says_so),
        cmocka_unit_test(without_room_the_slot_of_latest_or_oldest_waits_or_is_dropped),
        cmocka_unit_test(slots_that_wait_for_room_still_grow_too_old),
        cmocka_unit_test(slots_after_the_last_remaining_run_are_not_dropped),
        cmocka_unit_test(a_cancelled_slot_has_the_reason_user_in_every_mode),
        cmocka_unit_test(consecutive_cancelled_slots_are_one_account),
        cmocka_unit_test(a_cancelled_slot_before_or_between_takes_no_room),
        cmocka_unit_test(an_exception_that_matches_no_slot_is_ignored),
        cmocka_unit_test(more_accounts_than_fit_are_finished_by_the_next_calls),
    };

    return cmocka_run_group_tests(tests, start_arena, end_arena);
}
