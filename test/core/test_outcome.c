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
    {0, "none"},         {1, "overlap"},     {2, "window"}, {3, "coalesced"},
    {4, "paused"},       {5, "edited"},      {6, "clock"},  {7, "buffer"},
    {8, "deleted"},      {9, "quarantined"}, {10, "user"},  {20, "target"},
    {21, "timeout"},     {22, "maxRunTime"}, {23, "lease"}, {24, "node"},
    {25, "startWithin"}, {26, "rejected"},   {27, "other"},
};

static void stored_numbers_have_their_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++)
        assert_string_equal(outcome_text((enum outcome)outcomes[i].number), outcomes[i].text);
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        assert_string_equal(reason_text((enum reason)reasons[i].number), reasons[i].text);
}

static void failures_are_what_went_wrong_and_not_what_someone_ended(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++)
        assert_int_equal(outcome_is_failure((enum outcome)outcomes[i].number),
                         outcomes[i].is_failure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored_numbers_have_their_words),
        cmocka_unit_test(failures_are_what_went_wrong_and_not_what_someone_ended),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
