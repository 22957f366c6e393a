/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compiled form of a whole spec, and the search for its slots.
 *
 * Pure.  A spec is the union of its entries, minus exclusions, limited by a window and by start
 * and end, with a delay by stable hash (jitter).  Slots are whole milliseconds and strictly
 * increasing.  Searches do not allocate.  docs/semantics.md numbers the rules.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/err.h"
#include "base/instant.h"
#include "core/spec/local.h"
#include "core/spec/spec_def.h"

enum entry_kind { ENTRY_CRON, ENTRY_RRULE, ENTRY_INTERVAL };

/* The list of the spec that an entry was written in. */
enum entry_list { LIST_CRON, LIST_CALENDARS, LIST_INTERVALS, LIST_TIMES, LIST_AT };

struct entry {
    uint8_t kind; /* enum entry_kind       */
    uint8_t list; /* enum entry_list       */
    uint8_t zone; /* index into spec.zones */
    struct dst_choice dst;
    uint16_t index;               /* position in its list                                */
    bool covered;                 /* it has no slots, or exclusions remove all: skip it  */
    struct cron cron;             /* ENTRY_CRON                                          */
    const struct rrule *rrule;    /* ENTRY_RRULE                                         */
    instant rrule_end;            /* ENTRY_RRULE: last slot by COUNT or UNTIL; inclusive */
    struct interval_def interval; /* ENTRY_INTERVAL                                      */
};

struct spec_zone {
    struct str name;
    const struct tz *tz; /* NULL until spec_bind() */
};

struct spec_at {
    instant at;     /* INSTANT_NONE: the moment of creation */
    uint16_t index; /* position as written                  */
};

struct spec {
    struct entry *entries;
    const struct spec_at *at;     /* ascending                                     */
    const struct cron *not_crons; /* in the spec's own zone                        */
    const int32_t *not_dates;     /* ascending day numbers, in the spec's own zone */
    const struct str *not_named;
    int entry_count, at_count, not_cron_count, not_date_count, not_named_count;
    enum shift shift;
    struct window_def window;
    instant start, end;
    span jitter;
    struct spec_zone *zones; /* zones[0] is the spec's own */
    int zone_count;
    bool simple; /* one cron on whole seconds, with at most start and end */
    /*
     * If `repeats`, two years of the same kind (leap year, first weekday) have the same slots,
     * except between these instants: dates, one-offs, bounds and changes of zones lie there.
     */
    bool repeats;
    instant irregular_from, irregular_until;
};

/* Excluded days of a named calendar, as ascending day numbers. */
struct day_set {
    const int32_t *days;
    int count;
};

/* Input of a search in addition to the spec.  A zeroed ctx is not valid: see spec_ctx(). */
struct spec_ctx {
    instant created;    /* "now" of one-offs; origin of start and completion anchors   */
    instant last_start; /* INSTANT_NONE: never; INSTANT_NEVER: see plan_grid_ctx()     */
    instant last_end;   /* INSTANT_NONE: never ended; before last_start: a run is open */
    instant kept;       /* slot of a completion anchor that a later start must not move */
    struct str seed;    /* of jitter                                                   */
    const struct day_set *calendars; /* one for each spec.not_named; NULL: all empty */
    struct budget *budget;           /* of all searches together; NULL: no limit     */
};

static inline struct spec_ctx spec_ctx(instant created)
{
    return (struct spec_ctx){.created = created,
                             .last_start = INSTANT_NONE,
                             .last_end = INSTANT_NONE,
                             .kept = INSTANT_NONE};
}

struct slot {
    instant at;  /* the nominal time                                             */
    instant due; /* with jitter: at <= due, and due before the next slot         */
    int entry;   /* index into spec.entries, or entry_count + index into spec.at */
};

/* Finds zones by name.  The caller owns the zones, which must outlive the spec. */
struct zone_source {
    const struct tz *(*find)(void *user, struct str name, struct err *reterr); /* NULL: none */
    void *user;
};

/*
 * Checks and compiles a definition.  Everything the result points to is in `arena`, except the
 * zones.  `seed` determines H.  Errors name the field, cron[1].expr, with the column in `at`.
 */
MUST_USE enum rc spec_compile(const struct spec_def *def, struct str seed,
                              const struct zone_source *zones, struct arena *arena,
                              struct spec *ret, struct err *reterr);

/* True if some slots count from runs, and so depend on when runs start and end. */
bool spec_follows(const struct spec *spec);

/* The first slot strictly after `after`; false if there is none. */
bool spec_next(const struct spec *spec, const struct spec_ctx *ctx, instant after,
               struct slot *ret);

/* The first instant at or after `at` inside start, end and window, not excluded; or NEVER. */
instant spec_allowed_from(const struct spec *spec, const struct spec_ctx *ctx, instant at);

/* The last slot strictly before `before`; false if there is none. */
bool spec_prev(const struct spec *spec, const struct spec_ctx *ctx, instant before,
               struct slot *ret);

/*
 * Number of slots in (after, until].  Takes microseconds per day, with any number of slots; but
 * steps over each slot if the spec has a shift, iCalendar rules or fractions of a second.
 */
int64_t spec_count(const struct spec *spec, const struct spec_ctx *ctx, instant after,
                   instant until);

/* Consecutive slots, cheaper than repeated calls of spec_next(). */
struct spec_walk {
    const struct spec *spec;
    const struct spec_ctx *ctx;
    instant after;
    int64_t day_base; /* UTC second of 00:00 of the current local day */
    int64_t hour_base, minute_base;
    uint64_t seconds, minutes; /* bits not yet returned */
    uint32_t hours;
};
void spec_walk_begin(struct spec_walk *walk, const struct spec *spec,
                     const struct spec_ctx *ctx, instant after);
bool spec_walk_next(struct spec_walk *walk, struct slot *ret);
