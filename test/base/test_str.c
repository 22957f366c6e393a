/* SPDX-License-Identifier: Apache-2.0 */
/* Expected values: the contracts in base/str.h; for UTF-8 table 3-7 of the Unicode Standard. */
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static const struct str nothing = {NULL, 0};

static void assert_str(struct str s, const char *expected)
{
    assert_int_equal(s.len, strlen(expected));
    assert_memory_equal(s.ptr, expected, s.len);
}

static void equality_looks_at_every_byte_and_the_length(void **state)
{
    (void)state;
    assert_true(str_eq(STR("bell"), str_of("bell")));
    assert_true(str_eq(STR("a\0b"), STR("a\0b")));
    assert_false(str_eq(STR("a\0b"), STR("a\0c")));
    assert_false(str_eq(STR("bell"), STR("bells")));
    assert_false(str_eq(STR("bell"), STR("Bell")));
    assert_true(str_eq(nothing, STR("")));
    assert_int_equal(str_of(NULL).len, 0);
}

static void a_prefix_may_be_empty_or_the_whole(void **state)
{
    (void)state;
    assert_true(str_starts(STR("bell"), STR("be")));
    assert_true(str_starts(STR("bell"), STR("bell")));
    assert_true(str_starts(STR("bell"), nothing));
    assert_true(str_starts(nothing, STR("")));
    assert_false(str_starts(STR("be"), STR("bell")));
    assert_false(str_starts(STR("bell"), STR("Be")));
}

/* Upper and lower case differ by one bit, as [ and { do. */
static void only_ascii_letters_are_compared_without_case(void **state)
{
    (void)state;
    assert_true(str_eq_nocase(STR("AZaz09"), STR("azAZ09")));
    assert_true(str_eq_nocase(nothing, nothing));
    assert_false(str_eq_nocase(STR("@[`{"), STR("`{@[")));
    assert_false(str_eq_nocase(STR("\xc3\x84"), STR("\xc3\xa4")));
    assert_false(str_eq_nocase(STR("a"), STR("ab")));
}

static void classes_of_characters_are_those_of_ascii(void **state)
{
    (void)state;
    for (int i = 0; i < 256; i++) {
        char c = (char)i;
        bool upper = i >= 65 && i <= 90, lower = i >= 97 && i <= 122;

        assert_int_equal(char_is_digit(c), i >= 48 && i <= 57);
        assert_int_equal(char_is_alpha(c), upper || lower);
        assert_int_equal(char_lower(c), upper ? (char)(i + 32) : c);
    }
}

static void trimming_takes_blanks_and_tabs_at_both_ends(void **state)
{
    (void)state;
    assert_str(str_trim(STR(" \t a b\t ")), "a b");
    assert_str(str_trim(STR("\na ")), "\na");
    assert_int_equal(str_trim(STR(" \t ")).len, 0);
    assert_int_equal(str_trim(nothing).len, 0);
}

static void cutting_splits_at_the_first_separator(void **state)
{
    struct str head = STR("h"), tail = STR("t");

    (void)state;
    assert_false(str_cut(STR("abc"), ',', &head, &tail));
    assert_false(str_cut(nothing, ',', &head, &tail));
    assert_str(head, "h");
    assert_str(tail, "t");
    assert_true(str_cut(STR("a,b,c"), ',', &head, &tail));
    assert_str(head, "a");
    assert_str(tail, "b,c");
    assert_true(str_cut(STR(","), ',', &head, &tail));
    assert_int_equal(head.len, 0);
    assert_int_equal(tail.len, 0);
}

static void a_number_ends_at_the_first_other_byte(void **state)
{
    struct str s = STR("0042x7");
    int64_t n = -1;

    (void)state;
    assert_int_equal(str_take_number(&s, 100, &n), 4);
    assert_int_equal(n, 42);
    assert_str(s, "x7");
}

static void without_a_digit_nothing_changes(void **state)
{
    static const char *const texts[] = {"", " 1", "-1", "+1", "x"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct str s = str_of(texts[i]);
        int64_t n = -7;

        assert_int_equal(str_take_number(&s, 100, &n), 0);
        assert_int_equal(n, -7);
        assert_ptr_equal(s.ptr, texts[i]);
        assert_int_equal(s.len, strlen(texts[i]));
    }
}

static int64_t number(const char *text, int64_t max)
{
    struct str s = str_of(text);
    int64_t n = -1;

    assert_int_equal(str_take_number(&s, max, &n), strlen(text));
    assert_int_equal(s.len, 0);
    return n;
}

static void a_number_above_the_bound_reads_as_one_more_than_it(void **state)
{
    (void)state;
    assert_int_equal(number("59", 59), 59);
    assert_int_equal(number("60", 59), 60);
    assert_int_equal(number("61", 59), 60);
    assert_int_equal(number("600", 59), 60);
    assert_int_equal(number("9", 5), 6);
    assert_int_equal(number("1", 0), 1);
    assert_int_equal(number("9", 0), 1);
    assert_int_equal(number("0", 0), 0);
    assert_int_equal(number("100", 99), 100);
    assert_int_equal(number("000000000000000000000000000059", 59), 59);
}

static void every_number_below_a_thousand_reads_right_under_every_bound(void **state)
{
    (void)state;
    for (int max = 0; max < 130; max++)
        for (int n = 0; n < 1000; n++) {
            char text[4] = {(char)('0' + n / 100), (char)('0' + n / 10 % 10),
                            (char)('0' + n % 10), '\0'};

            assert_int_equal(number(text, max), n > max ? max + 1 : n);
        }
}

static void no_length_of_digits_can_wrap(void **state)
{
    char digits[400];

    (void)state;
    memset(digits, '9', sizeof digits - 1);
    digits[sizeof digits - 1] = '\0';
    assert_int_equal(number(digits, INT64_MAX - 1), INT64_MAX);
    assert_int_equal(number("9223372036854775806", INT64_MAX - 1), INT64_MAX - 1);
    assert_int_equal(number("9223372036854775807", INT64_MAX - 1), INT64_MAX);
    assert_int_equal(number("9223372036854775808", INT64_MAX - 1), INT64_MAX);
    assert_int_equal(number("18446744073709551617", INT64_MAX - 1), INT64_MAX);
    assert_int_equal(number("2147483648", INT32_MAX), INT64_C(2147483648));
}

/* True if table 3-7 contains the sequence of `len` bytes; each row is written out. */
static bool table_has(const uint8_t *b, size_t len)
{
    static const uint8_t rows[][9] = {
        /* length, then minimum and maximum of each byte */
        {1, 0x00, 0x7f},
        {2, 0xc2, 0xdf, 0x80, 0xbf},
        {3, 0xe0, 0xe0, 0xa0, 0xbf, 0x80, 0xbf},
        {3, 0xe1, 0xec, 0x80, 0xbf, 0x80, 0xbf},
        {3, 0xed, 0xed, 0x80, 0x9f, 0x80, 0xbf},
        {3, 0xee, 0xef, 0x80, 0xbf, 0x80, 0xbf},
        {4, 0xf0, 0xf0, 0x90, 0xbf, 0x80, 0xbf, 0x80, 0xbf},
        {4, 0xf1, 0xf3, 0x80, 0xbf, 0x80, 0xbf, 0x80, 0xbf},
        {4, 0xf4, 0xf4, 0x80, 0x8f, 0x80, 0xbf, 0x80, 0xbf},
    };

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        bool fits = rows[r][0] == len;

        for (size_t i = 0; i < len && fits; i++)
            fits = b[i] >= rows[r][1 + 2 * i] && b[i] <= rows[r][2 + 2 * i];
        if (fits)
            return true;
    }
    return false;
}

/* A text of up to two bytes is well-formed if it is one row, or two rows of one byte. */
static void one_and_two_bytes_agree_with_the_table_of_unicode(void **state)
{
    (void)state;
    for (int a = 0; a < 256; a++) {
        uint8_t b[2] = {(uint8_t)a, 0};

        assert_int_equal(str_is_utf8((struct str){(char *)b, 1}), table_has(b, 1));
        for (int c = 0; c < 256; c++) {
            b[1] = (uint8_t)c;
            assert_int_equal(str_is_utf8((struct str){(char *)b, 2}),
                             table_has(b, 2) || (table_has(b, 1) && table_has(b + 1, 1)));
        }
    }
}

/* After a lead byte of three or four: both edges of every class, and the values beyond. */
static void longer_forms_agree_with_the_table_of_unicode(void **state)
{
    static const uint8_t edges[] = {0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff};
    enum { EDGES = sizeof edges };

    (void)state;
    for (int lead = 0xe0; lead < 256; lead++)
        for (int i = 0; i < EDGES * EDGES * EDGES; i++) {
            uint8_t b[4] = {(uint8_t)lead, edges[i % EDGES], edges[i / EDGES % EDGES],
                            edges[i / EDGES / EDGES]};

            assert_int_equal(str_is_utf8((struct str){(char *)b, 3}), table_has(b, 3));
            assert_int_equal(str_is_utf8((struct str){(char *)b, 4}),
                             table_has(b, 4) || (table_has(b, 3) && table_has(b + 3, 1)));
        }
}

static void known_malformed_sequences_are_refused(void **state)
{
    static const struct {
        const char *text;
        bool ok;
    } cases[] = {
        {"", true},
        {"\xc2\x80", true},         /* U+0080, the first of two bytes         */
        {"\xed\x9f\xbf", true},     /* U+D7FF, the last before the surrogates */
        {"\xee\x80\x80", true},     /* U+E000, the first after them           */
        {"\xf4\x8f\xbf\xbf", true}, /* U+10FFFF                               */
        {"\xc0\xaf", false},        /* `/` in two bytes                       */
        {"\xe0\x80\xaf", false},    /* in three                               */
        {"\xf0\x80\x80\xaf", false},
        {"\xed\xa0\x80", false},     /* U+D800   */
        {"\xed\xbf\xbf", false},     /* U+DFFF   */
        {"\xf4\x90\x80\x80", false}, /* U+110000 */
        {"\xf8\x88\x80\x80\x80", false},
        {"\x80", false},         /* a tail without a head   */
        {"a\xe2\x82", false},    /* cut after two of three  */
        {"\xf0\x9f\x94", false}, /* cut after three of four */
        {"\xe2\x82"
         "a",
         false}, /* another character in place of the tail */
        {"a\xe2\x82\xac\xff", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (str_is_utf8(str_of(cases[i].text)) != cases[i].ok)
            fail_msg("case %zu is %s", i, cases[i].ok ? "refused" : "accepted");
    assert_true(str_is_utf8(nothing));
    assert_true(str_is_utf8(STR("a\0b")));
}

/* The bytes after the end would complete the character, but they are not part of the text. */
static void a_character_must_end_within_the_text(void **state)
{
    const char *bell = "\xf0\x9f\x94\x94";

    (void)state;
    for (size_t len = 1; len < 4; len++)
        assert_false(str_is_utf8((struct str){bell, len}));
    assert_true(str_is_utf8((struct str){bell, 4}));
}

static void the_nearest_name_has_the_fewest_edits(void **state)
{
    static const char *const names[] = {"vixie", "quartz", "spring", "strings"};

    (void)state;
    assert_int_equal(str_nearest(STR("quarz"), names, 4), 1);   /* one left out        */
    assert_int_equal(str_nearest(STR("viixie"), names, 4), 0);  /* one too many        */
    assert_int_equal(str_nearest(STR("sprint"), names, 4), 2);  /* one replaced        */
    assert_int_equal(str_nearest(STR("QUARTZ"), names, 4), 1);  /* case is not an edit */
    assert_int_equal(str_nearest(STR("strings"), names, 4), 3); /* not spring, at 2    */
    assert_int_equal(str_nearest(STR("sprigns"), names, 4), 2); /* the first of equals */
}

static void a_name_is_near_within_a_third_of_its_length_rounded_up(void **state)
{
    static const char *const one[] = {"a"}, *const three[] = {"aws"}, *const four[] = {"once"},
                             *const six[] = {"quartz"}, *const nine[] = {"abcdefghi"};

    (void)state;
    assert_int_equal(str_nearest(STR("b"), one, 1), 0);
    assert_int_equal(str_nearest(STR("bc"), one, 1), -1);
    assert_int_equal(str_nearest(STR("aww"), three, 1), 0);
    assert_int_equal(str_nearest(STR("www"), three, 1), -1);
    assert_int_equal(str_nearest(STR("noce"), four, 1), 0);
    assert_int_equal(str_nearest(STR("nice"), four, 1), 0);
    assert_int_equal(str_nearest(STR("nick"), four, 1), -1);
    assert_int_equal(str_nearest(STR("kwartz"), six, 1), 0);
    assert_int_equal(str_nearest(STR("kwarts"), six, 1), -1);
    assert_int_equal(str_nearest(STR("xyzdefghi"), nine, 1), 0);
    assert_int_equal(str_nearest(STR("xyzwefghi"), nine, 1), -1);
}

static void an_empty_word_or_an_empty_list_has_no_nearest_name(void **state)
{
    static const char *const names[] = {"vixie", ""};
    char longest[300];

    (void)state;
    memset(longest, 'v', sizeof longest);
    assert_int_equal(str_nearest(STR(""), names, 2), -1);
    assert_int_equal(str_nearest(nothing, names, 2), -1);
    assert_int_equal(str_nearest(STR("vixie"), names, 0), -1);
    assert_int_equal(str_nearest((struct str){longest, sizeof longest}, names, 2), -1);
}

static void a_substring_is_found_anywhere_in_either_case(void **state)
{
    (void)state;
    assert_true(str_contains_nocase(STR("Nightly"), STR("night")));
    assert_true(str_contains_nocase(STR("Nightly"), STR("LY")));
    assert_true(str_contains_nocase(STR("Nightly"), STR("nightly")));
    assert_true(str_contains_nocase(STR("Nightly"), nothing));
    assert_true(str_contains_nocase(nothing, nothing));
    assert_false(str_contains_nocase(STR("Nightly"), STR("nightlys")));
    assert_false(str_contains_nocase(STR("Nightly"), STR("tly ")));
    assert_false(str_contains_nocase(nothing, STR("n")));
}

/* é has two bytes, € three, and the clef four. */
static void a_prefix_is_cut_between_characters(void **state)
{
    static const struct str text = {"a\xc3\xa9\xe2\x82\xac\xf0\x9d\x84\x9e.", 11};
    static const size_t lengths[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};

    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        assert_int_equal(str_head(text, i).len, lengths[i]);
        assert_ptr_equal(str_head(text, i).ptr, text.ptr);
    }
    /* Without valid characters it is at most three bytes shorter. */
    assert_int_equal(str_head(STR("\x80\x80\x80\x80\x80\x80\x80\x80"), 7).len, 4);
    assert_int_equal(str_head(nothing, 7).len, 0);
}

static void an_incomplete_character_at_the_end_is_left_out(void **state)
{
    static const struct str text = {"a\xc3\xa9\xe2\x82\xac\xf0\x9d\x84\x9e.", 11};
    static const size_t lengths[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11};

    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        assert_int_equal(str_whole((struct str){text.ptr, i}).len, lengths[i]);
    /* Only what may become a character is incomplete. */
    assert_int_equal(str_whole(STR("\x80\x80")).len, 2);
    assert_int_equal(str_whole(STR("\xff")).len, 0);
}

static void a_quoted_string_ends_at_its_first_plain_quote(void **state)
{
    (void)state;
    assert_int_equal(str_quoted_length(STR("\"\"")), 2);
    assert_int_equal(str_quoted_length(STR("\"a\" \"b\"")), 3);
    assert_int_equal(str_quoted_length(STR("\"a\\\"b\"c")), 6);
    assert_int_equal(str_quoted_length(STR("\"a\\\\\"b\"")), 5);
    assert_int_equal(str_quoted_length(STR("\"a\\\"")), 0);
    assert_int_equal(str_quoted_length(STR("\"")), 0);
}

/* 199 bytes and a character of two: the limit of 200 falls between its bytes. */
static void a_message_shows_whole_characters(void **state)
{
    char text[STR_SHOWN_MAX + 2], shown[sizeof text];

    (void)state;
    memset(text, 'x', sizeof text);
    memcpy(text + STR_SHOWN_MAX - 1, "\xc3\xa9", 2);
    snprintf(shown, sizeof shown, "%.*s", STR_ARG(((struct str){text, sizeof text})));
    assert_int_equal(strlen(shown), STR_SHOWN_MAX - 1);
    snprintf(shown, sizeof shown, "%.*s", STR_ARG(((struct str){text, STR_SHOWN_MAX - 1})));
    assert_int_equal(strlen(shown), STR_SHOWN_MAX - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equality_looks_at_every_byte_and_the_length),
        cmocka_unit_test(a_prefix_may_be_empty_or_the_whole),
        cmocka_unit_test(only_ascii_letters_are_compared_without_case),
        cmocka_unit_test(classes_of_characters_are_those_of_ascii),
        cmocka_unit_test(a_substring_is_found_anywhere_in_either_case),
        cmocka_unit_test(a_prefix_is_cut_between_characters),
        cmocka_unit_test(a_message_shows_whole_characters),
        cmocka_unit_test(an_incomplete_character_at_the_end_is_left_out),
        cmocka_unit_test(trimming_takes_blanks_and_tabs_at_both_ends),
        cmocka_unit_test(cutting_splits_at_the_first_separator),
        cmocka_unit_test(a_number_ends_at_the_first_other_byte),
        cmocka_unit_test(without_a_digit_nothing_changes),
        cmocka_unit_test(a_number_above_the_bound_reads_as_one_more_than_it),
        cmocka_unit_test(every_number_below_a_thousand_reads_right_under_every_bound),
        cmocka_unit_test(no_length_of_digits_can_wrap),
        cmocka_unit_test(one_and_two_bytes_agree_with_the_table_of_unicode),
        cmocka_unit_test(longer_forms_agree_with_the_table_of_unicode),
        cmocka_unit_test(known_malformed_sequences_are_refused),
        cmocka_unit_test(a_character_must_end_within_the_text),
        cmocka_unit_test(the_nearest_name_has_the_fewest_edits),
        cmocka_unit_test(a_name_is_near_within_a_third_of_its_length_rounded_up),
        cmocka_unit_test(an_empty_word_or_an_empty_list_has_no_nearest_name),
        cmocka_unit_test(a_quoted_string_ends_at_its_first_plain_quote),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
