/* SPDX-License-Identifier: Apache-2.0 */
/* Faults that struct db_fault injects into connections, on both databases. */
#include "harness.h"

static const struct db_stmt insert = {"INSERT INTO k (id) VALUES ($1)", "i"};
static const struct db_stmt count = {"SELECT count(*) FROM k", NULL};

/* Breaks at the `left`-th question about `point`, and records all questions. */
struct script {
    enum db_point point;
    int left; /* 0: never */
    enum rc answer;
    char asked[32]; /* a letter for each question: f, c, a */
};

static enum rc ask(void *arg, enum db_point point)
{
    struct script *script = arg;
    size_t len = strlen(script->asked);

    assert_true(len + 1 < sizeof script->asked);
    script->asked[len] = "fca"[point];
    if (point != script->point || script->left == 0 || --script->left > 0)
        return RC_OK;
    return script->answer;
}

/* Opens the fixture's connection again, with a script. */
static void reopen(struct fixture *f, struct db_fault *fault, struct script *script)
{
    *fault = (struct db_fault){ask, script};
    db_close(f->db);
    f->db = open_with(f->url, &(struct db_options){.fault = script ? fault : NULL});
}

static void make_table(struct fixture *f)
{
    exec(f->db, "CREATE TABLE k (id {int} PRIMARY KEY){strict}");
}

static void send_row(struct db *db, int64_t id)
{
    db_send(db, &insert, (struct db_value[]){db_int(id)}, NULL);
}

static enum rc commit_row(struct fixture *f, int64_t id, struct err *err)
{
    db_begin(f->db);
    send_row(f->db, id);
    return db_commit(f->db, f->arena, err);
}

/* The connection is dead, reports that for every call, and a new one finds this many rows. */
static void expect_dead(struct fixture *f, int64_t rows)
{
    struct db_fault none;

    assert_true(db_is_dead(f->db));
    REFUSED(commit_row(f, 99, err), RC_LOST, "the database connection is lost");
    REFUSED(db_exec(f->db, STR("SELECT 1"), err), RC_LOST, "is lost");
    db_rollback(f->db);
    assert_true(db_is_dead(f->db));
    reopen(f, &none, NULL);
    assert_int_equal(query_int(f, f->db, &count), rows);
    OK(commit_row(f, 98, err));
}

static void a_commit_whose_reply_is_lost_is_unknown_and_did_happen(void **state)
{
    struct script script = {.point = DB_AFTER_COMMIT, .left = 2, .answer = RC_UNKNOWN};
    struct fixture *f = *state;
    struct db_fault fault;

    make_table(f);
    reopen(f, &fault, &script);
    OK(commit_row(f, 1, err));
    REFUSED(commit_row(f, 2, err), RC_UNKNOWN, "whether the transaction was committed");
    expect_dead(f, 2);
}

static void a_loss_after_a_commit_is_always_unknown(void **state)
{
    struct script script = {.point = DB_AFTER_COMMIT, .left = 1, .answer = RC_LOST};
    struct fixture *f = *state;
    struct db_fault fault;

    make_table(f);
    reopen(f, &fault, &script);
    REFUSED(commit_row(f, 1, err), RC_UNKNOWN, "is not known");
    expect_dead(f, 1);
}

static void a_commit_that_is_lost_on_its_way_did_not_happen(void **state)
{
    static const enum rc answers[] = {RC_LOST, RC_UNKNOWN};
    struct fixture *f = *state;
    struct db_fault fault;

    make_table(f);
    for (size_t i = 0; i < 2; i++) {
        struct script script = {.point = DB_BEFORE_COMMIT, .left = 1, .answer = answers[i]};

        exec(f->db, "DELETE FROM k");
        reopen(f, &fault, &script);
        db_begin(f->db);
        send_row(f->db, 1);
        OK(db_flush(f->db, f->arena, err));
        send_row(f->db, 2);
        REFUSED(db_commit(f->db, f->arena, err), answers[i], "is lost");
        expect_dead(f, 0);
    }
}

static void a_connection_can_break_at_each_flush_of_a_transaction(void **state)
{
    struct fixture *f = *state;
    struct db_fault fault;

    make_table(f);
    for (int k = 1; k <= 3; k++) {
        struct script script = {.point = DB_BEFORE_FLUSH, .left = k, .answer = RC_UNKNOWN};

        exec(f->db, "DELETE FROM k");
        reopen(f, &fault, &script);
        db_begin(f->db);
        for (int i = 1; i < k; i++) {
            send_row(f->db, i);
            OK(db_flush(f->db, f->arena, err));
        }
        send_row(f->db, k);
        REFUSED(db_flush(f->db, f->arena, err), RC_LOST, "is lost");
        send_row(f->db, k + 1);
        REFUSED(db_commit(f->db, f->arena, err), RC_LOST, "is lost");
        expect_dead(f, 0);
    }
}

/* As a server sees it: the transaction is gone before the connection is closed. */
static void a_broken_connection_holds_no_lock(void **state)
{
    struct script script = {.point = DB_BEFORE_FLUSH, .left = 2, .answer = RC_LOST};
    struct fixture *f = *state;
    struct db_fault fault;
    struct db *other;

    make_table(f);
    reopen(f, &fault, &script);
    db_begin(f->db);
    send_row(f->db, 1);
    OK(db_flush(f->db, f->arena, err));
    send_row(f->db, 2);
    REFUSED(db_flush(f->db, f->arena, err), RC_LOST, "is lost");
    other = open_with(f->free_url, NULL);
    send_row(other, 1);
    OK(db_flush(other, f->arena, err));
    db_close(other);
    REFUSED(db_commit(f->db, f->arena, err), RC_LOST, "is lost");
    expect_dead(f, 1);
}

static void a_flush_outside_a_transaction_is_a_commit(void **state)
{
    struct script script = {.point = DB_AFTER_COMMIT, .left = 1, .answer = RC_UNKNOWN};
    struct db_result got = {.changed = -7};
    struct fixture *f = *state;
    struct db_fault fault;

    make_table(f);
    reopen(f, &fault, &script);
    send_row(f->db, 1);
    db_send(f->db, &count, NULL, &got);
    REFUSED(db_flush(f->db, f->arena, err), RC_UNKNOWN, "is not known");
    assert_int_equal(got.changed, -7);
    expect_dead(f, 1);
}

static void nothing_is_in_doubt_for_a_reader(void **state)
{
    struct script script = {.point = DB_AFTER_COMMIT, .left = 1, .answer = RC_UNKNOWN};
    struct db_fault fault = {ask, &script};
    struct fixture *f = *state;
    struct db *reader;

    make_table(f);
    reader = open_with(f->url, &(struct db_options){.readonly = true, .fault = &fault});
    db_send(reader, &count, NULL, NULL);
    REFUSED(db_flush(reader, f->arena, err), RC_LOST, "is lost");
    assert_true(db_is_dead(reader));
    db_close(reader);
}

static void the_points_are_reached_in_order(void **state)
{
    struct script script = {.left = 0};
    struct fixture *f = *state;
    struct db_fault fault;

    make_table(f);
    reopen(f, &fault, &script);
    assert_string_equal(script.asked, "");
    db_begin(f->db);
    send_row(f->db, 1);
    OK(db_flush(f->db, f->arena, err));
    exec(f->db, "DELETE FROM k");
    OK(db_commit(f->db, f->arena, err));
    assert_string_equal(script.asked, "ffca");
    OK(db_flush(f->db, f->arena, err)); /* nothing to do */
    send_row(f->db, 2);
    OK(db_flush(f->db, f->arena, err));
    assert_string_equal(script.asked, "ffcaca");
    db_begin(f->db);
    send_row(f->db, 3);
    OK(db_flush(f->db, f->arena, err));
    db_rollback(f->db);
    assert_string_equal(script.asked, "ffcacaf");
    REFUSED(commit_row(f, 2, err), RC_CONFLICT, "a row with this key");
    assert_string_equal(script.asked, "ffcacafc"); /* no commit, so nothing after one */
    assert_false(db_is_dead(f->db));
    assert_int_equal(query_int(f, f->db, &count), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DB_TEST(a_commit_whose_reply_is_lost_is_unknown_and_did_happen),
        DB_TEST(a_loss_after_a_commit_is_always_unknown),
        DB_TEST(a_commit_that_is_lost_on_its_way_did_not_happen),
        DB_TEST(a_connection_can_break_at_each_flush_of_a_transaction),
        DB_TEST(a_broken_connection_holds_no_lock),
        DB_TEST(a_flush_outside_a_transaction_is_a_commit),
        DB_TEST(nothing_is_in_doubt_for_a_reader),
        DB_TEST(the_points_are_reached_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
