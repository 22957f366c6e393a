/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One linked list of polls per queue.  A poll that waits for several queues is in several
 * lists.
 */
#include "engine/waiting_workers.h"

#include "base/must.h"
#include "engine/workset.h"
#include "store/named_objects.h"

struct waiter {
    struct waiter *next;
    int poll; /* index in turn_in.polls */
};

static struct poll_queue *find_queue(const struct turn *turn, int64_t queue)
{
    int32_t index = map_find(turn->queue_map, queue);

    return index == MAP_NONE ? NULL : &turn->queues.at[index];
}

static struct poll_queue *find_or_add_queue(struct turn *turn, int64_t queue)
{
    struct poll_queue *found = find_queue(turn, queue);

    if (found)
        return found;
    map_put(turn->queue_map, queue, turn->queues.count);
    found = VEC_ADD(turn, &turn->queues);
    *found = (struct poll_queue){.queue = queue};
    return found;
}

static void append_waiter(struct poll_queue *queue, struct waiter *waiter)
{
    waiter->next = NULL;
    if (queue->first)
        queue->last->next = waiter;
    else
        queue->first = waiter;
    queue->last = waiter;
}

static struct waiter *drop_first(struct poll_queue *queue)
{
    struct waiter *first = queue->first;

    queue->first = first->next;
    return first;
}

void waiting_workers_init(struct turn *turn)
{
    const struct turn_in *in = turn->in;

    turn->poll_room = arena_array(turn->arena, (size_t)in->poll_count, sizeof(int));
    for (int i = 0; i < in->poll_count; i++) {
        const struct poll *poll = &in->polls[i];

        must(poll->queue_count <= POLL_QUEUES_MAX && poll->max >= 0);
        turn->poll_room[i] = poll->max;
        for (int q = 0; q < poll->queue_count; q++) {
            struct poll_queue *queue = find_or_add_queue(turn, poll->queues[q]);
            struct waiter *waiter = arena_take(turn->arena, sizeof(*waiter));

            waiter->poll = i;
            append_waiter(queue, waiter);
            queue->has_new |= poll->is_new;
        }
    }
}

/* Drops polls that have no room left because another of their queues has filled them. */
int waiting_workers_next(struct turn *turn, int64_t queue)
{
    struct poll_queue *found = find_queue(turn, queue);

    while (found && found->first && turn->poll_room[found->first->poll] <= 0)
        drop_first(found);
    return found && found->first ? found->first->poll : -1;
}

void waiting_workers_granted(struct turn *turn, int64_t queue)
{
    struct poll_queue *found = find_queue(turn, queue);

    must(found && found->first && turn->poll_room[found->first->poll] > 0);
    turn->poll_room[found->first->poll]--;
    append_waiter(found, drop_first(found));
    must(found->first && !found->last->next); /* no poll of the queue is lost */
}

int waiting_workers_room(const struct turn *turn, int64_t queue, int most)
{
    const struct poll_queue *found = find_queue(turn, queue);
    const struct waiter *waiter = found ? found->first : NULL;
    int room = 0;

    for (; waiter && room < most; waiter = waiter->next)
        room += turn->poll_room[waiter->poll] > 0 ? turn->poll_room[waiter->poll] : 0;
    return room < most ? room : most;
}

void waiting_workers_record(struct turn *turn)
{
    for (int i = 0; i < turn->queues.count && !turn->in->hold; i++)
        if (turn->queues.at[i].has_new)
            queues_note_poll(turn->db, turn->queues.at[i].queue, turn->now);
}
