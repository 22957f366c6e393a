/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list of blocks that allocations fill in order.  A reset keeps the first blocks, up to
 * ARENA_KEEP bytes.
 */
#include "base/arena.h"

#include <stdalign.h>
#include <stdlib.h>

#include "base/must.h"

enum {
    ARENA_KEEP = 16 << 20,     /* bytes that a reset keeps: enough for most turns */
    ARENA_BLOCK = 16 * 1024,   /* minimum; fits a spec or an API request */
    ARENA_BLOCK_MAX = 1 << 20, /* maximum; up to it, each block doubles the capacity */
};

struct block {
    struct block *next;
    size_t size;
    alignas(max_align_t) unsigned char bytes[];
};

struct arena {
    struct block *first;
    struct block *block; /* in use; the blocks after it are free.  NULL: all are free */
    size_t at;           /* bytes used in `block`                                     */
    size_t capacity;     /* bytes of all blocks                                       */
    size_t used;
    size_t ceiling;
};

struct arena *arena_new(size_t ceiling)
{
    struct arena *arena = calloc(1, sizeof *arena);

    must(arena != NULL && ceiling <= PTRDIFF_MAX); /* so that rounding up cannot wrap */
    arena->ceiling = ceiling;
    return arena;
}

static void free_blocks(struct block *block)
{
    while (block) {
        struct block *next = block->next;

        free(block);
        block = next;
    }
}

struct arena *arena_free(struct arena *arena)
{
    if (arena) {
        free_blocks(arena->first);
        free(arena);
    }
    return NULL;
}

static struct block *new_block(struct arena *arena, size_t least)
{
    size_t size = arena->capacity < ARENA_BLOCK       ? ARENA_BLOCK
                  : arena->capacity > ARENA_BLOCK_MAX ? ARENA_BLOCK_MAX
                                                      : arena->capacity;
    struct block *block;

    size = size < least ? least : size;
    block = malloc(sizeof *block + size);
    must(block != NULL);
    block->size = size;
    arena->capacity += size;
    return block;
}

/* Moves to the next block.  If that is too small, inserts a new block before it. */
static void next_block(struct arena *arena, size_t least)
{
    struct block *next = arena->block ? arena->block->next : arena->first;

    if (!next || next->size < least) {
        struct block *block = new_block(arena, least);

        block->next = next;
        if (arena->block)
            arena->block->next = block;
        else
            arena->first = block;
        next = block;
    }
    arena->block = next;
    arena->at = 0;
}

void arena_reset(struct arena *arena)
{
    struct block **link = &arena->first;

    arena->capacity = 0;
    while (*link && arena->capacity + (*link)->size <= ARENA_KEEP) {
        arena->capacity += (*link)->size;
        link = &(*link)->next;
    }
    free_blocks(*link);
    *link = NULL;
    arena->block = NULL;
    arena->at = 0;
    arena->used = 0;
}

void *arena_take_raw(struct arena *arena, size_t size)
{
    const size_t align = alignof(max_align_t);
    void *ret;

    must(size <= arena->ceiling - arena->used);
    size = (size + align - 1) / align * align;
    if (!arena->block || arena->block->size - arena->at < size)
        next_block(arena, size);
    ret = arena->block->bytes + arena->at;
    arena->at += size;
    arena->used += size > arena->ceiling - arena->used ? arena->ceiling - arena->used : size;
    return ret;
}

void *arena_take(struct arena *arena, size_t size)
{
    return memset(arena_take_raw(arena, size), 0, size);
}

static size_t product(size_t count, size_t size)
{
    size_t ret;

    must(!__builtin_mul_overflow(count, size, &ret));
    return ret;
}

void *arena_array(struct arena *arena, size_t count, size_t size)
{
    return arena_take(arena, product(count, size));
}

void *arena_array_raw(struct arena *arena, size_t count, size_t size)
{
    return arena_take_raw(arena, product(count, size));
}

struct buf arena_buf(struct arena *arena, size_t cap)
{
    return (struct buf){.ptr = arena_take(arena, cap), .cap = cap};
}

struct str arena_str(struct arena *arena, struct str s)
{
    char *copy = arena_take_raw(arena, s.len + 1);

    if (s.len > 0)
        memcpy(copy, s.ptr, s.len);
    copy[s.len] = '\0';
    return (struct str){copy, s.len};
}

size_t arena_used(const struct arena *arena)
{
    return arena->used;
}
