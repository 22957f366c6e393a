/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the walk of the oracle with a test of every second.
 *
 * The walk skips periods in which no second can match.  This test skips nothing: around a clock
 * change every second gets its local time, and the slots are selected by the definition,
 * without spans and skips.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare_prng.h"
#include "compare_text.h"
#include "compare_zones.h"
#include "oracle_civil.h"
#include "oracle_next.h"

enum {
    HOUR = 3600,
    MARGIN = 4 * HOUR, /* around the compared seconds: more than a gap or a fold */
    HALF = 8 * HOUR,   /* length of the window before and after the change       */
    LENGTH = 2 * HALF,
    LARGEST = 3 * HOUR, /* larger changes do not fit the margin */
    ROUNDS = 200,
    TRIES_MAX = 100 * ROUNDS, /* most zones have a change to compare */
};

/* For every second of the window: its local time, and whether it is a slot. */
static int64_t local_at[LENGTH];
static bool is_slot[LENGTH];
static struct oracle_rule rule;

static bool is_taken(int index, enum oracle_fold fold)
{
    if (fold == ORACLE_FOLD_BOTH)
        return true;
    for (int i = index - MARGIN; i <= index + MARGIN; i++) {
        if (i < 0 || i >= LENGTH || local_at[i] != local_at[index])
            continue;
        if ((fold == ORACLE_FOLD_FIRST && i < index) || (fold == ORACLE_FOLD_LAST && i > index))
            return false;
    }
    return true;
}

/* Slots of local times that a change skips, at window second `index`. */
static void fill_gap(int index, enum oracle_gap policy)
{
    for (int64_t local = local_at[index - 1] + 1; local < local_at[index]; local++) {
        if (policy == ORACLE_GAP_SKIP || !oracle_matches(&rule, local))
            continue;
        int64_t moved = policy == ORACLE_GAP_NEXT ? 0 : local - local_at[index - 1] - 1;
        is_slot[index + moved] = true;
    }
}

static void look_at_every_second(const struct oracle_tz *tz, int64_t begin,
                                 struct oracle_policy policy)
{
    memset(is_slot, 0, sizeof is_slot);
    for (int i = 0; i < LENGTH; i++)
        local_at[i] = begin + i + oracle_tz_offset(tz, begin + i);
    for (int i = 0; i < LENGTH; i++) {
        if (oracle_matches(&rule, local_at[i]) && is_taken(i, policy.fold))
            is_slot[i] = true;
    }
    for (int i = MARGIN; i < LENGTH - MARGIN; i++) {
        if (local_at[i] > local_at[i - 1] + 1)
            fill_gap(i, policy.gap);
    }
}

static void compare_window(struct compare_zone *zone, int64_t begin,
                           struct oracle_policy policy, const char *expr)
{
    int64_t slot = begin + MARGIN;

    look_at_every_second(zone->tz, begin, policy);
    for (int i = MARGIN + 1; i < LENGTH - MARGIN; i++) {
        if (slot < begin + i && !oracle_next(&zone->clock, &rule, policy, begin + i - 1, &slot))
            slot = INT64_MAX;
        if (is_slot[i] != (slot == begin + i))
            fail_msg("%s '%s' %s gap %d fold %d: second %lld", rule.dialect->name, expr,
                     zone->name, policy.gap, policy.fold, (long long)begin + i);
    }
}

/* A clock change of the zone that fits into the window; 0 if there is none. */
static int64_t any_change(struct compare_prng *prng, const struct compare_zone *zone,
                          const struct oracle_dialect *dialect)
{
    int64_t first = dialect->has_century_horizon ? 2 * ORACLE_DAY_SECONDS : -2000000000;
    int64_t from = prng_between(prng, first, INT64_C(4000000000));
    int64_t change = oracle_tz_change(zone->tz, from);

    if (change == ORACLE_NO_CHANGE)
        return 0;
    int step = oracle_tz_offset(zone->tz, change) - oracle_tz_offset(zone->tz, change - 1);
    return abs(step) <= LARGEST ? change : 0;
}

static void the_walk_leaves_nothing_out(void **state)
{
    const char *directory = getenv("BELFRY_ZONEINFO");
    struct compare_prng prng = {7};
    struct compare_zones zones;
    int dialects = 0;

    (void)state;
    while (oracle_dialect_at(dialects) != NULL)
        dialects++;
    compare_zones_load(&zones, directory == NULL ? "/usr/share/zoneinfo" : directory);
    assert_true(zones.count > 0);
    for (int round = 0, tries = 0; round < ROUNDS; tries++) {
        struct compare_zone *zone = &zones.zone[prng_below(&prng, (int)zones.count)];
        const struct oracle_dialect *dialect = oracle_dialect_at(prng_below(&prng, dialects));
        int64_t change = any_change(&prng, zone, dialect);
        struct oracle_policy policy = {(enum oracle_gap)prng_below(&prng, 3),
                                       (enum oracle_fold)prng_below(&prng, 3)};
        char expr[256];
        assert_true(tries < TRIES_MAX);
        if (change == 0)
            continue;
        int64_t local = change + oracle_tz_offset(zone->tz, change - 1);
        compare_text(&prng, dialect, local + prng_between(&prng, -HOUR, HOUR), true, expr);
        assert_int_equal(oracle_parse(dialect->name, expr, &rule), 0);
        compare_window(zone, change - HALF, policy, expr);
        round++;
    }
    compare_zones_free(&zones);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_walk_leaves_nothing_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
