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

struct flight {
    struct run run; /* without its texts */
    instant deadline;
};

struct flights; /* opaque */

struct flights *flights_new(struct arena *arena);
void flights_free(struct flights *flights);
void flights_clear(struct flights *flights);

void flights_add(struct flights *flights, const struct run *run, instant deadline);
void flights_remove(struct flights *flights, int64_t key);

/* NULL: none. */
const struct flight *flights_find(const struct flights *flights, const struct run_id *run);
const struct flight *flights_by_key(const struct flights *flights, int64_t key);

int flights_count(const struct flights *flights);
const struct flight *flights_at(const struct flights *flights, int index);
