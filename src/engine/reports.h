/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applies reports of holders, expires leases and deadlines, and takes over runs of dead nodes.
 * Internal to the engine.
 */
#pragma once

#include "engine/workset.h"

/* Adds the schedules and runs of the reports to the workset. */
void reports_want(struct turn *turn);
/* Queries the runs of a dead node, and keeps other nodes from them until `lease_until`. */
void reclaim_send(struct turn *turn, instant lease_until);
void reclaim_read(struct turn *turn);
/* Likewise for runs whose wake_at has come, and for those of dead nodes. */
void waking_want(struct turn *turn);

void reports_apply(struct turn *turn);
void waking_apply(struct turn *turn);

/* Appends packed lines (store/logs.h; may be empty) to the log of a run. */
void reports_append_log(struct turn *turn, const struct work_run *work, struct str log);
