/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of `belfry next --batch` as a program.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "run.h"

static void answers(const char *in, const char *out)
{
    const struct run *run = RUN_WITH(in, "next", "--batch", "-");

    assert_string_equal(run->err, "");
    assert_string_equal(run->out, out);
    assert_int_equal(run->status, 0);
}

static void every_line_is_answered_in_order(void **state)
{
    (void)state;
    answers("{\"id\":1,\"expr\":\"@daily\",\"after\":\"2026-01-01T00:00:00Z\",\"n\":2}\n"
            "{\"id\":\"b\",\"expr\":\"61 * * * *\"}\n"
            "{\"id\":null,\"dialect\":\"quartz\",\"expr\":\"0 0 12 L * ?\",\"n\":1,"
            "\"after\":\"2026-02-01T00:00:00Z\"}",
            "{\"id\":1,\"times\":[\"2026-01-02T00:00:00Z\",\"2026-01-03T00:00:00Z\"]}\n"
            "{\"id\":\"b\",\"error\":\"minute 61 is out of range 0–59\",\"at\":0}\n"
            "{\"id\":null,\"times\":[\"2026-02-28T12:00:00Z\"]}\n");
}

static void an_answer_has_the_id_of_its_line(void **state)
{
    static const char *const ids[] = {
        "null",
        "true",
        "0",
        "-7",
        "1.5",
        "\"\"",
        "\"a\\\"b\\\\c\\n\"",
        "\"é\"",
        "[1,[]]",
        "{\"k\":{\"x\":null}}",
        "123456789012345678",
    };

    (void)state;
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        char in[200], out[200];

        snprintf(
            in, sizeof in,
            "{\"id\":%s,\"expr\":\"@yearly\",\"after\":\"2026-01-01T00:00:00Z\",\"n\":1}\n",
            ids[i]);
        snprintf(out, sizeof out, "{\"id\":%s,\"times\":[\"2027-01-01T00:00:00Z\"]}\n", ids[i]);
        answers(in, out);
    }
}

static void zone_rule_and_seed_are_per_line(void **state)
{
    (void)state;
    answers(
        "{\"id\":1,\"expr\":\"30 2 * * *\",\"tz\":\"America/New_York\",\"n\":1,"
        "\"after\":\"2026-03-08T00:00:00Z\"}\n"
        "{\"id\":2,\"expr\":\"30 2 * * *\",\"tz\":\"America/New_York\",\"n\":1,"
        "\"after\":\"2026-03-08T00:00:00Z\",\"dst\":\"literal\"}\n"
        "{\"id\":3,\"expr\":\"30 2 * * *\",\"tz\":\"America/New_York\",\"n\":1,"
        "\"after\":\"2026-03-08T00:00:00Z\",\"dst\":{\"gap\":\"shift\",\"fold\":\"both\"}}\n",
        "{\"id\":1,\"times\":[\"2026-03-08T07:00:00Z\"]}\n"
        "{\"id\":2,\"times\":[\"2026-03-09T06:30:00Z\"]}\n"
        "{\"id\":3,\"times\":[\"2026-03-08T07:30:00Z\"]}\n");
}

static void a_spec_has_the_format_of_its_dialect(void **state)
{
    (void)state;
    answers(
        "{\"id\":1,\"spec\":{\"timesOfDay\":[\"09:00\"]},\"tz\":\"Asia/Tokyo\",\"n\":1,"
        "\"after\":\"2026-06-01T00:00:00Z\"}\n"
        "{\"id\":2,\"dialect\":\"temporal\",\"spec\":{\"interval\":[{\"interval\":\"3600s\"}]},"
        "\"n\":1,\"after\":\"2026-06-01T00:00:00Z\"}\n"
        "{\"id\":3,\"spec\":{\"cron\":[\"* * * *\"]}}\n"
        "{\"id\":4,\"spec\":{\"chron\":[]}}\n",
        "{\"id\":1,\"times\":[\"2026-06-02T00:00:00Z\"]}\n"
        "{\"id\":2,\"times\":[\"2026-06-01T01:00:00Z\"]}\n"
        "{\"id\":3,\"error\":\"expected 5, 6 or 7 fields, found 4\","
        "\"field\":\"spec.cron[0].expr\",\"at\":7}\n"
        "{\"id\":4,\"error\":\"unknown field; did you mean cron?\","
        "\"field\":\"spec.chron\"}\n");
}

/* A test vector of Temporal: the delay is a hash of the seed and the slot. */
static void jitter_follows_the_seed(void **state)
{
    (void)state;
    answers("{\"id\":1,\"dialect\":\"temporal\",\"after\":\"2022-03-23T11:00:00Z\","
            "\"jitterSeed\":\"\",\"n\":2,\"spec\":{\"calendar\":[{\"hour\":\"13\","
            "\"minute\":\"55\",\"dayOfMonth\":\"7\",\"month\":\"4\",\"year\":\"2022\"}],"
            "\"jitter\":\"3600s\"}}\n",
            "{\"id\":1,\"times\":[\"2022-04-07T13:57:26.927Z\"]}\n");
}

static void an_interval_counts_from_the_start_time(void **state)
{
    (void)state;
    answers("{\"id\":1,\"expr\":\"@every 90m\",\"n\":2,\"after\":\"2026-01-01T00:10:00Z\"}\n",
            "{\"id\":1,\"times\":[\"2026-01-01T01:40:00Z\",\"2026-01-01T03:10:00Z\"]}\n");
}

static void an_expression_without_times_gives_an_empty_list(void **state)
{
    (void)state;
    answers("{\"id\":1,\"expr\":\"0 0 30 2 *\"}\n", "{\"id\":1,\"times\":[]}\n");
}

static void answers_to_invalid_lines_have_the_line_number(void **state)
{
    const struct run *run = RUN_WITH("\n[1]\n{\"id\":1\n{\"expr\":\"@daily\"} x\n{}\n  \n",
                                     "next", "--batch", "-");
    const char *line = run->out;

    (void)state;
    for (int i = 1; i <= 6; i++) {
        char head[40];

        snprintf(head, sizeof head, "{\"line\":%d,\"error\":\"", i);
        assert_memory_equal(line, head, strlen(head));
        line = strchr(line, '\n');
        assert_non_null(line);
        line++;
    }
    assert_string_equal(line, "");
    assert_int_equal(run->status, 0);
}

static void errors_name_the_field(void **state)
{
    (void)state;
    answers(
        "{\"id\":1,\"expr\":\"@daily\",\"n\":0}\n"
        "{\"id\":2,\"expr\":\"@daily\",\"n\":10001}\n"
        "{\"id\":3,\"expr\":\"@daily\",\"spec\":{}}\n"
        "{\"id\":4}\n"
        "{\"id\":5,\"expr\":\"@daily\",\"dialetc\":\"quartz\"}\n"
        "{\"id\":6,\"expr\":\"@daily\",\"timezone\":\"UTC\"}\n"
        "{\"id\":7,\"expr\":5}\n"
        "{\"id\":8,\"expr\":\"@daily\",\"dst\":{\"gap\":\"skip\"}}\n"
        "{\"id\":9,\"expr\":\"@daily\",\"n\":1.5}\n"
        "{\"id\":x}\n",
        "{\"id\":1,\"error\":\"must be from 1 to 10000\",\"field\":\"n\"}\n"
        "{\"id\":2,\"error\":\"must be from 1 to 10000\",\"field\":\"n\"}\n"
        "{\"id\":3,\"error\":\"give expr or spec, not both\"}\n"
        "{\"id\":4,\"error\":\"missing expr or spec\"}\n"
        "{\"id\":5,\"error\":\"unknown field \\\"dialetc\\\"; did you mean "
        "\\\"dialect\\\"?\"}\n"
        "{\"id\":6,\"error\":\"unknown field \\\"timezone\\\"; did you mean \\\"tz\\\"?\"}\n"
        "{\"id\":7,\"error\":\"must be a string, not a number\",\"field\":\"expr\"}\n"
        "{\"id\":8,\"error\":\"needs both gap and fold\",\"field\":\"dst\"}\n"
        "{\"id\":9,\"error\":\"must be a whole number\",\"field\":\"n\"}\n"
        "{\"line\":10,\"error\":\"column 7: invalid token\",\"at\":6}\n");
}

static void unknown_fields_that_resemble_no_known_one_are_ignored(void **state)
{
    (void)state;
    answers("{\"id\":1,\"expr\":\"@yearly\",\"n\":1,\"after\":\"2026-01-01T00:00:00Z\","
            "\"expect\":[],\"category\":\"x\",\"source\":[\"y\"],\"tz\":null}\n",
            "{\"id\":1,\"times\":[\"2027-01-01T00:00:00Z\"]}\n");
}

static void options_are_the_defaults_of_all_lines(void **state)
{
    const struct run *run = RUN_WITH(
        "{\"id\":1,\"expr\":\"0 0 9 * * ?\"}\n{\"id\":2,\"expr\":\"0 0 9 * * ?\",\"n\":2,"
        "\"tz\":\"UTC\"}\n",
        "next", "-b-", "-dquartz", "-zAsia/Tokyo", "-a2026-06-01T00:00:00Z", "-n1");

    (void)state;
    assert_string_equal(run->out, "{\"id\":1,\"times\":[\"2026-06-02T00:00:00Z\"]}\n"
                                  "{\"id\":2,\"times\":[\"2026-06-01T09:00:00Z\","
                                  "\"2026-06-02T09:00:00Z\"]}\n");
}

/* The bytes after a discarded line must not be discarded with it. */
static void only_a_line_that_is_too_long_is_discarded(void **state)
{
    enum { LONG = 1400 * 1024, SHORT = 30000, ROOM = 4 << 20 };
    static const char question[] = "{\"expr\":\"@daily\",\"n\":0}\n";
    static const char *const words[] = {"next", "--batch", "-", NULL};
    char *text = malloc(ROOM), *line = NULL;
    size_t len = 0, room = 0;
    int in, out = run_file("", 0), answers = 0, refused = 0;
    FILE *file;

    (void)state;
    assert_non_null(text);
    for (int i = 0; i < SHORT; i++) {
        memcpy(text + len, question, sizeof question - 1);
        len += sizeof question - 1;
        if (i == 1) {
            memset(text + len, 'x', LONG);
            len += LONG;
            text[len++] = '\n';
        }
    }
    in = run_file(text, len);
    free(text);
    assert_int_equal(run_wait(run_start(words, in, out, STDERR_FILENO)), 0);
    lseek(out, 0, SEEK_SET);
    file = fdopen(out, "r");
    for (; getline(&line, &room, file) > 0; answers++)
        refused += strstr(line, "{\"line\":3,\"error\":\"line exceeds 1048576 bytes\"}") !=
                   NULL;
    assert_int_equal(answers, SHORT + 1);
    assert_int_equal(refused, 1);
    free(line);
    fclose(file);
    close(in);
}

static void a_line_is_answered_before_the_next_one_arrives(void **state)
{
    static const char *const words[] = {"next", "--batch", "-", NULL};
    const char *line =
        "{\"id\":1,\"expr\":\"@yearly\",\"after\":\"2026-01-01T00:00:00Z\",\"n\":1}\n";
    int to[2], from[2], err = run_file("", 0);
    char text[200];
    pid_t pid;

    (void)state;
    assert_int_equal(pipe2(to, O_CLOEXEC), 0);
    assert_int_equal(pipe2(from, O_CLOEXEC), 0);
    pid = run_start(words, to[0], from[1], err);
    for (int i = 0; i < 3; i++) {
        ssize_t n;

        assert_int_equal(write(to[1], line, strlen(line)), strlen(line));
        n = read(from[0], text, sizeof text - 1);
        assert_true(n > 0);
        text[n] = '\0';
        assert_string_equal(text, "{\"id\":1,\"times\":[\"2027-01-01T00:00:00Z\"]}\n");
    }
    close(to[1]);
    assert_int_equal(run_wait(pid), 0);
    close(to[0]);
    close(from[0]);
    close(from[1]);
    close(err);
}

static void a_missing_file_is_reported(void **state)
{
    const struct run *run = RUN("next", "--batch", "/nowhere.ndjson");

    (void)state;
    assert_string_equal(run->err,
                        "belfry: cannot read /nowhere.ndjson: No such file or directory\n");
    assert_int_equal(run->status, 1);
    assert_int_equal(RUN("next", "--batch", "-", "@daily")->status, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_line_is_answered_in_order),
        cmocka_unit_test(an_answer_has_the_id_of_its_line),
        cmocka_unit_test(zone_rule_and_seed_are_per_line),
        cmocka_unit_test(a_spec_has_the_format_of_its_dialect),
        cmocka_unit_test(jitter_follows_the_seed),
        cmocka_unit_test(an_interval_counts_from_the_start_time),
        cmocka_unit_test(an_expression_without_times_gives_an_empty_list),
        cmocka_unit_test(answers_to_invalid_lines_have_the_line_number),
        cmocka_unit_test(errors_name_the_field),
        cmocka_unit_test(unknown_fields_that_resemble_no_known_one_are_ignored),
        cmocka_unit_test(options_are_the_defaults_of_all_lines),
        cmocka_unit_test(only_a_line_that_is_too_long_is_discarded),
        cmocka_unit_test(a_line_is_answered_before_the_next_one_arrives),
        cmocka_unit_test(a_missing_file_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
