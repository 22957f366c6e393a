/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides which slots are due, what happens to the late ones, and when the next slot is due.
 *
 * Pure arithmetic on (plan, cursor, now).  It starts nothing: it lists the slots that may start
 * and gives the others an outcome.  An account is a range of slots with one outcome.
 * docs/semantics.md [P-10].
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/instant.h"
#include "core/cursor.h"
#include "core/outcome.h"
#include "core/plan.h"

enum {
    ADVANCE_SLOTS_MAX = 1000,  /* slots of one schedule per turn                             */
    ADVANCE_ACCOUNTS_MAX = 64, /* accounts of one schedule per turn; the next turn continues */
    EXCEPTIONS_MAX = 1000,     /* planned slots of one schedule that were cancelled          */
};

/* Consecutive slots with the same outcome. */
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
    int slots_max;          /* free places in the buffer, at most ADVANCE_SLOTS_MAX */
    struct due_slot *slots; /* array of slots_max; filled in ascending order        */
    /* out */
    int slot_count;
    struct account accounts[ADVANCE_ACCOUNTS_MAX]; /* ascending; contain no listed slot */
    int account_count;
    instant mark;     /* every slot at or before it is listed or has an outcome */
    instant next_at;  /* the next undecided slot; INSTANT_NEVER: none           */
    instant next_due; /* its time with jitter; at or before now: call again     */
    bool has_more;    /* advance_account_due() stopped early: call it again     */
};

/*
 * Computes the context of the spec from the cursor.  The caller adds the named calendars
 * (spec.not_named).
 */
struct spec_ctx advance_ctx(const struct plan *plan, const struct cursor *cursor);

/*
 * Decides all slots that are due at `now`, by the catch-up policy.  If slots_max is reached
 * and policies.drop_when_full is set, the remaining due slots become dropped(buffer); if it is
 * not set, they stay for the next call.  They also stay after ADVANCE_SLOTS_MAX slots, which
 * is a limit per turn and not a full buffer.
 *
 * Slots beyond cursor->remaining do not exist.  For a plan that follows its runs one slot is
 * listed at a time, because each start moves the slots after it.  Only the caller knows which
 * of the listed slots start; if that changes the next slot (remaining becomes 0, or the plan
 * follows), the caller must call again with the new cursor.
 *
 * If cursor->next_at is after the mark, it is not computed again (INSTANT_NEVER: there is no
 * slot); set it to the mark to have it computed.  A turn stops early if it has more accounts
 * than fit, or must step over too many slots: next_due is then at or before `now`.  The next
 * call treats the rest as newly due, so catch-up mode oldest may then start one more run.
 *
 * The next_at of a governed plan is its pick.  If the pick is due, it is listed, and the grid
 * times before it become skipped(governor).  Grid times without a due pick are not decided
 * here: advance_account_due() accounts for them.
 */
void advance(struct advance *advance);

/*
 * Gives every slot that is due at advance->now this outcome and reason.  outcome_is_of_slot()
 * must allow the two together; a caller that only counts passes REASON_NONE.
 */
void advance_account_due(struct advance *advance, enum outcome outcome, enum reason reason);

/*
 * Finds the first slot that is due after `now`, for a schedule that is new, edited or resumed:
 * sets mark, next_at and next_due and decides no slot.  The mark is never before the cursor's,
 * with one exception: the slot of "now" is the creation of the schedule itself.  A governed
 * plan has no next slot until its governor computes one.
 */
void advance_begin(struct advance *advance);
