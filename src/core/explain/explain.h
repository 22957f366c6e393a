/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a moment is or is not a slot, what clock changes do to a schedule, and what in it may
 * not be what its author meant.
 *
 * Pure.  Asks core/spec/spec.h the same questions as everyone else and then says in English
 * what stood in the way.  Texts are phrases in lower case without a full stop.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "core/spec/spec.h"

enum {
    EXPLAIN_TEXT_MAX = 1536,  /* bytes of one answer; its lists are cut                      */
    EXPLAIN_CHANGES_MAX = 64, /* clock changes in one answer: two a year and zone are usual */
    EXPLAIN_WARNINGS_MAX = 16,
};

enum why {
    WHY_SLOT,     /* it is one                                                    */
    WHY_DUE,      /* a slot before it was delayed by jitter to this very moment   */
    WHY_EMPTY,    /* the spec has no entry at all                                 */
    WHY_NO_MATCH, /* no entry matches; the text tells what the nearest one wants  */
    WHY_GAP,      /* that wall-clock time does not exist                          */
    WHY_FOLD,     /* its wall-clock time comes twice and the rule takes the other */
    WHY_BEFORE_START,
    WHY_AFTER_END,
    WHY_EXCLUDED_DATE,
    WHY_EXCLUDED_CALENDAR,
    WHY_EXCLUDED_NAMED,
    WHY_OUTSIDE_WINDOW,
};

struct explain {
    enum why why;
    int entry; /* that the answer is about, as in struct slot; -1: none */
    bool has_prev, has_next;
    struct slot prev, next; /* strictly before and after */
    char text[EXPLAIN_TEXT_MAX];
};

void explain_instant(const struct spec *spec, const struct spec_ctx *ctx, instant t,
                     struct explain *ret);

/*
 * The instants of a wall-clock time in the spec's own zone: 2 in a fold, else 1; 0 when it
 * falls into a gap, and then explain_gap() has the answer.
 */
int explain_local(const struct spec *spec, int64_t local, instant ret[2]);
void explain_gap(const struct spec *spec, const struct spec_ctx *ctx, int64_t local,
                 struct explain *ret);

/* What a clock change or a rule of the spec did to a slot; false and no text when nothing. */
bool explain_note(const struct spec *spec, const struct spec_ctx *ctx, const struct slot *slot,
                  struct buf *out);

/* Why there is no slot after `after`: "February has no day 30". */
void explain_never(const struct spec *spec, const struct spec_ctx *ctx, instant after,
                   struct buf *out);

/* "cron[0]", "timesOfDay[2]", "at[1]": where an entry was written. */
void explain_entry(const struct spec *spec, int entry, struct buf *out);

struct explain_change {
    int64_t at; /* UTC second of the change */
    int32_t before, after;
    int zone;     /* index into spec.zones */
    bool touches; /* some slot is moved, skipped, doubled or chosen */
    char text[EXPLAIN_TEXT_MAX];
};

/* Clock changes in (from, until] in the zones concerned, by zone, then time; how many. */
int explain_changes(const struct spec *spec, const struct spec_ctx *ctx, instant from,
                    instant until, struct explain_change ret[static EXPLAIN_CHANGES_MAX]);

struct explain_warning {
    int entry;
    char text[EXPLAIN_TEXT_MAX];
};

/* What is valid but often a mistake; `def` is what `spec` was compiled from. */
int explain_warnings(const struct spec *spec, const struct spec_def *def,
                     struct explain_warning ret[static EXPLAIN_WARNINGS_MAX]);
