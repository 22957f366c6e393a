/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of a backfill is taken at once, so that automatic starts keep their places.
 * Pure.  docs/semantics.md [P-40].
 */
#pragma once

/*
 * Slots that each of `backfills` may add to a buffer of `limit` places of which `waiting`
 * are taken: half of the buffer, less what waits beyond `free` ones, less a reserve.
 */
int backfill_capacity(int limit, int waiting, int free, int reserve, int backfills);
