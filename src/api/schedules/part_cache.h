/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of schedules look like, by the texts that are kept of them.
 *
 * A part as it is shown is a function of its kept text and of nothing else: so what is
 * remembered can be forgotten at any time, but never be wrong.  Most schedules share their
 * policies, many their spec; and whoever asks for a schedule mostly asks again.  For one
 * thread.
 */
#pragma once

#include <stdbool.h>

#include "model/schedule_show.h"

enum {
    PART_CACHE_PLACES = 4096,   /* a text has one place, whoever has been there is forgotten */
    PART_CACHE_TEXT_MAX = 4096, /* bytes of a text and what it looks like: longer ones are   */
                                /* rare, and what reading them costs is not the request's    */
    PART_CACHE_BYTES_MAX =
        4 << 20, /* of all texts; then it begins anew                         */
};

struct part_cache; /* opaque */

struct part_cache *part_cache_new(void);
struct part_cache *part_cache_free(
    struct part_cache *part_cache); /* accepts NULL, returns NULL */

/* Forgets all when it is full.  Nothing else makes a text that was found go away. */
void part_cache_tidy(struct part_cache *part_cache);

bool part_cache_find(const struct part_cache *part_cache, enum schedule_part part,
                     struct str kept, struct str *ret);
void part_cache_put(struct part_cache *part_cache, enum schedule_part part, struct str kept,
                    struct str shown);
