/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parsing and printing of event cursors.
 */
#include "world.h"

#include "api/events/event_cursor.h"

static const char *reprinted(const char *text)
{
    static char out[EVENT_CURSOR_TEXT_MAX];
    struct buf buf = BUF(out);
    struct event_cursor cursor;
    struct err err;

    if (event_cursor_parse(str_of(text), &cursor, &err) != RC_OK)
        return "refused";
    event_cursor_print(&cursor, &buf);
    buf_char(&buf, '\0');
    return out;
}

static void a_printed_cursor_is_read_back(void **state)
{
    static const char *const texts[] = {"1.0", "1.205", "1.205_3.17", "0.0",
                                        "7.9223372036854775805"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_string_equal(reprinted(texts[i]), texts[i]);
}

static void anything_else_is_refused(void **state)
{
    static const char *const texts[] = {"",      "1",        "1.",      ".1",    "1.2_",
                                        "1.2.3", "2.1_1.1",  "1.1_1.2", "1.2 ",  "-1.2",
                                        "a.b",   "1.2__3.4", "1,2",     "1.2_3", "now"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_string_equal(reprinted(texts[i]), "refused");
}

static void a_cursor_has_a_number_per_node(void **state)
{
    struct event_cursor cursor = {0};
    char text[EVENT_CURSOR_TEXT_MAX];
    struct buf out = BUF(text);

    (void)state;
    for (int i = EVENT_CURSOR_NODES; i > 0; i--)
        assert_true(event_cursor_set(&cursor, i * 3, INT64_MAX - 2));
    assert_false(event_cursor_set(&cursor, 1, 1));
    assert_true(event_cursor_set(&cursor, 3, 8));
    assert_int_equal(event_cursor_get(&cursor, 3), 8);
    assert_int_equal(event_cursor_get(&cursor, 6), INT64_MAX - 2);
    assert_int_equal(event_cursor_get(&cursor, 1), 0);
    event_cursor_print(&cursor, &out);
    assert_false(out.cut);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_printed_cursor_is_read_back),
        cmocka_unit_test(anything_else_is_refused),
        cmocka_unit_test(a_cursor_has_a_number_per_node),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
