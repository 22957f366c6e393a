/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The texts of the schedules in a catalogue: each belongs to one row and is stored in a chunk
 * with others.
 *
 * A dropped text leaves a gap.  When less than half of a chunk is in use, its texts are moved
 * and its memory is freed: one chunk at a time, so that a query never waits long.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TEXTS_CHUNK = 256 << 10, /* bytes: moving them takes some 50 microseconds */
    TEXTS_SIZE_MAX = 16384,  /* of one text */
};

struct catalogue_texts; /* opaque */

struct catalogue_texts *catalogue_texts_new(void);
struct catalogue_texts *catalogue_texts_free(struct catalogue_texts *texts);

/* Room for `size` bytes, aligned to 8. */
char *catalogue_texts_add(struct catalogue_texts *texts, uint32_t row, size_t size);
void catalogue_texts_drop(struct catalogue_texts *texts, char *text);

/*
 * Frees one chunk that is mostly unused; calls `moved` for each of its texts, which are at `to`
 * from then on.  False: there is none.
 */
typedef void texts_moved_fn(void *arg, uint32_t row, char *to);
bool catalogue_texts_tidy(struct catalogue_texts *texts, texts_moved_fn *moved, void *arg);

size_t catalogue_texts_bytes(const struct catalogue_texts *texts);
