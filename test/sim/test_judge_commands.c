/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Negative controls of the judge, continued: the effects of acknowledged commands.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

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

/* ---- 13, 14 ---- */

static void a_created_schedule_that_is_gone_breaks_13(void **state)
{
    (void)state;
    w->record.cursor_count = 0;
    assert_rejected(w, 13);
}

static void a_trigger_without_a_trace_breaks_13(void **state)
{
    (void)state;
    world_command(w, AT(0, 40), COMMAND_TRIGGER)->reply.run = (struct run_id){
        SCHEDULE, AT(0, 40) / SPAN_MS, 1};
    world_close(w, AT(0, 50), AT(0, 30));
    assert_rejected(w, 13);
    w->ledger[0] = (struct ledger_entry){
        .schedule = SCHEDULE,
        .pass = 1,
        .account = {AT(0, 40), AT(0, 40), 1, OUTCOME_DROPPED, REASON_BUFFER},
        .written_at = AT(0, 40)};
    w->record.ledger_count = 1;
    w->drafts[0].policies.drop_when_full = true;
    w->cursors[0].dropped = 1;
    assert_accepted(w);
}

static void a_request_that_is_done_twice_breaks_13(void **state)
{
    (void)state;
    w->commands[C_TRIGGER_AGAIN].reply.is_repeated = false;
    assert_rejected(w, 13);
}

static void a_request_that_is_answered_in_two_ways_breaks_13(void **state)
{
    (void)state;
    w->commands[C_TRIGGER_AGAIN].reply.count = 0;
    assert_rejected(w, 13);
}

static void a_new_request_that_passes_for_an_old_one_breaks_13(void **state)
{
    (void)state;
    w->commands[C_TRIGGER_AGAIN].command.request = STR("another");
    assert_rejected(w, 13);
}

static void a_version_that_was_acknowledged_and_lost_breaks_13(void **state)
{
    (void)state;
    w->commands[C_TRIGGER].reply.version = 2;
    w->commands[C_TRIGGER_AGAIN].reply.version = 2;
    assert_rejected(w, 13);
}

/* A backfill of two slots before the creation; one of them is missing. */
static void a_backfill_that_left_out_a_slot_breaks_13(void **state)
{
    static const struct range range = {AT(-2, 0), AT(-1, 0), .overlap = OVERLAP_SKIP};
    struct rec_command *c;
    struct rec_delivery *d;

    (void)state;
    c = world_command(w, AT(0, 40), COMMAND_BACKFILL);
    c->command.backfill = (struct backfill_args){&range, 1};
    c->reply.run.pass = 1;
    d = world_send(w, AT(0, 40), AT(-2, 0), 1);
    d->run.kind = RUN_BACKFILL;
    d->run.due = AT(0, 40);
    w->runs[0] = d->run;
    w->record.run_count = 1;
    w->cursors[0].open = w->cursors[0].started = w->gates[0].open = 1;
    world_close(w, AT(0, 50), AT(0, 30));
    assert_rejected(w, 13);
    w->ledger[0] = (struct ledger_entry){
        .schedule = SCHEDULE,
        .pass = 1,
        .account = {AT(-1, 0), AT(-1, 0), 1, OUTCOME_SKIPPED, REASON_OVERLAP},
        .written_at = AT(0, 40)};
    w->record.ledger_count = 1;
    w->cursors[0].skipped = 1;
    assert_accepted(w);
}

static struct ledger_entry *skip_filled(instant slot, int64_t pass)
{
    struct ledger_entry *l = world_ledger(w, AT(0, 40), slot, OUTCOME_SKIPPED, REASON_OVERLAP);

    l->pass = pass;
    w->cursors[0].skipped++;
    return l;
}

/* Two backfills of the three slots before the creation, during a run: all are skipped. */
static struct ledger_entry *fill_twice(void)
{
    static const struct range ranges[] = {
        {AT(-3, 0), AT(-1, 0), .overlap = OVERLAP_SKIP},
        {AT(-3, 0), AT(-1, 0), .overlap = OVERLAP_SKIP},
    };
    struct ledger_entry *first;
    struct rec_command *c = world_command(w, AT(0, 35), COMMAND_TRIGGER);
    struct rec_delivery *d;

    c->reply.run = (struct run_id){SCHEDULE, AT(0, 35) / SPAN_MS, 1};
    d = world_send(w, AT(0, 35), AT(0, 35), 1);
    w->runs[0] = d->run;
    w->record.run_count = 1;
    w->cursors[0].open = w->cursors[0].started = w->gates[0].open = 1;
    c = world_command(w, AT(0, 40), COMMAND_BACKFILL);
    c->command.backfill = (struct backfill_args){ranges, 2};
    c->reply.run.pass = 2;
    first = skip_filled(AT(-3, 0), 2);
    skip_filled(AT(-2, 0), 2);
    skip_filled(AT(-1, 0), 2);
    skip_filled(AT(-3, 0), 3);
    skip_filled(AT(-2, 0), 3);
    skip_filled(AT(-1, 0), 3);
    world_close(w, AT(0, 50), AT(0, 30));
    assert_accepted(w);
    return first;
}

static void set_slot(struct ledger_entry *l, instant slot)
{
    l->account.first = l->account.last = slot;
}

/* The slot that has no account in its pass has one in the other pass. */
static void a_start_of_a_backfill_with_two_rows_breaks_1(void **state)
{
    (void)state;
    set_slot(fill_twice(), AT(-2, 0));
    assert_rejected(w, 1);
}

static void a_backfill_that_leaves_a_slot_to_another_one_breaks_13(void **state)
{
    struct ledger_entry *l;

    (void)state;
    l = fill_twice();
    for (int i = 0; &l[i] != &w->ledger[5]; i++)
        l[i] = l[i + 1];
    w->record.ledger_count--;
    w->cursors[0].skipped--;
    assert_rejected(w, 13);
}

static void a_row_of_a_backfill_outside_its_range_breaks_2(void **state)
{
    (void)state;
    set_slot(fill_twice(), AT(-4, 0));
    assert_rejected(w, 2);
}

static void a_row_of_a_backfill_that_is_not_a_slot_breaks_2(void **state)
{
    (void)state;
    set_slot(fill_twice(), AT(-3, 20));
    assert_rejected(w, 2);
}

/* 1:00 succeeds, 2:00 is missed; then only missed slots are backfilled. */
static void ask_for_missed(void)
{
    static const struct range range = {AT(1, 0), AT(2, 0), .overlap = OVERLAP_ALLOW_ALL,
                                       .flags = BACKFILL_MISSED};
    struct rec_command *c;
    struct rec_delivery *one = world_send(w, AT(1, 0), AT(1, 0), 0);

    world_end(w, AT(1, 5), one, OUTCOME_SUCCEEDED, true);
    world_command(w, AT(1, 20), COMMAND_PAUSE)->command.pause.until = INSTANT_NEVER;
    world_command(w, AT(2, 20), COMMAND_RESUME);
    world_ledger(w, AT(2, 20), AT(2, 0), OUTCOME_MISSED, REASON_PAUSED);
    w->cursors[0].started = w->cursors[0].missed = 1;
    c = world_command(w, AT(2, 40), COMMAND_BACKFILL);
    c->command.backfill = (struct backfill_args){&range, 1};
    c->reply.run.pass = 1;
}

static void fill(instant at, instant slot)
{
    struct rec_delivery *d = world_send(w, at, slot, 1);

    d->run.kind = RUN_BACKFILL;
    d->run.due = at;
    world_end(w, at + SPAN_S, d, OUTCOME_SUCCEEDED, true)->kind = RUN_BACKFILL;
    w->cursors[0].started++;
}

static void a_missed_slot_that_is_left_out_breaks_13(void **state)
{
    (void)state;
    ask_for_missed();
    world_close(w, AT(2, 50), AT(2, 0));
    assert_rejected(w, 13);
}

static void a_started_slot_that_is_filled_breaks_2(void **state)
{
    (void)state;
    ask_for_missed();
    fill(AT(2, 41), AT(2, 0));
    world_close(w, AT(2, 50), AT(2, 0));
    assert_accepted(w);
    fill(AT(2, 51), AT(1, 0));
    world_close(w, AT(2, 55), AT(2, 0));
    assert_rejected(w, 2);
}

/* The start of a slot that was not missed is skipped, instead of not being requested. */
static void a_started_slot_that_is_requested_breaks_2(void **state)
{
    (void)state;
    ask_for_missed();
    fill(AT(2, 41), AT(2, 0));
    world_ledger(w, AT(2, 42), AT(1, 0), OUTCOME_SKIPPED, REASON_OVERLAP)->pass = 1;
    w->cursors[0].skipped++;
    world_close(w, AT(2, 50), AT(2, 0));
    assert_rejected(w, 2);
}

/* Paused from 0:40; the resume at 2:20 also requests the slots since 1:30, so only 2:00. */
static void resume_from_past(void)
{
    struct rec_command *c;

    world_command(w, AT(0, 40), COMMAND_PAUSE)->command.pause.until = INSTANT_NEVER;
    c = world_command(w, AT(2, 20), COMMAND_RESUME);
    c->command.pause.replays = true;
    c->command.pause.from = AT(1, 30);
    c->reply.run.pass = 1;
    world_ledger(w, AT(2, 20), AT(1, 0), OUTCOME_MISSED, REASON_PAUSED);
    world_ledger(w, AT(2, 20), AT(2, 0), OUTCOME_MISSED, REASON_PAUSED);
    w->cursors[0].missed = 2;
}

static void a_resume_that_leaves_out_a_slot_breaks_13(void **state)
{
    (void)state;
    resume_from_past();
    world_close(w, AT(2, 50), AT(2, 0));
    assert_rejected(w, 13);
    fill(AT(2, 21), AT(2, 0));
    world_close(w, AT(2, 55), AT(2, 0));
    assert_accepted(w);
}

static void a_resume_that_starts_an_earlier_slot_breaks_2(void **state)
{
    (void)state;
    resume_from_past();
    fill(AT(2, 21), AT(2, 0));
    fill(AT(2, 22), AT(1, 0));
    world_close(w, AT(2, 50), AT(2, 0));
    assert_rejected(w, 2);
}

/* 1:00 is cancelled and given back before it runs; without the latter it must not run. */
static void a_cancelled_slot_that_runs_breaks_13(void **state)
{
    struct rec_command *skip, *unskip;
    struct rec_delivery *one;

    (void)state;
    skip = world_command(w, AT(0, 40), COMMAND_SKIP);
    unskip = world_command(w, AT(0, 45), COMMAND_UNSKIP);
    skip->command.run.id = unskip->command.run.id = (struct run_id){
        .schedule = SCHEDULE, .slot_ms = AT(1, 0) / SPAN_MS};
    one = world_send(w, AT(1, 0), AT(1, 0), 0);
    world_end(w, AT(1, 5), one, OUTCOME_SUCCEEDED, true);
    w->cursors[0].started++;
    world_close(w, AT(1, 10), AT(1, 0));
    assert_accepted(w);
    unskip->reply.rc = RC_NOT_FOUND;
    assert_rejected(w, 13);
}

static void edit_at(instant at, int64_t base, int64_t version)
{
    struct rec_command *c = world_command(w, at, COMMAND_UPDATE);

    c->draft = 0;
    c->command.version = base;
    c->reply.version = version;
}

static void two_edits_of_one_version_break_14(void **state)
{
    (void)state;
    edit_at(AT(0, 40), 1, 2);
    edit_at(AT(0, 45), 1, 3);
    w->cursors[0].version = 3;
    world_close(w, AT(0, 50), AT(0, 45));
    assert_rejected(w, 14);
    w->commands[2].command.version = 2;
    assert_accepted(w);
}

static void a_version_that_does_not_grow_breaks_14(void **state)
{
    (void)state;
    edit_at(AT(0, 40), 0, 2);
    edit_at(AT(0, 45), 0, 2);
    w->cursors[0].version = 2;
    world_close(w, AT(0, 50), AT(0, 45));
    assert_rejected(w, 14);
}

#define TEST(name)  cmocka_unit_test_setup(name, make)
#define EMPTY(name) cmocka_unit_test_setup(name, make_empty)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_created_schedule_that_is_gone_breaks_13),
        EMPTY(a_trigger_without_a_trace_breaks_13),
        TEST(a_request_that_is_done_twice_breaks_13),
        TEST(a_request_that_is_answered_in_two_ways_breaks_13),
        TEST(a_new_request_that_passes_for_an_old_one_breaks_13),
        TEST(a_version_that_was_acknowledged_and_lost_breaks_13),
        EMPTY(a_backfill_that_left_out_a_slot_breaks_13),
        EMPTY(a_start_of_a_backfill_with_two_rows_breaks_1),
        EMPTY(a_backfill_that_leaves_a_slot_to_another_one_breaks_13),
        EMPTY(a_row_of_a_backfill_outside_its_range_breaks_2),
        EMPTY(a_row_of_a_backfill_that_is_not_a_slot_breaks_2),
        EMPTY(a_missed_slot_that_is_left_out_breaks_13),
        EMPTY(a_resume_that_leaves_out_a_slot_breaks_13),
        EMPTY(a_resume_that_starts_an_earlier_slot_breaks_2),
        EMPTY(a_started_slot_that_is_filled_breaks_2),
        EMPTY(a_started_slot_that_is_requested_breaks_2),
        EMPTY(a_cancelled_slot_that_runs_breaks_13),
        EMPTY(two_edits_of_one_version_break_14),
        EMPTY(a_version_that_does_not_grow_breaks_14),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
