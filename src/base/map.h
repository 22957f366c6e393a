/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table from int64 keys to places in an array that the caller keeps.
 *
 * It grows by itself and never shrinks; out of memory, or more than MAP_MAX keys, ends the
 * process.  It has no order and cannot be walked: the caller's array can.  Keys come from
 * Belfry itself, not from strangers: the hash has no secret.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
    MAP_NONE = -1,     /* no place: there is no such key                       */
    MAP_MAX = 1 << 28, /* keys: 8 GiB of slots, far above what one node can hold */
};

struct map; /* opaque */

/* `hint` keys fit before the table grows; 0 is fine. */
struct map *map_new(size_t hint);
struct map *map_free(struct map *map); /* accepts NULL, returns NULL */

/* The place of `key`, or MAP_NONE. */
int32_t map_find(const struct map *map, int64_t key);

/* From now on `key` has the place `index` (at least 0), whether or not it had another. */
void map_put(struct map *map, int64_t key, int32_t index);

/* Forgets `key`; returns the place that it had, or MAP_NONE. */
int32_t map_remove(struct map *map, int64_t key);

/* Forgets all keys and keeps the memory; costs the same whatever the size. */
void map_clear(struct map *map);

size_t map_count(const struct map *map);
