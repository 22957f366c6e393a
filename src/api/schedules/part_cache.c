/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A direct-mapped cache of the printed parts of schedules.
 */
#include "api/schedules/part_cache.h"

#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/must.h"

struct entry {
    uint64_t hash;
    enum schedule_part part;
    struct str stored, shown; /* shown is empty only if the entry is unused */
};

struct part_cache {
    struct entry entries[PART_CACHE_PLACES];
    struct arena *base, *texts; /* memory of the cache itself, and of all texts */
};

struct part_cache *part_cache_new(void)
{
    struct arena *base = arena_new(2 * sizeof(struct part_cache));
    struct part_cache *cache = arena_take(base, sizeof *cache);

    cache->base = base;
    cache->texts = arena_new((size_t)2 * PART_CACHE_BYTES_MAX);
    return cache;
}

struct part_cache *part_cache_free(struct part_cache *cache)
{
    if (cache) {
        arena_free(cache->texts);
        arena_free(cache->base);
    }
    return NULL;
}

void part_cache_tidy(struct part_cache *cache)
{
    if (arena_used(cache->texts) + PART_CACHE_TEXT_MAX <= PART_CACHE_BYTES_MAX)
        return;
    memset(cache->entries, 0, sizeof cache->entries);
    arena_reset(cache->texts);
}

static uint64_t hash_part(enum schedule_part part, struct str stored)
{
    return hash_u64(hash_bytes(stored.ptr, stored.len, (uint64_t)part));
}

bool part_cache_find(const struct part_cache *cache, enum schedule_part part, struct str stored,
                     struct str *ret)
{
    uint64_t hash = hash_part(part, stored);
    const struct entry *entry = &cache->entries[hash % PART_CACHE_PLACES];

    if (entry->hash != hash || entry->part != part || entry->shown.len == 0 ||
        !str_eq(entry->stored, stored))
        return false;
    *ret = entry->shown;
    return true;
}

void part_cache_put(struct part_cache *cache, enum schedule_part part, struct str stored,
                    struct str shown)
{
    uint64_t hash = hash_part(part, stored);

    must(shown.len > 0);
    if (stored.len + shown.len > PART_CACHE_TEXT_MAX ||
        arena_used(cache->texts) + PART_CACHE_TEXT_MAX > PART_CACHE_BYTES_MAX)
        return;
    cache->entries[hash % PART_CACHE_PLACES] = (struct entry){
        .hash = hash,
        .part = part,
        .stored = arena_str(cache->texts, stored),
        .shown = arena_str(cache->texts, shown),
    };
}
