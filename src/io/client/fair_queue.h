/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides which item may start next, with a limit for all items and a limit per key.
 *
 * Items wait in lanes, one per key (a host, a namespace).  A lane is first in, first out;
 * waiting lanes take turns, so that a host with a thousand calls does not delay the others.
 * The cost of an operation does not depend on the number of waiting items.
 */
#pragma once

#include <stdint.h>

enum fair_state { FAIR_OUT, FAIR_WAITING, FAIR_RUNNING };

/* Embed this in a queued object; the queue manages all members. */
struct fair_item {
    struct fair_item *next, *prev; /* while it waits */
    int32_t lane;
    enum fair_state state; /* FAIR_OUT initially */
};

struct fair_queue; /* opaque */

/* At most `all` items run at the same time, and at most `each` of one lane. */
struct fair_queue *fair_queue_new(int all, int each);
struct fair_queue *fair_queue_free(struct fair_queue *queue); /* accepts NULL, returns NULL */

/* Equal keys share a lane. */
void fair_queue_add(struct fair_queue *queue, struct fair_item *item, int64_t key);

/* The next item that may run, which counts as running from now on; NULL if there is none. */
struct fair_item *fair_queue_next(struct fair_queue *queue);

/* Removes an item, whether it waits, runs or is out already. */
void fair_queue_remove(struct fair_queue *queue, struct fair_item *item);

int fair_queue_waiting(const struct fair_queue *queue);
int fair_queue_running(const struct fair_queue *queue);
