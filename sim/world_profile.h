/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kind of world that a seed makes: its size, its speed, and which faults it has.
 *
 * Each seed draws a subset of the faults and a rate for each of them, so that frequent ones do
 * not always hide rare ones.  All durations are multiples of one unit: a world whose unit is a
 * second lasts minutes, one whose unit is ten minutes lasts days, and both cost the same.
 */
#pragma once

#include <stdint.h>

#include "base/instant.h"
#include "base/prng.h"
#include "sim/record.h"

enum {
    SIM_NODES_MAX = 3,
    SIM_WORKERS_MAX = 4,
    SIM_SCHEDULES_MAX = 12, /* at the beginning; more are created when some are deleted */
    SIM_QUEUES = 2,
    SIM_GATES = 2,
    SIM_HOLIDAYS_MAX = 3, /* days of the one named calendar */
};

enum world_speed {
    SPEED_SECONDS, /* a unit is a second */
    SPEED_HOURS,   /* a unit is half a minute */
    SPEED_DAYS,    /* a unit is ten minutes */
    SPEED_COUNT
};

/*
 * What most schedules or requests of a world are.  A world with a theme has one node and a
 * steady clock: then the judge computes slots that depend on runs exactly.
 */
enum world_theme { THEME_NONE, THEME_FOLLOW, THEME_GOVERNED, THEME_BACKFILL };

/* The behaviour of a holder of a run. */
enum manner {
    MANNER_SUCCEED,
    MANNER_FAIL,    /* a retry may help */
    MANNER_REFUSE,  /* a retry does not help */
    MANNER_HANG,    /* never reports */
    MANNER_FOREVER, /* heartbeats without an end */
    MANNER_TWICE,   /* the same answer twice */
    MANNER_LATE,    /* an answer after its lease */
    MANNER_RELEASE, /* hands it back */
    MANNER_DIE,     /* its worker, or only this run, dies */
    MANNER_COUNT
};

struct world_profile {
    enum world_speed speed;
    enum world_theme theme;
    span unit;
    instant begin;
    span trouble, drain; /* faults happen during the first; then everything must settle */
    int nodes, workers, schedules;
    int capacity;         /* calls that a node can make at once */
    int rows;             /* turn_in.rows */
    int plans;            /* approximate cache size: some plans are read again */
    int backfill_portion; /* slots of a backfill per turn; 0: no limit */
    span node_lease;
    span jitter;      /* of schedules without their own */
    span tick;        /* no node sleeps longer */
    span lag;         /* nodes' clocks are behind by up to this */
    span fraction;    /* of a millisecond, that clocks show when a node wakes */
    span command_gap; /* between two commands, on average */
    int gate_limit[SIM_GATES];
    bool gates_change;                  /* limits are changed now and then */
    bool queues_change;                 /* likewise, of queues */
    int32_t holidays[SIM_HOLIDAYS_MAX]; /* day numbers, ascending */
    int holiday_count;
    int32_t odds[FAULT_COUNT];    /* one turn in so many; 0: never */
    int32_t weight[MANNER_COUNT]; /* of each manner */
};

void world_profile_draw(struct world_profile *ret, struct prng *prng);

/* The manner of the next one who holds a run. */
enum manner world_profile_manner(const struct world_profile *profile, struct prng *prng);

const char *fault_text(enum rec_fault_kind kind);

/* For --verbose. */
void world_profile_print(const struct world_profile *profile);
