/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues that are paused, or that limit how many of their runs workers may hold at once.
 * Internal to the engine.
 *
 * The list is read once a second and may be a second old.  The turn that claims runs reads the
 * current limit and its use under the lock of the queue's row.
 */
#pragma once

#include "engine/turn_state.h"

enum queue_restriction {
    RESTRICTION_NONE,    /* any ready run may be claimed                  */
    RESTRICTION_LIMITED, /* claim only under the lock of its row, claim.c */
    RESTRICTION_PAUSED,
};

enum queue_restriction restricted_state(const struct engine_memory *memory, int64_t queue);

/* Reads the list that periodic.c has queried. */
void restricted_read(struct turn *turn);

/* The queue now has a limit: claims must lock its row. */
void restricted_add(struct engine_memory *memory, int64_t queue);

/* A worker releases this run: there is room in its queue.  Call before the state changes. */
void restricted_freed(struct turn *turn, const struct run *run);
