/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of calls that need more than one answer: waiting for runs, and event streams.
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
    int max;   /* runs to return at most                  */
    span wait; /* how long to wait if there are none      */
    struct str worker;
};

/* One server-sent event. */
struct call_line {
    struct str id, name, data;
};

/*
 * An answer that stays open: each read() returns the lines that are new since the last one.
 * The stream is in the arena of the call's begin(), the lines are in the arena of the read.
 */
struct call_stream {
    struct call_line *lines;
    int line_count;
    bool has_more;             /* read again at once                                     */
    bool is_over;              /* nothing follows the lines                              */
    struct run_id run;         /* the run whose log is streamed, if watch is NULL        */
    struct event_watch *watch; /* the events to stream, see api/events/event_watch.h     */
};
