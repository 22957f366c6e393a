/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of `belfry explain` as a program.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include "run.h"

static void all_results_are_printed_in_order(void **state)
{
    const struct run *run = RUN("explain", "-z", "America/New_York", "-a",
                                "2026-03-01T00:00:00Z", "-n", "2", "--at",
                                "2026-03-09T06:31:00Z", "30 2 * * *");

    (void)state;
    assert_string_equal(run->err, "");
    assert_string_equal(run->out,
                        "At 02:30 every day, New York time\n"
                        "\n"
                        "Next\n"
                        "  2026-03-01T07:30:00Z  Sun 2026-03-01T02:30:00-05:00\n"
                        "  2026-03-02T07:30:00Z  Mon 2026-03-02T02:30:00-05:00\n"
                        "\n"
                        "Not a slot\n"
                        "  at      2026-03-09T06:31:00Z  Mon 2026-03-09T02:31:00-04:00\n"
                        "  minute is 31, the expression requires 30\n"
                        "  before  2026-03-09T06:30:00Z  Mon 2026-03-09T02:30:00-04:00\n"
                        "  after   2026-03-10T06:30:00Z  Tue 2026-03-10T02:30:00-04:00\n"
                        "\n"
                        "Clock changes within a year\n"
                        "  2026-03-08T07:00:00Z  2026-03-08 from 02:00 to 03:00\n"
                        "    02:30 does not exist that day: runs at 03:00\n"
                        "  2026-11-01T06:00:00Z  2026-11-01 from 02:00 to 01:00\n"
                        "    no effect\n");
    assert_int_equal(run->status, 0);
}

static void a_local_time_can_be_explained(void **state)
{
    const struct run *run = RUN("explain", "-z", "America/New_York", "-a2026-01-01", "--at",
                                "2026-03-08 02:30", "30 2 * * *");

    (void)state;
    assert_non_null(strstr(run->out,
                           "Not a slot\n  02:30 on 8 March 2026 does not exist in "
                           "America/New_York: clocks go from 02:00 to 03:00; the slot "
                           "runs at 03:00 instead\n"));
    /* A local time in a fold gives two instants. */
    run = RUN("explain", "-z", "America/New_York", "-a2026-01-01", "-t", "2026-11-01T01:30",
              "30 1 * * *");
    assert_non_null(strstr(run->out, "A slot\n  at      2026-11-01T05:30:00Z"));
    assert_non_null(strstr(run->out, "Not a slot\n  at      2026-11-01T06:30:00Z"));
}

static void a_high_frequency_is_printed(void **state)
{
    (void)state;
    assert_non_null(strstr(RUN("explain", "*/15 * * * *")->out, "  about 96 per day\n"));
    assert_null(strstr(RUN("explain", "@hourly")->out, "per day"));
}

static void impossible_dates_and_likely_mistakes_are_explained(void **state)
{
    (void)state;
    assert_non_null(
        strstr(RUN("explain", "0 0 30 2 *")->out, "Next\n  never: February has no day 30\n"));
    assert_non_null(strstr(RUN("explain", "0 0 13 * FRI")->out,
                           "Note\n  day of month and day of week are both given"));
    /* Only in the second year: 12 March 2027 is not a Sunday, 12 March 2028 is one. */
    assert_non_null(
        strstr(RUN("explain", "-zAmerica/New_York", "-a2026-06-01", "30 2 12 3 *")->out,
               "Note\n  a clock change affects it at 2028-03-12T07:00:00Z\n"));
}

static void json_has_the_same_results(void **state)
{
    const struct run *run = RUN("explain", "--json", "-z", "America/New_York", "-a",
                                "2026-03-01", "-n", "1", "--at", "2026-03-08T07:00:00Z",
                                "*/35 2 * * *");
    json_t *all = json_loads(run->out, JSON_REJECT_DUPLICATES, NULL), *moment, *change;

    (void)state;
    assert_non_null(all);
    assert_string_equal(json_string_value(json_object_get(all, "description")),
                        "At 02:00 and 02:35 every day, New York time");
    assert_int_equal(json_array_size(json_object_get(all, "next")), 1);
    moment = json_array_get(json_object_get(all, "at"), 0);
    assert_true(json_is_false(json_object_get(moment, "isSlot")));
    assert_int_equal(json_array_size(json_object_get(all, "clockChanges")), 2);
    change = json_array_get(json_object_get(all, "clockChanges"), 0);
    assert_string_equal(json_string_value(json_object_get(change, "effect")),
                        "02:00 and 02:35 do not exist that day: skipped");
    assert_int_equal(json_array_size(json_object_get(all, "warnings")), 1);
    json_decref(all);
}

static void wrong_moments_are_refused(void **state)
{
    const struct run *run = RUN("explain", "--at", "2026-02-30T00:00:00Z", "@daily");

    (void)state;
    assert_int_equal(run->status, 2);
    assert_string_equal(run->out, "");
    assert_non_null(strstr(run->err, "belfry: --at: "));
    assert_int_equal(RUN("explain", "--until", "now", "@daily")->status, 2);
}

static void the_first_and_last_times_of_the_calendar_are_valid(void **state)
{
    static const char *const moments[] = {"0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z",
                                          "9999-12-31T23:59:59.999999Z", "0001-01-03",
                                          "9999-12-29T12:00"};
    static const char *const zones[] = {"UTC", "America/New_York", "Asia/Tokyo", "UTC+24:00"};
    static const char *const exprs[] = {"30 2 * * *", "@every 1h", "0 0 0 1 1 * 1970"};

    (void)state;
    for (int i = 0; i < 5 * 4 * 3; i++) {
        const char *t = moments[i % 5], *z = zones[i / 5 % 4], *e = exprs[i / 20];

        assert_int_equal(RUN("explain", "-z", z, "-t", t, "-a", t, e)->status, 0);
        assert_int_equal(RUN("next", "-l", "-z", z, "-a", t, e)->status, 0);
    }
    assert_int_equal(RUN("explain", "-t", "9999-12-31", "@daily")->status, 2);
    assert_int_equal(RUN("next", "-a", "0001-01-01", "@daily")->status, 2);
}

static void a_spec_is_explained_too(void **state)
{
    const struct run *run = RUN_WITH("{\"cron\":[\"30 2 * * *\"],\"exclude\":{\"dates\":"
                                     "[\"2027-12-25\"],\"named\":[\"us-holidays\"]}}",
                                     "explain", "--spec", "-", "--at", "2027-12-25T02:30:00Z");

    (void)state;
    assert_int_equal(run->status, 0);
    assert_string_equal(run->err, "belfry: named calendars are stored on the server; here they "
                                  "count as empty\n");
    assert_non_null(strstr(run->out, "At 02:30 every day, UTC, except on 25 December 2027, "
                                     "except on the days of us-holidays\n"));
    assert_non_null(strstr(run->out, "\n  25 December 2027 is an excluded date\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_results_are_printed_in_order),
        cmocka_unit_test(a_local_time_can_be_explained),
        cmocka_unit_test(a_high_frequency_is_printed),
        cmocka_unit_test(impossible_dates_and_likely_mistakes_are_explained),
        cmocka_unit_test(json_has_the_same_results),
        cmocka_unit_test(wrong_moments_are_refused),
        cmocka_unit_test(the_first_and_last_times_of_the_calendar_are_valid),
        cmocka_unit_test(a_spec_is_explained_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
