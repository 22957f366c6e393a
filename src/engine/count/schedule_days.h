/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts history and ledger into table days, a batch per turn.  Internal to the engine.
 *
 * A pass first reads rows into memory, as samples, and then writes the days of one subject
 * after the other, so that a subject with many runs is written once.  The node's row tells how
 * far the pass is, see struct days_mark, and changes in the same transactions.  If the node
 * dies, its next boot or the node that takes over its runs reads the same rows again and
 * continues with the first subject that is not written.  So each row counts once.
 */
#pragma once

#include "engine/workset.h"

struct day_samples; /* opaque */
struct day_samples *day_samples_new(struct arena *lifetime);
void day_samples_free(struct day_samples *samples);

/* Queued with the first statements of the turn. */
void schedule_days_send(struct turn *turn);
/* Reads their answers. */
void schedule_days_read(struct turn *turn);

/* Starts to count the rows of a dead node to their end. */
void schedule_days_take_over(struct turn *turn, const struct node *node);
/* Another node has taken it over. */
void schedule_days_give_up(struct turn *turn);
/* False while some rows of the dead node are left to count. */
bool schedule_days_taken_over(const struct turn *turn);

/* Deletes all but the newest `count` attempts of a schedule; a pass still counts them. */
void schedule_days_keep(struct turn *turn, int64_t schedule, int count);
