/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table tokens, and the server's key in meta, on both databases.
 */
#include "rows.h"

#include "store/tokens.h"

static const struct token example = {
    .id = 71,
    .namespace = 7,
    .role = ROLE_EDITOR,
    .name = {"ci \xC3\xA9", 5},
    .hash = {0, 255, 1},
    .created_at = DAY_ONE + 1,
    .created_by = {"ann", 3},
    .expires_at = DAY_ONE + 2,
    .used_at = INSTANT_NONE,
};

static int64_t add(struct fixture *f, int64_t id, int64_t namespace)
{
    struct db_result got = {.changed = -1};
    struct token token = example;

    token.id = id;
    token.namespace = namespace;
    tokens_insert(f->db, &token, &got);
    flush(f);
    return got.changed;
}

static void a_token_is_read_as_it_was_written(void **state)
{
    struct fixture *f = *state;
    struct db_result got;
    struct token token;

    exec(f->db, "INSERT INTO namespaces (id, name, created_at) VALUES (7, 'team', 0)");
    assert_int_equal(add(f, 71, 7), 1);
    assert_int_column(f, "tokens", "role", ROLE_EDITOR);
    assert_int_column(f, "tokens", "namespace", 7);
    assert_int_column(f, "tokens", "expires_at", DAY_ONE + 2);
    assert_text_column(f, "tokens", "created_by", STR("ann"));
    assert_int_equal(add(f, 71, 8), 0);
    tokens_find(f->db, 71, &got);
    flush(f);
    assert_ids(&got, "71");
    tokens_find(f->db, 72, &got);
    flush(f);
    assert_ids(&got, "");
    tokens_list(f->db, 0, 0, 10, &got);
    flush(f);
    assert_ids(&got, "71");
    tokens_read(&got, 0, &token);
    assert_int_equal(token.namespace, 7);
    assert_str_equal(token.namespace_name, STR("team"));
    assert_int_equal(token.role, ROLE_EDITOR);
    assert_str_equal(token.name, example.name);
    assert_memory_equal(token.hash, example.hash, sizeof token.hash);
    assert_int_equal(token.created_at, DAY_ONE + 1);
    assert_str_equal(token.created_by, STR("ann"));
    assert_int_equal(token.expires_at, DAY_ONE + 2);
    assert_int_equal(token.used_at, INSTANT_NONE);
}

static void tokens_are_listed_by_namespace_and_in_pages(void **state)
{
    struct fixture *f = *state;
    struct db_result all, some, rest, one;
    struct token token;

    for (int64_t id = 1; id <= 4; id++)
        assert_int_equal(add(f, id, id % 2 == 0 ? 0 : id), 1);
    tokens_list(f->db, 0, 0, 10, &all);
    tokens_list(f->db, 0, 0, 2, &some);
    tokens_list(f->db, 0, 2, 10, &rest);
    tokens_list(f->db, 3, 0, 10, &one);
    flush(f);
    assert_ids(&all, "1 2 3 4");
    assert_ids(&some, "1 2");
    assert_ids(&rest, "3 4");
    assert_ids(&one, "3");
    tokens_read(&all, 1, &token);
    assert_int_equal(token.namespace, 0);
    assert_str_equal(token.namespace_name, STR(""));
}

static int64_t take_away(struct fixture *f, int64_t id, int64_t namespace)
{
    struct db_result got = {.changed = -1};

    tokens_delete(f->db, id, namespace, &got);
    flush(f);
    return got.changed;
}

static void a_token_is_deleted_from_its_own_namespace_only(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(add(f, 1, 5), 1);
    assert_int_equal(add(f, 2, 0), 1);
    assert_int_equal(take_away(f, 1, 6), 0);
    assert_int_equal(take_away(f, 2, 5), 0);
    assert_int_equal(take_away(f, 1, 5), 1);
    assert_int_equal(take_away(f, 1, 5), 0);
    assert_int_equal(take_away(f, 2, 0), 1);
}

static void add_admin(struct fixture *f, int64_t id, instant expires_at)
{
    struct db_result got = {.changed = -1};
    struct token token = example;

    token.id = id;
    token.namespace = 0;
    token.role = ROLE_ADMIN;
    token.expires_at = expires_at;
    tokens_insert(f->db, &token, &got);
    flush(f);
    assert_int_equal(got.changed, 1);
}

/* The statement itself checks this, because two clients may delete at the same time. */
static void the_last_admin_token_without_expiry_is_deleted_last(void **state)
{
    struct fixture *f = *state;

    add_admin(f, 1, INSTANT_NEVER);
    add_admin(f, 2, INSTANT_NEVER);
    add_admin(f, 3, DAY_ONE);
    assert_int_equal(take_away(f, 1, 0), 1);
    assert_int_equal(take_away(f, 2, 0), 0);
    assert_int_equal(take_away(f, 3, 0), 1);
    assert_int_equal(take_away(f, 2, 0), 1);
}

static void the_time_of_the_last_use_never_decreases(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(add(f, 1, 5), 1);
    tokens_use(f->db, 1, DAY_ONE + 50);
    tokens_use(f->db, 1, DAY_ONE + 40);
    tokens_use(f->db, 2, DAY_ONE + 60);
    flush(f);
    assert_int_column(f, "tokens", "used_at", DAY_ONE + 50);
}

static void the_number_of_tokens_is_limited(void **state)
{
    struct fixture *f = *state;

    exec(f->db, "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <"
                " 9999) INSERT INTO tokens SELECT i, 0, 1, 'x', CAST('' AS {blob}), 0, 'x',"
                " 0, 0 FROM n");
    assert_int_equal(add(f, 20000, 0), 1);
    assert_int_equal(add(f, 20001, 0), 0);
}

static void a_token_with_a_hash_of_another_length_has_no_role(void **state)
{
    struct fixture *f = *state;
    struct db_result got;
    struct token token;

    exec(f->db,
         "INSERT INTO tokens VALUES (1, 0, 4, 'x', CAST('abc' AS {blob}), 0, 'x', 0, 0)");
    tokens_list(f->db, 0, 0, 10, &got);
    flush(f);
    tokens_read(&got, 0, &token);
    assert_int_equal(token.role, ROLE_NONE);
}

static void the_first_proposed_key_is_kept(void **state)
{
    struct fixture *f = *state;
    struct db_result none, got;

    tokens_key_find(f->db, &none);
    tokens_key_propose(f->db, STR("\x00\xff\x01"));
    tokens_key_propose(f->db, STR("other"));
    tokens_key_find(f->db, &got);
    flush(f);
    assert_int_equal(none.rows, 0);
    assert_int_equal(got.rows, 1);
    assert_str_equal(db_blob_at(&got, 0, 0), STR("\x00\xff\x01"));
}

static void every_statement_was_run(void **state)
{
    assert_every_statement_ran(*state, "src/store/tokens.c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(a_token_is_read_as_it_was_written),
        STORE_TEST(tokens_are_listed_by_namespace_and_in_pages),
        STORE_TEST(a_token_is_deleted_from_its_own_namespace_only),
        STORE_TEST(the_last_admin_token_without_expiry_is_deleted_last),
        STORE_TEST(the_time_of_the_last_use_never_decreases),
        STORE_TEST(the_number_of_tokens_is_limited),
        STORE_TEST(a_token_with_a_hash_of_another_length_has_no_role),
        STORE_TEST(the_first_proposed_key_is_kept),
        STORE_TEST(every_statement_was_run),
    };

    return RUN_STORE_TESTS(tests);
}
