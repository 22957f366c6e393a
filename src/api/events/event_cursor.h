/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A position in the events of all nodes: for each node the number of the last event that was
 * sent.
 *
 * The text form is opaque to clients: "1.205_3.17".  If the cursor does not name a node, that
 * node's events start with the oldest one.
 */
#pragma once

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum {
    EVENT_CURSOR_NODES = 256,        /* nodes with events at a time; enough for days */
    EVENT_CURSOR_TEXT_MAX = 6 << 10, /* per node 4 digits, 2 separators, 18 digits   */
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

/* 0: the cursor does not name the node. */
int64_t event_cursor_get(const struct event_cursor *cursor, int64_t node);
/* Returns false if there is no room for another node. */
bool event_cursor_set(struct event_cursor *cursor, int64_t node, int64_t seq);
