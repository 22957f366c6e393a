/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop with calls on it, tasks made of an action's JSON, and all that is told of them.
 */
#pragma once

#include "server/dispatch/dispatch_parts.h"

enum { ERRANDS_TOLD_MAX = 256 };

struct errands {
    struct loop *loop;
    struct calls_options options; /* for errands_open() */
    struct calls *calls;
    struct arena *arena; /* of the test                          */
    struct settings settings;
    struct told *told[ERRANDS_TOLD_MAX];
    int told_count;
    bool is_closed;
};

/* cmocka's; the calls are not open yet.  The latter closes them and counts descriptors. */
int errands_setup(void **state);
int errands_teardown(void **state);

void errands_open(struct errands *errands);

/* The namespace's settings, as JSON; only before errands_open(). */
void errands_set(struct errands *errands, const char *json);

/* Begins the end; errands_wait_closed() runs the loop to it. */
void errands_close(struct errands *errands);
void errands_wait_closed(struct errands *errands);

/*
 * A task of run r_…, schedule "nightly", attempt 1, fence 7, with ample time; the caller may
 * change it before calls_start().
 */
struct task *errands_task(struct errands *errands, enum lane lane, const char *action);
struct stop errands_stop_of(const struct task *task);

/* Runs the loop until so many reports were told since the setup; returns the last of them. */
const struct report *errands_wait(struct errands *errands, int count);

/* Runs it until one is told that is no REPORT_ALIVE. */
const struct report *errands_wait_end(struct errands *errands);

/* What was told is gone, and counting begins anew. */
void errands_forget(struct errands *errands);

/* Starts a task and runs the loop to its end. */
const struct report *errands_run(struct errands *errands, struct task *task);

/* All lines of the log of all reports: "1 oops\n", the stream and the text. */
const char *errands_log(struct errands *errands);
