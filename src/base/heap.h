/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is to happen and when, the soonest first.
 *
 * A binary heap that grows by itself; out of memory, or more than HEAP_MAX items, ends the
 * process.  Nothing is removed but the first: who changes their mind lets the item come up
 * and discards it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/instant.h"

enum { HEAP_MAX = 1 << 28 }; /* items: 6 GiB, far above what one node can have in flight */

/*
 * Ordered by `at`, then `seq`, then `index`: what was pushed decides the order in which it
 * comes out, and the order of pushing does not.
 */
struct heap_item {
    instant at;
    uint64_t seq;  /* the caller's count, for first in, first out among equals */
    int32_t index; /* what it is about: a place in an array of the caller      */
};

struct heap; /* opaque */

struct heap *heap_new(void);
struct heap *heap_free(struct heap *heap); /* accepts NULL, returns NULL */

void heap_push(struct heap *heap, struct heap_item item);

/* The first item, or NULL when there is none; valid until the heap is changed. */
const struct heap_item *heap_peek(const struct heap *heap);

/* Takes the first item out; false, with *ret_item untouched, when there is none. */
bool heap_pop(struct heap *heap, struct heap_item *ret_item);

/* Forgets all items and keeps the memory. */
void heap_clear(struct heap *heap);

size_t heap_count(const struct heap *heap);
