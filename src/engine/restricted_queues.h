/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues that do not give out whatever is ready: they are paused, or have a limit of runs that
 * workers may have at once.  Internal to the engine.
 *
 * The list is read once a second and may be a second old; what a limit is now, and how much of
 * it is taken, is read under the lock of the queue's row by the turn that gives out.
 */
#pragma once

#include "engine/turn_state.h"

enum queue_restriction {
    RESTRICTION_NONE,    /* all may be had                              */
    RESTRICTION_LIMITED, /* only under the lock of its row, see claim.c */
    RESTRICTION_PAUSED,
};

enum queue_restriction restricted_of(const struct engine_memory *memory, int64_t queue);

/* What the sweep has found. */
void restricted_read(struct turn *turn);

/* From now on its row is asked: it was given a limit. */
void restricted_add(struct engine_memory *memory, int64_t queue);

/* A worker lets go of a run, which is as it was: another may have its place. */
void restricted_freed(struct turn *turn, const struct run *run);
