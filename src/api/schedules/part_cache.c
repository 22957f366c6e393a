/* SPDX-License-Identifier: Apache-2.0 */
#include "api/schedules/part_cache.h"

#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/must.h"

struct entry {
    uint64_t hash;
    enum schedule_part part;
    struct str kept, shown; /* shown is never empty where there is one */
};

struct part_cache {
    struct entry places[PART_CACHE_PLACES];
    struct arena *base, *texts; /* its own memory, and that of all texts */
};

struct part_cache *part_cache_new(void)
{
    struct arena *base = arena_new(2 * sizeof(struct part_cache));
    struct part_cache *part_cache = arena_take(base, sizeof *part_cache);

    part_cache->base = base;
    part_cache->texts = arena_new((size_t)2 * PART_CACHE_BYTES_MAX);
    return part_cache;
}

struct part_cache *part_cache_free(struct part_cache *part_cache)
{
    if (part_cache) {
        arena_free(part_cache->texts);
        arena_free(part_cache->base);
    }
    return NULL;
}

void part_cache_tidy(struct part_cache *part_cache)
{
    if (arena_used(part_cache->texts) + PART_CACHE_TEXT_MAX <= PART_CACHE_BYTES_MAX)
        return;
    memset(part_cache->places, 0, sizeof part_cache->places);
    arena_reset(part_cache->texts);
}

static uint64_t hash_of(enum schedule_part part, struct str kept)
{
    return hash_u64(hash_bytes(kept.ptr, kept.len, (uint64_t)part));
}

bool part_cache_find(const struct part_cache *part_cache, enum schedule_part part,
                     struct str kept, struct str *ret)
{
    uint64_t hash = hash_of(part, kept);
    const struct entry *entry = &part_cache->places[hash % PART_CACHE_PLACES];

    if (entry->hash != hash || entry->part != part || entry->shown.len == 0 ||
        !str_eq(entry->kept, kept))
        return false;
    *ret = entry->shown;
    return true;
}

void part_cache_put(struct part_cache *part_cache, enum schedule_part part, struct str kept,
                    struct str shown)
{
    uint64_t hash = hash_of(part, kept);

    must(shown.len > 0);
    if (kept.len + shown.len > PART_CACHE_TEXT_MAX ||
        arena_used(part_cache->texts) + PART_CACHE_TEXT_MAX > PART_CACHE_BYTES_MAX)
        return;
    part_cache->places[hash % PART_CACHE_PLACES] = (struct entry){
        .hash = hash,
        .part = part,
        .kept = arena_str(part_cache->texts, kept),
        .shown = arena_str(part_cache->texts, shown),
    };
}
