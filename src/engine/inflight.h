/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls that this node has made and that have not ended, as they were committed.
 *
 * Internal to the engine.  A call that succeeds ends its run without reading it again: the
 * statement that deletes the run says whether it was still there.
 */
#pragma once

#include "base/arena.h"
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

int inflight_count(const struct inflight *inflight);
const struct inflight_run *inflight_at(const struct inflight *inflight, int index);
