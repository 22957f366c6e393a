/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fixture with a loop, a dispatcher, orders from the JSON of an action, and all reports.
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

/*
 * For cmocka.  The setup does not open the dispatcher; the teardown closes it and counts
 * descriptors.
 */
int dispatches_setup(void **state);
int dispatches_teardown(void **state);

void dispatches_open(struct dispatch_fixture *dispatches);

/* Sets the settings of the namespace, as JSON.  Call it before dispatches_open(). */
void dispatches_set(struct dispatch_fixture *dispatches, const char *json);

/* Begins to close; dispatches_wait_closed() runs the loop until the end. */
void dispatches_close(struct dispatch_fixture *dispatches);
void dispatches_wait_closed(struct dispatch_fixture *dispatches);

/*
 * Creates an order of run r_…, schedule "nightly", attempt 1, fence 7, with ample time.  The
 * caller may change it before dispatcher_start().
 */
struct dispatch_order *dispatches_order(struct dispatch_fixture *dispatches, enum lane lane,
                                        const char *action);
struct stop dispatches_stop_of(const struct dispatch_order *order);

/*
 * Runs the loop until `count` reports have arrived since the setup; returns the last of them.
 */
const struct report *dispatches_wait(struct dispatch_fixture *dispatches, int count);

/* Runs the loop until a report other than REPORT_ALIVE arrives. */
const struct report *dispatches_wait_end(struct dispatch_fixture *dispatches);

/* Frees all reports and counts from 0 again. */
void dispatches_forget(struct dispatch_fixture *dispatches);

/* Starts an order and runs the loop until it ends. */
const struct report *dispatches_run(struct dispatch_fixture *dispatches,
                                    struct dispatch_order *order);

/* Returns the log lines of all reports, such as "1 oops\n": stream and text. */
const char *dispatches_log(struct dispatch_fixture *dispatches);
