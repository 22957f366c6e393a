/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The waiting polls by queue, in the order of service.
 *
 * Internal to the engine.  Built once a turn.  A poll that was given a run moves to the end of
 * its queue, so that workers share the work, however much each of them asks for.
 */
#pragma once

#include "engine/turn_state.h"

void waiting_workers_init(struct turn *turn);

/* The index of the next poll of a queue that has room; -1: none. */
int waiting_workers_next(struct turn *turn, int64_t queue);

/* The poll that waiting_workers_next() returned was given a run of this queue. */
void waiting_workers_granted(struct turn *turn, int64_t queue);

/* How many runs of a queue its polls have room for, at most `most`. */
int waiting_workers_room(const struct turn *turn, int64_t queue, int most);

/* Records that workers have polled their queues, for the health of schedules. */
void waiting_workers_record(struct turn *turn);
