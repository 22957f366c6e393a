/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each thread has one list of free blocks per size.
 */
#include "base/thread_cache.h"

#include <malloc.h>
#include <stdlib.h>

enum {
    SIZE_STEP = 16,   /* bytes: sizes are multiples of this */
    SIZE_CLASSES = 9, /* up to 128 bytes: the table of a JSON object with eight keys */
    KEPT_MAX = 64,    /* blocks per size: enough for a request; at most 36 KB per thread */
};

struct free_block {
    struct free_block *next;
};

static _Thread_local struct {
    struct free_block *first;
    int count;
} free_lists[SIZE_CLASSES];

void *thread_cache_alloc(size_t size)
{
    size_t size_class = (size + SIZE_STEP - 1) / SIZE_STEP;

    if (size_class < SIZE_CLASSES && free_lists[size_class].first) {
        struct free_block *block = free_lists[size_class].first;

        free_lists[size_class].first = block->next;
        free_lists[size_class].count--;
        return block;
    }
    return malloc(size_class * SIZE_STEP);
}

/* malloc() may return more than was asked for: the usable size decides the class. */
void thread_cache_free(void *block)
{
    size_t size_class = malloc_usable_size(block) / SIZE_STEP;
    struct free_block *freed = block;

    if (size_class == 0 || size_class >= SIZE_CLASSES ||
        free_lists[size_class].count == KEPT_MAX) {
        free(block);
        return;
    }
    freed->next = free_lists[size_class].first;
    free_lists[size_class].first = freed;
    free_lists[size_class].count++;
}
