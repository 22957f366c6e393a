/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slots that are due later than their nominal time: docs/invariants.md, 1, 2, 11 and 12.
 *
 * Every minute, with a jitter of 30 s and an empty seed.  The delays were computed by a third
 * implementation of the hash, which gives the delays of vectors/temporal-spec.json.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "judging.h"

#define DUE_1_00 (AT(1, 25) + 768 * SPAN_MS)
#define DUE_2_00 (AT(2, 19) + 916 * SPAN_MS)
#define DUE_1_30 (AT(1, 51) + 990 * SPAN_MS)
#define DUE_2_30 (AT(2, 47) + 694 * SPAN_MS)

static struct world world;
static struct world *const w = &world;

static int make_empty(void **state)
{
    (void)state;
    world_make_empty(w);
    w->drafts[0].def.jitter = 30 * SPAN_S;
    return 0;
}

static void run_at(instant slot, instant due, instant at, instant end)
{
    struct rec_delivery *d = world_send(w, at, slot, 0);

    d->run.due = due;
    world_end(w, end, d, OUTCOME_SUCCEEDED, true);
    w->cursors[0].started++;
}

static void miss(instant at, instant slot, enum reason reason)
{
    (void)world_ledger(w, at, slot, OUTCOME_MISSED, reason);
    w->cursors[0].missed++;
}

static void edit_at(instant at, int draft)
{
    struct rec_command *c = world_command(w, at, COMMAND_UPDATE);

    c->draft = draft;
    c->reply.version = w->cursors[0].version = 2;
}

static void end_at(instant now, instant mark, instant next)
{
    world_close(w, now, mark);
    w->cursors[0].next_at = w->cursors[0].wake_at = next;
    w->record.healed = AT(3, 0);
}

static void a_due_time_that_is_not_that_of_the_hash_breaks_12(void **state)
{
    (void)state;
    run_at(AT(1, 0), DUE_1_00, DUE_1_00, AT(1, 40));
    end_at(AT(1, 50), AT(1, 0), AT(2, 0));
    assert_accepted(w);
    w->history[0].due = w->deliveries[0].run.due = DUE_1_00 - SPAN_MS;
    assert_rejected(w, 12);
}

/* 2:00 is due after the edit of 2:10: the new version has it, and starts it. */
static void a_slot_that_is_due_after_an_edit_is_the_new_versions(void **state)
{
    (void)state;
    run_at(AT(1, 0), DUE_1_00, DUE_1_00, AT(1, 40));
    edit_at(AT(2, 10), 0);
    run_at(AT(2, 0), DUE_2_00, DUE_2_00, AT(2, 30));
    end_at(AT(2, 40), AT(2, 0), AT(3, 0));
    assert_accepted(w);
    make_empty(state);
    run_at(AT(1, 0), DUE_1_00, DUE_1_00, AT(1, 40));
    edit_at(AT(2, 10), 0);
    end_at(AT(2, 40), AT(2, 10), AT(3, 0));
    assert_rejected(w, 11);
}

/* Every 90 seconds from 2:10 on: 2:00 was not due, and the new version does not have it. */
static void a_slot_that_an_edit_removed_before_it_was_due_breaks_2(void **state)
{
    static struct interval_def slower = {.every = 90 * SPAN_S, .anchor = ANCHOR_EPOCH};

    (void)state;
    w->drafts[1] = w->drafts[0];
    w->drafts[1].def.intervals = &slower;
    w->record.draft_count = 2;
    run_at(AT(1, 0), DUE_1_00, DUE_1_00, AT(1, 40));
    edit_at(AT(2, 10), 1);
    end_at(AT(2, 40), AT(2, 10), AT(3, 0));
    assert_accepted(w);
    miss(AT(2, 10), AT(2, 0), REASON_EDITED);
    assert_rejected(w, 2);
}

/* At 2:20 it was due: it is the old version's. */
static void a_slot_that_was_due_before_an_edit_needs_its_account(void **state)
{
    (void)state;
    run_at(AT(1, 0), DUE_1_00, DUE_1_00, AT(1, 40));
    miss(AT(2, 22), AT(2, 0), REASON_EDITED);
    edit_at(AT(2, 22), 0);
    end_at(AT(2, 40), AT(2, 22), AT(3, 0));
    assert_accepted(w);
    w->record.ledger_count = 0;
    w->cursors[0].missed = 0;
    assert_rejected(w, 11);
}

/*
 * A minute after each end.  1:30 and 2:30 have come by 2:40, but only 1:30 is due: it starts,
 * and 2:30 counts from its end instead.  By 2:50 both are due, and the first is missed.
 */
static void only_late_slots_that_are_due_need_accounts(void **state)
{
    (void)state;
    w->interval.anchor = ANCHOR_COMPLETION;
    run_at(AT(1, 30), DUE_1_30, AT(2, 40), AT(2, 45));
    end_at(AT(3, 0), AT(1, 30), AT(3, 45));
    assert_accepted(w);
    miss(AT(2, 40), AT(2, 30), REASON_COALESCED);
    end_at(AT(3, 0), AT(2, 30), AT(3, 45));
    assert_rejected(w, 2);
    make_empty(state);
    w->interval.anchor = ANCHOR_COMPLETION;
    miss(AT(2, 50), AT(1, 30), REASON_COALESCED);
    run_at(AT(2, 30), DUE_2_30, AT(2, 50), AT(2, 55));
    end_at(AT(3, 0), AT(2, 30), AT(3, 55));
    assert_accepted(w);
    w->record.ledger_count = 0;
    w->cursors[0].missed = 0;
    assert_rejected(w, 11);
}

#define TEST(name) cmocka_unit_test_setup(name, make_empty)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_due_time_that_is_not_that_of_the_hash_breaks_12),
        TEST(a_slot_that_is_due_after_an_edit_is_the_new_versions),
        TEST(a_slot_that_an_edit_removed_before_it_was_due_breaks_2),
        TEST(a_slot_that_was_due_before_an_edit_needs_its_account),
        TEST(only_late_slots_that_are_due_need_accounts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
