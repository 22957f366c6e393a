/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The latest events, kept once in memory for all live streams.
 *
 * A stream that falls behind reads the database instead.  For the io thread.
 */
#pragma once

#include "api/events/event_watch.h"

enum { EVENT_RING_BYTES_MAX = 4 << 20 }; /* about 10,000 events */

/* The result of one read, in one block of memory. */
struct event_batch {
    struct event_batch *next; /* NULL: the newest */
    size_t bytes;
    int count;
    struct event_note notes[];
};

struct event_ring {
    struct event_batch *first, *last;
    size_t bytes;
    struct event_cursor tail; /* position before the first batch */
};

/* Empties the ring; the next events follow this cursor. */
void event_ring_begin(struct event_ring *ring, const struct event_cursor *cursor);

/* Copies the events; returns NULL if there are none. */
struct event_batch *event_ring_add(struct event_ring *ring, const struct event_read *read);

/*
 * Returns the oldest batch if the ring is too large, otherwise NULL.  Streams must leave it
 * before event_ring_drop().
 */
struct event_batch *event_ring_excess(const struct event_ring *ring);
void event_ring_drop(struct event_ring *ring); /* removes the oldest batch */

/* Whether the ring holds all events after a cursor. */
bool event_ring_holds(const struct event_ring *ring, const struct event_cursor *cursor);
