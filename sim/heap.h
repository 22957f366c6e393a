/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A priority queue of future events, the earliest first.
 *
 * A binary heap that grows by itself; running out of memory or more than HEAP_MAX items ends
 * the process.  Only the first item can be removed: a caller that cancels an event lets its
 * item come up and discards it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/instant.h"

enum { HEAP_MAX = 1 << 28 }; /* items: 6 GiB, far above the events of any world */

/*
 * Ordered by `at`, then `seq`, then `index`.  The order of removal depends only on the items,
 * not on the order in which they were pushed.
 */
struct heap_item {
    instant at;
    uint64_t seq;  /* a count of the caller's, for first in, first out among equals */
    int32_t index; /* index into an array of the caller's                           */
};

struct heap; /* opaque */

struct heap *heap_new(void);
struct heap *heap_free(struct heap *heap); /* accepts NULL, returns NULL */

void heap_push(struct heap *heap, struct heap_item item);

/* The first item, or NULL when there is none; valid until the heap is changed. */
const struct heap_item *heap_peek(const struct heap *heap);

/* Removes the first item; returns false and leaves *ret_item unchanged if there is none. */
bool heap_pop(struct heap *heap, struct heap_item *ret_item);

/* Removes all items and keeps the memory. */
void heap_clear(struct heap *heap);

size_t heap_count(const struct heap *heap);
