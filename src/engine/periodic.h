/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work that is done once a second: find silent nodes, queues that other nodes filled and gates
 * that have room, and delete old events and requests.  Internal to the engine.
 */
#pragma once

#include "engine/workset.h"

/* Queued with the first statements of the turn. */
void periodic_send(struct turn *turn);
/* Reads their answers. */
void periodic_read(struct turn *turn);
/* Finds queues of this node's lanes that have ready runs; the turn searches them. */
enum rc periodic_queues(struct turn *turn, struct err *reterr);
