/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that do not end with one answer: those that wait for work, and streams.
 */
#pragma once

#include <stdbool.h>

#include "base/str.h"
#include "core/run_id.h"
#include "engine/turn.h"

struct event_watch;

struct call_poll {
    struct str queues[POLL_QUEUES_MAX]; /* names */
    int queue_count;
    int max;
    span wait;
    struct str worker;
};

/* One of Server-Sent Events. */
struct call_line {
    struct str id, name, data;
};

/*
 * An answer without an end: each read() brings what has come since.  The stream itself lives
 * in the arena of the call's begin(), and what one read brings in that of the read.
 */
struct call_stream {
    struct call_line *lines;
    int line_count;
    bool has_more;             /* read on at once                                   */
    bool is_over;              /* nothing follows the lines                         */
    struct run_id run;         /* whose log it is; or                               */
    struct event_watch *watch; /* which events, see api/events/event_watch.h; NULL: a log  */
};
