/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts history into figures of days, table stats: now and then, a portion a turn.  Internal
 * to the engine.
 *
 * Each node counts what it wrote, in the order in which it wrote it, and the rest of what a
 * dead node wrote before that is declared down.  What was counted stands in the node's row,
 * written in the same transaction; so nothing is counted twice or left out.
 */
#pragma once

#include "engine/workset.h"

/* Queued with the first statements of the turn. */
void daily_stats_send(struct turn *turn);
/* With their answers. */
void daily_stats_read(struct turn *turn);

/* The history of another node is to be counted to its end. */
void daily_stats_take_over(struct turn *turn, const struct node *node);
/* False while there is some of it left. */
bool figures_are_taken_over(const struct turn *turn);

/* Keeps the newest `count` attempts of a schedule; the others are counted before they go. */
void daily_stats_keep(struct turn *turn, int64_t schedule, int count);
