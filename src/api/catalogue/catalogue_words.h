/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words that many schedules share: queues, time zones and labels.  Each is stored once and
 * has a number from 1 on, which is used again after the last user of the word has gone.
 *
 * A label is two words: its name, and its name with its value.
 */
#pragma once

#include <stdint.h>

#include "base/str.h"

enum catalogue_kind { WORD_QUEUE, WORD_ZONE, WORD_LABEL, WORD_LABEL_VALUE };

enum { WORD_NONE = 0 };

struct catalogue_words; /* opaque */

/* `seed` is unpredictable: clients choose the words, and must not cause collisions. */
struct catalogue_words *catalogue_words_new(uint64_t seed);
struct catalogue_words *catalogue_words_free(struct catalogue_words *words);

/* The number of a word, which is added if it is new; counts one more user. */
uint32_t catalogue_words_take(struct catalogue_words *words, enum catalogue_kind kind,
                              struct str name, struct str value);
/* Counts one user less; accepts WORD_NONE. */
void catalogue_words_release(struct catalogue_words *words, uint32_t word);

/* WORD_NONE if no schedule has the word. */
uint32_t catalogue_words_find(const struct catalogue_words *words, enum catalogue_kind kind,
                              struct str name, struct str value);

/* A word in use; its texts live until its last user releases it. */
struct catalogue_word {
    enum catalogue_kind kind;
    struct str name, value;
};
struct catalogue_word catalogue_words_get(const struct catalogue_words *words, uint32_t word);

/* More than the highest number in use. */
uint32_t catalogue_words_end(const struct catalogue_words *words);
size_t catalogue_words_bytes(const struct catalogue_words *words);
