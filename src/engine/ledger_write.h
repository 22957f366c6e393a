/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ledger of a schedule: notes the outcome of slots that were not started, merges
 * consecutive slots of a day with the same outcome into one row, and counts them in the cursor.
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

/* Writes the row of a held run that ends without having started, and counts it. */
void ledger_write_held(struct turn *turn, const struct work_run *work,
                       const struct account *account);

/* The day of a slot in the zone of the schedule; in UTC if the zone is not known. */
int64_t sched_day(const struct work_schedule *sched, instant slot);

/* Writes the ledger and the cursor of a schedule. */
void sched_write(struct turn *turn, struct work_schedule *sched);
