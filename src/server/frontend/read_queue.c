/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two queues, one for the quick readers and one for the slow reader.  In each, the namespaces
 * take turns.
 */
#include "server/frontend/read_queue.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/must.h"
#include "io/clock.h"

enum {
    QUICK_AT_ONCE = 16,   /* tickets that a quick reader has: they share a snapshot */
    KNOWN_SLOW_MAX = 256, /* usually more than are slow within KNOWN_SLOW_FOR */
};

#define KNOWN_SLOW_FOR (10 * SPAN_S)
#define LATE_AFTER     SPAN_S /* quick reads that wait longer show an overload */

/* An operation of a namespace that was slow. */
struct known_slow {
    const struct operation *operation;
    int64_t namespace;
    int64_t until_us; /* clock_boot_us() */
};

struct read_queue {
    struct reader *quick[READ_QUEUE_QUICK_MAX], *slow;
    int out[READ_QUEUE_QUICK_MAX]; /* tickets that each quick reader has */
    int quick_count;
    struct fair_queue *waiting_quick, *waiting_slow;
    struct known_slow known[KNOWN_SLOW_MAX]; /* by hash; the newest replaces another one */
};

struct read_queue *read_queue_new(struct reader *const *quick, int quick_count,
                                  struct reader *slow)
{
    struct read_queue *queue = calloc(1, sizeof *queue);

    must(queue && quick_count > 0 && quick_count <= READ_QUEUE_QUICK_MAX && slow);
    for (int i = 0; i < quick_count; i++)
        queue->quick[i] = quick[i];
    queue->quick_count = quick_count;
    queue->slow = slow;
    queue->waiting_quick = fair_queue_new(quick_count * QUICK_AT_ONCE,
                                          quick_count * QUICK_AT_ONCE);
    queue->waiting_slow = fair_queue_new(1, 1);
    return queue;
}

struct read_queue *read_queue_free(struct read_queue *queue)
{
    if (queue) {
        fair_queue_free(queue->waiting_quick);
        fair_queue_free(queue->waiting_slow);
        free(queue);
    }
    return NULL;
}

static struct known_slow *known_entry(struct read_queue *queue, const struct ticket *t)
{
    uint64_t hash = (uint64_t)t->call.namespace * 0x9e3779b97f4a7c15 ^
                    (uintptr_t)t->call.operation / sizeof *t->call.operation;

    return &queue->known[(hash ^ hash >> 32) % KNOWN_SLOW_MAX];
}

static bool is_known_slow(struct read_queue *queue, const struct ticket *t)
{
    const struct known_slow *known = known_entry(queue, t);

    return known->operation && known->operation == t->call.operation &&
           known->namespace == t->call.namespace && clock_boot_us() < known->until_us;
}

static void note_slow(struct read_queue *queue, const struct ticket *t)
{
    *known_entry(queue, t) = (struct known_slow){t->call.operation, t->call.namespace,
                                                 clock_boot_us() + KNOWN_SLOW_FOR};
}

static struct ticket *ticket_of(struct fair_item *item)
{
    return (struct ticket *)((char *)item - offsetof(struct ticket, turn));
}

static int least_busy(const struct read_queue *queue)
{
    int best = 0;

    for (int i = 1; i < queue->quick_count; i++)
        if (queue->out[i] < queue->out[best])
            best = i;
    return best;
}

static void send_waiting(struct read_queue *queue)
{
    struct fair_item *item;

    while ((item = fair_queue_next(queue->waiting_quick)) != NULL) {
        struct ticket *t = ticket_of(item);

        t->reader = least_busy(queue);
        queue->out[t->reader]++;
        reader_send(queue->quick[t->reader], t);
    }
    while ((item = fair_queue_next(queue->waiting_slow)) != NULL)
        reader_send(queue->slow, ticket_of(item));
}

void read_queue_add(struct read_queue *queue, struct ticket *t)
{
    t->is_slow = t->is_slow || is_known_slow(queue, t);
    t->queued_us = clock_boot_us();
    fair_queue_add(t->is_slow ? queue->waiting_slow : queue->waiting_quick, &t->turn,
                   t->call.namespace);
    send_waiting(queue);
}

bool read_queue_returned(struct read_queue *queue, struct ticket *t)
{
    bool is_complete = t->read_result == READ_COMPLETE;

    if (t->is_slow) {
        fair_queue_remove(queue->waiting_slow, &t->turn);
    } else {
        fair_queue_remove(queue->waiting_quick, &t->turn);
        must(--queue->out[t->reader] >= 0);
    }
    if (t->read_result == READ_TOO_SLOW) {
        t->is_slow = true;
        note_slow(queue, t);
    }
    if (!is_complete)
        read_queue_add(queue, t);
    send_waiting(queue);
    return is_complete;
}

bool read_queue_is_late(const struct ticket *t, int64_t boot_us)
{
    return t->turn.state == FAIR_WAITING && !t->is_slow && boot_us - t->queued_us > LATE_AFTER;
}
