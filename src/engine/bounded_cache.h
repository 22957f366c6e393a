/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Things of one size by key, a bounded number of them: the oldest makes room.
 *
 * Internal to the engine.  Whoever does not find a thing here reads it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct recall; /* opaque */

/* Memory is taken as it is needed and kept. */
struct recall *recall_new(struct arena *arena, size_t size, int most);
void recall_free(struct recall *recall);
void recall_clear(struct recall *recall);

/* NULL: not known.  Good until the next recall_put() or recall_drop(). */
const void *recall_find(const struct recall *recall, int64_t key);
void recall_put(struct recall *recall, int64_t key, const void *thing);
void recall_drop(struct recall *recall, int64_t key);
