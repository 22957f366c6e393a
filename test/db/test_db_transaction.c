/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transactions, failures inside them, and two connections, on both databases.
 */
#include "harness.h"

static const struct db_stmt insert = {"INSERT INTO k (id, n) VALUES ($1, $2)", "ii"};
static const struct db_stmt count = {"SELECT count(*) FROM k", NULL};
static const struct db_stmt endless = {
    "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT 1 FROM c) SELECT count(*) FROM c",
    NULL};

static void make_table(struct fixture *f)
{
    exec(f->db, "CREATE TABLE k (id {int} PRIMARY KEY, n {int}){strict}");
}

static void send_row(struct db *db, int64_t id)
{
    db_send(db, &insert, (struct db_value[]){db_int(id), db_int(0)}, NULL);
}

static void others_see_only_committed_rows(void **state)
{
    struct fixture *f = *state;
    struct db *other;

    make_table(f);
    other = open_reader(f);
    db_begin(f->db);
    send_row(f->db, 1);
    OK(db_flush(f->db, f->arena, err));
    assert_int_equal(query_int(f, other, &count), 0);
    OK(db_commit(f->db, f->arena, err));
    assert_int_equal(query_int(f, other, &count), 1);
    db_close(other);
}

static void a_rollback_leaves_nothing_and_the_connection_goes_on(void **state)
{
    struct fixture *f = *state;

    make_table(f);
    db_begin(f->db);
    send_row(f->db, 1);
    OK(db_flush(f->db, f->arena, err));
    send_row(f->db, 2); /* still in the queue */
    db_rollback(f->db);
    assert_int_equal(query_int(f, f->db, &count), 0);
    db_begin(f->db);
    send_row(f->db, 3);
    db_rollback(f->db); /* not even begun */
    db_rollback(f->db); /* none */
    assert_int_equal(query_int(f, f->db, &count), 0);
    db_begin(f->db);
    send_row(f->db, 1);
    OK(db_commit(f->db, f->arena, err));
    assert_int_equal(query_int(f, f->db, &count), 1);
}

static void a_transaction_may_take_many_flushes_or_be_empty(void **state)
{
    struct fixture *f = *state;

    make_table(f);
    db_begin(f->db);
    OK(db_commit(f->db, f->arena, err));
    db_begin(f->db);
    for (int i = 0; i < 10; i++) {
        send_row(f->db, i);
        OK(db_flush(f->db, f->arena, err));
    }
    OK(db_commit(f->db, NULL, err));
    assert_int_equal(query_int(f, f->db, &count), 10);
}

static void after_a_failure_the_rest_of_the_transaction_fails_alike(void **state)
{
    struct fixture *f = *state;
    struct db_result got = {.changed = -7};

    make_table(f);
    db_begin(f->db);
    send_row(f->db, 1);
    OK(db_flush(f->db, f->arena, err));
    send_row(f->db, 1);
    REFUSED(db_flush(f->db, f->arena, err), RC_CONFLICT, "a row with this key");
    db_send(f->db, &count, NULL, &got);
    REFUSED(db_flush(f->db, f->arena, err), RC_CONFLICT, "a row with this key");
    REFUSED(db_exec(f->db, STR("SELECT 1"), err), RC_CONFLICT, "a row with this key");
    send_row(f->db, 2);
    REFUSED(db_commit(f->db, f->arena, err), RC_CONFLICT, "a row with this key");
    assert_int_equal(got.changed, -7);
    assert_false(db_is_dead(f->db));
    assert_int_equal(query_int(f, f->db, &count), 0);
}

static void a_rollback_ends_the_failure(void **state)
{
    struct fixture *f = *state;

    make_table(f);
    db_begin(f->db);
    REFUSED(db_exec(f->db, STR("SELECT x FROM nowhere"), err), RC_INVALID, "nowhere");
    db_rollback(f->db);
    db_begin(f->db);
    send_row(f->db, 1);
    OK(db_commit(f->db, f->arena, err));
    assert_int_equal(query_int(f, f->db, &count), 1);
}

/* A failure may keep a later statement from being prepared; its next use prepares it. */
static void statements_after_a_failure_work_later(void **state)
{
    struct fixture *f = *state;

    make_table(f);
    db_begin(f->db);
    REFUSED(db_exec(f->db, STR("SELECT x FROM nowhere"), err), RC_INVALID, "nowhere");
    db_rollback(f->db);
    db_begin(f->db);
    send_row(f->db, 1);
    send_row(f->db, 1);
    db_send(f->db, &count, NULL, NULL);
    db_send(f->db, &count, NULL, NULL);
    REFUSED(db_commit(f->db, f->arena, err), RC_CONFLICT, "");
    assert_int_equal(query_int(f, f->db, &count), 0);
}

static void a_flush_outside_a_transaction_is_itself_a_transaction(void **state)
{
    struct fixture *f = *state;

    make_table(f);
    send_row(f->db, 1);
    send_row(f->db, 2);
    send_row(f->db, 1);
    REFUSED(db_flush(f->db, f->arena, err), RC_CONFLICT, "a row with this key");
    assert_int_equal(query_int(f, f->db, &count), 0);
    send_row(f->db, 1);
    send_row(f->db, 2);
    OK(db_flush(f->db, f->arena, err));
    assert_int_equal(query_int(f, f->db, &count), 2);
}

static void tables_are_part_of_a_transaction(void **state)
{
    struct fixture *f = *state;

    db_begin(f->db);
    make_table(f);
    send_row(f->db, 1);
    OK(db_flush(f->db, f->arena, err));
    db_rollback(f->db);
    db_send(f->db, &count, NULL, NULL);
    REFUSED(db_flush(f->db, f->arena, err), RC_INVALID, "k");
}

static void a_reader_sees_one_state_until_its_transaction_ends(void **state)
{
    struct fixture *f = *state;
    struct db *reader;
    struct db_result got;

    make_table(f);
    send_row(f->db, 1);
    OK(db_flush(f->db, f->arena, err));
    reader = open_reader(f);
    db_begin(reader);
    db_send(reader, &count, NULL, &got);
    OK(db_flush(reader, f->arena, err));
    assert_int_equal(db_int_at(&got, 0, 0), 1);
    send_row(f->db, 2);
    OK(db_flush(f->db, f->arena, err));
    db_send(reader, &count, NULL, &got);
    OK(db_commit(reader, f->arena, err));
    assert_int_equal(db_int_at(&got, 0, 0), 1);
    assert_int_equal(query_int(f, reader, &count), 2);
    db_close(reader);
}

static void a_reader_cannot_write(void **state)
{
    struct fixture *f = *state;
    struct db *reader;

    make_table(f);
    reader = open_reader(f);
    send_row(reader, 1);
    REFUSED(db_flush(reader, f->arena, err), RC_INVALID, "");
    db_begin(reader);
    send_row(reader, 1);
    REFUSED(db_commit(reader, f->arena, err), RC_INVALID, "");
    assert_false(db_is_dead(reader));
    assert_int_equal(query_int(f, reader, &count), 0);
    db_close(reader);
}

static void a_read_ends_at_its_deadline_and_the_reader_goes_on(void **state)
{
    struct fixture *f = *state;
    struct db *reader;

    make_table(f);
    reader = open_with(f->url, &(struct db_options){.readonly = true, .deadline_ms = 3000});
    db_send(reader, &endless, NULL, NULL);
    REFUSED(db_flush(reader, f->arena, err), RC_LIMIT, "took too long");
    assert_false(db_is_dead(reader));
    assert_int_equal(query_int(f, reader, &count), 0);
    db_close(reader);
}

/* SQLite has one lock for all rows, PostgreSQL one for the key: neither waits long. */
static void a_second_writer_is_told_to_try_again(void **state)
{
    struct fixture *f = *state;
    struct db *other = open_with(f->free_url, &(struct db_options){.lock_ms = 20});

    make_table(f);
    db_begin(f->db);
    send_row(f->db, 1);
    OK(db_flush(f->db, f->arena, err));
    db_begin(other);
    send_row(other, 1);
    REFUSED(db_commit(other, f->arena, err), RC_BUSY, "try again");
    OK(db_commit(f->db, f->arena, err));
    db_begin(other);
    send_row(other, 1);
    REFUSED(db_commit(other, f->arena, err), RC_CONFLICT, "a row with this key");
    db_begin(other);
    send_row(other, 2);
    OK(db_commit(other, f->arena, err));
    assert_int_equal(query_int(f, other, &count), 2);
    db_close(other);
}

static void an_exclusive_transaction_excludes_others_until_it_ends(void **state)
{
    struct fixture *f = *state;
    struct db *other = open_with(f->free_url, &(struct db_options){.lock_ms = 20});

    db_begin_alone(f->db);
    OK(db_flush(f->db, f->arena, err));
    db_begin_alone(other);
    REFUSED(db_flush(other, f->arena, err), RC_BUSY, "try again");
    db_rollback(other);
    db_rollback(f->db);
    db_begin_alone(other);
    OK(db_commit(other, f->arena, err));
    db_begin_alone(f->db);
    OK(db_commit(f->db, f->arena, err));
    db_close(other);
}

/* INSTANT_NONE: the database has no clock of its own. */
static void only_postgresql_has_a_clock(void **state)
{
    struct fixture *f = *state;
    instant first = 0, second = 0;

    OK(db_clock(f->db, &first, err));
    OK(db_clock(f->db, &second, err));
    if (f->postgres) {
        assert_true(first > INT64_C(1700000000) * SPAN_S); /* 2023: the tests are newer */
        assert_true(first <= second && second - first < SPAN_H);
    } else {
        assert_true(first == INSTANT_NONE && second == INSTANT_NONE);
    }
}

static void notifications_may_be_sent_without_listeners(void **state)
{
    struct fixture *f = *state;
    struct db_note note;
    bool any = true;

    OK(db_notify(f->db, "queue_ready", STR("reports"), err));
    OK(db_notify(f->db, "queue_ready", STR(""), err));
    OK(db_poll_note(f->db, &note, &any, err));
    assert_false(any);
    assert_int_equal(db_socket(f->db) >= 0, f->postgres);
    assert_int_equal(db_kind(f->db), f->postgres ? DB_POSTGRES : DB_SQLITE);
    OK(db_checkpoint(f->db, err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DB_TEST(others_see_only_committed_rows),
        DB_TEST(a_rollback_leaves_nothing_and_the_connection_goes_on),
        DB_TEST(a_transaction_may_take_many_flushes_or_be_empty),
        DB_TEST(after_a_failure_the_rest_of_the_transaction_fails_alike),
        DB_TEST(a_rollback_ends_the_failure),
        DB_TEST(statements_after_a_failure_work_later),
        DB_TEST(a_flush_outside_a_transaction_is_itself_a_transaction),
        DB_TEST(tables_are_part_of_a_transaction),
        DB_TEST(a_reader_sees_one_state_until_its_transaction_ends),
        DB_TEST(a_reader_cannot_write),
        DB_TEST(a_read_ends_at_its_deadline_and_the_reader_goes_on),
        DB_TEST(a_second_writer_is_told_to_try_again),
        DB_TEST(an_exclusive_transaction_excludes_others_until_it_ends),
        DB_TEST(only_postgresql_has_a_clock),
        DB_TEST(notifications_may_be_sent_without_listeners),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
