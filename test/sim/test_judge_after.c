/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Negative controls of the judge, continued: overlap and gates, counters, events, what must
 * hold after the faults have stopped, and the same seed again.
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

static int make_empty(void **state)
{
    (void)state;
    world_make_empty(w);
    return 0;
}

/* ---- 10 ---- */

/* Slots 1:00 and 2:00 are created on time and sent at the given times; both succeed. */
static void run_two(instant first, instant first_end, instant second, instant second_end)
{
    struct rec_delivery *a, *b;

    w->drafts[0].policies.gate_limit = 2;
    w->gates[0].most = 2;
    a = world_send(w, first, AT(1, 0), 0);
    a->run.created_at = AT(1, 0);
    if (first_end <= second)
        world_end(w, first_end, a, OUTCOME_SUCCEEDED, true);
    b = world_send(w, second, AT(2, 0), 0);
    b->run.created_at = AT(2, 0);
    if (first_end > second)
        world_end(w, first_end, a, OUTCOME_SUCCEEDED, true);
    world_end(w, second_end, b, OUTCOME_SUCCEEDED, true);
    w->cursors[0].started = 2;
    world_close(w, second_end > AT(2, 59) ? second_end : AT(2, 59), AT(2, 0));
}

static void two_runs_side_by_side_break_10(void **state)
{
    (void)state;
    run_two(AT(1, 0), AT(2, 10), AT(2, 5), AT(2, 20));
    assert_rejected(w, 10);
    w->drafts[0].policies.overlap = OVERLAP_ALLOW_ALL;
    assert_accepted(w);
}

static void a_run_that_waited_under_skip_breaks_10(void **state)
{
    (void)state;
    run_two(AT(1, 0), AT(2, 10), AT(2, 10), AT(2, 20));
    assert_rejected(w, 10);
    w->drafts[0].policies.overlap = OVERLAP_BUFFER_ONE;
    assert_accepted(w);
}

/* Two runs wait for the running one; bufferOne allows one. */
static void two_that_wait_under_buffer_one_break_10(void **state)
{
    const struct rec_delivery *first;

    (void)state;
    first = world_send(w, AT(1, 0), AT(1, 0), 0);
    for (int i = 0; i < 2; i++) {
        w->runs[i + 1] = first->run;
        w->runs[i + 1].id += i + 1;
        w->runs[i + 1].state = RUN_HELD;
        w->runs[i + 1].attempt = 0;
        w->runs[i + 1].slot = w->runs[i + 1].due = AT(2 + i, 0);
        w->runs[i + 1].created_at = AT(2 + i, 0);
        w->runs[i + 1].started_at = w->runs[i + 1].attempt_at = INSTANT_NONE;
    }
    w->runs[0] = first->run;
    w->record.run_count = 3;
    w->gates[0].open = w->cursors[0].open = w->cursors[0].started = 1;
    w->cursors[0].waiting = 2;
    world_close(w, AT(3, 30), AT(3, 0));
    w->drafts[0].policies.overlap = OVERLAP_BUFFER_ALL;
    assert_accepted(w);
    w->drafts[0].policies.buffer_limit = 1;
    assert_rejected(w, 10);
    w->drafts[0].policies.overlap = OVERLAP_BUFFER_ONE;
    assert_rejected(w, 10);
}

static void buffered_runs_out_of_order_break_10(void **state)
{
    struct rec_delivery *d;

    (void)state;
    w->drafts[0].policies.overlap = OVERLAP_BUFFER_ALL;
    d = world_send(w, AT(2, 10), AT(2, 0), 0);
    d->run.created_at = AT(2, 0);
    world_end(w, AT(2, 20), d, OUTCOME_SUCCEEDED, true);
    d = world_send(w, AT(2, 30), AT(1, 0), 0);
    d->run.created_at = AT(1, 0);
    world_end(w, AT(2, 40), d, OUTCOME_SUCCEEDED, true);
    w->cursors[0].started = 2;
    world_close(w, AT(2, 50), AT(2, 0));
    assert_rejected(w, 10);
}

/* 2:00 waits, 1:00 ends at the given time, and 3:00 begins before 2:00. */
static void overtake(instant end_of_first, instant third)
{
    struct rec_delivery *d;

    w->drafts[0].policies.overlap = OVERLAP_BUFFER_ALL;
    d = world_send(w, AT(1, 0), AT(1, 0), 0);
    world_end(w, end_of_first, d, OUTCOME_SUCCEEDED, true);
    d = world_send(w, third, AT(3, 0), 0);
    d->run.created_at = AT(3, 0);
    world_end(w, AT(3, 20), d, OUTCOME_SUCCEEDED, true);
    d = world_send(w, AT(3, 30), AT(2, 0), 0);
    d->run.created_at = AT(2, 0);
    world_end(w, AT(3, 40), d, OUTCOME_SUCCEEDED, true);
    w->cursors[0].started = 3;
    world_close(w, AT(3, 50), AT(3, 0));
}

/* Where starts expire in their turn, only a new slot may begin before one that waits. */
static void a_waiting_start_that_overtakes_another_breaks_10(void **state)
{
    (void)state;
    overtake(AT(2, 30), AT(3, 0));
    assert_rejected(w, 10);
    w->drafts[0].policies.expires_at_start = true;
    assert_accepted(w);
    (void)make_empty(state);
    overtake(AT(3, 5), AT(3, 10));
    w->drafts[0].policies.expires_at_start = true;
    assert_rejected(w, 10);
}

static void skipped_with_nothing_open_breaks_10(void **state)
{
    (void)state;
    world_ledger(w, AT(1, 0), AT(1, 0), OUTCOME_SKIPPED, REASON_OVERLAP);
    w->cursors[0].skipped = 1;
    world_close(w, AT(1, 30), AT(1, 0));
    assert_rejected(w, 10);
}

static void dropped_where_slots_should_wait_breaks_10(void **state)
{
    (void)state;
    world_ledger(w, AT(1, 0), AT(1, 0), OUTCOME_DROPPED, REASON_BUFFER);
    w->cursors[0].dropped = 1;
    world_close(w, AT(1, 30), AT(1, 0));
    assert_rejected(w, 10);
    w->drafts[0].policies.drop_when_full = true;
    assert_accepted(w);
}

static void a_gate_that_was_passed_by_too_many_breaks_10(void **state)
{
    (void)state;
    run_two(AT(1, 0), AT(2, 10), AT(2, 5), AT(2, 20));
    w->drafts[0].policies.overlap = OVERLAP_ALLOW_ALL;
    assert_accepted(w);
    w->gates[0].most = w->drafts[0].policies.gate_limit = 1;
    assert_rejected(w, 10);
}

/* A command sets 2; an edit that repeats the previous version's 1 does not change that. */
static void an_edit_with_an_unchanged_gate_limit_does_not_set_it(void **state)
{
    struct rec_command *set = world_command(w, AT(0, 40), COMMAND_GATE), *edit;

    (void)state;
    set->command = (struct command){.kind = COMMAND_GATE, .name = STR("one"), .limit = 2};
    set->reply.schedule = GATE;
    edit = world_command(w, AT(0, 50), COMMAND_UPDATE);
    edit->reply.version = w->cursors[0].version = 2;
    run_two(AT(1, 0), AT(2, 10), AT(2, 5), AT(2, 20));
    w->drafts[0].policies.overlap = OVERLAP_ALLOW_ALL;
    w->drafts[0].policies.gate_limit = 1;
    edit->draft = 0;
    assert_accepted(w);
}

static void a_gate_that_miscounts_breaks_10(void **state)
{
    (void)state;
    w->gates[0].open = 0;
    assert_rejected(w, 10);
    world_make(w);
    w->gates[0].waiting = 1;
    assert_rejected(w, 10);
}

/* ---- 15, 19, 24 ---- */

static void every_counter_that_miscounts_breaks_15(void **state)
{
    int64_t *const counters[] = {
        &w->cursors[0].open,    &w->cursors[0].waiting,   &w->cursors[0].backfills,
        &w->cursors[0].started, &w->cursors[0].skipped,   &w->cursors[0].missed,
        &w->cursors[0].dropped, &w->cursors[0].cancelled, &w->cursors[0].succeeded,
        &w->cursors[0].failed,
    };

    (void)state;
    for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++) {
        ++*counters[i];
        assert_rejected(w, 15);
        --*counters[i];
    }
    assert_accepted(w);
}

static void starts_that_do_not_lower_the_remaining_runs_break_15(void **state)
{
    (void)state;
    w->drafts[0].policies.remaining_runs = 10;
    w->cursors[0].remaining = 7;
    assert_rejected(w, 15);
    w->cursors[0].remaining = 6; /* four automatic starts; the trigger takes none */
    assert_accepted(w);
}

static void a_gap_in_the_events_breaks_19(void **state)
{
    (void)state;
    w->events[w->record.event_count - 1].number++;
    w->nodes[0].event++;
    assert_rejected(w, 19);
}

static void an_event_that_the_node_does_not_know_breaks_19(void **state)
{
    (void)state;
    w->nodes[0].event++;
    assert_rejected(w, 19);
}

static void an_end_event_with_another_outcome_breaks_19(void **state)
{
    (void)state;
    w->events[w->record.event_count - 1].event.detail = (int64_t)OUTCOME_FAILED * 256;
    assert_rejected(w, 19);
}

static void an_end_without_an_event_breaks_19(void **state)
{
    (void)state;
    w->events[w->record.event_count - 1].event.type = EVENT_RUN_LATE;
    assert_rejected(w, 19);
}

static void an_end_event_without_history_breaks_19(void **state)
{
    (void)state;
    world_event(w, AT(5, 20), EVENT_RUN_ENDED, AT(5, 0), 0);
    assert_rejected(w, 19);
}

/* The event of 4:00 says skipped(overlap). */
static void a_ledger_row_that_differs_from_its_event_breaks_19(void **state)
{
    (void)state;
    world_event(w, AT(4, 0), EVENT_SLOT_SKIPPED, AT(4, 0), 0);
    w->events[w->record.event_count - 1].event.detail = OUTCOME_SKIPPED * 256 + REASON_OVERLAP;
    w->events[w->record.event_count - 1].event.count = 1;
    assert_rejected(w, 19); /* the test adds the event of each row: now there are two */
    w->events[w->record.event_count - 1].event.detail = OUTCOME_SKIPPED * 256 + REASON_GOVERNOR;
    assert_rejected(w, 19);
}

static void a_run_with_attempts_after_its_end_breaks_19(void **state)
{
    (void)state;
    w->history[H_TWO].last = true;
    assert_rejected(w, 19);
}

static void history_out_of_order_breaks_19(void **state)
{
    (void)state;
    w->history[H_THREE].id = w->history[H_ONE].id;
    assert_rejected(w, 19);
}

static void a_damaged_database_breaks_24(void **state)
{
    (void)state;
    w->record.integrity_ok = false;
    assert_rejected(w, 24);
}

/* ---- 18, 25 to 28, 30 ---- */

static void a_run_of_a_dead_node_breaks_18(void **state)
{
    (void)state;
    w->nodes[0].state = NODE_DOWN;
    assert_rejected(w, 18);
}

static void a_run_of_an_earlier_boot_breaks_18(void **state)
{
    (void)state;
    w->runs[0].attempt_at = w->runs[0].started_at = AT(4, 20);
    w->nodes[0].started_at = AT(4, 20);
    assert_accepted(w);
    w->nodes[0].started_at = AT(4, 21);
    assert_rejected(w, 18);
}

static void a_lease_that_ended_long_ago_breaks_18(void **state)
{
    (void)state;
    w->runs[0].node = 0;
    w->runs[0].lease_until = AT(4, 29);
    assert_rejected(w, 18);
    w->runs[0].lease_until = AT(4, 31);
    assert_accepted(w);
}

static void a_due_slot_without_an_account_breaks_25(void **state)
{
    (void)state;
    world_close(w, AT(6, 10), AT(5, 0));
    w->cursors[0].next_at = w->cursors[0].wake_at = AT(6, 0);
    assert_rejected(w, 25);
}

/* Paused at 5:40: 6:00 is accounted for when it is resumed.  A flag alone proves nothing. */
static void a_mark_that_stays_behind_breaks_25(void **state)
{
    struct rec_command *c = world_command(w, AT(5, 40), COMMAND_PAUSE);

    (void)state;
    c->command.pause.until = INSTANT_NEVER;
    c->reply.version = w->cursors[0].version = 2;
    world_close(w, AT(6, 10), AT(5, 0));
    w->cursors[0].flags = CURSOR_PAUSED;
    w->cursors[0].wake_at = INSTANT_NEVER;
    assert_accepted(w);
    c->at = AT(6, 10); /* later than the slot and a turn after it */
    (void)world_command(w, AT(6, 30), COMMAND_RESET);
    assert_accepted(w);
    c->at = AT(6, 30);
    c->order = w->record.turn_count - 1;
    assert_rejected(w, 25);
    c->reply.rc = RC_CONFLICT;
    assert_rejected(w, 25);
}

/*
 * Paused at 5:35 until 5:38, and again in a turn of 5:40, which ends the first pause: 6:00 is
 * accounted for when the second one ends.  If the second one had ended, 6:00 would be missing.
 */
static void an_expired_pause_ends_before_the_next_one_of_its_turn(void **state)
{
    struct rec_command *first = world_command(w, AT(5, 35), COMMAND_PAUSE);
    struct rec_command *second = world_command(w, AT(5, 40), COMMAND_PAUSE);
    struct rec_event *resumed = &w->events[w->record.event_count];

    (void)state;
    first->command.pause.until = AT(5, 38);
    first->reply.version = 2;
    second->command.pause.until = INSTANT_NEVER;
    second->reply.version = 4;
    world_event(w, AT(5, 40), EVENT_SCHEDULE_RESUMED, 0, 0);
    resumed->event.count = 3;
    world_event(w, AT(5, 40), EVENT_SCHEDULE_PAUSED, 0, 0);
    resumed[1].event.count = 4;
    w->cursors[0].version = 4;
    world_close(w, AT(6, 10), AT(5, 0));
    w->cursors[0].flags = CURSOR_PAUSED;
    w->cursors[0].wake_at = INSTANT_NEVER;
    assert_accepted(w);
    resumed->event.count = 5;
    w->cursors[0].version = 5;
    assert_rejected(w, 25);
}

/* The open run stays in a state while the world continues for two minutes. */
static void stand_still(enum run_state state)
{
    w->runs[0].state = state;
    w->runs[0].gate = 0;
    w->runs[0].node = 0;
    w->gates[0].open = 0;
    w->deliveries[D_FIVE].run.gate = 0;
    if (state == RUN_HELD) {
        w->cursors[0].open--;
        w->cursors[0].waiting++;
        w->cursors[0].started--;
    }
    world_close(w, AT(7, 30), AT(7, 0));
    w->ledger[1] = w->ledger[0];
    w->ledger[1].account = (struct account){AT(6, 0), AT(7, 0), 2, OUTCOME_SKIPPED,
                                            REASON_OVERLAP};
    w->ledger[1].written_at = AT(7, 0);
    w->record.ledger_count = 2;
    w->cursors[0].skipped = 3;
    w->drafts[0].policies.retry.max = 10 * SPAN_S;
}

static void a_ready_run_that_is_not_claimed_breaks_25(void **state)
{
    (void)state;
    stand_still(RUN_READY);
    w->record.delivery_count = D_FIVE;
    w->runs[0].attempt = 0;
    w->runs[0].fence = 0;
    assert_rejected(w, 25);
    w->runs[0].state = RUN_APPROVAL;
    assert_accepted(w);
}

static void a_held_run_with_nothing_open_breaks_25(void **state)
{
    (void)state;
    w->drafts[0].policies.overlap = OVERLAP_BUFFER_ONE;
    stand_still(RUN_HELD);
    w->record.delivery_count = D_FIVE;
    w->runs[0].attempt = 0;
    assert_rejected(w, 25);
}

/* A late start that expires in its turn waits for the next slot, if that can start. */
static void a_late_start_waits_only_for_a_slot_that_can_start(void **state)
{
    (void)state;
    w->drafts[0].policies.overlap = OVERLAP_BUFFER_ALL;
    stand_still(RUN_HELD);
    w->record.delivery_count = D_FIVE;
    w->runs[0].attempt = 0;
    w->drafts[0].policies.expires_at_start = true;
    assert_rejected(w, 25); /* without a window, nothing is too late */
    w->drafts[0].policies.catchup_window = 10 * SPAN_S;
    assert_accepted(w);
    w->drafts[0].policies.buffer_limit = 1;
    assert_rejected(w, 25);
}

static void a_retry_that_is_overdue_breaks_25(void **state)
{
    struct history_row *row;

    (void)state;
    row = world_end(w, AT(5, 31), &w->deliveries[D_FIVE], OUTCOME_FAILED, false);
    row->started_at = AT(5, 0);
    stand_still(RUN_BACKOFF);
    w->runs[0].wake_at = AT(7, 0);
    assert_accepted(w);
    w->runs[0].wake_at = AT(6, 0);
    assert_rejected(w, 25);
}

static void a_gated_run_at_a_gate_with_room_breaks_25(void **state)
{
    (void)state;
    stand_still(RUN_GATED);
    w->record.delivery_count = D_FIVE;
    w->runs[0].attempt = 0;
    w->runs[0].gate = GATE;
    w->gates[0].waiting = 1;
    assert_rejected(w, 25);
}

static void a_start_that_came_late_breaks_26(void **state)
{
    (void)state;
    w->runs[0].created_at = AT(5, 6);
    assert_rejected(w, 26);
    w->record.healed = AT(4, 20); /* faults had not stopped yet */
    assert_accepted(w);
}

/* 2:00 is sent at 2:01, while 1:00 waits until 2:10. */
static void a_run_that_waits_while_a_worse_rank_is_sent_breaks_27(void **state)
{
    struct rec_delivery *d;

    (void)state;
    w->drafts[0].policies.overlap = OVERLAP_ALLOW_ALL;
    w->drafts[0].policies.gate.len = 0;
    w->record.gate_count = 0;
    d = world_send(w, AT(2, 1), AT(2, 0), 0);
    d->run.created_at = AT(2, 0);
    d->run.gate = 0;
    world_end(w, AT(2, 3), d, OUTCOME_SUCCEEDED, true);
    d = world_send(w, AT(2, 10), AT(1, 0), 0);
    d->run.created_at = AT(1, 0);
    d->run.gate = 0;
    world_end(w, AT(2, 20), d, OUTCOME_SUCCEEDED, true);
    w->cursors[0].started = 2;
    world_close(w, AT(2, 50), AT(2, 0));
    assert_rejected(w, 27);
    w->deliveries[0].run.rank = w->deliveries[1].run.rank - 1; /* it was more urgent */
    assert_accepted(w);
}

static void a_schedule_that_is_overdue_breaks_28(void **state)
{
    (void)state;
    w->cursors[0].wake_at = AT(4, 29);
    assert_rejected(w, 28);
}

static void a_run_that_is_overdue_breaks_28(void **state)
{
    (void)state;
    w->runs[0].wake_at = AT(4, 29);
    assert_rejected(w, 28);
}

static void a_seed_that_gives_another_world_breaks_30(void **state)
{
    static struct world other;
    struct err err = {0};

    (void)state;
    world_make(&other);
    assert_int_equal(judge_same(&w->record, &other.record, &err), RC_OK);
    other.events[2].event.fence++;
    assert_int_equal(judge_same(&w->record, &other.record, &err), RC_CORRUPT);
    assert_memory_equal(err.text, "30: ", 4);
    world_make(&other);
    other.record.turn_count--;
    assert_int_equal(judge_same(&w->record, &other.record, &err), RC_CORRUPT);
}

#define TEST(name)  cmocka_unit_test_setup(name, make)
#define EMPTY(name) cmocka_unit_test_setup(name, make_empty)

int main(void)
{
    const struct CMUnitTest tests[] = {
        EMPTY(two_runs_side_by_side_break_10),
        EMPTY(a_run_that_waited_under_skip_breaks_10),
        EMPTY(two_that_wait_under_buffer_one_break_10),
        EMPTY(buffered_runs_out_of_order_break_10),
        EMPTY(a_waiting_start_that_overtakes_another_breaks_10),
        EMPTY(skipped_with_nothing_open_breaks_10),
        EMPTY(dropped_where_slots_should_wait_breaks_10),
        EMPTY(a_gate_that_was_passed_by_too_many_breaks_10),
        EMPTY(an_edit_with_an_unchanged_gate_limit_does_not_set_it),
        TEST(a_gate_that_miscounts_breaks_10),
        TEST(every_counter_that_miscounts_breaks_15),
        TEST(starts_that_do_not_lower_the_remaining_runs_break_15),
        TEST(a_gap_in_the_events_breaks_19),
        TEST(an_event_that_the_node_does_not_know_breaks_19),
        TEST(an_end_event_with_another_outcome_breaks_19),
        TEST(an_end_without_an_event_breaks_19),
        TEST(an_end_event_without_history_breaks_19),
        TEST(a_ledger_row_that_differs_from_its_event_breaks_19),
        TEST(a_run_with_attempts_after_its_end_breaks_19),
        TEST(history_out_of_order_breaks_19),
        TEST(a_damaged_database_breaks_24),
        TEST(a_run_of_a_dead_node_breaks_18),
        TEST(a_run_of_an_earlier_boot_breaks_18),
        TEST(a_lease_that_ended_long_ago_breaks_18),
        TEST(a_due_slot_without_an_account_breaks_25),
        TEST(a_mark_that_stays_behind_breaks_25),
        TEST(an_expired_pause_ends_before_the_next_one_of_its_turn),
        TEST(a_ready_run_that_is_not_claimed_breaks_25),
        TEST(a_held_run_with_nothing_open_breaks_25),
        TEST(a_late_start_waits_only_for_a_slot_that_can_start),
        TEST(a_retry_that_is_overdue_breaks_25),
        TEST(a_gated_run_at_a_gate_with_room_breaks_25),
        TEST(a_start_that_came_late_breaks_26),
        EMPTY(a_run_that_waits_while_a_worse_rank_is_sent_breaks_27),
        TEST(a_schedule_that_is_overdue_breaks_28),
        TEST(a_run_that_is_overdue_breaks_28),
        TEST(a_seed_that_gives_another_world_breaks_30),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
