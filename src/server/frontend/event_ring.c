/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list of batches of events, oldest first, with a limit on their bytes.
 */
#include "server/frontend/event_ring.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"

void event_ring_begin(struct event_ring *ring, const struct event_cursor *cursor)
{
    while (ring->first)
        event_ring_drop(ring);
    ring->tail = *cursor;
}

static size_t batch_bytes(const struct event_read *read)
{
    size_t size = sizeof(struct event_batch) + (size_t)read->count * sizeof read->notes[0];

    for (int i = 0; i < read->count; i++) {
        const struct event_note *note = &read->notes[i];

        size += note->schedule.len + note->id.len + note->json.len + note->agent.len +
                note->project.len + note->own_json.len;
    }
    return size;
}

static struct str copy_text(char **at, struct str text)
{
    struct str kept = {*at, text.len};

    if (text.len > 0)
        memcpy(*at, text.ptr, text.len);
    *at += text.len;
    return kept;
}

struct event_batch *event_ring_add(struct event_ring *ring, const struct event_read *read)
{
    size_t size = batch_bytes(read);
    struct event_batch *batch;
    char *at;

    if (read->count == 0)
        return NULL;
    batch = malloc(size);
    must(batch);
    *batch = (struct event_batch){.bytes = size, .count = read->count};
    at = (char *)&batch->notes[read->count];
    for (int i = 0; i < read->count; i++) {
        struct event_note *note = &batch->notes[i];

        *note = read->notes[i];
        note->schedule = copy_text(&at, note->schedule);
        note->id = copy_text(&at, note->id);
        note->json = copy_text(&at, note->json);
        note->agent = copy_text(&at, note->agent);
        note->project = copy_text(&at, note->project);
        note->own_json = copy_text(&at, note->own_json);
    }
    if (ring->last)
        ring->last->next = batch;
    else
        ring->first = batch;
    ring->last = batch;
    ring->bytes += size;
    return batch;
}

struct event_batch *event_ring_excess(const struct event_ring *ring)
{
    return ring->bytes > EVENT_RING_BYTES_MAX ? ring->first : NULL;
}

void event_ring_drop(struct event_ring *ring)
{
    struct event_batch *batch = ring->first;

    for (int i = 0; i < batch->count; i++)
        must(event_cursor_set(&ring->tail, batch->notes[i].node, batch->notes[i].seq));
    ring->first = batch->next;
    if (!ring->first)
        ring->last = NULL;
    ring->bytes -= batch->bytes;
    free(batch);
}

/* Does not check nodes without an entry: they had no events when the cursor was read. */
bool event_ring_holds(const struct event_ring *ring, const struct event_cursor *cursor)
{
    for (int i = 0; i < cursor->count; i++)
        if (cursor->at[i].seq < event_cursor_get(&ring->tail, cursor->at[i].node))
            return false;
    return true;
}
