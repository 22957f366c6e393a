/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ends of runs that were visible when the first page of a list was read.
 *
 * Each node commits its own end keys in order, but the keys of all nodes together are not in
 * the order of commits: an uncommitted turn of another node has keys from the time it began.
 * The snapshot therefore has a key below which no end can appear any more, and from there on
 * the last visible end of each node.
 */
#pragma once

#include "api/call/call.h"

enum {
    END_SNAPSHOT_MARKS_MAX = 16, /* nodes that ended runs within the last seconds */
    END_SNAPSHOT_TEXT_MAX = 400, /* bytes, each number with nineteen digits       */
};

struct end_snapshot {
    int64_t from;                          /* every end below it is visible; 0: not set yet */
    int64_t marks[END_SNAPSHOT_MARKS_MAX]; /* last visible end of a node, not below `from`  */
    int mark_count;
};

/* All ends are visible: for lists whose entries do not move. */
#define END_SNAPSHOT_ALL ((struct end_snapshot){.from = INT64_MAX})

/* Reads the current snapshot. */
MUST_USE enum rc end_snapshot_find(const struct call *call, struct db *db,
                                   struct end_snapshot *ret, struct err *reterr);

bool end_snapshot_saw(const struct end_snapshot *ends, int64_t key);
int64_t end_snapshot_top(const struct end_snapshot *ends); /* above all visible ends */

/* Text form: FROM, then .MARK for each mark, relative to FROM.  False: invalid text. */
bool end_snapshot_read(struct str text, struct end_snapshot *ret);
void end_snapshot_write(const struct end_snapshot *ends, struct buf *out);
