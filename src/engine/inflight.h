/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of this node that have not ended, with their runs as committed.
 *
 * Internal to the engine.  When a call succeeds, the engine ends the run without reading it:
 * the statement that deletes the row shows whether it still existed.
 */
#pragma once

#include "base/arena.h"
#include "base/hash.h"
#include "core/run.h"
#include "core/run_id.h"

struct inflight_run {
    struct run run; /* without its texts */
    instant deadline;
};

struct inflight; /* opaque */

struct inflight *inflight_new(struct arena *arena);
void inflight_free(struct inflight *inflight);
void inflight_clear(struct inflight *inflight);

void inflight_add(struct inflight *inflight, const struct run *run, instant deadline);
void inflight_remove(struct inflight *inflight, int64_t key);

/* NULL: none. */
const struct inflight_run *inflight_find(const struct inflight *inflight,
                                         const struct run_id *run);
const struct inflight_run *inflight_by_key(const struct inflight *inflight, int64_t key);

/* Whether a deadline has passed.  Usually without a search: there may be very many calls. */
bool inflight_has_overdue(struct inflight *inflight, instant now);

int inflight_count(const struct inflight *inflight);
const struct inflight_run *inflight_at(const struct inflight *inflight, int index);

/* A hash of a run's identity, as a key of maps; different runs may have the same. */
static inline int64_t run_hash(int64_t schedule, instant slot, int64_t pass)
{
    return (int64_t)hash_u64(hash_u64(hash_u64((uint64_t)schedule) + (uint64_t)slot) +
                             (uint64_t)pass);
}
