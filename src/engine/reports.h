/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What holders of runs report, what silence means, and what a dead node leaves behind.
 * Internal to the engine.
 */
#pragma once

#include "engine/workset.h"

/* Says which seats and runs the reports need. */
void settle_want(struct turn *turn);
/* Likewise for runs that must be looked at by now, and for those of dead nodes. */
void settle_want_waking(struct turn *turn);

void settle_reports(struct turn *turn);
void settle_waking(struct turn *turn);

/* Packed lines, see store/logs.h; empty: none. */
void settle_keep_log(struct turn *turn, const struct place *place, struct str log);
