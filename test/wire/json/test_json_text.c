/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON text that is written and searched without intermediate values.  jansson gives the
 * expected result.
 */
#include "wire/json/json_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wire/json/json.h"

enum { TEXT_MAX = 4096 };

static void a_string_is_written_as_the_library_writes_it(void **state)
{
    char every[128], ours[TEXT_MAX], *theirs;
    struct str s = {every, 0};
    struct buf out = BUF(ours);
    json_t *value;

    (void)state;
    for (int c = 1; c < 128; c++)
        every[s.len++] = (char)c;
    json_write_str(&out, s);
    value = json_new_str(s);
    theirs = json_dumps(value, JSON_ENCODE_ANY);
    json_decref(value);
    assert_string_equal(ours, theirs);
    assert_int_equal(out.len, json_str_length(s));
    assert_true(out.len <= json_str_room(s));
    free(theirs);
}

static void assert_written_as_theirs(struct str s)
{
    char ours[TEXT_MAX];
    struct buf out = BUF(ours);
    json_t *value = json_new_str(s);
    char *theirs = json_dumps(value, JSON_ENCODE_ANY);

    json_write_str(&out, s);
    assert_string_equal(ours, theirs);
    assert_int_equal(out.len, json_str_length(s));
    json_decref(value);
    free(theirs);
}

/* Eight bytes are checked at a time. */
static void a_byte_is_escaped_at_any_position(void **state)
{
    enum { PLACES = 20 };
    static const char bytes[] = "\"\\\x01\x1f\n /!#[]\x7f";

    (void)state;
    for (int length = 1; length <= PLACES; length++)
        for (int at = 0; at < length; at++)
            for (const char *c = bytes; *c; c++) {
                char text[PLACES];

                memset(text, 'x', sizeof text);
                text[at] = *c;
                assert_written_as_theirs((struct str){text, (size_t)length});
                memcpy(text + (at + 7) % (PLACES - 2), "\xc3\xa2", 2);
                assert_written_as_theirs((struct str){text, PLACES});
            }
}

static void characters_beyond_ascii_are_not_escaped(void **state)
{
    char text[64];
    struct buf out = BUF(text);

    (void)state;
    json_write_str(&out, STR("ü\u20ac\U0001f514"));
    assert_string_equal(text, "\"ü\u20ac\U0001f514\"");
}

static void an_empty_string_is_two_quotes(void **state)
{
    char text[8];
    struct buf out = BUF(text);

    (void)state;
    json_write_str(&out, (struct str){0});
    assert_string_equal(text, "\"\"");
}

static void a_number_is_written_as_printf_does(void **state)
{
    static const int64_t numbers[] = {0,   1,    -1,        9,         10,
                                      -10, 1000, INT64_MAX, INT64_MIN, INT64_MIN + 1};

    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char ours[32], theirs[32];
        struct buf out = BUF(ours);

        json_write_int(&out, numbers[i]);
        snprintf(theirs, sizeof theirs, "%lld", (long long)numbers[i]);
        assert_string_equal(ours, theirs);
    }
}

static void assert_member(struct str *rest, const char *key, const char *value)
{
    struct str k, v;

    assert_true(json_next_member(rest, &k, &v));
    assert_int_equal(k.len, strlen(key));
    assert_memory_equal(k.ptr, key, k.len);
    assert_int_equal(v.len, strlen(value));
    assert_memory_equal(v.ptr, value, v.len);
}

static void members_come_in_order_as_they_are_written(void **state)
{
    struct str rest = STR("{\"a\":1,\"b\":\"x,\\\"}\",\"c\":{\"d\":[{}, \"]\"]},\"\":null,"
                          "\"e\":[],\"q\\\"\":-1.5e3,\"t\":true}");
    struct str k, v;

    (void)state;
    assert_member(&rest, "a", "1");
    assert_member(&rest, "b", "\"x,\\\"}\"");
    assert_member(&rest, "c", "{\"d\":[{}, \"]\"]}");
    assert_member(&rest, "", "null");
    assert_member(&rest, "e", "[]");
    assert_member(&rest, "q\\\"", "-1.5e3");
    assert_member(&rest, "t", "true");
    assert_false(json_next_member(&rest, &k, &v));
}

static void blanks_between_members_do_not_matter(void **state)
{
    struct str rest = STR(" { \"a\" : 1 ,\n\t\"b\" : [ 2 ] } ");
    struct str k, v;

    (void)state;
    assert_member(&rest, "a", "1");
    assert_member(&rest, "b", "[ 2 ]");
    assert_false(json_next_member(&rest, &k, &v));
}

static void an_empty_object_and_other_texts_have_no_member(void **state)
{
    static const char *const texts[] = {
        "",       "{}",      "{ }",        "[]",       "null",      "{",     "{\"",   "{\"a",
        "{\"a\"", "{\"a\":", "{\"a\":\"x", "{\"a\":{", "{\"a\":[1", "\"a\\", "{\"a\\"};
    struct str k, v;

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct str rest = str_of(texts[i]);

        if (json_next_member(&rest, &k, &v))
            fail_msg("`%s` has a member", texts[i]);
    }
}

static void a_member_is_found_by_its_name_unless_it_is_null(void **state)
{
    struct str object = STR("{\"type\":\"queue\",\"kind\":null,\"input\":{\"type\":1}}");
    struct str found = json_find_member(object, STR("input"));

    (void)state;
    assert_int_equal(found.len, 10);
    assert_memory_equal(found.ptr, "{\"type\":1}", 10);
    assert_int_equal(json_find_member(object, STR("type")).len, 7);
    assert_int_equal(json_find_member(object, STR("kind")).len, 0);
    assert_int_equal(json_find_member(object, STR("inpu")).len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_string_is_written_as_the_library_writes_it),
        cmocka_unit_test(a_byte_is_escaped_at_any_position),
        cmocka_unit_test(characters_beyond_ascii_are_not_escaped),
        cmocka_unit_test(an_empty_string_is_two_quotes),
        cmocka_unit_test(a_number_is_written_as_printf_does),
        cmocka_unit_test(members_come_in_order_as_they_are_written),
        cmocka_unit_test(blanks_between_members_do_not_matter),
        cmocka_unit_test(an_empty_object_and_other_texts_have_no_member),
        cmocka_unit_test(a_member_is_found_by_its_name_unless_it_is_null),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
