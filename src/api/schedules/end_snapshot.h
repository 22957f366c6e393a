/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which ends of runs a list has seen when its first page was read.
 *
 * Keys of ends are in the order in which a node makes them, but not in that of commits: a turn
 * that is under way on another node has keys of when it began.  Each node's own come in order.
 * So what was seen is told apart from what came later by a key below which nothing can come
 * any more, and by the last that was seen of each node from there on.
 */
#pragma once

#include "api/call/call.h"

enum {
    END_SNAPSHOT_MARKS_MAX = 16, /* nodes that ended runs within the last seconds */
    END_SNAPSHOT_TEXT_MAX = 400, /* of it all, each number with nineteen digits   */
};

struct end_snapshot {
    int64_t from;                          /* every end below was seen; 0: not known yet */
    int64_t marks[END_SNAPSHOT_MARKS_MAX]; /* the last of a node that was seen, not below */
    int mark_count;
};

/* All of them: for lists in which nothing moves. */
#define END_SNAPSHOT_ALL ((struct end_snapshot){.from = INT64_MAX})

/* As it is now. */
MUST_USE enum rc end_snapshot_find(const struct call *call, struct db *db,
                                   struct end_snapshot *ret, struct err *reterr);

bool end_snapshot_saw(const struct end_snapshot *ends, int64_t key);
int64_t end_snapshot_top(const struct end_snapshot *ends); /* none from here on was seen */

/* "FROM" and ".MARK" for each, as numbers above it.  False: it is none. */
bool end_snapshot_read(struct str text, struct end_snapshot *ret);
void end_snapshot_write(const struct end_snapshot *ends, struct buf *out);
