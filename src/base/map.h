/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash table from int64 keys to indexes into an array that the caller owns.
 *
 * It grows by itself and never shrinks; running out of memory or more than MAP_MAX keys ends
 * the process.  It has no order and cannot be iterated: iterate over the array instead.  Keys
 * must come from Belfry itself, not from clients: the hash has no secret seed.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
    MAP_NONE = -1,     /* the key is not in the table                            */
    MAP_MAX = 1 << 28, /* keys: 8 GiB of slots, far above what one node can hold */
};

struct map; /* opaque */

/* `hint` keys fit before the table grows; 0 is fine. */
struct map *map_new(size_t hint);
struct map *map_free(struct map *map); /* accepts NULL, returns NULL */

/* The index of `key`, or MAP_NONE. */
int32_t map_find(const struct map *map, int64_t key);

/* Sets the index of `key`, at least 0; replaces the previous one, if any. */
void map_put(struct map *map, int64_t key, int32_t index);

/* Removes `key`; returns the index that it had, or MAP_NONE. */
int32_t map_remove(struct map *map, int64_t key);

/* Removes all keys and keeps the memory.  Constant time, but for one call in 65,535. */
void map_clear(struct map *map);

size_t map_count(const struct map *map);
