/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wall-clock patterns on the time line: local seconds → UTC seconds, through every gap and
 * fold of a zone.
 *
 * Pure.  A pattern is a struct cron or a struct rrule.  Results are strictly increasing
 * whatever the zone does.  docs/semantics.md [T-20] to [T-29].
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/cron/cron.h"
#include "core/rrule/rrule.h"
#include "core/time/dst.h"
#include "core/time/tz.h"

struct pattern {
    const struct cron *cron;   /* or … */
    const struct rrule *rrule; /* … exactly one of the two */
    const struct tz *tz;
    struct dst_cell dst;
};

/* First slot at or after UTC second `s`; LOCAL_NEVER when there is none. */
int64_t pattern_next(const struct pattern *p, int64_t s);

/* Last slot at or before UTC second `s`; LOCAL_NONE when there is none. */
int64_t pattern_prev(const struct pattern *p, int64_t s);

/* The same for a cron alone: the path that most schedules take. */
int64_t cron_next(const struct cron *cron, const struct tz *tz, struct dst_cell dst, int64_t s);

/* How a clock change touches a second of the time line. */
enum local_touch {
    TOUCH_NONE,
    TOUCH_AFTER_GAP,   /* the first second after a gap, or within its length after it */
    TOUCH_FOLD_FIRST,  /* its wall-clock time comes again                             */
    TOUCH_FOLD_SECOND, /* its wall-clock time has been there before                   */
};
enum local_touch local_touch(const struct tz *tz, int64_t s);
