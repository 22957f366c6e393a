/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests which programs a list allows, through any symbolic links.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/dispatch/dispatch_exec_parts.h"

static char folder[PATH_MAX];
static struct arena *arena;

static const char *in_folder(const char *name)
{
    static char paths[8][PATH_MAX + 32];
    static int next;
    char *path = paths[next++ % 8];

    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void make_program(const char *name)
{
    FILE *file = fopen(in_folder(name), "w");

    assert_non_null(file);
    fputs("#!/bin/sh\necho run as $0\n", file);
    assert_int_equal(fchmod(fileno(file), 0755), 0);
    assert_int_equal(fclose(file), 0);
}

/* jobs/good, jobs/sub/deep, jobs/evil -> outside, outside, link -> jobs, jobsother/x */
static int make_folder(void **state)
{
    char template[] = "/tmp/belfry-allow-XXXXXX", real[PATH_MAX];

    (void)state;
    assert_non_null(mkdtemp(template));
    assert_non_null(realpath(template, real));
    snprintf(folder, sizeof folder, "%s", real);
    arena = arena_new(1 << 20);
    assert_int_equal(mkdir(in_folder("jobs"), 0755), 0);
    assert_int_equal(mkdir(in_folder("jobs/sub"), 0755), 0);
    assert_int_equal(mkdir(in_folder("jobsother"), 0755), 0);
    make_program("jobs/good");
    make_program("jobs/sub/deep");
    make_program("jobsother/x");
    make_program("outside");
    assert_int_equal(symlink(in_folder("outside"), in_folder("jobs/evil")), 0);
    assert_int_equal(symlink(in_folder("jobs"), in_folder("link")), 0);
    return 0;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"jobs/good", "jobs/sub/deep", "jobs/evil",
                                        "link",      "jobsother/x",   "outside",
                                        "jobs/sub",  "jobs",          "jobsother"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(remove(in_folder(names[i])), 0);
    assert_int_equal(rmdir(folder), 0);
    arena = arena_free(arena);
    return 0;
}

/* Asks for `name` with a list of one `entry`, both relative to the folder. */
static enum rc ask(const char *entry, const char *name, struct str *ret_file, struct err *err)
{
    struct str allow = str_of(in_folder(entry));

    return exec_allowed(str_of(in_folder(name)), &allow, 1, arena, ret_file, err);
}

static void a_directory_allows_the_programs_below_it(void **state)
{
    static const struct {
        const char *entry, *name, *file;
    } cases[] = {
        {"jobs/", "jobs/good", "jobs/good"},
        {"jobs/", "jobs/sub/deep", "jobs/sub/deep"},
        {"jobs/", "jobs/../jobs//good", "jobs/good"},
        {"jobs/", "link/good", "jobs/good"},
        {"link/", "jobs/good", "jobs/good"},
        {"jobs/good", "jobs/good", "jobs/good"},
        {"link/good", "jobs/good", "jobs/good"},
        {"outside", "jobs/evil", "outside"},
    };
    struct str file;
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(ask(cases[i].entry, cases[i].name, &file, &err), RC_OK);
        assert_string_equal(file.ptr, in_folder(cases[i].file));
    }
}

static void other_programs_are_rejected_through_any_path(void **state)
{
    static const struct {
        const char *entry, *name;
    } cases[] = {
        {"jobs/", "outside"},       {"jobs/", "jobs/evil"},    {"jobs/", "jobs/../outside"},
        {"jobs/", "jobsother/x"},   {"jobs", "jobs/good"},     {"jobs/good", "jobs/sub/deep"},
        {"jobs/none", "jobs/good"}, {"jobs/goo", "jobs/good"},
    };
    struct str file;
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(ask(cases[i].entry, cases[i].name, &file, &err), RC_CONFLICT);
}

static void the_message_shows_the_target_of_a_link(void **state)
{
    char expected[4 * PATH_MAX];
    struct str file;
    struct err err;

    (void)state;
    assert_int_equal(ask("jobs/", "jobs/evil", &file, &err), RC_CONFLICT);
    snprintf(expected, sizeof expected,
             "exec_allow in the server's configuration does not allow the program "
             "\"%s\", which is \"%s\"",
             in_folder("jobs/evil"), in_folder("outside"));
    assert_string_equal(err.text, expected);
    assert_int_equal(ask("jobs/", "none", &file, &err), RC_NOT_FOUND);
    snprintf(expected, sizeof expected, "cannot run \"%s\": No such file or directory",
             in_folder("none"));
    assert_string_equal(err.text, expected);
}

static void an_empty_list_or_a_star_allows_everything(void **state)
{
    struct str star[] = {STR("/usr/bin/true"), STR("*")}, file = STR("x");
    struct str root = STR("/");
    struct err err;

    (void)state;
    assert_int_equal(exec_allowed(STR("/no/such"), NULL, 0, arena, &file, &err), RC_OK);
    assert_int_equal(file.len, 0);
    assert_int_equal(exec_allowed(STR("/no/such"), star, 2, arena, &file, &err), RC_OK);
    assert_int_equal(file.len, 0);
    assert_int_equal(exec_allowed(str_of(in_folder("outside")), &root, 1, arena, &file, &err),
                     RC_OK);
    assert_string_equal(file.ptr, in_folder("outside"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_directory_allows_the_programs_below_it),
        cmocka_unit_test(other_programs_are_rejected_through_any_path),
        cmocka_unit_test(the_message_shows_the_target_of_a_link),
        cmocka_unit_test(an_empty_list_or_a_star_allows_everything),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
