/* SPDX-License-Identifier: Apache-2.0 */
/* The rules for clock changes.  Expected values: the table in docs/semantics.md [T-24]. */
#include "core/time/dst.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void check(struct dst_rule rule, bool is_interval, enum gap gap, enum fold fold)
{
    struct dst_choice choice = dst_resolve(rule, is_interval);

    assert_int_equal(choice.gap, gap);
    assert_int_equal(choice.fold, fold);
}

static void vixie_runs_fixed_times_once_and_intervals_in_both_passes(void **state)
{
    struct dst_rule rule = {.name = DST_VIXIE};

    (void)state;
    check(rule, false, GAP_NEXT, FOLD_FIRST);
    check(rule, true, GAP_SKIP, FOLD_BOTH);
}

static void the_other_rules_are_the_same_for_intervals(void **state)
{
    (void)state;
    for (int interval = 0; interval <= 1; interval++) {
        check((struct dst_rule){.name = DST_LITERAL}, interval, GAP_SKIP, FOLD_BOTH);
        check((struct dst_rule){.name = DST_ONCE}, interval, GAP_SKIP, FOLD_FIRST);
        check((struct dst_rule){.name = DST_LAST}, interval, GAP_SKIP, FOLD_LAST);
        check((struct dst_rule){.name = DST_SHIFT}, interval, GAP_SHIFT, FOLD_FIRST);
    }
}

static void a_custom_rule_gives_its_gap_and_fold(void **state)
{
    (void)state;
    for (int gap = GAP_SKIP; gap <= GAP_SHIFT; gap++)
        for (int fold = FOLD_FIRST; fold <= FOLD_BOTH; fold++) {
            struct dst_choice choice = {(unsigned char)gap, (unsigned char)fold};
            struct dst_rule rule = {.name = DST_CUSTOM, .custom = choice};

            check(rule, false, (enum gap)gap, (enum fold)fold);
            check(rule, true, (enum gap)gap, (enum fold)fold);
        }
}

static void names_of_rules_read_back(void **state)
{
    static const char *const texts[] = {"vixie", "literal", "once", "last", "shift"};
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        enum dst_name name = DST_CUSTOM;

        assert_int_equal(dst_parse(str_of(texts[i]), &name, &err), RC_OK);
        assert_string_equal(dst_text(name), texts[i]);
    }
    assert_null(dst_text(DST_DEFAULT));
    assert_null(dst_text(DST_CUSTOM));
}

static void names_of_gaps_and_folds_read_back(void **state)
{
    static const char *const gaps[] = {"skip", "next", "shift"};
    static const char *const folds[] = {"first", "last", "both"};
    struct err err;

    (void)state;
    for (int i = 0; i < 3; i++) {
        enum gap gap = GAP_SKIP;
        enum fold fold = FOLD_FIRST;

        assert_int_equal(gap_parse(str_of(gaps[i]), &gap, &err), RC_OK);
        assert_int_equal(fold_parse(str_of(folds[i]), &fold, &err), RC_OK);
        assert_string_equal(gap_text(gap), gaps[i]);
        assert_string_equal(fold_text(fold), folds[i]);
    }
}

static void unknown_names_are_refused_with_the_right_ones(void **state)
{
    enum dst_name name = DST_ONCE;
    enum gap gap = GAP_NEXT;
    enum fold fold = FOLD_BOTH;
    struct err err;

    (void)state;
    assert_int_equal(dst_parse(STR("default"), &name, &err), RC_INVALID);
    assert_non_null(strstr(err.text, "use vixie, literal, once, last or shift"));
    assert_int_equal(dst_parse(STR(""), &name, &err), RC_INVALID);
    assert_int_equal(gap_parse(STR("Skip"), &gap, &err), RC_INVALID);
    assert_non_null(strstr(err.text, "use skip, next or shift"));
    assert_int_equal(fold_parse(STR("second"), &fold, &err), RC_INVALID);
    assert_non_null(strstr(err.text, "use first, last or both"));
    assert_int_equal(name, DST_ONCE);
    assert_int_equal(gap, GAP_NEXT);
    assert_int_equal(fold, FOLD_BOTH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vixie_runs_fixed_times_once_and_intervals_in_both_passes),
        cmocka_unit_test(the_other_rules_are_the_same_for_intervals),
        cmocka_unit_test(a_custom_rule_gives_its_gap_and_fold),
        cmocka_unit_test(names_of_rules_read_back),
        cmocka_unit_test(names_of_gaps_and_folds_read_back),
        cmocka_unit_test(unknown_names_are_refused_with_the_right_ones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
