/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims ready runs, for this node's own calls and for workers that wait.  Internal to the
 * engine.
 */
#pragma once

#include "engine/workset.h"

/* Lists the queues of new polls as queues to search; called before the other functions. */
void claim_add_polled(struct turn *turn);

/* Claims runs that became ready in this turn, in order of rank with those ready before. */
enum rc claim_fresh(struct turn *turn, struct err *reterr);

/* Makes runs ready again that wait for a gate which has room now. */
enum rc claim_open_gates(struct turn *turn, struct err *reterr);

/* Claims runs that were ready before, best rank first. */
enum rc claim_ready(struct turn *turn, struct err *reterr);

/*
 * Takes over a run whose workflow a dead node, or an earlier boot of this one, followed.  The
 * run stays claimed: its attempt, its limits and its gate are unchanged.
 */
void claim_adopt(struct turn *turn, struct work_run *work);

/* Lists a queue that may have ready runs as one to search. */
void claim_add_queue(struct engine_memory *memory, int64_t lane, int64_t queue);
