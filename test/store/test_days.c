/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table days on both databases: what a row of history or ledger counts as, which rows are not
 * counted yet, and queries.
 */
#include "rows.h"

#include "store/days.h"
#include "store/key.h"

/* Key `n` of a node. */
static int64_t key(int64_t node, int64_t n)
{
    return n << (KEY_NODE_BITS + KEY_COUNT_BITS) | node << KEY_COUNT_BITS;
}

static void add_history(struct fixture *f, int64_t id, const char *rest)
{
    char sql[ASK_MAX * 2];

    snprintf(sql, sizeof sql,
             "INSERT INTO history (id, schedule, bits, attempt, outcome, last, due, started_at,"
             " ended_at, slot, queue, day, pass, fence, reason, created_at, expire_at, node)"
             " VALUES (%lld, %s, 0, 0, 0, 0, 0, 0)",
             (long long)id, rest);
    exec(f->db, sql);
}

static void add_ledger(struct fixture *f, int64_t id, const char *rest)
{
    char sql[ASK_MAX * 2];

    snprintf(sql, sizeof sql,
             "INSERT INTO ledger (id, schedule, pass, first, last, count, outcome, day, days,"
             " kind, reason, written_at, expire_at) VALUES (%lld, %s, 0, 0, 0)",
             (long long)id, rest);
    exec(f->db, sql);
}

static void assert_sample(const struct day_sample *got, struct day_sample expected)
{
    assert_int_equal(got->subject, expected.subject);
    assert_int_equal(got->day, expected.day);
    assert_int_equal(got->kind, expected.kind);
    assert_int_equal(got->what, expected.what);
    assert_int_equal(got->count, expected.count);
    assert_int_equal(got->late, expected.late);
    assert_int_equal(got->took, expected.took);
}

/* schedule, kind, attempt, outcome, last, due, started, ended, slot, queue, day */
static void a_row_of_history_counts_for_its_schedule_and_queue(void **state)
{
    struct fixture *f = *state;
    struct day_sample got[DAYS_SUBJECTS];
    struct db_result rows;

    add_history(f, 1, "9, 0, 1, 10, 1, 100, 105, 155, 100, 7, 33");
    add_history(f, 2, "9, 2, 1, 11, 0, 100, 105, 155, 100, 7, 33");
    add_history(f, 3, "9, 1, 2, 12, 1, 100, 105, 155, 100, 7, 33");
    add_history(f, 4,
                "8, 3, 0, 13, 1, 100, -9223372036854775808, 155, 172800000001, 7,"
                " -9223372036854775808");
    add_history(f, 5, "9, 4, 1, 10, 1, 100, 105, 155, 100, 7, 33");
    days_history(f->db, &(struct days_range){0, 5}, 9, &rows);
    flush(f);
    assert_int_equal(rows.rows, 5);
    assert_int_equal(days_key(&rows, 3), 4);
    assert_int_equal(days_history_read(&rows, 0, got), 2);
    assert_sample(&got[0], (struct day_sample){7, 33, DAY_SLOT, DAY_SUCCEEDED, 1, 5, 50});
    assert_sample(&got[1], (struct day_sample){9, 33, DAY_SLOT, DAY_SUCCEEDED, 1, 5, 50});
    assert_int_equal(days_history_read(&rows, 1, got), 2);
    assert_sample(&got[1], (struct day_sample){9, 33, DAY_BACKFILL, -1, 0, 5, DAY_NO_TIME});
    assert_int_equal(days_history_read(&rows, 2, got), 2);
    assert_sample(&got[1],
                  (struct day_sample){9, 33, DAY_TRIGGER, DAY_TIMED_OUT, 1, DAY_NO_TIME, 50});
    assert_int_equal(days_history_read(&rows, 3, got), 1); /* direct; its day is not known */
    assert_sample(&got[0], (struct day_sample){7, 2, DAY_TRIGGER, DAY_CANCELLED, 1, DAY_NO_TIME,
                                               DAY_NO_TIME});
    assert_int_equal(days_history_read(&rows, 4, got), 0); /* a test run */
    days_history(f->db, &(struct days_range){1, 4}, 2, &rows);
    flush(f);
    assert_ids(&rows, "2 3");
}

/* schedule, pass, first, last, count, outcome, day, days, kind */
static void a_row_of_the_ledger_counts_for_each_of_its_days(void **state)
{
    struct fixture *f = *state;
    struct day_sample got = {0};
    struct db_result rows;
    int64_t sum = 0;

    add_ledger(f, 1, "9, 0, 100, 900, 8, 3, 33, 1, 0");
    add_ledger(f, 2, "9, 5, 100, 100, 1, 4, 33, 1, 2");
    add_ledger(f, 3, "9, 6, 101, 101, 1, 2, -9223372036854775808, 1, 0");
    add_ledger(f, 4, "9, 0, 1000, 172800000000, 8, 5, -9223372036854775808, 1, 0");
    add_ledger(f, 5, "9, 0, 172800000001, 864000000000000, 20000, 3, 2, 9999, 0");
    days_ledger(f->db, &(struct days_range){0, 9}, 9, &rows);
    flush(f);
    assert_int_equal(rows.rows, 5);
    assert_true(days_ledger_read(&rows, 0, 0, &got));
    assert_sample(
        &got, (struct day_sample){9, 33, DAY_SLOT, DAY_MISSED, 8, DAY_NO_TIME, DAY_NO_TIME});
    assert_false(days_ledger_read(&rows, 0, 1, &got));
    assert_true(days_ledger_read(&rows, 1, 0, &got));
    assert_int_equal(got.kind, DAY_BACKFILL);
    assert_int_equal(got.what, DAY_DROPPED);
    assert_true(days_ledger_read(&rows, 2, 0, &got)); /* of an earlier version */
    assert_int_equal(got.kind, DAY_TRIGGER);
    assert_int_equal(got.what, DAY_SKIPPED);
    assert_int_equal(days_ledger_count(&rows, 3), 3);
    for (int i = 0; i < 3; i++) {
        assert_true(days_ledger_read(&rows, 3, i, &got));
        assert_int_equal(got.day, i);
        assert_int_equal(got.what, DAY_WITHDRAWN);
        sum += got.count;
    }
    assert_int_equal(sum, 8);
    assert_int_equal(days_ledger_count(&rows, 4), DAYS_SPREAD_MAX);
    assert_true(days_ledger_read(&rows, 4, 0, &got));
    assert_int_equal(got.day, 2 + 9999 - DAYS_SPREAD_MAX);
    assert_true(days_ledger_read(&rows, 4, DAYS_SPREAD_MAX - 1, &got));
    assert_int_equal(got.day, 2 + 9998);
    assert_false(days_ledger_read(&rows, 4, DAYS_SPREAD_MAX, &got));
}

static void add_nodes(struct fixture *f)
{
    char sql[ASK_MAX * 2];

    snprintf(sql, sizeof sql,
             "INSERT INTO nodes (id, name, boot, turn, lease_until, key_ms, event, started_at,"
             " state, days, days_until, days_after) VALUES"
             " (1, 'a', 0, 0, 0, 0, 0, 0, 1, %lld, %lld, 20),"
             " (2, 'b', 0, 0, 0, 0, 0, 0, 1, %lld, %lld, 0),"
             " (3, 'c', 0, 0, 0, 0, 0, 0, 2, %lld, %lld, 0)",
             (long long)key(1, 5), (long long)key(1, 7), (long long)key(2, 6),
             (long long)key(2, 6), (long long)key(3, 1), (long long)key(3, 1));
    exec(f->db, sql);
}

/* Node 1 writes the rows after 5 and up to 7, and has come to subject 20. */
static void rows_that_are_not_counted_yet_are_found(void **state)
{
    struct fixture *f = *state;
    struct db_result history, ledger, counted;

    add_nodes(f);
    for (int n = 4; n <= 8; n++)
        for (int node = 1; node <= 2; node++) {
            add_history(f, key(node, n), "20, 0, 1, 10, 1, 0, 0, 0, 0, 7, 33");
            add_history(f, key(node, n) + 1, "21, 0, 1, 10, 1, 0, 0, 0, 0, 7, 33");
        }
    add_ledger(f, key(1, 7) + 9, "20, 0, 1, 1, 1, 3, 33, 1, 0");
    add_ledger(f, key(1, 6), "20, 0, 2, 2, 1, 3, 33, 1, 0");
    days_uncounted(f->db, 20, &history, &ledger);
    days_counted(f->db, &counted);
    flush(f);
    assert_int_equal(history.rows, 1 + 2);
    assert_int_equal(days_key(&history, 0), key(2, 7));
    assert_int_equal(days_key(&history, 1), key(1, 8));
    assert_int_equal(ledger.rows, 1);
    assert_int_equal(db_int_at(&counted, 0, 0), key(1, 5));
    days_uncounted(f->db, 21, &history, &ledger);
    flush(f);
    assert_int_equal(history.rows, 4 + 3);
    assert_int_equal(ledger.rows, 0);
}

static void a_day_is_written_only_with_the_marks_of_its_rows(void **state)
{
    static const struct days_mark right = {INT64_C(5) << 22 | 1 << 12,
                                           INT64_C(7) << 22 | 1 << 12, 20};
    struct days_mark wrong = right;
    struct day_key day = {9, 33, 2};
    struct fixture *f = *state;
    struct db_result row;

    add_nodes(f);
    wrong.after = 21;
    days_put(f->db, &day, STR("x"), 1, &wrong);
    days_find(f->db, &day, &row);
    flush(f);
    assert_int_equal(row.rows, 0);
    days_put(f->db, &day, STR("x"), 1, &right);
    days_put(f->db, &day, STR("y"), 1, &right);
    days_find(f->db, &day, &row);
    flush(f);
    assert_int_equal(row.rows, 1);
    assert_true(str_eq(db_blob_at(&row, 0, 0), STR("y")));
    day.day = 32;
    days_put(f->db, &day, STR("z"), 1, &right);
    days_prune(f->db, 9, 33);
    days_find(f->db, &day, &row);
    flush(f);
    assert_int_equal(row.rows, 0);
}

/* Node 1 deletes all but one row; the first was counted. */
static void rows_that_are_deleted_early_are_still_counted(void **state)
{
    struct fixture *f = *state;
    struct db_result rows, uncounted, ledger;

    add_nodes(f);
    for (int n = 5; n <= 9; n++)
        add_history(f, key(1, n), "21, 0, 1, 10, 1, 0, 0, 0, 0, 7, 33");
    days_leave(f->db, 21, 1, &(struct counted_rows){1, key(1, 5)});
    exec(f->db, "DELETE FROM history WHERE id < (SELECT max(id) FROM history)");
    days_history(f->db, &(struct days_range){key(1, 5), key(1, 9)}, 3, &rows);
    days_uncounted(f->db, 21, &uncounted, &ledger);
    flush(f);
    assert_int_equal(rows.rows, 3);
    assert_int_equal(days_key(&rows, 2), key(1, 8));
    assert_int_equal(uncounted.rows, 4);
    assert_int_equal(days_key(&uncounted, 3), key(1, 9));
    days_forget(f->db, 2, &(struct days_range){0, key(1, 9)});
    days_forget(f->db, 1, &(struct days_range){key(1, 5), key(1, 7)});
    days_history(f->db, &(struct days_range){key(1, 5), key(1, 9)}, 9, &rows);
    flush(f);
    assert_int_equal(rows.rows, 2);
    assert_int_equal(days_key(&rows, 0), key(1, 8));
}

static void assert_days(struct fixture *f, const struct db_result *rows, const char *expected)
{
    char text[256];
    struct buf out = BUF(text);

    flush(f);
    buf_text(&out, "");
    for (int i = 0; i < rows->rows; i++) {
        struct day_row row;

        days_read(rows, i, &row);
        buf_printf(&out, "%s%lld:%lld=%.*s(%.*s)", i > 0 ? " " : "", (long long)row.subject,
                   (long long)row.day, STR_ARG(row.body), STR_ARG(row.name));
    }
    assert_string_equal(text, expected);
}

static void days_are_found_by_subject(void **state)
{
    struct days_query query = {.subject = 11, .from = 2, .until = 3, .limit = 9};
    struct fixture *f = *state;
    struct db_result rows;

    exec(f->db, "INSERT INTO namespaces (id, name, created_at) VALUES (5, 'five', 0),"
                " (6, 'six', 0)");
    exec(f->db, "INSERT INTO queues (id, namespace, name, paused) VALUES (7, 5, 'seven', 0),"
                " (8, 6, 'eight', 0)");
    exec(f->db, "INSERT INTO schedules (id, namespace, version, deleted_at, packed, action,"
                " name, spec, policies, labels, description, dialect, created_at, created_by,"
                " updated_at, updated_by) VALUES"
                " (11, 5, 1, 0, CAST('' AS {blob}), '', 's11', '', '', '\"a\":\"b\"', '', 0,"
                " 0, '', 0, ''),"
                " (12, 5, 1, 0, CAST('' AS {blob}), '', 's12', '', '', NULL, '', 0, 0, '', 0,"
                " ''),"
                " (13, 5, 1, 9, CAST('' AS {blob}), '', 's13', '', '', NULL, '', 0, 0, '', 0,"
                " '')");
    exec(f->db,
         "INSERT INTO days (subject, day, node, body)"
         " SELECT s.id, d.id, 1, CAST('x' AS {blob}) FROM (SELECT 5 AS id UNION SELECT 6"
         " UNION SELECT 7 UNION SELECT 8 UNION SELECT 11 UNION SELECT 12 UNION SELECT 13)"
         " AS s, (SELECT 1 AS id UNION SELECT 2 UNION SELECT 3 UNION SELECT 4) AS d");
    days_of(f->db, &query, &rows);
    assert_days(f, &rows, "11:2=x() 11:3=x()");
    query = (struct days_query){.namespace = 5, .from = 2, .until = 2, .limit = 9};
    days_of_queues(f->db, &query, &rows);
    assert_days(f, &rows, "5:2=x() 7:2=x(seven)");
    days_of_schedules(f->db, &query, &rows);
    assert_days(f, &rows, "11:2=x(s11) 12:2=x(s12)");
    query.label = STR("\"a\":\"b\"");
    days_of_schedules(f->db, &query, &rows);
    assert_days(f, &rows, "11:2=x(s11)");
    query.limit = 1;
    query.until = 4;
    days_of_schedules(f->db, &query, &rows);
    assert_days(f, &rows, "11:2=x(s11)");
}

static void every_statement_was_run(void **state)
{
    assert_every_statement_ran(*state, "src/store/days.c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(a_row_of_history_counts_for_its_schedule_and_queue),
        STORE_TEST(a_row_of_the_ledger_counts_for_each_of_its_days),
        STORE_TEST(rows_that_are_not_counted_yet_are_found),
        STORE_TEST(a_day_is_written_only_with_the_marks_of_its_rows),
        STORE_TEST(rows_that_are_deleted_early_are_still_counted),
        STORE_TEST(days_are_found_by_subject),
        STORE_TEST(every_statement_was_run),
    };

    return RUN_STORE_TESTS(tests);
}
