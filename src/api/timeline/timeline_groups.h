/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The load of groups of schedules in each bucket of a window.
 */
#pragma once

#include "api/timeline/timeline_buckets.h"

enum {
    TIMELINE_GROUPS_SHOWN = 50,
    TIMELINE_GROUPS_MAX = 500, /* that are counted apart; bounds the memory */
};

enum timeline_load { LOAD_PLANNED, LOAD_STARTED, LOAD_LATE, LOAD_FAILED, LOAD_COUNTS };

struct timeline_groups; /* opaque; in an arena */

/*
 * `actual` is the window without a part at its begin that is not counted; the caller may move
 * its begin while it counts.  What happened before is unknown.
 */
struct timeline_groups *timeline_groups_new(const struct timeline_window *window,
                                            const struct timeline_window *actual, instant now,
                                            struct arena *arena);

/* The number of a group; `name` is JSON, or empty for null, and is copied. */
int timeline_groups_find(struct timeline_groups *groups, struct str name);

/* Nothing if `at` is not in the actual window. */
void timeline_groups_add(struct timeline_groups *groups, int group, enum timeline_load what,
                         instant at, int64_t count);
/* Planned slots in the window. */
void timeline_groups_series(struct timeline_groups *groups, int group,
                            const struct timeline_series *series);
/* Counts start, lateness, failure and running time of an attempt, and the slot of its run. */
void timeline_groups_attempt(struct timeline_groups *groups, int group,
                             const struct slot_attempt *attempt);

/* The list, the busiest group first; call it once, at the end. */
void timeline_groups_print(struct timeline_groups *groups, struct answer *out);
