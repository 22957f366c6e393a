/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of each local day in which slots are allowed.  Pure.  docs/semantics.md [T-60].
 *
 * Wall-clock times of day in the zone of the spec, both ends inclusive; from > to wraps around
 * midnight.  An instant is inside if the wall clock at that instant is, also in gaps and folds.
 */
#pragma once

#include <stdbool.h>

#include "base/instant.h"
#include "core/spec/spec_def.h"
#include "core/time/tz.h"

/* First instant at or after `t` that is inside; INSTANT_NEVER: none until 9999. */
instant window_next(const struct window_def *window, const struct tz *tz, instant t);

/* Last instant at or before `t` that is inside; INSTANT_NONE: none from year 1 on. */
instant window_prev(const struct window_def *window, const struct tz *tz, instant t);

/* The last instant of the window that contains `t`, which must be inside. */
instant window_end(const struct window_def *window, const struct tz *tz, instant t);
