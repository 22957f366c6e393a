/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Worlds that the judge must not reject although they look wrong, each next to one that it must
 * reject: clock changes, edits, retention, stepped clocks, schedules that follow their
 * runs or have used up their starts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "judging.h"

static struct world world;
static struct world *const w = &world;

static int make_empty(void **state)
{
    (void)state;
    world_make_empty(w);
    return 0;
}

/* A run that was created, sent and ended at the given times. */
static void run_at(instant slot, instant at, instant end)
{
    struct rec_delivery *d = world_send(w, at, slot, 0);

    world_end(w, end, d, OUTCOME_SUCCEEDED, true);
    w->cursors[0].started++;
}

static void miss(instant first, instant last, int64_t count, instant at)
{
    struct ledger_entry *l = world_ledger(w, at, last, OUTCOME_MISSED, REASON_COALESCED);

    l->account.first = first;
    l->account.count = count;
    w->cursors[0].missed += count;
}

static void wait_for(instant next)
{
    w->cursors[0].next_at = w->cursors[0].wake_at = next;
}

/* 02:30 in New York: 69 days at 07:30 UTC, and on 10 March, in the gap, 07:00. */
static void a_slot_in_a_gap_is_where_the_clock_ends_it(void **state)
{
    static struct cron_def cron = {.expr = {"30 2 * * *", 10}, .dialect = DIALECT_BELFRY};
    instant gap = BEGIN + 69 * SPAN_DAY + 7 * SPAN_H;

    (void)state;
    w->drafts[0].def = spec_def_empty();
    w->drafts[0].def.cron = &cron;
    w->drafts[0].def.cron_count = 1;
    w->drafts[0].def.zone = STR("America/New_York");
    miss(AT(450, 0), AT(450, 0) + 68 * SPAN_DAY, 69, gap);
    run_at(gap, gap, gap + SPAN_S);
    world_close(w, gap + SPAN_MIN, gap);
    wait_for(gap + 23 * SPAN_H + 30 * SPAN_MIN);
    w->record.healed = gap;
    assert_accepted(w);
    w->ledger[0].account.count = 70;
    assert_rejected(w, 1);
}

/* From every 60 to every 90 seconds, at 2:30: 2:00 is the old version's, 3:00 both's. */
static void an_edit_keeps_past_slots_and_adds_those_of_the_new_spec(void **state)
{
    static struct interval_def slower = {.every = 90 * SPAN_S, .anchor = ANCHOR_EPOCH};
    struct rec_command *c;

    (void)state;
    w->drafts[1] = w->drafts[0];
    w->drafts[1].def.intervals = &slower;
    w->record.draft_count = 2;
    run_at(AT(1, 0), AT(1, 0), AT(1, 5));
    run_at(AT(2, 0), AT(2, 0), AT(2, 5));
    c = world_command(w, AT(2, 30), COMMAND_UPDATE);
    c->draft = 1;
    c->reply.version = w->cursors[0].version = 2;
    run_at(AT(3, 0), AT(3, 0), AT(3, 5));
    run_at(AT(4, 30), AT(4, 30), AT(4, 35));
    world_close(w, AT(5, 30), AT(4, 30));
    wait_for(AT(6, 0));
    assert_accepted(w);
    miss(AT(4, 0), AT(4, 0), 1, AT(4, 30));
    assert_rejected(w, 2);
}

static void missing_rows_prove_nothing_under_retention(void **state)
{
    (void)state;
    w->drafts[0].policies.retention_count = 1;
    run_at(AT(2, 0), AT(2, 0), AT(2, 5));
    w->cursors[0].started = w->cursors[0].succeeded = 2;
    world_close(w, AT(2, 30), AT(2, 0));
    assert_accepted(w);
    w->drafts[0].policies.retention_count = 0;
    assert_rejected(w, 11);
}

/* The end of 1:00, by a node whose clock is behind, has a lower key than the row before it. */
static void with_two_nodes_retention_may_delete_the_later_row(void **state)
{
    struct rec_delivery *d;

    (void)state;
    w->drafts[0].policies.retention_count = 2;
    d = world_send(w, AT(1, 0), AT(1, 0), 0);
    world_end(w, AT(1, 5), d, OUTCOME_FAILED, false);
    d = world_send(w, AT(1, 15), AT(1, 0), 0);
    world_end(w, AT(1, 20), d, OUTCOME_SUCCEEDED, true);
    w->cursors[0].started++;
    w->record.history_count--;
    run_at(AT(2, 0), AT(2, 0), AT(2, 5));
    world_close(w, AT(2, 30), AT(2, 0));
    assert_rejected(w, 4);
    w->nodes[1] = (struct node){.id = NODE + 1, .boot = 1, .state = NODE_UP};
    w->nodes[1].lease_until = w->nodes[0].lease_until;
    w->record.node_count = 2;
    assert_accepted(w);
    w->drafts[0].policies.retention_count = 0;
    assert_rejected(w, 4);
}

/* At 3:00 the clock goes back to 1:00: the mark stays, and nothing is due until 4:00. */
static void a_clock_that_went_back_makes_nothing_due_again(void **state)
{
    (void)state;
    run_at(AT(1, 0), AT(1, 0), AT(1, 5));
    run_at(AT(2, 0), AT(2, 0), AT(2, 5));
    run_at(AT(3, 0), AT(3, 0), AT(1, 5));
    w->record.clock_stepped = true;
    world_close(w, AT(2, 30), AT(3, 0));
    assert_accepted(w);
    w->record.clock_stepped = false;
    assert_rejected(w, 4);
}

/* A minute after each end: 1:30 from the creation, then 2:40 after the end at 1:40. */
static void follow_ends(void)
{
    w->interval.anchor = ANCHOR_COMPLETION;
    run_at(AT(1, 30), AT(1, 30), AT(1, 40));
    run_at(AT(2, 40), AT(2, 40), AT(2, 50));
    world_close(w, AT(3, 20), AT(2, 40));
    wait_for(AT(3, 50));
}

static void an_interval_from_completion_follows_the_ends(void **state)
{
    (void)state;
    follow_ends();
    assert_accepted(w);
    miss(AT(3, 0), AT(3, 0), 1, AT(3, 0));
    w->cursors[0].mark = AT(3, 0);
    assert_rejected(w, 2);
}

static void an_interval_from_completion_that_stands_still_breaks_25(void **state)
{
    (void)state;
    follow_ends();
    world_close(w, AT(4, 0), AT(2, 40));
    wait_for(INSTANT_NEVER);
    assert_rejected(w, 25);
}

/* On the minute, and 25 seconds after each start, from 0:30 on: 0:55 lasts until 1:40. */
static void follow_starts(instant skipped)
{
    static struct interval_def both[] = {{.every = SPAN_MIN, .anchor = ANCHOR_EPOCH},
                                         {.every = 25 * SPAN_S, .anchor = ANCHOR_START}};

    struct rec_delivery *d;

    world_make_empty(w);
    w->drafts[0].policies.overlap = OVERLAP_BUFFER_ONE;
    w->drafts[0].def.intervals = both;
    w->drafts[0].def.interval_count = 2;
    d = world_send(w, AT(0, 55), AT(0, 55), 0);
    (void)world_ledger(w, skipped, skipped, OUTCOME_SKIPPED, REASON_OVERLAP);
    world_end(w, AT(1, 40), d, OUTCOME_SUCCEEDED, true);
    d = world_send(w, AT(1, 40), AT(1, 0), 0);
    d->run.created_at = AT(1, 0);
    world_end(w, AT(1, 45), d, OUTCOME_SUCCEEDED, true);
    w->cursors[0].started += 2;
    w->cursors[0].skipped++;
    run_at(AT(1, 50), AT(1, 50), AT(1, 52));
    world_close(w, AT(1, 55), AT(1, 50));
    wait_for(AT(2, 0));
}

/* 1:00 waits for the end of 0:55: the next slot is 1:25, not 1:20, which counts from 0:55. */
static void intervals_from_starts_count_from_a_waiting_run(void **state)
{
    (void)state;
    follow_starts(AT(1, 25));
    assert_accepted(w);
    follow_starts(AT(1, 20));
    assert_rejected(w, 2);
}

/* 2:30 had no reason to wait: 1:30 had ended at 2:20. */
static void a_slot_that_counts_from_a_start_and_is_late_breaks_26(void **state)
{
    (void)state;
    w->drafts[0].policies.overlap = OVERLAP_BUFFER_ONE;
    w->interval.anchor = ANCHOR_START;
    run_at(AT(1, 30), AT(1, 30), AT(2, 20));
    run_at(AT(2, 30), AT(2, 35), AT(2, 40));
    world_close(w, AT(2, 50), AT(2, 30));
    wait_for(AT(3, 30));
    assert_accepted(w);
    w->history[1].created_at = AT(2, 36);
    assert_rejected(w, 26);
}

static void after_the_last_start_there_are_no_slots(void **state)
{
    (void)state;
    w->drafts[0].policies.remaining_runs = 1;
    run_at(AT(1, 0), AT(1, 0), AT(1, 5));
    w->cursors[0].remaining = 0;
    world_close(w, AT(5, 30), AT(1, 0));
    wait_for(INSTANT_NEVER);
    assert_accepted(w);
    w->drafts[0].policies.remaining_runs = 2;
    w->cursors[0].remaining = 1;
    assert_rejected(w, 25);
}

/* Two nodes: the second, whose clock is a second behind, sends what the first has created. */
static void clocks_of_two_nodes_may_be_apart(void **state)
{
    (void)state;
    run_at(AT(1, 0), AT(1, 0), AT(1, 5));
    w->history[0].started_at = w->deliveries[0].at = AT(0, 59);
    w->turns[w->deliveries[0].order].now = AT(0, 59);
    world_close(w, AT(1, 30), AT(1, 0));
    w->nodes[1] = w->nodes[0];
    w->nodes[1].id = 2;
    w->nodes[1].event = 0;
    w->record.node_count = 2;
    assert_accepted(w);
    w->record.node_count = 1;
    assert_rejected(w, 12);
}

/* An attempt handed back unstarted is made again with its number; it was not sent twice. */
static void a_released_attempt_is_not_counted(void **state)
{
    struct rec_delivery *d;

    (void)state;
    w->drafts[0].policies.at_most_once = true;
    d = world_send(w, AT(1, 0), AT(1, 0), 0);
    world_end(w, AT(1, 1), d, OUTCOME_SUCCEEDED, false);
    w->reports[0].kind = REPORT_RELEASE;
    w->record.history_count = 0;
    d = world_send(w, AT(1, 2), AT(1, 0), 0);
    d->run.attempt = 1;
    world_end(w, AT(1, 5), d, OUTCOME_SUCCEEDED, true);
    w->cursors[0].started = 1;
    world_close(w, AT(1, 30), AT(1, 0));
    assert_accepted(w);
    w->reports[0].kind = REPORT_ALIVE;
    assert_rejected(w, 8);
}

/* A node claims 1:00 with fence 1, stalls, and hands it back; fence 2 executes it. */
static void a_node_may_release_a_run_that_it_never_sent(void **state)
{
    struct rec_delivery *d;

    (void)state;
    d = world_send(w, AT(1, 0), AT(1, 0), 0);
    world_end(w, AT(1, 10), d, OUTCOME_SUCCEEDED, false);
    w->reports[0].kind = REPORT_RELEASE;
    w->record.history_count = 0;
    *d = *world_send(w, AT(1, 20), AT(1, 0), 0);
    w->record.delivery_count = 1;
    d->run.attempt = 1;
    world_end(w, AT(1, 25), d, OUTCOME_SUCCEEDED, true);
    w->cursors[0].started = 1;
    world_close(w, AT(1, 30), AT(1, 0));
    assert_accepted(w);
    w->reports[0].kind = REPORT_ALIVE;
    assert_rejected(w, 6);
    w->reports[0].kind = REPORT_RELEASE;
    w->reports[0].order = w->turns[w->record.turn_count - 1].order; /* when 2 was in force */
    assert_rejected(w, 6);
}

/* At 4:10 three slots are due: 4:00 starts for all of them, not first 3:00, then 4:00. */
static void catch_up_latest_starts_the_last_due_slot(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        world_make_empty(w);
        run_at(AT(1, 0), AT(1, 0), AT(1, 5));
        miss(AT(2, 0), AT(3 - i, 0), 2 - i, AT(4, 10));
        if (i == 1)
            run_at(AT(3, 0), AT(4, 10), AT(4, 11));
        run_at(AT(4, 0), AT(4, 10 + 2 * i), AT(4, 15));
        world_close(w, AT(4, 30), AT(4, 0));
        w->record.healed = AT(4, 10);
        if (i == 0)
            assert_accepted(w);
        else
            assert_rejected(w, 1);
    }
}

/* The day counts from the execution, not from the last request. */
static void an_answer_is_kept_for_a_day_and_no_longer(void **state)
{
    struct rec_command *c;

    (void)state;
    for (int i = 0; i < 3; i++) {
        c = world_command(w, AT(1, 0) + i * 13 * SPAN_H, COMMAND_RESET);
        c->command.request = STR("once");
        c->reply.is_repeated = i == 1;
    }
    w->drafts[0].def.end = AT(0, 50);
    world_close(w, AT(1, 0) + 30 * SPAN_H, AT(0, 30));
    wait_for(INSTANT_NEVER);
    assert_accepted(w);
    w->commands[2].reply.is_repeated = false;
    assert_rejected(w, 13);
}

/* Two places from 2:30 to 3:30: 2:00 and 3:00 run together.  With one place they must not. */
static void a_gate_is_judged_by_its_limit_at_that_turn(void **state)
{
    struct rec_command *c;
    struct rec_delivery *two, *three;

    (void)state;
    w->drafts[0].policies.overlap = OVERLAP_ALLOW_ALL;
    run_at(AT(1, 0), AT(1, 0), AT(1, 5));
    two = world_send(w, AT(2, 0), AT(2, 0), 0);
    for (int i = 0; i < 2; i++) {
        c = world_command(w, AT(2 + i, 30), COMMAND_GATE);
        c->command.name = STR("one");
        c->command.limit = 2 - i;
        c->reply.schedule = GATE;
        if (i == 0)
            three = world_send(w, AT(3, 0), AT(3, 0), 0);
    }
    world_end(w, AT(3, 40), two, OUTCOME_SUCCEEDED, true);
    world_end(w, AT(3, 45), three, OUTCOME_SUCCEEDED, true);
    w->cursors[0].started += 2;
    world_close(w, AT(3, 50), AT(3, 0));
    assert_accepted(w);
    c->order = three->order;
    assert_rejected(w, 10);
}

/* The queue of the runs, from which workers claim them. */
static void set_limit(struct rec_command *c, int64_t most)
{
    c->command.name = STR("q");
    c->command.limit = most;
    c->reply.schedule = 1;
}

/*
 * One place from 0:40 on, two from 2:30, one from 3:20: 2:00 and 3:00 run simultaneously, and
 * both continue when there is one place.  4:00 begins when they have ended, not before.
 */
static void a_queue_is_judged_by_its_limit_at_that_turn(void **state)
{
    struct rec_command *c;
    struct rec_delivery *two, *three, *four;

    (void)state;
    w->drafts[0].policies.overlap = OVERLAP_ALLOW_ALL;
    w->drafts[0].policies.gate.len = 0;
    w->record.gate_count = 0;
    set_limit(world_command(w, AT(0, 40), COMMAND_QUEUE_LIMIT), 1);
    run_at(AT(1, 0), AT(1, 0), AT(1, 5));
    two = world_send(w, AT(2, 0), AT(2, 0), 0);
    c = world_command(w, AT(2, 30), COMMAND_QUEUE_LIMIT);
    set_limit(c, 2);
    three = world_send(w, AT(3, 0), AT(3, 0), 0);
    set_limit(world_command(w, AT(3, 20), COMMAND_QUEUE_LIMIT), 1);
    world_end(w, AT(3, 40), two, OUTCOME_SUCCEEDED, true);
    world_end(w, AT(3, 45), three, OUTCOME_SUCCEEDED, true);
    four = world_send(w, AT(4, 0), AT(4, 0), 0);
    world_end(w, AT(4, 5), four, OUTCOME_SUCCEEDED, true);
    for (int i = 0; i < w->record.delivery_count; i++) {
        w->deliveries[i].run.gate = 0;
        w->deliveries[i].run.lane = LANE_PULL;
    }
    w->cursors[0].started += 3;
    world_close(w, AT(4, 10), AT(4, 0));
    assert_accepted(w);
    c->command.limit = 1;
    assert_rejected(w, 10);
    c->command.limit = 0; /* no limit */
    assert_accepted(w);
}

/* Set by another node: it counts a second later, when this one must have read it. */
static void a_limit_of_another_node_may_not_be_known_for_a_second(void **state)
{
    struct rec_command *c;
    struct rec_delivery *two, *three;

    (void)state;
    w->drafts[0].policies.overlap = OVERLAP_ALLOW_ALL;
    w->drafts[0].policies.gate.len = 0;
    w->record.gate_count = 0;
    run_at(AT(1, 0), AT(1, 0), AT(1, 5));
    two = world_send(w, AT(2, 0), AT(2, 0), 0);
    c = world_command(w, AT(2, 59), COMMAND_QUEUE_LIMIT);
    set_limit(c, 1);
    c->node = NODE + 1;
    w->turns[c->order].node = NODE + 1;
    three = world_send(w, AT(3, 0), AT(3, 0), 0);
    world_end(w, AT(3, 40), two, OUTCOME_SUCCEEDED, true);
    world_end(w, AT(3, 45), three, OUTCOME_SUCCEEDED, true);
    for (int i = 0; i < w->record.delivery_count; i++) {
        w->deliveries[i].run.gate = 0;
        w->deliveries[i].run.lane = LANE_PULL;
    }
    w->cursors[0].started += 2;
    w->nodes[1] = w->nodes[0];
    w->nodes[1].id = NODE + 1;
    w->record.node_count = 2;
    world_close(w, AT(3, 50), AT(3, 0));
    assert_accepted(w);
    c->node = w->turns[c->order].node = NODE;
    assert_rejected(w, 10);
}

/* Stepped clocks hide nothing: 2:00 is sent before the turn that ends 1:00. */
static void overlapping_runs_break_10_although_the_clock_was_stepped(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct rec_delivery *one, *two;

        world_make_empty(w);
        w->gates[0].most = w->drafts[0].policies.gate_limit = 2;
        w->record.clock_stepped = true;
        one = world_send(w, AT(1, 0), AT(1, 0), 0);
        if (i == 0)
            world_end(w, AT(1, 50), one, OUTCOME_SUCCEEDED, true);
        two = world_send(w, AT(2, 0), AT(2, 0), 0);
        if (i == 1)
            world_end(w, AT(1, 50), one, OUTCOME_SUCCEEDED, true);
        world_end(w, AT(1, 55), two, OUTCOME_SUCCEEDED, true);
        w->cursors[0].started = 2;
        world_close(w, AT(2, 30), AT(2, 0));
        if (i == 0)
            assert_accepted(w);
        else
            assert_rejected(w, 10);
    }
}

/* 1:00 is handed back at 1:10, ends at 2:20 without a holder; 2:00 has the gate meanwhile. */
static void a_released_run_does_not_occupy_its_gate(void **state)
{
    struct rec_delivery *one, *two;

    (void)state;
    w->drafts[0].policies.overlap = OVERLAP_ALLOW_ALL;
    one = world_send(w, AT(1, 0), AT(1, 0), 0);
    world_end(w, AT(1, 10), one, OUTCOME_SUCCEEDED, false);
    w->reports[0].kind = REPORT_RELEASE;
    w->record.history_count = 0;
    two = world_send(w, AT(2, 0), AT(2, 0), 0);
    world_end(w, AT(2, 20), one, OUTCOME_SUCCEEDED, true);
    w->record.report_count--; /* it ended by itself */
    w->history[0].outcome = OUTCOME_CANCELLED;
    w->history[0].reason = REASON_START_WITHIN;
    w->cursors[0].succeeded = 0;
    w->cursors[0].recent = 3;
    w->events[w->record.event_count - 1].event.detail = (int64_t)OUTCOME_CANCELLED * 256 +
                                                        (int64_t)REASON_START_WITHIN;
    world_end(w, AT(2, 30), two, OUTCOME_SUCCEEDED, true);
    w->cursors[0].started = 2;
    world_close(w, AT(2, 40), AT(2, 0));
    assert_accepted(w);
    w->reports[0].kind = REPORT_ALIVE;
    assert_rejected(w, 10);
}

/*
 * 1:00 fails at 1:10 or 2:10 and is cancelled while it waits, at 2:20; of its rows only the
 * last is kept.  2:00 begins at the gate for one.
 */
static void fail_and_cancel(instant failed)
{
    struct rec_delivery *one, *two = NULL;

    world_make_empty(w);
    w->drafts[0].policies.overlap = OVERLAP_ALLOW_ALL;
    w->drafts[0].policies.retention_count = 1;
    one = world_send(w, AT(1, 0), AT(1, 0), 0);
    if (failed > AT(2, 0))
        two = world_send(w, AT(2, 0), AT(2, 0), 0);
    world_end(w, failed, one, OUTCOME_FAILED, false);
    w->record.history_count = 0;
    if (!two)
        two = world_send(w, AT(2, 0), AT(2, 0), 0);
    world_end(w, AT(2, 20), one, OUTCOME_SUCCEEDED, true);
    w->record.report_count--; /* there was no holder */
    w->history[0].outcome = OUTCOME_CANCELLED;
    w->history[0].reason = REASON_START_WITHIN;
    w->cursors[0].succeeded = 0;
    w->events[w->record.event_count - 1].event.detail = (int64_t)OUTCOME_CANCELLED * 256 +
                                                        (int64_t)REASON_START_WITHIN;
    world_end(w, AT(2, 30), two, OUTCOME_SUCCEEDED, true);
    w->cursors[0].started = 2;
    world_close(w, AT(2, 40), AT(2, 0));
}

static void an_attempt_without_a_row_left_the_gate_at_its_report(void **state)
{
    (void)state;
    fail_and_cancel(AT(1, 10));
    assert_accepted(w);
    w->reports[0].rc = RC_UNKNOWN;
    assert_accepted(w);
    w->reports[0].kind = REPORT_ALIVE; /* the engine ended it; when is unknown */
    assert_accepted(w);
    w->history[0].outcome = OUTCOME_UNKNOWN; /* it was running until then */
    w->history[0].reason = REASON_LEASE;
    assert_rejected(w, 10);
    fail_and_cancel(AT(2, 10));
    assert_rejected(w, 10);
}

#define TEST(name) cmocka_unit_test_setup(name, make_empty)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_slot_in_a_gap_is_where_the_clock_ends_it),
        TEST(an_edit_keeps_past_slots_and_adds_those_of_the_new_spec),
        TEST(missing_rows_prove_nothing_under_retention),
        TEST(with_two_nodes_retention_may_delete_the_later_row),
        TEST(a_clock_that_went_back_makes_nothing_due_again),
        TEST(an_interval_from_completion_follows_the_ends),
        TEST(an_interval_from_completion_that_stands_still_breaks_25),
        TEST(intervals_from_starts_count_from_a_waiting_run),
        TEST(a_slot_that_counts_from_a_start_and_is_late_breaks_26),
        TEST(after_the_last_start_there_are_no_slots),
        TEST(clocks_of_two_nodes_may_be_apart),
        TEST(a_released_attempt_is_not_counted),
        TEST(a_node_may_release_a_run_that_it_never_sent),
        TEST(catch_up_latest_starts_the_last_due_slot),
        TEST(an_answer_is_kept_for_a_day_and_no_longer),
        TEST(a_gate_is_judged_by_its_limit_at_that_turn),
        TEST(a_queue_is_judged_by_its_limit_at_that_turn),
        TEST(a_limit_of_another_node_may_not_be_known_for_a_second),
        TEST(overlapping_runs_break_10_although_the_clock_was_stepped),
        TEST(a_released_run_does_not_occupy_its_gate),
        TEST(an_attempt_without_a_row_left_the_gate_at_its_report),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
