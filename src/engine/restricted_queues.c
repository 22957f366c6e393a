/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/restricted_queues.h"

#include <string.h>

#include "engine/claim.h"

/* Where a queue is in the list, or would be. */
static int position(const struct memory *m, int64_t queue)
{
    int low = 0, high = m->watched_count;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (m->watched[middle].queue < queue)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A full list says nothing of the queues behind its last: their rows are asked. */
enum watch watch_of(const struct memory *m, int64_t queue)
{
    int at = position(m, queue);

    if (at == m->watched_count)
        return at == WATCHED_QUEUES_MAX ? WATCH_LIMITED : WATCH_NONE;
    if (m->watched[at].queue != queue)
        return WATCH_NONE;
    return m->watched[at].is_paused ? WATCH_PAUSED : WATCH_LIMITED;
}

void watch_read(struct turn *turn)
{
    struct memory *m = &turn->memory;

    m->watched_count = turn->watched_rows.rows;
    for (int i = 0; i < m->watched_count; i++) {
        struct queue_row row;

        queues_read(&turn->watched_rows, i, &row);
        m->watched[i] = (struct watched){row.id, row.is_paused};
    }
}

/* The last makes room in a full list: it is behind the end then, and watched all the same. */
void watch_add(struct memory *m, int64_t queue)
{
    int at = position(m, queue);

    if (watch_of(m, queue) != WATCH_NONE)
        return;
    if (m->watched_count < WATCHED_QUEUES_MAX)
        m->watched_count++;
    memmove(&m->watched[at + 1], &m->watched[at],
            (size_t)(m->watched_count - at - 1) * sizeof *m->watched);
    m->watched[at] = (struct watched){.queue = queue};
}

/* Whoever waits for it may be at another node. */
void watch_freed(struct turn *turn, const struct run *run)
{
    if (run->lane != LANE_PULL || !run_is_claimed(run->state) ||
        watch_of(&turn->memory, run->queue) != WATCH_LIMITED)
        return;
    claim_make_hot(&turn->memory, LANE_PULL, run->queue);
    turn->made_ready = true;
}
