/* SPDX-License-Identifier: Apache-2.0 */
/* The outcomes of the slots of a time range, on both databases. */
#include "rows.h"

#include "store/cursors.h"
#include "store/history.h"
#include "store/key.h"
#include "store/runs.h"
#include "store/slots_many.h"

enum { WRITERS = 4 }; /* statements that wrote cursors, runs, history and the ledger */

#define SLOT(n) (DAY_ONE + (n)*SPAN_MIN)

static struct slot_range range_of(int after, int until, int limit)
{
    return (struct slot_range){
        .schedule = 7, .after = SLOT(after), .until = SLOT(until), .limit = limit};
}

static void add_run(struct fixture *f, int64_t id, int64_t schedule, int slot, int64_t pass)
{
    struct run run = {.id = id,
                      .schedule = schedule,
                      .slot = SLOT(slot),
                      .pass = pass,
                      .state = RUN_LEASED,
                      .due = SLOT(slot) + 1,
                      .started_at = SLOT(slot) + 2,
                      .attempt = 3,
                      .wake_at = INSTANT_NEVER};

    runs_insert(f->db, &run, NULL);
    flush(f);
}

static void open_runs_are_ordered_by_slot(void **state)
{
    struct fixture *f = *state;
    struct slot_range all = range_of(0, 9, 9), some = range_of(1, 9, 1);
    struct db_result got, one;
    struct slot_run run;

    add_run(f, 1, 7, 3, 0);
    add_run(f, 2, 7, 1, 0);
    add_run(f, 3, 7, 2, 1); /* a trigger */
    add_run(f, 4, 8, 2, 0);
    add_run(f, 5, 7, 0, 0);
    add_run(f, 6, 7, 10, 0);
    slots_open(f->db, &all, &got);
    slots_open(f->db, &some, &one);
    flush(f);
    assert_int_equal(got.rows, 2);
    slots_open_read(&got, 0, &run);
    assert_int_equal(run.slot, SLOT(1));
    assert_int_equal(run.due, SLOT(1) + 1);
    assert_int_equal(run.started_at, SLOT(1) + 2);
    assert_int_equal(run.ended_at, INSTANT_NONE);
    assert_int_equal(run.attempt, 3);
    assert_int_equal(run.state, RUN_LEASED);
    assert_int_equal(run.outcome, OUTCOME_NONE);
    slots_open_read(&one, 0, &run);
    assert_int_equal(run.slot, SLOT(3));
}

static void add_end(struct fixture *f, int slot, int end, int64_t pass, bool last)
{
    struct run run = {.schedule = 7,
                      .slot = SLOT(slot),
                      .pass = pass,
                      .due = SLOT(slot) + 1,
                      .attempt_at = SLOT(slot) + 2,
                      .attempt = 3};

    history_insert(f->db, &(struct attempt_end){.id = key_of(SLOT(end)) + slot,
                                                .run = &run,
                                                .outcome = OUTCOME_FAILED,
                                                .reason = REASON_TARGET,
                                                .last = last,
                                                .ended_at = SLOT(end)});
    flush(f);
}

static void ended_runs_are_ordered_by_slot_regardless_of_their_end(void **state)
{
    struct fixture *f = *state;
    struct slot_range all = range_of(0, 5, 9), some = range_of(1, 5, 1);
    struct db_result got, one, count;
    struct slot_run run;

    add_end(f, 1, 50, 0, true);
    add_end(f, 2, 3, 0, false); /* a retry follows */
    add_end(f, 3, 4, 0, true);
    add_end(f, 4, 4, 2, true); /* a trigger */
    add_end(f, 6, 7, 0, true);
    slots_ended(f->db, &all, &got);
    slots_ended(f->db, &some, &one);
    slots_scanned(f->db, &all, &count);
    flush(f);
    assert_int_equal(got.rows, 2);
    slots_ended_read(&got, 0, &run);
    assert_int_equal(run.slot, SLOT(1));
    assert_int_equal(run.due, SLOT(1) + 1);
    assert_int_equal(run.started_at, SLOT(1) + 2);
    assert_int_equal(run.ended_at, SLOT(50));
    assert_int_equal(run.attempt, 3);
    assert_int_equal(run.state, RUN_ENDED);
    assert_int_equal(run.outcome, OUTCOME_FAILED);
    assert_int_equal(run.reason, REASON_TARGET);
    slots_ended_read(&got, 1, &run);
    assert_int_equal(run.slot, SLOT(3));
    assert_int_equal(one.rows, 1);
    assert_ids(&count, "5");
}

static void add_range(struct fixture *f, int64_t id, int first, int last, int64_t pass)
{
    struct ledger_entry entry = {
        .id = id,
        .schedule = 7,
        .pass = pass,
        .account = {SLOT(first), SLOT(last), last - first + 1, OUTCOME_MISSED, REASON_PAUSED}};

    ledger_insert(f->db, &entry);
    flush(f);
}

static void ledger_rows_begin_with_the_one_that_contains_the_start(void **state)
{
    struct fixture *f = *state;
    struct slot_range all = range_of(4, 20, 9), early = range_of(0, 1, 9),
                      some = range_of(4, 20, 1);
    struct db_result got, none, one;
    struct account range;

    add_range(f, 1, 2, 3, 0);
    add_range(f, 2, 4, 6, 0);
    add_range(f, 3, 8, 9, 0);
    add_range(f, 4, 8, 9, 1);
    add_range(f, 5, 21, 30, 0);
    slots_not_started(f->db, &all, &got);
    slots_not_started(f->db, &early, &none);
    slots_not_started(f->db, &some, &one);
    flush(f);
    assert_int_equal(got.rows, 2);
    assert_int_equal(none.rows, 0);
    assert_int_equal(one.rows, 1);
    slots_not_started_read(&got, 0, &range);
    assert_int_equal(range.first, SLOT(4));
    assert_int_equal(range.last, SLOT(6));
    assert_int_equal(range.count, 3);
    assert_int_equal(range.outcome, OUTCOME_MISSED);
    assert_int_equal(range.reason, REASON_PAUSED);
    slots_not_started_read(&got, 1, &range);
    assert_int_equal(range.first, SLOT(8));
}

/* ---- many schedules ---- */

static struct slots_many many_of(const int64_t *schedules, int count, int from, int until)
{
    return (struct slots_many){.schedules = schedules,
                               .count = count,
                               .from = SLOT(from),
                               .until = SLOT(until),
                               .limit = 9};
}

static void open_runs_of_many_schedules_are_read_together(void **state)
{
    static const int64_t keys[] = {7, 9};
    struct slots_many query = many_of(keys, 2, 1, 4);
    struct fixture *f = *state;
    struct slot_attempt attempt;
    struct db_result got;
    int64_t seen = 0;

    add_run(f, 1, 7, 1, 0);
    add_run(f, 2, 7, 3, 2);
    add_run(f, 3, 8, 2, 0); /* another schedule    */
    add_run(f, 4, 9, 0, 0); /* before the window   */
    add_run(f, 5, 9, 3, 0);
    add_run(f, 6, 9, 4, 0); /* the end is exclusive */
    slots_many_open(f->db, &query, &got);
    flush(f);
    assert_int_equal(got.rows, 3);
    for (int i = 0; i < 3; i++) {
        slots_many_open_read(&got, i, &attempt);
        seen += attempt.schedule * 100 + attempt.pass * 10 +
                (attempt.run.slot - SLOT(0)) / SPAN_MIN;
        assert_true(attempt.is_open && !attempt.is_last);
        assert_int_equal(attempt.run.started_at, attempt.run.slot + 2);
        assert_int_equal(attempt.run.state, RUN_LEASED);
    }
    assert_int_equal(seen, 701 + 723 + 903);
}

static void attempts_of_many_schedules_are_read_by_their_end(void **state)
{
    static const int64_t keys[] = {5, 7};
    struct slots_many query = many_of(keys, 2, 3, 50), one = many_of(keys + 1, 1, 3, 50);
    struct fixture *f = *state;
    struct slot_attempt attempt;
    struct db_result got, first, last;

    add_end(f, 1, 2, 0, true); /* before */
    add_end(f, 2, 3, 0, false);
    add_end(f, 3, 4, 0, true);
    add_end(f, 4, 49, 2, true);
    add_end(f, 6, 50, 0, true); /* the end is exclusive */
    one.limit = 2;
    slots_many_ended(f->db, &query, &got);
    slots_many_ended_of(f->db, &one, SLOTS_FIRST, &first);
    slots_many_ended_of(f->db, &one, SLOTS_LAST, &last);
    flush(f);
    assert_int_equal(got.rows, 3);
    assert_int_equal(first.rows, 2);
    slots_many_ended_read(&first, 0, &attempt);
    assert_int_equal(attempt.schedule, 7);
    assert_int_equal(attempt.run.slot, SLOT(2));
    assert_int_equal(attempt.run.due, SLOT(2) + 1);
    assert_int_equal(attempt.run.started_at, SLOT(2) + 2);
    assert_int_equal(attempt.attempt_at, SLOT(2) + 2);
    assert_int_equal(attempt.run.ended_at, SLOT(3));
    assert_int_equal(attempt.run.attempt, 3);
    assert_int_equal(attempt.run.outcome, OUTCOME_FAILED);
    assert_int_equal(attempt.run.reason, REASON_TARGET);
    assert_false(attempt.is_last || attempt.is_open);
    slots_many_ended_read(&last, 0, &attempt);
    assert_int_equal(attempt.run.slot, SLOT(4));
    assert_int_equal(attempt.pass, 2);
    assert_true(attempt.is_last);
}

static void ranges_of_many_schedules_begin_with_the_one_at_the_start(void **state)
{
    static const int64_t keys[] = {7, 8};
    struct slots_many query = many_of(keys, 2, 5, 20);
    struct fixture *f = *state;
    struct account range;
    struct db_result got;
    int64_t seen = 0;

    for (int64_t id = 7; id <= 8; id++)
        cursors_insert(f->db, &(struct cursor){.id = id});
    flush(f);
    add_range(f, 1, 2, 3, 0);
    add_range(f, 2, 4, 6, 0);
    add_range(f, 3, 8, 9, 0);
    add_range(f, 4, 8, 9, 1);   /* of a backfill        */
    add_range(f, 5, 20, 30, 0); /* the end is exclusive */
    slots_many_ranges(f->db, &query, &got);
    flush(f);
    assert_int_equal(got.rows, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(slots_many_ranges_read(&got, i, &range), 7);
        seen += (range.first - SLOT(0)) / SPAN_MIN * 10 + range.count;
        assert_int_equal(range.outcome, OUTCOME_MISSED);
        assert_int_equal(range.reason, REASON_PAUSED);
    }
    assert_int_equal(seen, 43 + 82);
}

static void slots_are_counted_by_outcome_and_reason(void **state)
{
    struct fixture *f = *state;
    struct db_result paused, window;

    add_range(f, 1, 2, 3, 0);
    add_range(f, 2, 5, 9, 0);
    add_range(f, 3, 5, 9, 1); /* requested in addition */
    slots_count(f->db, 7, OUTCOME_MISSED, REASON_PAUSED, &paused);
    slots_count(f->db, 7, OUTCOME_MISSED, REASON_WINDOW, &window);
    flush(f);
    assert_int_equal(db_int_at(&paused, 0, 0), 7);
    assert_int_equal(db_int_at(&window, 0, 0), 0);
}

static void additional_runs_of_a_slot_are_listed_newest_first(void **state)
{
    struct fixture *f = *state;
    struct db_result open, ended, not_started;
    struct slot_extra beside;

    for (int64_t pass = 0; pass < 5; pass++)
        add_run(f, pass + 1, 7, 3, pass);
    add_run(f, 6, 7, 4, 5);
    add_end(f, 3, 20, 0, true);
    add_end(f, 3, 21, 8, false);
    add_end(f, 3, 22, 8, true);
    add_end(f, 3, 23, 9, true);
    add_end(f, 4, 24, 10, true);
    add_range(f, 1, 3, 3, 0);
    add_range(f, 2, 2, 4, 11);
    add_range(f, 3, 4, 4, 12);
    slots_extra_open(f->db, 7, SLOT(3), &open);
    slots_extra_ended(f->db, 7, SLOT(3), &ended);
    slots_extra_not_started(f->db, 7, SLOT(3), &not_started);
    flush(f);
    assert_ids(&open, "4 3 2");
    slots_extra_open_read(&open, 0, &beside);
    assert_int_equal(beside.pass, 4);
    assert_int_equal(beside.state, RUN_LEASED);
    assert_int_equal(beside.outcome, OUTCOME_NONE);
    assert_ids(&ended, "9 8");
    slots_extra_read(&ended, 0, &beside);
    assert_int_equal(beside.state, RUN_ENDED);
    assert_int_equal(beside.outcome, OUTCOME_FAILED);
    assert_int_equal(beside.reason, REASON_TARGET);
    assert_ids(&not_started, "11");
    slots_extra_read(&not_started, 0, &beside);
    assert_int_equal(beside.outcome, OUTCOME_MISSED);
    assert_int_equal(beside.reason, REASON_PAUSED);
}

/* Slots 2 to 4 and 6 were missed; a user has started 3 and 9. */
static void evidence_has_the_ledger_and_the_starts_of_users(void **state)
{
    struct fixture *f = *state;
    struct slot_evidence evidence;
    struct backfill_known known = {0};

    add_range(f, 1, 2, 4, 0);
    add_range(f, 2, 6, 6, 0);
    add_range(f, 3, 5, 5, 8); /* a start that was skipped */
    add_end(f, 3, 20, 1, true);
    add_end(f, 9, 21, 2, true);
    slots_evidence(f->db, 7, SLOT(2), SLOT(8), &evidence);
    flush(f);
    assert_true(slots_evidence_read(&evidence, f->arena, &known));
    assert_int_equal(known.account_count, 2);
    assert_int_equal(known.accounts[0].first, SLOT(2));
    assert_int_equal(known.accounts[1].last, SLOT(6));
    assert_int_equal(known.taken_count, 1);
    assert_int_equal(known.taken[0], SLOT(3));
    assert_int_equal(known.until, INSTANT_NEVER);
}

static void every_statement_was_run(void **state)
{
    const struct fixture *f = *state;
    int ran = 0, defined = count_definitions("src/store/slots.c") +
                           count_definitions("src/store/slots_many.c");

    for (int i = 0; i < DB_SLOTS; i++)
        ran += is_store_statement(f->db->cache[i].stmt) ? 1 : 0;
    assert_int_equal(ran, defined + WRITERS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(open_runs_are_ordered_by_slot),
        STORE_TEST(ended_runs_are_ordered_by_slot_regardless_of_their_end),
        STORE_TEST(ledger_rows_begin_with_the_one_that_contains_the_start),
        STORE_TEST(slots_are_counted_by_outcome_and_reason),
        STORE_TEST(additional_runs_of_a_slot_are_listed_newest_first),
        STORE_TEST(evidence_has_the_ledger_and_the_starts_of_users),
        STORE_TEST(open_runs_of_many_schedules_are_read_together),
        STORE_TEST(attempts_of_many_schedules_are_read_by_their_end),
        STORE_TEST(ranges_of_many_schedules_begin_with_the_one_at_the_start),
        cmocka_unit_test(every_statement_was_run),
    };

    return RUN_STORE_TESTS(tests);
}
