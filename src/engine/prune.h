/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deletes expired rows: walks their tables in order of keys, a batch per turn, pass after pass.
 * Internal to the engine.
 *
 * Each turn examines several times as many rows as were written, so that expired rows are only
 * a fraction of the rows in a table.
 */
#pragma once

#include "engine/workset.h"

/* Queued with the first statements of the turn. */
void prune_send(struct turn *turn);
/* Reads their answers. */
void prune_read(struct turn *turn);
/* True when history must be counted before more of it can be deleted, see daily_stats.h. */
bool prune_waits_for_stats(const struct engine_memory *memory);
/*
 * True when schedule_days.c should count: the current pass over history or ledger will wait for
 * it.  Earlier than the other, because it takes a few turns.
 */
bool prune_waits_for_days(const struct engine_memory *memory);
