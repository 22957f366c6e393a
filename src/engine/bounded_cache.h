/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cache of values of one size by key; when it is full, the oldest value is evicted.
 *
 * Internal to the engine.  A caller that does not find a value here reads it from the database.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct bounded_cache; /* opaque */

/* Allocates memory as it is needed and never releases it. */
struct bounded_cache *bounded_cache_new(struct arena *arena, size_t size, int most);
void bounded_cache_free(struct bounded_cache *cache);
void bounded_cache_clear(struct bounded_cache *cache);

/* NULL: not cached.  Valid until the next bounded_cache_put() or bounded_cache_drop(). */
const void *bounded_cache_find(const struct bounded_cache *cache, int64_t key);
void bounded_cache_put(struct bounded_cache *cache, int64_t key, const void *value);
void bounded_cache_drop(struct bounded_cache *cache, int64_t key);
