/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The slots of a spec as the judge computes them: brute force over the oracle of test/oracle.
 *
 * Written from docs/semantics.md alone; it calls nothing of src/core.  It supports cron
 * expressions that the oracle understands, calendars, intervals, times of day, one-offs,
 * exclusions by date and calendar, start and end, windows, shift by date.  It does not support
 * named calendars, calendars of other dialects, and shift with excluded calendars.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "core/spec/spec_def.h"

struct judge_zones; /* opaque: clocks that the specs share */
struct judge_spec;  /* opaque; in the arena, uses the zones */

struct judge_zones *judge_zones_new(void);
struct judge_zones *judge_zones_free(struct judge_zones *zones); /* returns NULL */

/* What intervals that follow the runs count from. */
struct judge_origin {
    instant created;
    instant last_start; /* INSTANT_NONE: never */
    instant last_end;   /* INSTANT_NONE: never; INSTANT_NEVER: a run is open */
};

MUST_USE enum rc judge_spec_make(const struct spec_def *def, struct judge_zones *zones,
                                 struct arena *arena, struct judge_spec **ret,
                                 struct err *reterr);

/* The first slot in (after, until], without jitter; false if there is none. */
bool judge_spec_next(struct judge_spec *spec, const struct judge_origin *origin, instant after,
                     instant until, instant *ret);

/*
 * When a slot of the spec is due [T-61].  `seed` is that of the schedule, `origin` the one with
 * which the slot was found.
 */
instant judge_spec_due(struct judge_spec *spec, const struct judge_origin *origin,
                       struct str seed, instant at);

/* Some slots count from the last start (ANCHOR_START) or end (ANCHOR_COMPLETION) of a run. */
bool judge_spec_counts_from(const struct judge_spec *spec, enum anchor anchor);

static inline bool judge_spec_follows(const struct judge_spec *spec)
{
    return judge_spec_counts_from(spec, ANCHOR_START) ||
           judge_spec_counts_from(spec, ANCHOR_COMPLETION);
}

/* They depend on runs, but all lie on one grid that begins with the creation. */
bool judge_spec_is_grid(const struct judge_spec *spec);
