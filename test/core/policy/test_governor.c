/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 21 cases of docs/semantics.md [P-30], and cases of nudges and clean-up.  Times are seconds
 * from T; the wall-clock baseline is always due 60 s after now.
 */
#include "core/policy/governor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define T    INT64_C(1735689600000000) /* 2025-01-01T00:00:00Z */
#define NONE (-1)

struct row {
    const char *what;
    int now, interval, failures; /* interval NONE: wall clock                 */
    int hint, shot, expires;     /* seconds from T, except hint; NONE: absent */
    int min, max, paused;
    int expect;
    enum source source;
};

static const struct row rows[] = {
    {"1 paused", 0, 5, 0, NONE, NONE, NONE, 0, 0, 600, 600, SOURCE_PAUSED},
    {"2 interval", 300, 300, 0, NONE, NONE, NONE, 0, 0, NONE, 600, SOURCE_BASELINE_INTERVAL},
    {"3 cron", 0, NONE, 0, NONE, NONE, NONE, 0, 0, NONE, 60, SOURCE_BASELINE_CRON},
    {"4 interval hint", 0, 300, 0, 60, NONE, 3600, 0, 0, NONE, 60, SOURCE_AI_INTERVAL},
    {"5 one-shot", 0, 300, 0, NONE, 120, 3600, 0, 0, NONE, 120, SOURCE_AI_ONESHOT},
    {"6 hint expired", 300, 300, 0, 30, NONE, 60, 0, 0, NONE, 600, SOURCE_BASELINE_INTERVAL},
    {"7 clamp min", 5, 10, 0, NONE, NONE, NONE, 60, 0, NONE, 65, SOURCE_CLAMPED_MIN},
    {"8 clamp max", 0, 600, 0, NONE, NONE, NONE, 0, 180, NONE, 180, SOURCE_CLAMPED_MAX},
    {"9 long ago", 600, 60, 0, NONE, NONE, NONE, 0, 0, NONE, 660, SOURCE_BASELINE_INTERVAL},
    {"10 both hints", 0, 300, 0, 120, 90, 3600, 0, 0, NONE, 90, SOURCE_AI_ONESHOT},
    {"11 shot past", 300, 300, 0, NONE, 60, 3600, 0, 0, NONE, 300, SOURCE_AI_ONESHOT},
    {"12 shot expired", 300, 300, 0, NONE, 60, 120, 0, 0, NONE, 600, SOURCE_BASELINE_INTERVAL},
    {"13 0 failures", 0, 60, 0, NONE, NONE, NONE, 0, 0, NONE, 60, SOURCE_BASELINE_INTERVAL},
    {"14 1 failure", 0, 60, 1, NONE, NONE, NONE, 0, 0, NONE, 120, SOURCE_BASELINE_INTERVAL},
    {"15 2 failures", 0, 60, 2, NONE, NONE, NONE, 0, 0, NONE, 240, SOURCE_BASELINE_INTERVAL},
    {"16 5 failures", 0, 60, 5, NONE, NONE, NONE, 0, 0, NONE, 1920, SOURCE_BASELINE_INTERVAL},
    {"17 10 failures", 0, 60, 10, NONE, NONE, NONE, 0, 0, NONE, 1920, SOURCE_BASELINE_INTERVAL},
    {"18 cron, failures", 0, NONE, 5, NONE, NONE, NONE, 0, 0, NONE, 60, SOURCE_BASELINE_CRON},
    {"19 failures, max", 0, 60, 5, NONE, NONE, NONE, 0, 300, NONE, 300, SOURCE_CLAMPED_MAX},
    {"20 failures, hint", 0, 60, 5, 120, NONE, 3600, 0, 0, NONE, 120, SOURCE_AI_INTERVAL},
    {"21 failures, now", 10, 60, 3, NONE, NONE, NONE, 0, 0, NONE, 490,
     SOURCE_BASELINE_INTERVAL},
    {"tie of hints", 0, 300, 0, 90, 90, 3600, 0, 0, NONE, 90, SOURCE_AI_INTERVAL},
    {"tie with baseline", 0, 60, 0, NONE, 60, 3600, 0, 0, NONE, 60, SOURCE_BASELINE_INTERVAL},
    {"slower hint", 0, 15, 0, 30, NONE, 3600, 0, 0, NONE, 30, SOURCE_AI_INTERVAL},
    {"min above max", 0, 60, 0, NONE, NONE, NONE, 300, 100, NONE, 100, SOURCE_CLAMPED_MAX},
    {"expiry is strict", 60, 300, 0, 30, NONE, 60, 0, 0, NONE, 360, SOURCE_BASELINE_INTERVAL},
    {"pause is over", 600, 60, 0, NONE, NONE, NONE, 0, 0, 600, 660, SOURCE_BASELINE_INTERVAL},
};

static instant from_t(int seconds)
{
    return T + seconds * SPAN_S;
}

static struct governor governor_of(const struct row *row)
{
    return (struct governor){
        .interval = row->interval == NONE ? 0 : row->interval * SPAN_S,
        .baseline = row->interval == NONE ? from_t(row->now + 60) : INSTANT_NEVER,
        .min = row->min * SPAN_S,
        .max = row->max * SPAN_S,
        .has_backoff = true,
        .failures = row->failures,
        .hint_interval = row->hint == NONE ? 0 : row->hint * SPAN_S,
        .hint_at = row->shot == NONE ? INSTANT_NEVER : from_t(row->shot),
        .hint_expires = row->expires == NONE ? INSTANT_NONE : from_t(row->expires),
        .paused_until = row->paused == NONE ? INSTANT_NONE : from_t(row->paused),
    };
}

static void the_cases_of_the_document_give_their_times(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct governor governor = governor_of(&rows[i]);
        struct governed got = governor_next(&governor, from_t(rows[i].now));

        if (got.at != from_t(rows[i].expect) || got.source != rows[i].source)
            fail_msg("%s: T+%lld, %s", rows[i].what, (long long)((got.at - T) / SPAN_S),
                     source_text(got.source));
    }
}

static void without_backoff_failures_do_not_count(void **state)
{
    struct governor governor = {.interval = SPAN_MIN,
                                .failures = 5,
                                .hint_at = INSTANT_NEVER,
                                .hint_expires = INSTANT_NONE,
                                .paused_until = INSTANT_NONE};

    (void)state;
    assert_int_equal(governor_next(&governor, T).at, from_t(60));
}

static void a_nudge_only_brings_forward_and_respects_the_limits(void **state)
{
    struct governor governor = {
        .hint_at = INSTANT_NEVER, .hint_expires = INSTANT_NONE, .paused_until = INSTANT_NONE};

    (void)state;
    assert_int_equal(governor_nudge(&governor, T, from_t(300), from_t(30)), from_t(30));
    assert_int_equal(governor_nudge(&governor, T, from_t(300), from_t(600)), from_t(300));
    governor.min = SPAN_MIN;
    assert_int_equal(governor_nudge(&governor, T, from_t(300), from_t(30)), from_t(60));
    governor.min = 0, governor.max = 120 * SPAN_S;
    assert_int_equal(governor_nudge(&governor, T, from_t(600), from_t(300)), from_t(120));
    governor.paused_until = from_t(1);
    assert_int_equal(governor_nudge(&governor, T, from_t(300), from_t(30)), from_t(300));
}

static void a_run_clears_what_expired_and_what_it_used_up(void **state)
{
    struct governor fresh = {.hint_interval = SPAN_MIN,
                             .hint_at = from_t(120),
                             .hint_expires = from_t(3600),
                             .paused_until = INSTANT_NONE};
    struct governor g = fresh;

    (void)state;
    governor_tidy(&g, T, T);
    assert_int_equal(g.hint_interval, SPAN_MIN);
    assert_int_equal(g.hint_at, from_t(120));
    governor_tidy(&g, from_t(120), from_t(121));
    assert_int_equal(g.hint_interval, SPAN_MIN);
    assert_true(g.hint_at == INSTANT_NEVER);
    assert_int_equal(g.hint_expires, from_t(3600));
    g = fresh;
    governor_tidy(&g, T, from_t(3599)); /* a one-shot set during the run stays */
    assert_int_equal(g.hint_at, from_t(120));
    governor_tidy(&g, T, from_t(3600)); /* it was valid when the run began */
    assert_int_equal(g.hint_interval, 0);
    assert_true(g.hint_at == INSTANT_NEVER && g.hint_expires == INSTANT_NONE);
}

/* The start of the last run, the hints and the failures come from stored rows. */
static void a_damaged_row_gives_a_time_that_is_not_in_the_past(void **state)
{
    static const int64_t odd[] = {INT64_MIN,       INSTANT_MIN - 1, -1,       0, 1, INSTANT_MAX,
                                  INSTANT_MAX + 1, INT64_MAX - 1,   INT64_MAX};
    size_t count = sizeof odd / sizeof *odd;

    (void)state;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++) {
            struct governor g = {.interval = SPAN_H,
                                 .min = SPAN_MIN,
                                 .max = SPAN_DAY,
                                 .has_backoff = true,
                                 .failures = (int32_t)odd[k],
                                 .hint_interval = odd[k],
                                 .hint_at = odd[k],
                                 .hint_expires = INSTANT_NEVER,
                                 .paused_until = INSTANT_NONE};
            instant now = instant_clamp(odd[i]);
            struct governed next = governor_next(&g, odd[i]);

            assert_true(next.at >= instant_after(now, SPAN_MIN) &&
                        next.at <= instant_after(now, SPAN_DAY));
            g.hint_at = INSTANT_NEVER;
            next = governor_next(&g, odd[i]);
            assert_true(next.at >= instant_after(now, SPAN_MIN) &&
                        next.at <= instant_after(now, SPAN_DAY));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damaged_row_gives_a_time_that_is_not_in_the_past),
        cmocka_unit_test(the_cases_of_the_document_give_their_times),
        cmocka_unit_test(without_backoff_failures_do_not_count),
        cmocka_unit_test(a_nudge_only_brings_forward_and_respects_the_limits),
        cmocka_unit_test(a_run_clears_what_expired_and_what_it_used_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
