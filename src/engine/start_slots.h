/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns due slots into runs: catch-up, backfills, overlap, and when to wake next.  Internal to
 * the engine.
 *
 * All functions need a schedule that is SCHED_HELD.
 */
#pragma once

#include "engine/workset.h"

/* Requests a start; sched_decide() applies the overlap policy. */
void sched_start(struct turn *turn, struct work_schedule *sched, const struct start *start);

/* Advances it: due slots, catch-up, automatic resume and close, a batch of its backfills. */
void sched_advance(struct turn *turn, struct work_schedule *sched);

/* Accounts for every slot up to `until` with this outcome, and moves mark and next slot. */
void sched_account_until(struct turn *turn, struct work_schedule *sched, instant until,
                         enum outcome outcome, enum reason reason);

/*
 * True when due slots must be accounted for before sched_decide().  Where slots depend on runs,
 * the next run that opens moves the next slot; if that slot is due already, a requested start
 * would remove it.
 */
bool sched_must_advance_first(const struct turn *turn, const struct work_schedule *sched);

/* Sets mark and next slot of a schedule that is new or has a new spec. */
void sched_begin(struct turn *turn, struct work_schedule *sched);

/* Ends a pause, and accounts for the slots in it. */
void sched_resume(struct turn *turn, struct work_schedule *sched, struct str note,
                  struct str by);

/* Resumes the schedule if it is paused and the end of the pause has come. */
void sched_end_pause(struct turn *turn, struct work_schedule *sched);

/* Decides which waiting runs and new starts begin, wait or are skipped, and what they end. */
void sched_decide(struct turn *turn, struct work_schedule *sched);

/* Ends the waiting runs of a deleted schedule, a batch per turn; then deletes its cursor. */
void sched_clear(struct turn *turn, struct work_schedule *sched);

/* Sets wake_at: when the engine must visit the schedule again. */
void sched_wake(struct turn *turn, struct work_schedule *sched);

/* A hint asks for an earlier run. */
void sched_nudge(struct turn *turn, struct work_schedule *sched, instant wanted);
