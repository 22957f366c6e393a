/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When an adaptive schedule runs next: its baseline, hints, failures, clamps and pause.
 *
 * Pure.  Seven rules in a fixed order; each decision names its source.
 * docs/semantics.md [P-30].
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/instant.h"

enum { GOVERNOR_BACKOFF_MAX = 5 }; /* doublings after failures in a row: at most 32 times */

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
    span interval;        /* the baseline when it is an interval; 0: a wall-clock baseline    */
    instant baseline;     /* the next slot of a wall-clock baseline, INSTANT_NEVER: none      */
    span min, max;        /* clamps relative to now; 0: none                                  */
    bool has_backoff;     /* failures stretch an interval                                     */
    int32_t failures;     /* in a row                                                         */
    span hint_interval;   /* 0: none                                                          */
    instant hint_at;      /* INSTANT_NEVER: none                                              */
    instant hint_expires; /* both hints count only while this is later than now               */
    instant paused_until; /* INSTANT_NONE: not paused; INSTANT_NEVER: until someone resumes   */
};

struct governed {
    instant at;
    enum source source;
};

/* `now` is the moment at which the last run started. */
struct governed governor_next(const struct governor *governor, instant now);

/*
 * A hint asks for an earlier run.  Returns the instant to set, or `current` when it stays:
 * paused, or not earlier after the clamps.
 */
instant governor_nudge(const struct governor *governor, instant now, instant current,
                       instant wanted);

/* After a run: forgets what has expired at its end, and the one-shot that it was. */
void governor_tidy(struct governor *governor, instant started, instant ended);

/* "baseline-cron" and so on: the closed set of labels. */
const char *source_text(enum source source);
