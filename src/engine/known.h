/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this node has committed last: runs that workers hold, and cursors.
 *
 * Internal to the engine.  A run is remembered to end it without reading it again: the
 * statement that deletes it says whether it was still there.  A cursor is remembered where
 * nobody else can have changed it since, see turn.is_single.
 */
#pragma once

#include <stdbool.h>

#include "core/cursor.h"
#include "core/run.h"
#include "core/run_id.h"
#include "engine/recall.h"

enum { KNOWN_MAX = 65536 }; /* runs, and cursors, each; together at most 36 MiB */

struct known {
    struct recall *runs, *cursors;
};

struct known known_new(struct arena *arena, int most);
void known_free(struct known *known);
void known_clear(struct known *known);

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
