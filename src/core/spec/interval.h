/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slots at a fixed distance, from one of four origins.  Pure.  docs/semantics.md [T-40].
 */
#pragma once

#include "base/instant.h"
#include "core/spec/spec_def.h"
#include "core/time/tz.h"

/* The times from which the anchors count; see struct spec_ctx. */
struct interval_origin {
    instant created, last_start, last_end;
    const struct tz *tz; /* for ANCHOR_MIDNIGHT */
};

/* True if the interval counts from runs, so that its slots depend on them. */
static inline bool interval_follows(const struct interval_def *interval)
{
    return interval->anchor == ANCHOR_START || interval->anchor == ANCHOR_COMPLETION;
}

/* First slot strictly after `after`; INSTANT_NEVER if there is none. */
instant interval_next(const struct interval_def *interval, const struct interval_origin *origin,
                      instant after);

/* Last slot strictly before `before`; INSTANT_NONE if there is none. */
instant interval_prev(const struct interval_def *interval, const struct interval_origin *origin,
                      instant before);

/*
 * The slots are *ret_origin + k × every, not before *ret_least; false if there are none.  Not
 * for ANCHOR_MIDNIGHT, which has another origin each day.
 */
bool interval_grid(const struct interval_def *interval, const struct interval_origin *origin,
                   instant *ret_origin, instant *ret_least);
