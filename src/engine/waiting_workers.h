/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The workers that wait, by queue, each queue's in the order in which they are served.
 *
 * Internal to the engine.  Made once a turn.  Whoever was given a run goes behind the others
 * of its queue, so that workers share the work however much each of them could take.
 */
#pragma once

#include "engine/turn_state.h"

void waiting_workers_begin(struct turn *turn);

/* The index of the poll that is next in a queue and has room; -1: none. */
int waiting_workers_next(struct turn *turn, int64_t queue);

/* waiting_workers_next() was given a run of this queue. */
void waiting_workers_took(struct turn *turn, int64_t queue);

/* How many runs of a queue its polls have room for, counted up to `most`. */
int waiting_workers_room(const struct turn *turn, int64_t queue, int most);
