/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws the kind of world from its seed.
 */
#include "sim/world_profile.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/must.h"

static const char *const fault_texts[FAULT_COUNT] = {
    [FAULT_KILL] = "kill",
    [FAULT_KILL_INSIDE] = "kill inside",
    [FAULT_KILL_AFTER] = "kill after commit",
    [FAULT_LOST_REPLY_COMMITTED] = "lost reply, committed",
    [FAULT_LOST_REPLY_NOT] = "lost reply, not committed",
    [FAULT_LOST_CONNECTION] = "lost connection",
    [FAULT_POWER] = "power loss",
    [FAULT_CLOCK_FORWARD] = "clock forward",
    [FAULT_CLOCK_BACK] = "clock back",
    [FAULT_PAUSE] = "pause",
    [FAULT_WORKER_DIES] = "worker dies",
    [FAULT_DISK_FULL] = "disk full",
    [FAULT_DISK_ERROR] = "disk error",
};

static const span units[SPEED_COUNT] = {
    [SPEED_SECONDS] = SPAN_S,
    [SPEED_HOURS] = 30 * SPAN_S,
    [SPEED_DAYS] = 10 * SPAN_MIN,
};

/* Seconds: clock changes in the zones of sim/drafts.c, a leap day, the end of a year. */
static const int64_t special_days[] = {
    1741503600, /* 2025-03-09T07:00:00Z New York, forward */
    1762063200, /* 2025-11-02T06:00:00Z New York, back */
    1743296400, /* 2025-03-30T01:00:00Z Berlin, forward */
    1761440400, /* 2025-10-26T01:00:00Z Berlin, back */
    1728142200, /* 2024-10-05T15:30:00Z Lord Howe, half an hour forward */
    1743865200, /* 2025-04-05T15:00:00Z Lord Howe, half an hour back */
    1709164800, /* 2024-02-29T00:00:00Z */
    1735689600, /* 2025-01-01T00:00:00Z */
    1750000000, /* 2025-06-15T15:06:40Z nothing at all */
};

const char *fault_text(enum rec_fault_kind kind)
{
    must(kind >= 0 && kind < FAULT_COUNT);
    return fault_texts[kind];
}

/* Begins before the special day, so that it falls into the time of trouble. */
static instant draw_begin(const struct world_profile *profile, struct prng *prng)
{
    enum { DAYS = sizeof special_days / sizeof *special_days };
    instant at = instant_of_seconds(special_days[prng_below(prng, DAYS)]);

    return at - prng_between(prng, 0, profile->trouble / SPAN_MS) * SPAN_MS;
}

static void draw_faults(struct world_profile *profile, struct prng *prng)
{
    bool is_quiet = prng_chance(prng, 1, 10); /* then failures are not caused by faults */

    for (int i = 0; i < FAULT_COUNT; i++) {
        bool has = prng_chance(prng, 2, 5);
        int32_t odds = (int32_t)prng_between(prng, 30, 300);

        profile->odds[i] = has && !is_quiet ? odds : 0;
    }
    for (int i = 0; i < MANNER_COUNT; i++) {
        bool has = prng_chance(prng, 1, 2);
        int32_t weight = (int32_t)prng_between(prng, 1, 8);

        profile->weight[i] = has && !is_quiet ? weight : 0;
    }
    profile->weight[MANNER_SUCCEED] = 30;
}

/* Of the days of the world, and the day before. */
static void draw_holidays(struct world_profile *profile, struct prng *prng)
{
    int32_t day = (int32_t)(instant_seconds(profile->begin) / DAY_SECONDS) - 1;

    while (profile->holiday_count < SIM_HOLIDAYS_MAX) {
        day += (int32_t)prng_between(prng, 0, 2);
        if (profile->holiday_count == 0 || day > profile->holidays[profile->holiday_count - 1])
            profile->holidays[profile->holiday_count++] = day;
    }
}

/* Not drawn, so that existing seeds stay the same. */
static void set_theme(struct world_profile *profile)
{
    profile->theme = profile->plans % 6 == 1   ? THEME_FOLLOW
                     : profile->plans % 6 == 3 ? THEME_BACKFILL
                     : profile->plans % 6 == 5 ? THEME_GOVERNED
                                               : THEME_NONE;
    if (profile->theme == THEME_NONE)
        return;
    profile->nodes = 1;
    profile->lag = 0;
    profile->odds[FAULT_CLOCK_FORWARD] = profile->odds[FAULT_CLOCK_BACK] = 0;
    if (profile->theme == THEME_GOVERNED)
        profile->fraction = 1 + profile->trouble / profile->unit * 3;
}

void world_profile_draw(struct world_profile *ret, struct prng *prng)
{
    struct world_profile profile = {.speed = (enum world_speed)prng_below(prng, SPEED_COUNT)};

    profile.unit = units[profile.speed];
    profile.trouble = prng_between(prng, 60, 300) * profile.unit;
    profile.drain = 110 * profile.unit;
    profile.begin = draw_begin(&profile, prng);
    profile.nodes = prng_chance(prng, 1, 2) ? 1 : (int)prng_between(prng, 2, SIM_NODES_MAX);
    profile.workers = (int)prng_between(prng, 1, SIM_WORKERS_MAX);
    profile.schedules = (int)prng_between(prng, 1, SIM_SCHEDULES_MAX);
    profile.capacity = (int)prng_between(prng, 1, 12);
    profile.rows = prng_chance(prng, 1, 4) ? 1000 : 64;
    profile.plans = (int)prng_between(prng, 2, 24);
    /* not drawn, so that existing seeds stay the same */
    profile.jitter = profile.plans % 4 == 0 ? 3 * profile.unit : 0;
    profile.backfill_portion = profile.plans % 3 == 0 ? 0 : 1 + profile.plans % 5;
    profile.node_lease = prng_between(prng, 6, 20) * profile.unit;
    profile.tick = profile.node_lease / 3;
    profile.lag = profile.nodes > 1 && prng_chance(prng, 1, 2) ? 900 * SPAN_MS : 0;
    profile.command_gap = prng_between(prng, 1, 10) * profile.unit;
    for (int i = 0; i < SIM_GATES; i++)
        profile.gate_limit[i] = (int)prng_between(prng, 1, 3);
    draw_holidays(&profile, prng);
    profile.gates_change = prng_chance(prng, 1, 4);
    draw_faults(&profile, prng);
    profile.queues_change = prng_chance(prng, 1, 2);
    set_theme(&profile);
    *ret = profile;
}

enum manner world_profile_manner(const struct world_profile *profile, struct prng *prng)
{
    int32_t sum = 0;
    int64_t at;

    for (int i = 0; i < MANNER_COUNT; i++)
        sum += profile->weight[i];
    at = (int64_t)prng_below(prng, (uint64_t)sum);
    for (int i = 0; i < MANNER_COUNT; i++) {
        at -= profile->weight[i];
        if (at < 0)
            return (enum manner)i;
    }
    must(false);
    return MANNER_SUCCEED;
}

void world_profile_print(const struct world_profile *profile)
{
    printf("unit %" PRId64 " s, %d nodes with lease %" PRId64 " s, %d workers, %d schedules, "
           "%" PRId64 " + %" PRId64 " units from %" PRId64 "\n",
           profile->unit / SPAN_S, profile->nodes, profile->node_lease / SPAN_S,
           profile->workers, profile->schedules, profile->trouble / profile->unit,
           profile->drain / profile->unit, profile->begin);
    for (int i = 0; i < FAULT_COUNT; i++)
        if (profile->odds[i] > 0)
            printf("fault: %s, one turn in %" PRId32 "\n", fault_text((enum rec_fault_kind)i),
                   profile->odds[i]);
}
