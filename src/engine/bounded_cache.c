/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/bounded_cache.h"

#include <stdalign.h>
#include <string.h>

#include "base/map.h"
#include "base/must.h"

enum { CHUNK = 256 }; /* things of which memory is taken at once */

struct slot {
    int64_t key;
    int32_t next; /* when it is free: the next free one, MAP_NONE at the end */
    alignas(max_align_t) char thing[];
};

struct recall {
    struct arena *arena;
    struct map *map; /* key to slot */
    size_t size;     /* of a thing */
    size_t stride;   /* of a slot   */
    char **chunks;
    int32_t most;
    int32_t used;   /* slots that were ever needed                          */
    int32_t free;   /* the first that is free again                         */
    int32_t oldest; /* the next to make room, when there is no other        */
};

struct recall *recall_new(struct arena *arena, size_t size, int most)
{
    const size_t align = alignof(max_align_t);
    struct recall *recall = arena_take(arena, sizeof(*recall));
    size_t chunks = ((size_t)most + CHUNK - 1) / CHUNK;

    must(most > 0);
    recall->arena = arena;
    recall->map = map_new(0);
    recall->size = size;
    recall->stride = sizeof(struct slot) + (size + align - 1) / align * align;
    recall->chunks = arena_array(arena, chunks, sizeof(*recall->chunks));
    recall->most = most;
    recall->free = MAP_NONE;
    return recall;
}

void recall_free(struct recall *recall)
{
    map_free(recall->map);
}

void recall_clear(struct recall *recall)
{
    map_clear(recall->map);
    recall->used = 0;
    recall->free = MAP_NONE;
    recall->oldest = 0;
}

static struct slot *slot_at(const struct recall *recall, int32_t index)
{
    return (void *)(recall->chunks[index / CHUNK] + (size_t)(index % CHUNK) * recall->stride);
}

const void *recall_find(const struct recall *recall, int64_t key)
{
    int32_t index = map_find(recall->map, key);

    return index == MAP_NONE ? NULL : slot_at(recall, index)->thing;
}

static int32_t next_unused(struct recall *recall)
{
    char **chunk = &recall->chunks[recall->used / CHUNK];

    if (!*chunk)
        *chunk = arena_array_room(recall->arena, CHUNK, recall->stride);
    return recall->used++;
}

/* A slot for one more thing. */
static int32_t make_room(struct recall *recall)
{
    int32_t index = recall->free;

    if (index != MAP_NONE) {
        recall->free = slot_at(recall, index)->next;
        return index;
    }
    if (recall->used < recall->most)
        return next_unused(recall);
    index = recall->oldest;
    recall->oldest = (index + 1) % recall->most;
    map_remove(recall->map, slot_at(recall, index)->key);
    return index;
}

void recall_put(struct recall *recall, int64_t key, const void *thing)
{
    int32_t index = map_find(recall->map, key);
    struct slot *slot;

    if (index == MAP_NONE) {
        index = make_room(recall);
        map_put(recall->map, key, index);
    }
    slot = slot_at(recall, index);
    slot->key = key;
    memcpy(slot->thing, thing, recall->size);
}

void recall_drop(struct recall *recall, int64_t key)
{
    int32_t index = map_remove(recall->map, key);

    if (index == MAP_NONE)
        return;
    slot_at(recall, index)->next = recall->free;
    recall->free = index;
}
