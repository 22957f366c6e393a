/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slots a minute after each end, the first at 1:30, a minute after the creation, and runs that
 * are created between the time of a slot and its start: docs/invariants.md, 1.
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
    w->drafts[0].def.jitter = 30 * SPAN_S;
    w->record.node_count = 2; /* with one, judge_follow.c lists all slots */
    w->nodes[1] = w->nodes[0];
    w->nodes[1].id = NODE + 1;
    return 0;
}

static void run_at(instant slot, int64_t pass, instant at, instant end)
{
    struct rec_delivery *d = world_send(w, at, slot, pass);

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

static void a_slot_that_starts_after_a_trigger_is_accepted(void **state)
{
    (void)state;
    run_by_hand(AT(1, 35), AT(1, 40));
    run_at(AT(1, 30), 0, AT(1, 50), AT(1, 55));
    end_at(AT(2, 20), AT(1, 30), AT(2, 55));
    assert_accepted(w);
}

static void a_slot_that_a_trigger_removed_breaks_1(void **state)
{
    (void)state;
    run_by_hand(AT(1, 35), AT(1, 40));
    run_at(AT(2, 40), 0, AT(2, 50), AT(2, 55));
    end_at(AT(3, 20), AT(2, 40), AT(3, 55));
    assert_rejected(w, 1);
}

static void a_cursor_that_skips_a_slot_after_a_trigger_breaks_1(void **state)
{
    (void)state;
    run_by_hand(AT(1, 35), AT(1, 40));
    end_at(AT(1, 45), AT(0, 30), AT(1, 30));
    assert_accepted(w);
    end_at(AT(1, 45), AT(0, 30), AT(2, 40));
    assert_rejected(w, 1);
}

static void a_trigger_before_a_slot_moves_it(void **state)
{
    (void)state;
    run_by_hand(AT(1, 25), AT(1, 40));
    run_at(AT(2, 40), 0, AT(2, 50), AT(2, 55));
    end_at(AT(3, 20), AT(2, 40), AT(3, 55));
    assert_accepted(w);
}

/* 1:30 and 2:30 are due at 3:15; if each must start, the first moves the next. */
static void all_due_slots_need_accounts_except_under_catch_up_all(void **state)
{
    (void)state;
    (void)world_ledger(w, AT(3, 15), AT(2, 30), OUTCOME_SKIPPED, REASON_OVERLAP);
    (void)world_ledger(w, AT(3, 15), AT(1, 30), OUTCOME_MISSED, REASON_COALESCED);
    w->cursors[0].skipped = w->cursors[0].missed = 1;
    run_by_hand(AT(3, 15), AT(3, 20));
    run_at(AT(4, 20), 0, AT(4, 30), AT(4, 35));
    end_at(AT(4, 40), AT(4, 20), AT(5, 35));
    assert_accepted(w);
    w->record.ledger_count = 1;
    w->cursors[0].missed = 0;
    assert_rejected(w, 1);
    w->ledger[0].account.first = w->ledger[0].account.last = AT(1, 30);
    assert_rejected(w, 1);
    w->drafts[0].policies.catchup = CATCHUP_ALL;
    assert_accepted(w);
}

/* With catchup.whilePaused the removed slot may still wait, so the judge does not reject. */
static void slots_that_may_wait_need_no_account(void **state)
{
    (void)state;
    run_by_hand(AT(1, 35), AT(1, 40));
    run_at(AT(2, 40), 0, AT(2, 50), AT(2, 55));
    end_at(AT(3, 20), AT(2, 40), AT(3, 55));
    w->drafts[0].policies.catchup_paused = true;
    assert_accepted(w);
}

#define TEST(name) cmocka_unit_test_setup(name, make_empty)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_slot_that_starts_after_a_trigger_is_accepted),
        TEST(a_slot_that_a_trigger_removed_breaks_1),
        TEST(a_cursor_that_skips_a_slot_after_a_trigger_breaks_1),
        TEST(a_trigger_before_a_slot_moves_it),
        TEST(all_due_slots_need_accounts_except_under_catch_up_all),
        TEST(slots_that_may_wait_need_no_account),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
