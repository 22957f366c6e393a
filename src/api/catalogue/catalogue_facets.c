/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One counter per word; the words with the highest counts are found at the end.
 */
#include "api/catalogue/catalogue_facets.h"

#include <string.h>

#include "api/catalogue/catalogue_words.h"
#include "base/must.h"

struct catalogue_counter {
    const struct catalogue_words *words;
    uint32_t *counts; /* by word */
    struct catalogue_facets facets;
};

struct catalogue_counter *catalogue_facets_begin(const struct catalogue_words *words,
                                                 struct arena *arena)
{
    struct catalogue_counter *counter = arena_take(arena, sizeof *counter);

    counter->words = words;
    counter->counts = arena_array(arena, catalogue_words_end(words), sizeof *counter->counts);
    return counter;
}

/* Of the two words of a label, the second one has its value. */
static void count_labels(struct catalogue_counter *counter, const struct catalogue_row *row)
{
    const uint32_t *labels = catalogue_labels(row);

    for (int i = 1; i < row->label_words; i += 2)
        counter->counts[labels[i]]++;
}

void catalogue_facets_count(struct catalogue_counter *counter, const struct catalogue_row *row,
                            enum catalogue_health health, uint32_t mismatches)
{
    uint32_t facets = mismatches == 0 ? UINT32_MAX : mismatches;
    struct catalogue_facets *to = &counter->facets;

    must(row->status < STATUS_COUNT && row->outcome < CATALOGUE_OUTCOMES &&
         row->action < CATALOGUE_ACTIONS);
    if (facets & 1 << FACET_STATUS)
        to->status[row->status]++;
    if (facets & 1 << FACET_HEALTH)
        to->health[health]++;
    if (facets & 1 << FACET_OUTCOME)
        to->outcome[row->outcome]++;
    if (facets & 1 << FACET_ACTION)
        to->action[row->action]++;
    if (facets & 1 << FACET_QUEUE)
        counter->counts[row->queue]++;
    if (facets & 1 << FACET_ZONE)
        counter->counts[row->zone]++;
    if (facets & 1 << FACET_LABEL)
        count_labels(counter, row);
}

static int compare_texts(struct str a, struct str b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len == 0 ? 0 : memcmp(a.ptr, b.ptr, len);

    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

/* The higher count first; equal counts in the order of the words. */
static bool comes_first(const struct catalogue_value *a, const struct catalogue_value *b)
{
    int order = compare_texts(a->name, b->name);

    if (a->count != b->count)
        return a->count > b->count;
    return order != 0 ? order < 0 : compare_texts(a->value, b->value) < 0;
}

static void insert_value(struct catalogue_values *values, const struct catalogue_value *value)
{
    int i = values->count;

    if (i == CATALOGUE_VALUES && !comes_first(value, &values->at[i - 1]))
        return;
    if (i == CATALOGUE_VALUES)
        i--;
    else
        values->count++;
    for (; i > 0 && comes_first(value, &values->at[i - 1]); i--)
        values->at[i] = values->at[i - 1];
    values->at[i] = *value;
}

static void copy_values(struct catalogue_values *values, struct arena *arena)
{
    for (int i = 0; i < values->count; i++) {
        values->at[i].name = arena_str(arena, values->at[i].name);
        values->at[i].value = arena_str(arena, values->at[i].value);
    }
}

struct catalogue_facets *catalogue_facets_end(const struct catalogue_counter *counter,
                                              struct arena *arena)
{
    struct catalogue_facets *facets = arena_take(arena, sizeof *facets);
    struct catalogue_values *by_kind[] = {
        [WORD_QUEUE] = &facets->queue,
        [WORD_ZONE] = &facets->zone,
        [WORD_LABEL_VALUE] = &facets->label,
    };
    uint32_t end = catalogue_words_end(counter->words);

    *facets = counter->facets;
    for (uint32_t i = WORD_NONE + 1; i < end; i++) {
        struct catalogue_word word;

        if (counter->counts[i] == 0)
            continue;
        word = catalogue_words_get(counter->words, i);
        must(by_kind[word.kind]); /* names of labels are not counted */
        insert_value(by_kind[word.kind],
                     &(struct catalogue_value){word.name, word.value, counter->counts[i]});
    }
    copy_values(&facets->queue, arena);
    copy_values(&facets->zone, arena);
    copy_values(&facets->label, arena);
    return facets;
}
