/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash table with open addressing and linear probing.  A key is in its home slot, which its
 * hash determines, or in a later slot with no free slot between; so a search can end at the
 * first free slot.
 */
#include "base/map.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/must.h"

enum { MAP_SLOTS_MIN = 16 }; /* four cache lines: the smallest table worth an allocation */

struct slot {
    int64_t key;
    int32_t index;
    uint16_t round; /* in use if it equals the map's round; fits into the padding */
};

struct map {
    struct slot *slots;
    size_t mask; /* slots - 1; their number is a power of two */
    size_t count;
    uint16_t round; /* at least 1; map_clear() increments it, which frees all slots */
};

/* At most three of four slots are in use: a miss then probes nine slots on average. */
static size_t keys_max(size_t slots)
{
    return slots / 4 * 3;
}

static struct slot *new_slots(size_t slots)
{
    struct slot *ret = calloc(slots, sizeof *ret);

    must(ret != NULL);
    return ret;
}

struct map *map_new(size_t hint)
{
    struct map *map = calloc(1, sizeof *map);
    size_t slots = MAP_SLOTS_MIN;

    must(map != NULL && hint <= MAP_MAX);
    while (keys_max(slots) < hint)
        slots *= 2;
    map->slots = new_slots(slots);
    map->mask = slots - 1;
    map->round = 1;
    return map;
}

struct map *map_free(struct map *map)
{
    if (map) {
        free(map->slots);
        free(map);
    }
    return NULL;
}

static bool is_used(const struct map *map, size_t at)
{
    return map->slots[at].round == map->round;
}

static size_t home_of(const struct map *map, int64_t key)
{
    return (size_t)hash_u64((uint64_t)key) & map->mask;
}

/* The slot of `key`, or the free slot into which it would go. */
static size_t seek(const struct map *map, int64_t key)
{
    size_t at = home_of(map, key);

    while (is_used(map, at) && map->slots[at].key != key)
        at = (at + 1) & map->mask;
    return at;
}

int32_t map_find(const struct map *map, int64_t key)
{
    size_t at = seek(map, key);

    return is_used(map, at) ? map->slots[at].index : MAP_NONE;
}

static void grow(struct map *map)
{
    struct map old = *map;

    map->slots = new_slots(2 * (old.mask + 1));
    map->mask = 2 * old.mask + 1;
    for (size_t i = 0; i <= old.mask; i++)
        if (is_used(&old, i))
            map->slots[seek(map, old.slots[i].key)] = old.slots[i];
    free(old.slots);
}

void map_put(struct map *map, int64_t key, int32_t index)
{
    size_t at = seek(map, key);

    must(index >= 0);
    if (!is_used(map, at)) {
        must(map->count < MAP_MAX);
        if (map->count == keys_max(map->mask + 1)) {
            grow(map);
            at = seek(map, key);
        }
        map->count++;
    }
    map->slots[at] = (struct slot){.key = key, .index = index, .round = map->round};
}

/*
 * Frees a slot without a tombstone: moves later keys into the hole.  A key may not move to a
 * slot before its home, so it stays if it is nearer to its home than to the hole.
 */
static void close_gap(struct map *map, size_t hole)
{
    for (size_t at = (hole + 1) & map->mask; is_used(map, at); at = (at + 1) & map->mask) {
        size_t from_home = (at - home_of(map, map->slots[at].key)) & map->mask;

        if (from_home < ((at - hole) & map->mask))
            continue;
        map->slots[hole] = map->slots[at];
        hole = at;
    }
    map->slots[hole].round = 0;
}

int32_t map_remove(struct map *map, int64_t key)
{
    size_t at = seek(map, key);
    int32_t index;

    if (!is_used(map, at))
        return MAP_NONE;
    index = map->slots[at].index;
    close_gap(map, at);
    map->count--;
    return index;
}

void map_clear(struct map *map)
{
    map->count = 0;
    if (map->round < UINT16_MAX) {
        map->round++;
        return;
    }
    /* The round would wrap, and old slots would look used again: clear them all. */
    memset(map->slots, 0, (map->mask + 1) * sizeof *map->slots);
    map->round = 1;
}

size_t map_count(const struct map *map)
{
    return map->count;
}
