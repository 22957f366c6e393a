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
    KNOWN_MAX = 65536,       /* runs, and cursors, each; together at most 36 MiB      */
    KNOWN_QUEUES_MAX = 4096, /* that schedules are made for now; at most 700 KiB       */
};

struct known {
    struct recall *runs, *cursors, *queues;
};

struct known known_new(struct arena *arena, int most);
void known_free(struct known *known);
void known_clear(struct known *known);
/* Others have been at work: forgets what they may have changed. */
void known_doubt(struct known *known);

/* As it was committed: kept while a worker holds it, forgotten when none does. */
void known_put_run(struct known *known, const struct run *run);
void known_drop_run(struct known *known, const struct run *run);
/* Without input and progress; its worker's name is good until the next change. */
bool known_run(const struct known *known, const struct run_id *id, struct run *ret);

/* As it was committed. */
void known_put_cursor(struct known *known, const struct cursor *cursor);
void known_drop_cursor(struct known *known, int64_t schedule);
/* NULL: not known.  Good until the next change. */
const struct cursor *known_cursor(const struct known *known, int64_t schedule);

void known_put_queue(struct known *known, int64_t namespace, struct str name, int64_t key);
/* 0: not known. */
int64_t known_queue(const struct known *known, int64_t namespace, struct str name);
