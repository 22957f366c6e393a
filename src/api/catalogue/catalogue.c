/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows in chunks, which never move, and an index of their numbers by key: a table with linear
 * probing that is at most three quarters full.
 */
#include "api/catalogue/catalogue.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "api/catalogue/catalogue_texts.h"
#include "api/catalogue/catalogue_words.h"
#include "base/hash.h"
#include "base/must.h"

enum {
    CHUNK_BITS = 10,
    CHUNK_ROWS = 1 << CHUNK_BITS,
    FIRST_ROOM = 1024, /* of the index; a power of two */
};

/* The index has at least 3/8 of its places in use once it has grown. */
static_assert(sizeof(struct catalogue_row) + sizeof(uint32_t) * 8 / 3 <= CATALOGUE_ROW_MAX,
              "a row is too long");
/* Labels, name and description fit into a text. */
static_assert(2 * CATALOGUE_LABELS_MAX * sizeof(uint32_t) + CATALOGUE_NAME_MAX +
                      CATALOGUE_DESCRIPTION_MAX <=
                  TEXTS_SIZE_MAX,
              "a text is too long");
static_assert(2 * CATALOGUE_LABELS_MAX <= UINT8_MAX, "too many labels");

#define NO_ROW UINT32_MAX

struct catalogue {
    struct catalogue_row **chunks;
    uint32_t chunk_count, rows, entries;
    uint32_t first_free; /* NO_ROW: none */
    uint32_t *index;     /* row + 1; 0: unused */
    uint32_t index_room;
    struct catalogue_words *words;
    struct catalogue_texts *texts;
    uint8_t pass;
};

struct catalogue *catalogue_new(uint64_t seed)
{
    struct catalogue *c = calloc(1, sizeof *c);

    must(c);
    c->first_free = NO_ROW;
    c->index_room = FIRST_ROOM;
    c->index = calloc(c->index_room, sizeof *c->index);
    must(c->index);
    c->words = catalogue_words_new(seed);
    c->texts = catalogue_texts_new();
    return c;
}

struct catalogue *catalogue_free(struct catalogue *c)
{
    if (!c)
        return NULL;
    for (uint32_t i = 0; i < c->chunk_count; i++)
        free(c->chunks[i]);
    free(c->chunks);
    free(c->index);
    catalogue_words_free(c->words);
    catalogue_texts_free(c->texts);
    free(c);
    return NULL;
}

/* ---- rows and their index ---- */

static struct catalogue_row *row_at(const struct catalogue *c, uint32_t row)
{
    return &c->chunks[row >> CHUNK_BITS][row & (CHUNK_ROWS - 1)];
}

static uint32_t first_place(const struct catalogue *c, int64_t id)
{
    return (uint32_t)hash_u64((uint64_t)id) & (c->index_room - 1);
}

/* The place of a key, or the unused one where it belongs. */
static uint32_t find_place(const struct catalogue *c, int64_t id)
{
    uint32_t place = first_place(c, id);

    while (c->index[place] != 0 && row_at(c, c->index[place] - 1)->id != id)
        place = (place + 1) & (c->index_room - 1);
    return place;
}

static void grow_index(struct catalogue *c)
{
    free(c->index);
    c->index_room *= 2;
    must(c->index_room > 0);
    c->index = calloc(c->index_room, sizeof *c->index);
    must(c->index);
    for (uint32_t i = 0; i < c->rows; i++)
        if (row_at(c, i)->id != 0)
            c->index[find_place(c, row_at(c, i)->id)] = i + 1;
}

/* Later keys of the same run move up, so that a search may end at an unused place. */
static void clear_place(struct catalogue *c, uint32_t place)
{
    uint32_t mask = c->index_room - 1, gap = place;

    for (uint32_t i = (place + 1) & mask; c->index[i] != 0; i = (i + 1) & mask) {
        uint32_t wanted = first_place(c, row_at(c, c->index[i] - 1)->id);

        if (((i - wanted) & mask) < ((i - gap) & mask))
            continue;
        c->index[gap] = c->index[i];
        gap = i;
    }
    c->index[gap] = 0;
}

static void add_chunk(struct catalogue *c)
{
    c->chunks = realloc(c->chunks, (c->chunk_count + 1) * sizeof *c->chunks);
    must(c->chunks);
    c->chunks[c->chunk_count] = calloc(CHUNK_ROWS, sizeof **c->chunks);
    must(c->chunks[c->chunk_count]);
    c->chunk_count++;
}

static uint32_t add_row(struct catalogue *c, int64_t id)
{
    uint32_t number = c->first_free;

    if (number == NO_ROW) {
        if (c->rows >> CHUNK_BITS == c->chunk_count)
            add_chunk(c);
        number = c->rows++;
    } else {
        c->first_free = (uint32_t)row_at(c, number)->namespace;
    }
    if ((uint64_t)(c->entries + 1) * 4 > (uint64_t)c->index_room * 3)
        grow_index(c);
    c->index[find_place(c, id)] = number + 1;
    *row_at(c, number) = (struct catalogue_row){.id = id};
    c->entries++;
    return number;
}

const struct catalogue_row *catalogue_find(const struct catalogue *c, int64_t id)
{
    uint32_t number = c->index[find_place(c, id)];

    return number == 0 ? NULL : row_at(c, number - 1);
}

/* ---- texts ---- */

static void drop_texts(struct catalogue *c, struct catalogue_row *row)
{
    const uint32_t *labels = catalogue_labels(row);

    if (!row->text)
        return;
    for (int i = 0; i < row->label_words; i++)
        catalogue_words_release(c->words, labels[i]);
    catalogue_words_release(c->words, row->queue);
    catalogue_words_release(c->words, row->zone);
    catalogue_texts_drop(c->texts, row->text);
    row->text = NULL;
}

static uint32_t take_word(struct catalogue *c, enum catalogue_kind kind, struct str word)
{
    return word.len == 0 ? WORD_NONE
                         : catalogue_words_take(c->words, kind, word, (struct str){0});
}

static void copy_texts(struct catalogue *c, uint32_t number, const struct catalogue_entry *e)
{
    struct catalogue_row *row = row_at(c, number);
    struct str about = str_head(e->description, CATALOGUE_DESCRIPTION_MAX);
    int labels = e->label_count < CATALOGUE_LABELS_MAX ? e->label_count : CATALOGUE_LABELS_MAX;
    size_t words_size = 2 * (size_t)labels * sizeof(uint32_t);
    uint32_t *words;

    must(e->name.len <= CATALOGUE_NAME_MAX);
    row->text = catalogue_texts_add(c->texts, number, words_size + e->name.len + about.len);
    words = (void *)row->text;
    for (int i = 0; i < labels; i++) {
        const struct catalogue_label *label = &e->labels[i];

        words[2 * i] = catalogue_words_take(c->words, WORD_LABEL, label->name,
                                            (struct str){NULL, 0});
        words[2 * i + 1] = catalogue_words_take(c->words, WORD_LABEL_VALUE, label->name,
                                                label->value);
    }
    row->label_words = (uint8_t)(2 * labels);
    row->name_len = (uint16_t)e->name.len;
    row->description_len = (uint16_t)about.len;
    memcpy(row->text + words_size, e->name.ptr, e->name.len);
    if (about.len > 0)
        memcpy(row->text + words_size + e->name.len, about.ptr, about.len);
    row->queue = take_word(c, WORD_QUEUE, e->queue);
    row->zone = take_word(c, WORD_ZONE, e->zone);
    row->namespace = e->namespace;
    row->action = e->action;
}

void catalogue_put(struct catalogue *c, const struct catalogue_entry *e)
{
    uint32_t number = c->index[find_place(c, e->id)];
    struct catalogue_row *row;

    must(e->id > 0);
    if (number == 0 && !e->has_texts)
        return;
    number = number == 0 ? add_row(c, e->id) : number - 1;
    row = row_at(c, number);
    if (e->has_texts) {
        drop_texts(c, row);
        copy_texts(c, number, e);
        row->version = e->version;
        row->flags = 0;
    }
    row->flags = (uint8_t)((row->flags & CATALOGUE_ZONES) | e->flags);
    row->next_at = e->next_at;
    row->last_start = e->last_start;
    row->late_at = e->late_at;
    row->lateness = e->lateness;
    row->failures = e->failures > UINT32_MAX ? UINT32_MAX : (uint32_t)e->failures;
    row->status = e->status;
    row->outcome = e->outcome;
    row->pass = c->pass;
}

void catalogue_remove(struct catalogue *c, int64_t id)
{
    uint32_t place = find_place(c, id), number = c->index[place];
    struct catalogue_row *row;

    if (number == 0)
        return;
    row = row_at(c, number - 1);
    clear_place(c, place);
    drop_texts(c, row);
    *row = (struct catalogue_row){.namespace = (int64_t)c->first_free};
    c->first_free = number - 1;
    c->entries--;
}

static void note_move(void *arg, uint32_t row, char *to)
{
    row_at(arg, row)->text = to;
}

void catalogue_tidy(struct catalogue *c)
{
    catalogue_texts_tidy(c->texts, note_move, c);
}

/* ---- passes, queries ---- */

void catalogue_begin_pass(struct catalogue *c)
{
    c->pass++;
}

int catalogue_missed(const struct catalogue *c, uint32_t *from, int64_t *ret, int most)
{
    int count = 0;

    for (; *from < c->rows && count < most; ++*from) {
        const struct catalogue_row *row = row_at(c, *from);

        if (row->id != 0 && row->pass != c->pass)
            ret[count++] = row->id;
    }
    return count;
}

uint32_t catalogue_rows(const struct catalogue *c)
{
    return c->rows;
}

const struct catalogue_row *catalogue_row_at(const struct catalogue *c, uint32_t row)
{
    return row_at(c, row);
}

const struct catalogue_words *catalogue_words_of(const struct catalogue *c)
{
    return c->words;
}

struct catalogue_size catalogue_size(const struct catalogue *c)
{
    return (struct catalogue_size){
        .entries = c->entries,
        .row_bytes = sizeof *c +
                     c->chunk_count * (sizeof *c->chunks + CHUNK_ROWS * sizeof **c->chunks) +
                     c->index_room * sizeof *c->index,
        .text_bytes = catalogue_texts_bytes(c->texts) + catalogue_words_bytes(c->words),
    };
}
