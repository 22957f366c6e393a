/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recent, running and future actions of a schedule as Temporal's messages.
 */
#pragma once

#include "api/schedules/schedule_times.h"
#include "model/temporal_codec.h"

enum { RECENT_MAX = 10, FUTURE_MAX = 10, RECENT_LISTED = 5, FUTURE_LISTED = 5 };
enum { RUNNING_MAX = 1000 }; /* running workflows in a description: some 100 KiB */

/* The results of temporal_runs_send(), valid after the next db_flush(). */
struct temporal_runs {
    struct db_result open, ended;
};
void temporal_runs_send(struct db *db, int64_t schedule, int open_max, int ended_max,
                        struct temporal_runs *ret);

struct temporal_recent {
    Temporal__ScheduleActionResult **results; /* newest last */
    size_t count;
    Temporal__WorkflowExecution **running;
    size_t running_count;
};

/* The `limit` runs that started last.  `base`: the workflow ids start with it. */
struct temporal_recent temporal_recent(const struct temporal_runs *runs, struct str base,
                                       int limit, struct arena *arena);

struct temporal_future {
    Temporal__Timestamp **times;
    size_t count;
};

/* The next `limit` times; a pause is ignored. */
struct temporal_future temporal_future(const struct schedule_times *times, instant now,
                                       int limit, struct arena *arena);
