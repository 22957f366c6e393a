/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps that a run and a schedule can take, each with all that belongs to it: row,
 * cursor, gate, history, ledger and event.  Internal to the engine.
 */
#pragma once

#include "engine/workset.h"

/* How an attempt, or a run without one, comes to its end. */
struct ending {
    enum outcome outcome;
    enum reason reason;
    struct str error, result;
    int64_t tokens, cost;
    bool is_retryable;
    span retry_after;
    bool is_lost; /* the holder fell silent: nobody knows what it did */
};

/* Notes the fate of slots of pass 0; written by moves_write(), in order. */
void note(struct turn *turn, struct work_schedule *sched, const struct account *account);
void note_one(struct turn *turn, struct work_schedule *sched, instant slot,
              enum outcome outcome, enum reason reason);

/* A claimed run's attempt is over: the run ends, or tries again. */
void attempt_end(struct turn *turn, struct work_run *work, const struct ending *ending);

/* The run is over, whatever its state. */
void run_end(struct turn *turn, struct work_run *work, const struct ending *ending);

/* A run of the sched's schedule that is held: it does not start. */
void held_end(struct turn *turn, struct work_run *work, enum outcome outcome,
              enum reason reason);

/* It may be claimed from now on (or waits for approval). */
void run_ready(struct turn *turn, struct work_run *work);

/* Says, once, that it begins or is to begin later than its schedule allows, when it does. */
void run_tell_late(struct turn *turn, struct work_run *work);

/* Its time has come while it waits: it is late, or too late to begin at all. */
void run_wait_on(struct turn *turn, struct work_run *work);

/* Not begun after all: back to the ready. */
void run_hand_back(struct turn *turn, struct work_run *work);

/* Asks the holder of a claimed run to stop; for_other: a later start wants it. */
void run_ask_to_stop(struct turn *turn, struct work_run *work, bool for_other);

/* A start becomes a run, held or ready. */
struct work_run *run_create(struct turn *turn, struct work_schedule *sched,
                            const struct start *start, bool held);

/* The call of a claimed run is to end: here, or by a note to the node that makes it. */
void run_stop(struct turn *turn, const struct run *run, bool is_terminated);

/* Pauses a schedule by itself. */
void sched_pause(struct turn *turn, struct work_schedule *sched, instant until,
                 struct str reason, struct str by);

/* Where the next slot hangs on runs: computed anew. */
void sched_set_next(struct turn *turn, struct work_schedule *sched, instant started);

/* Writes what was decided about a sched: ledger, cursor. */
void sched_write(struct turn *turn, struct work_schedule *sched);
