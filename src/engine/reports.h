/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What holders of runs report, what silence means, and what a dead node leaves behind.
 * Internal to the engine.
 */
#pragma once

#include "engine/workset.h"

/* Says which scheds and runs the reports need. */
void reports_want(struct turn *turn);
/* Likewise for runs that must be looked at by now, and for those of dead nodes. */
void waking_want(struct turn *turn);

void reports_apply(struct turn *turn);
void waking_apply(struct turn *turn);

/* Packed lines, see store/logs.h; empty: none. */
void finish_keep_log(struct turn *turn, const struct work_run *work, struct str log);
