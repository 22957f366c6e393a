/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of when cron starts a line: the rules of its manual, and what Debian's cron did around
 * clock changes under a virtual clock (the table below [T-26] of docs/semantics.md).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "cli/import/crontab_clock.h"
#include "core/time/text.h"
#include "io/zoneinfo.h"

enum { TIMES_MAX = 8 };

static int64_t second_of(const char *text)
{
    instant at = 0;
    struct err err;

    if (instant_parse(str_of(text), &at, &err) != RC_OK)
        fail_msg("%s: %s", text, err.text);
    return instant_seconds(at);
}

struct row {
    const char *when, *zone, *after;
    const char *times[TIMES_MAX]; /* the expected next times */
};

static void assert_times(struct zoneinfo *zones, const struct row *row)
{
    struct crontab_clock clock;
    int64_t got[TIMES_MAX];
    int count = 0, found;
    struct err err;
    const struct tz *tz = zoneinfo_find(zones, str_of(row->zone), &err);

    assert_non_null(tz);
    while (count < TIMES_MAX && row->times[count])
        count++;
    assert_true(crontab_clock_read(str_of(row->when), &clock));
    found = crontab_clock_next(&clock, tz, second_of(row->after), INT64_C(1) << 34, got, count);
    assert_int_equal(found, count);
    for (int i = 0; i < count; i++)
        if (got[i] != second_of(row->times[i]))
            fail_msg("%s: time %d is %ld, not %s", row->when, i, (long)got[i], row->times[i]);
}

static void times_follow_the_manual(void **state)
{
    static const struct row rows[] = {
        {"30 2 * * *",
         "UTC",
         "2026-01-01T02:30:00Z",
         {"2026-01-02T02:30:00Z", "2026-01-03T02:30:00Z"}},
        {"*/20 23 31 12 *",
         "UTC",
         "2026-01-01T00:00:00Z",
         {"2026-12-31T23:00:00Z", "2026-12-31T23:20:00Z", "2026-12-31T23:40:00Z",
          "2027-12-31T23:00:00Z"}},
        /* Either day matches, unless one of the two fields begins with a star. */
        {"30 4 1,15 * 5",
         "UTC",
         "2026-05-01T05:00:00Z",
         {"2026-05-08T04:30:00Z", "2026-05-15T04:30:00Z", "2026-05-22T04:30:00Z"}},
        {"0 0 */2 * mon",
         "UTC",
         "2026-06-01T12:00:00Z",
         {"2026-06-15T00:00:00Z", "2026-06-29T00:00:00Z", "2026-07-13T00:00:00Z"}},
        {"0 0 * * 7", "UTC", "2026-06-01T12:00:00Z", {"2026-06-07T00:00:00Z"}},
        {"0 0 * FEB Sun", "UTC", "2026-06-01T12:00:00Z", {"2027-02-07T00:00:00Z"}},
        {"0 0 29 2 *",
         "UTC",
         "2026-06-01T12:00:00Z",
         {"2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"}},
        {"0 22-23/1 * * 1-5",
         "UTC",
         "2026-06-05T22:30:00Z",
         {"2026-06-05T23:00:00Z", "2026-06-08T22:00:00Z"}},
        {"@weekly", "UTC", "2026-06-01T12:00:00Z", {"2026-06-07T00:00:00Z"}},
        {"@hourly", "UTC", "2026-06-01T12:00:00Z", {"2026-06-01T13:00:00Z"}},
        {"0 9 * * *", "Asia/Kolkata", "2026-06-01T12:00:00Z", {"2026-06-02T03:30:00Z"}},
    };
    struct err err;
    struct zoneinfo *zones = zoneinfo_open(NULL, &err);

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_times(zones, &rows[i]);
    zoneinfo_close(zones);
}

static void clock_changes_neither_lose_nor_repeat_a_fixed_time(void **state)
{
    static const struct row rows[] = {
        /* 2026-03-08, New York: 02:00 becomes 03:00, which is 07:00 UTC. */
        {"30 2 * * *",
         "America/New_York",
         "2026-03-08T00:00:00Z",
         {"2026-03-08T07:00:00Z", "2026-03-09T06:30:00Z"}},
        {"0,30 2 * * *",
         "America/New_York",
         "2026-03-08T00:00:00Z",
         {"2026-03-08T07:00:00Z", "2026-03-09T06:00:00Z", "2026-03-09T06:30:00Z"}},
        {"*/30 2 * * *",
         "America/New_York",
         "2026-03-08T00:00:00Z",
         {"2026-03-09T06:00:00Z", "2026-03-09T06:30:00Z"}},
        {"0 * * * *",
         "America/New_York",
         "2026-03-08T05:30:00Z",
         {"2026-03-08T06:00:00Z", "2026-03-08T07:00:00Z", "2026-03-08T08:00:00Z"}},
        {"0 3 * * *",
         "America/New_York",
         "2026-03-08T00:00:00Z",
         {"2026-03-08T07:00:00Z", "2026-03-09T07:00:00Z"}},
        /* 2026-11-01: 02:00 becomes 01:00 at 06:00 UTC. */
        {"30 1 * * *",
         "America/New_York",
         "2026-11-01T00:00:00Z",
         {"2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z"}},
        {"*/30 1 * * *",
         "America/New_York",
         "2026-11-01T00:00:00Z",
         {"2026-11-01T05:00:00Z", "2026-11-01T05:30:00Z", "2026-11-01T06:00:00Z",
          "2026-11-01T06:30:00Z", "2026-11-02T06:00:00Z"}},
        {"0 2 * * *",
         "America/New_York",
         "2026-11-01T00:00:00Z",
         {"2026-11-01T07:00:00Z", "2026-11-02T07:00:00Z"}},
        /* Half an hour, Lord Howe: 2026-10-04 02:00 becomes 02:30, at 15:30 UTC. */
        {"15 2 * * *",
         "Australia/Lord_Howe",
         "2026-10-03T12:00:00Z",
         {"2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z"}},
        {"45 1 * * *",
         "Australia/Lord_Howe",
         "2026-04-04T12:00:00Z",
         {"2026-04-04T14:45:00Z", "2026-04-05T15:15:00Z"}},
    };
    struct err err;
    struct zoneinfo *zones = zoneinfo_open(NULL, &err);

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_times(zones, &rows[i]);
    zoneinfo_close(zones);
}

static void syntax_that_the_manual_does_not_define_is_refused(void **state)
{
    static const char *const wrong[] = {
        "",           "* * * *",   "* * * * * *", "60 * * * *",  "* 24 * * *",  "* * 0 * *",
        "* * * 13 *", "* * * * 8", "5/2 * * * *", "9-5 * * * *", "*/0 * * * *", "a * * * *",
        "1, * * * *", "@reboot",   "@never",      "1~5 * * * *", "* * L * *",   "-1 * * * *",
    };
    struct crontab_clock clock;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        if (crontab_clock_read(str_of(wrong[i]), &clock))
            fail_msg("%s", wrong[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_follow_the_manual),
        cmocka_unit_test(clock_changes_neither_lose_nor_repeat_a_fixed_time),
        cmocka_unit_test(syntax_that_the_manual_does_not_define_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
