/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chunks are aligned to their size, so that the address of a text gives its chunk.
 */
#include "api/catalogue/catalogue_texts.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"

enum { ALIGN = 8 };

#define NO_ROW UINT32_MAX /* the text was dropped */

struct text {
    uint32_t row, size; /* size with this head, a multiple of ALIGN */
    char bytes[];
};

struct chunk {
    struct chunk *previous, *next; /* of all chunks                                   */
    struct chunk *next_sparse;
    uint32_t used, live; /* bytes; `used` is the offset of the next text                */
    bool is_sparse;      /* in the list of chunks to tidy                               */
};

struct catalogue_texts {
    struct chunk *first, *current, *sparse;
    size_t chunks;
};

#define FIRST_OFFSET ((uint32_t)((sizeof(struct chunk) + ALIGN - 1) / ALIGN * ALIGN))

static void add_chunk(struct catalogue_texts *texts)
{
    struct chunk *chunk = aligned_alloc(TEXTS_CHUNK, TEXTS_CHUNK);

    must(chunk);
    *chunk = (struct chunk){.next = texts->first, .used = FIRST_OFFSET};
    if (texts->first)
        texts->first->previous = chunk;
    texts->first = texts->current = chunk;
    texts->chunks++;
}

static void free_chunk(struct catalogue_texts *texts, struct chunk *chunk)
{
    if (chunk->previous)
        chunk->previous->next = chunk->next;
    else
        texts->first = chunk->next;
    if (chunk->next)
        chunk->next->previous = chunk->previous;
    texts->chunks--;
    free(chunk);
}

struct catalogue_texts *catalogue_texts_new(void)
{
    struct catalogue_texts *texts = calloc(1, sizeof *texts);

    must(texts);
    add_chunk(texts);
    return texts;
}

struct catalogue_texts *catalogue_texts_free(struct catalogue_texts *texts)
{
    if (!texts)
        return NULL;
    while (texts->first)
        free_chunk(texts, texts->first);
    free(texts);
    return NULL;
}

/* The current chunk still fills up. */
static void note_sparse(struct catalogue_texts *texts, struct chunk *chunk)
{
    if (chunk == texts->current || chunk->is_sparse || chunk->live >= chunk->used / 2)
        return;
    chunk->is_sparse = true;
    chunk->next_sparse = texts->sparse;
    texts->sparse = chunk;
}

char *catalogue_texts_add(struct catalogue_texts *texts, uint32_t row, size_t size)
{
    uint32_t whole = (uint32_t)((sizeof(struct text) + size + ALIGN - 1) / ALIGN * ALIGN);
    struct chunk *chunk = texts->current;
    struct text *text;

    must(size <= TEXTS_SIZE_MAX && row != NO_ROW);
    if (chunk->used + whole > TEXTS_CHUNK) {
        add_chunk(texts);
        note_sparse(texts, chunk);
        chunk = texts->current;
    }
    text = (void *)((char *)chunk + chunk->used);
    text->row = row;
    text->size = whole;
    chunk->used += whole;
    chunk->live += whole;
    return text->bytes;
}

static struct text *find_text(char *bytes)
{
    return (void *)(bytes - offsetof(struct text, bytes));
}

void catalogue_texts_drop(struct catalogue_texts *texts, char *bytes)
{
    struct text *text = find_text(bytes);
    struct chunk *chunk = (void *)(bytes - (uintptr_t)bytes % TEXTS_CHUNK);

    must(text->row != NO_ROW && chunk->live >= text->size);
    text->row = NO_ROW;
    chunk->live -= text->size;
    note_sparse(texts, chunk);
}

bool catalogue_texts_tidy(struct catalogue_texts *texts, texts_moved_fn *moved, void *arg)
{
    struct chunk *chunk = texts->sparse;
    uint32_t offset = FIRST_OFFSET;

    if (!chunk)
        return false;
    texts->sparse = chunk->next_sparse;
    while (chunk->live > 0 && offset < chunk->used) {
        struct text *text = (void *)((char *)chunk + offset);
        size_t size = text->size - sizeof *text;
        char *to;

        offset += text->size;
        if (text->row == NO_ROW)
            continue;
        to = catalogue_texts_add(texts, text->row, size);
        memcpy(to, text->bytes, size);
        moved(arg, text->row, to);
    }
    free_chunk(texts, chunk);
    return true;
}

size_t catalogue_texts_bytes(const struct catalogue_texts *texts)
{
    return texts->chunks * TEXTS_CHUNK;
}
