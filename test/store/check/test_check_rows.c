/* SPDX-License-Identifier: Apache-2.0 */
/* The statements of `belfry check`, on both databases. */
#include "rows.h"

#include "store/check/check_rows.h"

#define RUN_ROW(id, schedule, slot, pass, state, gate)                                 \
    "INSERT INTO runs (id, schedule, slot, pass, state, gate, lane, queue, bits, due," \
    " rank, attempt, fence, node, lease_until, wake_at, created_at, started_at,"       \
    " attempt_at) VALUES (" id ", " schedule ", " slot ", " pass ", " state ", " gate  \
    ", 0, 0, 257, 0, 0, 2, 3, 4, 0, 0, 0, 0, 0)"
#define HISTORY_ROW(id, schedule, slot)                                                     \
    "INSERT INTO history (id, schedule, slot, pass, attempt, fence, bits, outcome, reason," \
    " last, due, created_at, started_at, ended_at, expire_at, queue, node) VALUES (" id     \
    ", " schedule ", " slot ", 0, 2, 3, 258, 11, 20, 1, 71, 72, 73, 77, 0, 0, 0)"
#define LEDGER_ROW(id, schedule, first)                                                        \
    "INSERT INTO ledger (id, schedule, pass, first, last, count, outcome, reason, written_at," \
    " expire_at) VALUES (" id ", " schedule ", 0, " first ", 90, 3, 3, 4, 0, 0)"

static void open_runs_are_read_in_pages(void **state)
{
    struct fixture *f = *state;
    struct check_run run;
    struct db_result got;

    exec(f->db, RUN_ROW("1", "7", "30", "0", "5", "0"));
    exec(f->db, RUN_ROW("2", "7", "10", "1", "1", "0"));
    exec(f->db, RUN_ROW("3", "7", "10", "0", "3", "0"));
    exec(f->db, RUN_ROW("4", "8", "20", "0", "3", "0"));
    check_runs(f->db, 7, NULL, 2, &got);
    flush(f);
    assert_ids(&got, "3 2");
    check_runs_read(&got, 1, &run);
    assert_int_equal(run.slot, 10);
    assert_int_equal(run.pass, 1);
    assert_int_equal(run.state, RUN_HELD);
    assert_int_equal(run.kind, RUN_TRIGGER);
    assert_int_equal(run.attempt, 2);
    assert_int_equal(run.fence, 3);
    assert_int_equal(run.node, 4);
    check_runs(f->db, 7, &run, 2, &got);
    flush(f);
    assert_ids(&got, "1");
}

static void attempts_are_read_newest_first(void **state)
{
    struct fixture *f = *state;
    struct check_attempt a;
    struct db_result got;

    exec(f->db, HISTORY_ROW("5", "7", "50"));
    exec(f->db, HISTORY_ROW("6", "8", "50"));
    exec(f->db, HISTORY_ROW("7", "7", "40"));
    exec(f->db, HISTORY_ROW("8", "7", "30"));
    check_history(f->db, 7, 8, 9, &got);
    flush(f);
    assert_ids(&got, "7 5");
    check_history_read(&got, 0, &a);
    assert_int_equal(a.slot, 40);
    assert_int_equal(a.attempt, 2);
    assert_int_equal(a.fence, 3);
    assert_int_equal(a.kind, RUN_BACKFILL);
    assert_int_equal(a.outcome, OUTCOME_FAILED);
    assert_int_equal(a.reason, REASON_TARGET);
    assert_true(a.last);
    assert_int_equal(a.due, 71);
    assert_int_equal(a.started_at, 73);
    assert_int_equal(a.ended_at, 77);
}

static void ledger_rows_are_read_by_key(void **state)
{
    struct fixture *f = *state;
    struct db_result got;

    exec(f->db, LEDGER_ROW("5", "7", "50"));
    exec(f->db, LEDGER_ROW("6", "8", "50"));
    exec(f->db, LEDGER_ROW("7", "7", "40"));
    check_ledger(f->db, 7, 5, 9, &got);
    flush(f);
    assert_int_equal(got.rows, 1);
    assert_int_equal(db_int_at(&got, 0, 0), 40);
    assert_int_equal(db_int_at(&got, 0, 2), 3);
    assert_int_equal(db_int_at(&got, 0, 6), 7);
}

static void orphaned_rows_are_found(void **state)
{
    static const char *const found[ORPHANS_COUNT] = {
        [ORPHANS_CURSORS] = "",   [ORPHANS_SCHEDULES] = "", [ORPHANS_RUNS] = "1 2",
        [ORPHANS_HISTORY] = "5",  [ORPHANS_LEDGER] = "6",   [ORPHANS_LOGS] = "",
        [ORPHANS_BACKFILLS] = "", [ORPHANS_GATED] = "2"};
    struct fixture *f = *state;
    struct db_result end, got;

    exec(f->db, RUN_ROW("1", "7", "30", "0", "5", "0"));
    exec(f->db, RUN_ROW("2", "7", "40", "0", "5", "9"));
    exec(f->db, HISTORY_ROW("5", "7", "50"));
    exec(f->db, LEDGER_ROW("6", "7", "50"));
    for (int kind = 0; kind < ORPHANS_COUNT; kind++) {
        int64_t until = 100;

        assert_true(check_orphans_text((enum check_orphans)kind)[0] != '\0');
        check_orphans_end(f->db, (enum check_orphans)kind, 0, 10, &end);
        flush(f);
        if (end.rows == 1)
            until = db_int_at(&end, 0, 0);
        check_orphans(f->db, (enum check_orphans)kind, 0, until, &got);
        flush(f);
        assert_ids(&got, found[kind]);
    }
}

static void gates_that_count_wrongly_are_found(void **state)
{
    struct fixture *f = *state;
    struct db_result got;

    exec(f->db,
         "INSERT INTO gates (id, namespace, name, most, open, waiting) VALUES"
         " (1, 1, 'right', 2, 2, 1), (2, 1, 'wrong', 2, 1, 0), (3, 1, 'empty', 2, 0, 0)");
    exec(f->db, RUN_ROW("1", "7", "1", "0", "5", "1"));
    exec(f->db, RUN_ROW("2", "7", "2", "0", "6", "1"));
    exec(f->db, RUN_ROW("3", "7", "3", "0", "4", "1"));
    exec(f->db, RUN_ROW("4", "7", "4", "0", "3", "2"));
    exec(f->db, RUN_ROW("5", "7", "5", "0", "4", "2"));
    check_gates(f->db, &got);
    flush(f);
    assert_int_equal(got.rows, 1);
    assert_string_equal(db_text_at(&got, 0, 0).ptr, "wrong");
    assert_int_equal(db_int_at(&got, 0, 1), 1);
    assert_int_equal(db_int_at(&got, 0, 3), 0);
    assert_int_equal(db_int_at(&got, 0, 4), 1);
}

static void schedules_backfills_and_calendars_are_listed(void **state)
{
    struct fixture *f = *state;
    struct db_result got[4];

    exec(f->db, "INSERT INTO backfills (id, schedule, pass, from_at, until_at, mark, overlap,"
                " started, created_at, created_by) VALUES (1, 7, 1, 0, 1, 0, 0, 0, 0, 'x')");
    exec(
        f->db,
        "INSERT INTO schedules (id, namespace, version, deleted_at, packed, action, name, spec,"
        " policies, description, dialect, created_at, created_by, updated_at, updated_by)"
        " SELECT id, 1, 0, id - 6, CAST('' AS {blob}), '', 'x', '', '', '', 0, 0, '', 0, ''"
        " FROM (SELECT 6 AS id UNION ALL SELECT 7 UNION ALL SELECT 8) AS v");
    exec(f->db,
         "INSERT INTO cursors SELECT id, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,"
         " 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM schedules");
    exec(f->db, "INSERT INTO calendars VALUES (3, 1, 'a', 1, CAST('' AS {blob}), 0),"
                " (4, 1, 'b', 1, CAST('' AS {blob}), 0)");
    check_schedules(f->db, 6, 1, &got[0]);
    check_schedule_count(f->db, &got[1]);
    check_backfills(f->db, 7, &got[2]);
    check_calendars(f->db, 3, 5, &got[3]);
    flush(f);
    assert_ids(&got[0], "7");
    assert_int_equal(db_int_at(&got[1], 0, 0), 3);
    assert_int_equal(db_int_at(&got[2], 0, 0), 1);
    assert_ids(&got[3], "4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(open_runs_are_read_in_pages),
        STORE_TEST(attempts_are_read_newest_first),
        STORE_TEST(ledger_rows_are_read_by_key),
        STORE_TEST(orphaned_rows_are_found),
        STORE_TEST(gates_that_count_wrongly_are_found),
        STORE_TEST(schedules_backfills_and_calendars_are_listed),
    };

    return RUN_STORE_TESTS(tests);
}
