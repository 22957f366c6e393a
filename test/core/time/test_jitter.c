/* SPDX-License-Identifier: Apache-2.0 */
/* Expected delays: vectors/temporal-spec.json, asserted by tests of Temporal's server. */
#include "core/time/jitter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/limits.h"
#include "from_text.h"

static void delays_are_those_of_temporal(void **state)
{
    struct str uuid = STR("00000000-0000-0000-0000-000000000001-nightly");

    (void)state;
    assert_int_equal(jitter_delay(STR(""), at("2022-04-07T13:55:00Z"), SPAN_H),
                     146927 * SPAN_MS);
    assert_int_equal(jitter_delay(STR(""), at("2022-03-24T00:00:00Z"), SPAN_H),
                     2124276 * SPAN_MS);
    assert_int_equal(jitter_delay(STR("seed-1"), at("2022-03-24T00:00:00Z"), SPAN_H),
                     372519 * SPAN_MS);
    assert_int_equal(jitter_delay(STR(""), at("2022-03-23T12:00:00Z"), SPAN_S), 162 * SPAN_MS);
    assert_int_equal(jitter_delay(uuid, at("2022-01-01T00:05:00Z"), 30 * SPAN_S),
                     28010 * SPAN_MS);
    assert_int_equal(jitter_delay(uuid, at("2022-01-01T00:20:00Z"), 30 * SPAN_S),
                     24621 * SPAN_MS);
}

static void a_delay_is_below_its_bound_for_every_length_of_seed(void **state)
{
    char seed[SEED_MAX];

    (void)state;
    memset(seed, 'x', sizeof seed);
    for (size_t len = 0; len <= SEED_MAX; len++) {
        span most = (span)(1 + len % 7) * SPAN_S;
        span delay = jitter_delay((struct str){seed, len}, (instant)len * SPAN_DAY, most);

        assert_true(delay >= 0 && delay < most && delay % SPAN_MS == 0);
    }
    assert_int_equal(jitter_delay(STR("a"), 0, 0), 0);
    assert_int_equal(jitter_delay(STR("a"), 0, -5), 0);
    assert_true(jitter_delay(STR("a"), 0, INT64_MAX) >= 0);
}

/*
 * Computed before seeds could have more than 1,024 bytes: the times of existing schedules stay
 * the same.
 */
static void delays_of_existing_schedules_stay_the_same(void **state)
{
    static char names[511], full[1024];
    const struct {
        struct str seed;
        instant at;
        span delay;
    } list[] = {
        {STR("default/hello"), 0, 1698127000},
        {STR("default/hello"), 1767225600000000, 3495682000},
        {STR("team-a/nightly"), 1783958400250000, 533529000},
        {STR("\xc3\xbc/\xe6\x97\xa5\xe6\x9c\xac"), 1767225600000000, 2218211000},
        {{names, sizeof names}, 0, 198076000},
        {{names, sizeof names}, 1767225600000000, 1366499000},
        {{names, sizeof names}, 1783958400250000, 2610199000},
        {{full, sizeof full}, 1767225600000000, 3524172000},
        {{full, sizeof full}, 1783958400250000, 2550827000},
    };

    (void)state;
    memset(names, 'n', 255); /* the longest namespace and id of that time */
    names[255] = '/';
    memset(names + 256, 'i', 255);
    memset(full, 'x', sizeof full);
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        assert_int_equal(jitter_delay(list[i].seed, list[i].at, SPAN_H), list[i].delay);
}

static void delays_are_spread_evenly(void **state)
{
    int tenth[10] = {0};

    (void)state;
    for (int i = 0; i < 100000; i++)
        tenth[jitter_delay(STR("herd"), i * SPAN_MIN, 10 * SPAN_S) / SPAN_S]++;
    /* 10,000 each; five standard deviations of a fair draw are 475. */
    for (int i = 0; i < 10; i++)
        assert_in_range(tenth[i], 9525, 10475);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delays_are_those_of_temporal),
        cmocka_unit_test(a_delay_is_below_its_bound_for_every_length_of_seed),
        cmocka_unit_test(delays_of_existing_schedules_stay_the_same),
        cmocka_unit_test(delays_are_spread_evenly),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
