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
void days_tell_plan(struct turn *turn, const struct seat *seat);

/* Midnights that have come: asked for and told of by the sweep, once for all nodes. */
void days_send(struct turn *turn);
void days_read(struct turn *turn);
