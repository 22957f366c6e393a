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
    LOOKS_PLACES = 4096,       /* a text has one place, whoever has been there is forgotten */
    LOOKS_TEXT_MAX = 4096,     /* bytes of a text and what it looks like: longer ones are   */
                               /* rare, and what reading them costs is not the request's    */
    LOOKS_BYTES_MAX = 4 << 20, /* of all texts; then it begins anew                         */
};

struct looks; /* opaque */

struct looks *looks_new(void);
struct looks *looks_free(struct looks *looks); /* accepts NULL, returns NULL */

/* Forgets all when it is full.  Nothing else makes a text that was found go away. */
void looks_tidy(struct looks *looks);

bool looks_find(const struct looks *looks, enum schedule_part part, struct str kept,
                struct str *ret);
void looks_put(struct looks *looks, enum schedule_part part, struct str kept, struct str shown);
