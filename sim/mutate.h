/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Falsifies records: one row of the ledger or one started slot is dropped, doubled or forgotten
 * with all that counts it; a row is moved by a slot, or its reason or count is changed; a mark
 * passes a slot.  The judge must reject every such record.
 */
#pragma once

#include "base/prng.h"
#include "sim/record.h"

/* What was changed, and how to change it back. */
struct mutation {
    const char *what; /* "a dropped row of the ledger" … */
    int64_t schedule;
    instant slot;
    struct record original;
};

/*
 * Falsifies a record.  False if nothing in it must be noticed: several nodes, a stepped clock,
 * or only schedules with retention or with edits within their jitter (docs/invariants.md).
 */
bool mutate(struct record *record, struct prng *prng, struct mutation *ret);

/* Restores the record. */
void mutate_back(struct record *record, struct mutation *mutation);
