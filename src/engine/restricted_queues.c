/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list in order of queues, searched by bisection.
 */
#include "engine/restricted_queues.h"

#include <string.h>

#include "base/must.h"
#include "engine/claim.h"

/* The index of a queue in the list, or where it would be inserted. */
static int find_index(const struct engine_memory *m, int64_t queue)
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

/* A full list may lack queues after its last entry: for those the row must be read. */
enum queue_restriction restricted_state(const struct engine_memory *m, int64_t queue)
{
    int at = find_index(m, queue);

    if (at == m->restricted_count)
        return at == RESTRICTED_QUEUES_MAX ? RESTRICTION_LIMITED : RESTRICTION_NONE;
    if (m->restricted[at].queue != queue)
        return RESTRICTION_NONE;
    return m->restricted[at].is_paused ? RESTRICTION_PAUSED : RESTRICTION_LIMITED;
}

void restricted_read(struct turn *turn)
{
    struct engine_memory *m = &turn->memory;

    must(turn->restricted_rows.rows <= RESTRICTED_QUEUES_MAX);
    m->restricted_count = turn->restricted_rows.rows;
    for (int i = 0; i < m->restricted_count; i++) {
        struct queue_row row;

        queues_read(&turn->restricted_rows, i, &row);
        m->restricted[i] = (struct restricted_queue){row.id, row.is_paused};
        if (i > 0 && m->restricted[i - 1].queue >= row.id)
            turn_damage(turn, row.id, "queues are not in order");
    }
}

/* A full list drops its last entry; a queue after the end counts as limited all the same. */
void restricted_add(struct engine_memory *m, int64_t queue)
{
    int at = find_index(m, queue);

    if (restricted_state(m, queue) != RESTRICTION_NONE)
        return;
    if (m->restricted_count < RESTRICTED_QUEUES_MAX)
        m->restricted_count++;
    memmove(&m->restricted[at + 1], &m->restricted[at],
            (size_t)(m->restricted_count - at - 1) * sizeof *m->restricted);
    must(at < m->restricted_count);
    m->restricted[at] = (struct restricted_queue){.queue = queue};
    must(at == 0 || m->restricted[at - 1].queue < queue);
    must(at + 1 == m->restricted_count || m->restricted[at + 1].queue > queue);
}

/* The worker that waits for it may be at another node. */
void restricted_freed(struct turn *turn, const struct run *run)
{
    if (run->lane != LANE_PULL || !run_is_claimed(run->state) ||
        restricted_state(&turn->memory, run->queue) != RESTRICTION_LIMITED)
        return;
    claim_add_queue(&turn->memory, LANE_PULL, run->queue);
    turn->made_ready = true;
}
