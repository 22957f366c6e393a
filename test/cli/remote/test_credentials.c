/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of where commands find their token, and which tokens and files they refuse.
 */
#include "cli/remote/credentials.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct home {
    char dir[64], folder[96], file[128];
};

static int set_up(void **state)
{
    struct home *home = calloc(1, sizeof *home);

    assert_non_null(home);
    snprintf(home->dir, sizeof home->dir, "/tmp/belfry-test-XXXXXX");
    assert_non_null(mkdtemp(home->dir));
    snprintf(home->folder, sizeof home->folder, "%s/belfry", home->dir);
    snprintf(home->file, sizeof home->file, "%s/token", home->folder);
    assert_int_equal(mkdir(home->folder, 0700), 0);
    setenv("XDG_CONFIG_HOME", home->dir, 1);
    unsetenv("BELFRY_TOKEN");
    *state = home;
    return 0;
}

static int tear_down(void **state)
{
    struct home *home = *state;

    unlink(home->file);
    rmdir(home->folder);
    rmdir(home->dir);
    free(home);
    return 0;
}

static void write_file(const struct home *home, const char *text, mode_t mode)
{
    FILE *file = fopen(home->file, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(home->file, mode), 0);
}

static void the_file_is_read_when_nothing_else_is_given(void **state)
{
    char token[TOKEN_MAX] = "?";
    struct err err;

    assert_int_equal(token_find(NULL, token, &err), RC_OK);
    assert_string_equal(token, "");
    write_file(*state, "bf_viewer_1_abc\n", 0600);
    assert_int_equal(token_find(NULL, token, &err), RC_OK);
    assert_string_equal(token, "bf_viewer_1_abc");
    setenv("BELFRY_TOKEN", "bf_editor_2_def", 1);
    assert_int_equal(token_find(NULL, token, &err), RC_OK);
    assert_string_equal(token, "bf_editor_2_def");
    assert_int_equal(token_find("bf_admin_3_ghi", token, &err), RC_OK);
    assert_string_equal(token, "bf_admin_3_ghi");
}

static void a_file_that_others_can_read_is_refused(void **state)
{
    char token[TOKEN_MAX];
    struct err err;

    write_file(*state, "bf_viewer_1_abc\n", 0640);
    assert_int_equal(token_find(NULL, token, &err), RC_INVALID);
    assert_non_null(strstr(err.text, "chmod 600"));
    write_file(*state, "bf_viewer_1_abc\n", 0604);
    assert_int_equal(token_find(NULL, token, &err), RC_INVALID);
}

static void an_invalid_token_is_refused(void **state)
{
    char token[TOKEN_MAX], longer[TOKEN_MAX + 2];
    struct err err;

    memset(longer, 'x', sizeof longer);
    longer[TOKEN_MAX + 1] = '\0';
    assert_int_equal(token_find("a\r\nX-Other: b", token, &err), RC_INVALID);
    assert_int_equal(token_find("a b", token, &err), RC_INVALID);
    assert_int_equal(token_find(longer, token, &err), RC_INVALID);
    write_file(*state, longer, 0600);
    assert_int_equal(token_find(NULL, token, &err), RC_INVALID);
    assert_non_null(strstr(err.text, "/belfry/token"));
}

/* chmod would not help. */
static void a_directory_is_not_called_readable_by_others(void **state)
{
    const struct home *home = *state;
    char token[TOKEN_MAX];
    struct err err;

    unlink(home->file);
    assert_int_equal(mkdir(home->file, 0700), 0);
    assert_int_equal(token_find(NULL, token, &err), RC_INVALID);
    assert_non_null(strstr(err.text, "is not a regular file"));
    assert_int_equal(rmdir(home->file), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_file_is_read_when_nothing_else_is_given, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_file_that_others_can_read_is_refused, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(an_invalid_token_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_directory_is_not_called_readable_by_others, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests_name("credentials", tests, NULL, NULL);
}
