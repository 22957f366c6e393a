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

enum lane_state { LANE_OUT, LANE_WAITING, LANE_RUNNING };

/* A part of whatever is queued; all of it is the lanes' own. */
struct lane_item {
    struct lane_item *next, *prev; /* while it waits */
    int32_t lane;
    enum lane_state state; /* LANE_OUT to begin with */
};

struct lanes; /* opaque */

/* At most `all` run at the same time, and at most `each` of one lane. */
struct lanes *lanes_new(int all, int each);
struct lanes *lanes_free(struct lanes *lanes); /* accepts NULL, returns NULL */

/* Equal keys share a lane. */
void lanes_add(struct lanes *lanes, struct lane_item *item, int64_t key);

/* The next that may run, which counts as running from now on; NULL when none may. */
struct lane_item *lanes_next(struct lanes *lanes);

/* Out, whether it waited, ran or was out already. */
void lanes_remove(struct lanes *lanes, struct lane_item *item);

int lanes_waiting(const struct lanes *lanes);
int lanes_running(const struct lanes *lanes);
