/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/restricted_queues.h"

#include <string.h>

#include "engine/claim.h"

/* Where a queue is in the list, or would be. */
static int position(const struct engine_memory *m, int64_t queue)
{
    int low = 0, high = m->restricted_count;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (m->restricted[middle].queue < queue)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A full list says nothing of the queues behind its last: their rows are asked. */
enum queue_restriction restricted_of(const struct engine_memory *m, int64_t queue)
{
    int at = position(m, queue);

    if (at == m->restricted_count)
        return at == RESTRICTED_QUEUES_MAX ? RESTRICTION_LIMITED : RESTRICTION_NONE;
    if (m->restricted[at].queue != queue)
        return RESTRICTION_NONE;
    return m->restricted[at].is_paused ? RESTRICTION_PAUSED : RESTRICTION_LIMITED;
}

void restricted_read(struct turn *turn)
{
    struct engine_memory *m = &turn->memory;

    m->restricted_count = turn->restricted_rows.rows;
    for (int i = 0; i < m->restricted_count; i++) {
        struct queue_row row;

        queues_read(&turn->restricted_rows, i, &row);
        m->restricted[i] = (struct restricted_queue){row.id, row.is_paused};
    }
}

/* The last makes room in a full list: it is behind the end then, and watched all the same. */
void restricted_add(struct engine_memory *m, int64_t queue)
{
    int at = position(m, queue);

    if (restricted_of(m, queue) != RESTRICTION_NONE)
        return;
    if (m->restricted_count < RESTRICTED_QUEUES_MAX)
        m->restricted_count++;
    memmove(&m->restricted[at + 1], &m->restricted[at],
            (size_t)(m->restricted_count - at - 1) * sizeof *m->restricted);
    m->restricted[at] = (struct restricted_queue){.queue = queue};
}

/* Whoever waits for it may be at another node. */
void restricted_freed(struct turn *turn, const struct run *run)
{
    if (run->lane != LANE_PULL || !run_is_claimed(run->state) ||
        restricted_of(&turn->memory, run->queue) != RESTRICTION_LIMITED)
        return;
    claim_make_hot(&turn->memory, LANE_PULL, run->queue);
    turn->made_ready = true;
}
