/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Caches what this node has committed: runs that workers hold, cursors, and keys of queues.
 *
 * Internal to the engine.  With a cached run the engine can end the run without reading it: the
 * statement that deletes the row shows whether it still existed.  A cached cursor is used only
 * where no one else can have changed it, see turn.is_single.  The key of a queue never changes.
 */
#pragma once

#include <stdbool.h>

#include "core/cursor.h"
#include "core/run.h"
#include "core/run_id.h"
#include "engine/bounded_cache.h"

enum {
    COMMITTED_MAX = 65536,       /* runs, and cursors, each; together at most 36 MiB */
    COMMITTED_QUEUES_MAX = 4096, /* queues of new schedules; at most 700 KiB         */
};

struct committed_cache {
    struct bounded_cache *runs, *cursors, *queues;
};

struct committed_cache committed_new(struct arena *arena, int most);
void committed_free(struct committed_cache *committed);
void committed_clear(struct committed_cache *committed);
/* Drops runs and cursors: other nodes may have changed them.  Keys of queues stay. */
void committed_drop_rows(struct committed_cache *committed);

/* The run as committed: cached while a worker holds it, dropped otherwise. */
void committed_put_run(struct committed_cache *committed, const struct run *run);
void committed_drop_run(struct committed_cache *committed, const struct run *run);
/* False: not cached.  *ret lacks input and progress; its `worker` is valid until a change. */
bool committed_run(const struct committed_cache *committed, const struct run_id *id,
                   struct run *ret);

/* The cursor as committed. */
void committed_put_cursor(struct committed_cache *committed, const struct cursor *cursor);
void committed_drop_cursor(struct committed_cache *committed, int64_t schedule);
/* NULL: not cached.  Valid until the next change. */
const struct cursor *committed_cursor(const struct committed_cache *committed,
                                      int64_t schedule);

void committed_put_queue(struct committed_cache *committed, int64_t namespace, struct str name,
                         int64_t key);
/* 0: not cached. */
int64_t committed_queue(const struct committed_cache *committed, int64_t namespace,
                        struct str name);
