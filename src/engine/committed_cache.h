/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this node has committed last: runs that workers hold, cursors, and keys of queues.
 *
 * Internal to the engine.  A run is remembered to end it without reading it again: the
 * statement that deletes it says whether it was still there.  A cursor is remembered where
 * nobody else can have changed it since, see turn.is_single.  A queue keeps its key for good.
 */
#pragma once

#include <stdbool.h>

#include "core/cursor.h"
#include "core/run.h"
#include "core/run_id.h"
#include "engine/bounded_cache.h"

enum {
    COMMITTED_MAX = 65536,       /* runs, and cursors, each; together at most 36 MiB      */
    COMMITTED_QUEUES_MAX = 4096, /* that schedules are made for now; at most 700 KiB       */
};

struct committed_cache {
    struct bounded_cache *runs, *cursors, *queues;
};

struct committed_cache committed_new(struct arena *arena, int most);
void committed_free(struct committed_cache *committed);
void committed_clear(struct committed_cache *committed);
/* Others have been at work: forgets what they may have changed. */
void committed_doubt(struct committed_cache *committed);

/* As it was committed: kept while a worker holds it, forgotten when none does. */
void committed_put_run(struct committed_cache *committed, const struct run *run);
void committed_drop_run(struct committed_cache *committed, const struct run *run);
/* Without input and progress; its worker's name is good until the next change. */
bool committed_run(const struct committed_cache *committed, const struct run_id *id,
                   struct run *ret);

/* As it was committed. */
void committed_put_cursor(struct committed_cache *committed, const struct cursor *cursor);
void committed_drop_cursor(struct committed_cache *committed, int64_t schedule);
/* NULL: not known.  Good until the next change. */
const struct cursor *committed_cursor(const struct committed_cache *committed,
                                      int64_t schedule);

void committed_put_queue(struct committed_cache *committed, int64_t namespace, struct str name,
                         int64_t key);
/* 0: not known. */
int64_t committed_queue(const struct committed_cache *committed, int64_t namespace,
                        struct str name);
