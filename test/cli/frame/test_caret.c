/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of the carets below an error.
 */
#include "cli/frame/caret.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char *lines(const char *text, size_t at, size_t len)
{
    static char room[CARET_TEXT_MAX];
    struct buf out = BUF(room);

    room[0] = '\0';
    caret_lines(str_of(text), at, len, &out);
    assert_false(out.cut);
    return room;
}

static void carets_mark_the_error(void **state)
{
    (void)state;
    assert_string_equal(lines("61 * * * *", 0, 2), "  61 * * * *\n  ^^\n");
    assert_string_equal(lines("*/0 * * * *", 2, 1), "  */0 * * * *\n    ^\n");
    assert_string_equal(lines("*/0 * * * *", 2, 0), "  */0 * * * *\n    ^\n");
}

static void a_caret_may_mark_the_end_of_the_text(void **state)
{
    (void)state;
    assert_string_equal(lines("* * * *", 7, 0), "  * * * *\n         ^\n");
    assert_string_equal(lines("* * * *", 5, 99), "  * * * *\n       ^^\n");
    assert_string_equal(lines("", 0, 0), "  \n  ^\n");
}

static void carets_match_the_columns_of_escaped_bytes(void **state)
{
    (void)state;
    assert_string_equal(lines("1\t2 x", 4, 1), "  1\\t2 x\n       ^\n");
    assert_string_equal(lines("a\x1b[2J!", 5, 1), "  a\\x1b[2J!\n          ^\n");
    assert_string_equal(lines("\xff", 0, 1), "  \\xff\n  ^^^^\n");
}

static void a_long_text_is_cut_around_the_error(void **state)
{
    char text[401];
    const char *shown;

    (void)state;
    memset(text, 'x', 400);
    text[400] = '\0';
    memcpy(text + 300, "WRONG", 5);
    shown = lines(text, 300, 5);
    assert_memory_equal(shown, "  ...xxx", 8);
    assert_non_null(strstr(shown, "xWRONGx"));
    assert_non_null(strstr(shown, "xxx...\n"));
    assert_int_equal(strchr(shown, 'W') - shown,
                     strchr(shown, '^') - (strchr(shown, '\n') + 1));
    for (size_t at = 0; at <= 400; at++) {
        const char *line = lines(text, at, 1), *second = strchr(line, '\n') + 1;

        assert_true(second - line <= CARET_WIDTH + 9);
        assert_non_null(strchr(second, '^'));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carets_mark_the_error),
        cmocka_unit_test(a_caret_may_mark_the_end_of_the_text),
        cmocka_unit_test(carets_match_the_columns_of_escaped_bytes),
        cmocka_unit_test(a_long_text_is_cut_around_the_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
