/* SPDX-License-Identifier: Apache-2.0 */
#include "server/frontend/event_ring.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"

void event_ring_begin(struct event_ring *ring, const struct event_cursor *place)
{
    while (ring->first)
        event_ring_drop(ring);
    ring->tail = *place;
}

static size_t size_of(const struct event_read *portion)
{
    size_t size = sizeof(struct batch) + (size_t)portion->count * sizeof portion->notes[0];

    for (int i = 0; i < portion->count; i++) {
        const struct event_note *note = &portion->notes[i];

        size += note->schedule.len + note->id.len + note->json.len + note->agent.len +
                note->project.len + note->own_json.len;
    }
    return size;
}

static struct str keep(char **at, struct str text)
{
    struct str kept = {*at, text.len};

    if (text.len > 0)
        memcpy(*at, text.ptr, text.len);
    *at += text.len;
    return kept;
}

struct batch *event_ring_add(struct event_ring *ring, const struct event_read *portion)
{
    size_t size = size_of(portion);
    struct batch *batch;
    char *at;

    if (portion->count == 0)
        return NULL;
    batch = malloc(size);
    must(batch);
    *batch = (struct batch){.bytes = size, .count = portion->count};
    at = (char *)&batch->notes[portion->count];
    for (int i = 0; i < portion->count; i++) {
        struct event_note *note = &batch->notes[i];

        *note = portion->notes[i];
        note->schedule = keep(&at, note->schedule);
        note->id = keep(&at, note->id);
        note->json = keep(&at, note->json);
        note->agent = keep(&at, note->agent);
        note->project = keep(&at, note->project);
        note->own_json = keep(&at, note->own_json);
    }
    if (ring->last)
        ring->last->next = batch;
    else
        ring->first = batch;
    ring->last = batch;
    ring->bytes += size;
    return batch;
}

struct batch *event_ring_excess(const struct event_ring *ring)
{
    return ring->bytes > EVENT_RING_BYTES_MAX ? ring->first : NULL;
}

void event_ring_drop(struct event_ring *ring)
{
    struct batch *batch = ring->first;

    for (int i = 0; i < batch->count; i++)
        must(event_cursor_set(&ring->tail, batch->notes[i].node, batch->notes[i].seq));
    ring->first = batch->next;
    if (!ring->first)
        ring->last = NULL;
    ring->bytes -= batch->bytes;
    free(batch);
}

/* A node that a place does not name had nothing to tell when it was read. */
bool event_ring_holds(const struct event_ring *ring, const struct event_cursor *place)
{
    for (int i = 0; i < place->count; i++)
        if (place->at[i].seq < event_cursor_get(&ring->tail, place->at[i].node))
            return false;
    return true;
}
