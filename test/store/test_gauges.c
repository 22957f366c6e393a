/* SPDX-License-Identifier: Apache-2.0 */
/* Counts for monitoring, on both databases. */
#include "rows.h"

#include "store/gauges.h"

#define RUN(id, state, lane, node, due)                                                       \
    "INSERT INTO runs (id, schedule, slot, pass, state, lane, queue, gate, bits, due, rank,"  \
    " attempt, fence, node, lease_until, wake_at, created_at, started_at, attempt_at) VALUES" \
    " (" #id ", 1, " #id ", 0, " #state ", " #lane ", 0, 0, 0, " #due ", 0, 0, 0, " #node     \
    ", 0, 0, 0, 0, 0)"

static void open_runs_are_counted_by_state_and_lane(void **state)
{
    struct fixture *f = *state;
    struct db_result got, calls;

    exec(f->db, RUN(1, 3, 0, 0, 50));
    exec(f->db, RUN(2, 3, 0, 0, 40));
    exec(f->db, RUN(3, 3, 1, 0, 60));
    exec(f->db, RUN(4, 6, 1, 7, 70));
    exec(f->db, RUN(5, 5, 0, 0, 80));
    exec(f->db, RUN(6, 6, 2, 7, 90));
    gauges_runs(f->db, &got);
    gauges_calls(f->db, &calls);
    flush(f);
    assert_ids(&got, "3 3 5 6 6");
    assert_int_equal(db_int_at(&got, 0, 1), 0);
    assert_int_equal(db_int_at(&got, 0, 2), 2);
    assert_int_equal(db_int_at(&got, 0, 3), 40);
    assert_int_equal(db_int_at(&got, 1, 2), 1);
    assert_ids(&calls, "7");
    assert_int_equal(db_int_at(&calls, 0, 1), 2);
}

static void due_schedules_are_counted(void **state)
{
    struct fixture *f = *state;
    struct db_result none, some, all, bytes;

    gauges_due(f->db, 100, &none);
    flush(f);
    assert_int_equal(db_int_at(&none, 0, 0), 0);
    assert_int_equal(db_at(&none, 0, 1)->type, DB_NULL);
    exec(f->db,
         "INSERT INTO cursors SELECT i, i * 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,"
         " 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM (SELECT 5 AS i UNION ALL SELECT 6"
         " UNION ALL SELECT 11) AS v");
    gauges_due(f->db, 100, &some);
    gauges_schedules(f->db, &all);
    gauges_bytes(f->db, &bytes);
    flush(f);
    assert_int_equal(db_int_at(&some, 0, 0), 2);
    assert_int_equal(db_int_at(&some, 0, 1), 50);
    assert_int_equal(db_int_at(&all, 0, 0), 3);
    assert_true(db_int_at(&bytes, 0, 0) > 4096);
}

static void a_schedule_and_its_namespace_are_found_by_key(void **state)
{
    struct fixture *f = *state;
    struct db_result got, none;

    exec(f->db, "INSERT INTO namespaces (id, name, created_at) VALUES (2, 'team', 0)");
    exec(f->db,
         "INSERT INTO schedules (id, namespace, version, deleted_at, packed, action,"
         " name, spec, policies, description, dialect, created_at, created_by,"
         " updated_at, updated_by)"
         " VALUES (9, 2, 1, 0, CAST('' AS {blob}), '', 'job', '', '', '', 0, 0, '', 0, '')");
    gauges_name(f->db, 9, &got);
    gauges_name(f->db, 8, &none);
    flush(f);
    assert_str_equal(db_text_at(&got, 0, 0), STR("team"));
    assert_str_equal(db_text_at(&got, 0, 1), STR("job"));
    assert_int_equal(none.rows, 0);
}

static void every_statement_was_run(void **state)
{
    assert_every_statement_ran(*state, "src/store/gauges.c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(open_runs_are_counted_by_state_and_lane),
        STORE_TEST(due_schedules_are_counted),
        STORE_TEST(a_schedule_and_its_namespace_are_found_by_key),
        STORE_TEST(every_statement_was_run),
    };

    return RUN_STORE_TESTS(tests);
}
