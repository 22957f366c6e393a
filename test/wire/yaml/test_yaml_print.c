/* SPDX-License-Identifier: Apache-2.0 */
/* Values as YAML: as a user would write them, and equal when they are read again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "wire/yaml/yaml.h"

static char room[1 << 16];

static const char *printed(const json_t *value)
{
    struct buf out = BUF(room);

    yaml_print(value, &out);
    assert_false(out.cut);
    return room;
}

static void objects_and_lists_are_blocks(void **state)
{
    json_auto_t *value = json_loads(
        "{\"id\":\"a b\",\"spec\":{\"cron\":[{\"expr\":\"0 9 * * *\","
        "\"of\":1},\"@daily\",[[1,2],[]]],\"none\":{}},"
        "\"enabled\":true,\"dst\":null,\"x\":1.5}",
        0, NULL);

    (void)state;
    assert_string_equal(printed(value), "id: a b\n"
                                        "spec:\n"
                                        "  cron:\n"
                                        "    - expr: \"0 9 * * *\"\n"
                                        "      of: 1\n"
                                        "    - \"@daily\"\n"
                                        "    - - - 1\n"
                                        "        - 2\n"
                                        "      - []\n"
                                        "  none: {}\n"
                                        "enabled: true\n"
                                        "dst: null\n"
                                        "x: 1.5\n");
}

static void ambiguous_strings_are_quoted(void **state)
{
    static const char *const quoted[] = {
        "",     "no",   "On",   "y",    "null", "12:30", "1",          "1e3", "~",
        "- a",  "a: b", "a #b", "@x",   " a",   "a ",    "*",          "&a",  "!x",
        "a\nb", "a,b",  "\"",   "0x1F", "1.5",  "-1",    "2027-01-01", "{}",  "\\"};
    static const char *const plain[] = {"a",           "nightly", "a b",     "Europe/Dublin",
                                        "a-b_c.d/e+f", "note",    "nothing", "yesterday"};

    (void)state;
    for (size_t i = 0; i < sizeof quoted / sizeof quoted[0]; i++) {
        json_auto_t *value = json_string(quoted[i]);

        if (printed(value)[0] != '"')
            fail_msg("%s", room);
    }
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        json_auto_t *value = json_string(plain[i]);

        assert_int_equal(strncmp(printed(value), plain[i], strlen(plain[i])), 0);
    }
}

static void assert_round_trip(const json_t *value)
{
    struct arena *arena = arena_new(1 << 20);
    struct yaml_reader *reader = NULL;
    struct yaml_document doc = {.value = NULL};
    struct err err;
    bool any = false;

    assert_int_equal(yaml_open(str_of(printed(value)), arena, &reader, &err), RC_OK);
    if (yaml_next(reader, &doc, &any, &err) != RC_OK)
        fail_msg("%s: %s", err.text, room);
    assert_true(any);
    assert_true(json_equal(doc.value, value));
    json_decref(doc.value);
    yaml_close(reader);
    arena_free(arena);
}

static void characters_of_every_length_in_utf8_are_read_again(void **state)
{
    (void)state;
    for (uint32_t code = 1; code < 0x11000; code++) {
        char bytes[8];
        json_auto_t *value = NULL;

        if (code >= 0xd800 && code < 0xe000)
            continue;
        if (code < 0x80)
            snprintf(bytes, sizeof bytes, "%c", (char)code);
        else if (code < 0x800)
            snprintf(bytes, sizeof bytes, "%c%c", (char)(0xc0 | code >> 6),
                     (char)(0x80 | (code & 0x3f)));
        else if (code < 0x10000)
            snprintf(bytes, sizeof bytes, "%c%c%c", (char)(0xe0 | code >> 12),
                     (char)(0x80 | (code >> 6 & 0x3f)), (char)(0x80 | (code & 0x3f)));
        else
            snprintf(bytes, sizeof bytes, "%c%c%c%c", (char)(0xf0 | code >> 18),
                     (char)(0x80 | (code >> 12 & 0x3f)), (char)(0x80 | (code >> 6 & 0x3f)),
                     (char)(0x80 | (code & 0x3f)));
        value = json_pack("{s:[s]}", bytes, bytes);
        assert_non_null(value);
        assert_round_trip(value);
    }
}

static void long_keys_are_read_again(void **state)
{
    (void)state;
    for (size_t len = 100; len < 3000; len += 700) {
        char key[3001];
        json_auto_t *value = NULL;

        memset(key, 'k', len);
        key[len] = '\0';
        value = json_pack("[{s:{s:i},s:[i,i]}]", key, "x", 1, "y", 1, 2);
        assert_round_trip(value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_and_lists_are_blocks),
        cmocka_unit_test(ambiguous_strings_are_quoted),
        cmocka_unit_test(characters_of_every_length_in_utf8_are_read_again),
        cmocka_unit_test(long_keys_are_read_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
