/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans as they were last read, by schedule and version.
 *
 * Internal to the engine.  A run mostly ends soon after it began, so that its schedule's plan
 * need not be read a second time.  What is kept was committed under its version and is used
 * only by whoever holds the cursor at that version; a plan that is large is not kept.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

enum {
    PLAN_CACHE_BYTES = 32 << 20, /* of memory, taken as it is needed: some 80,000 usual plans */
    PLAN_CACHE_BLOCKS = 16,      /* when they are full the oldest makes room                  */
};

struct plan_cache; /* opaque */

struct plan_text {
    int64_t namespace;
    struct str packed, action, name;
};

/* One that needs more than a block is not kept. */
struct plan_cache *plan_cache_new(struct arena *arena, size_t bytes);
void plan_cache_free(struct plan_cache *plan_cache);

/* Whether there is one of any version. */
bool plan_cache_has(const struct plan_cache *plan_cache, int64_t schedule);
/* The texts are good until the next plan_cache_put(). */
bool plan_cache_find(const struct plan_cache *plan_cache, int64_t schedule, int64_t version,
                     struct plan_text *ret);
void plan_cache_put(struct plan_cache *plan_cache, int64_t schedule, int64_t version,
                    const struct plan_text *text);
