/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slots at a fixed distance, from one of four origins.  Pure.  docs/semantics.md [T-40].
 */
#pragma once

#include "base/instant.h"
#include "core/spec/spec_def.h"
#include "core/time/tz.h"

/* What the anchors count from; see struct spec_ctx. */
struct interval_origin {
    instant created, last_start, last_end;
    const struct tz *tz; /* for ANCHOR_MIDNIGHT */
};

/* It counts from runs: where its slots are hangs on them. */
static inline bool interval_follows(const struct interval_def *interval)
{
    return interval->anchor == ANCHOR_START || interval->anchor == ANCHOR_COMPLETION;
}

/* First slot strictly after `after`, INSTANT_NEVER when there is none. */
instant interval_next(const struct interval_def *interval, const struct interval_origin *origin,
                      instant after);

/* Last slot strictly before `before`, INSTANT_NONE when there is none. */
instant interval_prev(const struct interval_def *interval, const struct interval_origin *origin,
                      instant before);

/*
 * Slots as origin + k × every, not before *ret_least; false when there are none.  Not for
 * ANCHOR_MIDNIGHT, whose origin moves from day to day.
 */
bool interval_grid(const struct interval_def *interval, const struct interval_origin *origin,
                   instant *ret_origin, instant *ret_least);

/* The local day that `t` belongs to: it begins at the first instant whose date it is. */
int64_t local_day(const struct tz *tz, instant t);

/* The first instant of a local day. */
instant local_day_start(const struct tz *tz, int64_t day);
