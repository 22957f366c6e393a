/* SPDX-License-Identifier: Apache-2.0 */
/* Expected values: the contracts in base/err.h and base/must.h. */
#include "base/err.h"
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "aborts.h"
#include "base/must.h"

/* A value that no test expects. */
static struct err dirty(void)
{
    struct err err;

    memset(&err, 0x5a, sizeof err);
    return err;
}

static void setting_fills_every_member_and_returns_the_code(void **state)
{
    struct err err = dirty();

    (void)state;
    assert_int_equal(err_set(&err, RC_LIMIT, 7, 3, "at most %d %s", 12, "bells"), RC_LIMIT);
    assert_int_equal(err.rc, RC_LIMIT);
    assert_int_equal(err.at, 7);
    assert_int_equal(err.len, 3);
    assert_string_equal(err.field, "");
    assert_string_equal(err.text, "at most 12 bells");
}

static void a_place_may_be_unknown_but_a_length_is_never_negative(void **state)
{
    struct err err = dirty();

    (void)state;
    err_set(&err, RC_INVALID, -1, -4, "wrong");
    assert_int_equal(err.at, -1);
    assert_int_equal(err.len, 0);
}

static void a_new_failure_clears_the_field_of_the_previous_one(void **state)
{
    struct err err;

    (void)state;
    err_set(&err, RC_INVALID, -1, 0, "wrong");
    err_in(&err, "expr");
    err_set(&err, RC_BUSY, -1, 0, "later");
    assert_string_equal(err.field, "");
}

/* The text has room for ERR_TEXT_MAX bytes with the terminating zero. */
static void text_is_cut_at_its_bound_and_not_before(void **state)
{
    char long_text[ERR_TEXT_MAX + 1];
    struct err err;

    (void)state;
    memset(long_text, 'x', sizeof long_text);
    err_set(&err, RC_INVALID, 0, 0, "%.*s", ERR_TEXT_MAX - 2, long_text);
    assert_int_equal(strlen(err.text), ERR_TEXT_MAX - 2);
    err_set(&err, RC_INVALID, 0, 0, "%.*s", ERR_TEXT_MAX - 1, long_text);
    assert_int_equal(strlen(err.text), ERR_TEXT_MAX - 1);
    err_set(&err, RC_INVALID, 0, 0, "%.*s", ERR_TEXT_MAX, long_text);
    assert_int_equal(strlen(err.text), ERR_TEXT_MAX - 1);
    assert_memory_equal(err.text, long_text, ERR_TEXT_MAX - 1);
}

static void a_path_grows_from_the_inside_out(void **state)
{
    struct err err;

    (void)state;
    err_set(&err, RC_INVALID, 4, 1, "wrong");
    err_in(&err, "expr");
    assert_string_equal(err.field, "expr");
    err_in(&err, "cron[%d]", 12);
    assert_string_equal(err.field, "cron[12].expr");
    err_in(&err, "%s", "spec");
    assert_string_equal(err.field, "spec.cron[12].expr");
}

static void an_index_joins_without_a_dot(void **state)
{
    struct err err;

    (void)state;
    err_set(&err, RC_INVALID, -1, 0, "wrong");
    err_in(&err, "[%d]", 3);
    assert_string_equal(err.field, "[3]");
    err_in(&err, "[%d]", 0);
    assert_string_equal(err.field, "[0][3]");
    err_in(&err, "at");
    assert_string_equal(err.field, "at[0][3]");
}

static void a_path_changes_only_the_field(void **state)
{
    struct err err;

    (void)state;
    err_set(&err, RC_CONFLICT, 9, 2, "taken");
    err_in(&err, "name");
    assert_int_equal(err.rc, RC_CONFLICT);
    assert_int_equal(err.at, 9);
    assert_int_equal(err.len, 2);
    assert_string_equal(err.text, "taken");
}

/* "spec." takes five of the 63 bytes; the inner path loses its end. */
static void a_path_that_is_too_long_loses_its_end(void **state)
{
    char inner[ERR_FIELD_MAX], expected[ERR_FIELD_MAX];
    struct err err;

    (void)state;
    memset(inner, 'i', sizeof inner);
    inner[ERR_FIELD_MAX - 1] = '\0';
    err_set(&err, RC_INVALID, -1, 0, "wrong");
    err_in(&err, "%s", inner);
    assert_string_equal(err.field, inner);
    err_in(&err, "spec");
    memcpy(expected, inner, sizeof expected);
    memcpy(expected, "spec.", 5);
    assert_string_equal(err.field, expected);
}

static void an_outer_part_that_fills_the_path_is_cut_itself(void **state)
{
    char outer[2 * ERR_FIELD_MAX];
    struct err err;

    (void)state;
    memset(outer, 'o', sizeof outer);
    for (int len = ERR_FIELD_MAX - 3; len <= ERR_FIELD_MAX + 3; len++) {
        int kept = len < ERR_FIELD_MAX ? len : ERR_FIELD_MAX - 1;

        err_set(&err, RC_INVALID, -1, 0, "wrong");
        err_in(&err, "expr");
        err_in(&err, "%.*s", len, outer);
        assert_memory_equal(err.field, outer, (size_t)kept);
        assert_string_equal(err.field + kept, len == ERR_FIELD_MAX - 3   ? ".e"
                                              : len == ERR_FIELD_MAX - 2 ? "."
                                                                         : "");
    }
}

static void the_text_is_utf8_for_any_input(void **state)
{
    char longest[ERR_TEXT_MAX + 8];
    struct err err;

    (void)state;
    err_set(&err, RC_INVALID, 0, 0, "`%s` is \xe2\x80\x93 bad",
            "a\xff"
            "b\xc3");
    assert_string_equal(err.text, "`a?b?` is \xe2\x80\x93 bad");
    err_set(&err, RC_INVALID, 0, 0, "ends in \xe2\x80");
    assert_string_equal(err.text, "ends in ??");
    /* The limit is inside a character of three bytes, after its first and second byte. */
    for (int before = ERR_TEXT_MAX - 3; before < ERR_TEXT_MAX - 1; before++) {
        memset(longest, 'x', sizeof longest);
        memcpy(longest + before, "\xe2\x80\x93", 4);
        err_set(&err, RC_INVALID, 0, 0, "%s", longest);
        assert_int_equal(strlen(err.text), before);
    }
}

/* Keys of users become parts of the path; each length of the first part shifts the cut. */
static void the_path_is_utf8_for_any_input(void **state)
{
    char key[2 * ERR_FIELD_MAX + 1];

    (void)state;
    for (size_t i = 0; i + 4 < sizeof key; i += 4)
        memcpy(key + i, "\xf0\x9f\x94\x94", 5); /* a bell */
    for (int len = 0; len < 8; len++) {
        struct err err = {0};

        err_set(&err, RC_INVALID, -1, 0, "x");
        err_in(&err, "%.*s%s", len, "abcdefgh", key);
        assert_true(str_is_utf8(str_of(err.field)));
        assert_true(strlen(err.field) > ERR_FIELD_MAX - 5);
        err_in(&err, "%.*s", len + 1, "abcdefgh");
        assert_true(str_is_utf8(str_of(err.field)));
        err_in(&err, "\xff");
        assert_true(str_is_utf8(str_of(err.field)));
    }
}

static void every_code_has_a_name_of_its_own(void **state)
{
    (void)state;
    assert_string_equal(rc_name(RC_OK), "ok");
    assert_string_equal(rc_name(RC_INVALID), "invalid");
    for (int i = 0; i < RC_COUNT; i++) {
        assert_true(rc_name((enum rc)i)[0] != '\0');
        for (int j = 0; j < i; j++)
            assert_string_not_equal(rc_name((enum rc)i), rc_name((enum rc)j));
    }
}

static void set_success(void *arg)
{
    err_set(arg, RC_OK, -1, 0, "fine");
}

static void name_no_code(void *arg)
{
    (void)arg;
    (void)rc_name(RC_COUNT);
}

static void break_an_invariant(void *arg)
{
    must(arg != arg);
}

static void keep_an_invariant(void *arg)
{
    must(arg == arg);
}

static void misuse_aborts(void **state)
{
    struct err err;

    (void)state;
    assert_true(aborts(break_an_invariant, &err));
    assert_false(aborts(keep_an_invariant, &err));
    assert_true(aborts(set_success, &err));
    assert_true(aborts(name_no_code, NULL));
}

static void a_field_is_named_with_its_text_or_renamed(void **state)
{
    struct err err;

    (void)state;
    assert_int_equal(err_field(&err, "name", "100% wrong"), RC_INVALID);
    assert_string_equal(err.field, "name");
    assert_string_equal(err.text, "100% wrong");
    assert_int_equal(err.at, -1);
    err_set(&err, RC_LIMIT, 4, 1, "long");
    assert_int_equal(err_in(&err, "spec"), RC_LIMIT);
    assert_int_equal(err_rename(&err, "cronExpr"), RC_LIMIT);
    assert_string_equal(err.field, "cronExpr");
    assert_string_equal(err.text, "long");
    assert_int_equal(err.at, 4);
    err_rename(&err, "");
    assert_string_equal(err.field, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setting_fills_every_member_and_returns_the_code),
        cmocka_unit_test(a_place_may_be_unknown_but_a_length_is_never_negative),
        cmocka_unit_test(a_new_failure_clears_the_field_of_the_previous_one),
        cmocka_unit_test(text_is_cut_at_its_bound_and_not_before),
        cmocka_unit_test(a_path_grows_from_the_inside_out),
        cmocka_unit_test(an_index_joins_without_a_dot),
        cmocka_unit_test(a_path_changes_only_the_field),
        cmocka_unit_test(a_path_that_is_too_long_loses_its_end),
        cmocka_unit_test(an_outer_part_that_fills_the_path_is_cut_itself),
        cmocka_unit_test(the_text_is_utf8_for_any_input),
        cmocka_unit_test(the_path_is_utf8_for_any_input),
        cmocka_unit_test(every_code_has_a_name_of_its_own),
        cmocka_unit_test(misuse_aborts),
        cmocka_unit_test(a_field_is_named_with_its_text_or_renamed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
