/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When an adaptive schedule runs next: its baseline, hints, failures, clamps and pause.
 *
 * Pure.  Applies seven rules in a fixed order; each decision names its source.
 * docs/semantics.md [P-30].
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/instant.h"

enum { GOVERNOR_BACKOFF_MAX = 5 }; /* doublings after failures: to 32 times the interval */

enum source {
    SOURCE_BASELINE_CRON,
    SOURCE_BASELINE_INTERVAL,
    SOURCE_AI_INTERVAL,
    SOURCE_AI_ONESHOT,
    SOURCE_CLAMPED_MIN,
    SOURCE_CLAMPED_MAX,
    SOURCE_PAUSED,
    SOURCE_COUNT
};

struct governor {
    span interval;        /* the baseline if it is an interval; 0: a wall-clock baseline  */
    instant baseline;     /* the next slot of a wall-clock baseline, INSTANT_NEVER: none  */
    span min, max;        /* clamps relative to now; 0: none                              */
    bool has_backoff;     /* failures lengthen a baseline interval                        */
    int32_t failures;     /* consecutive                                                  */
    span hint_interval;   /* 0: none                                                      */
    instant hint_at;      /* INSTANT_NEVER: none                                          */
    instant hint_expires; /* both hints apply only while this is later than now           */
    instant paused_until; /* INSTANT_NONE: not paused; INSTANT_NEVER: until it is resumed */
};

struct governed {
    instant at;
    enum source source;
};

/* The next run.  `now` is the time at which the last run started. */
struct governed governor_next(const struct governor *governor, instant now);

/*
 * Applies a hint that wants an earlier run.  Returns the new time, or `current` if it does not
 * change: the schedule is paused, or the clamped time is not earlier.
 */
instant governor_nudge(const struct governor *governor, instant now, instant current,
                       instant wanted);

/* After a run: removes hints that expired by its end, and a one-shot due by its start. */
void governor_tidy(struct governor *governor, instant started, instant ended);

/* The label of the API: "baseline-cron" … */
const char *source_text(enum source source);
