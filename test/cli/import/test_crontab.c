/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of reading crontabs as crontab(5) describes them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "cli/import/crontab.h"

static char errors[4096];

static void record_error(void *arg, int line, const char *text)
{
    size_t len = strlen(errors);

    (void)arg;
    snprintf(errors + len, sizeof errors - len, "%d: %s\n", line, text);
}

static struct crontab read_text(struct arena *arena, const char *text, bool is_system)
{
    const struct crontab_options options = {.is_system = is_system, .on_error = record_error};
    struct crontab table = {.count = 0};
    struct err err;

    errors[0] = '\0';
    if (crontab_read(str_of(text), &options, arena, &table, &err) != RC_OK)
        fail_msg("%s", err.text);
    return table;
}

static void assert_str(struct str got, const char *wanted)
{
    if (!str_eq(got, str_of(wanted)))
        fail_msg("`%.*s`, not `%s`", STR_ARG(got), wanted);
}

static void lines_have_a_time_and_a_command(void **state)
{
    struct arena *arena = arena_new(1 << 20);
    struct crontab t = read_text(arena,
                                 "30 2\t* *   1-5  echo  a  b\n"
                                 "\n"
                                 "  @daily /bin/x\r\n"
                                 "0 0 * * 0 last",
                                 false);

    (void)state;
    assert_string_equal(errors, "");
    assert_int_equal(t.count, 3);
    assert_int_equal(t.lines[0].line, 1);
    assert_str(t.lines[0].when, "30 2 * * 1-5");
    assert_str(t.lines[0].command, "echo  a  b");
    assert_int_equal(t.lines[1].line, 3);
    assert_str(t.lines[1].when, "@daily");
    assert_str(t.lines[1].command, "/bin/x");
    assert_str(t.lines[2].command, "last");
    arena_free(arena);
}

static void system_tables_have_a_user(void **state)
{
    struct arena *arena = arena_new(1 << 20);
    struct crontab t = read_text(
        arena, "17 *\t* * *\troot\tcd / && x\n@hourly www y\n0 0 * * * z\n", true);

    (void)state;
    assert_int_equal(t.count, 2);
    assert_str(t.lines[0].user, "root");
    assert_str(t.lines[0].command, "cd / && x");
    assert_str(t.lines[1].user, "www");
    assert_string_equal(errors,
                        "3: incomplete line; use five time fields, a user and a command\n");
    arena_free(arena);
}

static void settings_apply_to_the_lines_below_them(void **state)
{
    struct arena *arena = arena_new(1 << 20);
    struct crontab t = read_text(arena,
                                 "A=1\n"
                                 "0 0 * * * first\n"
                                 "A = ' two '\n"
                                 "\"B\"=x=y \n"
                                 "CRON_TZ=Europe/Dublin\n"
                                 "0 0 * * * X=1 second\n",
                                 false);

    (void)state;
    assert_int_equal(t.count, 2);
    assert_str(crontab_setting(&t.lines[0], STR("A")), "1");
    assert_str(crontab_setting(&t.lines[0], STR("B")), "");
    assert_str(t.lines[0].zone, "");
    assert_str(crontab_setting(&t.lines[1], STR("A")), " two ");
    assert_str(crontab_setting(&t.lines[1], STR("B")), "x=y");
    assert_str(t.lines[1].zone, "Europe/Dublin");
    assert_str(t.lines[1].command, "X=1 second");
    arena_free(arena);
}

static void text_after_a_percent_sign_is_input(void **state)
{
    struct arena *arena = arena_new(1 << 20);
    struct crontab t = read_text(arena,
                                 "0 0 * * * date +\\%F\n"
                                 "0 0 * * * cat%one%two\\%%\n"
                                 "0 0 * * * cat%\n",
                                 false);

    (void)state;
    assert_int_equal(t.count, 3);
    assert_str(t.lines[0].command, "date +%F");
    assert_false(t.lines[0].has_input);
    assert_str(t.lines[1].command, "cat");
    assert_true(t.lines[1].has_input);
    assert_str(t.lines[1].input, "one\ntwo%\n");
    assert_true(t.lines[2].has_input);
    assert_str(t.lines[2].input, "");
    arena_free(arena);
}

static void comments_directly_above_a_line_belong_to_it(void **state)
{
    struct arena *arena = arena_new(1 << 20);
    struct crontab t = read_text(arena,
                                 "# of the file\n"
                                 "\n"
                                 "# the first\n"
                                 "  ## line of it\n"
                                 "#\n"
                                 "0 0 * * * a\n"
                                 "0 0 * * * b\n"
                                 "# of a setting\n"
                                 "A=1\n"
                                 "0 0 * * * c # no comment\n",
                                 false);

    (void)state;
    assert_int_equal(t.count, 3);
    assert_str(t.lines[0].comment, "the first\nline of it");
    assert_str(t.lines[1].comment, "");
    assert_str(t.lines[2].comment, "");
    assert_str(t.lines[2].command, "c # no comment");
    arena_free(arena);
}

static void invalid_lines_are_reported(void **state)
{
    const struct crontab_options options = {.on_error = record_error};
    struct arena *arena = arena_new(1 << 20);
    struct crontab t = read_text(arena, "0 0 * * *\nnonsense\n@daily\n0 0 * * * ok\n", false);
    struct err err;

    (void)state;
    assert_int_equal(t.count, 1);
    assert_string_equal(errors, "1: incomplete line; use five time fields and a command\n"
                                "2: incomplete line; use five time fields and a command\n"
                                "3: incomplete line; use five time fields and a command\n");
    assert_int_equal(crontab_read(STR("a\0b"), &options, arena, &t, &err), RC_INVALID);
    assert_int_equal(crontab_read(STR("\xff"), &options, arena, &t, &err), RC_INVALID);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_have_a_time_and_a_command),
        cmocka_unit_test(system_tables_have_a_user),
        cmocka_unit_test(settings_apply_to_the_lines_below_them),
        cmocka_unit_test(text_after_a_percent_sign_is_input),
        cmocka_unit_test(comments_directly_above_a_line_belong_to_it),
        cmocka_unit_test(invalid_lines_are_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
