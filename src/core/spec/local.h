/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps wall-clock patterns to the time line: local seconds to UTC seconds, through every gap
 * and fold of a zone.  Also where local days begin.
 *
 * Pure.  A pattern is a struct cron or a struct rrule.  Results are strictly increasing in
 * every zone.  docs/semantics.md [T-20] to [T-27].
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/instant.h"
#include "core/cron/cron.h"
#include "core/rrule/rrule.h"
#include "core/time/dst.h"
#include "core/time/tz.h"

struct pattern {
    const struct cron *cron; /* exactly one of cron and rrule is set */
    const struct rrule *rrule;
    const struct tz *tz;
    struct dst_choice dst;
};

/* First slot at or after UTC second `s`; LOCAL_NEVER if there is none. */
int64_t pattern_next(const struct pattern *p, int64_t s);

/* Last slot at or before UTC second `s`; LOCAL_NONE if there is none. */
int64_t pattern_prev(const struct pattern *p, int64_t s);

/* pattern_next() for a cron, faster: most schedules take this path. */
int64_t cron_next(const struct cron *cron, const struct tz *tz, struct dst_choice dst,
                  int64_t s);

/* How a clock change affects a second of the time line. */
enum clock_effect {
    EFFECT_NONE,
    EFFECT_AFTER_GAP,   /* after a gap by less than the length of the gap */
    EFFECT_FOLD_FIRST,  /* its wall-clock time will occur again           */
    EFFECT_FOLD_SECOND, /* its wall-clock time has occurred before        */
};
enum clock_effect local_clock_effect(const struct tz *tz, int64_t s);

/* The local day of `t`.  A day begins at the first instant that has its date. */
int64_t local_day(const struct tz *tz, instant t);

/* The first instant of a local day. */
instant local_day_start(const struct tz *tz, int64_t day);
