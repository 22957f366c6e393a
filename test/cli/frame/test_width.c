/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of text widths, which come from Unicode's EastAsianWidth.txt and general categories.
 */
#include "cli/frame/width.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void widths_follow_unicode(void **state)
{
    static const struct {
        const char *text;
        size_t columns;
    } cases[] = {
        {"", 0},
        {"nightly", 7},
        {"\u00e9", 1},       /* a precomposed letter               */
        {"e\u0301", 1},      /* a letter and a combining accent    */
        {"\u4e2d\u6587", 4}, /* ideographs are wide                */
        {"\uff21", 2},       /* fullwidth A                        */
        {"\uff71", 1},       /* halfwidth katakana                 */
        {"\U0001f600", 2},   /* an emoji                           */
        {"\ud55c", 2},       /* a hangul syllable                  */
        {"a\u200bb", 2},     /* a zero-width space                 */
        {"\u2026", 1},       /* ambiguous characters are narrow    */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(width_columns(str_of(cases[i].text)), cases[i].columns);
}

static const char *safe(const char *text)
{
    static char shown[100];
    struct buf out = BUF(shown);
    struct str s = str_of(text);

    while (s.len > 0) {
        struct glyph glyph = glyph_at(s);

        safe_glyph(s, &glyph, &out);
        s = str_from(s, glyph.bytes);
    }
    assert_int_equal(out.len, width_columns(str_of(text)));
    return shown;
}

static void control_characters_are_escaped(void **state)
{
    (void)state;
    assert_string_equal(safe("a\033[2Jb"), "a\\x1b[2Jb");
    assert_string_equal(safe("\a\b\r\n\t\x7f"), "\\x07\\x08\\x0d\\n\\t\\x7f");
    assert_string_equal(safe("\xc2\x9b"
                             "31m"),
                        "\\u009b31m");                   /* CSI as a single C1 character */
    assert_string_equal(safe("\xff\xc3"), "\\xff\\xc3"); /* invalid and truncated UTF-8  */
    assert_string_equal(safe("a\u202eb\u2066\u200f"), "a\\u202eb\\u2066\\u200f");
}

static void text_is_cut_between_characters(void **state)
{
    (void)state;
    assert_int_equal(width_fit(STR("abc"), 2), 2);
    assert_int_equal(width_fit(STR("\u4e2d\u6587"), 3), 3);
    assert_int_equal(width_fit(STR("e\u0301x"), 1), 3);
    assert_int_equal(width_fit(STR("a\033b"), 4), 1); /* an escape is never split */
    assert_int_equal(width_fit(STR("a\033b"), 5), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widths_follow_unicode),
        cmocka_unit_test(control_characters_are_escaped),
        cmocka_unit_test(text_is_cut_between_characters),
    };

    return cmocka_run_group_tests_name("width", tests, NULL, NULL);
}
