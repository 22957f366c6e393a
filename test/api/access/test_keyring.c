/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text form of tokens, and finding tokens by id and secret.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "api/access/keyring.h"

enum { TOKENS = 3, COLUMNS = 10 };

static const int64_t ids[TOKENS] = {5, 77, TOKEN_ID_MAX};
static const char *const key = "the key of the server";
static uint8_t secrets[TOKENS][SECRET_BYTES];
static uint8_t hashes[TOKENS][SHA256_BYTES];

/* Hashed with HMAC directly; test/base checks HMAC with test vectors. */
static struct keyring *three_tokens(void)
{
    static struct db_value values[TOKENS][COLUMNS];
    struct db_result rows = {.rows = TOKENS, .columns = COLUMNS, .values = &values[0][0]};

    for (int i = 0; i < TOKENS; i++) {
        memset(secrets[i], 17 * (i + 1), SECRET_BYTES);
        sha256_hmac(str_of(key), (struct str){(char *)secrets[i], SECRET_BYTES}, hashes[i]);
        memcpy(values[i],
               (struct db_value[COLUMNS]){
                   db_int(ids[i]), db_int(i), db_int(ROLE_VIEWER + i), db_text(STR("name")),
                   db_blob((struct str){(char *)hashes[i], SHA256_BYTES}), db_int(1),
                   db_text(STR("ann")), db_int(INSTANT_NEVER), db_int(INSTANT_NONE),
                   i == 0 ? db_null() : db_text(STR("team"))},
               sizeof values[i]);
    }
    return keyring_new(str_of(key), &rows);
}

static const char *token_text(enum role role, int64_t id, const uint8_t *secret)
{
    static char text[TOKEN_TEXT_MAX];
    struct buf out = BUF(text);

    token_print(role, id, secret, &out);
    assert_false(out.cut);
    return text;
}

static void a_token_is_found_by_its_text(void **state)
{
    struct keyring *ring = three_tokens();

    (void)state;
    for (int i = 0; i < TOKENS; i++) {
        const struct token *t = keyring_find(
            ring, str_of(token_text((enum role)(ROLE_VIEWER + i), ids[i], secrets[i])));

        assert_non_null(t);
        assert_int_equal(t->id, ids[i]);
        assert_int_equal(t->role, ROLE_VIEWER + i);
        assert_int_equal(t->namespace, i);
    }
    keyring_free(ring);
}

/* bf_, the role, twelve letters of five bits, 52 letters: 256 bits and four zeros. */
static void a_token_has_its_documented_form(void **state)
{
    static const uint8_t ones[SECRET_BYTES] = {[0] = 0x80, [31] = 1};

    (void)state;
    assert_string_equal(token_text(ROLE_OPERATOR, 33, ones),
                        "bf_operator_000000000011_"
                        "g00000000000000000000000000000000000000000000000000g");
}

static void a_token_with_a_changed_letter_is_not_found(void **state)
{
    struct keyring *ring = three_tokens();
    char text[TOKEN_TEXT_MAX];
    size_t len;

    (void)state;
    snprintf(text, sizeof text, "%s", token_text(ROLE_OPERATOR, ids[1], secrets[1]));
    len = strlen(text);
    assert_non_null(keyring_find(ring, str_of(text)));
    for (size_t i = 0; i < len; i++) {
        char was = text[i];

        for (const char *c = "0123456789abcdefghjkmnpqrstvwxyzilouA_ -"; *c; c++) {
            text[i] = *c;
            if (*c != was)
                assert_null(keyring_find(ring, str_of(text)));
        }
        text[i] = was;
        assert_null(keyring_find(ring, (struct str){text, i}));
    }
    assert_null(keyring_find(ring, str_of("bf_admin_000000000000_")));
    keyring_free(ring);
}

/* The role of the database row counts: a token cannot claim another role. */
static void the_role_in_the_text_must_be_that_of_the_row(void **state)
{
    struct keyring *ring = three_tokens();

    (void)state;
    assert_null(keyring_find(ring, str_of(token_text(ROLE_ADMIN, ids[1], secrets[1]))));
    assert_null(keyring_find(ring, str_of(token_text(ROLE_OPERATOR, ids[1], secrets[0]))));
    assert_null(keyring_find(ring, str_of(token_text(ROLE_OPERATOR, 78, secrets[1]))));
    keyring_free(ring);
}

/* An unknown id is compared with a hash of zeros. */
static void an_unknown_id_matches_no_secret(void **state)
{
    struct db_result none = {.columns = COLUMNS};
    struct keyring *ring = keyring_new(str_of(key), &none);

    (void)state;
    assert_int_equal(keyring_count(ring), 0);
    assert_null(keyring_find(ring, str_of(token_text(ROLE_ADMIN, 5, secrets[0]))));
    keyring_free(ring);
}

static void a_new_keyring_inherits_the_times_of_last_use(void **state)
{
    struct keyring *before = three_tokens(), *after = three_tokens();

    (void)state;
    keyring_use(before, keyring_at(before, 1), 1000);
    keyring_use(after, keyring_at(after, 2), 2000);
    keyring_inherit(after, before);
    assert_int_equal(keyring_at(after, 0)->used_at, INSTANT_NONE);
    assert_int_equal(keyring_at(after, 1)->used_at, 1000);
    assert_int_equal(keyring_at(after, 2)->used_at, 2000);
    keyring_free(before);
    keyring_free(after);
}

static void an_id_is_read_as_it_was_printed(void **state)
{
    (void)state;
    for (int i = 0; i < TOKENS; i++) {
        char text[TOKEN_ID_LETTERS + 1];
        struct buf out = BUF(text);
        int64_t got = -1;

        token_id_print(ids[i], &out);
        assert_true(token_id_parse(str_of(text), &got));
        assert_int_equal(got, ids[i]);
        text[4] = 'u';
        assert_false(token_id_parse(str_of(text), &got));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_token_is_found_by_its_text),
        cmocka_unit_test(a_token_has_its_documented_form),
        cmocka_unit_test(a_token_with_a_changed_letter_is_not_found),
        cmocka_unit_test(the_role_in_the_text_must_be_that_of_the_row),
        cmocka_unit_test(an_unknown_id_matches_no_secret),
        cmocka_unit_test(a_new_keyring_inherits_the_times_of_last_use),
        cmocka_unit_test(an_id_is_read_as_it_was_printed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
