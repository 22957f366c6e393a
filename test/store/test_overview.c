/* SPDX-License-Identifier: Apache-2.0 */
/* What the overview reads, on both databases. */
#include "rows.h"

#include "store/key.h"
#include "store/overview.h"

#define SCHEDULE(id, namespace, name)                                                         \
    "INSERT INTO schedules (id, namespace, version, deleted_at, packed, action, name, spec,"  \
    " policies, description, dialect, created_at, created_by, updated_at, updated_by) VALUES" \
    " (" #id ", " #namespace ", 1, 0, CAST('' AS {blob}), '', '" name "', '', '', '', 0, 0,"  \
                             " '', 0, '')"
#define RUN(id, schedule, state, queue, at)                                                   \
    "INSERT INTO runs (id, schedule, slot, pass, state, lane, queue, gate, bits, due, rank,"  \
    " attempt, fence, node, lease_until, wake_at, created_at, started_at, attempt_at) VALUES" \
    " (" #id ", " #schedule ", " #id ", 0, " #state ", 0, " #queue ", 0, 0, " #at             \
    ", 0, 0, 0, 0,"                                                                           \
    " 0, 0, " #at ", 0, 0)"

/* Namespace 2 has the schedules 20 and 21, namespace 3 has 30. */
static void make_schedules(struct fixture *f)
{
    exec(f->db, SCHEDULE(20, 2, "a"));
    exec(f->db, SCHEDULE(21, 2, "b"));
    exec(f->db, SCHEDULE(30, 3, "c"));
}

/* States: 2 waits for approval, 3 is ready, 5 and 6 are claimed. */
static void open_runs_of_the_namespace_are_counted(void **state)
{
    struct fixture *f = *state;
    struct db_result runs, none, approvals, first;

    overview_runs(f->db, 2, &none);
    flush(f);
    assert_int_equal(db_int_at(&none, 0, 0), 0);
    assert_int_equal(db_int_at(&none, 0, 1), 0);
    make_schedules(f);
    exec(f->db, RUN(1, 20, 5, 0, 10));
    exec(f->db, RUN(2, 20, 6, 0, 20));
    exec(f->db, RUN(3, 20, 3, 0, 30));
    exec(f->db, RUN(4, 20, 2, 0, 40));
    exec(f->db, RUN(5, 21, 2, 0, 35));
    exec(f->db, RUN(6, 20, 2, 0, 30));
    exec(f->db, RUN(7, 30, 2, 0, 1));
    exec(f->db, RUN(8, 30, 6, 0, 1));
    overview_runs(f->db, 2, &runs);
    overview_approvals(f->db, 2, 10, &approvals);
    overview_approvals(f->db, 2, 1, &first);
    flush(f);
    assert_int_equal(db_int_at(&runs, 0, 0), 8);
    assert_int_equal(db_int_at(&runs, 0, 1), 2);
    assert_int_equal(db_int_at(&runs, 0, 2), 3);
    assert_ids(&approvals, "20 21");
    assert_str_equal(db_text_at(&approvals, 0, 1), STR("a"));
    assert_int_equal(db_int_at(&approvals, 0, 2), 2);
    assert_int_equal(db_int_at(&approvals, 0, 3), 30);
    assert_ids(&first, "20");
}

static void queues_that_wait_are_listed(void **state)
{
    struct fixture *f = *state;
    struct db_result got, first;

    exec(f->db, "INSERT INTO queues (id, namespace, name, paused, polled_at) VALUES"
                " (5, 2, 'p', 1, 77), (6, 2, 'q', 0, 78), (7, 3, 'r', 0, 79)");
    exec(f->db, RUN(1, 20, 3, 5, 60));
    exec(f->db, RUN(2, 20, 3, 5, 50));
    exec(f->db, RUN(3, 20, 3, 6, 40));
    exec(f->db, RUN(4, 20, 5, 6, 10)); /* claimed */
    exec(f->db, RUN(5, 30, 3, 7, 10)); /* another namespace */
    overview_queues(f->db, 2, 50, 10, &got);
    overview_queues(f->db, 2, 49, 10, &first);
    flush(f);
    assert_ids(&got, "6 5");
    assert_ids(&first, "6");
    assert_str_equal(db_text_at(&got, 1, 1), STR("p"));
    assert_int_equal(db_int_at(&got, 1, 2), 1);
    assert_int_equal(db_int_at(&got, 1, 3), 77);
    assert_int_equal(db_int_at(&got, 1, 4), 2);
    assert_int_equal(db_int_at(&got, 1, 5), 50);
}

/* An attempt that ended some seconds after the day began. */
static void add_attempt(struct fixture *f, int64_t seconds, const char *columns)
{
    instant at = INT64_C(1767571200000000) + seconds * SPAN_S;
    char sql[1024];

    snprintf(sql, sizeof sql,
             "INSERT INTO history (id, pass, fence, due, created_at, started_at, expire_at,"
             " queue, node, slot, attempt, schedule, namespace, bits, outcome, reason, last,"
             " error, ended_at) VALUES (%lld, 0, 0, 0, 0, 0, 0, 0, 0, %lld, 1, %s, %lld)",
             (long long)key_of(at), (long long)at, columns, (long long)at);
    exec(f->db, sql);
}

/* Outcomes: 10 succeeded, 11 failed, 12 timed out.  Kind 4 in bits is a test run. */
static void failed_runs_are_counted_and_the_last_is_found(void **state)
{
    struct fixture *f = *state;
    instant day = INT64_C(1767571200000000);
    struct overview_failure failure;
    struct db_result got, last, none;

    add_attempt(f, -1, "20, 2, 0, 11, 20, 1, 'before'");
    add_attempt(f, 0, "20, 2, 0, 11, 20, 0, 'is retried'");
    add_attempt(f, 1, "20, 2, 0, 12, 21, 1, NULL");
    add_attempt(f, 2, "20, 2, 0, 11, 20, 1, 'last'");
    add_attempt(f, 3, "20, 2, 0, 10, 0, 1, NULL");
    add_attempt(f, 4, "20, 2, 4, 11, 20, 1, 'of a test'");
    add_attempt(f, 5, "30, 3, 0, 11, 20, 1, 'of others'");
    overview_failed(f->db, 2, day, &got);
    overview_last_failure(f->db, 20, &last);
    overview_last_failure(f->db, 21, &none);
    flush(f);
    assert_int_equal(db_int_at(&got, 0, 0), 6);
    assert_int_equal(db_int_at(&got, 0, 1), 2);
    assert_int_equal(last.rows, 1);
    overview_last_failure_read(&last, &failure);
    assert_int_equal(failure.outcome, OUTCOME_FAILED);
    assert_int_equal(failure.reason, REASON_TARGET);
    assert_str_equal(failure.error, STR("last"));
    assert_int_equal(none.rows, 0);
}

/* A row of the ledger with slots at these seconds of the day. */
static void add_range(struct fixture *f, int schedule, const int seconds[2], const char *why)
{
    static int64_t more;
    instant day = INT64_C(1767571200000000);
    char sql[512];

    snprintf(sql, sizeof sql,
             "INSERT INTO ledger (id, schedule, pass, first, last, count, outcome, reason,"
             " written_at, expire_at) VALUES (%lld, %d, 0, %lld, %lld, 2, %s, 0, 0)",
             (long long)(key_of(day + seconds[0] * SPAN_S) + ++more), schedule,
             (long long)(day + seconds[0] * SPAN_S), (long long)(day + seconds[1] * SPAN_S),
             why);
    exec(f->db, sql);
}

/* Outcome 3 is missed, 2 skipped; reasons: 1 overlap, 2 window, 4 paused, 6 clock. */
static void schedules_that_missed_slots_are_counted(void **state)
{
    struct fixture *f = *state;
    struct db_result none, got, last;

    make_schedules(f);
    overview_missed(f->db, 2, INT64_C(1767571200000000), &none);
    flush(f);
    add_range(f, 20, (int[]){-90, -60}, "3, 2");
    add_range(f, 21, (int[]){-60, 10}, "3, 2");
    add_range(f, 20, (int[]){20, 30}, "3, 4");
    add_range(f, 20, (int[]){40, 50}, "2, 1");
    add_range(f, 30, (int[]){20, 30}, "3, 2");
    overview_missed(f->db, 2, INT64_C(1767571200000000), &got);
    overview_last_slots(f->db, 20, &last);
    flush(f);
    assert_int_equal(db_int_at(&none, 0, 0), 0);
    assert_int_equal(db_int_at(&none, 0, 1), 0);
    assert_int_equal(db_int_at(&got, 0, 0), 5);
    assert_int_equal(db_int_at(&got, 0, 1), 1); /* 21 */
    assert_int_equal(db_int_at(&last, 0, 0), INT64_C(1767571240000000));
    assert_int_equal(db_int_at(&last, 0, 1), INT64_C(1767571250000000));
    assert_int_equal(db_int_at(&last, 0, 2), 2);
    assert_int_equal(db_int_at(&last, 0, 3), OUTCOME_SKIPPED);
    assert_int_equal(db_int_at(&last, 0, 4), REASON_OVERLAP);
    add_range(f, 20, (int[]){60, 70}, "3, 6");
    overview_missed(f->db, 2, INT64_C(1767571200000000), &got);
    flush(f);
    assert_int_equal(db_int_at(&got, 0, 1), 2);
}

static void every_statement_was_run(void **state)
{
    assert_every_statement_ran(*state, "src/store/overview.c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(open_runs_of_the_namespace_are_counted),
        STORE_TEST(queues_that_wait_are_listed),
        STORE_TEST(failed_runs_are_counted_and_the_last_is_found),
        STORE_TEST(schedules_that_missed_slots_are_counted),
        STORE_TEST(every_statement_was_run),
    };

    return RUN_STORE_TESTS(tests);
}
