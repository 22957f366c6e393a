/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strict reading and canonical printing.  RFC 8259 defines what is JSON; the limits are those
 * of wire/json/json.h.
 */
#include "wire/json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/prng.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct wrong {
    const char *text;
    int at;
    const char *says;
};

static enum rc read_text(const char *text, json_t **ret, struct err *err)
{
    return json_read(str_of(text), ret, err);
}

static json_t *value_of(const char *text)
{
    json_t *value = NULL;
    struct err err = {0};

    if (read_text(text, &value, &err) != RC_OK)
        fail_msg("%s: %s", text, err.text);
    return value;
}

static void values_of_every_type_are_read_and_printed(void **state)
{
    static const char *const texts[] = {
        "null",
        "true",
        "-12",
        "9223372036854775807",
        "0.5",
        "\"\"",
        "\"é/\\\"\\\\\\n\"",
        "[]",
        "{}",
        "[1,[2,{\"a\":null}]]",
        "{\"b\":1,\"a\":{\"z\":[],\"y\":{}}}",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        json_auto_t *value = value_of(texts[i]);
        char text[200];
        struct buf out = BUF(text);

        json_print(value, JSON_STYLE_LINE, &out);
        assert_string_equal(text, texts[i]);
    }
}

static void pretty_text_is_indented_and_keeps_the_order_of_keys(void **state)
{
    json_auto_t *value = value_of(" {\"b\" : 1,\n\"a\":[ 2 ,{}] } ");
    char text[200];
    struct buf out = BUF(text);

    (void)state;
    json_print(value, JSON_STYLE_PRETTY, &out);
    assert_string_equal(text, "{\n  \"b\": 1,\n  \"a\": [\n    2,\n    {}\n  ]\n}");
}

static const char *const random_texts[] = {"",     "a",       "\"\\/",        "\x01\x1f\x7f",
                                           "\n\t", "ü\u20ac", "\U0001f514 x", "plain words"};

static json_t *random_leaf(struct prng *prng)
{
    switch (prng_below(prng, 6)) {
    case 0:
        return json_null();
    case 1:
        return json_boolean(prng_below(prng, 2));
    case 2:
        return json_new_int((int64_t)prng_next(prng) >> prng_below(prng, 64));
    case 3:
        return json_real((double)(int64_t)prng_next(prng) / 3e7);
    default:
        return json_new_str(str_of(random_texts[prng_below(prng, COUNT(random_texts))]));
    }
}

static json_t *random_tree(struct prng *prng, int depth)
{
    uint64_t count = prng_below(prng, 4), kind = depth > 0 ? prng_below(prng, 3) : 0;
    json_t *tree = kind == 1 ? json_new_list() : json_new_object();

    if (kind == 0) {
        json_decref(tree);
        return random_leaf(prng);
    }
    for (uint64_t i = 0; i < count; i++)
        if (kind == 1)
            json_add(tree, random_tree(prng, depth - 1));
        else
            json_put(tree, random_texts[prng_below(prng, COUNT(random_texts))],
                     random_tree(prng, depth - 1));
    return tree;
}

static void any_value_is_printed_as_the_library_prints_it(void **state)
{
    struct prng prng;

    (void)state;
    prng_seed(&prng, 20260317);
    for (int i = 0; i < 5000; i++) {
        json_auto_t *value = random_tree(&prng, 5);
        char *expected = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
        static char text[1 << 20];
        struct buf out = BUF(text);

        json_print(value, JSON_STYLE_LINE, &out);
        assert_string_equal(text, expected);
        assert_int_equal(json_length(value), strlen(expected));
        free(expected);
    }
}

static void a_text_that_does_not_fit_is_cut(void **state)
{
    json_auto_t *value = value_of("[1,2,3,4]");
    char text[5];
    struct buf out = BUF(text);

    (void)state;
    json_print(value, JSON_STYLE_LINE, &out);
    assert_true(out.cut);
    assert_string_equal(text, "[1,2");
}

static void wrong_text_is_refused_with_line_and_column(void **state)
{
    static const struct wrong cases[] = {
        {"", 0, "line 1, column 1: the text ends too early"},
        {"{", 0, "ends too early"},
        {"\"abc", 3, "ends too early"},
        {"{\"a\":1}x", 7, "line 1, column 8: nothing may follow the value"},
        {"1 2", 2, "nothing may follow the value"},
        {"{\"a\":1,\"a\":2}", 9, "duplicate key in an object"},
        {"{\n \"a\": x}", 8, "line 2, column 7: invalid token"},
        {"[1,]", 3, "line 1, column 4"},
        {"[1 2]", 3, "']' expected"},
        {"{\"a\" 1}", 5, "':' expected"},
        {"{a:1}", 1, "line 1, column 2"},
        {"[01]", 1, "line 1, column 2"},
        {"NaN", 2, "line 1, column 3"},
        {"'a'", 0, "line 1, column 1"},
        {"\"\t\"", 0, "control character"},
        {"\"\\u0000\"", 7, "a string must not contain \\u0000"},
        {"{\"\\u0000\":1}", 8, "a string must not contain \\u0000"},
        {"\"\\ud800\"", 7, "Unicode"},
        {"9223372036854775808", 18, "this number is too large"},
        {"1e999", 4, "this number is too large"},
        {"// a\n1", 0, "line 1, column 1"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct err err = {0};
        json_t *value = json_null();
        enum rc rc = read_text(cases[i].text, &value, &err);

        if (rc != RC_INVALID || err.at != cases[i].at || !strstr(err.text, cases[i].says))
            fail_msg("%s: rc %d at %d: %s", cases[i].text, rc, err.at, err.text);
        assert_ptr_equal(value, json_null()); /* outputs are unchanged on failure */
    }
}

static void columns_count_characters_and_positions_count_bytes(void **state)
{
    struct err err = {0};
    json_t *value;

    (void)state;
    assert_int_equal(read_text("[\"éé\",x]", &value, &err), RC_INVALID);
    assert_int_equal(err.at, 8);
    assert_string_equal(err.text, "line 1, column 7: invalid token");
}

static void a_zero_byte_is_refused(void **state)
{
    /* Jansson itself skips a zero byte that follows a number. */
    static const struct str texts[] = {{"[1,\0 2]", 7}, {"[12\0]", 5}};

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct err err = {0};
        json_t *value;

        assert_int_equal(json_read(texts[i], &value, &err), RC_INVALID);
        assert_int_equal(err.at, 3);
        assert_non_null(strstr(err.text, "a zero byte"));
    }
}

static void text_that_is_not_utf8_is_refused(void **state)
{
    static const char *const texts[] = {"\"\xff\"", "\"\xc3\"",     "\"\xed\xa0\x80\"",
                                        "\xef\xbb", "\"\xc0\x80\"", "[1,\x80]"};

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct err err = {0};
        json_t *value;

        assert_int_equal(read_text(texts[i], &value, &err), RC_INVALID);
        assert_string_equal(err.text, "the text is not UTF-8");
    }
}

/* `times` openings, one value, as many closings. */
static char *nested(size_t times)
{
    char *text = calloc(2 * times + 2, 1);

    memset(text, '[', times);
    text[times] = '1';
    memset(text + times + 1, ']', times);
    return text;
}

static void depth_is_bounded(void **state)
{
    char *fits = nested(JSON_DEPTH_MAX), *exceeds = nested(JSON_DEPTH_MAX + 1);
    char *absurd = nested(400000);
    struct err err = {0};
    json_t *value = NULL;

    (void)state;
    assert_int_equal(read_text(fits, &value, &err), RC_OK);
    json_decref(value);
    assert_int_equal(read_text(exceeds, &value, &err), RC_INVALID);
    assert_int_equal(err.at, JSON_DEPTH_MAX);
    assert_non_null(strstr(err.text, "nested too deep; the limit is 32 levels"));
    assert_int_equal(read_text(absurd, &value, &err), RC_INVALID);
    free(fits);
    free(exceeds);
    free(absurd);
}

static void brackets_inside_strings_do_not_count(void **state)
{
    json_auto_t *value = value_of("[\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\\\"[[[[\",{}]");

    (void)state;
    assert_int_equal(json_array_size(value), 2);
}

static void the_number_of_values_is_bounded(void **state)
{
    size_t pairs = JSON_VALUES_MAX;
    char *text = malloc(2 * pairs + 4);
    struct err err = {0};
    json_t *value;

    (void)state;
    text[0] = '[';
    for (size_t i = 0; i < pairs; i++)
        memcpy(text + 1 + 2 * i, "1,", 2);
    memcpy(text + 1 + 2 * pairs, "1]", 3);
    assert_int_equal(read_text(text, &value, &err), RC_INVALID);
    assert_non_null(strstr(err.text, "too many values; the limit is 131072"));
    free(text);
}

/* A list of `first` and repeated `item`; with the list itself it has `values` values. */
static char *list_of(size_t values, const char *first, const char *item)
{
    struct buf out = {.cap = 16 + strlen(first) + (strlen(item) + 1) * values};

    out.ptr = malloc(out.cap);
    assert_non_null(out.ptr);
    buf_char(&out, '[');
    buf_text(&out, first);
    for (size_t i = 2; i < values; i++) {
        buf_char(&out, ',');
        buf_text(&out, item);
    }
    buf_char(&out, ']');
    assert_false(out.cut);
    return out.ptr;
}

/* Whether the fast parser or jansson reads a text must not matter. */
static void both_parsers_have_the_same_limit_of_values(void **state)
{
    static const char *const firsts[] = {"1", "\"\\u0041\""}; /* the second: jansson */
    static const char *const items[] = {"1", "[]", "{}", "[ ]", "\",\""};

    (void)state;
    for (size_t i = 0; i < COUNT(firsts) * COUNT(items); i++)
        for (size_t values = JSON_VALUES_MAX; values <= JSON_VALUES_MAX + 1; values++) {
            char *text = list_of(values, firsts[i % COUNT(firsts)], items[i / COUNT(firsts)]);
            struct err err = {0};
            json_t *value = NULL;

            if (read_text(text, &value, &err) !=
                (values == JSON_VALUES_MAX ? RC_OK : RC_INVALID))
                fail_msg("%zu values of %s: %s", values, items[i / COUNT(firsts)], err.text);
            json_decref(value);
            free(text);
        }
}

static void the_length_is_bounded(void **state)
{
    size_t len = JSON_BYTES_MAX;
    char *text = malloc(len + 1);
    struct err err = {0};
    json_t *value = NULL;

    (void)state;
    memset(text, 'x', len + 1);
    text[0] = text[len - 1] = '"';
    assert_int_equal(json_read((struct str){text, len}, &value, &err), RC_OK);
    json_decref(value);
    text[len - 1] = 'x';
    text[len] = '"';
    assert_int_equal(json_read((struct str){text, len + 1}, &value, &err), RC_LIMIT);
    assert_non_null(strstr(err.text, "8388609 bytes; the limit is 8388608"));
    free(text);
}

/* A small object to read: {"name": string, "friends": list of strings}. */

struct person {
    struct str name;
    int friends;
};

static enum rc read_name(const json_t *value, void *to, struct err *err)
{
    return json_take_str(value, 5, &((struct person *)to)->name, err);
}

static enum rc read_friend(const json_t *item, int i, void *to, struct err *err)
{
    struct str unused;

    ((struct person *)to)->friends = i + 1;
    return json_take_str(item, 5, &unused, err);
}

static enum rc read_friends(const json_t *value, void *to, struct err *err)
{
    int count;
    enum rc rc = json_take_count(value, 2, &count, err);

    return rc == RC_OK ? json_take_items(value, read_friend, to, err) : rc;
}

static const struct json_field person_fields[] = {{"name", read_name},
                                                  {"friends", read_friends}};

static enum rc read_person(const char *text, struct person *ret, struct err *err)
{
    json_auto_t *value = value_of(text);
    enum rc rc = json_take_object(value, JSON_SHAPE(person_fields), ret, err);

    return rc == RC_OK ? json_require(value, "name", err) : rc;
}

static void fields_are_read_and_null_is_the_same_as_absent(void **state)
{
    struct person person = {0};
    struct err err = {0};

    (void)state;
    assert_int_equal(read_person("{\"friends\":[\"a\",\"b\"],\"name\":\"x\"}", &person, &err),
                     RC_OK);
    assert_int_equal(person.friends, 2);
    person.friends = 0;
    assert_int_equal(read_person("{\"friends\":null,\"name\":\"x\"}", &person, &err), RC_OK);
    assert_int_equal(person.friends, 0);
    assert_int_equal(read_person("{\"name\":null}", &person, &err), RC_INVALID);
    assert_string_equal(err.field, "name");
    assert_string_equal(err.text, "name is missing");
}

static void an_unknown_field_is_refused_with_the_valid_ones(void **state)
{
    static const char *const names[] = {"dryRun", "reason"};
    static const char *const says[] = {
        "unknown field; valid fields: none",
        "unknown field; valid fields: dryRun",
        "unknown field; valid fields: dryRun, reason",
    };
    json_auto_t *json = json_loads("{\"zzzzzzzz\":1}", 0, NULL);

    (void)state;
    for (int i = 0; i < (int)COUNT(says); i++) {
        struct err err = {0};

        assert_int_equal(json_check_names(json, names, i, &err), RC_INVALID);
        assert_string_equal(err.text, says[i]);
        assert_string_equal(err.field, "zzzzzzzz");
    }
}

static void wrong_fields_are_named_with_the_remedy(void **state)
{
    static const struct {
        const char *text, *field, *says;
        enum rc rc;
    } cases[] = {
        {"[]", "", "must be an object, not a list", RC_INVALID},
        {"{\"name\":5}", "name", "must be a string, not a number", RC_INVALID},
        {"{\"name\":\"longer\"}", "name", "has 6 bytes; the limit is 5", RC_LIMIT},
        {"{\"nam\":\"x\"}", "nam", "unknown field; did you mean name?", RC_INVALID},
        {"{\"Friends\":[]}", "Friends", "did you mean friends?", RC_INVALID},
        {"{\"zzzzzzzz\":1}", "zzzzzzzz", "unknown field; valid fields: name, friends",
         RC_INVALID},
        {"{\"\":1}", "", "unknown field", RC_INVALID},
        {"{\"a b\\n\":1}", "", "unknown field", RC_INVALID},
        {"{\"friends\":{}}", "friends", "must be a list, not an object", RC_INVALID},
        {"{\"friends\":[\"a\",true]}", "friends[1]", "must be a string, not a boolean",
         RC_INVALID},
        {"{\"friends\":[\"a\",null]}", "friends[1]", "must be a string, not null", RC_INVALID},
        {"{\"friends\":[1,2,3]}", "friends", "has 3 entries; the limit is 2", RC_LIMIT},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct person person = {0};
        struct err err = {0};
        enum rc rc = read_person(cases[i].text, &person, &err);

        if (rc != cases[i].rc || strcmp(err.field, cases[i].field) != 0 ||
            !strstr(err.text, cases[i].says))
            fail_msg("%s: rc %d, %s: %s", cases[i].text, rc, err.field, err.text);
    }
}

static void values_are_made_in_order(void **state)
{
    json_auto_t *object = json_new_object();
    json_t *list = json_new_list();
    char text[100];
    struct buf out = BUF(text);

    (void)state;
    json_put(object, "z", json_new_int(-5));
    json_add(list, json_new_str(STR("é")));
    json_add(list, json_new_str((struct str){0}));
    json_put(object, "a", list);
    json_print(object, JSON_STYLE_LINE, &out);
    assert_string_equal(text, "{\"z\":-5,\"a\":[\"é\",\"\"]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_every_type_are_read_and_printed),
        cmocka_unit_test(pretty_text_is_indented_and_keeps_the_order_of_keys),
        cmocka_unit_test(any_value_is_printed_as_the_library_prints_it),
        cmocka_unit_test(a_text_that_does_not_fit_is_cut),
        cmocka_unit_test(wrong_text_is_refused_with_line_and_column),
        cmocka_unit_test(columns_count_characters_and_positions_count_bytes),
        cmocka_unit_test(a_zero_byte_is_refused),
        cmocka_unit_test(text_that_is_not_utf8_is_refused),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(brackets_inside_strings_do_not_count),
        cmocka_unit_test(the_number_of_values_is_bounded),
        cmocka_unit_test(both_parsers_have_the_same_limit_of_values),
        cmocka_unit_test(the_length_is_bounded),
        cmocka_unit_test(fields_are_read_and_null_is_the_same_as_absent),
        cmocka_unit_test(an_unknown_field_is_refused_with_the_valid_ones),
        cmocka_unit_test(wrong_fields_are_named_with_the_remedy),
        cmocka_unit_test(values_are_made_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
