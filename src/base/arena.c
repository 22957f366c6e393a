/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/must.h"

enum {
    ARENA_KEEP = 16 << 20, /* of what a reset keeps: a large turn, not the largest */
    ARENA_BLOCK = 16 * 1024
}; /* a spec or a request fits; larger takes get their own */

struct block {
    struct block *older;
    size_t size;
    alignas(max_align_t) unsigned char bytes[];
};

struct arena {
    struct block *block; /* the newest; takes come from it */
    size_t at;           /* bytes taken from it            */
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
        struct block *older = block->older;

        free(block);
        block = older;
    }
}

struct arena *arena_free(struct arena *arena)
{
    if (arena) {
        free_blocks(arena->block);
        free(arena);
    }
    return NULL;
}

static void add_block(struct arena *arena, size_t size)
{
    size_t room = size > ARENA_BLOCK ? size : ARENA_BLOCK;
    struct block *block = malloc(sizeof *block + room);

    must(block != NULL);
    block->older = arena->block;
    block->size = room;
    arena->block = block;
    arena->at = 0;
}

void arena_reset(struct arena *arena)
{
    struct block *block = arena->block;
    size_t room = 0;

    arena->at = 0;
    arena->used = 0;
    if (!block || !block->older)
        return;
    for (; block; block = block->older)
        room += block->size;
    free_blocks(arena->block);
    arena->block = NULL;
    add_block(arena, room < ARENA_KEEP ? room : ARENA_KEEP);
}

void *arena_room(struct arena *arena, size_t size)
{
    const size_t align = alignof(max_align_t);
    void *ret;

    must(size <= arena->ceiling - arena->used);
    size = (size + align - 1) / align * align;
    if (!arena->block || arena->block->size - arena->at < size)
        add_block(arena, size);
    ret = arena->block->bytes + arena->at;
    arena->at += size;
    arena->used += size > arena->ceiling - arena->used ? arena->ceiling - arena->used : size;
    return ret;
}

void *arena_take(struct arena *arena, size_t size)
{
    return memset(arena_room(arena, size), 0, size);
}

void *arena_array(struct arena *arena, size_t count, size_t size)
{
    must(size == 0 || count <= SIZE_MAX / size);
    return arena_take(arena, count * size);
}

struct str arena_str(struct arena *arena, struct str s)
{
    char *copy = arena_room(arena, s.len + 1);

    if (s.len > 0)
        memcpy(copy, s.ptr, s.len);
    copy[s.len] = '\0';
    return (struct str){copy, s.len};
}

size_t arena_used(const struct arena *arena)
{
    return arena->used;
}
