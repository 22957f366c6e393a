/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explains why an instant is or is not a slot, what clock changes do to a schedule, and which
 * parts of it are probably mistakes.
 *
 * Pure.  Uses the searches of core/spec/spec.h and describes in English why they fail.  Texts
 * are phrases in lower case without a full stop.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "core/spec/spec.h"

enum {
    EXPLAIN_TEXT_MAX = 1536,  /* bytes of one answer; long lists are shortened                */
    EXPLAIN_CHANGES_MAX = 64, /* clock changes in one answer: two per year and zone are usual */
    EXPLAIN_WARNINGS_MAX = 16,
};

enum why {
    WHY_SLOT,     /* it is a slot                                                  */
    WHY_DUE,      /* jitter delays an earlier slot to this instant                 */
    WHY_EMPTY,    /* the spec has no entries                                       */
    WHY_NO_MATCH, /* no entry matches; the text says what the nearest one requires */
    WHY_GAP,      /* this wall-clock time does not exist                           */
    WHY_FOLD,     /* this wall-clock time occurs twice; the slot is the other one  */
    WHY_BEFORE_START,
    WHY_AFTER_END,
    WHY_EXCLUDED_DATE,
    WHY_EXCLUDED_CALENDAR,
    WHY_EXCLUDED_NAMED,
    WHY_OUTSIDE_WINDOW,
};

struct explain {
    enum why why;
    int entry; /* that the answer refers to, as in struct slot; -1: none */
    bool has_prev, has_next;
    struct slot prev, next; /* strictly before and after */
    char text[EXPLAIN_TEXT_MAX];
};

void explain_instant(const struct spec *spec, const struct spec_ctx *ctx, instant t,
                     struct explain *ret);

/*
 * The instants of a wall-clock time in the zone of the spec: 2 in a fold, otherwise 1; 0 if it
 * is in a gap: then call explain_gap().
 */
int explain_local(const struct spec *spec, int64_t local, instant ret[2]);
void explain_gap(const struct spec *spec, const struct spec_ctx *ctx, int64_t local,
                 struct explain *ret);

/* How a clock change or a rule of the spec moved a slot; false and no text if none did. */
bool explain_note(const struct spec *spec, const struct spec_ctx *ctx, const struct slot *slot,
                  struct buf *out);

/* Why there is no slot after `after`: "February has no day 30". */
void explain_never(const struct spec *spec, const struct spec_ctx *ctx, instant after,
                   struct buf *out);

/* The path of an entry: "cron[0]", "timesOfDay[2]", "at[1]". */
void explain_entry(const struct spec *spec, int entry, struct buf *out);

/* What a clock change does to slots; the first that applies to some entry. */
enum explain_effect {
    EXPLAIN_SKIPPED,  /* the time does not exist that day: no slot                */
    EXPLAIN_REPEATED, /* the time comes twice that day: two slots                 */
    EXPLAIN_MOVED,    /* the time does not exist, or is not a multiple, that day  */
    EXPLAIN_ONCE,     /* the time comes twice that day: one slot                  */
    EXPLAIN_NOTHING,
};

/* "skipped", "repeated", "moved", "once"; NULL for EXPLAIN_NOTHING. */
const char *explain_effect_text(enum explain_effect effect);

struct explain_change {
    int64_t at; /* UTC second of the change */
    int32_t before, after;
    int zone;                   /* index into spec.zones                          */
    bool touches;               /* it affects the slots of some entry             */
    enum explain_effect effect; /* EXPLAIN_NOTHING unless `touches`               */
    char text[EXPLAIN_TEXT_MAX];
};

/* The clock changes in (from, until], ordered by zone, then by time; returns how many. */
int explain_changes(const struct spec *spec, const struct spec_ctx *ctx, instant from,
                    instant until, struct explain_change ret[static EXPLAIN_CHANGES_MAX]);

/*
 * The slots that a change returned by explain_changes() moves, or whose times come twice, the
 * first `most`; returns how many.
 */
int explain_change_slots(const struct spec *spec, const struct spec_ctx *ctx,
                         const struct explain_change *change, int most, instant *ret);

struct explain_warning {
    int entry;
    char text[EXPLAIN_TEXT_MAX];
};

/* Valid parts that are often mistakes; `spec` was compiled from `def`.  Returns how many. */
int explain_warnings(const struct spec *spec, const struct spec_def *def,
                     struct explain_warning ret[static EXPLAIN_WARNINGS_MAX]);
