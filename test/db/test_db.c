/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every statement may rely on, on both databases: values, parameters, counts, the forms of
 * SQL that the store uses, and the limits.  test_db_transaction.c has the rest.
 */
#include "harness.h"

static const struct db_stmt insert = {"INSERT INTO v (id, i, t, b) VALUES ($1, $2, $3, $4)",
                                      "iitb"};
static const struct db_stmt insert_new = {
    "INSERT INTO v (id, i) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING", "ii"};
static const struct db_stmt select_all = {"SELECT id, i, t, b FROM v ORDER BY id", NULL};
static const struct db_stmt count = {"SELECT count(*) FROM v", NULL};
static const struct db_stmt numbers = {
    "WITH RECURSIVE c (n) AS (SELECT CAST(1 AS BIGINT) UNION ALL"
    " SELECT n + 1 FROM c WHERE n < $1) SELECT n FROM c",
    "i"};
static const struct db_stmt echo = {"SELECT CAST($1 AS {blob})", "b"};

static void make_table(struct fixture *f)
{
    exec(f->db, "CREATE TABLE v (id {int} PRIMARY KEY, i {int}, t {text}, b {blob}){strict}");
}

static void put(struct fixture *f, int64_t id, int64_t i)
{
    query(f, f->db, &insert, (struct db_value[]){db_int(id), db_int(i), db_null(), db_null()});
}

static void assert_bytes(struct str got, struct str expected)
{
    assert_int_equal(got.len, expected.len);
    assert_memory_equal(got.ptr, expected.ptr, expected.len);
    assert_int_equal(got.ptr[got.len], '\0');
}

static void every_number_comes_back_as_it_went(void **state)
{
    static const int64_t given[] = {INT64_MIN, INT64_MIN + 1, -4294967297, -256,     -1, 0,
                                    1,         255,           4294967296,  INT64_MAX};
    struct fixture *f = *state;
    struct db_result got;

    make_table(f);
    for (int i = 0; i < (int)(sizeof given / sizeof given[0]); i++)
        put(f, i, given[i]);
    got = query(f, f->db, &select_all, NULL);
    assert_int_equal(got.rows, sizeof given / sizeof given[0]);
    assert_int_equal(got.columns, 4);
    for (int i = 0; i < got.rows; i++)
        assert_true(db_int_at(&got, i, 1) == given[i]);
}

static void every_text_and_all_bytes_come_back_as_they_went(void **state)
{
    static const char *const texts[] = {"", "a", "'; DROP TABLE v; --", "\"{int}\\ %s $1",
                                        "\xc5\xbelu\xc5\xa5 \xf0\x9f\x95\xb0 \xe6\x99\x82"};
    struct fixture *f = *state;
    char bytes[256];
    struct db_result got;

    for (int i = 0; i < 256; i++)
        bytes[i] = (char)i;
    make_table(f);
    for (int i = 0; i < 5; i++) {
        struct str blob = {bytes, i == 0 ? 0 : 256};

        query(f, f->db, &insert,
              (struct db_value[]){db_int(i), db_null(), db_text(str_of(texts[i])),
                                  db_blob(blob)});
    }
    got = query(f, f->db, &select_all, NULL);
    assert_int_equal(got.rows, 5);
    for (int i = 0; i < 5; i++) {
        assert_bytes(db_text_at(&got, i, 2), str_of(texts[i]));
        assert_bytes(db_blob_at(&got, i, 3), (struct str){bytes, i == 0 ? 0 : 256});
    }
}

static void an_empty_value_is_not_null(void **state)
{
    static const struct db_stmt nulls = {"SELECT count(*) FROM v WHERE t IS NULL OR b IS NULL",
                                         NULL};
    struct fixture *f = *state;
    const struct str nothing = {NULL, 0};

    make_table(f);
    query(f, f->db, &insert,
          (struct db_value[]){db_int(1), db_null(), db_text(nothing), db_blob(nothing)});
    assert_int_equal(query_int(f, f->db, &nulls), 0);
}

/* The first use must not decide the type of a parameter: it may be NULL. */
static void null_is_accepted_and_returned_like_any_value(void **state)
{
    static const struct db_stmt same = {
        "SELECT count(*) FROM v WHERE ($1 IS NULL AND t IS NULL) OR t = $1", "t"};
    struct fixture *f = *state;
    struct db_result got;

    make_table(f);
    query(f, f->db, &insert, (struct db_value[]){db_int(1), db_null(), db_null(), db_null()});
    got = query(f, f->db, &select_all, NULL);
    for (int i = 1; i < 4; i++)
        assert_int_equal(db_at(&got, 0, i)->type, DB_NULL);
    query(f, f->db, &insert,
          (struct db_value[]){db_int(2), db_int(7), db_text(STR("x")), db_blob(STR("y"))});
    got = query(f, f->db, &same, (struct db_value[]){db_null()});
    assert_int_equal(db_int_at(&got, 0, 0), 1);
    got = query(f, f->db, &same, (struct db_value[]){db_text(STR("x"))});
    assert_int_equal(db_int_at(&got, 0, 0), 1);
    got = query(f, f->db, &same, (struct db_value[]){db_text(STR("y"))});
    assert_int_equal(db_int_at(&got, 0, 0), 0);
}

static void parameters_may_be_repeated_and_out_of_order(void **state)
{
    static const struct db_stmt woven = {"SELECT $3 || $1 || $3 || $2 || $1", "ttt"};
    static const struct db_stmt swapped = {
        "INSERT INTO v (i, id) VALUES ($2, $1) RETURNING id, i, i - $1", "ii"};
    struct fixture *f = *state;
    struct db_result got;

    make_table(f);
    got = query(f, f->db, &woven,
                (struct db_value[]){db_text(STR("a")), db_text(STR("b")), db_text(STR("c"))});
    assert_bytes(db_text_at(&got, 0, 0), STR("cacba"));
    got = query(f, f->db, &swapped, (struct db_value[]){db_int(3), db_int(10)});
    assert_int_equal(db_int_at(&got, 0, 0), 3);
    assert_int_equal(db_int_at(&got, 0, 1), 10);
    assert_int_equal(db_int_at(&got, 0, 2), 7);
}

static void a_statement_may_have_thirty_two_parameters(void **state)
{
    static const struct db_stmt sum = {
        "SELECT $32+$31+$30+$29+$28+$27+$26+$25+$24+$23+$22+$21+$20+$19+$18+$17"
        "+$16+$15+$14+$13+$12+$11+$10+$9+$8+$7+$6+$5+$4+$3+$2+$1*1000",
        "iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii"};
    struct fixture *f = *state;
    struct db_value params[DB_PARAMS_MAX];
    struct db_result got;

    for (int i = 0; i < DB_PARAMS_MAX; i++)
        params[i] = db_int(i + 1);
    got = query(f, f->db, &sum, params);
    assert_int_equal(db_int_at(&got, 0, 0), 32 * 33 / 2 - 1 + 1000);
}

static void returning_gives_the_rows_and_the_count(void **state)
{
    static const struct db_stmt update = {"UPDATE v SET i = i + $1 RETURNING i", "i"};
    static const struct db_stmt delete = {"DELETE FROM v WHERE id > $1 RETURNING id", "i"};
    struct fixture *f = *state;
    struct db_result got;

    make_table(f);
    for (int i = 1; i <= 3; i++)
        put(f, i, 10 * i);
    got = query(f, f->db, &update, (struct db_value[]){db_int(5)});
    assert_int_equal(got.changed, 3);
    assert_int_equal(got.rows, 3);
    assert_int_equal(db_int_at(&got, 0, 0) + db_int_at(&got, 1, 0) + db_int_at(&got, 2, 0), 75);
    got = query(f, f->db, &delete, (struct db_value[]){db_int(2)});
    assert_int_equal(got.changed, 1);
    assert_int_equal(db_int_at(&got, 0, 0), 3);
    got = query(f, f->db, &delete, (struct db_value[]){db_int(2)});
    assert_int_equal(got.changed, 0);
    assert_int_equal(got.rows, 0);
    assert_int_equal(got.columns, 1);
}

static void reading_and_ddl_change_no_rows(void **state)
{
    static const struct db_stmt create = {"CREATE TABLE w (x {int}){strict}", NULL};
    struct fixture *f = *state;

    make_table(f);
    put(f, 1, 1);
    put(f, 2, 2);
    assert_int_equal(query(f, f->db, &select_all, NULL).changed, 0);
    assert_int_equal(query(f, f->db, &create, NULL).changed, 0);
}

static void on_conflict_do_nothing_changes_no_row(void **state)
{
    struct fixture *f = *state;
    const struct db_value row[] = {db_int(1), db_int(2)};

    make_table(f);
    assert_int_equal(query(f, f->db, &insert_new, row).changed, 1);
    assert_int_equal(query(f, f->db, &insert_new, row).changed, 0);
    assert_int_equal(query_int(f, f->db, &count), 1);
}

static void a_conditional_update_counts_the_rows_that_matched(void **state)
{
    static const struct db_stmt update = {"UPDATE v SET i = i + 1 WHERE id = $1 AND i = $2",
                                          "ii"};
    struct fixture *f = *state;
    const struct db_value first[] = {db_int(1), db_int(10)};
    struct db_result met, missed, none;

    make_table(f);
    put(f, 1, 10);
    db_begin(f->db);
    db_send(f->db, &update, first, &met);
    db_send(f->db, &update, first, &missed);
    db_send(f->db, &update, (struct db_value[]){db_int(2), db_int(10)}, &none);
    OK(db_commit(f->db, f->arena, err));
    assert_int_equal(met.changed, 1);
    assert_int_equal(missed.changed, 0);
    assert_int_equal(none.changed, 0);
}

static void a_claim_takes_the_first_free_rows_in_order(void **state)
{
    static const struct db_stmt claim = {
        "UPDATE v SET t = $2 WHERE id IN (SELECT id FROM v WHERE t IS NULL AND i <= $3"
        " ORDER BY i, id LIMIT $1{skip}) RETURNING id",
        "iti"};
    struct fixture *f = *state;
    struct db_value params[] = {db_int(2), db_text(STR("me")), db_int(50)};
    struct db_result got;

    make_table(f);
    put(f, 1, 30);
    put(f, 2, 10);
    put(f, 3, 60);
    put(f, 4, 20);
    got = query(f, f->db, &claim, params);
    assert_int_equal(got.changed, 2);
    assert_int_equal(db_int_at(&got, 0, 0) + db_int_at(&got, 1, 0), 2 + 4);
    got = query(f, f->db, &claim, params);
    assert_int_equal(got.changed, 1);
    assert_int_equal(db_int_at(&got, 0, 0), 1);
    assert_int_equal(query(f, f->db, &claim, params).changed, 0);
}

static void pages_follow_each_other_by_key(void **state)
{
    static const struct db_stmt page = {
        "SELECT i, id FROM v WHERE (i, id) > ($1, $2) ORDER BY i, id LIMIT $3", "iii"};
    struct fixture *f = *state;
    int64_t i = -1, id = -1;
    int seen = 0;

    make_table(f);
    for (int n = 0; n < 10; n++)
        put(f, n, n / 3);
    for (int pages = 0; pages < 10; pages++) {
        struct db_result got = query(f, f->db, &page,
                                     (struct db_value[]){db_int(i), db_int(id), db_int(4)});

        for (int row = 0; row < got.rows; row++) {
            i = db_int_at(&got, row, 0);
            id = db_int_at(&got, row, 1);
            assert_int_equal(id, seen);
            assert_int_equal(i, seen / 3);
            seen++;
        }
        if (got.rows < 4)
            break;
    }
    assert_int_equal(seen, 10);
}

/* The expected order is byte order. */
static void text_is_sorted_and_matched_by_its_bytes(void **state)
{
    static const char *const sorted[] = {"",
                                         "A",
                                         "B",
                                         "Z",
                                         "_",
                                         "a",
                                         "a b",
                                         "ab",
                                         "z10",
                                         "z2",
                                         "\xc3\xa1",
                                         "\xe2\x82\xac",
                                         "\xf0\x9f\x95\xb0"};
    static const struct db_stmt by_text = {"SELECT t FROM v ORDER BY t", NULL};
    static const struct db_stmt after = {"SELECT count(*) FROM v WHERE t > $1", "t"};
    static const struct db_stmt like = {"SELECT count(*) FROM v WHERE t LIKE $1", "t"};
    struct fixture *f = *state;
    struct db_result got;

    make_table(f);
    for (int i = 0; i < 13; i++)
        query(f, f->db, &insert,
              (struct db_value[]){db_int(i), db_null(), db_text(str_of(sorted[(i * 5) % 13])),
                                  db_null()});
    got = query(f, f->db, &by_text, NULL);
    assert_int_equal(got.rows, 13);
    for (int i = 0; i < 13; i++)
        assert_bytes(db_text_at(&got, i, 0), str_of(sorted[i]));
    got = query(f, f->db, &after, (struct db_value[]){db_text(STR("Z"))});
    assert_int_equal(db_int_at(&got, 0, 0), 9);
    got = query(f, f->db, &like, (struct db_value[]){db_text(STR("a%"))});
    assert_int_equal(db_int_at(&got, 0, 0), 3);
}

static void a_boolean_is_one_or_zero(void **state)
{
    static const struct db_stmt truths = {"SELECT 1 = 1, 1 = 2, 'a' < 'b', -1, $1 IS NULL",
                                          "i"};
    struct fixture *f = *state;
    struct db_result got = query(f, f->db, &truths, (struct db_value[]){db_null()});

    assert_int_equal(db_int_at(&got, 0, 0), 1);
    assert_int_equal(db_int_at(&got, 0, 1), 0);
    assert_int_equal(db_int_at(&got, 0, 2), 1);
    assert_int_equal(db_int_at(&got, 0, 3), -1);
    assert_int_equal(db_int_at(&got, 0, 4), 1);
}

static void a_fraction_is_refused(void **state)
{
    static const struct db_stmt fraction = {"SELECT 1, 1.5", NULL};
    struct fixture *f = *state;
    struct db_result got = {.changed = -7};

    db_send(f->db, &fraction, NULL, &got);
    REFUSED(db_flush(f->db, f->arena, err), RC_INVALID, "cast it");
    assert_int_equal(got.changed, -7);
    assert_false(db_is_dead(f->db));
}

static void a_batch_of_a_thousand_counts_each_row(void **state)
{
    static struct db_result got[1000];
    struct fixture *f = *state;

    make_table(f);
    put(f, 500, 0);
    db_begin(f->db);
    for (int i = 0; i < 1000; i++)
        db_send(f->db, &insert_new, (struct db_value[]){db_int(i), db_int(i)}, &got[i]);
    OK(db_commit(f->db, f->arena, err));
    for (int i = 0; i < 1000; i++)
        assert_int_equal(got[i].changed, i == 500 ? 0 : 1);
    assert_int_equal(query_int(f, f->db, &count), 1000);
}

static void a_conflict_in_the_middle_of_a_batch_undoes_all_of_it(void **state)
{
    static struct db_result got[1000];
    struct fixture *f = *state;

    make_table(f);
    put(f, 500, 0);
    db_begin(f->db);
    for (int i = 0; i < 1000; i++) {
        got[i].changed = -7;
        db_send(f->db, &insert, (struct db_value[]){db_int(i), db_int(i), db_null(), db_null()},
                &got[i]);
    }
    REFUSED(db_commit(f->db, f->arena, err), RC_CONFLICT, "a row with this key");
    for (int i = 0; i < 1000; i++)
        assert_int_equal(got[i].changed, -7);
    assert_int_equal(query_int(f, f->db, &count), 1);
}

/* Both sides send more than any buffer holds. */
static void large_requests_and_answers_do_not_block_each_other(void **state)
{
    enum { SIZE = 16384, TIMES = 1000 };
    static struct db_result got[TIMES];
    static char bytes[SIZE];
    struct fixture *f = *state;
    struct db *db = open_with(f->free_url, &(struct db_options){.bytes_max = 64 << 20});

    for (int i = 0; i < SIZE; i++)
        bytes[i] = (char)(i * 7);
    db_begin(db);
    for (int i = 0; i < TIMES; i++)
        db_send(db, &echo, (struct db_value[]){db_blob((struct str){bytes, SIZE})}, &got[i]);
    OK(db_commit(db, f->arena, err));
    for (int i = 0; i < TIMES; i++)
        assert_bytes(db_blob_at(&got[i], 0, 0), (struct str){bytes, SIZE});
    db_close(db);
}

static void results_come_with_the_flush_and_not_before(void **state)
{
    struct fixture *f = *state;
    struct db_result got = {.changed = -7};

    make_table(f);
    db_begin(f->db);
    db_send(f->db, &insert_new, (struct db_value[]){db_int(1), db_int(1)}, &got);
    assert_int_equal(got.changed, -7);
    OK(db_flush(f->db, f->arena, err));
    assert_int_equal(got.changed, 1);
    OK(db_flush(f->db, f->arena, err));
    OK(db_commit(f->db, f->arena, err));
}

static void parameters_are_copied(void **state)
{
    struct fixture *f = *state;
    char text[] = "mine";
    struct db_value params[] = {db_blob((struct str){text, 4})};
    struct db_result got;

    db_send(f->db, &echo, params, &got);
    memcpy(text, "gone", 4);
    params[0] = db_null();
    OK(db_flush(f->db, f->arena, err));
    assert_bytes(db_blob_at(&got, 0, 0), STR("mine"));
}

static void the_rows_of_an_answer_are_limited(void **state)
{
    struct fixture *f = *state;
    struct db_result got;

    got = query(f, f->db, &numbers, (struct db_value[]){db_int(DB_ROWS_MAX)});
    assert_int_equal(got.rows, DB_ROWS_MAX);
    assert_int_equal(db_int_at(&got, DB_ROWS_MAX - 1, 0), DB_ROWS_MAX);
    db_send(f->db, &numbers, (struct db_value[]){db_int(DB_ROWS_MAX + 1)}, &got);
    REFUSED(db_flush(f->db, f->arena, err), RC_LIMIT, "more than 16384 rows");
    assert_int_equal(query(f, f->db, &numbers, (struct db_value[]){db_int(3)}).rows, 3);
}

static void the_bytes_of_the_answers_of_a_flush_are_limited(void **state)
{
    enum { MAX = 65536 };
    static char bytes[MAX];
    struct fixture *f = *state;
    struct db *db = open_with(f->free_url, &(struct db_options){.bytes_max = MAX});
    const struct db_value half[] = {db_blob((struct str){bytes, MAX / 2 - 1024})};
    const struct db_value whole[] = {db_blob((struct str){bytes, MAX})};
    struct db_result got[3];

    db_send(db, &echo, half, &got[0]);
    db_send(db, &echo, half, &got[1]);
    OK(db_flush(db, f->arena, err));
    assert_int_equal(db_blob_at(&got[1], 0, 0).len, MAX / 2 - 1024);
    db_send(db, &echo, whole, &got[0]);
    REFUSED(db_flush(db, f->arena, err), RC_LIMIT, "larger than 65536 bytes");
    OK(db_flush(db, f->arena, err));
    db_begin(db);
    for (int i = 0; i < 3; i++)
        db_send(db, &echo, half, &got[i]);
    REFUSED(db_flush(db, f->arena, err), RC_LIMIT, "larger than 65536 bytes");
    db_rollback(db);
    db_send(db, &echo, whole, NULL); /* rows that are not requested need no room */
    OK(db_flush(db, NULL, err));
    db_close(db);
}

static void the_bytes_of_a_queue_are_limited(void **state)
{
    size_t size = DB_QUEUE_BYTES_MAX / 2;
    struct fixture *f = *state;
    char *bytes = calloc(1, size);
    const struct db_value half[] = {db_blob((struct str){bytes, size})};

    assert_non_null(bytes);
    db_begin(f->db);
    db_send(f->db, &echo, half, NULL);
    db_send(f->db, &echo, half, NULL);
    REFUSED(db_commit(f->db, f->arena, err), RC_LIMIT, "smaller batches");
    free(bytes);
    query(f, f->db, &echo, (struct db_value[]){db_blob(STR("x"))});
}

static void text_that_is_not_utf8_is_refused_and_nothing_is_written(void **state)
{
    static const struct str bad[] = {
        {"a\0b", 3}, {"\xff", 1}, {"\xed\xa0\x80", 3}, {"\xc3", 1}};
    struct fixture *f = *state;

    make_table(f);
    for (int i = 0; i < 4; i++) {
        db_send(f->db, &insert_new, (struct db_value[]){db_int(1), db_int(1)}, NULL);
        db_send(f->db, &insert,
                (struct db_value[]){db_int(2), db_null(), db_text(bad[i]), db_null()}, NULL);
        REFUSED(db_flush(f->db, f->arena, err), RC_INVALID, "not UTF-8");
        OK(db_flush(f->db, f->arena, err));
    }
    assert_int_equal(query_int(f, f->db, &count), 0);
}

static void invalid_statements_are_refused(void **state)
{
    static const struct db_stmt no_table = {"SELECT x FROM nowhere", NULL};
    static const struct db_stmt no_text = {"SELECT \"not a text\"", NULL};
    static const struct db_stmt not_null = {"INSERT INTO n (x) VALUES ($1)", "i"};
    struct fixture *f = *state;

    REFUSED(db_exec(f->db, STR("SELEC 1"), err), RC_INVALID, "SELEC");
    db_send(f->db, &no_table, NULL, NULL);
    REFUSED(db_flush(f->db, NULL, err), RC_INVALID, "nowhere");
    db_send(f->db, &no_text, NULL, NULL);
    REFUSED(db_flush(f->db, NULL, err), RC_INVALID, "not a text");
    exec(f->db, "CREATE TABLE n (x {int} NOT NULL){strict}");
    db_send(f->db, &not_null, (struct db_value[]){db_null()}, NULL);
    REFUSED(db_flush(f->db, NULL, err), RC_INVALID, "x");
    /* The same statement, which works now that its table exists. */
    exec(f->db, "CREATE TABLE nowhere (x {int}){strict}");
    assert_int_equal(query(f, f->db, &no_table, NULL).rows, 0);
}

static void hundreds_of_prepared_statements_are_reused(void **state)
{
    enum { COUNT = 300 };
    static struct db_stmt statements[COUNT];
    static char texts[COUNT][32];
    struct fixture *f = *state;

    for (int i = 0; i < COUNT; i++) {
        snprintf(texts[i], sizeof texts[i], "SELECT $1 + %d", i);
        statements[i] = (struct db_stmt){texts[i], "i"};
    }
    for (int i = 0; i < 2 * COUNT; i++) {
        struct db_result got = query(f, f->db, &statements[i % COUNT],
                                     (struct db_value[]){db_int(1000)});

        assert_int_equal(db_int_at(&got, 0, 0), 1000 + i % COUNT);
    }
}

static void urls_of_neither_kind_are_refused_without_repeating_them(void **state)
{
    static const char *const bad[] = {"", "mysql://me:secret@host/x", "/a/secret/file",
                                      "Postgres://me:secret@host/x", "sqlite3:secret"};
    struct db *db = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct err why = {.text = ""};

        assert_int_equal(db_open(bad[i], NULL, &db, &why), RC_INVALID);
        assert_non_null(strstr(why.text, "sqlite:FILE"));
        assert_null(strstr(why.text, "secret"));
        assert_null(db);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DB_TEST(every_number_comes_back_as_it_went),
        DB_TEST(every_text_and_all_bytes_come_back_as_they_went),
        DB_TEST(an_empty_value_is_not_null),
        DB_TEST(null_is_accepted_and_returned_like_any_value),
        DB_TEST(parameters_may_be_repeated_and_out_of_order),
        DB_TEST(a_statement_may_have_thirty_two_parameters),
        DB_TEST(returning_gives_the_rows_and_the_count),
        DB_TEST(reading_and_ddl_change_no_rows),
        DB_TEST(on_conflict_do_nothing_changes_no_row),
        DB_TEST(a_conditional_update_counts_the_rows_that_matched),
        DB_TEST(a_claim_takes_the_first_free_rows_in_order),
        DB_TEST(pages_follow_each_other_by_key),
        DB_TEST(text_is_sorted_and_matched_by_its_bytes),
        DB_TEST(a_boolean_is_one_or_zero),
        DB_TEST(a_fraction_is_refused),
        DB_TEST(a_batch_of_a_thousand_counts_each_row),
        DB_TEST(a_conflict_in_the_middle_of_a_batch_undoes_all_of_it),
        DB_TEST(large_requests_and_answers_do_not_block_each_other),
        DB_TEST(results_come_with_the_flush_and_not_before),
        DB_TEST(parameters_are_copied),
        DB_TEST(the_rows_of_an_answer_are_limited),
        DB_TEST(the_bytes_of_the_answers_of_a_flush_are_limited),
        DB_TEST(the_bytes_of_a_queue_are_limited),
        DB_TEST(text_that_is_not_utf8_is_refused_and_nothing_is_written),
        DB_TEST(invalid_statements_are_refused),
        DB_TEST(hundreds_of_prepared_statements_are_reused),
        DB_TEST(urls_of_neither_kind_are_refused_without_repeating_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
