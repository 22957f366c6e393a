/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of each day in which slots may lie.  Pure.  docs/semantics.md [T-60].
 *
 * Wall-clock times of day in the spec's zone, both ends inclusive; from > to wraps midnight.
 * All answers hold through gaps and folds: an instant is inside when its clock reads so.
 */
#pragma once

#include <stdbool.h>

#include "base/instant.h"
#include "core/spec/spec_def.h"
#include "core/time/tz.h"

/* First instant at or after `t` that is inside; INSTANT_NEVER: none to 9999. */
instant window_next(const struct window_def *window, const struct tz *tz, instant t);

/* Last instant at or before `t` that is inside; INSTANT_NONE: none from year 1 on. */
instant window_prev(const struct window_def *window, const struct tz *tz, instant t);

/* Last instant of the stretch inside that `t`, itself inside, belongs to. */
instant window_close(const struct window_def *window, const struct tz *tz, instant t);
