/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows that have outlived their use: found by walking through their tables in order of keys,
 * a portion a turn, pass after pass.  Internal to the engine.
 *
 * The walk is several times as fast as the tables are written, however fast that is, so that
 * what is kept too long is a part of what is kept at all.
 */
#pragma once

#include "engine/workset.h"

/* Queued with the first statements of the turn. */
void prune_send(struct turn *turn);
/* With their answers. */
void prune_read(struct turn *turn);
/* Nothing more of history can go before it is counted, see engine/daily_stats.h. */
bool prune_waits_for_figures(const struct engine_memory *memory);
