/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Negative controls of the judge: a small world that kept every promise is broken in exactly
 * one way, and the judge must name that invariant.  Slots, ledger, runs, deliveries.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "judging.h"

static struct world world;
static struct world *const w = &world;

static int make(void **state)
{
    (void)state;
    world_make(w);
    return 0;
}

static void the_unchanged_world_is_accepted(void **state)
{
    (void)state;
    assert_accepted(w);
}

/* ---- 1: accounting ---- */

/* Deletes the schedule at 2:30, so that neither mark nor clock matters. */
static void delete_it(void)
{
    world_make_empty(w);
    world_ledger(w, AT(1, 0), AT(1, 0), OUTCOME_MISSED, REASON_EDITED);
    world_command(w, AT(1, 10), COMMAND_UPDATE)->draft = 0;
    w->commands[1].reply.version = 2;
    world_ledger(w, AT(2, 30), AT(2, 0), OUTCOME_DROPPED, REASON_DELETED);
    (void)world_command(w, AT(2, 30), COMMAND_DELETE);
    world_close(w, AT(5, 30), AT(5, 0));
    w->record.cursor_count = 0;
}

static void a_slot_without_an_account_breaks_1(void **state)
{
    (void)state;
    delete_it();
    assert_accepted(w);
    w->record.ledger_count = 1;
    assert_rejected(w, 1);
}

static void a_slot_with_two_accounts_breaks_1(void **state)
{
    (void)state;
    w->ledger[0].account.first = w->ledger[0].account.last = AT(3, 0);
    w->ledger[0].written_at = AT(3, 0);
    assert_rejected(w, 1);
}

static void a_range_with_a_wrong_count_breaks_1(void **state)
{
    (void)state;
    delete_it();
    w->record.ledger_count = 1;
    w->ledger[0].account = (struct account){AT(1, 0), AT(2, 0), 3, OUTCOME_DROPPED,
                                            REASON_DELETED};
    w->ledger[0].written_at = AT(2, 30);
    assert_rejected(w, 1);
    w->ledger[0].account.count = 2;
    assert_accepted(w);
}

static void an_outcome_without_a_legal_reason_breaks_1(void **state)
{
    (void)state;
    w->ledger[0].account.reason = REASON_PAUSED;
    assert_rejected(w, 1);
}

/* Each reason needs its cause; the world has none of these. */
static void a_reason_without_a_cause_breaks_1(void **state)
{
    static const struct {
        enum outcome outcome;
        enum reason reason;
    } causes[] = {
        {OUTCOME_MISSED, REASON_WINDOW},       {OUTCOME_MISSED, REASON_EDITED},
        {OUTCOME_MISSED, REASON_CLOCK},        {OUTCOME_DROPPED, REASON_DELETED},
        {OUTCOME_DROPPED, REASON_QUARANTINED}, {OUTCOME_SLOT_CANCELLED, REASON_USER},
    };

    (void)state;
    for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++) {
        w->ledger[0].account.outcome = causes[i].outcome;
        w->ledger[0].account.reason = causes[i].reason;
        assert_rejected(w, 1);
    }
}

static void coalesced_without_a_representative_or_under_all_breaks_1(void **state)
{
    (void)state;
    w->ledger[0].account.outcome = OUTCOME_MISSED;
    w->ledger[0].account.reason = REASON_COALESCED;
    w->cursors[0].skipped = 0;
    w->cursors[0].missed = 1;
    w->ledger[0].written_at = AT(5, 0);
    assert_accepted(w);
    w->ledger[0].written_at = AT(4, 10); /* before 5:00, which represents it, was created */
    assert_rejected(w, 1);
    w->drafts[0].policies.catchup = CATCHUP_OLDEST;
    assert_accepted(w);
    w->drafts[0].policies.catchup = CATCHUP_ALL;
    assert_rejected(w, 1);
}

static void missed_within_the_window_breaks_1(void **state)
{
    (void)state;
    w->ledger[0].account.outcome = OUTCOME_MISSED;
    w->ledger[0].account.reason = REASON_WINDOW;
    w->cursors[0].skipped = 0;
    w->cursors[0].missed = 1;
    w->drafts[0].policies.catchup_window = 10 * SPAN_S;
    w->ledger[0].written_at = AT(4, 11);
    assert_accepted(w);
    w->ledger[0].written_at = AT(4, 10);
    assert_rejected(w, 1);
}

/* ---- 2, 3 ---- */

static void an_account_of_no_slot_breaks_2(void **state)
{
    (void)state;
    w->ledger[1] = w->ledger[0];
    w->ledger[1].account.first = w->ledger[1].account.last = AT(4, 10);
    w->ledger[1].written_at = AT(4, 10);
    w->record.ledger_count = 2;
    w->cursors[0].skipped = 2;
    assert_rejected(w, 2);
}

static void a_run_of_a_schedule_that_no_command_created_breaks_2(void **state)
{
    (void)state;
    w->history[H_ONE].schedule = w->deliveries[D_ONE].run.schedule = 99;
    w->reports[R_ONE].run.schedule = w->reports[R_ONE_STALE].run.schedule = 99;
    assert_rejected(w, 2);
}

static void a_trigger_run_that_no_command_requested_breaks_2(void **state)
{
    (void)state;
    w->commands[C_TRIGGER].reply.run.pass = w->commands[C_TRIGGER_AGAIN].reply.run.pass = 2;
    w->ledger[1] = w->ledger[0];
    w->ledger[1].pass = 2; /* the acknowledged trigger has its row */
    w->ledger[1].account.first = w->ledger[1].account.last = AT(2, 30);
    w->record.ledger_count = 2;
    assert_rejected(w, 2);
}

static void a_run_with_two_rows_breaks_3(void **state)
{
    (void)state;
    w->runs[1] = w->runs[0];
    w->runs[1].id++;
    w->record.run_count = 2;
    assert_rejected(w, 3);
}

static void a_run_that_is_open_after_its_end_breaks_3(void **state)
{
    (void)state;
    w->runs[0].slot = w->runs[0].due = AT(3, 0);
    assert_rejected(w, 3);
}

/* ---- 4, 5 ---- */

static void a_gap_in_the_attempts_breaks_4(void **state)
{
    (void)state;
    w->history[H_TWO_AGAIN].attempt = w->deliveries[D_TWO_AGAIN].run.attempt = 3;
    assert_rejected(w, 4);
}

static void a_run_that_vanished_between_attempts_breaks_4(void **state)
{
    (void)state;
    w->history[H_TWO_AGAIN].last = false;
    assert_rejected(w, 4);
}

static void an_attempt_with_the_outcome_of_a_slot_breaks_4(void **state)
{
    (void)state;
    w->history[H_ONE].outcome = OUTCOME_SKIPPED;
    assert_rejected(w, 4);
}

static void an_attempt_that_ended_before_it_started_breaks_4(void **state)
{
    (void)state;
    w->history[H_ONE].started_at = AT(1, 11);
    assert_rejected(w, 4);
}

static void a_fence_that_does_not_grow_breaks_5(void **state)
{
    (void)state;
    w->history[H_TWO_AGAIN].fence = 1;
    assert_rejected(w, 5);
}

static void a_delivery_with_an_old_fence_breaks_5(void **state)
{
    (void)state;
    w->deliveries[D_TWO_AGAIN].run.fence = 1;
    assert_rejected(w, 5);
}

/* ---- 6, 7, 8 ---- */

static void an_accepted_stale_report_breaks_6(void **state)
{
    (void)state;
    w->reports[R_TWO_AGAIN].fence = 1;
    assert_rejected(w, 6);
}

static void a_stale_report_without_an_event_breaks_6(void **state)
{
    (void)state;
    for (int i = 0; i < w->record.event_count; i++)
        if (w->events[i].event.type == EVENT_LEASE_STALE)
            w->events[i].event.type = EVENT_RUN_LATE;
    assert_rejected(w, 6);
}

static void an_accepted_end_that_is_not_in_history_breaks_6(void **state)
{
    (void)state;
    w->history[H_ONE].outcome = OUTCOME_FAILED;
    assert_rejected(w, 6);
}

static void an_end_that_was_accepted_twice_breaks_6(void **state)
{
    (void)state;
    w->reports[R_ONE_STALE].rc = RC_OK;
    w->reports[R_ONE_STALE].at = AT(1, 10);
    assert_rejected(w, 6);
}

static void a_delivery_that_the_store_does_not_know_breaks_7(void **state)
{
    (void)state;
    w->deliveries[D_FIVE].run.fence = 2;
    assert_rejected(w, 7);
}

static void a_delivery_without_a_committed_turn_breaks_7(void **state)
{
    (void)state;
    w->deliveries[D_FIVE].order = 1000;
    assert_rejected(w, 7);
}

static void two_deliveries_of_an_at_most_once_run_break_8(void **state)
{
    (void)state;
    w->drafts[0].policies.at_most_once = true;
    assert_rejected(w, 8);
}

static void a_second_id_for_a_run_breaks_8(void **state)
{
    (void)state;
    w->deliveries[D_TWO_AGAIN].id[2]++;
    assert_rejected(w, 8);
}

static void an_attempt_that_is_sent_twice_breaks_8(void **state)
{
    (void)state;
    w->deliveries[D_TWO_AGAIN].run.attempt = 1;
    assert_rejected(w, 8);
}

static void one_id_for_two_runs_breaks_8(void **state)
{
    (void)state;
    memcpy(w->deliveries[D_FIVE].id, w->deliveries[D_THREE].id, sizeof w->deliveries[0].id);
    assert_rejected(w, 8);
}

/* ---- 9 ---- */

static void pause_at(instant at)
{
    struct rec_command *c = &w->commands[w->record.command_count++];

    *c = w->commands[C_CREATE];
    c->command.kind = COMMAND_PAUSE;
    c->command.pause.until = INSTANT_NEVER;
    c->draft = -1;
    c->at = at;
    for (int i = 0; i < w->record.turn_count && w->turns[i].now <= at; i++)
        c->order = w->turns[i].order;
}

static void an_automatic_run_after_a_pause_breaks_9(void **state)
{
    (void)state;
    pause_at(AT(4, 30));
    assert_rejected(w, 9);
}

static void an_automatic_run_after_the_pause_is_over_is_accepted(void **state)
{
    (void)state;
    pause_at(AT(4, 30));
    w->commands[C_COUNT].command.pause.until = AT(4, 40);
    assert_accepted(w);
}

/* Of two commands in one turn, their positions decide which is in force, not their times. */
static void of_a_pause_and_a_resume_in_one_turn_the_last_one_counts(void **state)
{
    struct rec_command *pause = &w->commands[C_COUNT], *resume = pause + 1;

    (void)state;
    pause_at(AT(4, 30));
    *resume = *pause;
    resume->command.kind = COMMAND_RESUME;
    w->record.command_count++;
    resume->position = 1;
    assert_accepted(w);
    pause->position = 2;
    assert_rejected(w, 9);
}

/* Enabling a schedule does not resume it. */
static void a_pause_outlasts_an_edit_and_a_disablement_does_not(void **state)
{
    struct rec_command *pause = &w->commands[C_COUNT], *edit = pause + 1;

    (void)state;
    pause_at(AT(4, 30));
    *edit = *pause;
    edit->command.kind = COMMAND_UPDATE;
    edit->draft = 0;
    edit->position = 1;
    edit->reply.version = w->cursors[0].version = 3;
    w->record.command_count++;
    assert_rejected(w, 9);
    w->drafts[1] = w->drafts[0];
    w->drafts[1].is_disabled = true;
    w->record.draft_count = 2;
    pause->command.kind = COMMAND_UPDATE;
    pause->draft = 1;
    pause->reply.version = 2;
    assert_accepted(w);
    edit->draft = 1;
    assert_rejected(w, 9);
}

static void a_run_after_the_deletion_breaks_9(void **state)
{
    (void)state;
    pause_at(AT(4, 30));
    w->commands[C_COUNT].command.kind = COMMAND_DELETE;
    w->record.cursor_count = 0;
    assert_rejected(w, 9);
}

static void missed_for_a_pause_without_a_command_breaks_9(void **state)
{
    (void)state;
    w->ledger[0].account.outcome = OUTCOME_MISSED;
    w->ledger[0].account.reason = REASON_PAUSED;
    assert_rejected(w, 9);
}

/* The engine resumes in a turn of 4:10; the pause was until 4:05, or 3:55. */
static void missed_after_the_end_of_a_pause_breaks_9(void **state)
{
    (void)state;
    world_make_empty(w);
    w->drafts[0].def.start = AT(3, 30);
    world_command(w, AT(3, 30), COMMAND_PAUSE)->command.pause.until = AT(4, 5);
    world_event(w, AT(3, 30), EVENT_SCHEDULE_PAUSED, 0, 0);
    w->events[w->record.event_count - 1].event.count = 2;
    (void)world_ledger(w, AT(4, 10), AT(4, 0), OUTCOME_MISSED, REASON_PAUSED);
    world_event(w, AT(4, 10), EVENT_SCHEDULE_RESUMED, 0, 0);
    w->events[w->record.event_count - 1].event.count = 3;
    w->cursors[0].missed = 1;
    w->cursors[0].version = 3;
    w->commands[1].reply.version = 2;
    world_close(w, AT(4, 30), AT(4, 0));
    assert_accepted(w);
    w->commands[1].command.pause.until = AT(3, 55);
    assert_rejected(w, 9);
}

/* ---- 11, 12, 16, 17 ---- */

static void a_mark_that_passed_a_slot_breaks_11(void **state)
{
    (void)state;
    w->record.ledger_count = 0;
    assert_rejected(w, 11);
}

static void an_account_after_the_mark_breaks_11(void **state)
{
    (void)state;
    w->cursors[0].mark = AT(4, 0);
    assert_rejected(w, 11);
}

static void a_wrong_next_slot_breaks_11(void **state)
{
    (void)state;
    w->cursors[0].next_at = AT(6, 1);
    assert_rejected(w, 11);
    w->cursors[0].next_at = AT(7, 0);
    assert_rejected(w, 11);
    w->cursors[0].next_at = INSTANT_NEVER;
    assert_rejected(w, 11);
}

static void a_delivery_before_its_time_breaks_12(void **state)
{
    (void)state;
    w->deliveries[D_FIVE].run.due = AT(5, 1);
    assert_rejected(w, 12);
}

static void a_run_before_its_time_breaks_12(void **state)
{
    (void)state;
    w->history[H_ONE].created_at = AT(0, 59);
    assert_rejected(w, 12);
}

static void a_due_time_without_jitter_breaks_12(void **state)
{
    (void)state;
    w->runs[0].due = AT(5, 5);
    w->runs[0].created_at = AT(5, 5);
    assert_rejected(w, 12);
}

static void a_slot_decided_before_its_time_breaks_12(void **state)
{
    (void)state;
    w->ledger[0].written_at = AT(3, 59);
    assert_rejected(w, 12);
}

static void more_attempts_than_allowed_break_16(void **state)
{
    (void)state;
    w->drafts[0].policies.retry.attempts = 1;
    assert_rejected(w, 16);
}

static void a_lost_attempt_is_not_counted(void **state)
{
    (void)state;
    w->drafts[0].policies.retry.attempts = 1;
    w->history[H_TWO].outcome = w->reports[R_TWO].outcome = OUTCOME_UNKNOWN;
    w->history[H_TWO].reason = REASON_NODE;
    assert_accepted(w);
}

static void a_retry_that_came_too_soon_breaks_16(void **state)
{
    (void)state;
    w->drafts[0].policies.retry.delay = 11 * SPAN_S;
    assert_rejected(w, 16);
    w->drafts[0].policies.retry.delay = 10 * SPAN_S;
    assert_accepted(w);
}

static void two_holders_at_once_break_17(void **state)
{
    (void)state;
    w->history[H_TWO].ended_at = w->reports[R_TWO].at = AT(2, 16);
    w->drafts[0].policies.retry.delay = 0;
    w->history[H_TWO_AGAIN].started_at = AT(2, 16);
    assert_rejected(w, 17);
}

#define TEST(name) cmocka_unit_test_setup(name, make)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_unchanged_world_is_accepted),
        TEST(a_slot_without_an_account_breaks_1),
        TEST(a_slot_with_two_accounts_breaks_1),
        TEST(a_range_with_a_wrong_count_breaks_1),
        TEST(an_outcome_without_a_legal_reason_breaks_1),
        TEST(a_reason_without_a_cause_breaks_1),
        TEST(coalesced_without_a_representative_or_under_all_breaks_1),
        TEST(missed_within_the_window_breaks_1),
        TEST(an_account_of_no_slot_breaks_2),
        TEST(a_run_of_a_schedule_that_no_command_created_breaks_2),
        TEST(a_trigger_run_that_no_command_requested_breaks_2),
        TEST(a_run_with_two_rows_breaks_3),
        TEST(a_run_that_is_open_after_its_end_breaks_3),
        TEST(a_gap_in_the_attempts_breaks_4),
        TEST(a_run_that_vanished_between_attempts_breaks_4),
        TEST(an_attempt_with_the_outcome_of_a_slot_breaks_4),
        TEST(an_attempt_that_ended_before_it_started_breaks_4),
        TEST(a_fence_that_does_not_grow_breaks_5),
        TEST(a_delivery_with_an_old_fence_breaks_5),
        TEST(an_accepted_stale_report_breaks_6),
        TEST(a_stale_report_without_an_event_breaks_6),
        TEST(an_accepted_end_that_is_not_in_history_breaks_6),
        TEST(an_end_that_was_accepted_twice_breaks_6),
        TEST(a_delivery_that_the_store_does_not_know_breaks_7),
        TEST(a_delivery_without_a_committed_turn_breaks_7),
        TEST(two_deliveries_of_an_at_most_once_run_break_8),
        TEST(a_second_id_for_a_run_breaks_8),
        TEST(an_attempt_that_is_sent_twice_breaks_8),
        TEST(one_id_for_two_runs_breaks_8),
        TEST(an_automatic_run_after_a_pause_breaks_9),
        TEST(an_automatic_run_after_the_pause_is_over_is_accepted),
        TEST(of_a_pause_and_a_resume_in_one_turn_the_last_one_counts),
        TEST(a_pause_outlasts_an_edit_and_a_disablement_does_not),
        TEST(a_run_after_the_deletion_breaks_9),
        TEST(missed_for_a_pause_without_a_command_breaks_9),
        TEST(missed_after_the_end_of_a_pause_breaks_9),
        TEST(a_mark_that_passed_a_slot_breaks_11),
        TEST(an_account_after_the_mark_breaks_11),
        TEST(a_wrong_next_slot_breaks_11),
        TEST(a_delivery_before_its_time_breaks_12),
        TEST(a_run_before_its_time_breaks_12),
        TEST(a_due_time_without_jitter_breaks_12),
        TEST(a_slot_decided_before_its_time_breaks_12),
        TEST(more_attempts_than_allowed_break_16),
        TEST(a_lost_attempt_is_not_counted),
        TEST(a_retry_that_came_too_soon_breaks_16),
        TEST(two_holders_at_once_break_17),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
