/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tokens of SQL texts, and the splitting of texts into statements.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/aborts.h"
#include "base/buf.h"
#include "db/sql.h"

static const char *const words[SQL_TOKEN_COUNT] = {
    [SQL_INT] = "<I>", [SQL_TEXT] = "<T>",  [SQL_BLOB] = "<B>",  [SQL_STRICT] = "<S>",
    [SQL_SKIP] = "",   [SQL_CLOCK] = "<C>", [SQL_KEYED] = "<K>", [SQL_BYTES] = "<Y>",
};

static void expect(const char *sql, const char *expected)
{
    char room[256];
    struct buf out = BUF(room);

    sql_expand(str_of(sql), words, &out);
    assert_string_equal(room, expected);
}

static void tokens_are_replaced_at_any_position(void **state)
{
    (void)state;
    expect("SELECT 1", "SELECT 1");
    expect("{int}", "<I>");
    expect("CREATE TABLE t (a {int}, b {text}, c {blob}){strict}",
           "CREATE TABLE t (a <I>, b <T>, c <B>)<S>");
    expect("SELECT {clock} LIMIT 1{skip}", "SELECT <C> LIMIT 1");
    expect("{skip}{int}{int}", "<I><I>");
    expect("{keyed}, {bytes}", "<K>, <Y>");
    expect("a } b", "a } b");
}

static void expand_into_little_room(void *sql)
{
    char room[8];
    struct buf out = BUF(room);

    sql_expand(str_of(sql), words, &out);
}

static void invalid_internal_sql_aborts(void **state)
{
    char unknown[] = "{bool}", open[] = "{int", large[] = "12345678", fits[] = "1{int}34";

    (void)state;
    assert_true(aborts(expand_into_little_room, unknown));
    assert_true(aborts(expand_into_little_room, open));
    assert_true(aborts(expand_into_little_room, large));
    assert_false(aborts(expand_into_little_room, fits));
}

static void expect_statements(const char *sql, const char *const *expected)
{
    struct str rest = str_of(sql), got;

    for (; *expected; expected++) {
        assert_true(sql_next(&rest, &got));
        assert_true(str_eq(got, str_of(*expected)));
    }
    assert_false(sql_next(&rest, &got));
    assert_false(sql_next(&rest, &got));
}

#define EXPECT_STATEMENTS(sql, ...) \
    expect_statements(sql, (const char *const[]){__VA_ARGS__, NULL})

static void statements_end_with_a_semicolon(void **state)
{
    (void)state;
    EXPECT_STATEMENTS("a", "a");
    EXPECT_STATEMENTS("a;", "a");
    EXPECT_STATEMENTS("a;b", "a", "b");
    EXPECT_STATEMENTS("\n  a b\n c ;\n\n\tb;\n", "a b\n c", "b");
    EXPECT_STATEMENTS(";; a ;;; b;;", "a", "b");
    EXPECT_STATEMENTS("x = 'it''s'; y", "x = 'it''s'", "y");
    expect_statements("", (const char *const[]){NULL});
    expect_statements(" \n; ;", (const char *const[]){NULL});
}

static void split(void *sql)
{
    struct str rest = str_of(sql), got;

    while (sql_next(&rest, &got))
        ;
}

static void text_that_could_hide_a_semicolon_aborts(void **state)
{
    char literal[] = "a = 'x;y'", line[] = "a -- b; c\n", block[] = "a /* b; c */",
         fine[] = "a - b / c";

    (void)state;
    assert_true(aborts(split, literal));
    assert_true(aborts(split, line));
    assert_true(aborts(split, block));
    assert_false(aborts(split, fine));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_are_replaced_at_any_position),
        cmocka_unit_test(invalid_internal_sql_aborts),
        cmocka_unit_test(statements_end_with_a_semicolon),
        cmocka_unit_test(text_that_could_hide_a_semicolon_aborts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
