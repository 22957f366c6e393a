/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pick of a governed schedule: the one time at which it runs next.
 *
 * Pure.  The governor proposes a time; a run that took too long moves it, and start, end,
 * exclusions and window of the spec move it to the next allowed instant.
 * docs/semantics.md [P-31], [P-33].
 */
#pragma once

#include "core/cursor.h"
#include "core/plan.h"

struct pick {
    const struct plan *plan;
    const struct spec_ctx *ctx;
    instant mark;             /* every pick is later                  */
    struct governor governor; /* `baseline` is not used: pick_next()  */
};

/* The governor of a plan, with the failures and hints of its cursor, but without pauses. */
struct governor pick_governor(const struct plan *plan, const struct cursor *cursor);

/*
 * The pick after a run from `started` to `ended`; if there was none, both are now.  A hint is
 * ignored if its run would come when it has expired.  INSTANT_NEVER: the schedule has no pick.
 */
struct governed pick_next(const struct pick *pick, instant started, instant ended);

/* The pick after a hint that asks for `wanted`: `current` unless the hint moves it earlier. */
struct governed pick_earlier(const struct pick *pick, instant now, struct governed current,
                             instant wanted);

/* The first time at or after `at` that can be a pick; INSTANT_NEVER: none. */
instant pick_allowed(const struct pick *pick, instant at);
