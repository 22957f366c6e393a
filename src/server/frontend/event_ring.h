/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The latest events, kept once for all who hear of them as they come.
 *
 * Whoever is too slow for it reads the database instead.  For the io thread.
 */
#pragma once

#include "api/events/event_watch.h"

enum { RING_BYTES_MAX = 4 << 20 }; /* of events: some 10,000 */

/* What one reading brought, in one piece of memory. */
struct batch {
    struct batch *next; /* NULL: the latest */
    size_t bytes;
    int count;
    struct event_note notes[];
};

struct ring {
    struct batch *first, *last;
    size_t bytes;
    struct event_cursor tail; /* the place before the first of them */
};

/* Nothing is kept; what comes next is behind this place. */
void ring_begin(struct ring *ring, const struct event_cursor *place);

/* Copies what was read; NULL when that was nothing. */
struct batch *ring_add(struct ring *ring, const struct event_portion *portion);

/* The oldest batch when there are too many bytes, for whoever must let go of it; or NULL. */
struct batch *ring_excess(const struct ring *ring);
void ring_drop(struct ring *ring); /* the oldest */

/* Whether all that is behind a place is kept. */
bool ring_holds(const struct ring *ring, const struct event_cursor *place);
