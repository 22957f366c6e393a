/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slots that follow their runs, where one node with a steady clock wrote the record: the judge
 * computes every slot from the starts and ends.  docs/invariants.md, 1, 2 and 11.
 *
 * A minute after each end; the first slot is 1:30, a minute after the creation.
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
    w->interval.anchor = ANCHOR_COMPLETION;
    return 0;
}

static void run_at(instant slot, int64_t pass, instant at, instant end)
{
    struct rec_delivery *d = world_send(w, at, slot, pass);

    if (w->drafts[0].def.jitter > 0)
        d->run.due = at;
    world_end(w, end, d, OUTCOME_SUCCEEDED, true);
    w->cursors[0].started++;
}

static void run_by_hand(instant at, instant end)
{
    struct rec_command *c = world_command(w, at, COMMAND_TRIGGER);

    w->cursors[0].pass = 1;
    c->command.start.overlap = OVERLAP_DEFAULT;
    c->reply.run = (struct run_id){SCHEDULE, at / SPAN_MS, 1};
    c->reply.version = 1;
    c->reply.count = 1;
    run_at(at, 1, at, end);
}

static void end_at(instant now, instant mark, instant next)
{
    world_close(w, now, mark);
    w->cursors[0].next_at = w->cursors[0].wake_at = next;
}

static void miss(instant at, instant slot)
{
    (void)world_ledger(w, at, slot, OUTCOME_MISSED, REASON_COALESCED);
    w->cursors[0].missed++;
}

static void each_slot_counts_from_the_last_end(void **state)
{
    (void)state;
    run_at(AT(1, 30), 0, AT(1, 30), AT(1, 40));
    run_at(AT(2, 40), 0, AT(2, 40), AT(2, 45));
    end_at(AT(3, 0), AT(2, 40), AT(3, 45));
    assert_accepted(w);
}

static void a_slot_that_counts_from_an_earlier_end_breaks_2(void **state)
{
    (void)state;
    run_at(AT(1, 30), 0, AT(1, 30), AT(1, 40));
    run_at(AT(2, 40), 0, AT(2, 40), AT(2, 45));
    run_at(AT(3, 40), 0, AT(3, 40), AT(3, 41)); /* from 1:40, and not from 2:45 */
    end_at(AT(3, 42), AT(3, 40), AT(4, 41));
    assert_rejected(w, 2);
}

/* 1:30 and 2:30 are due at 2:35: the last one starts, and the first is missed. */
static void late_slots_after_one_end_all_need_accounts(void **state)
{
    (void)state;
    miss(AT(2, 35), AT(1, 30));
    run_at(AT(2, 30), 0, AT(2, 35), AT(2, 45));
    end_at(AT(3, 0), AT(2, 30), AT(3, 45));
    assert_accepted(w);
    w->record.ledger_count = 0;
    w->cursors[0].missed = 0;
    assert_rejected(w, 11);
}

/* If each must start, the start of 1:30 moves the slots after it. */
static void under_catch_up_all_a_start_moves_the_next_slot(void **state)
{
    (void)state;
    w->record.healed = AT(2, 30); /* before, no node was up */
    w->drafts[0].policies.catchup = CATCHUP_ALL;
    run_at(AT(1, 30), 0, AT(2, 35), AT(2, 45));
    end_at(AT(3, 0), AT(1, 30), AT(3, 45));
    assert_accepted(w);
    w->drafts[0].policies.catchup = CATCHUP_LATEST; /* then 2:30 was the one to start */
    assert_rejected(w, 25);
}

static void a_slot_that_a_trigger_removed_breaks_11(void **state)
{
    (void)state;
    w->drafts[0].def.jitter = 30 * SPAN_S;
    run_by_hand(AT(1, 35), AT(1, 40));
    run_at(AT(1, 30), 0, AT(1, 50), AT(1, 55));
    end_at(AT(2, 20), AT(1, 30), AT(2, 55));
    assert_accepted(w);
    make_empty(state);
    w->drafts[0].def.jitter = 30 * SPAN_S;
    run_by_hand(AT(1, 35), AT(1, 40));
    run_at(AT(2, 40), 0, AT(2, 50), AT(2, 55));
    end_at(AT(3, 20), AT(2, 40), AT(3, 55));
    assert_rejected(w, 11);
}

static void a_trigger_before_a_slot_moves_it(void **state)
{
    (void)state;
    run_by_hand(AT(1, 25), AT(1, 40));
    run_at(AT(2, 40), 0, AT(2, 40), AT(2, 55));
    end_at(AT(3, 20), AT(2, 40), AT(3, 55));
    assert_accepted(w);
}

static void a_mark_ahead_of_an_unaccounted_slot_breaks_11(void **state)
{
    (void)state;
    run_at(AT(1, 30), 0, AT(1, 30), AT(1, 40));
    end_at(AT(2, 43), AT(1, 30), AT(2, 40));
    assert_accepted(w);
    end_at(AT(2, 43), AT(2, 40), AT(3, 40));
    assert_rejected(w, 11);
}

static void a_mark_in_the_future_breaks_11(void **state)
{
    (void)state;
    run_at(AT(1, 30), 0, AT(1, 30), AT(1, 40));
    end_at(AT(2, 0), AT(2, 1), AT(2, 40));
    assert_rejected(w, 11);
}

static void a_next_slot_that_does_not_follow_breaks_11(void **state)
{
    (void)state;
    run_at(AT(1, 30), 0, AT(1, 30), AT(1, 40));
    end_at(AT(2, 0), AT(1, 30), AT(2, 30));
    assert_rejected(w, 11);
}

/* Two runs are allowed: after the second there are no slots, neither missed nor started. */
static void a_slot_after_the_last_start_breaks_2(void **state)
{
    (void)state;
    w->drafts[0].policies.remaining_runs = 2;
    w->cursors[0].remaining = 0;
    run_at(AT(1, 30), 0, AT(1, 30), AT(1, 40));
    run_at(AT(2, 40), 0, AT(2, 40), AT(2, 45));
    end_at(AT(4, 0), AT(2, 40), INSTANT_NEVER);
    assert_accepted(w);
    miss(AT(3, 50), AT(3, 45));
    end_at(AT(4, 0), AT(3, 45), INSTANT_NEVER);
    assert_rejected(w, 2);
}

/*
 * A node was stalled until 4:40, and late slots start one in each turn: in the next turn the
 * schedule is paused, so that 2:30 and 3:30 wait for the end of the pause.  A later pause comes
 * too late for that.
 */
static void late_slots_wait_only_if_a_pause_comes_at_once(void **state)
{
    struct rec_command *c;

    (void)state;
    w->interval.anchor = ANCHOR_START;
    w->drafts[0].policies.catchup = CATCHUP_ALL;
    w->drafts[0].policies.overlap = OVERLAP_ALLOW_ALL;
    run_at(AT(1, 30), 0, AT(4, 40), AT(5, 0));
    c = world_command(w, AT(4, 40) + SPAN_MS, COMMAND_PAUSE);
    c->command.pause.until = INSTANT_NEVER;
    c->reply.version = w->cursors[0].version = 2;
    end_at(AT(5, 30), AT(1, 30), AT(2, 30));
    w->cursors[0].flags = CURSOR_PAUSED;
    w->cursors[0].wake_at = INSTANT_NEVER;
    w->record.healed = AT(4, 30);
    assert_accepted(w);
    w->drafts[0].policies.catchup =
        CATCHUP_OLDEST; /* the turn of the start settles the others */
    assert_rejected(w, 25);
    w->drafts[0].policies.catchup = CATCHUP_ALL;
    c->at = AT(5, 5);
    c->order = w->record.turn_count - 1;
    assert_rejected(w, 25);
}

#define TEST(name) cmocka_unit_test_setup(name, make_empty)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_slot_counts_from_the_last_end),
        TEST(a_slot_that_counts_from_an_earlier_end_breaks_2),
        TEST(late_slots_after_one_end_all_need_accounts),
        TEST(under_catch_up_all_a_start_moves_the_next_slot),
        TEST(a_slot_that_a_trigger_removed_breaks_11),
        TEST(a_trigger_before_a_slot_moves_it),
        TEST(a_mark_ahead_of_an_unaccounted_slot_breaks_11),
        TEST(a_mark_in_the_future_breaks_11),
        TEST(a_next_slot_that_does_not_follow_breaks_11),
        TEST(a_slot_after_the_last_start_breaks_2),
        TEST(late_slots_wait_only_if_a_pause_comes_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
