/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks that are filled one after the other.  A plan that is read at a new version is put
 * behind the others; its old place is lost until its block is emptied.
 */
#include "engine/plan_cache.h"

#include <string.h>

#include "base/map.h"
#include "base/must.h"

enum {
    PLAN_BYTES_MAX = 64 << 10, /* of one that is kept: most are a few hundred bytes       */
    UNIT = 8,                  /* places are counted in these, so that a map can hold them */
};

struct kept {
    int64_t schedule, version, namespace;
    uint32_t packed, action, name; /* lengths; the texts follow each other */
    uint32_t size;                 /* of all this, whole units             */
    char text[];
};

struct block {
    char *bytes; /* NULL: not needed so far */
    size_t used;
};

struct plans {
    struct arena *arena;
    struct map *map; /* schedule to place, in units from the first block's begin */
    size_t block_size;
    struct block blocks[PLANS_BLOCKS];
    int at; /* the block that is being filled */
};

struct plans *plans_new(struct arena *arena, size_t bytes)
{
    struct plans *plans = arena_take(arena, sizeof(*plans));

    must(bytes / UNIT <= INT32_MAX);
    plans->arena = arena;
    plans->map = map_new(0);
    plans->block_size = bytes / PLANS_BLOCKS / UNIT * UNIT;
    return plans;
}

void plans_free(struct plans *plans)
{
    map_free(plans->map);
}

static int32_t place_of(const struct plans *plans, int block, size_t offset)
{
    return (int32_t)(((size_t)block * plans->block_size + offset) / UNIT);
}

static struct kept *kept_at(const struct plans *plans, int32_t place)
{
    size_t at = (size_t)place * UNIT;

    return (void *)(plans->blocks[at / plans->block_size].bytes + at % plans->block_size);
}

bool plans_has(const struct plans *plans, int64_t schedule)
{
    return map_find(plans->map, schedule) != MAP_NONE;
}

bool plans_find(const struct plans *plans, int64_t schedule, int64_t version,
                struct plan_text *ret)
{
    int32_t place = map_find(plans->map, schedule);
    const struct kept *kept = place == MAP_NONE ? NULL : kept_at(plans, place);

    if (!kept || kept->version != version)
        return false;
    *ret = (struct plan_text){
        .namespace = kept->namespace,
        .packed = {kept->text, kept->packed},
        .action = {kept->text + kept->packed, kept->action},
        .name = {kept->text + kept->packed + kept->action, kept->name},
    };
    return true;
}

/* Forgets what is in a block, unless it has a newer place. */
static void empty(struct plans *plans, int index)
{
    struct block *block = &plans->blocks[index];

    for (size_t offset = 0; offset < block->used;) {
        int32_t place = place_of(plans, index, offset);
        const struct kept *kept = kept_at(plans, place);

        if (map_find(plans->map, kept->schedule) == place)
            map_remove(plans->map, kept->schedule);
        offset += kept->size;
    }
    block->used = 0;
}

/* Where `size` more bytes go. */
static int32_t make_room(struct plans *plans, size_t size)
{
    struct block *block = &plans->blocks[plans->at];
    size_t offset;

    if (block->used + size > plans->block_size) {
        plans->at = (plans->at + 1) % PLANS_BLOCKS;
        empty(plans, plans->at);
        block = &plans->blocks[plans->at];
    }
    if (!block->bytes)
        block->bytes = arena_room(plans->arena, plans->block_size);
    offset = block->used;
    block->used += size;
    return place_of(plans, plans->at, offset);
}

/* Returns where the next one goes. */
static char *put(char *to, struct str text)
{
    if (text.len > 0)
        memcpy(to, text.ptr, text.len);
    return to + text.len;
}

void plans_put(struct plans *plans, int64_t schedule, int64_t version,
               const struct plan_text *text)
{
    size_t size = sizeof(struct kept) + text->packed.len + text->action.len + text->name.len;
    struct kept *kept;
    int32_t place;
    char *to;

    size = (size + UNIT - 1) / UNIT * UNIT;
    if (size > PLAN_BYTES_MAX || size > plans->block_size)
        return; /* an older version that stays is never asked for again */
    place = make_room(plans, size);
    map_put(plans->map, schedule, place);
    kept = kept_at(plans, place);
    *kept = (struct kept){
        .schedule = schedule,
        .version = version,
        .namespace = text->namespace,
        .packed = (uint32_t)text->packed.len,
        .action = (uint32_t)text->action.len,
        .name = (uint32_t)text->name.len,
        .size = (uint32_t)size,
    };
    to = put(kept->text, text->packed);
    to = put(to, text->action);
    put(to, text->name);
}
