/* SPDX-License-Identifier: Apache-2.0 */
/* The defaults and names that the native API documents. */
#include "core/policy/policies.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void defaults_are_those_of_the_native_model(void **state)
{
    struct policies p = policies_default();

    (void)state;
    assert_int_equal(p.overlap, OVERLAP_SKIP);
    assert_int_equal(p.buffer_limit, 1000);
    assert_int_equal(p.catchup, CATCHUP_LATEST);
    assert_int_equal(p.catchup_window, -1);
    assert_int_equal(p.remaining_runs, -1);
    assert_int_equal(p.priority, 5);
    assert_int_equal(p.retry.attempts, 1);
    assert_int_equal(p.retry.backoff, BACKOFF_EXPONENTIAL);
    assert_int_equal(p.retry.delay, 1000000);
    assert_int_equal(p.retry.max, INT64_C(3600000000));
    assert_int_equal(p.max_run_time, INT64_C(86400000000));
    assert_int_equal(p.lease, 90000000);
    assert_int_equal(p.heartbeat, 30000000);
    assert_int_equal(p.grace, 30000000);
    assert_int_equal(p.retention_age, INT64_C(7776000000000));
}

static void optional_policies_are_absent_by_default(void **state)
{
    struct policies p = policies_default();

    (void)state;
    assert_false(p.catchup_paused || p.drop_when_full || p.pause_on_failure || p.approval);
    assert_false(p.at_most_once || p.wants_last);
    assert_int_equal(p.retry.jitter, 0);
    assert_int_equal(p.start_within, 0);
    assert_int_equal(p.timeout, 0);
    assert_int_equal(p.gate.len, 0);
    assert_int_equal(p.gate_limit, 0);
    assert_int_equal(p.lateness_budget, 0);
    assert_int_equal(p.retention_count, 0);
    assert_int_equal(p.idle_close, 0);
}

static void every_catch_up_mode_has_its_word(void **state)
{
    static const char *const words[] = {
        [CATCHUP_ALL] = "all",
        [CATCHUP_LATEST] = "latest",
        [CATCHUP_OLDEST] = "oldest",
        [CATCHUP_NONE] = "none",
    };

    (void)state;
    assert_int_equal(sizeof words / sizeof *words, CATCHUP_COUNT);
    for (int i = 0; i < CATCHUP_COUNT; i++) {
        enum catchup mode = CATCHUP_COUNT;
        struct err err;

        assert_string_equal(catchup_text((enum catchup)i), words[i]);
        assert_int_equal(catchup_parse(str_of(words[i]), &mode, &err), RC_OK);
        assert_int_equal(mode, i);
    }
}

static void an_unknown_mode_is_refused_with_the_valid_ones(void **state)
{
    static const char *const wrong[] = {"", "All", "newest", "all ", "latest\n"};

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        enum catchup mode = CATCHUP_OLDEST;
        struct err err;

        assert_int_equal(catchup_parse(str_of(wrong[i]), &mode, &err), RC_INVALID);
        assert_int_equal(mode, CATCHUP_OLDEST);
        assert_non_null(strstr(err.text, "\"all\", \"latest\", \"oldest\" or \"none\""));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_native_model),
        cmocka_unit_test(optional_policies_are_absent_by_default),
        cmocka_unit_test(every_catch_up_mode_has_its_word),
        cmocka_unit_test(an_unknown_mode_is_refused_with_the_valid_ones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
