/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table sessions, on both databases.
 */
#include "rows.h"

#include "store/sessions.h"

static void add_token(struct fixture *f, int64_t id)
{
    char sql[200];

    snprintf(sql, sizeof sql,
             "INSERT INTO tokens (id, namespace, role, name, hash, created_at, created_by,"
             " expires_at, used_at) VALUES (%lld, 0, 1, '', CAST('' AS {blob}), 0, '', 0, 0)",
             (long long)id);
    exec(f->db, sql);
}

static int64_t add(struct fixture *f, int64_t id, int64_t token, instant created_at)
{
    struct db_result got = {.changed = -1};
    struct session session = {.id = id,
                              .token = token,
                              .hash = {1, 0, 255},
                              .created_at = created_at,
                              .expires_at = created_at + SESSION_AGE};

    sessions_insert(f->db, &session, &got);
    flush(f);
    return got.changed;
}

static void assert_sessions(struct fixture *f, instant now, const char *ids)
{
    struct db_result got;

    sessions_list(f->db, now, &got);
    flush(f);
    assert_ids(&got, ids);
}

static void a_session_is_read_as_it_was_written(void **state)
{
    static const uint8_t hash[SHA256_BYTES] = {1, 0, 255};
    struct fixture *f = *state;
    struct session session;
    struct db_result got;

    add_token(f, 7);
    assert_int_equal(add(f, 71, 7, DAY_ONE), 1);
    sessions_list(f->db, DAY_ONE, &got);
    flush(f);
    sessions_read(&got, 0, &session);
    assert_int_equal(session.id, 71);
    assert_int_equal(session.token, 7);
    assert_memory_equal(session.hash, hash, sizeof hash);
    assert_int_equal(session.created_at, DAY_ONE);
    assert_int_equal(session.expires_at, DAY_ONE + 12 * SPAN_H);
}

static void a_session_needs_a_token_and_a_free_id(void **state)
{
    struct fixture *f = *state;

    add_token(f, 7);
    assert_int_equal(add(f, 1, 8, DAY_ONE), 0);
    assert_int_equal(add(f, 1, 7, DAY_ONE), 1);
    assert_int_equal(add(f, 1, 7, DAY_ONE), 0);
    assert_sessions(f, DAY_ONE, "1");
}

static void expired_sessions_are_not_listed_and_then_deleted(void **state)
{
    struct fixture *f = *state;

    add_token(f, 7);
    add(f, 1, 7, DAY_ONE);
    add(f, 2, 7, DAY_ONE + 1);
    assert_sessions(f, DAY_ONE + SESSION_AGE - 1, "1 2");
    assert_sessions(f, DAY_ONE + SESSION_AGE, "2");
    add(f, 3, 7, DAY_ONE + SESSION_AGE);
    assert_sessions(f, INSTANT_NONE, "2 3");
}

static void a_token_keeps_its_newest_sessions(void **state)
{
    struct fixture *f = *state;

    add_token(f, 7);
    add_token(f, 8);
    add(f, 1, 8, DAY_ONE);
    for (int i = 0; i < SESSIONS_PER_TOKEN; i++)
        assert_int_equal(add(f, 1000 + i, 7, DAY_ONE + i), 1);
    assert_int_column(f, "sessions WHERE token = 7", "count(*)", SESSIONS_PER_TOKEN);
    assert_int_equal(add(f, 5, 7, DAY_ONE + SPAN_S), 1);
    assert_int_column(f, "sessions WHERE token = 7", "count(*)", SESSIONS_PER_TOKEN);
    assert_int_column(f, "sessions WHERE id = 1000", "count(*)", 0);
    assert_int_column(f, "sessions WHERE id = 1001", "count(*)", 1);
    assert_int_column(f, "sessions WHERE token = 8", "count(*)", 1);
}

static void the_number_of_sessions_is_limited(void **state)
{
    struct fixture *f = *state;

    add_token(f, 7);
    exec(f->db,
         "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4999)"
         " INSERT INTO sessions SELECT 10 + i, 1000 + i, CAST('' AS {blob}), 0,"
         " 9223372036854775807 FROM n");
    assert_int_equal(add(f, 1, 7, DAY_ONE), 1);
    assert_int_equal(add(f, 2, 7, DAY_ONE), 0);
}

static void sessions_end_by_id_or_with_their_token(void **state)
{
    struct fixture *f = *state;
    struct db_result got = {.changed = -1};

    add_token(f, 7);
    add_token(f, 8);
    add(f, 1, 7, DAY_ONE);
    add(f, 2, 7, DAY_ONE);
    add(f, 3, 8, DAY_ONE);
    sessions_delete(f->db, 1, &got);
    flush(f);
    assert_int_equal(got.changed, 1);
    sessions_delete(f->db, 1, &got);
    flush(f);
    assert_int_equal(got.changed, 0);
    sessions_delete_of(f->db, 7); /* the token exists */
    flush(f);
    assert_sessions(f, DAY_ONE, "2 3");
    exec(f->db, "DELETE FROM tokens WHERE id = 7");
    sessions_delete_of(f->db, 7);
    flush(f);
    assert_sessions(f, DAY_ONE, "3");
}

/* Such a row was not written by Belfry. */
static void a_damaged_session_gives_no_rights(void **state)
{
    struct fixture *f = *state;
    struct session session;
    struct db_result got;

    add_token(f, 7);
    exec(f->db, "INSERT INTO sessions VALUES (1, 7, CAST('short' AS {blob}), 0,"
                " 9223372036854775807)");
    sessions_list(f->db, DAY_ONE, &got);
    flush(f);
    sessions_read(&got, 0, &session);
    assert_int_equal(session.token, 0);
}

static void every_statement_was_run(void **state)
{
    assert_every_statement_ran(*state, "src/store/sessions.c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(a_session_is_read_as_it_was_written),
        STORE_TEST(a_session_needs_a_token_and_a_free_id),
        STORE_TEST(expired_sessions_are_not_listed_and_then_deleted),
        STORE_TEST(a_token_keeps_its_newest_sessions),
        STORE_TEST(the_number_of_sessions_is_limited),
        STORE_TEST(sessions_end_by_id_or_with_their_token),
        STORE_TEST(a_damaged_session_gives_no_rights),
        STORE_TEST(every_statement_was_run),
    };

    return RUN_STORE_TESTS(tests);
}
