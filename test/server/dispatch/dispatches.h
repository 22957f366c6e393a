/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop with calls on it, tasks made of an action's JSON, and all that is told of them.
 */
#pragma once

#include "server/dispatch/dispatch_parts.h"

enum { REPORTS_MAX = 256 };

struct dispatch_fixture {
    struct loop *loop;
    struct dispatcher_options options; /* for dispatches_open() */
    struct dispatcher *dispatcher;
    struct arena *arena; /* of the test */
    struct namespace_settings settings;
    struct dispatch_report *reports[REPORTS_MAX];
    int report_count;
    bool is_closed;
};

/* cmocka's; the calls are not open yet.  The latter closes them and counts descriptors. */
int dispatches_setup(void **state);
int dispatches_teardown(void **state);

void dispatches_open(struct dispatch_fixture *dispatches);

/* The namespace's settings, as JSON; only before dispatches_open(). */
void dispatches_set(struct dispatch_fixture *dispatches, const char *json);

/* Begins the end; dispatches_wait_closed() runs the loop to it. */
void dispatches_close(struct dispatch_fixture *dispatches);
void dispatches_wait_closed(struct dispatch_fixture *dispatches);

/*
 * A task of run r_…, schedule "nightly", attempt 1, fence 7, with ample time; the caller may
 * change it before dispatcher_start().
 */
struct dispatch_order *dispatches_order(struct dispatch_fixture *dispatches, enum lane lane,
                                        const char *action);
struct stop dispatches_stop_of(const struct dispatch_order *order);

/* Runs the loop until so many reports were told since the setup; returns the last of them. */
const struct report *dispatches_wait(struct dispatch_fixture *dispatches, int count);

/* Runs it until one is told that is no REPORT_ALIVE. */
const struct report *dispatches_wait_end(struct dispatch_fixture *dispatches);

/* What was told is gone, and counting begins anew. */
void dispatches_forget(struct dispatch_fixture *dispatches);

/* Starts a task and runs the loop to its end. */
const struct report *dispatches_run(struct dispatch_fixture *dispatches,
                                    struct dispatch_order *order);

/* All lines of the log of all reports: "1 oops\n", the stream and the text. */
const char *dispatches_log(struct dispatch_fixture *dispatches);
