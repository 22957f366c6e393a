/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the clock to runs: slots that fall due, backfills, overlap, and when to wake next.
 * Internal to the engine.
 */
#pragma once

#include "engine/workset.h"

/* Asks for a start; overlap decides in seat_decide(). */
void seat_start(struct turn *turn, struct seat *seat, const struct start *start);

/* Slots that are due, catch-up, automatic resume and close, portions of backfills. */
void seat_advance(struct turn *turn, struct seat *seat);

/* Everything due by now gets this account; where it starts anew is told by seat_begin(). */
void seat_pass(struct turn *turn, struct seat *seat, instant until, enum outcome outcome,
               enum reason reason);

/*
 * A start is asked for that would move a slot whose time has come, as the first run that opens
 * does where slots count from runs: those that are due are to be accounted for before.
 */
bool seat_is_overtaken(const struct turn *turn, const struct seat *seat);

/* Mark and next slot of a schedule that is new or has a new spec. */
void seat_begin(struct turn *turn, struct seat *seat);

/* Back from a pause: what became of its slots. */
void seat_resume(struct turn *turn, struct seat *seat, struct str note, struct str by);

/* Of a pause whose time is over, whoever comes first. */
void seat_end_pause(struct turn *turn, struct seat *seat);

/* Waiting runs and new starts: who starts, who waits, who is skipped, who is ended. */
void seat_decide(struct turn *turn, struct seat *seat);

/* Ends what waits of a deleted schedule, a portion a turn. */
void seat_clear(struct turn *turn, struct seat *seat);

/* When it must be looked at again. */
void seat_wake(struct turn *turn, struct seat *seat);

/* A hint of its owner asks for an earlier run. */
void seat_nudge(struct turn *turn, struct seat *seat, instant wanted);
