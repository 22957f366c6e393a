/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A place in the events of all nodes: for each node the number of the last one that was told.
 *
 * As text, which clients keep and do not read: "1.205_3.17".  A node that a place does not
 * name is told from the oldest of its events on.
 */
#pragma once

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum {
    EVENT_CURSOR_NODES = 256,        /* that have events at a time: days of new nodes       */
    EVENT_CURSOR_TEXT_MAX = 6 << 10, /* of 256 nodes: 4 digits, 2 marks, some 18 digits     */
};

struct event_cursor {
    int count;
    struct {
        int64_t node, seq;
    } at[EVENT_CURSOR_NODES]; /* by node */
};

MUST_USE enum rc event_cursor_parse(struct str text, struct event_cursor *ret,
                                    struct err *reterr);
void event_cursor_print(const struct event_cursor *cursor, struct buf *out);

/* 0: it is not named. */
int64_t event_cursor_get(const struct event_cursor *cursor, int64_t node);
/* False when there is no room for one more node. */
bool event_cursor_set(struct event_cursor *cursor, int64_t node, int64_t seq);
