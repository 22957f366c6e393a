/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the clock to runs: slots that fall due, backfills, overlap, and when to wake next.
 * Internal to the engine.
 */
#pragma once

#include "engine/workset.h"

/* Asks for a start; overlap decides in sched_decide(). */
void sched_start(struct turn *turn, struct work_schedule *sched, const struct start *start);

/* Slots that are due, catch-up, automatic resume and close, portions of backfills. */
void sched_advance(struct turn *turn, struct work_schedule *sched);

/* Everything due by now gets this account; where it starts anew is told by sched_begin(). */
void sched_pass(struct turn *turn, struct work_schedule *sched, instant until,
                enum outcome outcome, enum reason reason);

/*
 * A start is asked for that would move a slot whose time has come, as the first run that opens
 * does where slots count from runs: those that are due are to be accounted for before.
 */
bool sched_is_overtaken(const struct turn *turn, const struct work_schedule *sched);

/* Mark and next slot of a schedule that is new or has a new spec. */
void sched_begin(struct turn *turn, struct work_schedule *sched);

/* Back from a pause: what became of its slots. */
void sched_resume(struct turn *turn, struct work_schedule *sched, struct str note,
                  struct str by);

/* Of a pause whose time is over, whoever comes first. */
void sched_end_pause(struct turn *turn, struct work_schedule *sched);

/* Waiting runs and new starts: who starts, who waits, who is skipped, who is ended. */
void sched_decide(struct turn *turn, struct work_schedule *sched);

/* Ends what waits of a deleted schedule, a portion a turn. */
void sched_clear(struct turn *turn, struct work_schedule *sched);

/* When it must be looked at again. */
void sched_wake(struct turn *turn, struct work_schedule *sched);

/* A hint of its owner asks for an earlier run. */
void sched_nudge(struct turn *turn, struct work_schedule *sched, instant wanted);
