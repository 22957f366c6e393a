/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of `belfry next` as a program.  The times follow from the calendar and from tzdata.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "run.h"

static void prints(const struct run *run, const char *out)
{
    assert_string_equal(run->err, "");
    assert_string_equal(run->out, out);
    assert_int_equal(run->status, 0);
}

static void refuses(const struct run *run, const char *err)
{
    assert_string_equal(run->err, err);
    assert_string_equal(run->out, "");
    assert_int_equal(run->status, 2);
}

static void each_line_has_one_time(void **state)
{
    (void)state;
    prints(RUN("next", "--after", "2026-11-13T17:40:00Z", "-n", "3", "*/15 9-17 * * MON-FRI"),
           "2026-11-13T17:45:00Z\n2026-11-16T09:00:00Z\n2026-11-16T09:15:00Z\n");
    prints(RUN("next", "-a2026-01-01T00:00:00Z", "@hourly"),
           "2026-01-01T01:00:00Z\n2026-01-01T02:00:00Z\n2026-01-01T03:00:00Z\n"
           "2026-01-01T04:00:00Z\n2026-01-01T05:00:00Z\n");
}

static void options_may_be_written_in_every_usual_way(void **state)
{
    const char *line = "2026-02-28T12:00:00Z\n";

    (void)state;
    prints(
        RUN("next", "--dialect=quartz", "--after=2026-02-01T00:00:00Z", "-n1", "0 0 12 L * ?"),
        line);
    prints(RUN("next", "0 0 12 L * ?", "-d", "quartz", "-a", "2026-02-01", "-n", "1"), line);
    prints(
        RUN("next", "-d", "quartz", "-a", "2026-02-01T00:00", "-n", "1", "--", "0 0 12 L * ?"),
        line);
    prints(RUN("next", "-n", "9", "-n", "1", "-dquartz", "-a2026-02-01", "0 0 12 L * ?"), line);
}

static void clock_changes_are_marked(void **state)
{
    (void)state;
    prints(RUN("next", "--tz", "America/New_York", "--after", "2026-03-07", "-n", "2",
               "--local", "30 2 * * *"),
           "2026-03-07T07:30:00Z  2026-03-07T02:30:00-05:00\n"
           "2026-03-08T07:00:00Z  2026-03-08T03:00:00-04:00  # 02:30 does not exist that day: "
           "runs at 03:00\n");
    prints(RUN("next", "--tz", "America/New_York", "--after", "2026-11-01", "-n", "2", "--dst",
               "literal", "30 1 * * *"),
           "2026-11-01T05:30:00Z  # 01:30 comes twice that day: this is the first\n"
           "2026-11-01T06:30:00Z  # 01:30 comes twice that day: this is the second\n");
    prints(RUN("next", "--tz", "America/New_York", "--after", "2026-03-08", "-n", "1", "--dst",
               "shift/first", "30 2 * * *"),
           "2026-03-08T07:30:00Z  # 02:30 does not exist that day: runs at 03:30\n");
}

static void json_has_the_note_as_a_field(void **state)
{
    (void)state;
    prints(RUN("next", "-jz", "America/New_York", "-a", "2026-03-07", "-n2", "30 2 * * *"),
           "{\"due\":\"2026-03-07T07:30:00Z\",\"slot\":\"2026-03-07T07:30:00Z\","
           "\"local\":\"2026-03-07T02:30:00-05:00\",\"entry\":\"cron[0]\"}\n"
           "{\"due\":\"2026-03-08T07:00:00Z\",\"slot\":\"2026-03-08T07:00:00Z\","
           "\"local\":\"2026-03-08T03:00:00-04:00\",\"entry\":\"cron[0]\","
           "\"note\":\"02:30 does not exist that day: runs at 03:00\"}\n");
}

static void until_is_inclusive_and_needs_no_count(void **state)
{
    (void)state;
    prints(RUN("next", "-a", "2026-01-01T00:00:00Z", "-u", "2026-01-01T07:00:00Z", "@hourly"),
           "2026-01-01T01:00:00Z\n2026-01-01T02:00:00Z\n2026-01-01T03:00:00Z\n"
           "2026-01-01T04:00:00Z\n2026-01-01T05:00:00Z\n2026-01-01T06:00:00Z\n"
           "2026-01-01T07:00:00Z\n");
    prints(RUN("next", "-a", "2026-01-01", "-u", "2026-01-02", "-n", "1", "@hourly"),
           "2026-01-01T01:00:00Z\n");
}

static void a_list_that_is_cut_says_so(void **state)
{
    const struct run *run = RUN("next", "-a", "2026-01-01", "-u", "2026-12-31", "* * * * *");

    (void)state;
    assert_int_equal(run->status, 0);
    assert_string_equal(run->err,
                        "belfry: stopped after 100000 times; more follow before --until\n");
}

static void the_zone_of_an_expression_applies_to_all_times(void **state)
{
    (void)state;
    prints(RUN("next", "-l", "-n1", "-a", "2026-06-01", "CRON_TZ=Asia/Tokyo 0 9 * * *"),
           "2026-06-01T00:00:00Z  2026-06-01T09:00:00+09:00\n");
}

static void the_reason_for_no_times_goes_to_standard_error(void **state)
{
    const struct run *run = RUN("next", "0 0 30 2 *");

    (void)state;
    assert_string_equal(run->out, "");
    assert_string_equal(run->err, "never: February has no day 30\n");
    assert_int_equal(run->status, 0);
    run = RUN("next", "-a", "2026-01-01", "-u", "2026-01-02", "0 0 1 6 *");
    assert_string_equal(run->out, "");
    assert_string_equal(run->err,
                        "none before --until; the next one is 2026-06-01T00:00:00Z\n");
    assert_int_equal(run->status, 0);
    run = RUN("next", "-a", "9999-12-31T23:59:59Z", "* * * * *");
    assert_string_equal(run->err, "never: its last time was 9999-12-31T23:59:00Z\n");
}

static void wrong_expressions_get_a_caret(void **state)
{
    (void)state;
    refuses(RUN("next", "61 * * * *"), "belfry: minute 61 is out of range 0–59\n"
                                       "  61 * * * *\n"
                                       "  ^^\n");
    refuses(RUN("next", "0 0 * FOO *"), "belfry: \"FOO\" is not a month; use 1–12 or JAN–DEC\n"
                                        "  0 0 * FOO *\n"
                                        "        ^^^\n");
    refuses(RUN("next", "1–5 * * * *"), "belfry: character U+2013 is not allowed; use \"-\"\n"
                                        "  1\\xe2\\x80\\x935 * * * *\n"
                                        "   ^^^^^^^^^^^^\n");
    refuses(RUN("next", "TZ=Mars/X 0 0 * * *"),
            "belfry: time zone `Mars/X` is not known; use a name such as Europe/Berlin\n"
            "  TZ=Mars/X 0 0 * * *\n"
            "     ^^^^^^\n");
}

static void wrong_options_are_reported(void **state)
{
    (void)state;
    refuses(RUN("next", "--dialec", "x", "@daily"),
            "belfry: unknown option \"--dialec\"; did you mean --dialect?\n"
            "belfry: see `belfry help next`\n");
    refuses(RUN("next", "-n"), "belfry: --count needs a value: --count N\n"
                               "belfry: see `belfry help next`\n");
    refuses(RUN("next", "--local=yes", "@daily"), "belfry: --local takes no value\n"
                                                  "belfry: see `belfry help next`\n");
    refuses(RUN("next", "-n", "0", "@daily"),
            "belfry: -n must be a number from 1 to 100000, not \"0\"\n");
    refuses(RUN("next", "-n", "100001", "@daily"),
            "belfry: -n must be a number from 1 to 100000, not \"100001\"\n");
    refuses(RUN("next", "-n", "5x", "@daily"),
            "belfry: -n must be a number from 1 to 100000, not \"5x\"\n");
    refuses(RUN("next"), "belfry: missing argument: EXPR, such as '30 2 * * MON-FRI'\n");
    refuses(RUN("next", "0", "9", "*", "*", "*"),
            "belfry: expected one expression, not 5 words; put it in quotes\n");
    assert_int_equal(RUN("next", "--tz", "Mars/X", "@daily")->status, 2);
    assert_int_equal(RUN("next", "--after", "10000-01-01T00:00:00Z", "@daily")->status, 2);
    assert_int_equal(RUN("next", "--zoneinfo", "/nowhere", "@daily")->status, 2);
    assert_int_equal(RUN("next", "--dst", "maybe", "@daily")->status, 2);
}

static void the_nearest_command_is_suggested(void **state)
{
    (void)state;
    refuses(RUN("nxt"), "belfry: unknown command \"nxt\"; did you mean \"next\"?\n"
                        "belfry: see `belfry help`\n");
}

static void a_spec_comes_from_a_file_or_standard_input(void **state)
{
    const char *spec = "{\"timesOfDay\":[\"09:00\",\"17:00\"],\"timezone\":\"Asia/Tokyo\","
                       "\"exclude\":{\"dates\":[\"2026-06-02\"]}}";

    (void)state;
    prints(RUN_WITH(spec, "next", "--spec", "-", "-a", "2026-06-01", "-n3"),
           "2026-06-01T00:00:00Z\n2026-06-01T08:00:00Z\n2026-06-03T00:00:00Z\n");
    assert_int_equal(RUN("next", "--spec", "/nowhere.json")->status, 1);
    refuses(RUN_WITH("{\"cron\":[\"0 0 * * *\",\"61 * * * *\"]}", "next", "-s", "-"),
            "belfry: cron[1].expr.minute: minute 61 is out of range 0–59\n"
            "  61 * * * *\n"
            "  ^^\n");
    refuses(RUN_WITH("{}", "next", "-s", "-", "@daily"),
            "belfry: give an expression or --spec, not both\n");
    assert_int_equal(RUN_WITH("{\"cron\":[}", "next", "-s", "-")->status, 2);
    assert_int_equal(RUN_WITH("", "next", "-s", "-")->status, 2);
}

static void help_is_printed_for_a_command(void **state)
{
    (void)state;
    assert_non_null(strstr(RUN("--help")->out, "\n  next "));
    assert_non_null(strstr(RUN("help", "next")->out, "--batch"));
    assert_non_null(strstr(RUN("next", "--help")->out, "Examples:"));
    assert_non_null(strstr(RUN("explain", "-h")->out, "--at"));
    assert_int_equal(RUN("help", "next")->status, 0);
    assert_int_equal(RUN("help", "nothing")->status, 2);
    assert_memory_equal(RUN("version")->out, "belfry ", 7);
}

static void the_manual_page_names_every_option(void **state)
{
    static char page[1 << 16];
    FILE *file = fopen("man/belfry.1", "r");
    char *help;

    (void)state;
    assert_non_null(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    for (int i = 0; i < 2; i++) {
        static char text[RUN_TEXT_MAX];

        snprintf(text, sizeof text, "%s", RUN("help", i == 0 ? "next" : "explain")->out);
        help = strstr(text, " --");
        assert_non_null(help);
        for (; help; help = strstr(help + 3, " --")) {
            char option[64];
            size_t n = strspn(help + 3, "abcdefghijklmnopqrstuvwxyz");

            snprintf(option, sizeof option, "\\-\\-%.*s", (int)n, help + 3);
            if (!strstr(page, option))
                fail_msg("man/belfry.1 does not name %s", option);
        }
    }
}

static void a_closed_pipe_ends_the_output_quietly(void **state)
{
    static const char *const words[] = {"next", "-n", "100000", "* * * * *", NULL};
    int ends[2], err = run_file("", 0), in = run_file("", 0);
    static char text[RUN_TEXT_MAX];
    pid_t pid;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    pid = run_start(words, in, ends[1], err);
    close(ends[1]);
    assert_int_equal(run_wait(pid), 0);
    run_read(err, text);
    assert_string_equal(text, "");
    close(in);
}

static void a_full_disk_is_reported(void **state)
{
    static const char *const words[] = {"next", "@daily", NULL};
    int full = open("/dev/full", O_WRONLY), err = run_file("", 0), in = run_file("", 0);
    static char text[RUN_TEXT_MAX];

    (void)state;
    assert_true(full >= 0);
    assert_int_equal(run_wait(run_start(words, in, full, err)), 1);
    run_read(err, text);
    assert_string_equal(text, "belfry: cannot write: No space left on device\n");
    close(full);
    close(in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_line_has_one_time),
        cmocka_unit_test(options_may_be_written_in_every_usual_way),
        cmocka_unit_test(clock_changes_are_marked),
        cmocka_unit_test(json_has_the_note_as_a_field),
        cmocka_unit_test(until_is_inclusive_and_needs_no_count),
        cmocka_unit_test(a_list_that_is_cut_says_so),
        cmocka_unit_test(the_zone_of_an_expression_applies_to_all_times),
        cmocka_unit_test(the_reason_for_no_times_goes_to_standard_error),
        cmocka_unit_test(wrong_expressions_get_a_caret),
        cmocka_unit_test(wrong_options_are_reported),
        cmocka_unit_test(the_nearest_command_is_suggested),
        cmocka_unit_test(a_spec_comes_from_a_file_or_standard_input),
        cmocka_unit_test(help_is_printed_for_a_command),
        cmocka_unit_test(the_manual_page_names_every_option),
        cmocka_unit_test(a_closed_pipe_ends_the_output_quietly),
        cmocka_unit_test(a_full_disk_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
