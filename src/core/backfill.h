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

/* Writes the slots in (after, until], at most `max`; returns how many. */
int backfill_slots(const struct plan *plan, const struct spec_ctx *ctx, instant after,
                   instant until, struct due_slot *slots, int max);
