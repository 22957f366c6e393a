/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of all schedules of a namespace in a few numbers, and those that need attention.
 */
#pragma once

#include "api/catalogue/catalogue.h"
#include "base/arena.h"

/* Why a schedule needs attention, the worst first; it is counted once. */
enum catalogue_trouble {
    TROUBLE_QUARANTINED,
    TROUBLE_LATE,
    TROUBLE_FAILING, /* its last three runs failed, or more */
    TROUBLE_FAILED,  /* its last one or two runs failed     */
    TROUBLE_MISSED,
    TROUBLE_PAUSED, /* after its last run failed */
    TROUBLE_COUNT,
};

enum {
    FAILING_FROM = 3,     /* runs that failed in a row */
    SURVEY_TROUBLED = 50, /* schedules that it lists   */
};

struct catalogue_troubled {
    int64_t id;
    struct str name;
    enum catalogue_trouble trouble;
};

struct catalogue_survey {
    int64_t total, paused, late; /* paused, late: as the filters of lists count them */
    int64_t quarantined;
    int64_t due_soon; /* the next run is within the next hour */
    int64_t troubled; /* schedules that need attention        */
    struct catalogue_troubled worst[SURVEY_TROUBLED];
    int worst_count;
};

/* One pass over all rows.  `now` decides what is late; all memory is in the arena. */
void catalogue_survey(const struct catalogue *catalogue, int64_t namespace, instant now,
                      struct arena *arena, struct catalogue_survey *ret);
