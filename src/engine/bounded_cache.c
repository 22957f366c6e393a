/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A map from key to slot; slots come from chunks that are allocated as needed.
 * A dropped slot is used first, then an unused one, then the oldest.
 */
#include "engine/bounded_cache.h"

#include <stdalign.h>
#include <string.h>

#include "base/map.h"
#include "base/must.h"

enum { CHUNK = 256 }; /* slots per allocation */

struct slot {
    int64_t key;
    int32_t next; /* of a free slot: the next free one, MAP_NONE: none */
    alignas(max_align_t) char value[];
};

struct bounded_cache {
    struct arena *arena;
    struct map *map; /* key to slot */
    size_t size;     /* of a value  */
    size_t stride;   /* of a slot   */
    char **chunks;
    int32_t most;
    int32_t used;   /* slots that were ever used                       */
    int32_t free;   /* the first free one among them, MAP_NONE: none   */
    int32_t oldest; /* the next to evict, when all slots are occupied  */
};

struct bounded_cache *bounded_cache_new(struct arena *arena, size_t size, int most)
{
    const size_t align = alignof(max_align_t);
    struct bounded_cache *cache = arena_take(arena, sizeof(*cache));
    size_t chunks = ((size_t)most + CHUNK - 1) / CHUNK;

    must(most > 0);
    cache->arena = arena;
    cache->map = map_new(0);
    cache->size = size;
    cache->stride = sizeof(struct slot) + (size + align - 1) / align * align;
    cache->chunks = arena_array(arena, chunks, sizeof(*cache->chunks));
    cache->most = most;
    cache->free = MAP_NONE;
    return cache;
}

void bounded_cache_free(struct bounded_cache *cache)
{
    map_free(cache->map);
}

void bounded_cache_clear(struct bounded_cache *cache)
{
    map_clear(cache->map);
    cache->used = 0;
    cache->free = MAP_NONE;
    cache->oldest = 0;
}

static struct slot *slot_at(const struct bounded_cache *cache, int32_t index)
{
    return (void *)(cache->chunks[index / CHUNK] + (size_t)(index % CHUNK) * cache->stride);
}

const void *bounded_cache_find(const struct bounded_cache *cache, int64_t key)
{
    int32_t index = map_find(cache->map, key);

    return index == MAP_NONE ? NULL : slot_at(cache, index)->value;
}

static int32_t next_unused(struct bounded_cache *cache)
{
    char **chunk = &cache->chunks[cache->used / CHUNK];

    must(cache->used < cache->most);
    if (!*chunk)
        *chunk = arena_array_raw(cache->arena, CHUNK, cache->stride);
    return cache->used++;
}

/* Returns a slot for a new value. */
static int32_t make_room(struct bounded_cache *cache)
{
    int32_t index = cache->free, removed;

    if (index != MAP_NONE) {
        must(index < cache->used);
        cache->free = slot_at(cache, index)->next;
        return index;
    }
    if (cache->used < cache->most)
        return next_unused(cache);
    index = cache->oldest;
    cache->oldest = (index + 1) % cache->most;
    removed = map_remove(cache->map, slot_at(cache, index)->key);
    /* Else a later lookup of that key would return the new value. */
    must(removed == index);
    return index;
}

void bounded_cache_put(struct bounded_cache *cache, int64_t key, const void *value)
{
    int32_t index = map_find(cache->map, key);
    struct slot *slot;

    if (index == MAP_NONE) {
        index = make_room(cache);
        map_put(cache->map, key, index);
    }
    must(index >= 0 && index < cache->used && map_count(cache->map) <= (size_t)cache->most);
    slot = slot_at(cache, index);
    slot->key = key;
    memcpy(slot->value, value, cache->size);
}

void bounded_cache_drop(struct bounded_cache *cache, int64_t key)
{
    int32_t index = map_remove(cache->map, key);

    if (index == MAP_NONE)
        return;
    must(slot_at(cache, index)->key == key);
    slot_at(cache, index)->next = cache->free;
    cache->free = index;
}
