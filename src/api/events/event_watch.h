/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Somebody who hears of events as they come: what of them, and how far they were told.
 */
#pragma once

#include "api/call/operation.h"
#include "api/events/event_read.h"

enum { WATCH_LIMIT = 1000 }; /* events of one reading */

struct event_watch {
    struct event_query question; /* `after` moves on with what was told          */
    bool has_begun;              /* the client was told where it begins          */
    struct event_read portion;   /* what the last reading brought; in its arena  */
};

/* What a request for events may ask for; `after` and `limit` are among the parameters. */
struct event_asking {
    const char *const *parameters;
    int count;
    enum rc (*read)(const struct call *call, struct event_filter *ret, struct err *reterr);
};

/* Begins a page, or a stream where the client accepts one; event_list_read() goes on. */
enum call_step event_watch_begin(struct call *call, const struct event_asking *asking);

/* All events from `after` on, for whoever hands them on; call->with is a struct event_watch. */
extern const struct operation event_feed;
