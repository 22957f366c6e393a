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

struct bounded_cache; /* opaque */

/* Memory is taken as it is needed and kept. */
struct bounded_cache *bounded_cache_new(struct arena *arena, size_t size, int most);
void bounded_cache_free(struct bounded_cache *cache);
void bounded_cache_clear(struct bounded_cache *cache);

/* NULL: not known.  Good until the next bounded_cache_put() or bounded_cache_drop(). */
const void *bounded_cache_find(const struct bounded_cache *cache, int64_t key);
void bounded_cache_put(struct bounded_cache *cache, int64_t key, const void *thing);
void bounded_cache_drop(struct bounded_cache *cache, int64_t key);
