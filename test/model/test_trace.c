/* SPDX-License-Identifier: Apache-2.0 */
/* The header of W3C Trace Context; texts are from the recommendation, section 3.2. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "model/trace.h"

#define EXAMPLE "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

static void the_trace_of_a_client_is_read(void **state)
{
    struct trace trace;
    bool is_untraced = true;

    (void)state;
    assert_true(trace_parse(STR(EXAMPLE), &trace, &is_untraced));
    assert_true(trace.high == UINT64_C(0x4bf92f3577b34da6));
    assert_true(trace.low == UINT64_C(0xa3ce929d0e0e4736));
    assert_false(is_untraced);
    assert_true(trace_parse(STR("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"),
                            &trace, &is_untraced));
    assert_true(is_untraced);
}

static void later_versions_may_have_more_fields(void **state)
{
    struct trace trace;
    bool is_untraced;

    (void)state;
    assert_true(trace_parse(STR("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
                            &trace, &is_untraced));
    assert_true(trace_parse(STR("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what"),
                            &trace, &is_untraced));
    assert_false(trace_parse(STR("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.x"),
                             &trace, &is_untraced));
    assert_false(trace_parse(STR(EXAMPLE "-what"), &trace, &is_untraced));
}

static void invalid_headers_are_ignored(void **state)
{
    static const char *const texts[] = {
        "",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7_01",
        "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
    };
    struct trace trace;
    bool is_untraced;

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(trace_parse(str_of(texts[i]), &trace, &is_untraced));
}

static void a_run_continues_the_trace_with_a_span_for_each_attempt(void **state)
{
    struct run run = {.attempt = 1, .fence = 1};
    char first[TRACE_TEXT_MAX], second[TRACE_TEXT_MAX];
    struct trace back;
    bool is_untraced;

    (void)state;
    assert_true(trace_parse(STR(EXAMPLE), &run.trace, &is_untraced));
    assert_int_equal(trace_print(&run, STR("r_x"), first).len, sizeof EXAMPLE - 1);
    assert_memory_equal(first, EXAMPLE, 36);
    assert_memory_not_equal(first + 36, EXAMPLE + 36, 16);
    assert_string_equal(first + 52, "-01");
    run.attempt = 2;
    run.fence = 2;
    run.flags = RUN_UNTRACED;
    trace_print(&run, STR("r_x"), second);
    assert_memory_equal(second, EXAMPLE, 36);
    assert_memory_not_equal(second + 36, first + 36, 16);
    assert_string_equal(second + 52, "-00");
    assert_true(trace_parse(str_of(second), &back, &is_untraced));
}

static void a_run_without_a_client_has_a_trace_of_its_own(void **state)
{
    struct run run = {.attempt = 1, .fence = 1};
    char first[TRACE_TEXT_MAX], other[TRACE_TEXT_MAX];
    struct trace trace;
    bool is_untraced = true;

    (void)state;
    trace_print(&run, STR("r_x"), first);
    trace_print(&run, STR("r_y"), other);
    assert_true(trace_parse(str_of(first), &trace, &is_untraced));
    assert_false(is_untraced);
    assert_memory_not_equal(first, other, 36);
    run.attempt = 2;
    trace_print(&run, STR("r_x"), other);
    assert_memory_equal(first, other, 36);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_trace_of_a_client_is_read),
        cmocka_unit_test(later_versions_may_have_more_fields),
        cmocka_unit_test(invalid_headers_are_ignored),
        cmocka_unit_test(a_run_continues_the_trace_with_a_span_for_each_attempt),
        cmocka_unit_test(a_run_without_a_client_has_a_trace_of_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
