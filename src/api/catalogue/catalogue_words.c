/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of words with chains for equal hashes.  Running out of memory ends the process.
 */
#include "api/catalogue/catalogue_words.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/must.h"

enum { FIRST_ROOM = 64 }; /* a power of two */

struct word {
    uint32_t next; /* in the chain of its hash, or of free numbers */
    uint32_t users;
    uint32_t name_len, value_len;
    enum catalogue_kind kind;
    char text[];
};

struct catalogue_words {
    uint64_t seed;
    struct word **at; /* by number; NULL: free */
    uint32_t *heads;  /* by hash               */
    uint32_t *free_next;
    uint32_t room; /* of all three             */
    uint32_t end, first_free, count;
    size_t text_bytes;
};

static void *take_array(size_t count, size_t size)
{
    void *array = calloc(count, size);

    must(array);
    return array;
}

struct catalogue_words *catalogue_words_new(uint64_t seed)
{
    struct catalogue_words *words = take_array(1, sizeof *words);

    words->seed = seed;
    words->room = FIRST_ROOM;
    words->end = 1; /* after WORD_NONE */
    words->at = take_array(words->room, sizeof *words->at);
    words->heads = take_array(words->room, sizeof *words->heads);
    words->free_next = take_array(words->room, sizeof *words->free_next);
    return words;
}

struct catalogue_words *catalogue_words_free(struct catalogue_words *words)
{
    if (!words)
        return NULL;
    for (uint32_t i = 1; i < words->end; i++)
        free(words->at[i]);
    free(words->at);
    free(words->heads);
    free(words->free_next);
    free(words);
    return NULL;
}

static uint32_t *find_head(const struct catalogue_words *words, enum catalogue_kind kind,
                           struct str name, struct str value)
{
    uint64_t hash = hash_bytes(name.ptr, name.len, words->seed + (uint64_t)kind);

    hash = hash_u64(hash_bytes(value.ptr, value.len, hash));
    return &words->heads[hash & (words->room - 1)];
}

static struct str name_of(const struct word *word)
{
    return (struct str){word->text, word->name_len};
}

static struct str value_of(const struct word *word)
{
    return (struct str){word->text + word->name_len, word->value_len};
}

uint32_t catalogue_words_find(const struct catalogue_words *words, enum catalogue_kind kind,
                              struct str name, struct str value)
{
    uint32_t i = *find_head(words, kind, name, value);

    while (i != WORD_NONE) {
        const struct word *word = words->at[i];

        if (word->kind == kind && str_eq(name_of(word), name) && str_eq(value_of(word), value))
            break;
        i = word->next;
    }
    return i;
}

static void link_word(struct catalogue_words *words, uint32_t number)
{
    struct word *word = words->at[number];
    uint32_t *head = find_head(words, word->kind, name_of(word), value_of(word));

    word->next = *head;
    *head = number;
}

static void *grow_array(void *array, size_t count, size_t size)
{
    array = realloc(array, count * size);
    must(array);
    return array;
}

static void grow_table(struct catalogue_words *words)
{
    words->room *= 2;
    must(words->room > 0); /* fewer than 2^31 words */
    words->at = grow_array(words->at, words->room, sizeof *words->at);
    words->free_next = grow_array(words->free_next, words->room, sizeof *words->free_next);
    free(words->heads);
    words->heads = take_array(words->room, sizeof *words->heads);
    for (uint32_t i = 1; i < words->end; i++)
        if (words->at[i])
            link_word(words, i);
}

static size_t size_of(const struct word *word)
{
    return sizeof *word + word->name_len + word->value_len;
}

static uint32_t add_word(struct catalogue_words *words, struct word *word)
{
    uint32_t number = words->first_free;

    if (number == WORD_NONE && words->end == words->room)
        grow_table(words);
    if (number == WORD_NONE)
        number = words->end++;
    else
        words->first_free = words->free_next[number];
    words->at[number] = word;
    words->count++;
    words->text_bytes += size_of(word);
    link_word(words, number);
    return number;
}

uint32_t catalogue_words_take(struct catalogue_words *words, enum catalogue_kind kind,
                              struct str name, struct str value)
{
    uint32_t number = catalogue_words_find(words, kind, name, value);
    struct word *word;

    if (number == WORD_NONE) {
        must(name.len < UINT32_MAX && value.len < UINT32_MAX);
        word = take_array(1, sizeof *word + name.len + value.len);
        word->kind = kind;
        word->name_len = (uint32_t)name.len;
        word->value_len = (uint32_t)value.len;
        if (name.len > 0)
            memcpy(word->text, name.ptr, name.len);
        if (value.len > 0)
            memcpy(word->text + name.len, value.ptr, value.len);
        number = add_word(words, word);
    }
    words->at[number]->users++;
    return number;
}

static void remove_word(struct catalogue_words *words, uint32_t number)
{
    struct word *word = words->at[number];
    uint32_t *link = find_head(words, word->kind, name_of(word), value_of(word));

    while (*link != number)
        link = &words->at[*link]->next;
    *link = word->next;
    words->count--;
    words->text_bytes -= size_of(word);
    free(word);
    words->at[number] = NULL;
    words->free_next[number] = words->first_free;
    words->first_free = number;
}

void catalogue_words_release(struct catalogue_words *words, uint32_t number)
{
    if (number == WORD_NONE)
        return;
    must(number < words->end && words->at[number] && words->at[number]->users > 0);
    if (--words->at[number]->users == 0)
        remove_word(words, number);
}

struct catalogue_word catalogue_words_get(const struct catalogue_words *words, uint32_t number)
{
    const struct word *word = words->at[number];

    must(word);
    return (struct catalogue_word){word->kind, name_of(word), value_of(word)};
}

uint32_t catalogue_words_end(const struct catalogue_words *words)
{
    return words->end;
}

size_t catalogue_words_bytes(const struct catalogue_words *words)
{
    size_t tables = sizeof *words->at + sizeof *words->heads + sizeof *words->free_next;

    return sizeof *words + words->room * tables + words->text_bytes;
}
