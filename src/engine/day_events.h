/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events about days: a day of a schedule is planned, and a day has begun in a zone.  Internal
 * to the engine.
 */
#pragma once

#include "engine/workset.h"

/*
 * Writes an event with the number of slots in the day of the next slot, when that day differs
 * from the one before or the schedule was edited.  So each day has one event.  It is written
 * when the last slot before that day has passed, so that no schedule is woken for it.
 */
void day_events_plan(struct turn *turn, const struct work_schedule *sched);

/*
 * The plan of a schedule before an edit.  day_events_unplan() then writes an event about the
 * slots that the old plan had on the day of its next slot and the new plan does not have.
 */
struct day_plan {
    struct plan plan;
    struct spec_ctx ctx;
    instant next_at; /* INSTANT_NEVER: no day is planned */
    int64_t most;    /* slots of the day that are compared */
};
struct day_plan day_events_plan_of(const struct work_schedule *sched);
void day_events_unplan(struct turn *turn, const struct work_schedule *sched,
                       const struct day_plan *old);

/* Midnights that have passed: queried by periodic.c, written once for all nodes. */
void day_events_send(struct turn *turn);
void day_events_read(struct turn *turn);
