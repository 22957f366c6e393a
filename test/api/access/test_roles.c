/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rights of roles, and of two roles of one token.
 */
#include "api/access/roles.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* A call that was not authenticated may only do what needs no right. */
static void nothing_is_allowed_by_default(void **state)
{
    (void)state;
    for (int right = 0; right < RIGHT_COUNT; right++)
        for (int all = 0; all < 2; all++) {
            assert_int_equal(role_has(ROLE_NONE, all, (enum right)right), right == RIGHT_NONE);
            assert_false(role_has(ROLE_COUNT, all, (enum right)right));
        }
    for (int role = 0; role < ROLE_COUNT; role++)
        assert_false(role_has((enum role)role, true, RIGHT_COUNT));
    assert_false(role_has(ROLE_ADMIN, false, RIGHT_SERVER));
    assert_true(role_has(ROLE_ADMIN, true, RIGHT_SERVER));
}

/* A token with two roles may do what either of them may, and nothing else. */
static void two_roles_have_the_rights_of_both(void **state)
{
    static const enum role pairs[][2] = {{ROLE_VIEWER_WORKER, ROLE_VIEWER},
                                         {ROLE_OPERATOR_WORKER, ROLE_OPERATOR},
                                         {ROLE_EDITOR_WORKER, ROLE_EDITOR}};

    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        for (int right = 0; right < RIGHT_COUNT; right++)
            assert_int_equal(role_has(pairs[i][0], true, (enum right)right),
                             role_has(pairs[i][1], true, (enum right)right) ||
                                 role_has(ROLE_WORKER, true, (enum right)right));
}

static void names_are_read_as_they_are_written(void **state)
{
    enum role role;
    struct err err;

    (void)state;
    for (int i = ROLE_VIEWER; i < ROLE_COUNT; i++) {
        assert_int_equal(role_parse(str_of(role_text((enum role)i)), &role, &err), RC_OK);
        assert_int_equal(role, i);
    }
    assert_string_equal(role_text(ROLE_OPERATOR_WORKER), "operator+worker");
    assert_int_equal(role_parse(STR("worker+operator"), &role, &err), RC_INVALID);
    assert_int_equal(role_parse(STR("admin+worker"), &role, &err), RC_INVALID);
    assert_int_equal(role_parse(STR("nobody"), &role, &err), RC_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_allowed_by_default),
        cmocka_unit_test(two_roles_have_the_rights_of_both),
        cmocka_unit_test(names_are_read_as_they_are_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
