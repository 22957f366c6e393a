/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many slots of a backfill start at once, so that room remains for automatic starts.
 * Pure.  docs/semantics.md [P-40].
 */
#pragma once

/*
 * Slots that each of `backfills` may add to a buffer of `limit` places of which `waiting` are
 * in use: half of the buffer, minus the waiting starts beyond `free`, minus `reserve`, divided
 * by `backfills`.
 */
int backfill_capacity(int limit, int waiting, int free, int reserve, int backfills);
