/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The judge and governed schedules: it computes grid and picks from the draft, the hints and
 * the runs.  The grid has every minute; the schedule is created at 0:30.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "judging.h"

static struct world *w;

static int make_empty(void **state)
{
    (void)state;
    w = calloc(1, sizeof *w);
    assert_non_null(w);
    world_make_empty(w);
    w->drafts[0].is_governed = true;
    return 0;
}

static int drop(void **state)
{
    (void)state;
    free(w);
    return 0;
}

/* A run of a slot, which succeeds. */
static void run_at(instant slot, instant ended)
{
    const struct rec_delivery *d = world_send(w, slot, slot, 0);

    world_end(w, ended, d, OUTCOME_SUCCEEDED, true);
    w->cursors[0].started++;
}

static void skipped(instant at, instant slot)
{
    (void)world_ledger(w, at, slot, OUTCOME_SKIPPED, REASON_GOVERNOR);
    w->cursors[0].skipped++;
}

static void hint_at(instant at, instant wanted, instant expires)
{
    struct rec_command *c = world_command(w, at, COMMAND_HINT);

    c->command.hint = (struct hint_args){.at = wanted, .expires = expires};
    c->reply.version = 1;
}

/* 1:00 lasts until 2:20, so 2:00 is skipped; then 3:00. */
static void the_grid_in_a_run_is_skipped(void **state)
{
    (void)state;
    run_at(AT(1, 0), AT(2, 20));
    skipped(AT(2, 20), AT(2, 0));
    run_at(AT(3, 0), AT(3, 10));
    world_close(w, AT(3, 30), AT(3, 0));
    assert_accepted(w);
    /* Without the row, with counters that agree. */
    w->record.ledger_count = 0;
    w->cursors[0].skipped = 0;
    assert_rejected(w, 11);
}

static void a_skipped_time_that_is_not_in_the_grid_breaks_2(void **state)
{
    (void)state;
    run_at(AT(1, 0), AT(2, 20));
    skipped(AT(2, 20), AT(2, 0));
    skipped(AT(2, 20), AT(2, 10));
    run_at(AT(3, 0), AT(3, 10));
    world_close(w, AT(3, 30), AT(3, 0));
    assert_rejected(w, 2);
}

static void a_pick_that_is_skipped_breaks_1(void **state)
{
    (void)state;
    run_at(AT(1, 0), AT(1, 20));
    skipped(AT(3, 0), AT(2, 0)); /* the pick after the run */
    run_at(AT(3, 0), AT(3, 10));
    world_close(w, AT(3, 30), AT(3, 0));
    assert_rejected(w, 1);
}

/* 0:30 and 90 s give 2:00, then 3:30; the grid before each is skipped. */
static void a_clamped_pick_must_have_an_account(void **state)
{
    (void)state;
    w->drafts[0].governor_min = 90 * SPAN_S;
    skipped(AT(2, 0), AT(1, 0));
    run_at(AT(2, 0), AT(2, 10));
    skipped(AT(3, 30), AT(3, 0));
    run_at(AT(3, 30), AT(3, 40));
    world_close(w, AT(3, 50), AT(3, 30));
    assert_accepted(w);
}

static void a_run_that_the_governor_did_not_choose_breaks_2(void **state)
{
    (void)state;
    run_at(AT(1, 0), AT(1, 10));
    run_at(AT(1, 30), AT(1, 40));
    world_close(w, AT(1, 50), AT(1, 30));
    assert_rejected(w, 2);
}

static void a_hint_moves_the_pick_unless_it_has_expired(void **state)
{
    (void)state;
    run_at(AT(1, 0), AT(1, 10));
    hint_at(AT(1, 20), AT(1, 30), AT(1, 40));
    run_at(AT(1, 30), AT(1, 35));
    world_close(w, AT(1, 50), AT(1, 30));
    assert_accepted(w);
    w->commands[1].command.hint.expires = AT(1, 30);
    assert_rejected(w, 2);
}

static void a_pick_after_the_end_breaks_2(void **state)
{
    (void)state;
    w->drafts[0].governor_max = 20 * SPAN_S;
    w->drafts[0].def.end = AT(1, 0);
    run_at(AT(0, 50), AT(0, 51));
    run_at(AT(1, 0), AT(1, 1));
    world_close(w, AT(1, 50), AT(1, 0));
    w->cursors[0].next_at = INSTANT_NEVER;
    assert_accepted(w);
    world_make_empty(w);
    w->drafts[0].is_governed = true;
    w->drafts[0].governor_max = 20 * SPAN_S;
    w->drafts[0].def.end = AT(1, 0);
    run_at(AT(0, 50), AT(0, 51));
    run_at(AT(1, 0), AT(1, 1));
    run_at(AT(1, 20), AT(1, 21));
    world_close(w, AT(1, 50), AT(1, 20));
    assert_rejected(w, 2);
}

/* An event reports a slot that the ledger does not have. */
static void a_lost_row_of_a_deleted_schedule_breaks_19(void **state)
{
    (void)state;
    run_at(AT(1, 0), AT(1, 10));
    world_event(w, AT(1, 10), EVENT_SLOT_SKIPPED, AT(1, 5), 1);
    w->events[w->record.event_count - 1].event.detail = OUTCOME_SKIPPED * 256 + REASON_OVERLAP;
    w->events[w->record.event_count - 1].event.count = 1;
    world_close(w, AT(1, 50), AT(1, 0));
    assert_rejected(w, 19);
}

/* A pick, `wait` after the creation, and an edit at 2:10 to every minute with jitter. */
static void pick_then_edit(span wait)
{
    static struct interval_def hourly = {.every = SPAN_H, .anchor = ANCHOR_EPOCH};
    struct rec_command *c;

    w->drafts[1] = w->drafts[0];
    w->drafts[1].is_governed = false;
    w->drafts[1].def.jitter = 30 * SPAN_S;
    w->record.draft_count = 2;
    w->drafts[0].def.intervals = &hourly;
    w->drafts[0].governor_max = wait;
    run_at(AT(0, 30) + wait, AT(2, 7));
    c = world_command(w, AT(2, 10), COMMAND_UPDATE);
    c->draft = 1;
    c->reply.version = w->cursors[0].version = 2;
    world_close(w, AT(2, 40), AT(2, 10));
    w->cursors[0].next_at = w->cursors[0].wake_at = AT(3, 0);
}

/*
 * The edit adds 2:00, due at 2:19.916 by the hash of test_judge_jitter.c.  Slots never go back:
 * it needs an account after the pick 1:55, and none after the pick 2:05.
 */
static void a_slot_before_the_last_pick_needs_no_account(void **state)
{
    (void)state;
    pick_then_edit(95 * SPAN_S);
    assert_accepted(w);
    world_make_empty(w);
    w->drafts[0].is_governed = true;
    pick_then_edit(85 * SPAN_S);
    assert_rejected(w, 11);
}

/*
 * The run of 0:50 ends after 1:00, the last grid time, so that the next pick is 20 s after its
 * end; 1:45 is the last one before the end of the schedule.
 */
static void make_late_run(instant after_it)
{
    w->drafts[0].governor_max = 20 * SPAN_S;
    w->drafts[0].def.end = AT(1, 55);
    run_at(AT(0, 50), AT(1, 5));
    skipped(AT(1, 5), AT(1, 0));
    run_at(after_it, AT(1, 35));
    run_at(after_it + 20 * SPAN_S, AT(1, 53));
    world_close(w, AT(2, 30), after_it + 20 * SPAN_S);
    w->cursors[0].next_at = w->cursors[0].wake_at = INSTANT_NEVER;
}

static void after_the_last_grid_time_the_maximum_counts_from_the_end(void **state)
{
    (void)state;
    make_late_run(AT(1, 25));
    assert_accepted(w);
    world_make_empty(w);
    w->drafts[0].is_governed = true;
    make_late_run(AT(1, 30));
    assert_rejected(w, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_empty, drop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_grid_in_a_run_is_skipped),
        TEST(a_skipped_time_that_is_not_in_the_grid_breaks_2),
        TEST(a_pick_that_is_skipped_breaks_1),
        TEST(a_clamped_pick_must_have_an_account),
        TEST(a_run_that_the_governor_did_not_choose_breaks_2),
        TEST(a_hint_moves_the_pick_unless_it_has_expired),
        TEST(a_pick_after_the_end_breaks_2),
        TEST(after_the_last_grid_time_the_maximum_counts_from_the_end),
        TEST(a_slot_before_the_last_pick_needs_no_account),
        TEST(a_lost_row_of_a_deleted_schedule_breaks_19),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
