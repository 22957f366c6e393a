/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The slots of a schedule that have no account yet: those after its mark, each with why it will
 * not start, or with the outcome that it will get.
 */
#pragma once

#include "api/schedules/schedule_times.h"

struct slot_planned {
    instant at, due;      /* due: INSTANT_NONE if the slot has none                */
    enum outcome outcome; /* OUTCOME_NONE: it is planned                           */
    enum reason reason;   /* of a planned slot: why it would not start; or NONE    */
};

/* False: enough. */
typedef bool slot_plan_fn(void *arg, const struct slot_planned *slot);

/*
 * Visits the slots in (after, until], in ascending order; for a governed schedule first the
 * time that its governor chose, and then the others.  Spends p->ctx.budget; when it is used up,
 * there are no more slots.
 */
void slot_plan_visit(const struct schedule_times *p, instant now, const instant range[2],
                     slot_plan_fn *visit, void *arg);
