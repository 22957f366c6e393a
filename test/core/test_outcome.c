/* SPDX-License-Identifier: Apache-2.0 */
/* The closed sets of outcomes and reasons, with their names and stored numbers. */
#include "core/outcome.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    int number;
    const char *text;
    bool is_failure;
} outcomes[] = {
    {0, "none", false},       {1, "started", false},     {2, "skipped", false},
    {3, "missed", false},     {4, "dropped", false},     {5, "cancelled", false},
    {10, "succeeded", false}, {11, "failed", true},      {12, "timedOut", true},
    {13, "cancelled", false}, {14, "terminated", false}, {15, "unknown", true},
};

static const struct {
    int number;
    const char *text;
} reasons[] = {
    {0, "none"},   {1, "overlap"},   {2, "window"},       {3, "coalesced"}, {4, "paused"},
    {5, "edited"}, {6, "clock"},     {7, "buffer"},       {8, "deleted"},   {9, "quarantined"},
    {10, "user"},  {11, "governor"}, {20, "target"},      {21, "timeout"},  {22, "maxRunTime"},
    {23, "lease"}, {24, "node"},     {25, "startWithin"}, {26, "rejected"}, {27, "other"},
};

static void stored_numbers_have_their_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++)
        assert_string_equal(outcome_text((enum outcome)outcomes[i].number), outcomes[i].text);
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        assert_string_equal(reason_text((enum reason)reasons[i].number), reasons[i].text);
}

static void ended_by_a_user_is_not_a_failure(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++)
        assert_int_equal(outcome_is_failure((enum outcome)outcomes[i].number),
                         outcomes[i].is_failure);
}

/* The reasons of docs/semantics.md [P-10] to [P-14], [P-33], [P-43], by stored numbers. */
static void a_slot_has_only_the_reasons_of_its_outcome(void **state)
{
    static const struct {
        int outcome, reason;
    } pairs[] = {
        {2, 1}, {2, 11}, {3, 2}, {3, 3}, {3, 4},  {3, 5},
        {3, 6}, {4, 7},  {4, 8}, {4, 9}, {5, 10},
    };

    (void)state;
    for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++)
        for (size_t k = 0; k < sizeof reasons / sizeof *reasons; k++) {
            bool is_pair = false;

            for (size_t n = 0; n < sizeof pairs / sizeof *pairs; n++)
                is_pair = is_pair || (pairs[n].outcome == outcomes[i].number &&
                                      pairs[n].reason == reasons[k].number);
            assert_int_equal(outcome_is_of_slot((enum outcome)outcomes[i].number,
                                                (enum reason)reasons[k].number),
                             is_pair);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slot_has_only_the_reasons_of_its_outcome),
        cmocka_unit_test(stored_numbers_have_their_words),
        cmocka_unit_test(ended_by_a_user_is_not_a_failure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
