/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which slots of a backfill start next, and how many, so that room remains for automatic
 * starts.  Pure.  docs/semantics.md [P-40].
 */
#pragma once

#include "core/advance.h"

/*
 * The slots that each of `backfills` may add to a buffer of `limit` places, of which `waiting`
 * are in use: half of the buffer, minus `reserve`, minus the waiting starts above `free`, then
 * divided by `backfills`.
 */
int backfill_capacity(int limit, int waiting, int free, int reserve, int backfills);

/* What is known about the slots of a schedule, to find those that were not started. */
struct backfill_known {
    const struct account *accounts; /* slots of pass 0 that were not started, ascending   */
    int account_count;
    const instant *taken; /* slots that a user has started since, ascending               */
    int taken_count;
    instant until;       /* later slots may be missing in the two lists                   */
    instant created;     /* of the schedule; no slot before it was started automatically  */
    bool with_cancelled; /* also slots that a user has cancelled                          */
    bool with_governor;  /* also slots that the governor has skipped                      */
};

/* True when a backfill of missed slots includes the slots of this account. */
bool backfill_wants(const struct account *account, const struct backfill_known *known);

/*
 * Writes slots in (after, until] that were not started, at most `max`; returns how many.  Sets
 * *ret_mark: all slots up to it are decided.  It is `until` when there are no more.
 */
struct backfill_part {
    instant after, until;
    int max;
};
int backfill_missed(const struct plan *plan, const struct spec_ctx *ctx,
                    const struct backfill_part *part, const struct backfill_known *known,
                    struct due_slot *slots, instant *ret_mark);

/* Writes the slots in (after, until], at most `max`; returns how many. */
int backfill_slots(const struct plan *plan, const struct spec_ctx *ctx, instant after,
                   instant until, struct due_slot *slots, int max);
