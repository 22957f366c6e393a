/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Days of schedules: that a new one is planned, and that one has begun in a zone.
 * Internal to the engine.
 */
#pragma once

#include "engine/workset.h"

/*
 * Says how many slots the day of the next one has, when that is another day than before or the
 * schedule was edited.  So a day is told of once, when the last slot before it is over, and
 * costs no further wake-up.
 */
void day_events_plan(struct turn *turn, const struct work_schedule *sched);

/* Midnights that have come: asked for and told of by the sweep, once for all nodes. */
void day_events_send(struct turn *turn);
void day_events_read(struct turn *turn);
