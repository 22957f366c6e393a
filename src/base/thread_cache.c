/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each thread has one list of free blocks per size.
 */
#include "base/thread_cache.h"

#include <malloc.h>
#include <stdlib.h>

enum {
    STEP = 16,     /* bytes: sizes are multiples of it                                    */
    CLASSES = 9,   /* up to 128 bytes: the table of an object of up to eight keys         */
    KEPT_MAX = 64, /* blocks per size: those of a request; at most 36 KB per thread       */
};

struct free_block {
    struct free_block *next;
};

static _Thread_local struct {
    struct free_block *first;
    int count;
} kept[CLASSES];

void *thread_cache_alloc(size_t size)
{
    size_t size_class = (size + STEP - 1) / STEP;

    if (size_class < CLASSES && kept[size_class].first) {
        struct free_block *block = kept[size_class].first;

        kept[size_class].first = block->next;
        kept[size_class].count--;
        return block;
    }
    return malloc(size_class * STEP);
}

/* The surplus that malloc() adds to a size is always less than one STEP. */
void thread_cache_free(void *block)
{
    size_t size_class = malloc_usable_size(block) / STEP;
    struct free_block *freed = block;

    if (size_class == 0 || size_class >= CLASSES || kept[size_class].count == KEPT_MAX) {
        free(block);
        return;
    }
    freed->next = kept[size_class].first;
    kept[size_class].first = freed;
    kept[size_class].count++;
}
