/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The latest events, kept once for all who hear of them as they come.
 *
 * Whoever is too slow for it reads the database instead.  For the io thread.
 */
#pragma once

#include "api/events/event_watch.h"

enum { EVENT_RING_BYTES_MAX = 4 << 20 }; /* of events: some 10,000 */

/* What one reading brought, in one piece of memory. */
struct batch {
    struct batch *next; /* NULL: the latest */
    size_t bytes;
    int count;
    struct event_note notes[];
};

struct event_ring {
    struct batch *first, *last;
    size_t bytes;
    struct event_cursor tail; /* the place before the first of them */
};

/* Nothing is kept; what comes next is behind this place. */
void event_ring_begin(struct event_ring *ring, const struct event_cursor *place);

/* Copies what was read; NULL when that was nothing. */
struct batch *event_ring_add(struct event_ring *ring, const struct event_read *portion);

/* The oldest batch when there are too many bytes, for whoever must let go of it; or NULL. */
struct batch *event_ring_excess(const struct event_ring *ring);
void event_ring_drop(struct event_ring *ring); /* the oldest */

/* Whether all that is behind a place is kept. */
bool event_ring_holds(const struct event_ring *ring, const struct event_cursor *place);
