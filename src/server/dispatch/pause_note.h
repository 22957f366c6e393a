/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The note of a schedule that pauses because a run has failed.
 */
#pragma once

#include "engine/engine.h"

/*
 * For engine_options.pause_note: names the workflow and its failure, as Temporal does, if the
 * action is a workflow of Temporal; otherwise appends nothing.
 */
void pause_note(const struct pause_cause *cause, struct buf *out);
