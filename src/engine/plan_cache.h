/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Caches plans by schedule and version.
 *
 * Internal to the engine.  Most runs end soon after they start, so the cache saves reading the
 * plan of the schedule a second time.  A cached plan was committed with its version; a turn
 * uses it only if the cursor, locked or cached, has that version.  Large plans are not cached.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

enum {
    PLAN_CACHE_BYTES = 32 << 20, /* allocated as needed; some 80,000 usual plans */
    PLAN_CACHE_BLOCKS = 16,      /* when all are full, the oldest is emptied     */
};

struct plan_cache; /* opaque */

struct plan_text {
    int64_t namespace;
    struct str packed, action, name;
};

/* A plan that needs more than a block is not cached. */
struct plan_cache *plan_cache_new(struct arena *arena, size_t bytes);
void plan_cache_free(struct plan_cache *plan_cache);

/* True when a plan of any version is cached. */
bool plan_cache_has(const struct plan_cache *plan_cache, int64_t schedule);
/* The texts are valid until the next plan_cache_put(). */
bool plan_cache_find(const struct plan_cache *plan_cache, int64_t schedule, int64_t version,
                     struct plan_text *ret);
void plan_cache_put(struct plan_cache *plan_cache, int64_t schedule, int64_t version,
                    const struct plan_text *text);
