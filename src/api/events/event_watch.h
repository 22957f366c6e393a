/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client that follows events: its filter, and the position up to which events were sent.
 */
#pragma once

#include "api/call/operation.h"
#include "api/events/event_read.h"

enum { WATCH_LIMIT = 1000 }; /* events of one read */

struct event_watch {
    struct event_query question; /* `after` advances with the events that are sent */
    bool has_begun;              /* the client has the start position              */
    struct event_read portion;   /* the last batch that was read, in its arena     */
};

/* How to parse a request for events; `after` and `limit` are among the parameters. */
struct event_asking {
    const char *const *parameters;
    int count;
    enum rc (*read)(const struct call *call, struct event_filter *ret, struct err *reterr);
};

/* Begins a page, or a stream if the client accepts one; event_list_read() continues. */
enum call_step event_watch_begin(struct call *call, const struct event_asking *asking);

/* Reads all events after a cursor for the streams; call->arg is a struct event_watch. */
extern const struct operation event_feed;
