/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Caches the JSON of parts of schedules by their stored texts.
 *
 * The JSON of a part depends only on its stored text, so an entry can be dropped at any time
 * but is never stale.  Most schedules share their policies and many their spec, and clients
 * often read the same schedule again.  For one thread.
 */
#pragma once

#include <stdbool.h>

#include "model/schedule_show.h"

enum {
    PART_CACHE_PLACES = 4096,       /* entries; a new text replaces the one in its place     */
    PART_CACHE_TEXT_MAX = 4096,     /* bytes of a stored text and its JSON: longer ones are  */
                                    /* rare, and printing them costs little of their request */
    PART_CACHE_BYTES_MAX = 4 << 20, /* of all texts; then the cache is emptied */
};

struct part_cache; /* opaque */

struct part_cache *part_cache_new(void);
struct part_cache *part_cache_free(struct part_cache *cache); /* accepts NULL, returns NULL */

/* Empties the cache if it is full.  Only this invalidates texts that were found. */
void part_cache_tidy(struct part_cache *cache);

bool part_cache_find(const struct part_cache *cache, enum schedule_part part, struct str stored,
                     struct str *ret);
void part_cache_put(struct part_cache *cache, enum schedule_part part, struct str stored,
                    struct str shown);
