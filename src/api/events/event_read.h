/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The next events behind a place, read from the database: of each node in its own order, of
 * several nodes by time as far as it goes.
 *
 * What one reading costs is bounded whatever is wanted; it says where it has come to.
 */
#pragma once

#include "api/events/event_cursor.h"
#include "api/events/event_filter.h"

enum event_start { EVENT_AFTER, EVENT_OLDEST, EVENT_NOW };

struct event_query {
    struct event_filter filter;
    enum event_start start;
    struct event_cursor after; /* EVENT_AFTER */
    int limit;                 /* of notes    */
    bool has_own;              /* notes are wanted in the agents' words too */
};

struct event_read {
    struct event_note *notes;
    int count;
    struct event_cursor first;  /* where it began                                        */
    struct event_cursor cursor; /* behind all that was looked at                         */
    bool has_more;              /* there may be more: read on from there at once         */
    bool is_lost;               /* something behind `after` is not kept any more, or the
                                   place is none of this database; the cursor is before
                                   the oldest that is kept, and there are no notes       */
};

/* In a snapshot; all texts are in the arena. */
MUST_USE enum rc event_read_read(struct db *db, struct arena *arena,
                                 const struct event_query *question, struct event_read *ret,
                                 struct err *reterr);
