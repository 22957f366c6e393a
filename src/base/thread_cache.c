/* SPDX-License-Identifier: Apache-2.0 */
#include "base/thread_cache.h"

#include <malloc.h>
#include <stdlib.h>

enum {
    STEP = 16, /* bytes: sizes are multiples of it                           */
    SIZES = 9, /* up to 128 bytes: the table of an object of up to eight keys */
    KEPT = 64, /* of each size: those of a request; 36 KB of a thread at most */
};

struct piece {
    struct piece *next;
};

static _Thread_local struct {
    struct piece *first;
    int count;
} kept[SIZES];

void *thread_cache_alloc(size_t bytes)
{
    size_t size = (bytes + STEP - 1) / STEP;

    if (size < SIZES && kept[size].first) {
        struct piece *piece = kept[size].first;

        kept[size].first = piece->next;
        kept[size].count--;
        return piece;
    }
    return malloc(size * STEP);
}

/* What malloc() gave beyond what was asked for never amounts to another step. */
void thread_cache_free(void *bytes)
{
    size_t size = malloc_usable_size(bytes) / STEP;
    struct piece *piece = bytes;

    if (size == 0 || size >= SIZES || kept[size].count == KEPT) {
        free(bytes);
        return;
    }
    piece->next = kept[size].first;
    kept[size].first = piece;
    kept[size].count++;
}
