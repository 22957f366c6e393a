/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fast parser compared with jansson: it returns the same value in the same order; it
 * accepts nothing that jansson rejects; and it accepts common texts.
 */
#include "wire/json/json_parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/prng.h"
#include "wire/json/json.h"

enum { TEXT_MAX = 4096 };

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static json_t *by_jansson(struct str text)
{
    return json_loadb(text.ptr, text.len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
}

static void assert_same_print(const json_t *a, const json_t *b)
{
    static char texts[2][8 * TEXT_MAX];
    struct buf one = BUF(texts[0]), other = BUF(texts[1]);

    json_print(a, JSON_STYLE_LINE, &one);
    json_print(b, JSON_STYLE_LINE, &other);
    assert_string_equal(texts[0], texts[1]);
}

/* True if the parser accepted it. */
static bool compare(struct str text)
{
    json_auto_t *ours = json_parse(text), *theirs = by_jansson(text);

    if (!ours)
        return false;
    if (!theirs)
        fail_msg("accepted, but jansson refuses it: %.*s", STR_ARG(text));
    assert_true(json_equal(ours, theirs));
    assert_same_print(ours, theirs);
    return true;
}

static void common_texts_are_parsed_as_jansson_does(void **state)
{
    static const char *const texts[] = {
        "null",
        " true ",
        "false",
        "0",
        "-0",
        "-1",
        "999999999999999999",
        "-999999999999999999",
        "\"\"",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
        "\"é \\n 漢\"",
        "[]",
        "{}",
        "[ ]",
        "{ }",
        "[1,2,[3,[ ],{}]]",
        "{\"\":1}",
        "\t{\"b\" : [true , false,null]\r\n, \"a\":{\"b\":\"x\\ny\"} }\n",
        "{\"id\":\"a\",\"spec\":{\"cron\":[\"30 2 * * *\"]},\"action\":{\"type\":\"queue\"}}",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++)
        if (!compare(str_of(texts[i])))
            fail_msg("not accepted: %s", texts[i]);
}

static void what_the_fast_parser_declines_is_read_by_jansson(void **state)
{
    static const struct {
        const char *text, *line;
    } cases[] = {
        {"0.5", "0.5"},
        {"[1e3]", "[1000.0]"},
        {"9223372036854775807", "9223372036854775807"},
        {"-9223372036854775808", "-9223372036854775808"},
        {"\"\\u00e9\\ud83d\\ude00\"", "\"é😀\""},
        {"{\"a\\nb\":\"c\\nd\"}", "{\"a\\nb\":\"c\\nd\"}"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        json_auto_t *value = NULL, *kept = json_of_kept(str_of(cases[i].text));
        char text[64];
        struct buf out = BUF(text);
        struct err err;

        assert_null(json_parse(str_of(cases[i].text)));
        assert_int_equal(json_read(str_of(cases[i].text), &value, &err), RC_OK);
        json_print(value, JSON_STYLE_LINE, &out);
        assert_string_equal(text, cases[i].line);
        assert_true(json_equal(value, kept));
    }
}

static void text_that_is_not_json_is_declined(void **state)
{
    static const char *const texts[] = {
        "",           " ",
        "nul",        "nulll",
        "True",       "+1",
        "01",         "-",
        "--1",        "1 2",
        "1x",         "\"",
        "\"a",        "\"\\",
        "\"\\x\"",    "\"\\\"",
        "\"a\nb\"",   "\"a\\n\x01\"",
        "[",          "[1",
        "[1,",        "[1,]",
        "[,1]",       "[1 2]",
        "]",          "{",
        "{\"a\"",     "{\"a\":",
        "{\"a\":1",   "{\"a\" 1}",
        "{\"a\":1,}", "{,}",
        "{a:1}",      "{1:2}",
        "}",          "[1}",
        "{\"a\":1]",  "{\"a\":1,\"a\":2}",
        "[] []",      "\"a\" 1",
        "'a'",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        json_auto_t *theirs = by_jansson(str_of(texts[i]));

        assert_null(theirs);
        if (json_parse(str_of(texts[i])))
            fail_msg("accepted: %s", texts[i]);
    }
    assert_null(json_parse((struct str){"1\0", 2}));
    assert_null(json_parse((struct str){"\"\0\"", 3}));
}

static void long_strings_are_complete_with_and_without_escapes(void **state)
{
    char text[TEXT_MAX];

    (void)state;
    for (size_t len = 500; len < 530; len++)
        for (size_t escape = 0; escape < 2; escape++) {
            memset(text, 'a', sizeof text);
            text[0] = text[len + 1] = '"';
            if (escape)
                memcpy(text + len - 1, "\\n", 2);
            assert_true(compare((struct str){text, len + 2}) || escape);
        }
}

static void nesting_is_accepted_up_to_the_limit(void **state)
{
    char text[2 * (JSON_DEPTH_MAX + 1)];

    (void)state;
    for (size_t depth = JSON_DEPTH_MAX; depth <= JSON_DEPTH_MAX + 1; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        assert_int_equal(compare((struct str){text, 2 * depth}), depth == JSON_DEPTH_MAX);
    }
}

static void too_many_values_are_declined(void **state)
{
    size_t len = 2 * ((size_t)JSON_VALUES_MAX + 1) + 1;
    char *text = malloc(len);

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < len; i++)
        text[i] = i == 0 ? '[' : i == len - 1 ? ']' : i % 2 ? '1' : ',';
    assert_null(json_parse((struct str){text, len}));
    free(text);
}

/* Texts that are nearly JSON: pieces of it in any order. */
static void random_texts_are_parsed_as_jansson_does_or_declined(void **state)
{
    static const char *const pieces[] = {
        "{",       "}",       "[",         "]",           ",",  ":",    "\"a\"", "\"b\"",
        "\"\\n\"", "1",       "-20",       " ",           "\n", "true", "false", "null",
        "\"a\":",  ",\"c\":", "{\"k\":1}", "[1,2]",       "\"", "\\",   "x",     "0",
        "\"é\"",   "[]",      "{}",        "\"\\u0041\"", ".5",
    };
    struct prng prng;
    size_t accepted = 0;

    (void)state;
    prng_seed(&prng, 2026);
    for (int i = 0; i < 200000; i++) {
        char text[256];
        struct buf out = BUF(text);
        int count = 1 + (int)(prng_next(&prng) % 9);

        for (int n = 0; n < count; n++)
            buf_text(&out, pieces[prng_next(&prng) % COUNT(pieces)]);
        accepted += compare(buf_as_str(&out));
    }
    assert_true(accepted > 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(common_texts_are_parsed_as_jansson_does),
        cmocka_unit_test(what_the_fast_parser_declines_is_read_by_jansson),
        cmocka_unit_test(text_that_is_not_json_is_declined),
        cmocka_unit_test(long_strings_are_complete_with_and_without_escapes),
        cmocka_unit_test(nesting_is_accepted_up_to_the_limit),
        cmocka_unit_test(too_many_values_are_declined),
        cmocka_unit_test(random_texts_are_parsed_as_jansson_does_or_declined),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
