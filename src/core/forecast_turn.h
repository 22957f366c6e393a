/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One turn of a play, for the files forecast*.c only.  Pure.
 */
#pragma once

#include "core/forecast.h"

/* Nobody listens any more, or the budget is used up. */
static inline bool forecast_is_over(const struct forecast *f)
{
    return f->is_stopped || (f->budget && f->budget->is_over);
}

/* The open run that ends first; NULL: none is open. */
static inline const struct forecast_run *forecast_first_open(const struct forecast *f)
{
    return f->cursor.open > 0 ? &f->room->open[f->open_first] : NULL;
}

/* When a turn is needed for a slot or the end of a pause. */
instant forecast_wake(struct forecast *f);

/* What is done at `now`; `is_due`: the instant of forecast_wake() has come. */
void forecast_take_turn(struct forecast *f, instant now, bool is_due);

/* Ends the runs that end at or before `until`. */
void forecast_end_runs(struct forecast *f, instant until);

/* Computes the context of the spec from the cursor. */
void forecast_update_context(struct forecast *f);

/* Sets the next slot; computes the one after the mark (not of a governed plan). */
void forecast_set_next(struct forecast *f, instant at);
void forecast_find_next(struct forecast *f);

/* Notes what happens to one slot. */
void forecast_say_slot(struct forecast *f, enum forecast_kind kind, const struct due_slot *slot,
                       enum outcome outcome, enum reason reason);
