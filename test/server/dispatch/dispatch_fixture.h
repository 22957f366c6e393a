/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fixture with a loop, a dispatcher, orders from the JSON of an action, and all reports.
 */
#pragma once

#include "server/dispatch/dispatch_parts.h"

enum { REPORTS_MAX = 256 };

struct dispatch_fixture {
    struct loop *loop;
    struct dispatcher_options options; /* for fixture_open() */
    struct dispatcher *dispatcher;
    struct arena *arena; /* of the test */
    struct dispatch_settings settings;
    struct dispatch_report *reports[REPORTS_MAX];
    int report_count;
    bool is_closed;
};

/*
 * For cmocka.  The setup does not open the dispatcher; the teardown closes it and counts
 * descriptors.
 */
int fixture_setup(void **state);
int fixture_teardown(void **state);

void fixture_open(struct dispatch_fixture *fixture);

/* Sets the settings of the namespace, as JSON.  Call it before fixture_open(). */
void fixture_set(struct dispatch_fixture *fixture, const char *json);

/* Begins to close; fixture_wait_closed() runs the loop until the end. */
void fixture_close(struct dispatch_fixture *fixture);
void fixture_wait_closed(struct dispatch_fixture *fixture);

/*
 * Creates an order of run r_…, schedule "nightly", attempt 1, fence 7, with ample time.  The
 * caller may change it before dispatcher_start().
 */
struct dispatch_order *fixture_order(struct dispatch_fixture *fixture, enum lane lane,
                                     const char *action);
struct stop fixture_stop_of(const struct dispatch_order *order);

/*
 * Runs the loop until `count` reports have arrived since the setup; returns the last of them.
 */
const struct report *fixture_wait(struct dispatch_fixture *fixture, int count);

/* Runs the loop until a report other than REPORT_ALIVE arrives. */
const struct report *fixture_wait_end(struct dispatch_fixture *fixture);

/* Frees all reports and counts from 0 again. */
void fixture_forget(struct dispatch_fixture *fixture);

/* Starts an order and runs the loop until it ends. */
const struct report *fixture_run(struct dispatch_fixture *fixture,
                                 struct dispatch_order *order);

/* Returns the log lines of all reports, such as "1 oops\n": stream and text. */
const char *fixture_log(struct dispatch_fixture *fixture);
