/* SPDX-License-Identifier: Apache-2.0 */
/* YAML as values.  The types of scalars follow YAML 1.2.2, section 10.3.2 and its examples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "wire/yaml/yaml.h"

static enum rc read_all(struct str text, json_t *list, struct err *reterr)
{
    struct arena *arena = arena_new(1 << 20);
    struct yaml_reader *reader = NULL;
    bool any = true;
    enum rc rc = yaml_open(text, arena, &reader, reterr);

    while (rc == RC_OK && any) {
        struct yaml_document doc;

        rc = yaml_next(reader, &doc, &any, reterr);
        if (rc == RC_OK && any)
            json_add(list, doc.value);
    }
    yaml_close(reader);
    arena_free(arena);
    return rc;
}

static void assert_reads(const char *yaml, const char *json)
{
    json_auto_t *got = json_new_list(), *wanted = json_loads(json, JSON_DECODE_ANY, NULL);
    struct err err = {.text = ""};

    assert_non_null(wanted);
    if (read_all(str_of(yaml), got, &err) != RC_OK)
        fail_msg("%s: %s", yaml, err.text);
    if (!json_equal(got, wanted))
        fail_msg("%s is %s", yaml, json_dumps(got, JSON_ENCODE_ANY));
}

static void scalars_are_those_of_the_core_schema(void **state)
{
    static const struct {
        const char *yaml, *json;
    } rows[] = {
        {"[a, null, Null, NULL, ~, ]", "[[\"a\",null,null,null,null]]"},
        {"nULL", "[\"nULL\"]"},
        {"[true, True, TRUE, false, False, FALSE, tRUE]",
         "[[true,true,true,false,false,false,\"tRUE\"]]"},
        {"[0, 0o7, 0x3A, -19, +12]", "[[0,7,58,-19,12]]"},
        {"[0o8, 0xg, 0o, 0x, -, +, 1_000, 0b1]",
         "[[\"0o8\",\"0xg\",\"0o\",\"0x\",\"-\",\"+\",\"1_000\",\"0b1\"]]"},
        {"[0., -0.0, .5, +12e03, -2E+05, 1.5]", "[[0.0,-0.0,0.5,12000.0,-200000.0,1.5]]"},
        {"[., e3, 1e, 1e+, .e1]", "[[\".\",\"e3\",\"1e\",\"1e+\",\".e1\"]]"},
        /* YAML 1.1 read these as other types. */
        {"[no, No, NO, on, off, yes, y, n]",
         "[[\"no\",\"No\",\"NO\",\"on\",\"off\",\"yes\",\"y\",\"n\"]]"},
        {"[12:30, 1:2:3, 2001-12-14, 2001-12-14T21:59:43Z]",
         "[[\"12:30\",\"1:2:3\",\"2001-12-14\",\"2001-12-14T21:59:43Z\"]]"},
        {"[007.50, +00, 0x7fffffffffffffff, 1e-400]", "[[7.5,0,9223372036854775807,0.0]]"},
        {"[010, 9223372036854775807, -9223372036854775808]",
         "[[10,9223372036854775807,-9223372036854775808]]"},
        {"[\"1\", '1', !!str 1, \"\", '']", "[[\"1\",\"1\",\"1\",\"\",\"\"]]"},
        {"<<: x", "[{\"<<\":\"x\"}]"},
        {"on: 1\n1: on\nnull: ~\n", "[{\"on\":1,\"1\":\"on\",\"null\":null}]"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_reads(rows[i].yaml, rows[i].json);
}

static void documents_come_one_by_one(void **state)
{
    (void)state;
    assert_reads("", "[]");
    assert_reads("# nothing\n", "[]");
    assert_reads("---\n---\na: 1\n...\n---\n- b\n", "[null,{\"a\":1},[\"b\"]]");
    assert_reads("\xef\xbb\xbf"
                 "a: \"\xf0\x9f\x98\x80\"\n",
                 "[{\"a\":\"\xf0\x9f\x98\x80\"}]");
    assert_reads("a: |\n  one\n  two\nb: >-\n  one\n  two\n",
                 "[{\"a\":\"one\\ntwo\\n\",\"b\":\"one two\"}]");
    assert_reads("%YAML 1.2\n---\n{a: {b: [1, {c: d}]}}\n",
                 "[{\"a\":{\"b\":[1,{\"c\":\"d\"}]}}]");
}

static void documents_have_their_position(void **state)
{
    const char *text = "\xef\xbb\xbf# \xc3\xa4\n---\nid: a\n---\nid: b\n";
    struct arena *arena = arena_new(1 << 20);
    struct yaml_reader *reader = NULL;
    struct yaml_document doc;
    struct err err;
    bool any;

    (void)state;
    assert_int_equal(yaml_open(str_of(text), arena, &reader, &err), RC_OK);
    assert_int_equal(yaml_next(reader, &doc, &any, &err), RC_OK);
    assert_true(any);
    assert_int_equal(doc.line, 2);
    assert_int_equal(strncmp(text + doc.at, "---\nid: a\n", 10), 0);
    json_decref(doc.value);
    assert_int_equal(yaml_next(reader, &doc, &any, &err), RC_OK);
    assert_int_equal(doc.line, 4);
    assert_int_equal(strncmp(text + doc.at, "---\nid: b\n", 10), 0);
    assert_true(doc.at + doc.len <= strlen(text));
    json_decref(doc.value);
    assert_int_equal(yaml_next(reader, &doc, &any, &err), RC_OK);
    assert_false(any);
    yaml_close(reader);
    arena_free(arena);
}

static void values_that_json_lacks_are_refused_with_their_position(void **state)
{
    static const struct {
        const char *yaml, *text;
    } rows[] = {
        {"a: 1\nb: 2\na: 3\n", "line 3, column 1: duplicate key in an object"},
        {"a: &x 1\n", "line 1, column 4: anchors (&) and aliases are not supported"},
        {"a: [1]\nb: *x\n", "line 2, column 4: aliases (*) are not supported"},
        {"a: !!int 3\n", "line 1, column 4: tags other than !!str"},
        {"a: !local 3\n", "line 1, column 4: tags other than !!str are not supported"},
        {"a: !!map {}\n", "line 1, column 4: tags other than !!str are not supported"},
        {"[a]: 1\n", "line 1, column 1: a key must be text"},
        {"{a: 1}: 1\n", "line 1, column 1: a key must be text"},
        {"a:\n  - .inf\n", "line 2, column 5: infinite numbers are not supported"},
        {"a: .NaN\n", "line 1, column 4: infinite numbers are not supported"},
        {"a: 9223372036854775808\n", "line 1, column 4: this number is too large"},
        {"a: 0x8000000000000000\n", "line 1, column 4: this number is too large"},
        {"a: 1e400\n", "line 1, column 4: this number is too large"},
        {"a: \"x\\0y\"\n", "line 1, column 4: a string must not contain \\0"},
        {"\xc3\xa4: [1\n", "line 2, column 1: "},
        {"a:\n\t- b\n", "line 2, column 1: unexpected character"},
        {"a: b: c\n", "line 1, column 5: unexpected `key:`"},
        {"a: @b\n", "line 1, column 4: unexpected character"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_auto_t *got = json_new_list();
        struct err err = {.text = ""};

        assert_int_equal(read_all(str_of(rows[i].yaml), got, &err), RC_INVALID);
        if (strncmp(err.text, rows[i].text, strlen(rows[i].text)) != 0)
            fail_msg("%s: %s", rows[i].yaml, err.text);
    }
}

static void bytes_that_are_not_text_are_refused(void **state)
{
    json_auto_t *got = json_new_list();
    struct err err;

    (void)state;
    assert_int_equal(read_all(STR("a: \xff"), got, &err), RC_INVALID);
    assert_string_equal(err.text, "the text is not UTF-8");
    assert_int_equal(read_all(STR("a: \x01"), got, &err), RC_INVALID);
    assert_int_equal(read_all(STR("a: \0"), got, &err), RC_INVALID);
}

static void depth_and_number_of_values_are_bounded(void **state)
{
    char deep[2 * JSON_DEPTH_MAX + 8], *wide = malloc(2 * JSON_VALUES_MAX + 8);
    json_auto_t *got = json_new_list();
    struct err err;

    (void)state;
    for (int n = JSON_DEPTH_MAX; n <= JSON_DEPTH_MAX + 1; n++) {
        memset(deep, '[', (size_t)n);
        memset(deep + n, ']', (size_t)n);
        assert_int_equal(read_all((struct str){deep, 2 * (size_t)n}, got, &err),
                         n > JSON_DEPTH_MAX ? RC_INVALID : RC_OK);
    }
    assert_string_equal(err.text, "line 1, column 33: nested too deep; the limit is 32 levels");
    assert_non_null(wide);
    for (int i = 0; i < JSON_VALUES_MAX; i++)
        memcpy(wide + 2 * (size_t)i, "-\n", 2);
    assert_int_equal(read_all((struct str){wide, 2 * (JSON_VALUES_MAX - 1)}, got, &err), RC_OK);
    assert_int_equal(read_all((struct str){wide, 2 * JSON_VALUES_MAX}, got, &err), RC_INVALID);
    free(wide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_are_those_of_the_core_schema),
        cmocka_unit_test(documents_come_one_by_one),
        cmocka_unit_test(documents_have_their_position),
        cmocka_unit_test(values_that_json_lacks_are_refused_with_their_position),
        cmocka_unit_test(bytes_that_are_not_text_are_refused),
        cmocka_unit_test(depth_and_number_of_values_are_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
