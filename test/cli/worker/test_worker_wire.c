/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of reading a server's answers, valid or not, and of a program's output as a result.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cli/worker/worker_lines.h"
#include "cli/worker/worker_wire.h"

/* The runs of an answer, each followed by |; "refused" when the answer is invalid. */
static const char *split(const char *answer)
{
    static char text[512];
    struct buf out = BUF(text);
    struct grants grants;
    struct str run;
    struct err err;

    if (grants_read(str_of(answer), &grants, &err) != RC_OK)
        return "refused";
    while (grants_next(&grants, &run)) {
        buf_str(&out, run);
        buf_char(&out, '|');
    }
    return text;
}

static void runs_are_split_without_changes(void **state)
{
    (void)state;
    assert_string_equal(split("{\"runs\":[]}"), "");
    assert_string_equal(split(" { \"runs\" : [ ] } "), "");
    assert_string_equal(split("{\"runs\":[{\"id\":\"a\"}]}"), "{\"id\":\"a\"}|");
    assert_string_equal(split("{\"a\":[1,{\"runs\":[2]}],\"runs\":[{\"b\": [ 1 ]} , {}]}"),
                        "{\"b\": [ 1 ]}|{}|");
    assert_string_equal(split("{\"runs\":[{\"s\":\"]}\\\\\\\"],\"},{\"t\":\"\"}],\"z\":0}"),
                        "{\"s\":\"]}\\\\\\\"],\"}|{\"t\":\"\"}|");
}

static void other_answers_are_refused(void **state)
{
    static const char *const answers[] = {
        "",
        "[]",
        "null",
        "<html>",
        "{}",
        "{\"runs\"",
        "{\"runs\":",
        "{\"runs\":[",
        "{\"runs\":[{\"",
        "{\"runs\":{}}",
        "{\"ru",
        "{\"a\":1 2}",
        "{\"a\":}",
        "{\"runs\":\"[]\"}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++)
        if (strcmp(split(answers[i]), "refused") != 0)
            fail_msg("%s was accepted", answers[i]);
}

static void truncated_answers_are_refused(void **state)
{
    static const char whole[] = "{\"runs\":[{\"id\":\"\\\"\",\"x\":[[1],{}]},{\"id\":\"b\"}]}";

    (void)state;
    for (size_t len = 0; len < sizeof whole - 1; len++) {
        /* A separate allocation, so that sanitizers detect a read beyond it. */
        char *part = malloc(len + 1);
        struct grants grants = {{NULL, 0}};
        struct err err;

        assert_non_null(part);
        memcpy(part, whole, len);
        /* Only the final brace may be missing. */
        assert_int_equal(grants_read((struct str){part, len}, &grants, &err) == RC_OK,
                         len == sizeof whole - 2);
        free(part);
    }
}

static void a_grant_has_id_and_fence(void **state)
{
    struct grant grant;
    struct err err;

    (void)state;
    assert_int_equal(grant_read(STR("{\"id\":\"r_1\",\"fence\":9007199254740993,\"queue\":"
                                    "null,\"schedule\":\"s\",\"attempt\":2,\"leaseUntil\":"
                                    "\"1970-01-01T00:00:01.500Z\",\"more\":{}}"),
                                &grant, &err),
                     RC_OK);
    assert_true(str_eq(grant.id, STR("r_1")) && str_eq(grant.schedule, STR("s")));
    assert_int_equal(grant.queue.len, 0);
    assert_int_equal(grant.fence, 9007199254740993);
    assert_int_equal(grant.attempt, 2);
    assert_int_equal(grant.lease_until, 1500 * SPAN_MS);
    grant_free(&grant);
    assert_int_equal(grant_read(STR("{\"id\":\"r_1\"}"), &grant, &err), RC_INVALID);
    assert_string_equal(err.field, "fence");
    assert_int_equal(grant_read(STR("{\"fence\":1}"), &grant, &err), RC_INVALID);
    assert_int_equal(grant_read(STR("{\"id\":7,\"fence\":1}"), &grant, &err), RC_INVALID);
    assert_int_equal(grant_read(STR("{\"id\":\"a\",\"fence\":1.5}"), &grant, &err), RC_INVALID);
    assert_int_equal(grant_read(STR("17"), &grant, &err), RC_INVALID);
    assert_int_equal(grant_read(STR("{\"id\":\"12345678901234567890123456789012345678901234567"
                                    "89012345678901234567890\",\"fence\":1}"),
                                &grant, &err),
                     RC_LIMIT);
}

static void the_status_of_a_result_gives_the_verdict(void **state)
{
    struct err err;
    json_t *results = results_read(
        STR("{\"results\":[{\"status\":\"ok\"},{\"status\":\"ok\",\"cancelled\":true},"
            "{\"status\":\"stale\"},{\"status\":\"busy\"},{\"status\":\"invalid\",\"error\":"
            "{\"code\":\"limit\",\"message\":\"too much\"}},17]}"),
        6, &err);
    static const enum verdict verdicts[] = {VERDICT_OK,    VERDICT_OK,      VERDICT_STALE,
                                            VERDICT_AGAIN, VERDICT_REFUSED, VERDICT_REFUSED};

    (void)state;
    assert_non_null(results);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(results_at(results, i).verdict, verdicts[i]);
        assert_int_equal(results_at(results, i).is_cancelled, i == 1);
    }
    assert_true(str_eq(results_at(results, 4).text, STR("too much")));
    json_decref(results);
    assert_null(results_read(STR("{\"results\":[]}"), 1, &err));
    assert_null(results_read(STR("{\"results\":7}"), 1, &err));
    assert_null(results_read(STR("[]"), 0, &err));
    assert_null(results_read(STR("no"), 0, &err));
}

static void omitted_results_are_ok(void **state)
{
    struct err err;
    json_t *results = results_read(
        STR("{\"results\":[{\"index\":3,\"status\":\"stale\"},{\"index\":1,\"status\":\"ok\","
            "\"cancelled\":true}],\"ok\":2}"),
        4, &err);
    static const enum verdict verdicts[] = {VERDICT_OK, VERDICT_OK, VERDICT_OK, VERDICT_STALE};

    (void)state;
    assert_non_null(results);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(results_at(results, i).verdict, verdicts[i]);
        assert_int_equal(results_at(results, i).is_cancelled, i == 1);
    }
    json_decref(results);
    results = results_read(STR("{\"ok\":3,\"results\":[]}"), 3, &err);
    assert_int_equal(json_array_size(results), 3);
    json_decref(results);
}

static void results_that_do_not_add_up_are_refused(void **state)
{
    static const char *const wrong[] = {
        "{\"ok\":1,\"results\":[]}",
        "{\"ok\":3,\"results\":[]}",
        "{\"ok\":-1,\"results\":[]}",
        "{\"ok\":9223372036854775807,\"results\":[]}",
        "{\"ok\":2}",
        "{\"ok\":2,\"results\":{}}",
        "{\"ok\":\"2\",\"results\":[]}",
        "{\"ok\":1,\"results\":[{\"status\":\"stale\"}]}",
        "{\"ok\":1,\"results\":[{\"index\":2,\"status\":\"stale\"}]}",
        "{\"ok\":1,\"results\":[{\"index\":-1,\"status\":\"stale\"}]}",
        "{\"ok\":0,\"results\":[{\"index\":1,\"status\":\"ok\"},{\"index\":1}]}",
        "{\"ok\":1,\"results\":[17]}",
    };
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        if (results_read(str_of(wrong[i]), 2, &err))
            fail_msg("%s was accepted", wrong[i]);
}

static void the_detail_of_a_problem_document_is_found(void **state)
{
    char text[64];
    struct buf out = BUF(text);

    (void)state;
    problem_text(STR("{\"status\":404,\"detail\":\"no such namespace\"}"), &out);
    assert_string_equal(text, "no such namespace");
    out = BUF(text);
    problem_text(STR("<html>"), &out);
    assert_int_equal(out.len, 0);
}

static void result_is(struct str output, bool is_whole, const char *want)
{
    struct text text = {0};

    result_add(&text, output, is_whole);
    text_add(&text, (struct str){"", 1});
    assert_string_equal(text.ptr, want);
    text_clear(&text);
}

static void output_becomes_a_result(void **state)
{
    (void)state;
    result_is(STR(" \n{ \"a\" : 1 }\n"), true, "{\"a\":1}");
    result_is(STR("null"), true, "null");
    result_is(STR(" \n\t"), true, "");
    result_is(STR("1\n2\n"), true, "{\"output\":\"1\\n2\\n\"}");
    /* Looks like JSON but is only the beginning of the output. */
    result_is(STR("[1]"), false, "{\"output\":\"[1]\",\"truncated\":true}");
    result_is(STR("{\"a\":1,\"a\":2}"), true, "{\"output\":\"{\\\"a\\\":1,\\\"a\\\":2}\"}");
    result_is((struct str){"a\0b", 3}, true,
              "{\"output\":\"a\xef\xbf\xbd"
              "b\"}");
    result_is(STR("\"\\u0000\""), true, "{\"output\":\"\\\"\\\\u0000\\\"\"}");
}

static void a_result_does_not_exceed_the_limit_of_the_server(void **state)
{
    size_t len = WIRE_RESULT_MAX;
    char *output = malloc(len);
    struct text text = {0};

    (void)state;
    assert_non_null(output);
    memset(output, '\001', len); /* six bytes each as JSON */
    result_add(&text, (struct str){output, len}, true);
    assert_true(text.len <= WIRE_RESULT_MAX && text.len > WIRE_RESULT_MAX - 100);
    assert_memory_equal(text.ptr + text.len - 18, ",\"truncated\":true}", 18);
    text.len = 0;
    memset(output, ' ', len);
    memcpy(output, "[1e99,1e99,1e99]", 16);
    result_add(&text, (struct str){output, len}, true);
    assert_true(text.len < 100);
    text_clear(&text);
    free(output);
}

static void a_string_is_cut_between_characters(void **state)
{
    struct text text = {0};

    (void)state;
    assert_false(text_add_json(&text, STR("ab\xc3\xa4"), 5));
    assert_true(str_eq(text_as_str(&text), STR("\"ab\"")));
    text_drop(&text, 4);
    assert_true(text_add_json(&text, STR("ab\xc3\xa4"), 6));
    assert_true(str_eq(text_as_str(&text), STR("\"ab\xc3\xa4\"")));
    text_drop(&text, 1);
    assert_true(str_eq(text_as_str(&text), STR("ab\xc3\xa4\"")));
    text_clear(&text);
    assert_true(text_add_json(&text, STR("\t\n\"\\\x1f\x7f"), 100));
    assert_true(str_eq(text_as_str(&text), STR("\"\\t\\n\\\"\\\\\\u001f\x7f\"")));
    text_clear(&text);
}

static void a_long_log_is_sent_in_parts(void **state)
{
    struct lines lines = {0};
    struct text body = {0};
    size_t all = 0, bytes = 0;
    int parts = 0;
    char line[1000];

    (void)state;
    memset(line, '"', sizeof line); /* two bytes each as JSON */
    for (; lines.dropped == 0; all++)
        lines_add(&lines, (struct str){line, sizeof line});
    assert_int_equal(all - 1, (LINES_RUN_MAX + 2016) / 2017);
    lines_close(&lines);
    while (lines.cost > 0) {
        body.len = 0;
        lines_send(&lines, &body);
        assert_true(body.len <= LINES_PART_MAX + 16);
        assert_memory_equal(body.ptr, ",\"log\":\"", 8);
        assert_memory_equal(body.ptr + body.len - 3, "\\n\"", 3);
        bytes += lines.sent;
        lines_drop_sent(&lines);
        parts++;
    }
    assert_int_equal(lines.text.len, 0);
    assert_int_equal(parts, 6);
    assert_int_equal(bytes, (all - 1) * 2001 + 33);
    assert_non_null(memmem(body.ptr, body.len, "(1 lines of output were dropped)", 32));
    body.len = 0;
    lines_send(&lines, &body);
    assert_int_equal(body.len, 0);
    text_clear(&body);
    lines_clear(&lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_split_without_changes),
        cmocka_unit_test(other_answers_are_refused),
        cmocka_unit_test(truncated_answers_are_refused),
        cmocka_unit_test(a_grant_has_id_and_fence),
        cmocka_unit_test(the_status_of_a_result_gives_the_verdict),
        cmocka_unit_test(omitted_results_are_ok),
        cmocka_unit_test(results_that_do_not_add_up_are_refused),
        cmocka_unit_test(the_detail_of_a_problem_document_is_found),
        cmocka_unit_test(output_becomes_a_result),
        cmocka_unit_test(a_result_does_not_exceed_the_limit_of_the_server),
        cmocka_unit_test(a_string_is_cut_between_characters),
        cmocka_unit_test(a_long_log_is_sent_in_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
