/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of `belfry help`, and of where its words may be.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "run.h"

static void assert_begins(const struct run *run, const char *start)
{
    assert_int_equal(run->status, 0);
    if (strncmp(run->out, start, strlen(start)) != 0)
        fail_msg("it does not begin with `%s`:\n%s", start, run->out);
}

static void help_explains_itself(void **state)
{
    (void)state;
    assert_begins(RUN("help", "help"), "Usage: belfry help [COMMAND]...\n");
    assert_begins(RUN("help", "--help"), "Usage: belfry help [COMMAND]...\n");
    assert_non_null(strstr(RUN("help", "help")->out, "--roff COMMAND"));
}

static void help_may_be_before_and_after_other_words(void **state)
{
    (void)state;
    assert_begins(RUN("--server", "http://x", "help"), "Belfry, a durable scheduler\n");
    assert_begins(RUN("--server=http://x", "help", "schedule", "create"),
                  "Usage: belfry schedule create ");
    assert_begins(RUN("--server", "http://x", "--help"), "Belfry, a durable scheduler\n");
    assert_begins(RUN("schedule", "help"), "Usage: belfry schedule COMMAND ");
    assert_begins(RUN("schedule", "help", "create"), "Usage: belfry schedule create ");
    assert_int_equal(RUN("schedule", "help", "nothing")->status, 2);
}

/* Each option of the server is a configuration key, and has a default. */
static void help_of_the_server_shows_all_defaults(void **state)
{
    static char text[RUN_TEXT_MAX];
    char *option, *rest;
    int count = 0;

    (void)state;
    snprintf(text, sizeof text, "%s", RUN("help", "serve")->out);
    option = strstr(text, "\n  -f, --file");
    assert_non_null(option);
    for (option = strtok_r(option, "\n", &rest); option && option[0] == ' '; count++) {
        char all[1000];
        size_t len = (size_t)snprintf(all, sizeof all, "%s", option);

        while ((option = strtok_r(NULL, "\n", &rest)) != NULL && option[0] == ' ' &&
               option[8] == ' ')
            len += (size_t)snprintf(all + len, sizeof all - len, " %s", option);
        if (!strstr(all, "default") && !strstr(all, "--help"))
            fail_msg("no default: %s", all);
    }
    assert_true(count > 30);
}

/* Only commands about the program itself have no topic. */
static void every_command_is_listed_under_its_topic(void **state)
{
    const char *other = strstr(RUN("help")->out, "\nOther:\n");

    (void)state;
    assert_non_null(other);
    other += strlen("\nOther:\n");
    for (; other[0] == ' '; other = strchr(other, '\n') + 1)
        if (strncmp(other, "  version ", 10) != 0 && strncmp(other, "  completion ", 13) != 0 &&
            strncmp(other, "  help ", 7) != 0)
            fail_msg("no topic: %.*s", (int)strcspn(other, "\n"), other);
}

static void a_full_disk_is_a_failure(void **state)
{
    static const char *const words[][4] = {{"help"},
                                           {"help", "schedule"},
                                           {"help", "next"},
                                           {"next", "--help"},
                                           {"schedule", "-h"}};
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC), none = run_file("", 0);

    (void)state;
    assert_true(full >= 0);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        assert_int_equal(run_wait(run_start(words[i], none, full, none)), 1);
    close(full);
    close(none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_explains_itself),
        cmocka_unit_test(help_may_be_before_and_after_other_words),
        cmocka_unit_test(help_of_the_server_shows_all_defaults),
        cmocka_unit_test(every_command_is_listed_under_its_topic),
        cmocka_unit_test(a_full_disk_is_a_failure),
    };

    return cmocka_run_group_tests_name("help", tests, NULL, NULL);
}
