/* SPDX-License-Identifier: Apache-2.0 */
/* Tests `belfry config`.  Expected values: `belfry help config`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <jansson.h>

#include "../../cli/run.h"

/* Creates a file with this text; the caller unlinks it. */
static void make_file(const char *text, char *path)
{
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static void clean_environment(void)
{
    clearenv();
    setenv("HOME", "/home/ada", 1);
    setenv("STATE_DIRECTORY", "/srv/belfry", 1);
}

/* clearenv() would also remove the name of the program and the output format of cmocka. */
static int set_environment(void **state)
{
    char program[4096], form[64];

    (void)state;
    snprintf(program, sizeof program, "%s", getenv("BELFRY"));
    snprintf(form, sizeof form, "%s",
             getenv("CMOCKA_MESSAGE_OUTPUT") ? getenv("CMOCKA_MESSAGE_OUTPUT") : "STDOUT");
    clean_environment();
    return setenv("BELFRY", program, 1) || setenv("CMOCKA_MESSAGE_OUTPUT", form, 1);
}

static void the_table_has_a_line_for_each_key(void **state)
{
    const struct run *run = RUN("config", "--http_per_host", "7", "--exec", "--enabled=off");
    int lines = 0;

    (void)state;
    assert_int_equal(run->status, 0);
    assert_string_equal(run->err, "");
    assert_non_null(strstr(run->out, "db                 = sqlite:/srv/belfry/belfry.db      "
                                     "# default\n"));
    assert_non_null(strstr(run->out, "\nhttp_per_host      = 7                               "
                                     "  # flag\n"));
    assert_non_null(strstr(run->out, "\nenabled            = false    "));
    assert_non_null(strstr(run->out, "\nexec               = true     "));
    for (const char *p = run->out; *p != '\0'; p++)
        lines += *p == '\n';
    assert_int_equal(lines, 43);
}

/* Copies the table without the comments after #. */
static void without_sources(const char *table, char *ret)
{
    char *p = ret;

    while (*table != '\0') {
        size_t line = strcspn(table, "\n"), kept = line;
        const char *note = memmem(table, line, "  # ", 4);

        if (note)
            kept = (size_t)(note - table);
        memcpy(p, table, kept);
        p += kept;
        *p++ = '\n';
        table += line + 1;
    }
    *p = '\0';
}

static void the_table_can_be_read_as_a_configuration_file(void **state)
{
    static char first[RUN_TEXT_MAX], second[RUN_TEXT_MAX];
    char path[] = "/tmp/belfry-test-XXXXXX", source[100];
    const struct run *run = RUN("config", "--state-dir", "/a #b\"\\ ", "--exec-allow", "/x,/y",
                                "--grpc", "none", "--lease", "100s", "--log", "json");

    (void)state;
    assert_int_equal(run->status, 0);
    make_file(run->out, path);
    without_sources(run->out, first);
    run = RUN("config", "--file", path);
    unlink(path);
    assert_string_equal(run->err, "");
    without_sources(run->out, second);
    assert_string_equal(first, second);
    snprintf(source, sizeof source, "# %s:40\n", path);
    assert_non_null(strstr(run->out, source));
    assert_null(strstr(run->out, "# default"));
}

static json_t *entry(const json_t *all, const char *key, const char *source)
{
    const json_t *object = json_object_get(all, key);

    assert_string_equal(json_string_value(json_object_get(object, "source")), source);
    return json_object_get(object, "value");
}

static void json_values_have_their_types(void **state)
{
    const struct run *run;
    json_error_t error;
    json_t *all;

    (void)state;
    setenv("BELFRY_DB", "postgres://ada:secret@db/n", 1);
    setenv("BELFRY_LISTNE", "1", 1);
    run = RUN("config", "-o", "json", "--listen=0.0.0.0:80", "--max-jump", "90m");
    unsetenv("BELFRY_DB");
    unsetenv("BELFRY_LISTNE");
    assert_int_equal(run->status, 0);
    assert_string_equal(run->err, "belfry: BELFRY_LISTNE in the environment is not used; did "
                                  "you mean BELFRY_LISTEN?\n");
    all = json_loads(run->out, JSON_REJECT_DUPLICATES, &error);
    assert_non_null(all);
    assert_int_equal(json_object_size(all), 43);
    assert_string_equal(json_string_value(entry(all, "db", "env")), "postgres://ada:***@db/n");
    assert_string_equal(json_string_value(json_array_get(entry(all, "listen", "flag"), 0)),
                        "0.0.0.0:80");
    assert_string_equal(json_string_value(entry(all, "max_jump", "flag")), "1h30m");
    assert_int_equal(json_integer_value(entry(all, "turn_ms", "default")), 25);
    assert_true(json_is_true(entry(all, "enabled", "default")));
    assert_int_equal(json_array_size(entry(all, "exec_allow", "default")), 1);
    json_decref(all);
}

static void check_refused(const struct run *run, int status, const char *message)
{
    assert_int_equal(run->status, status);
    assert_string_equal(run->out, "");
    assert_string_equal(run->err, message);
}

static void error_messages_name_the_source(void **state)
{
    char path[] = "/tmp/belfry-test-XXXXXX", message[200];

    (void)state;
    make_file("# mine\nleese = 90s\n", path);
    snprintf(message, sizeof message,
             "belfry: %s:2:1: unknown key \"leese\"; did you mean lease?\n", path);
    check_refused(RUN("config", "--file", path), 2, message);
    unlink(path);
    snprintf(message, sizeof message, "belfry: cannot read %s: No such file or directory\n",
             path);
    check_refused(RUN("config", "-f", path), 1, message);
    check_refused(RUN("config", "--turn-ms", "0"), 2,
                  "belfry: --turn-ms=0: must be a whole number from 1 to 1000\n");
    check_refused(RUN("config", "--turn-mss", "0"), 2,
                  "belfry: unknown option \"--turn-mss\"; did you mean --turn-ms?\n"
                  "belfry: see `belfry help config`\n");
    check_refused(RUN("config", "-o", "xml"), 2,
                  "belfry: --output must be table or json, not \"xml\"\n"
                  "belfry: see `belfry help config`\n");
    check_refused(RUN("config", "belfry.conf"), 2,
                  "belfry: unexpected argument \"belfry.conf\"; use --file belfry.conf\n"
                  "belfry: see `belfry help config`\n");
}

static void the_table_ends_with_the_effect_of_old_names(void **state)
{
    char path[] = "/tmp/belfry-test-XXXXXX", source[100];
    const struct run *run;

    (void)state;
    make_file("conductor.scheduler.jitter-max-ms = 200\nPOLL_INTERVAL_MS = 5000\n", path);
    run = RUN("config", "--file", path);
    unlink(path);
    assert_int_equal(run->status, 0);
    assert_string_equal(run->err, "");
    snprintf(source, sizeof source,
             "\ndispatch_jitter    = 200ms                             # "
             "%s:1\n",
             path);
    assert_non_null(strstr(run->out, source));
    assert_non_null(strstr(run->out,
                           "\n# conductor.scheduler.jitter-max-ms sets dispatch_jitter\n"
                           "# POLL_INTERVAL_MS has no effect: Belfry starts each run "
                           "at its time and does not poll\n"));
}

static void the_help_describes_the_command(void **state)
{
    (void)state;
    assert_non_null(strstr(RUN("help")->out, "\n  config "));
    assert_non_null(strstr(RUN("help", "config")->out, "--http-per-host N"));
    assert_non_null(strstr(RUN("confg")->err, "did you mean \"config\"?"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_has_a_line_for_each_key),
        cmocka_unit_test(the_table_can_be_read_as_a_configuration_file),
        cmocka_unit_test(json_values_have_their_types),
        cmocka_unit_test(error_messages_name_the_source),
        cmocka_unit_test(the_table_ends_with_the_effect_of_old_names),
        cmocka_unit_test(the_help_describes_the_command),
    };

    return cmocka_run_group_tests(tests, set_environment, NULL);
}
