/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop with calls on it, tasks made of an action's JSON, and all that is told of them.
 */
#pragma once

#include "server/dispatch/dispatch_parts.h"

enum { ERRANDS_TOLD_MAX = 256 };

struct errands {
    struct loop *loop;
    struct dispatcher_options options; /* for dispatches_open() */
    struct dispatcher *dispatcher;
    struct arena *arena; /* of the test                          */
    struct namespace_settings settings;
    struct dispatch_report *reported[ERRANDS_TOLD_MAX];
    int told_count;
    bool is_closed;
};

/* cmocka's; the calls are not open yet.  The latter closes them and counts descriptors. */
int dispatches_setup(void **state);
int dispatches_teardown(void **state);

void dispatches_open(struct errands *dispatches);

/* The namespace's settings, as JSON; only before dispatches_open(). */
void dispatches_set(struct errands *dispatches, const char *json);

/* Begins the end; dispatches_wait_closed() runs the loop to it. */
void dispatches_close(struct errands *dispatches);
void dispatches_wait_closed(struct errands *dispatches);

/*
 * A task of run r_…, schedule "nightly", attempt 1, fence 7, with ample time; the caller may
 * change it before dispatcher_start().
 */
struct dispatch_order *dispatches_task(struct errands *dispatches, enum lane lane,
                                       const char *action);
struct stop dispatches_stop_of(const struct dispatch_order *order);

/* Runs the loop until so many reports were told since the setup; returns the last of them. */
const struct report *dispatches_wait(struct errands *dispatches, int count);

/* Runs it until one is told that is no REPORT_ALIVE. */
const struct report *dispatches_wait_end(struct errands *dispatches);

/* What was told is gone, and counting begins anew. */
void dispatches_forget(struct errands *dispatches);

/* Starts a task and runs the loop to its end. */
const struct report *dispatches_run(struct errands *dispatches, struct dispatch_order *order);

/* All lines of the log of all reports: "1 oops\n", the stream and the text. */
const char *dispatches_log(struct errands *dispatches);
