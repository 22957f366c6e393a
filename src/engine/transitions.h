/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps that a run and a schedule can take, each with everything that belongs to it: row,
 * cursor, gate, history, ledger and event.  Internal to the engine.
 */
#pragma once

#include "engine/workset.h"

/* How an attempt, or a run without one, ends. */
struct ending {
    enum outcome outcome;
    enum reason reason;
    struct str error, result;
    struct str failure; /* empty: the error */
    int64_t tokens, cost;
    bool is_retryable;
    span retry_after;
    bool is_lost;   /* the holder fell silent: the outcome is unknown            */
    bool is_blamed; /* the run may be the cause; see docs/semantics.md [P-50] */
};

/* The attempt of a claimed run has ended: ends the run, or retries it. */
void attempt_end(struct turn *turn, struct work_run *work, const struct ending *ending);

/* Ends a run, in any state but RUN_HELD. */
void run_end(struct turn *turn, struct work_run *work, const struct ending *ending);

/* Ends a held run: it will not start.  Its slot gets this outcome in the ledger. */
void held_end(struct turn *turn, struct work_run *work, enum outcome outcome,
              enum reason reason);

/* A held run starts or ends: it is no longer in cursor.waiting. */
void run_leave_held(struct turn *turn, struct work_schedule *sched);

/* Makes a run ready to be claimed, or lets it wait for approval. */
void run_ready(struct turn *turn, struct work_run *work);

/* If the run is later than its schedule allows, writes an event about that, once per run. */
void run_emit_late(struct turn *turn, struct work_run *work);

/* The wake_at of a waiting run has come: it is late, or too late to begin at all. */
void run_check_waiting(struct turn *turn, struct work_run *work);

/* The holder did not start the attempt: the run is ready again. */
/* Leaves the gate of a claimed run before its end: see policies.gate_until_started. */
void run_leave_gate(struct turn *turn, struct work_run *work);

void run_hand_back(struct turn *turn, struct work_run *work);

/* Asks the holder of a claimed run to stop; for_other: a later start replaces the run. */
void run_request_stop(struct turn *turn, struct work_run *work, bool for_other);

/* Creates the run of a start, in state RUN_HELD; held: it stays so, and counts as waiting. */
struct work_run *run_create(struct turn *turn, struct work_schedule *sched,
                            const struct start *start, bool held);

/* Stops the call of a claimed run, here or by a message to the node that makes it. */
void run_stop(struct turn *turn, const struct run *run, bool is_terminated);

void sched_pause(struct turn *turn, struct work_schedule *sched, instant until,
                 struct str reason, struct str by);

/* Computes the next slot again, where it depends on runs. */
void sched_set_next(struct turn *turn, struct work_schedule *sched, instant started);
