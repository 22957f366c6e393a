/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the next events after a cursor from the database: the events of one node in their
 * order, those of several nodes by the times of their rows.
 *
 * The cost of one read is bounded for any filter; it returns the cursor that it has reached.
 */
#pragma once

#include "api/events/event_cursor.h"
#include "api/events/event_filter.h"

enum event_start { EVENT_AFTER, EVENT_OLDEST, EVENT_NOW };

struct event_query {
    struct event_filter filter;
    enum event_start start;
    struct event_cursor after;       /* for EVENT_AFTER */
    int limit;                       /* of notes        */
    const struct event_terms *terms; /* return notes in these terms also; NULL: none */
};

struct event_read {
    struct event_note *notes;
    int count;
    struct event_cursor first;  /* the start position                                    */
    struct event_cursor cursor; /* after the last event that was checked                 */
    bool has_more;              /* there may be more; read again from `cursor` at once   */
    bool is_lost;               /* events after `after` were pruned, or `after` is not a
                                   cursor of this database; `cursor` is before the oldest
                                   event, and there are no notes                         */
};

/* Reads in a snapshot; all texts are in the arena. */
MUST_USE enum rc event_read_batch(struct db *db, struct arena *arena,
                                  const struct event_query *query, struct event_read *ret,
                                  struct err *reterr);
