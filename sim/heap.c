/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A binary heap in an array: the children of the item at `i` are at 2i + 1 and 2i + 2, and no
 * item is ordered before its parent.
 */
#include "sim/heap.h"

#include <stdlib.h>

#include "base/must.h"

enum { HEAP_ROOM_MIN = 64 }; /* items in the first array; it then doubles */

struct heap {
    struct heap_item *items;
    size_t count;
    size_t room;
};

struct heap *heap_new(void)
{
    struct heap *heap = calloc(1, sizeof *heap);

    must(heap != NULL);
    return heap;
}

struct heap *heap_free(struct heap *heap)
{
    if (heap) {
        free(heap->items);
        free(heap);
    }
    return NULL;
}

static bool is_before(const struct heap_item *a, const struct heap_item *b)
{
    if (a->at != b->at)
        return a->at < b->at;
    if (a->seq != b->seq)
        return a->seq < b->seq;
    return a->index < b->index;
}

static void grow(struct heap *heap)
{
    size_t room = heap->room == 0 ? HEAP_ROOM_MIN : 2 * heap->room;
    struct heap_item *items = realloc(heap->items, room * sizeof *items);

    must(items != NULL);
    heap->items = items;
    heap->room = room;
}

void heap_push(struct heap *heap, struct heap_item item)
{
    size_t at = heap->count;

    must(heap->count < HEAP_MAX);
    if (heap->count == heap->room)
        grow(heap);
    heap->count++;
    while (at > 0 && is_before(&item, &heap->items[(at - 1) / 2])) {
        heap->items[at] = heap->items[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap->items[at] = item;
}

const struct heap_item *heap_peek(const struct heap *heap)
{
    return heap->count > 0 ? &heap->items[0] : NULL;
}

/* Puts `item` at the top, which is free, and moves it down to its place in the order. */
static void sift_down(struct heap *heap, struct heap_item item)
{
    struct heap_item *items = heap->items;
    size_t at = 0;

    for (size_t child = 1; child < heap->count; child = 2 * at + 1) {
        if (child + 1 < heap->count && is_before(&items[child + 1], &items[child]))
            child++;
        if (!is_before(&items[child], &item))
            break;
        items[at] = items[child];
        at = child;
    }
    items[at] = item;
}

bool heap_pop(struct heap *heap, struct heap_item *ret_item)
{
    if (heap->count == 0)
        return false;
    *ret_item = heap->items[0];
    heap->count--;
    if (heap->count > 0)
        sift_down(heap, heap->items[heap->count]);
    return true;
}

void heap_clear(struct heap *heap)
{
    heap->count = 0;
}

size_t heap_count(const struct heap *heap)
{
    return heap->count;
}
