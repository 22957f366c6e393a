/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ledger of a schedule: notes the outcome of slots that were not started, merges
 * consecutive slots with the same outcome into one row, and counts them in the cursor.
 * Internal to the engine.
 */
#pragma once

#include "engine/workset.h"

/* When a row of ledger or history that is written now expires. */
instant ledger_expires_at(const struct turn *turn, const struct work_schedule *sched);

/* Notes the outcome of slots of pass 0; sched_write() writes them to the ledger, in order. */
void ledger_note(struct turn *turn, struct work_schedule *sched, const struct account *account);
void ledger_note_one(struct turn *turn, struct work_schedule *sched, instant slot,
                     enum outcome outcome, enum reason reason);

/* Writes one row at once and counts it; extends: adds it to the last row of the schedule. */
void ledger_write(struct turn *turn, struct work_schedule *sched, const struct account *account,
                  int64_t pass, bool extends);

/* Writes the ledger and the cursor of a schedule. */
void sched_write(struct turn *turn, struct work_schedule *sched);
