/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is done once a second: nodes that fell silent, queues that others filled, gates that
 * have room, and old events and requests.  Internal to the engine.
 */
#pragma once

#include "engine/workset.h"

/* Queued with the first statements of the turn. */
void periodic_send(struct turn *turn);
/* With their answers. */
void periodic_read(struct turn *turn);
/* Queues of this node's lanes in which something is ready. */
enum rc periodic_queues(struct turn *turn, struct err *reterr);
