/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which slots have fallen due, what becomes of those that are late, and when to look again.
 *
 * Pure arithmetic on (plan, cursor, now).  Nothing is started here: slots that may start
 * are listed, those that may not are accounted for as ranges.  docs/semantics.md [P-10].
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/instant.h"
#include "core/cursor.h"
#include "core/outcome.h"
#include "core/plan.h"

enum {
    ADVANCE_SLOTS_MAX = 1000, /* of one schedule in one turn                              */
    ADVANCE_RANGES_MAX = 64,  /* likewise; a turn with more goes on in the next           */
    EXCEPTIONS_MAX = 1000,    /* planned slots of one schedule that are cancelled         */
};

/* Consecutive slots with one fate. */
struct account {
    instant first, last; /* nominal; first == last when count is 1 */
    int64_t count;
    enum outcome outcome;
    enum reason reason;
};

struct due_slot {
    instant at, due;
};

struct advance {
    /* in */
    const struct plan *plan;
    struct spec_ctx ctx; /* advance_ctx() */
    const struct cursor *cursor;
    instant now;
    const instant *exceptions; /* ascending nominal times of cancelled slots */
    int exception_count;
    int slots_max;          /* room among the waiting, at most ADVANCE_SLOTS_MAX  */
    struct due_slot *slots; /* room for slots_max; filled in ascending order      */
    /* out */
    int slot_count;
    struct account accounts[ADVANCE_RANGES_MAX]; /* ascending, apart from the slots */
    int account_count;
    instant mark;     /* the new one                                          */
    instant next_at;  /* the next slot that is not accounted for, INSTANT_NEVER */
    instant next_due; /* its time with jitter; at or before now: there is more  */
};

/*
 * What the cursor tells the spec.  Named calendars (spec.not_named) are added by the caller.
 */
struct spec_ctx advance_ctx(const struct plan *plan, const struct cursor *cursor);

/*
 * Everything due at `now`, by the catch-up policy.  When slots_max is reached with
 * policies.drop_when_full, the rest of what is due is dropped(buffer); without, it stays
 * for the next call, as it does after ADVANCE_SLOTS_MAX: that is the end of a turn and no
 * lack of room.
 *
 * Slots beyond cursor->remaining do not exist, and of a plan that follows its runs one slot
 * is listed at a time, for each start moves those after it.  Only the caller knows which of
 * the listed ones start: when that changes what comes next (remaining is 0, or the plan
 * follows), it looks again with the new cursor.
 *
 * cursor->next_at is believed when it is after the mark (INSTANT_NEVER: there is none); set
 * it to the mark to have it looked for.  A turn that has more accounts than fit, or more
 * slots to pass one by one than a turn should, stops early; next_due says that there is more,
 * and the next call takes it as newly found (so that mode oldest may start one more).
 */
void advance(struct advance *advance);

/* Everything due at or before advance->now is accounted for as (outcome, reason). */
void advance_past(struct advance *advance, enum outcome outcome, enum reason reason);

/*
 * The first slot that is due after `now`, for a schedule that is new, edited or resumed:
 * sets mark, next_at and next_due and accounts for nothing.  The mark never goes back behind
 * the cursor's, but for "now" of a new schedule, whose slot is its creation.  A governed plan
 * has no next slot before its governor is asked.
 */
void advance_begin(struct advance *advance);

/* Slots of a backfill in (after, until], at most `max`; says how many. */
int advance_backfill(const struct plan *plan, const struct spec_ctx *ctx, instant after,
                     instant until, struct due_slot *slots, int max);
