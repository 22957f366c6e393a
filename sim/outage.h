/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Worlds without faults that are stopped for some time, to check the forecasts of /what-if:
 * core/forecast.h predicts what becomes of each slot, the engine plays it, and both must agree.
 */
#pragma once

#include "base/arena.h"
#include "core/forecast.h"
#include "sim/drafts.h"
#include "sim/record.h"
#include "sim/tally.h"
#include "store/history.h"

enum { OUTAGE_CANCELLED_MAX = 4 };

/* What became of a slot, or of consecutive slots without a run. */
struct outage_item {
    instant first, last;
    int64_t count;
    enum outcome outcome; /* OUTCOME_NONE: it waits */
    enum reason reason;
};

struct outage_items {
    struct outage_item *list;
    int count;
};

/* Runs that are open, in the order of their ends. */
struct outage_open {
    struct forecast_run *runs;
    int count;
};

/* A schedule whose runs always succeed and all take the same time. */
struct outage_schedule {
    char name[16];
    struct plan plan; /* as the engine has it */
    int64_t key;
    instant created;
    struct cursor cursor; /* when it was created */
    struct outage_open opened;
    span duration;
    instant cancelled[OUTAGE_CANCELLED_MAX]; /* slots */
    int cancelled_count;
    /* The state when the world stops. */
    struct cursor stopped;
    struct outage_open open;
    struct due_slot *waiting;
    int waiting_count;
    struct outage_items played; /* at the end */
};

struct outage_plan {
    instant down_from, down_to, end;
    const struct day_set *calendars;
    struct forecast_room *room;
    bool is_verbose;
};

/*
 * Runs the world of one seed.  RC_OK: all forecasts were right.  Adds to *tally in any case.
 */
MUST_USE enum rc outage_run(uint64_t seed, const struct zone_source *zones,
                            const struct world_options *options, struct tally *tally,
                            struct err *reterr);

/* Compares the forecasts of one schedule with what was played. */
MUST_USE enum rc outage_compare(const struct outage_plan *plan,
                                const struct outage_schedule *schedule, struct err *reterr);

/* Room for one more item. */
struct outage_item *outage_add(struct outage_items *items);
