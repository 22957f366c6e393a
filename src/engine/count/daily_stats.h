/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts history into daily statistics, table stats: from time to time, a batch per turn.
 * Internal to the engine.
 *
 * Each node counts the rows that it wrote, in the order of their keys.  When a node dies, the
 * node that takes over its runs counts the rest before it declares the dead node down.  The
 * position of the count is in the node's row, written in the same transaction; so no row is
 * counted twice or left out.
 */
#pragma once

#include "engine/workset.h"

/* Queued with the first statements of the turn. */
void daily_stats_send(struct turn *turn);
/* Reads their answers. */
void daily_stats_read(struct turn *turn);

/* Starts to count the history of a dead node to its end. */
void daily_stats_take_over(struct turn *turn, const struct node *node);
/* False while some of it is left to count. */
bool daily_stats_taken_over(const struct turn *turn);
