/* SPDX-License-Identifier: Apache-2.0 */
/* The ends of the last 32 runs in one number.  The numbers are computed by hand. */
#include "core/recent.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static int64_t pushed(const char *oldest_first)
{
    int64_t recent = 0;

    for (const char *c = oldest_first; *c; c++)
        recent = recent_push(recent, *c == 's'   ? RECENT_SUCCEEDED
                                     : *c == 'f' ? RECENT_FAILED
                                                 : RECENT_OTHER);
    return recent;
}

static void assert_text(int64_t recent, const char *expected)
{
    char text[RECENT_MAX + 1];
    struct buf out = BUF(text);

    buf_text(&out, "");
    recent_format(recent, &out);
    assert_false(out.cut);
    assert_string_equal(text, expected);
}

static void every_outcome_of_a_run_is_one_of_three(void **state)
{
    (void)state;
    assert_int_equal(recent_of(OUTCOME_SUCCEEDED), 1);
    assert_int_equal(recent_of(OUTCOME_FAILED), 2);
    assert_int_equal(recent_of(OUTCOME_TIMED_OUT), 2);
    assert_int_equal(recent_of(OUTCOME_UNKNOWN), 2);
    assert_int_equal(recent_of(OUTCOME_CANCELLED), 3);
    assert_int_equal(recent_of(OUTCOME_TERMINATED), 3);
}

static void the_newest_run_is_in_the_lowest_bits(void **state)
{
    (void)state;
    assert_int_equal(recent_push(0, RECENT_FAILED), 2);
    assert_int_equal(pushed("sfo"), 1 * 16 + 2 * 4 + 3);
    assert_int_equal(recent_at(27, 0), RECENT_OTHER);
    assert_int_equal(recent_at(27, 1), RECENT_FAILED);
    assert_int_equal(recent_at(27, 2), RECENT_SUCCEEDED);
    assert_int_equal(recent_at(27, 3), RECENT_NONE);
    assert_int_equal(recent_at(27, 31), RECENT_NONE);
}

static void the_thirty_third_run_replaces_the_first(void **state)
{
    int64_t recent = pushed("fsssssssssssssssssssssssssssssss"); /* 32 runs */

    (void)state;
    assert_int_equal(recent_at(recent, 31), RECENT_FAILED);
    assert_true(recent < 0); /* 10 01 01 … as a signed number */
    assert_int_equal(recent_count(recent), 32);
    recent = recent_push(recent, RECENT_OTHER);
    assert_int_equal(recent_count(recent), 32);
    assert_int_equal(recent_at(recent, 31), RECENT_SUCCEEDED);
    assert_int_equal(recent_at(recent, 0), RECENT_OTHER);
    assert_int_equal(recent_failures(recent, RECENT_MAX), 0);
}

static void failures_are_counted_among_the_newest(void **state)
{
    int64_t recent = pushed("ffsof");

    (void)state;
    assert_int_equal(recent_failures(recent, 0), 0);
    assert_int_equal(recent_failures(recent, 1), 1);
    assert_int_equal(recent_failures(recent, 3), 1);
    assert_int_equal(recent_failures(recent, 4), 2);
    assert_int_equal(recent_failures(recent, 5), 3);
    assert_int_equal(recent_failures(recent, 1000), 3);
    assert_int_equal(recent_failures(0, RECENT_MAX), 0);
}

static void a_gap_between_runs_is_not_sound(void **state)
{
    (void)state;
    assert_true(recent_is_sound(0));
    assert_true(recent_is_sound(pushed("sfo")));
    assert_true(recent_is_sound(-1));                    /* 32 that were cancelled */
    assert_false(recent_is_sound(4));                    /* 01 00 */
    assert_false(recent_is_sound(INT64_C(3) << 60 | 1)); /* 11 at place 30, and one */
    assert_int_equal(recent_count(4), 0);
}

static void the_text_has_a_letter_for_each_run_newest_first(void **state)
{
    (void)state;
    assert_text(0, "");
    assert_text(pushed("ssf"), "fss");
    assert_text(pushed("osf"), "fso");
    assert_text(-1, "oooooooooooooooooooooooooooooooo");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_outcome_of_a_run_is_one_of_three),
        cmocka_unit_test(the_newest_run_is_in_the_lowest_bits),
        cmocka_unit_test(the_thirty_third_run_replaces_the_first),
        cmocka_unit_test(failures_are_counted_among_the_newest),
        cmocka_unit_test(a_gap_between_runs_is_not_sound),
        cmocka_unit_test(the_text_has_a_letter_for_each_run_newest_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
