/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pass over all schedules after zones or calendars have changed, a batch per turn in order of
 * keys: finds the next slot of each again.  Internal to the engine.
 */
#pragma once

#include "engine/workset.h"

/* Queued with the first statements of the turn, after reclaim_send(). */
void replan_send(struct turn *turn);
/* Adds the schedules of the batch to the workset. */
void replan_want(struct turn *turn);
/* After they are locked: moves the position of the pass. */
void replan_advance(struct turn *turn);

/*
 * While this node takes over another one: whether some schedules must be planned again, and
 * this node has not begun to.
 */
bool replan_is_open(const struct turn *turn);

/* Finds the next slot of a schedule again; it is SCHED_HELD. */
void replan_schedule(struct turn *turn, struct work_schedule *sched);
