/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who carries out what is ready: this node's own calls, and workers that wait.
 * Internal to the engine.
 */
#pragma once

#include "engine/workset.h"

/* Before all else: which queues polls want to have searched. */
void claim_heat(struct turn *turn);

/* Runs that became ready in this turn: taken at once, in their place among the ready ones. */
enum rc claim_fresh(struct turn *turn, struct err *reterr);

/* Gates that have room again: those that wait for them are ready again. */
enum rc claim_open_gates(struct turn *turn, struct err *reterr);

/* Runs that were ready before, best rank first. */
enum rc claim_ready(struct turn *turn, struct err *reterr);

void claim_make_hot(struct engine_memory *memory, int64_t lane, int64_t queue);
