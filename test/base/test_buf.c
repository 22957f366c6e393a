/* SPDX-License-Identifier: Apache-2.0 */
/* Expected values: the contract in base/buf.h. */
#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "aborts.h"

static void pieces_follow_each_other(void **state)
{
    char text[64];
    struct buf out = BUF(text);

    (void)state;
    buf_text(&out, "every ");
    buf_printf(&out, "%d", 15);
    buf_char(&out, ' ');
    buf_str(&out, (struct str){"minutesXX", 7});
    buf_add(&out, "\0!", 2);
    assert_int_equal(out.len, 18);
    assert_memory_equal(text, "every 15 minutes\0!", 19);
    assert_false(out.cut);
    assert_true(str_eq(buf_as_str(&out), STR("every 15 minutes\0!")));
}

static void numbers_are_written_as_printf_does(void **state)
{
    static const int64_t numbers[] = {0, 7, -1, 10, INT64_MAX, INT64_MIN, 1234567890123};

    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char ours[64], theirs[64];
        struct buf out = BUF(ours);

        buf_int(&out, numbers[i]);
        buf_char(&out, ' ');
        buf_hex(&out, (uint64_t)numbers[i]);
        snprintf(theirs, sizeof theirs, "%lld %016llx", (long long)numbers[i],
                 (unsigned long long)numbers[i]);
        assert_string_equal(ours, theirs);
    }
}

static void an_empty_write_terminates_the_text(void **state)
{
    char text[4] = "xyz";
    struct buf out = BUF(text);

    (void)state;
    buf_add(&out, NULL, 0);
    assert_string_equal(text, "");
    text[0] = 'x';
    buf_str(&out, (struct str){NULL, 0});
    assert_string_equal(text, "");
    text[0] = 'x';
    buf_printf(&out, "%s", "");
    assert_string_equal(text, "");
    assert_int_equal(out.len, 0);
    assert_false(out.cut);
}

/* Room for four bytes and the terminating zero; writes must not change the guard after it. */
struct guarded {
    char text[5];
    char guard[3];
};

static void assert_kept(const struct guarded *g, const struct buf *out, const char *expected,
                        bool cut)
{
    assert_int_equal(out->len, strlen(expected));
    assert_string_equal(g->text, expected);
    assert_int_equal(out->cut, cut);
    assert_memory_equal(g->guard, "ggg", 3);
}

static void what_fills_the_room_exactly_is_not_cut(void **state)
{
    struct guarded g = {.guard = {'g', 'g', 'g'}};
    struct buf out = BUF(g.text);

    (void)state;
    buf_text(&out, "abcd");
    assert_kept(&g, &out, "abcd", false);
    out = BUF(g.text);
    buf_printf(&out, "%s", "efgh");
    assert_kept(&g, &out, "efgh", false);
}

static void text_that_does_not_fit_is_cut_and_marked(void **state)
{
    struct guarded g = {.guard = {'g', 'g', 'g'}};
    struct buf out = BUF(g.text);

    (void)state;
    buf_text(&out, "abcde");
    assert_kept(&g, &out, "abcd", true);
    out = BUF(g.text);
    buf_printf(&out, "%d", 123456);
    assert_kept(&g, &out, "1234", true);
    out = BUF(g.text);
    buf_text(&out, "abc");
    buf_printf(&out, "%s", "de");
    assert_kept(&g, &out, "abcd", true);
    out = BUF(g.text);
    buf_text(&out, "abc");
    buf_add(&out, "de", 2);
    assert_kept(&g, &out, "abcd", true);
}

/* Three bytes of room and characters of two bytes: one of them fits. */
static void text_is_cut_between_characters(void **state)
{
    char by_add[4], by_printf[4];
    struct buf added = BUF(by_add), printed = BUF(by_printf);

    (void)state;
    buf_text(&added, "\xc3\xa9\xc3\xa9");
    buf_printf(&printed, "%s", "\xc3\xa9\xc3\xa9");
    assert_true(added.cut && printed.cut);
    assert_string_equal(by_add, "\xc3\xa9");
    assert_string_equal(by_printf, "\xc3\xa9");
    assert_int_equal(added.len, 2);
    assert_int_equal(printed.len, 2);
}

static void a_full_buffer_stays_as_it_is_and_marks_what_is_cut(void **state)
{
    struct guarded g = {.guard = {'g', 'g', 'g'}};
    struct buf out = BUF(g.text);

    (void)state;
    buf_text(&out, "abcd");
    buf_text(&out, "");
    buf_printf(&out, "%s", "");
    assert_kept(&g, &out, "abcd", false);
    buf_char(&out, 'e');
    assert_kept(&g, &out, "abcd", true);
    buf_printf(&out, "%s", "f");
    buf_text(&out, "");
    assert_kept(&g, &out, "abcd", true);
}

/* Writes `bytes` bytes of a number twice into `room`; must equal a write byte by byte. */
static void assert_bytes(size_t room, size_t bytes)
{
    char text[24], expected[24];
    struct buf out = {.ptr = text, .cap = room}, by_byte = {.ptr = expected, .cap = room};

    memset(text, 'g', sizeof text);
    buf_le(&out, UINT64_C(0x0807060504030201), bytes);
    buf_le(&out, UINT64_C(0x0807060504030201), bytes);
    for (size_t i = 0; i < 2 * bytes; i++)
        buf_char(&by_byte, (char)(i % bytes + 1));
    assert_int_equal(out.len, by_byte.len);
    assert_memory_equal(text, expected, out.len + 1);
    assert_int_equal(out.cut, by_byte.cut);
    for (size_t i = room; i < sizeof text; i++)
        assert_int_equal(text[i], 'g');
}

static void bytes_of_a_number_are_written_the_lowest_first(void **state)
{
    (void)state;
    for (size_t room = 1; room <= 20; room++)
        for (size_t bytes = 1; bytes <= 8; bytes++)
            assert_bytes(room, bytes);
}

static void the_smallest_buffer_holds_the_terminating_zero(void **state)
{
    char text[1] = {'x'};
    struct buf out = BUF(text);

    (void)state;
    buf_text(&out, "");
    assert_int_equal(text[0], '\0');
    assert_false(out.cut);
    buf_char(&out, 'a');
    assert_int_equal(text[0], '\0');
    assert_int_equal(out.len, 0);
    assert_true(out.cut);
}

static void add_beyond(void *arg)
{
    buf_text(arg, "a");
}

static void print_beyond(void *arg)
{
    buf_printf(arg, "a");
}

static void a_buffer_without_room_for_the_zero_aborts(void **state)
{
    char text[2];
    struct buf broken = {text, 2, 2, false};

    (void)state;
    assert_true(aborts(add_beyond, &broken));
    assert_true(aborts(print_beyond, &broken));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_follow_each_other),
        cmocka_unit_test(numbers_are_written_as_printf_does),
        cmocka_unit_test(an_empty_write_terminates_the_text),
        cmocka_unit_test(what_fills_the_room_exactly_is_not_cut),
        cmocka_unit_test(text_that_does_not_fit_is_cut_and_marked),
        cmocka_unit_test(text_is_cut_between_characters),
        cmocka_unit_test(a_full_buffer_stays_as_it_is_and_marks_what_is_cut),
        cmocka_unit_test(bytes_of_a_number_are_written_the_lowest_first),
        cmocka_unit_test(the_smallest_buffer_holds_the_terminating_zero),
        cmocka_unit_test(a_buffer_without_room_for_the_zero_aborts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
