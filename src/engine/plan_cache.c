/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of memory that are filled one after the other.  A new version of a plan is appended;
 * the space of the old version is lost until its block is emptied.
 */
#include "engine/plan_cache.h"

#include <string.h>

#include "base/map.h"
#include "base/must.h"

enum {
    PLAN_BYTES_MAX = 64 << 10, /* of one plan; most have a few hundred bytes           */
    UNIT = 8,                  /* bytes; positions count units, so that they fit a map */
};

struct cached_plan {
    int64_t schedule, version, namespace;
    uint32_t packed, action, name; /* lengths of the texts, which follow in this order */
    uint32_t size;                 /* of the entry, in bytes, whole units              */
    char text[];
};

struct block {
    char *bytes; /* NULL: not allocated yet */
    size_t used;
};

struct plan_cache {
    struct arena *arena;
    struct map *map; /* schedule to position, in units from the start of the first block */
    size_t block_size;
    struct block blocks[PLAN_CACHE_BLOCKS];
    int at; /* index of the block that is being filled */
};

struct plan_cache *plan_cache_new(struct arena *arena, size_t bytes)
{
    struct plan_cache *plan_cache = arena_take(arena, sizeof(*plan_cache));

    must(bytes / UNIT <= INT32_MAX);
    plan_cache->arena = arena;
    plan_cache->map = map_new(0);
    plan_cache->block_size = bytes / PLAN_CACHE_BLOCKS / UNIT * UNIT;
    return plan_cache;
}

void plan_cache_free(struct plan_cache *plan_cache)
{
    map_free(plan_cache->map);
}

static int32_t unit_of(const struct plan_cache *plan_cache, int block, size_t offset)
{
    return (int32_t)(((size_t)block * plan_cache->block_size + offset) / UNIT);
}

static struct cached_plan *cached_at(const struct plan_cache *plan_cache, int32_t unit)
{
    size_t at = (size_t)unit * UNIT;

    must(at / plan_cache->block_size < PLAN_CACHE_BLOCKS);
    return (void *)(plan_cache->blocks[at / plan_cache->block_size].bytes +
                    at % plan_cache->block_size);
}

bool plan_cache_has(const struct plan_cache *plan_cache, int64_t schedule)
{
    return map_find(plan_cache->map, schedule) != MAP_NONE;
}

bool plan_cache_find(const struct plan_cache *plan_cache, int64_t schedule, int64_t version,
                     struct plan_text *ret)
{
    int32_t unit = map_find(plan_cache->map, schedule);
    const struct cached_plan *cached = unit == MAP_NONE ? NULL : cached_at(plan_cache, unit);

    if (!cached || cached->version != version)
        return false;
    must(cached->schedule == schedule); /* else a run would get the action of another */
    *ret = (struct plan_text){
        .namespace = cached->namespace,
        .packed = {cached->text, cached->packed},
        .action = {cached->text + cached->packed, cached->action},
        .name = {cached->text + cached->packed + cached->action, cached->name},
    };
    return true;
}

/* Empties a block; a plan that has a newer version in another block stays cached. */
static void empty_block(struct plan_cache *plan_cache, int index)
{
    struct block *block = &plan_cache->blocks[index];

    for (size_t offset = 0; offset < block->used;) {
        int32_t unit = unit_of(plan_cache, index, offset);
        const struct cached_plan *cached = cached_at(plan_cache, unit);

        must(cached->size > 0 && offset + cached->size <= block->used);
        if (map_find(plan_cache->map, cached->schedule) == unit)
            map_remove(plan_cache->map, cached->schedule);
        offset += cached->size;
    }
    block->used = 0;
}

/* Reserves `size` bytes and returns their position. */
static int32_t make_room(struct plan_cache *plan_cache, size_t size)
{
    struct block *block = &plan_cache->blocks[plan_cache->at];
    size_t offset;

    if (block->used + size > plan_cache->block_size) {
        plan_cache->at = (plan_cache->at + 1) % PLAN_CACHE_BLOCKS;
        empty_block(plan_cache, plan_cache->at);
        block = &plan_cache->blocks[plan_cache->at];
    }
    if (!block->bytes)
        block->bytes = arena_take_raw(plan_cache->arena, plan_cache->block_size);
    offset = block->used;
    block->used += size;
    must(block->used <= plan_cache->block_size);
    return unit_of(plan_cache, plan_cache->at, offset);
}

/* Returns the end of the copied text. */
static char *append_text(char *to, struct str text)
{
    if (text.len > 0)
        memcpy(to, text.ptr, text.len);
    return to + text.len;
}

void plan_cache_put(struct plan_cache *plan_cache, int64_t schedule, int64_t version,
                    const struct plan_text *text)
{
    size_t size = sizeof(struct cached_plan) + text->packed.len + text->action.len +
                  text->name.len;
    struct cached_plan *cached;
    int32_t unit;
    char *to;

    size = (size + UNIT - 1) / UNIT * UNIT;
    if (size > PLAN_BYTES_MAX || size > plan_cache->block_size)
        return; /* an older version may stay cached: no turn looks it up again */
    unit = make_room(plan_cache, size);
    map_put(plan_cache->map, schedule, unit);
    cached = cached_at(plan_cache, unit);
    *cached = (struct cached_plan){
        .schedule = schedule,
        .version = version,
        .namespace = text->namespace,
        .packed = (uint32_t)text->packed.len,
        .action = (uint32_t)text->action.len,
        .name = (uint32_t)text->name.len,
        .size = (uint32_t)size,
    };
    to = append_text(cached->text, text->packed);
    to = append_text(to, text->action);
    to = append_text(to, text->name);
    must(to <= (char *)cached + size);
}
