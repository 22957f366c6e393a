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

/*
 * Accounts for the grid times of a governed schedule that have passed without being its pick.
 * They may be written later, but must be before its flags, its plan or its pick change.
 */
void sched_account_passed(struct turn *turn, struct work_schedule *sched, instant until);

/* Sets the pick of a governed schedule whose pick was overdue when a pause ended. */
void sched_pick_paused(struct work_schedule *sched, instant at);

/* After zones or calendars have changed: moves the pick to the next allowed instant. */
void sched_pick_again(struct work_schedule *sched);

/* Sets mark and next slot of a schedule that is new or has a new spec. */
void sched_begin(struct turn *turn, struct work_schedule *sched);

/* Ends a quarantine, and accounts for the slots in it. */
void sched_release(struct turn *turn, struct work_schedule *sched);

/* Ends a pause, and accounts for the slots in it. */
void sched_resume(struct turn *turn, struct work_schedule *sched, struct str note,
                  struct str by);

/* Resumes the schedule if it is paused and the end of the pause has come. */
void sched_end_pause(struct turn *turn, struct work_schedule *sched);

/* When the next slot is due, with jitter. */
instant sched_next_due(const struct work_schedule *sched);

/* True when the next slot will become a start by itself: nothing bars it, and there is room. */
bool sched_can_start_slot(const struct work_schedule *sched);

/*
 * True when runs wait, none is open, and no slot will come before which they may wait: they
 * must be decided now.  Only with policy `expires: starting`.
 */
bool sched_is_stranded(const struct turn *turn, const struct work_schedule *sched);

/* Decides which waiting runs and new starts begin, wait or are skipped, and what they end. */
void sched_decide(struct turn *turn, struct work_schedule *sched);

/* Queries what the next batch of a backfill of missed slots needs. */
void sched_send_missed(struct turn *turn, struct work_schedule *sched);

/* What happened to one start of a backfill. */
enum backfill_count {
    BACKFILL_RUN_BEGAN,
    BACKFILL_RUN_SUCCEEDED,
    BACKFILL_RUN_FAILED,
    BACKFILL_RUN_CANCELLED,
    BACKFILL_START_SKIPPED,   /* by the overlap policy                  */
    BACKFILL_START_WITHDRAWN, /* cancelled or dropped while it waited   */
};
/* Counts it in the backfill of the run; a run of another kind has none. */
void sched_count_backfill(struct work_schedule *sched, const struct run *run,
                          enum backfill_count what);

/* Ends the backfills whose runs have all ended; writes events and rows. */
void sched_settle_backfills(struct turn *turn, struct work_schedule *sched);
void turn_backfill_event(struct turn *turn, enum event_type type, const struct backfill *b);

/* Ends the waiting runs of a deleted schedule, a batch per turn; then deletes its cursor. */
void sched_clear(struct turn *turn, struct work_schedule *sched);

/* Sets wake_at: when the engine must visit the schedule again. */
void sched_wake(struct turn *turn, struct work_schedule *sched);

/* Moves the next slot of a governed schedule to `wanted`, which a hint asks for, if earlier. */
void sched_nudge(struct turn *turn, struct work_schedule *sched, instant wanted);
