/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may start next, when there is a limit on all and a limit on each.
 *
 * Things wait in lanes, one for each key (a host).  A lane is first in, first out; lanes that
 * wait take turns, so that a host with a thousand calls does not hold up the others.  Every
 * call costs the same, however many wait.
 */
#pragma once

#include <stdint.h>

enum fair_state { LANE_OUT, LANE_WAITING, LANE_RUNNING };

/* A part of whatever is queued; all of it is the lanes' own. */
struct lane_item {
    struct lane_item *next, *prev; /* while it waits */
    int32_t lane;
    enum fair_state state; /* LANE_OUT to begin with */
};

struct fair_queue; /* opaque */

/* At most `all` run at the same time, and at most `each` of one lane. */
struct fair_queue *fair_queue_new(int all, int each);
struct fair_queue *fair_queue_free(struct fair_queue *lanes); /* accepts NULL, returns NULL */

/* Equal keys share a lane. */
void fair_queue_add(struct fair_queue *lanes, struct lane_item *item, int64_t key);

/* The next that may run, which counts as running from now on; NULL when none may. */
struct lane_item *fair_queue_next(struct fair_queue *lanes);

/* Out, whether it waited, ran or was out already. */
void fair_queue_remove(struct fair_queue *lanes, struct lane_item *item);

int fair_queue_waiting(const struct fair_queue *lanes);
int fair_queue_running(const struct fair_queue *lanes);
